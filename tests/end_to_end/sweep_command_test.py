"""Sweeps and comparisons as their users and their scripts see them."""

import collections
import csv
import fcntl
import json
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import termios
import unittest

from program import CSV_COLUMNS, FULL, PATIENCE, Case, rows_in, wait_until

EIGHT_BY_EIGHT = ("sweep", "reduction", "--elements", "1000:8000:1000", "--workgroup-size", "32:256:32", "--samples", 10)
AGAIN = 4 * 2  # runs of the four best cells, measured again in turn
TWO_BY_TWO = ("sweep", "reduction", "--elements", "1000,2000", "--workgroup-size", "32,64", "--samples", 10)
WHOLE = ("schema_version", "elements", "workgroup_size", "workgroup_count", "dispatches", "sample", "bytes_moved")
TIMES = ("upload_ns", "kernel_ns", "download_ns", "wall_ns", "cpu_ns")
# Long enough that nobody sees its end.
ENDLESS = ("sweep", "reduction", "--elements", "100000:400000:10000", "--workgroup-size", "32:256:32", "--samples", 100)


class Sweeps(Case):
    def refused(self, code, *arguments, says=()):
        result = self.run_program(*arguments, code=code)
        self.assertEqual(result.stdout, "")
        for words in says:
            self.assertIn(words, result.stderr)

    def german(self):
        """A locale whose decimal sign is a comma: the system's, or one made here; its name alone where neither is there."""
        environment = {"LC_ALL": "de_DE.UTF-8"}
        installed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower()
        if "de_de.utf" in installed:
            return environment
        if shutil.which("localedef") and pathlib.Path("/usr/share/i18n/locales/de_DE").exists():
            made = self.folder / "de_DE.UTF-8"
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(made)], capture_output=True)
            environment["LOCPATH"] = str(self.folder)
        return environment

    def check_types(self, rows):
        for row in rows:
            for column in WHOLE:
                self.assertRegex(row[column], r"^\d+$", column)
            for column in TIMES:
                self.assertRegex(row[column], r"^(\d+\.\d+)?$", column)
            self.assertGreater(float(row["kernel_ns"]), 0)
            self.assertIn(row["is_cpu_device"], ("true", "false"))
            self.assertEqual(row["status"], "ok")

    def test_eight_by_eight_cells_of_ten_samples_and_the_best_again_are_720_rows(self):
        result = self.run_program(*EIGHT_BY_EIGHT, "--csv", "c.csv", LC_ALL="C", code=0)
        rows = self.rows("c.csv")
        self.assertEqual(list(rows[0]), CSV_COLUMNS)
        self.assertEqual(len(rows), 10 * (64 + AGAIN))
        self.check_types(rows)
        cells = {(int(row["elements"]), int(row["workgroup_size"])) for row in rows}
        self.assertEqual(cells, {(n, w) for n in range(1000, 9000, 1000) for w in range(32, 257, 32)})
        self.assertEqual({int(row["sample"]) for row in rows}, set(range(10)))
        self.assertEqual(len({row["run_id"] for row in rows}), 64 + AGAIN)
        runs = collections.Counter((row["elements"], row["workgroup_size"]) for row in rows if row["sample"] == "0")
        self.assertEqual(sorted(runs.values()), [1] * 60 + [3] * 4, "the four best, three times each")
        self.assert_mentions(result.stdout, 3, "turn")
        self.assertIn("* ", result.stdout, "the best is marked")
        self.assertIn("128 to 512 invocations", result.stdout)
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [], "no temporary file is left")

    def test_a_comma_as_the_decimal_sign_of_the_locale_changes_nothing(self):
        self.run_program(*(EIGHT_BY_EIGHT if FULL else TWO_BY_TWO), "--csv", "de.csv", **self.german(), code=0)
        rows = self.rows("de.csv")
        self.assertEqual(len(rows), 10 * ((64 if FULL else 4) + AGAIN))
        self.check_types(rows)

    def test_pandas_reads_the_right_types(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        self.run_program(*TWO_BY_TWO, "--csv", "out.csv", **self.german())
        frame = pandas.read_csv(self.folder / "out.csv")
        self.assertEqual(len(frame), 10 * (4 + AGAIN))
        for column in WHOLE:
            self.assertEqual(frame[column].dtype.kind, "i", column)
        for column in TIMES:
            self.assertEqual(frame[column].dtype.kind, "f", column)
        self.assertEqual(frame["is_cpu_device"].dtype.kind, "b")

    def test_csv_on_stdout_is_nothing_else(self):
        result = self.run_program("sweep", "reduction", "--workgroup-size", "32,64", "--samples", 3, "--csv", "-")
        rows = rows_in(result.stdout)
        self.assertEqual([row["sample"] for row in rows], ["0", "1", "2"] * 2)

    def test_json_has_the_documented_shape(self):
        sweep = self.json_of("sweep", "reduction", "--variant", "tree_packed,grid_stride", "--workgroup-size", "64,128,4000", "--samples", 10)
        self.assertEqual(sweep["axes"], [{"parameter": "workgroup_size", "unit": "invocations", "values": [64, 128, 4000]}])
        self.assertEqual(len(sweep["cells"]), 3 * 2)
        for cell in sweep["cells"]:
            refused = cell["values"]["workgroup_size"] == 4000
            self.assertEqual(cell["status"], "refused" if refused else "ok")
            self.assertEqual(cell["message"] != "", refused)
            if not refused:
                self.assertEqual(cell["kernel_ns"]["samples"], 10 * cell["kernel_ns"]["runs"])
                self.assertLessEqual(cell["kernel_ns"]["p5"], cell["kernel_ns"]["median"])
        again = [cell for cell in sweep["cells"] if cell["kernel_ns"] and cell["kernel_ns"]["runs"] > 1]
        self.assertEqual([cell["kernel_ns"]["runs"] for cell in again], [3] * 4)
        self.assertGreaterEqual(sweep["drift"], 1)
        best = min(again, key=lambda cell: cell["kernel_ns"]["median"])
        self.assertEqual((sweep["best"]["variant"], sweep["best"]["values"]), (best["variant"], best["values"]))
        self.assertEqual(len(sweep["advice"]), 4)
        self.assertTrue(sweep["complete"])

    def test_refused_cells_are_rows_with_a_reason(self):
        result = self.run_program("sweep", "reduction", "--workgroup-size", "128,4000", "--samples", 2, "--csv", "out.csv",
                                  code=0)
        rows = self.rows("out.csv")
        refused = [row for row in rows if row["status"] == "refused"]
        self.assertEqual((len(rows), len(refused)), (3, 1))
        self.assertIn("4000", refused[0]["message"])
        self.assertEqual(refused[0]["kernel_ns"], "")
        self.assertIn("refused", result.stdout)

    def test_what_cannot_be_swept_says_why(self):
        sweep = ("sweep", "reduction")
        self.refused(2, *sweep, "--workgroup-size", "3000,4000", says=["3000", "4000", "1024"])
        self.refused(2, *sweep, "--elements", "1,2", "--workgroup-size", "32,64", "--seed", "1,2", says=["at most 2", "seed"])
        self.refused(2, *sweep, "--elements", "1:10000:1", says=["10000 values", "4096"])
        self.refused(2, *sweep, "--elements", "1:100:1", "--workgroup-size", "1:100:1", says=["10000 cells", "4096"])
        self.refused(2, *sweep, "--elements", "10:x2", says=["10:x2", "first:last:step"])
        self.refused(2, *sweep, "--element-type", "u32,f64", says=["f64", "u32 or f32"])
        self.refused(2, *sweep, "--samples", "none", says=["samples = none"])
        self.refused(2, *sweep, "--variant", "magic", says=["magic"])
        self.refused(2, *sweep, "--json", "--csv", "-", says=["--csv"])
        self.refused(2, "sweep", "alchemy", says=["alchemy"])
        self.refused(5, *sweep, "--workgroup-size", "32,64", "--csv", "/nonexistent/out.csv", says=["/nonexistent/out.csv"])

    def test_several_variants_are_named_with_commas(self):
        result = self.run_program("sweep", "reduction", "--variant", "subgroup,grid_stride", "--workgroup-size", "32,64",
                                  "--samples", 1, "--csv", "-", code=0)
        rows = rows_in(result.stdout)
        self.assertEqual({row["variant"] for row in rows}, {"grid_stride", "subgroup"})
        self.assertEqual(len(rows), 4)
        self.refused(2, "sweep", "reduction", "--variant", "subgroup,magic", "--workgroup-size", "32,64", says=["magic", "grid_stride"])

    def test_values_below_zero_can_be_swept(self):
        result = self.run_program("sweep", "gaussian", "--elements", 1000, "--mean", "-1:1:0.5", "--samples", 1, "--json",
                                  code=0)
        self.assertEqual(json.loads(result.stdout)["axes"][0]["values"], [-1, -0.5, 0, 0.5, 1])

    def test_a_wrong_answer_is_exit_code_1(self):
        sweep = self.json_of("sweep", "reduction", "--workgroup-size", "64,256", "--samples", 3,
                             program=self.program_that_adds_wrongly(), code=1)
        self.assertEqual([cell["status"] for cell in sweep["cells"]], ["mismatch"] * 2)
        self.assertIsNone(sweep["best"])

    def test_an_answer_that_is_wrong_on_purpose_is_no_failure_and_never_the_best(self):
        sweep = self.json_of("sweep", "histogram", "--variant", "race,atomic_shared", "--elements", 100_000,
                             "--workgroup-size", "64,256", "--samples", 3)
        self.assertEqual({(cell["variant"], cell["status"]) for cell in sweep["cells"]},
                         {("race", "wrong_on_purpose"), ("atomic_shared", "ok")})
        self.assertEqual(sweep["best"]["variant"], "atomic_shared")
        # Right by luck is not the best either.
        sweep = self.json_of("sweep", "reduction", "--elements", 65536, "--workgroup-size", "64,256", "--barriers",
                             "one_missing", "--samples", 3)
        self.assertLessEqual({cell["status"] for cell in sweep["cells"]}, {"ok", "wrong_on_purpose"})
        self.assertIsNone(sweep["best"])

    def test_ctrl_c_stops_it_and_keeps_the_rows(self):
        self.write("out.csv", "what was there before\n")
        process = self.start(*ENDLESS, "--csv", "out.csv", start_new_session=True)

        def measured():
            return sum(path.read_bytes().count(b"\n") for path in self.folder.glob(".gridstride-*.csv.tmp"))

        wait_until(lambda: measured() >= 400, "rows are on disk while the sweep runs")
        self.assertEqual((self.folder / "out.csv").read_text(), "what was there before\n")
        # As a terminal does it: to the whole group.
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, stderr)
        self.assertRegex(stderr, r"stopped after \d+ of 248 cells; their rows are kept")
        self.assertIn("not measured", stdout)
        rows = self.rows("out.csv")
        self.assertGreaterEqual(len(rows), 400)
        self.assertEqual({row["status"] for row in rows} - {"ok", "stopped"}, set())
        for row in rows:
            self.assertGreater(float(row["kernel_ns"]), 0)
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [])

    def test_a_sweep_that_measured_nothing_leaves_the_file_that_was_there(self):
        self.write("out.csv", "what was there before\n")
        process = self.start("sweep", "reduction", "--elements", "90000000,100000000", "--variant", "tree_interleaved",
                             "--csv", "out.csv")
        wait_until(lambda: list(self.folder.glob(".gridstride-*.csv.tmp")), "the sweep has begun")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, stderr)
        self.assert_mentions(stderr, 0, 2)
        self.assertEqual((self.folder / "out.csv").read_text(), "what was there before\n")
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [])

    def test_a_terminal_sees_progress_before_the_first_cell_is_measured(self):
        try:
            primary, secondary = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal can be had here ({error}), so what a terminal sees is not tested; "
                          "mount -t devpts devpts /dev/pts")
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        process = self.start(*ENDLESS, stdout=subprocess.DEVNULL, stderr=secondary)
        os.close(secondary)
        self.addCleanup(os.close, primary)
        data = b""
        while b"left" not in data:
            self.assertTrue(select.select([primary], [], [], PATIENCE)[0], f"no more than {data!r}")
            data += os.read(primary, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=PATIENCE)
        text = data.decode(errors="replace")  # the last letter may be cut
        self.assertEqual(re.findall(r"(\d+) of 248 cells", text)[0], "0")
        self.assertRegex(text, r"\[#*-+\]  \d+ of 248 cells, about .* left")
        for line in text.replace("\x1b[K", "").split("\r"):
            self.assertLess(len(line), 60, "no wider than the terminal")


