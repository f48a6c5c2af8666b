"""The manual: its tables name what the program has, no more and no less, and its commands and snippets work as they stand
there. The keys of the window are compared in tests/ui/help_test.cpp; the snippets of C++ are built (tests/CMakeLists.txt)."""

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

from program import FULL, GRIDSTRIDE, PATIENCE, Case, rows_in

SOURCE = pathlib.Path(__file__).resolve().parents[2]
MANUAL = SOURCE / "assets/manual"
PAGE = (MANUAL / "command_line.md").read_text()


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split(" |")]


def tables(page):
    """[(header, rows)], cells as they are written."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", re.sub(r"^```.*?^```$", "", page, flags=re.M | re.S), re.M):
        lines = block.splitlines()
        found.append((cells_of(lines[0]), [cells_of(line) for line in lines[2:]]))
    return found


def table(first, page=PAGE):
    """The rows of the table whose first heading is this."""
    rows = [rows for header, rows in tables(page) if header[0] == first]
    assert len(rows) == 1, first
    return rows[0]


def code_in(cell):
    return re.findall(r"`([^`]+)`", cell)


def names_in(first):
    """What the table's first column names, in order."""
    return [name for row in table(first) for name in code_in(row[0])]


def code_blocks(page, word=""):
    return re.findall(rf"^```{word}\n(.*?)^```$", page, re.M | re.S)


def source(path):
    return (SOURCE / path).read_text()


class Tables(unittest.TestCase):
    """Against the declarations in the source."""

    def test_exit_codes(self):
        declared = re.findall(r"^    exit_\w+\s*=\s*(\d)", source("app/commands.h"), re.M)
        self.assertEqual([row[0] for row in table("Exit code")], declared)

    def test_statuses_and_their_exit_codes(self):
        codes = dict(re.findall(r"^    (exit_\w+)\s*=\s*(\d)", source("app/commands.h"), re.M))
        names = re.findall(r'"(\w+)"', re.search(r"name\(Status status\).*?;", source("src/lesson/report.cpp"), re.S)[0])
        body = re.search(r"int exit_code_for\(.*?^}", source("app/run_setup.cpp"), re.S | re.M)[0]
        by_status, open_cases = {}, []
        for case, other, code in re.findall(r"case Status::(\w+)|(default):|return (exit_\w+)", body):
            if case:
                open_cases.append(case)
            elif other:
                open_cases = [name for name in names if name not in by_status]
            else:
                by_status |= {name: codes[code] for name in open_cases}
                open_cases = []
        self.assertEqual({code_in(row[0])[0]: row[1] for row in table("Status")}, by_status)
        self.assertEqual(names_in("Status"), sorted(names, key=names_in("Status").index))

    def test_findings(self):
        names = re.search(r'"race",.*?}', source("src/trace/finding.cpp"), re.S)[0]
        self.assertEqual(names_in("Finding"), re.findall(r'"(\w+)"', names))

    def test_variables_of_the_environment(self):
        files = [file for folder in ("src", "app") for file in (SOURCE / folder).rglob("*.cpp")]
        read = {name for file in files for name in re.findall(r'getenv\("(GRIDSTRIDE_\w+)"\)', file.read_text())}
        self.assertEqual({name for name in names_in("Variable") if name.startswith("GRIDSTRIDE_")}, read)

    def test_every_page_is_named_by_readme(self):
        readme = source("README.md")
        for file in MANUAL.glob("*.md"):
            self.assertIn(f"assets/manual/{file.name}", readme)

    def test_links_lead_to_pages_and_headings(self):
        for file in [*MANUAL.glob("*.md"), SOURCE / "README.md", SOURCE / "CONTRIBUTING.md"]:
            for target in re.findall(r"\]\(([^)]+)\)", re.sub(r"^````?.*?^````?$", "", file.read_text(), flags=re.M | re.S)):
                path, _, heading = target.partition("#")
                if path.startswith("http") or target in ("term",) or target.startswith("term:"):
                    continue
                with self.subTest(file=file.name, target=target):
                    there = file.parent / path if path else file
                    self.assertTrue(there.exists())
                    if heading:
                        headings = re.findall(r"^#+ (.*)$", there.read_text(), re.M)
                        self.assertIn(heading, [re.sub(r"[^a-z0-9 -]", "", one.lower()).replace(" ", "-") for one in headings])


