"""The manual's page of the command line, sentence by sentence: its commands are run as they stand there, and each sentence
has a test that shows it (manual_claims.txt says which)."""

import csv
import io
import json
import pathlib
import re
import shlex
import unittest
import zlib

from program import CSV_COLUMNS, Case

TESTS = pathlib.Path(__file__).resolve().parents[1]
PAGE = (TESTS.parent / "assets/manual/command_line.md").read_text()
CLAIMS = pathlib.Path(__file__).with_name("manual_claims.txt").read_text()


def claims_of(page):
    """Sentences, rows of tables and lines of code, in order."""
    found, paragraph, code = [], [], False

    def end():
        if paragraph:
            found.extend(re.split(r"(?<=[.:!?]) (?=[A-Z`*(])", " ".join(paragraph)))
            paragraph.clear()

    for line in page.splitlines():
        if line.startswith("```"):
            end()
            code = not code
        elif code or line.startswith(("|", "#")):
            end()
            if line.strip() and not re.fullmatch(r"[| -]+", line):
                found.append(" ".join(line.split()))
        elif not line.strip():
            end()
        else:
            if line.startswith("- "):
                end()
            paragraph.append(line.removeprefix("- ").strip())
    end()
    return found


def shown_claims():
    """{claim: who shows it}, from lines "FILE NAME… + FILE NAME…" with the claims indented under them."""
    shown, who = {}, None
    for line in CLAIMS.splitlines():
        if line.startswith("    "):
            shown[line.strip()] = who
        elif line.strip() and not line.startswith("#"):
            who = line.strip()
    return shown


