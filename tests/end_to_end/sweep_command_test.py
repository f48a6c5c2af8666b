"""Sweeps and comparisons as users and scripts see them."""

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

from program import CSV_COLUMNS, FULL, TIMEOUT, Case, parse_csv_rows, wait_until

EIGHT_BY_EIGHT = ("sweep", "reduction", "--elements", "1000:8000:1000", "--workgroup-size", "32:256:32", "--samples", 10)
REPEATED_RUNS = 4 * 2  # the four best cells are measured twice more
TWO_BY_TWO = ("sweep", "reduction", "--elements", "1000,2000", "--workgroup-size", "32,64", "--samples", 10)
WHOLE_COLUMNS = ("schema_version", "elements", "workgroup_size", "workgroup_count", "dispatches", "sample", "bytes_moved")
TIME_COLUMNS = ("upload_ns", "kernel_ns", "download_ns", "wall_ns", "cpu_ns")
# Long enough that no test reaches its end.
ENDLESS = ("sweep", "reduction", "--elements", "100000:400000:10000", "--workgroup-size", "32:256:32", "--samples", 100)


class Sweeps(Case):
    def assert_refused(self, code, *arguments, parts=()):
        result = self.run_program(*arguments, code=code)
        self.assertEqual(result.stdout, "")
        for words in parts:
            self.assertIn(words, result.stderr)

    def german_locale(self):
        """A locale with a decimal comma: that of the system, else one compiled here, else only its name."""
        environment = {"LC_ALL": "de_DE.UTF-8"}
        installed = subprocess.run(["locale", "-a"], capture_output=True, text=True).stdout.lower()
        if "de_de.utf" in installed:
            return environment
        if shutil.which("localedef") and pathlib.Path("/usr/share/i18n/locales/de_DE").exists():
            locale_folder = self.folder / "de_DE.UTF-8"
            subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(locale_folder)], capture_output=True)
            environment["LOCPATH"] = str(self.folder)
        return environment

    def assert_types(self, rows):
        for row in rows:
            for column in WHOLE_COLUMNS:
                self.assertRegex(row[column], r"^\d+$", column)
            for column in TIME_COLUMNS:
                self.assertRegex(row[column], r"^(\d+\.\d+)?$", column)
            self.assertGreater(float(row["kernel_ns"]), 0)
            self.assertIn(row["is_cpu_device"], ("true", "false"))
            self.assertEqual(row["status"], "ok")

    def test_64_cells_of_ten_samples_and_repeats_of_the_best_are_720_rows(self):
        result = self.run_program(*EIGHT_BY_EIGHT, "--csv", "c.csv", LC_ALL="C", code=0)
        rows = self.read_rows("c.csv")
        self.assertEqual(list(rows[0]), CSV_COLUMNS)
        self.assertEqual(len(rows), 10 * (64 + REPEATED_RUNS))
        self.assert_types(rows)
        cells = {(int(row["elements"]), int(row["workgroup_size"])) for row in rows}
        self.assertEqual(cells, {(n, w) for n in range(1000, 9000, 1000) for w in range(32, 257, 32)})
        self.assertEqual({int(row["sample"]) for row in rows}, set(range(10)))
        self.assertEqual(len({row["run_id"] for row in rows}), 64 + REPEATED_RUNS)
        runs = collections.Counter((row["elements"], row["workgroup_size"]) for row in rows if row["sample"] == "0")
        self.assertEqual(sorted(runs.values()), [1] * 60 + [3] * 4, "the four best cells are measured three times")
        self.assert_mentions(result.stdout, 3, "turn")
        self.assertIn("* ", result.stdout, "the best is marked")
        self.assertIn("128 to 512 invocations", result.stdout)
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [], "no temporary file is left")

    def test_locale_with_a_decimal_comma_changes_nothing(self):
        self.run_program(*(EIGHT_BY_EIGHT if FULL else TWO_BY_TWO), "--csv", "de.csv", **self.german_locale(), code=0)
        rows = self.read_rows("de.csv")
        self.assertEqual(len(rows), 10 * ((64 if FULL else 4) + REPEATED_RUNS))
        self.assert_types(rows)

    def test_pandas_reads_the_right_types(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        self.run_program(*TWO_BY_TWO, "--csv", "out.csv", **self.german_locale())
        frame = pandas.read_csv(self.folder / "out.csv")
        self.assertEqual(len(frame), 10 * (4 + REPEATED_RUNS))
        for column in WHOLE_COLUMNS:
            self.assertEqual(frame[column].dtype.kind, "i", column)
        for column in TIME_COLUMNS:
            self.assertEqual(frame[column].dtype.kind, "f", column)
        self.assertEqual(frame["is_cpu_device"].dtype.kind, "b")

    def test_csv_is_alone_on_stdout(self):
        result = self.run_program("sweep", "reduction", "--workgroup-size", "32,64", "--samples", 3, "--csv", "-")
        rows = parse_csv_rows(result.stdout)
        self.assertEqual([row["sample"] for row in rows], ["0", "1", "2"] * 2)

    def test_json_has_the_documented_shape(self):
        sweep = self.run_json("sweep", "reduction", "--variant", "tree_packed,grid_stride", "--workgroup-size", "64,128,4000", "--samples", 10)
        self.assertEqual(sweep["axes"], [{"parameter": "workgroup_size", "unit": "invocations", "values": [64, 128, 4000]}])
        self.assertEqual(len(sweep["cells"]), 3 * 2)
        for cell in sweep["cells"]:
            refused = cell["values"]["workgroup_size"] == 4000
            self.assertEqual(cell["status"], "refused" if refused else "ok")
            self.assertEqual(cell["message"] != "", refused)
            if not refused:
                self.assertEqual(cell["kernel_ns"]["samples"], 10 * cell["kernel_ns"]["runs"])
                self.assertLessEqual(cell["kernel_ns"]["p5"], cell["kernel_ns"]["median"])
        repeated = [cell for cell in sweep["cells"] if cell["kernel_ns"] and cell["kernel_ns"]["runs"] > 1]
        self.assertEqual([cell["kernel_ns"]["runs"] for cell in repeated], [3] * 4)
        self.assertGreaterEqual(sweep["drift"], 1)
        best = min(repeated, key=lambda cell: cell["kernel_ns"]["median"])
        self.assertEqual((sweep["best"]["variant"], sweep["best"]["values"]), (best["variant"], best["values"]))
        self.assertEqual(len(sweep["advice"]), 4)
        self.assertTrue(sweep["complete"])

    def test_refused_cells_are_rows_with_a_reason(self):
        result = self.run_program("sweep", "reduction", "--workgroup-size", "128,4000", "--samples", 2, "--csv", "out.csv",
                                  code=0)
        rows = self.read_rows("out.csv")
        refused = [row for row in rows if row["status"] == "refused"]
        self.assertEqual((len(rows), len(refused)), (3, 1))
        self.assertIn("4000", refused[0]["message"])
        self.assertEqual(refused[0]["kernel_ns"], "")
        self.assertIn("refused", result.stdout)

    def test_invalid_sweeps_report_the_reason(self):
        sweep = ("sweep", "reduction")
        self.assert_refused(2, *sweep, "--workgroup-size", "3000,4000", parts=["3000", "4000", "1024"])
        self.assert_refused(2, *sweep, "--elements", "1,2", "--workgroup-size", "32,64", "--seed", "1,2", parts=["at most 2", "seed"])
        self.assert_refused(2, *sweep, "--elements", "1:10000:1", parts=["10000 values", "4096"])
        self.assert_refused(2, *sweep, "--elements", "1:100:1", "--workgroup-size", "1:100:1", parts=["10000 cells", "4096"])
        self.assert_refused(2, *sweep, "--elements", "10:x2", parts=["10:x2", "first:last:step"])
        self.assert_refused(2, *sweep, "--element-type", "u32,f64", parts=["f64", "u32 or f32"])
        self.assert_refused(2, *sweep, "--samples", "none", parts=["samples = none"])
        self.assert_refused(2, *sweep, "--variant", "magic", parts=["magic"])
        self.assert_refused(2, *sweep, "--json", "--csv", "-", parts=["--csv"])
        self.assert_refused(2, "sweep", "alchemy", parts=["alchemy"])
        self.assert_refused(5, *sweep, "--workgroup-size", "32,64", "--csv", "/nonexistent/out.csv", parts=["/nonexistent/out.csv"])

    def test_several_variants_are_separated_by_commas(self):
        result = self.run_program("sweep", "reduction", "--variant", "subgroup,grid_stride", "--workgroup-size", "32,64",
                                  "--samples", 1, "--csv", "-", code=0)
        rows = parse_csv_rows(result.stdout)
        self.assertEqual({row["variant"] for row in rows}, {"grid_stride", "subgroup"})
        self.assertEqual(len(rows), 4)
        self.assert_refused(2, "sweep", "reduction", "--variant", "subgroup,magic", "--workgroup-size", "32,64", parts=["magic", "grid_stride"])

    def test_negative_values_can_be_swept(self):
        result = self.run_program("sweep", "gaussian", "--elements", 1000, "--mean", "-1:1:0.5", "--samples", 1, "--json",
                                  code=0)
        self.assertEqual(json.loads(result.stdout)["axes"][0]["values"], [-1, -0.5, 0, 0.5, 1])

    def test_wrong_answer_is_exit_code_1(self):
        sweep = self.run_json("sweep", "reduction", "--workgroup-size", "64,256", "--samples", 3,
                              program=self.copy_program_with_wrong_sums(), code=1)
        self.assertEqual([cell["status"] for cell in sweep["cells"]], ["mismatch"] * 2)
        self.assertIsNone(sweep["best"])

    def test_answer_wrong_on_purpose_is_not_a_failure_and_never_the_best(self):
        sweep = self.run_json("sweep", "histogram", "--variant", "race,atomic_shared", "--elements", 100_000,
                              "--workgroup-size", "64,256", "--samples", 3)
        self.assertEqual({(cell["variant"], cell["status"]) for cell in sweep["cells"]},
                         {("race", "wrong_on_purpose"), ("atomic_shared", "ok")})
        self.assertEqual(sweep["best"]["variant"], "atomic_shared")
        # A cell that is right by luck is not the best either.
        sweep = self.run_json("sweep", "reduction", "--elements", 65536, "--workgroup-size", "64,256", "--barriers",
                              "one_missing", "--samples", 3)
        self.assertLessEqual({cell["status"] for cell in sweep["cells"]}, {"ok", "wrong_on_purpose"})
        self.assertIsNone(sweep["best"])

    def test_ctrl_c_stops_it_and_keeps_the_rows(self):
        self.write("out.csv", "what was there before\n")
        process = self.start(*ENDLESS, "--csv", "out.csv", start_new_session=True)

        def count_rows():
            return sum(path.read_bytes().count(b"\n") for path in self.folder.glob(".gridstride-*.csv.tmp"))

        wait_until(lambda: count_rows() >= 200, "rows are on disk while the sweep runs")
        self.assertEqual((self.folder / "out.csv").read_text(), "what was there before\n")
        # To the whole process group, as a terminal does.
        os.killpg(process.pid, signal.SIGINT)
        stdout, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 4, stderr)
        self.assertRegex(stderr, r"stopped after \d+ of 248 cells; their rows are kept")
        self.assertIn("not measured", stdout)
        rows = self.read_rows("out.csv")
        self.assertGreaterEqual(len(rows), 200)
        self.assertEqual({row["status"] for row in rows} - {"ok", "stopped"}, set())
        for row in rows:
            self.assertGreater(float(row["kernel_ns"]), 0)
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [])

    def test_sweep_without_rows_keeps_the_existing_file(self):
        self.write("out.csv", "what was there before\n")
        process = self.start("sweep", "reduction", "--elements", "90000000,100000000", "--variant", "tree_interleaved",
                             "--csv", "out.csv")
        wait_until(lambda: list(self.folder.glob(".gridstride-*.csv.tmp")), "the sweep has begun")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 4, stderr)
        self.assert_mentions(stderr, 0, 2)
        self.assertEqual((self.folder / "out.csv").read_text(), "what was there before\n")
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [])

    def test_terminal_shows_progress_before_the_first_cell_is_measured(self):
        try:
            primary, secondary = pty.openpty()
        except OSError as error:
            self.skipTest(f"no pseudo-terminal is available ({error}), so the output on a terminal is not tested; "
                          "mount -t devpts devpts /dev/pts")
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        process = self.start(*ENDLESS, stdout=subprocess.DEVNULL, stderr=secondary)
        os.close(secondary)
        self.addCleanup(os.close, primary)
        data = b""
        while b"left" not in data:
            self.assertTrue(select.select([primary], [], [], TIMEOUT)[0], f"only {data!r} was printed")
            data += os.read(primary, 4096)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=TIMEOUT)
        text = data.decode(errors="replace")  # the last character may be incomplete
        self.assertEqual(re.findall(r"(\d+) of 248 cells", text)[0], "0")
        self.assertRegex(text, r"\[#*-+\]  \d+ of 248 cells, about .* left")
        for line in text.replace("\x1b[K", "").split("\r"):
            self.assertLess(len(line), 60, "no wider than the terminal")