class Options(Case):
    def help_of(self, command):
        """Without the parameters of lessons, which their declarations make."""
        text = self.run_program(*([] if command == "window" else [command]), "--help").stdout
        return text.split("\nParameters of ")[0]

    def test_commands_and_options_are_those_of_the_program(self):
        commands = re.findall(r"^  (\w+)  ", self.help_of("window").split("Subcommands:")[1], re.M)
        named = [name.split()[1] for name in names_in("Command")]
        self.assertEqual(set(named), {"[LESSON]", *commands})
        documented = {command: set() for command in ("window", *commands)}
        defaults = {}
        for row in table("Option"):
            option = code_in(row[0])[0]
            where = documented if row[1] == "all" else row[1].split(", ")
            default = re.search(r"default `([^`]+)`", row[2])
            for command in where:
                documented[command].add(option)
                defaults[command, option] = default[1] if default else None
        for command, options in documented.items():
            text = self.help_of(command)
            declared = set(re.findall(r"^  (?:-h,)?(--[a-z][a-z-]*)", text, re.M))
            with self.subTest(command):
                self.assertEqual(options, declared)
            for option in options & declared:
                shown = re.search(rf"^  {option} [^ \n]*=(\S+)", text, re.M)
                with self.subTest(command, option=option):
                    self.assertEqual(defaults[command, option], shown[1] if shown else None)

    def test_a_lessons_own_parameters_are_options(self):
        text = self.run_program("run", "reduction", "--help").stdout
        lessons = self.json_of("list")["lessons"]
        parameters = next(lesson["parameters"] for lesson in lessons if lesson["id"] == "reduction")
        for parameter in parameters:
            self.assertIn("--" + parameter["id"].replace("_", "-"), text)
        memory = {lesson["id"] for lesson in lessons for one in lesson["parameters"]
                  if one["flag"] == "--memory" and one["unit"] == "bytes"}
        self.assertEqual(memory, {"tensor_graph", "playground"})

    # Those of a window need one; a sweep that is not noisy, millions of elements and all questions need time: tests of
    # their own have them.
    no_example = {"--ui-map", "--frame-log", "--tuned", "--full"}
    ways_to_start = {
        "run": ("run", "reduction", "--elements", "1000"),
        "inspect": ("inspect", "reduction", "--elements", "1000"),
        "screenshot": ("screenshot", "reduction", "--size", "640x400"),
        "devices": ("devices",), "list": ("list",), "progress": ("progress",), "compare": ("compare", "a.csv", "a.csv"),
        "window": (),
    }

    def write_files_of_the_examples(self):
        self.write("data.csv", "value\n1\n2\n3\n")
        with wave.open(str(self.folder / "sound.wav"), "wb") as sound:
            sound.setparams((2, 2, 8000, 0, "NONE", ""))
            sound.writeframes(b"\1\0\2\0" * 400)
        self.write("mine.comp", self.run_program("run", "reduction", "--print-kernel").stdout)
        self.write("script.json", '[{"expect":{"page":"lesson"}}]')
        self.run_program("run", "reduction", "--elements", 1000, "--samples", 3, "--csv", "a.csv")

    def test_each_example_is_accepted(self):
        self.write_files_of_the_examples()
        for option, commands, _, _, example in table("Option"):
            option, words = code_in(option)[0], code_in(example)[0].split()
            self.assertIn(option, words)
            if option in self.no_example:
                continue
            named = list(self.ways_to_start) if commands == "all" else commands.split(", ")
            command = next(one for one in self.ways_to_start if one in named and (one != "window" or named == ["window"]))
            start = list(self.ways_to_start[command])
            if "sound.wav" in words:
                start = [command, "zero_suppression"]
            if option == "--size":
                start = start[:2]
            if command == "screenshot" and option != "--output":
                start += ["--output", "window.png"]
            if command == "run" and option != "--samples":
                start += ["--samples", "1"]
            with self.subTest(" ".join(start + words)):
                self.run_program(*start, *words, code=0)


    def test_other_values_of_a_choice_are_refused(self):
        self.write_files_of_the_examples()
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


def keys_in(value, path=""):
    """Every key, such as "cells[].values"."""
    found = set()
    if isinstance(value, dict):
        for key, inner in value.items():
            place = f"{path}.{key}" if path else key
            found |= {place} | keys_in(inner, place)
    elif isinstance(value, list):
        for inner in value:
            found |= keys_in(inner, path + "[]")
    return found


def pattern_of(key):
    return re.escape(key).replace("NAME", r"[a-z0-9_]+(?:\([^)]*\))?")


