"""The manual: its tables list exactly what the program has, and its commands and snippets work as printed. Keys of the window
are compared in tests/ui/help_test.cpp; the C++ snippets are built by tests/CMakeLists.txt."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import wave
import zlib

from program import FULL, GRIDSTRIDE, TIMEOUT, Case, WindowCase, find_commands, parse_csv_rows

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MANUAL = SOURCE / "assets/manual"
PAGE = (MANUAL / "command_line.md").read_text()


def split_row(line):
    return [cell.strip() for cell in line.strip().strip("|").split(" |")]


def parse_tables(page):
    """The tables of the page: (header, rows), each row a list of cells."""
    result = []
    for block in re.findall(r"(?:^\|.*\n)+", re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S), re.M):
        lines = block.splitlines()
        result.append((split_row(lines[0]), [split_row(line) for line in lines[2:]]))
    return result


def find_table(first, page=PAGE):
    """The rows of the table whose first column has this heading."""
    rows = [rows for header, rows in parse_tables(page) if header[0] == first]
    assert len(rows) == 1, first
    return rows[0]


def find_code(cell):
    return re.findall(r"`([^`]+)`", cell)


def first_column_names(first):
    """The names in the first column of the table with this first heading, in order."""
    return [name for row in find_table(first) for name in find_code(row[0])]


def code_blocks(page, word=""):
    return re.findall(rf"^```{word}\n(.*?)^```$", page, re.M | re.S)


def read_source(path):
    return (SOURCE / path).read_text()


class Tables(unittest.TestCase):
    """Tables of the manual agree with the declarations in the source."""

    def test_exit_codes(self):
        declared = re.findall(r"^    exit_\w+\s*=\s*(\d)", read_source("app/commands.h"), re.M)
        self.assertEqual([row[0] for row in find_table("Exit code")], declared)

    def test_statuses_and_their_exit_codes(self):
        codes = dict(re.findall(r"^    (exit_\w+)\s*=\s*(\d)", read_source("app/commands.h"), re.M))
        names = re.findall(r'"(\w+)"', re.search(r"name\(Status status\).*?;", read_source("src/lesson/report.cpp"), re.S)[0])
        body = re.search(r"int exit_code_for\(.*?^}", read_source("app/run_setup.cpp"), re.S | re.M)[0]
        by_status, open_cases = {}, []
        for case, other, code in re.findall(r"case Status::(\w+)|(default):|return (exit_\w+)", body):
            if case:
                open_cases.append(case)
            elif other:
                open_cases = [name for name in names if name not in by_status]
            else:
                by_status |= {name: codes[code] for name in open_cases}
                open_cases = []
        self.assertEqual({find_code(row[0])[0]: row[1] for row in find_table("Status")}, by_status)
        self.assertEqual(first_column_names("Status"), sorted(names, key=first_column_names("Status").index))

    def test_findings(self):
        names = re.search(r'"race",.*?}', read_source("src/trace/finding.cpp"), re.S)[0]
        self.assertEqual(first_column_names("Finding"), re.findall(r'"(\w+)"', names))

    def test_environment_variables(self):
        files = [file for folder in ("src", "app") for file in (SOURCE / folder).rglob("*.cpp")]
        read = {name for file in files for name in re.findall(r'getenv\("(GRIDSTRIDE_\w+)"\)', file.read_text())}
        self.assertEqual({name for name in first_column_names("Variable") if name.startswith("GRIDSTRIDE_")}, read)

    def test_readme_links_to_every_page(self):
        readme = read_source("README.md")
        for file in MANUAL.glob("*.md"):
            self.assertIn(f"assets/manual/{file.name}", readme)

    def test_links_have_targets(self):
        for file in [*MANUAL.glob("*.md"), SOURCE / "README.md", SOURCE / "CONTRIBUTING.md"]:
            for target in re.findall(r"\]\(([^)]+)\)", re.sub(r"^````?.*?^````?$", "", file.read_text(), flags=re.M | re.S)):
                path, _, heading = target.partition("#")
                if path.startswith("http") or target in ("term",) or target.startswith("term:"):
                    continue
                with self.subTest(file=file.name, target=target):
                    destination = file.parent / path if path else file
                    self.assertTrue(destination.exists())
                    if heading:
                        headings = re.findall(r"^#+ (.*)$", destination.read_text(), re.M)
                        self.assertIn(heading, [re.sub(r"[^a-z0-9 -]", "", heading_text.lower()).replace(" ", "-") for heading_text in headings])


class Options(Case):
    def help_text(self, command):
        """The help text of a command without the parameters of lessons."""
        text = self.run_program(*([] if command == "window" else [command]), "--help").stdout
        return text.split("\nParameters of ")[0]

    def test_commands_and_options_match_the_program(self):
        commands = find_commands(self.help_text("window"))
        named = [name.split()[1] for name in first_column_names("Command")]
        self.assertEqual(set(named), {"[LESSON]", *commands})
        documented = {command: set() for command in ("window", *commands)}
        defaults = {}
        for row in find_table("Option"):
            option = find_code(row[0])[0]
            where = documented if row[1] == "all" else row[1].split(", ")
            default = re.search(r"default `([^`]+)`", row[2])
            for command in where:
                documented[command].add(option)
                defaults[command, option] = default[1] if default else None
        for command, options in documented.items():
            text = self.help_text(command)
            # "  --size TEXT=1600x1000", and from version 2.6 of CLI11 on "          --size TEXT [1600x1000]".
            declared = set(re.findall(r"^ {2,10}(?:-h, *)?(--[a-z][a-z-]*)", text, re.M))
            with self.subTest(command):
                self.assertEqual(options, declared)
            for option in options & declared:
                shown = re.search(rf"^ {{2,10}}{option} [^ \n]*(?:=| \[)([^\s\]]+)", text, re.M)
                with self.subTest(command, option=option):
                    self.assertEqual(defaults[command, option], shown[1] if shown else None)

    def test_parameters_of_a_lesson_are_options(self):
        text = self.run_program("run", "reduction", "--help").stdout
        lessons = self.run_json("list")["lessons"]
        parameters = next(lesson["parameters"] for lesson in lessons if lesson["id"] == "reduction")
        for parameter in parameters:
            self.assertIn("--" + parameter["id"].replace("_", "-"), text)
        memory = {lesson["id"] for lesson in lessons for one in lesson["parameters"]
                  if one["flag"] == "--memory" and one["unit"] == "bytes"}
        self.assertEqual(memory, {"tensor_graph", "playground"})

    # Examples that need a window, or minutes for a quiet sweep, millions of elements or all questions, or that WriteALesson runs.
    # Other tests cover these options.
    without_example = {"--ui-map", "--frame-log", "--tuned", "--full", "--lang", "--lessons", "--run"}
    command_prefixes = {
        "run": ("run", "reduction", "--elements", "1000"),
        "inspect": ("inspect", "reduction", "--elements", "1000"),
        "screenshot": ("screenshot", "reduction", "--size", "640x400"),
        "devices": ("devices",), "list": ("list",), "progress": ("progress",), "compare": ("compare", "a.csv", "a.csv"),
        "lesson": ("lesson", "check", "my_lesson"),
        "hand-in": ("hand-in", "--assignment", ".", "--name", "A", "--number", "1", "--output", "hand_in.json"),
        "grade": ("grade", "class", "--assignment", ".", "--csv", "grades.csv", "--seed", "7"),
        "window": (),
    }

    def write_example_files(self):
        self.write("assignment.toml", code_blocks((MANUAL / "assignments.md").read_text(), "toml")[0])
        (self.folder / "class").mkdir()
        self.write("class/foreign.json", "{}")
        self.write("data.csv", "value\n1\n2\n3\n")
        with wave.open(str(self.folder / "sound.wav"), "wb") as sound:
            sound.setparams((2, 2, 8000, 0, "NONE", ""))
            sound.writeframes(b"\1\0\2\0" * 400)
        self.write("mine.comp", self.run_program("run", "reduction", "--print-kernel").stdout)
        self.write("script.json", '[{"expect":{"page":"lesson"}}]')
        self.run_program("lesson", "new", "my_lesson")
        self.run_program("run", "reduction", "--elements", 1000, "--samples", 3, "--csv", "a.csv")

    def test_each_example_is_accepted(self):
        self.write_example_files()
        for option, commands, _, _, example in find_table("Option"):
            option, words = find_code(option)[0], find_code(example)[0].split()
            self.assertIn(option, words)
            if option in self.without_example:
                continue
            allowed = list(self.command_prefixes) if commands == "all" else commands.split(", ")
            command = next(name for name in self.command_prefixes if name in allowed and (name != "window" or allowed == ["window"]))
            prefix = list(self.command_prefixes[command])
            if "sound.wav" in words:
                prefix = [command, "zero_suppression"]
            if option in prefix:
                del prefix[prefix.index(option):prefix.index(option) + 2]
            if command == "screenshot" and option != "--output":
                prefix += ["--output", "window.png"]
            if command == "run" and option != "--samples":
                prefix += ["--samples", "1"]
            with self.subTest(" ".join(prefix + words)):
                self.run_program(*prefix, *words, code=0)

    def test_other_values_of_a_choice_are_refused(self):
        self.write_example_files()
        for words in (("screenshot", "reduction", "--output", "a.png", "--theme", "grey"), ("run", "reduction", "--cache", "hot"),
                      ("run", "reduction", "--samples", "many"), ("compare", "a.csv", "a.csv", "--column", "colour"),
                      ("run", "reduction", "--deadline", "0"), ("list", "--json", "--kernels")):
            with self.subTest(words):
                self.assertEqual(self.run_program(*words).returncode, 2)

    def test_saved_arrays_are_npy_and_the_report_is_alone_on_stdout(self):
        result = self.run_program("run", "reduction", "--samples", 1, "--save-input", "i.npy", "--save-output", "o.npy",
                                  "--json")
        self.assertEqual(json.loads(result.stdout)["status"], "ok", result.stderr)
        for name in ("i.npy", "o.npy"):
            self.assertTrue((self.folder / name).read_bytes().startswith(b"\x93NUMPY"))


def json_keys(value, path=""):
    """The paths of all keys, such as "cells[].values"."""
    keys = set()
    if isinstance(value, dict):
        for key, inner in value.items():
            inner_path = f"{path}.{key}" if path else key
            keys |= {inner_path} | json_keys(inner, inner_path)
    elif isinstance(value, list):
        for inner in value:
            keys |= json_keys(inner, path + "[]")
    return keys


def key_pattern(key):
    return re.escape(key).replace("NAME", r"[a-z0-9_]+(?:\([^)]*\))?")


class Json(Case):
    """The manual and the reports have the same keys."""

    OPAQUE = re.compile(r"predictions\[\]\.outcome\.")

    def documented_keys(self, document):
        objects = {}
        for row in find_table("Object and key"):
            for key in find_code(row[0]):
                name, _, inner_key = key.partition(".")
                objects.setdefault(name, []).append((inner_key, row[1]))

        def add(keys, path, types):
            keys.add(path)
            for name in objects:
                if re.search(rf"`{name}`", types):
                    inner = path + ("[]" if "array of" in types else "")
                    for inner_key, inner_types in objects[name]:
                        add(keys, f"{inner}.{inner_key}", inner_types)

        keys = set()
        for row in find_table(f"Key of {document}"):
            names, types = find_code(row[0]), row[1].split("; ")
            for i, name in enumerate(names):
                add(keys, name, types[i] if len(types) == len(names) else row[1] if len(types) == 1 else "")
        return keys

    def assert_keys_documented(self, document, *reports):
        documented = self.documented_keys(document)
        found = {key for key in set().union(*map(json_keys, reports)) if not self.OPAQUE.search(key)}
        as_pattern = re.compile("|".join(sorted((key_pattern(key) for key in documented), key=len, reverse=True)))
        self.assertEqual(sorted(key for key in found if not as_pattern.fullmatch(key)), [], "undocumented keys")
        missing = [key for key in documented if not any(re.fullmatch(key_pattern(key), one) for one in found)]
        self.assertEqual(sorted(missing), [], "documented keys that no report has")

    def write_kernel_with_unwritten_outputs(self):
        """Returns the arguments with which `run` and `inspect` use the kernel."""
        kernel = self.run_program("run", "gaussian", "--variant", "per_element", "--print-kernel").stdout
        early = kernel.replace("void main() {", "void main() { if (gl_GlobalInvocationID.x > 3u) return;")
        self.write("mine.comp", early)
        return "gaussian", "--variant", "per_element", "--kernel", "mine.comp", "--elements", 1000

    def test_run(self):
        good = self.run_json("run", "monte_carlo_pi", "--samples", 2)
        self.write("data.csv", "1\n2\n")
        file = self.run_json("run", "histogram", "--input", "data.csv", "--samples", 1)
        kernel = self.write_kernel_with_unwritten_outputs()
        unwritten = self.run_json("run", *kernel, "--samples", 1, code=1)
        wrong = self.run_json("run", "reduction", "--barriers", "one_missing", "--samples", 1)
        self.write("mine.comp", "#version 450\nvoid main() { float x = 1 +; }\n")
        broken = self.run_json("run", *kernel, code=4)
        self.assert_keys_documented("run", good, file, unwritten, wrong, broken)
        self.assertIsInstance(self.run_json("run", "grid_stride", "--variant", "all", "--samples", 1), list)
        cold = self.run_json("run", "reduction", "--samples", 1, "--cache", "cold", "--unbatched")
        self.assertEqual((cold["cache"], cold["timings"]["unbatched"], cold["timings"]["kernel_repeats"]), ("cold", True, 1))
        self.assertGreater(cold["cache_copies"], 1)
        waiting, wall = (good["timings"][part]["samples"] for part in ("waiting_ns", "wall_ns"))
        self.assertTrue(all(0 <= some <= whole for some, whole in zip(waiting, wall)), "waiting is part of the wall time")

    def test_explain(self):
        report = self.run_json("explain", "reduction", "--elements", 1000)
        # Whether a run leaves a finding with several explanations depends on its times.
        report["findings"][0]["explanations"].append({"cause": "", "sweep_result": ""})
        self.assert_keys_documented("explain", report)

    def test_inspect_and_the_columns_of_the_trace(self):
        report = self.run_json("inspect", "reduction", "--barriers", "one_missing", "--trace", "records.csv", code=1)
        file = self.run_json("inspect", *self.write_kernel_with_unwritten_outputs(), code=1)
        self.assert_keys_documented("inspect", report, file)
        header = (self.folder / "records.csv").read_text().splitlines()[0]
        self.assertEqual(first_column_names("Column of the trace"), header.split(","))

    def test_sweep_and_compare(self):
        report = self.run_json("sweep", "reduction", "--workgroup-size", "32,33", "--samples", 8, "--csv", "a.csv")
        tied = {**report, "best": {**report["best"], "ties": [report["cells"][0]]}}
        tied["best"]["ties"] = [{key: report["cells"][0][key] for key in ("variant", "values")}]
        self.assert_keys_documented("sweep", tied)
        self.assert_keys_documented("compare", self.run_json("compare", "a.csv", "a.csv"))

    def test_make(self):
        self.write("mine.comp", self.run_program("make", "thread_index").stdout)
        failed = self.run_json("make", "thread_index", "--kernel", "mine.comp", code=1)
        for requirement in failed["requirements"]:
            requirement["refused_cases"].append({"values": {"n": "1"}, "reason": ""})
        failed["problem"] = ""
        self.assert_keys_documented("make", failed)

    def test_list_devices_and_doctor(self):
        self.assert_keys_documented("list", self.run_json("list"))
        self.assert_keys_documented("devices", self.run_json("devices", "--measure"))
        self.assert_keys_documented("doctor", self.run_json("doctor"))

    def test_recorded_answers(self):
        self.assert_keys_documented("record", *[json.loads(file.read_text()) for file in (SOURCE / "assets/recorded").glob("*.json")])

    def test_progress(self):
        step = re.search(r"<!-- id: (\w+) -->", read_source("lessons/reduction/story.en.md"))[1]
        position = {"device": "d", "lesson": "reduction", "id": step}
        kernel = {"lesson": "reduction", "variant": "tree_sequential", "name": "k.comp", "folder": "", "text": "x", "path": "",
                  "saved_text": "", "last_good": {"name": "k.comp", "folder": "", "text": "y"}}
        self.write(
            "in.json",
            json.dumps(
                {
                    "kind": "gridstride progress", "schema_version": 3, "device": "d", "lesson": position["lesson"], "seen": [position],
                    "left": [{**position, "at_end": True}], "predictions": [], "made": [{**position, "id": "maximum_place"}],
                    "attempts": [{**position, "id": "maximum_place", "count": 3}],
                    "kernels": [kernel]}))
        self.run_program("progress", "--import", "in.json", code=0)
        self.assertEqual(self.run_program("progress", "--export", "out.json").returncode, 0)
        file = self.read_json("out.json")
        # The import drops answers that do not fit a question, so the keys of an answer are taken from the source.
        declared = read_source("src/progress/story_progress.cpp") + read_source("src/session/progress_file.cpp")
        names = set(re.findall(r'json\["(\w+)"\] = ', declared)) - set(file) | set(position)
        file["predictions"] = [dict.fromkeys(names)]
        self.assert_keys_documented("progress", file)


class Csv(Case):
    def run_and_read_row(self, *arguments):
        result = self.run_program("run", *arguments, "--samples", 1, "--csv", "-")
        return parse_csv_rows(result.stdout)[0]

    def test_columns(self):
        row = self.run_and_read_row("reduction", "--cache", "cold", "--unbatched")
        self.assertEqual(first_column_names("Column"), list(row))
        settings = dict(one.split("=") for one in row["parameters"].split(";"))
        self.assertEqual((settings["cache"], settings["batch"]), ("cold", "1"))
        self.assertEqual(row["sample"], "0")
        self.assertIn(row["is_cpu_device"], ("true", "false"))
        self.assertRegex(row["timestamp_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

    def test_checksum_agrees_with_numpy_and_zlib(self):
        import numpy

        x = numpy.array([1, 2.5, 1 / 3, -7, 1e10])
        numpy.save(self.folder / "x.npy", x)
        formula = re.search(r"`(zlib\.crc32\([^`]*)`", PAGE)[1]
        expected = eval(formula, {"zlib": zlib, "numpy": numpy, "x": x})
        result = self.run_program("run", "histogram", "--input", "x.npy", "--samples", 1, "--json")
        self.assertEqual(int(json.loads(result.stdout)["input"]["crc32"], 16), expected, result.stderr)


class Commands(Case):
    """A shell runs the lines of plain code blocks that start with the program's name, page by page and in order. WriteALesson
    runs those of its page."""

    # Commands that install, build, open a window, take an hour, or use a lesson that does not exist.
    skipped_commands = re.compile(r"\./run( *#.*|  .*)?$|\./run (doctor|my_lesson|run my_lesson|check|reduction)")
    # These sample until the medians are stable; other tests cover such commands.
    slow = re.compile(r".*(--variant all|make reduction --kernel|sweep reduction --workgroup-size 32)")

    def run_commands_in(self, file):
        page = file.read_text()
        (self.folder / "bin").mkdir(exist_ok=True)
        for name in ("bin/gridstride", "run"):
            if not (self.folder / name).exists():
                (self.folder / name).symlink_to(GRIDSTRIDE)
        (self.folder / "class").mkdir(exist_ok=True)
        self.write("class/foreign.json", "{}")
        for word, name in (("glsl", "mine.comp"), ("json", "script.json"), ("playground", "mine.playground"), ("toml", "assignment.toml")):
            for text in code_blocks(page, word):
                self.write(name, text)
        if not (self.folder / "assets").exists():
            (self.folder / "assets").symlink_to(SOURCE / "assets")
        environment = {**self.environment, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        lines = [line for block in code_blocks(page) for line in block.splitlines()]
        lines = [line for line in lines if re.match(r"gridstride |\./run\b", line) and not self.skipped_commands.match(line)
                 and (FULL or not self.slow.match(line))]
        for line in lines:
            with self.subTest(page=file.name, line=line):
                result = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=TIMEOUT, env=environment,
                                        cwd=self.folder)
                self.assertEqual(result.returncode, 1 if "exit code 1" in line else 0, result.stderr)
        return len(lines)

    def test_commands_run_as_printed(self):
        count = 0
        for file in [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted(MANUAL.glob("*.md"))]:
            if file.read_text() == WriteALesson.PAGE:
                continue
            count += self.run_commands_in(file)
        self.assertGreaterEqual(count, 4)
        rows = self.read_rows("out.csv")
        cells = {(row["variant"], row["workgroup_size"], row["elements"]) for row in rows}
        self.assertEqual(len(cells), 2 * 3 * 2, "the number of cells that the page states")


class WriteALesson(WindowCase):
    """Follows the page "Write a lesson in an hour" in an empty folder."""

    PAGE = (MANUAL / "write_a_lesson.md").read_text()

    def setUp(self):
        super().setUp()
        (self.folder / "bin").mkdir()
        (self.folder / "bin/gridstride").symlink_to(GRIDSTRIDE)
        self.environment["PATH"] = f"{self.folder / 'bin'}:{os.environ['PATH']}"

    def follow_page(self):
        """Writes each file and runs each command of the page, in order."""
        end = 0
        for block in re.finditer(r"^(```+)(\w*)\n(.*?)^\1$", self.PAGE, re.M | re.S):
            before, end = self.PAGE[end:block.start()], block.end()
            word, text = block[2], block[3]
            if word:
                at_end, name = re.findall(r"(at the end of )?`(echo/[\w.]+)`", before)[-1]
                file = self.folder / name
                self.assertTrue(file.exists() or not at_end, name)
                file.write_text((file.read_text() if at_end else "") + text)
                continue
            for line in text.splitlines():
                with self.subTest(line):
                    self.run_line(line)

    def run_line(self, line):
        command, _, output = map(str.strip, line.partition("#"))
        code = 1 if output.endswith(", exit code 1") else 0
        if re.fullmatch("gridstride echo .*", command):  # opens the window
            command += " --ui-script " + self.write_script(["wait idle; expect lesson echo"])
        result = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=2 * TIMEOUT, env=self.environment,
                                cwd=self.folder)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        self.assertIn(output.removesuffix(", exit code 1"), result.stdout + result.stderr)

    def test_page_makes_the_example_lesson(self):
        self.follow_page()
        example = SOURCE / "assets/examples/echo"
        self.assertEqual(*({file.name: file.read_bytes() for file in folder.iterdir()} for folder in (example, self.folder / "echo")))

    def test_question_is_answered_in_the_window(self):
        shutil.copytree(SOURCE / "assets/examples/echo", self.folder / "echo")
        self.assert_plays(["wait idle; click story.next; wait idle; click story.guess.2.2; click story.decide; wait idle; "
                           "expect predictions_decided 1; map decided.json"], "echo", "--lessons", "echo")
        self.assertIn("The first samples have no echo", (self.folder / "decided.json").read_text())

    def test_mistakes_are_reported_as_the_page_says(self):
        example = SOURCE / "assets/examples/echo"
        for header, rows in parse_tables(self.PAGE):
            if header[0] != "In":
                continue
            command = find_code(header[3])[0].split()
            for name, right, wrong, message in ([cell.strip("`") for cell in row] for row in rows):
                with self.subTest(name, wrong=wrong):
                    lesson = shutil.copytree(example, self.folder / "echo")
                    text = (lesson / name).read_text()
                    self.assertIn(right, text)
                    (lesson / name).write_text(text.replace(right, wrong, 1))
                    result = self.run_program(*command, "echo", code=1)
                    self.assertTrue(message)
                    self.assertIn(message, result.stdout + result.stderr)
                shutil.rmtree(self.folder / "echo")


class Snippets(Case):
    """What other tests do not run: the kernel of "Lessons in C++", the functions of "Expressions"."""

    def test_the_kernel_of_a_lesson_compiles(self):
        kernel = code_blocks((MANUAL / "cpp_lessons.md").read_text(), "glsl")[0]
        shutil.copytree(SOURCE / "shaders/common", self.folder / "shaders/common")
        (self.folder / "shaders/my_lesson").mkdir()
        self.write("shaders/my_lesson/per_element.comp", kernel)
        tool = pathlib.Path(GRIDSTRIDE).parent / "gridstride_compile_kernels"
        self.run_program("shaders", "kernels", program=tool, code=0)
        self.assertTrue((self.folder / "kernels/my_lesson/per_element.f32.spv").exists())

    def test_functions_of_expressions(self):
        """The tables list the functions that the program names where there is no such function."""
        lesson = shutil.copytree(SOURCE / "assets/examples/echo", self.folder / "echo")
        text = (lesson / "lesson.toml").read_text()
        (lesson / "lesson.toml").write_text(text.replace("shift(", "no_function("))
        listed = re.search(r"Available functions: (.*)\.$", self.run_program("lesson", "check", "echo", code=1).stdout, re.M)[1]
        page = (MANUAL / "expressions.md").read_text()
        rows = find_table("Function", page) + find_table("Function that generates data", page)
        self.assertEqual({usage.partition("(")[0] for row in rows for usage in find_code(row[0])}, set(listed.split(", ")))


class Scripts(unittest.TestCase):
    """The page about scripts agrees with the source."""

    PAGE = (MANUAL / "scripts.md").read_text()

    def test_steps(self):
        words = re.findall(r'^    {"(\w+)", StepKind::', read_source("src/ui/drive/script_steps.cpp"), re.M)
        rows = [rows for header, rows in parse_tables(self.PAGE) if header[:2] == ["Step", "Members, unit and default"]][0]
        self.assertEqual({find_code(row[0])[0] for row in rows}, set(words))
        for row in rows:
            self.assertIn(find_code(row[0])[0], json.loads(find_code(row[3])[0]))

    def test_state(self):
        body = re.search(r"json Desktop::state\(\) const {.*?^}", read_source("src/ui/desktop/desktop.cpp"), re.S | re.M)[0]
        declared = re.findall(r'^ +{"(\w+)",|state\["(\w+)"\]', body, re.M)
        named = [name for row in find_table("Member", self.PAGE) for name in find_code(row[0])]
        self.assertEqual(sorted(named), sorted({one or other for one, other in declared}))


class Peers(unittest.TestCase):
    def test_options_and_tasks(self):
        page = (MANUAL / "peers.md").read_text()
        declared = re.findall(r'add_argument\("(--[a-z-]+)"', read_source("tests/peers/peers.py"))
        self.assertEqual(sorted(find_code(row[0])[0] for row in find_table("Option", page)), sorted(declared))
        listed = subprocess.run([sys.executable, "-c", "import tasks; print(*[task.id for task in tasks.TASKS])"],
                                cwd=SOURCE / "tests/peers", capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(sorted(name for row in find_table("Task", page) for name in find_code(row[0])), sorted(listed))


class Commits(unittest.TestCase):
    """tests/commits.py warns about what CONTRIBUTING.md asks."""

    def warnings(self, *messages):
        with tempfile.TemporaryDirectory() as folder:
            def git(*words):
                subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b.c", *words], cwd=folder, check=True,
                               capture_output=True)

            git("init")
            for message in messages:
                git("commit", "--allow-empty", "--message", message)
            script = SOURCE / "tests/commits.py"
            return subprocess.run([sys.executable, script], cwd=folder, capture_output=True, text=True, check=True).stdout

    @unittest.skipUnless(shutil.which("git"), "git is not installed")
    def test_each_rule(self):
        why = "\n\nIt took 3 s, and takes 1 s."
        for subject in ("Speed up the judge", "Pass the limits on", "Bring back µs in tables", "Need less memory", "A" * 72):
            self.assertEqual(self.warnings(subject + why), "", subject)
        for message, expected in (("A" * 73 + why, "73 characters"), ("Add a page." + why, "full stop"),
                                  ("Adds a page" + why, "imperative"), ("Added a page" + why, "imperative"),
                                  ("Adding a page" + why, "imperative"), ("add a page" + why, "imperative"),
                                  ("Add a page", "no body"), ("Add a page\n\n" + "b" * 73, "73 characters")):
            self.assertIn(expected, self.warnings(message), message)
        self.assertEqual(self.warnings("Added a page", *["Add a page" + why] * 20), "", "only the last 20 commits are checked")


if __name__ == "__main__":
    unittest.main(verbosity=2)