def code_blocks(page):
    return re.findall(r"^```\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


class Sentences(unittest.TestCase):
    def test_each_has_a_test_that_shows_it(self):
        page, shown = claims_of(PAGE), shown_claims()
        new = [claim for claim in page if claim not in shown]
        gone = [claim for claim in shown if claim not in page]
        self.assertEqual(new, [], "new or changed: name in manual_claims.txt the test that shows it")
        self.assertEqual(gone, [], "no longer on the page: take it out of manual_claims.txt")

    def test_the_tests_that_are_named_exist(self):
        for who in sorted(set(shown_claims().values())):
            if who == "nothing":
                continue
            for place in who.split(" + "):
                file, *names = place.split()
                text = (TESTS / file).read_text()
                for name in names:
                    with self.subTest(place):
                        self.assertRegex(text, rf"def {name}\(|{name.replace('.', ', ')}\)")


class Synopsis(Case):
    def synopsis(self):
        """{command: flags that the page names}; "" is the desktop."""
        flags, command = {}, None
        for line in code_blocks(PAGE)[0].splitlines():
            if line.startswith("gridstride"):
                word = line.split()[1]
                command = word if word.islower() else ""
                flags[command] = set()
            flags[command] |= set(re.findall(r"--[a-z][a-z-]*", line))
        return flags

    def test_every_command_and_flag_is_one_of_the_programs(self):
        found = self.synopsis()
        self.assertEqual(set(found), {"", "list", "devices", "doctor", "run", "sweep", "compare", "check", "screenshot",
                                      "progress", "record", "inspect", "make", "playground"})
        for command, flags in found.items():
            help_text = self.run_program(*([command] if command else []), "--help").stdout
            known = set(re.findall(r"--[a-z][a-z-]*", help_text))
            with self.subTest(command):
                self.assertEqual(flags - known, set())

    def test_a_lessons_own_flags_have_ranges(self):
        text = self.run_program("run", "reduction", "--help").stdout
        for lesson in json.loads(self.run_program("list", "--json").stdout)["lessons"]:
            if lesson["id"] != "reduction":
                continue
            for parameter in lesson["parameters"]:
                self.assertIn("--" + parameter["id"].replace("_", "-"), text)
        self.assertRegex(text, r"1 to 1073741824")

    def test_screenshot_and_choices_of_the_synopsis(self):
        for flag, good, bad in (("--theme", "light", "grey"), ("--cache", "cold", "hot"), ("--samples", "auto", "many"),
                                ("--column", "wall_ns", "colour")):
            command = {"--theme": ("screenshot", "reduction", "--output", "a.png"), "--column": ("compare", "a.csv", "a.csv")}
            words = command.get(flag, ("run", "reduction", "--elements", 1000))
            if flag == "--column":
                self.run_program("run", "reduction", "--samples", 3, "--csv", "a.csv")
            with self.subTest(flag):
                self.assertEqual(self.run_program(*words, flag, good).returncode, 0)
                self.assertEqual(self.run_program(*words, flag, bad).returncode, 2)

    def test_saved_arrays_and_results_alone_on_stdout(self):
        result = self.run_program("run", "reduction", "--samples", 1, "--save-input", "i.npy", "--save-output", "o.npy",
                                  "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        json.loads(result.stdout)
        for name in ("i.npy", "o.npy"):
            self.assertTrue((self.folder / name).read_bytes().startswith(b"\x93NUMPY"))


class Commands(Case):
    def test_each_is_run_as_it_stands_there(self):
        commands = [line for block in code_blocks(PAGE)[1:] for line in block.splitlines()]
        self.assertGreaterEqual(len(commands), 1)
        for line in commands:
            words = shlex.split(line)
            self.assertIn(words[0], ("gridstride", "./run"), line)
            with self.subTest(line):
                result = self.run_program(*words[1:])
                self.assertEqual(result.returncode, 0, result.stderr)
        rows = list(csv.DictReader(io.StringIO((self.folder / "out.csv").read_text())))
        cells = {(row["variant"], row["workgroup_size"], row["elements"]) for row in rows}
        self.assertEqual(len(cells), 2 * 3 * 2)
        self.assertIn("advice", result.stdout)


class Reports(Case):
    def report(self, *arguments):
        result = self.run_program("run", "reduction", "--samples", 2, "--json", *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return json.loads(result.stdout)

    def test_every_key_of_the_page_is_there(self):
        report = self.report()
        rows = PAGE.split("| Key | |")[1].split("\n\n")[0]
        for cell in re.findall(r"^\| (.*?) \|", rows, re.MULTILINE):
            for key in re.findall(r"`([a-z_.]+)`", cell):
                value = report
                for part in key.split("."):
                    self.assertIn(part, value, key)
                    value = value[part]
        self.assertIsNone(report["input"])
        self.assertIsNone(report["kernel"])
        self.assertEqual(report["diagnostics"], [])
        self.assertEqual(report["cache"], "warm")
        self.assertFalse(report["timings"]["unbatched"])
        self.assertEqual(report["launch"]["workgroup"], "128")
        for key in ("lesson", "variant", "parameters", "device", "status", "message", "result", "compare", "timings",
                    "launch", "bytes_moved", "bytes_per_second", "fraction_of_copy_ceiling"):
            self.assertIn(key, report)
        for part in ("upload_ns", "kernel_ns", "download_ns", "wall_ns"):
            self.assertLessEqual({"median", "p5", "p95", "samples"}, set(report["timings"][part]))
        waiting, wall = (report["timings"][part]["samples"] for part in ("waiting_ns", "wall_ns"))
        self.assertEqual(len(waiting), len(wall))
        self.assertTrue(all(0 <= some <= whole for some, whole in zip(waiting, wall)), "of a thread in that run")
        self.assertIsInstance(self.report("--variant", "all"), list)

    def test_cold_and_unbatched_are_told(self):
        report = self.report("--cache", "cold", "--unbatched")
        self.assertEqual(report["cache"], "cold")
        self.assertGreater(report["cache_copies"], 1)
        self.assertTrue(report["timings"]["unbatched"])
        self.assertEqual(report["timings"]["kernel_repeats"], 1)


class Csv(Case):
    def test_the_columns_are_those_of_the_page_in_its_order(self):
        table = PAGE.split("| Column | |")[1].split("\n\n")[0]
        named = [name for cell in re.findall(r"^\| (`.*?`) \|", table, re.MULTILINE) for name in re.findall("`(.*?)`", cell)]
        self.assertEqual(named, CSV_COLUMNS)

    def test_settings_that_differ_are_told_apart(self):
        result = self.run_program("run", "reduction", "--samples", 1, "--cache", "cold", "--unbatched", "--csv", "-")
        row = next(csv.DictReader(io.StringIO(result.stdout, newline="")))
        settings = dict(one.split("=") for one in row["parameters"].split(";"))
        self.assertEqual((settings["cache"], settings["batch"]), ("cold", "1"))
        self.assertEqual(row["sample"], "0")
        self.assertIn(row["is_cpu_device"], ("true", "false"))
        self.assertRegex(row["timestamp_utc"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

    def test_the_checksum_is_what_numpy_and_zlib_say(self):
        import numpy

        x = numpy.array([1, 2.5, 1 / 3, -7, 1e10])
        numpy.save(self.folder / "x.npy", x)
        formula = next(claim for claim in claims_of(PAGE) if claim.startswith("`zlib.crc32(")).strip("`.")
        expected = eval(formula, {"zlib": zlib, "numpy": numpy, "x": x})
        result = self.run_program("run", "histogram", "--input", "x.npy", "--samples", 1, "--json")
        self.assertEqual(int(json.loads(result.stdout)["input"]["crc32"], 16), expected, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