class Json(Case):
    """Every key of the reports is on the page, and every key of the page in a report."""

    OPAQUE = re.compile(r"predictions\[\]\.outcome\.")

    def documented(self, document):
        objects = {}
        for row in table("Object and key"):
            for key in code_in(row[0]):
                name, _, rest = key.partition(".")
                objects.setdefault(name, []).append((rest, row[1]))

        def add(keys, place, types):
            keys.add(place)
            for name in objects:
                if re.search(rf"`{name}`", types):
                    inner = place + ("[]" if "array of" in types else "")
                    for rest, inner_types in objects[name]:
                        add(keys, f"{inner}.{rest}", inner_types)

        keys = set()
        for row in table(f"Key of {document}"):
            names, types = code_in(row[0]), row[1].split("; ")
            for i, name in enumerate(names):
                add(keys, name, types[i] if len(types) == len(names) else row[1] if len(types) == 1 else "")
        return keys

    def compare(self, document, *reports):
        documented = self.documented(document)
        found = {key for key in set().union(*map(keys_in, reports)) if not self.OPAQUE.search(key)}
        as_pattern = re.compile("|".join(sorted((pattern_of(key) for key in documented), key=len, reverse=True)))
        self.assertEqual(sorted(key for key in found if not as_pattern.fullmatch(key)), [], "not on the page")
        missing = [key for key in documented if not any(re.fullmatch(pattern_of(key), one) for one in found)]
        self.assertEqual(sorted(missing), [], "not in any report")

    def kernel_that_leaves_most_unwritten(self):
        """The options of `run` and `inspect` for it."""
        kernel = self.run_program("run", "gaussian", "--variant", "per_element", "--print-kernel").stdout
        early = kernel.replace("void main() {", "void main() { if (gl_GlobalInvocationID.x > 3u) return;")
        self.write("mine.comp", early)
        return "gaussian", "--variant", "per_element", "--kernel", "mine.comp", "--elements", 1000

    def test_run(self):
        self.json_of("devices", "--measure")
        good = self.json_of("run", "monte_carlo_pi", "--samples", 2)
        self.write("data.csv", "1\n2\n")
        file = self.json_of("run", "histogram", "--input", "data.csv", "--samples", 1)
        kernel = self.kernel_that_leaves_most_unwritten()
        unwritten = self.json_of("run", *kernel, "--samples", 1, code=1)
        wrong = self.json_of("run", "reduction", "--barriers", "one_missing", "--samples", 1)
        self.write("mine.comp", "#version 450\nvoid main() { float x = 1 +; }\n")
        broken = self.json_of("run", *kernel, code=4)
        self.compare("run", good, file, unwritten, wrong, broken)
        self.assertIsInstance(self.json_of("run", "grid_stride", "--variant", "all", "--samples", 1), list)
        cold = self.json_of("run", "reduction", "--samples", 1, "--cache", "cold", "--unbatched")
        self.assertEqual((cold["cache"], cold["timings"]["unbatched"], cold["timings"]["kernel_repeats"]), ("cold", True, 1))
        self.assertGreater(cold["cache_copies"], 1)
        waiting, wall = (good["timings"][part]["samples"] for part in ("waiting_ns", "wall_ns"))
        self.assertTrue(all(0 <= some <= whole for some, whole in zip(waiting, wall)), "of a thread in that run")

    def test_inspect_and_the_columns_of_the_trace(self):
        report = self.json_of("inspect", "reduction", "--barriers", "one_missing", "--trace", "records.csv", code=1)
        file = self.json_of("inspect", *self.kernel_that_leaves_most_unwritten(), code=1)
        self.compare("inspect", report, file)
        header = (self.folder / "records.csv").read_text().splitlines()[0]
        self.assertEqual(names_in("Column of the trace"), header.split(","))

    def test_sweep_and_compare(self):
        report = self.json_of("sweep", "reduction", "--workgroup-size", "32,33", "--samples", 8, "--csv", "a.csv")
        tied = {**report, "best": {**report["best"], "ties": [report["cells"][0]]}}
        tied["best"]["ties"] = [{key: report["cells"][0][key] for key in ("variant", "values")}]
        self.compare("sweep", tied)
        self.compare("compare", self.json_of("compare", "a.csv", "a.csv"))

    def test_make(self):
        self.write("mine.comp", self.run_program("make", "thread_index").stdout)
        failed = self.json_of("make", "thread_index", "--kernel", "mine.comp", code=1)
        for requirement in failed["requirements"]:
            requirement["refused_cases"].append({"values": {"n": "1"}, "reason": ""})
        failed["problem"] = ""
        self.compare("make", failed)

    def test_list_devices_and_doctor(self):
        self.compare("list", self.json_of("list"))
        self.compare("devices", self.json_of("devices", "--measure"))
        self.compare("doctor", self.json_of("doctor"))

    def test_recorded_answers(self):
        self.compare("record", *[json.loads(file.read_text()) for file in (SOURCE / "assets/recorded").glob("*.json")])

    def test_progress(self):
        step = re.search(r"<!-- id: (\w+) -->", source("lessons/reduction/story.en.md"))[1]
        at = {"device": "d", "lesson": "reduction", "id": step}
        kernel = {"lesson": "reduction", "variant": "tree_sequential", "name": "k.comp", "folder": "", "text": "x", "path": "",
                  "saved_text": "", "last_good": {"name": "k.comp", "folder": "", "text": "y"}}
        self.write(
            "in.json",
            json.dumps(
                {
                    "kind": "gridstride progress", "schema_version": 3, "device": "d", "lesson": at["lesson"], "seen": [at],
                    "left": [{**at, "at_end": True}], "predictions": [], "made": [{**at, "id": "maximum_place"}],
                    "kernels": [kernel]}))
        self.run_program("progress", "--import", "in.json", code=0)
        self.assertEqual(self.run_program("progress", "--export", "out.json").returncode, 0)
        file = self.json_in("out.json")
        # An answer is kept where it fits its question, so that none can be written here: as the source declares them.
        declared = source("src/progress/story_progress.cpp") + source("src/session/progress_file.cpp")
        names = set(re.findall(r'json\["(\w+)"\] = ', declared)) - set(file) | set(at)
        file["predictions"] = [dict.fromkeys(names)]
        self.compare("progress", file)