class Comparisons(Case):
    def write_sweep(self, name, *arguments):
        self.run_program("sweep", "reduction", "--samples", 10, "--csv", name, *arguments, code=0)

    def write_scaled_copy(self, source, target, factor):
        """The same measurements on another device that takes `factor` times as long."""
        rows = self.read_rows(source)
        with open(self.folder / target, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, CSV_COLUMNS)
            writer.writeheader()
            for row in rows:
                writer.writerow({**row, "kernel_ns": f"{float(row['kernel_ns']) * factor:.3f}", "device_name": "Another"})

    def test_two_files_are_compared(self):
        self.write_sweep("a.csv", "--workgroup-size", "64,128,256")
        self.write_scaled_copy("a.csv", "b.csv", 1000)
        comparison = self.run_json("compare", "a.csv", "b.csv")
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
        self.write_sweep("a.csv", "--workgroup-size", "64,128")
        comparison = self.run_json("compare", "a.csv", "a.csv", "--column", "wall_ns")
        self.assertEqual({group["difference"] for group in comparison["groups"]}, {"no_difference"})
        self.assertEqual(comparison["column"], "wall_ns")

    def test_groups_in_only_one_file_are_listed(self):
        self.write_sweep("a.csv", "--workgroup-size", "64,128")
        self.write_sweep("b.csv", "--workgroup-size", "128,256")
        text = self.run_program("compare", "a.csv", "b.csv").stdout
        self.assertTrue(re.search(r"Only in a:\n.* of 64,", text), text)
        self.assertTrue(re.search(r"Only in b:\n.* of 256,", text), text)

    def test_invalid_comparisons_report_the_reason(self):
        self.write_sweep("a.csv", "--workgroup-size", "64,128")
        self.write_sweep("c.csv", "--workgroup-size", "32,256")
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