class Comparisons(Case):
    def measure(self, name, *arguments):
        self.run_program("sweep", "reduction", "--samples", 10, "--csv", name, *arguments, code=0)

    def slowed(self, source, target, factor):
        """The same measurements on a machine that takes that much longer."""
        rows = self.rows(source)
        with open(self.folder / target, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, CSV_COLUMNS)
            writer.writeheader()
            for row in rows:
                writer.writerow({**row, "kernel_ns": f"{float(row['kernel_ns']) * factor:.3f}", "device_name": "Another"})

    def test_two_files_are_set_against_each_other(self):
        self.measure("a.csv", "--workgroup-size", "64,128,256")
        self.slowed("a.csv", "b.csv", 1000)
        comparison = self.json_of("compare", "a.csv", "b.csv")
        self.assertEqual(comparison["b"]["devices"][0]["name"], "Another")
        self.assertEqual(len(comparison["groups"]), 3)
        for group in comparison["groups"]:
            self.assertAlmostEqual(group["ratio"]["value"], 1000, delta=1)
            self.assertLess(group["ratio"]["low"], 1000)
            self.assertGreater(group["ratio"]["high"], 1000)
            self.assertEqual(group["difference"], "slower")
        text = self.run_program("compare", "a.csv", "b.csv").stdout
        self.assertIn("Another", text)
        self.assertEqual(len(re.findall(r"(?m)^reduction .* slower\b", text)), 3, text)

    def test_a_file_does_not_differ_from_itself(self):
        self.measure("a.csv", "--workgroup-size", "64,128")
        comparison = self.json_of("compare", "a.csv", "a.csv", "--column", "wall_ns")
        self.assertEqual({group["difference"] for group in comparison["groups"]}, {"no_difference"})
        self.assertEqual(comparison["column"], "wall_ns")

    def test_what_only_one_has_is_listed(self):
        self.measure("a.csv", "--workgroup-size", "64,128")
        self.measure("b.csv", "--workgroup-size", "128,256")
        text = self.run_program("compare", "a.csv", "b.csv").stdout
        self.assertTrue(re.search(r"Only in a:\n.* of 64,", text), text)
        self.assertTrue(re.search(r"Only in b:\n.* of 256,", text), text)

    def test_what_cannot_be_compared_says_why(self):
        self.measure("a.csv", "--workgroup-size", "64,128")
        self.measure("c.csv", "--workgroup-size", "32,256")
        self.write("other.csv", "x,y\n1,2\n")
        for code, arguments, words in ((5, ("a.csv", "other.csv"), ["other.csv", "schema_version"]),
                                       (5, ("a.csv", "missing.csv"), ["missing.csv"]),
                                       (2, ("a.csv", "c.csv"), ["nothing in common"]),
                                       (2, ("a.csv", "a.csv", "--column", "elements"), ["elements", "kernel_ns"]),
                                       (2, ("a.csv",), ["--help"])):
            result = self.run_program("compare", *arguments, code=code)
            self.assertEqual(result.stdout, "")
            for word in words:
                self.assertIn(word, result.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