class Csv(Case):
    def row(self, *arguments):
        result = self.run_program("run", *arguments, "--samples", 1, "--csv", "-")
        return rows_in(result.stdout)[0]

    def test_columns(self):
        row = self.row("reduction", "--cache", "cold", "--unbatched")
        self.assertEqual(names_in("Column"), list(row))
        settings = dict(one.split("=") for one in row["parameters"].split(";"))
        self.assertEqual((settings["cache"], settings["batch"]), ("cold", "1"))
        self.assertEqual(row["sample"], "0")
        self.assertIn(row["is_cpu_device"], ("true", "false"))
        self.assertRegex(row["timestamp_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

    def test_the_checksum_is_what_numpy_and_zlib_say(self):
        import numpy

        x = numpy.array([1, 2.5, 1 / 3, -7, 1e10])
        numpy.save(self.folder / "x.npy", x)
        formula = re.search(r"`(zlib\.crc32\([^`]*)`", PAGE)[1]
        expected = eval(formula, {"zlib": zlib, "numpy": numpy, "x": x})
        result = self.run_program("run", "histogram", "--input", "x.npy", "--samples", 1, "--json")
        self.assertEqual(int(json.loads(result.stdout)["input"]["crc32"], 16), expected, result.stderr)


class Commands(Case):
    """The lines of plain blocks that begin with the program's name, page by page in their order, by a shell."""

    # What installs, builds, opens a window, takes an hour, or belongs to a lesson that is not there.
    left_alone = re.compile(r"\./run( *#.*|  .*)?$|\./run (doctor|my_lesson|run my_lesson|check|reduction)")
    # Each takes samples until the medians have settled; tests of their own try such commands.
    slow = re.compile(r".*(--variant all|make reduction --kernel|sweep reduction --workgroup-size 32)")

    def run_commands_of(self, file):
        page = file.read_text()
        (self.folder / "bin").mkdir(exist_ok=True)
        for name in ("bin/gridstride", "run"):
            if not (self.folder / name).exists():
                (self.folder / name).symlink_to(GRIDSTRIDE)
        for word, name in (("glsl", "mine.comp"), ("json", "script.json"), ("playground", "mine.playground")):
            for text in code_blocks(page, word):
                self.write(name, text)
        if not (self.folder / "assets").exists():
            (self.folder / "assets").symlink_to(SOURCE / "assets")
        environment = {**self.environment, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}"}
        lines = [line for block in code_blocks(page) for line in block.splitlines()]
        lines = [line for line in lines if re.match(r"gridstride |\./run\b", line) and not self.left_alone.match(line)
                 and (FULL or not self.slow.match(line))]
        for line in lines:
            with self.subTest(page=file.name, line=line):
                result = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=PATIENCE, env=environment,
                                        cwd=self.folder)
                self.assertEqual(result.returncode, 1 if "exit code 1" in line else 0, result.stderr)
        return len(lines)

    def test_each_is_run_as_it_stands_there(self):
        count = 0
        for file in [SOURCE / "README.md", SOURCE / "CONTRIBUTING.md", *sorted(MANUAL.glob("*.md"))]:
            count += self.run_commands_of(file)
        self.assertGreaterEqual(count, 4)
        rows = self.rows("out.csv")
        cells = {(row["variant"], row["workgroup_size"], row["elements"]) for row in rows}
        self.assertEqual(len(cells), 2 * 3 * 2, "as the page says of its sweep")


class Snippets(Case):
    """Those of GLSL in "Writing a lesson"; those of the other pages are run by their commands."""

    def test_the_kernel_of_a_lesson_compiles(self):
        kernel = code_blocks((MANUAL / "writing_a_lesson.md").read_text(), "glsl")[0]
        shutil.copytree(SOURCE / "shaders/common", self.folder / "shaders/common")
        (self.folder / "shaders/my_lesson").mkdir()
        self.write("shaders/my_lesson/per_element.comp", kernel)
        tool = pathlib.Path(GRIDSTRIDE).parent / "gridstride_compile_kernels"
        self.run_program("shaders", "kernels", program=tool, code=0)
        self.assertTrue((self.folder / "kernels/my_lesson/per_element.f32.spv").exists())

    def test_the_kernel_of_a_graph_runs(self):
        kernel = code_blocks((MANUAL / "writing_a_lesson.md").read_text(), "glsl")[1]
        self.write("roots.playground", 
            "gridstride playground 1\nmodel text\ntensor a n fill ramp\nshare a with pair\nmodel pair\nuse text.a\n"
            f"kernel roots reads text.a writes root n {{\n{kernel}}}\nexpect root = sqrt(text.a) within 1e-6\n")
        self.run_program("playground", "roots.playground", code=0)


class Scripts(unittest.TestCase):
    """The page of scripts, against the source."""

    PAGE = (MANUAL / "scripts.md").read_text()

    def test_steps(self):
        words = re.findall(r'^    {"(\w+)", StepKind::', source("src/ui/drive/script_steps.cpp"), re.M)
        rows = [rows for header, rows in tables(self.PAGE) if header[:2] == ["Step", "Members, unit and default"]][0]
        self.assertEqual({code_in(row[0])[0] for row in rows}, set(words))
        for row in rows:
            self.assertIn(code_in(row[0])[0], json.loads(code_in(row[3])[0]))

    def test_state(self):
        body = re.search(r"json Desktop::state\(\) const {.*?^}", source("src/ui/desktop/desktop.cpp"), re.S | re.M)[0]
        declared = re.findall(r'^ +{"(\w+)",|state\["(\w+)"\]', body, re.M)
        named = [name for row in table("Member", self.PAGE) for name in code_in(row[0])]
        self.assertEqual(sorted(named), sorted({one or other for one, other in declared}))


class Peers(unittest.TestCase):
    def test_options_and_tasks(self):
        page = (MANUAL / "peers.md").read_text()
        declared = re.findall(r'add_argument\("(--[a-z-]+)"', source("tests/peers/peers.py"))
        self.assertEqual(sorted(code_in(row[0])[0] for row in table("Option", page)), sorted(declared))
        listed = subprocess.run([sys.executable, "-c", "import tasks; print(*[task.id for task in tasks.TASKS])"],
                                cwd=SOURCE / "tests/peers", capture_output=True, text=True, check=True).stdout.split()
        self.assertEqual(sorted(name for row in table("Task", page) for name in code_in(row[0])), sorted(listed))


class Commits(unittest.TestCase):
    """What ./check warns of, as CONTRIBUTING says."""

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

    @unittest.skipUnless(shutil.which("git"), "There is no git.")
    def test_each_rule(self):
        why = "\n\nIt took 3 s, and takes 1 s."
        for subject in ("Speed up the judge", "Pass the limits on", "Bring back µs in tables", "Need less memory", "A" * 72):
            self.assertEqual(self.warnings(subject + why), "", subject)
        for message, expected in (("A" * 73 + why, "73 characters"), ("Add a page." + why, "full stop"),
                                  ("Adds a page" + why, "imperative"), ("Added a page" + why, "imperative"),
                                  ("Adding a page" + why, "imperative"), ("add a page" + why, "imperative"),
                                  ("Add a page", "no body"), ("Add a page\n\n" + "b" * 73, "73 characters")):
            self.assertIn(expected, self.warnings(message), message)
        self.assertEqual(self.warnings("Added a page", *["Add a page" + why] * 20), "", "the last 20 alone")


if __name__ == "__main__":
    unittest.main(verbosity=2)
