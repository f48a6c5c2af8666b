"""Measurements are saved, even if a signal, a crash or a full disk interrupts the command."""

import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import unittest

from program import FULL, GRIDSTRIDE, TIMEOUT, Case, wait_until

# Long enough that no test reaches its end.
ENDLESS = ("sweep", "reduction", "--elements", "1000:100000:1000", "--workgroup-size", "32:256:32", "--samples", 3)
# Four cells of 20 rows; each is measured twice more.
SHORT = ("sweep", "reduction", "--workgroup-size", "32,64,128,256", "--samples", 20)


def child_pids(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        # A thread may end after it was listed.
        with contextlib.suppress(OSError):
            found += (task / "children").read_text().split()
    return found


class RunsWithoutInput(Case):
    """A run can end before it has the input that --save-input would save."""

    def test_refused_run_writes_report_and_row_but_no_array_file(self):
        self.write("n.csv", "-1\n")
        self.write("broken.comp", "#version 450\nvoid main() { this is no GLSL }\n")
        for arguments, code, status in ((("--input", "n.csv"), 2, "refused"), (("--kernel", "broken.comp"), 4, "failed")):
            with self.subTest(arguments):
                result = self.run_program("run", "reduction", *arguments, "--save-input", "in.npy", "--save-output", "out.npy",
                                          "--json", "--csv", "rows.csv", code=code)
                self.assertEqual(json.loads(result.stdout)["status"], status)
                self.assertEqual([row["status"] for row in self.read_rows("rows.csv")], [status])
                for array, name in (("input", "in.npy"), ("output", "out.npy")):
                    self.assert_mentions(result.stderr, name, array)
                    self.assertFalse((self.folder / name).exists())


class Sweep:
    """A sweep in the background that writes rows.csv."""

    def __init__(self, case, *arguments, **options):
        self.case = case
        self.process = case.start(*ENDLESS, "--csv", "rows.csv", *arguments, start_new_session=True, **options)
        wait_until(lambda: self.count_rows() > 20, "the temporary file has 20 rows")

    def temporary_files(self):
        return list(self.case.folder.glob(".gridstride-*.csv.tmp"))

    def count_rows(self):
        return sum(path.read_bytes().count(b"\n") for path in self.temporary_files())


class Termination(Case):
    def assert_rows_are_kept(self, process, folder):
        self.assertEqual(process.returncode, 4)
        self.assertGreater(len(self.read_rows("rows.csv")), 15)
        self.assertEqual(list(folder.glob(".gridstride-*")), [])

    def test_sigterm_and_sighup_act_like_ctrl_c(self):
        for signal_number in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(signal_number):
                sweep = Sweep(self)
                # To the whole process group including the lab, as a terminal does.
                os.killpg(sweep.process.pid, signal_number)
                _, stderr = sweep.process.communicate(timeout=TIMEOUT)
                self.assertRegex(stderr, r"stopped after \d+ of 800 cells; their rows are kept")
                self.assert_rows_are_kept(sweep.process, self.folder)
                (self.folder / "rows.csv").unlink()

    def test_rows_are_saved_when_stdout_and_stderr_are_closed_pipes(self):
        read_end, write_end = os.pipe()
        sweep = Sweep(self, stdout=write_end, stderr=write_end)
        os.close(read_end)
        os.close(write_end)
        sweep.process.terminate()
        sweep.process.communicate(timeout=TIMEOUT)
        self.assertGreater(len(self.read_rows("rows.csv")), 15)
        self.assertEqual(sweep.temporary_files(), [])

    def test_no_file_takes_the_descriptor_of_a_closed_stream(self):
        sweep = Sweep(self, stdout=None, stderr=None, preexec_fn=lambda: os.closerange(1, 3))
        for stream in (1, 2):
            self.assertEqual(os.readlink(f"/proc/{sweep.process.pid}/fd/{stream}"), "/dev/null")
        sweep.process.terminate()
        sweep.process.communicate(timeout=TIMEOUT)
        self.assertEqual(sweep.process.returncode, 5, "its output could not be written")
        rows = self.read_rows("rows.csv")
        self.assertEqual({row["lesson"] for row in rows}, {"reduction"})

    def test_nohup_is_obeyed(self):
        sweep = Sweep(self, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        os.killpg(sweep.process.pid, signal.SIGHUP)
        before = sweep.count_rows()
        wait_until(lambda: sweep.count_rows() > before + 20, "there are 20 more rows")

    def test_rows_of_a_killed_sweep_are_named_by_the_next_command(self):
        sweep = Sweep(self)
        self.assertNotIn("killed", self.run_program("run", "reduction", "--samples", 1, "--csv", "a.csv").stderr,
                         "the sweep is still running")
        sweep.process.kill()
        sweep.process.wait()
        (temporary,) = sweep.temporary_files()
        rows = len(self.read_rows(temporary))
        for command in (("run", "reduction", "--samples", 1, "--csv", "b.csv"),
                        ("run", "reduction", "--samples", 1, "--save-input", "in.npy"),
                        ("sweep", "reduction", "--workgroup-size", "32,64", "--samples", 1, "--csv", "c.csv")):
            result = self.run_program(*command, code=0)
            self.assert_mentions(result.stderr, temporary.name, rows)
        self.assertEqual(len(self.read_rows(temporary)), rows)

    def test_partial_file_is_reported_as_partial(self):
        self.write(".gridstride-1-0.tmp", "half of")
        result = self.run_program("run", "reduction", "--samples", 1, "--csv", "a.csv")
        self.assert_mentions(result.stderr, ".gridstride-1-0.tmp", "partial")


def read_questions(lesson):
    """The questions of a lesson: the number of values that decide each, by id."""
    folder = pathlib.Path(GRIDSTRIDE).parents[1] / "share/gridstride/lessons" / lesson
    stories = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("story*.en.md")))
    counts = {}
    for block in re.findall(r"^```predict\n(.*?)^```", stories, re.M | re.S):
        values = len(re.findall(r"^(?:item|mark):", block, re.M))
        counts[re.search(r"^id: (.*)$", block, re.M)[1]] = max(values, 1)
    return counts


class RecordCommand(Case):
    def test_answers_to_the_questions_of_a_lesson_are_recorded(self):
        lessons = [entry["id"] for entry in self.run_json("list")["lessons"]]
        expected = {lesson: read_questions(lesson) for lesson in (lessons if FULL else ["thread_index"])}
        result = self.run_program("record", *([] if FULL else expected), "--output", "mine.json", code=0)
        recorded = self.read_json("mine.json")
        self.assertIn(f"Wrote {len(recorded['answers'])} answers of {recorded['device']['name']}", result.stdout)
        devices = self.run_json("devices")["devices"]
        self.assertIn(recorded["device"]["name"], [device["name"] for device in devices])
        self.assertRegex(recorded["recorded"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual({lesson: {answer["id"]: len(answer["values"]) for answer in recorded["answers"]
                                   if answer["lesson"] == lesson} for lesson in expected}, expected)
        for answer in recorded["answers"]:
            for value in answer["values"]:
                self.assertLessEqual(value["low"], value["value"], answer)
                self.assertLessEqual(value["value"], value["high"], answer)
        exact = {("thread_index", "who_am_i_guess"): 389}  # 3 x 128 + 5
        if FULL:
            exact |= {("race_condition", "additions_to_global_memory"): 16}  # one for each workgroup
            # 10 000 numbers in workgroups of 128; and the elements that race, whether or not the sum was right: the upper half of
            # 16 times 256 values.
            exact |= {("reduction", "one_number_out_of_many_guess"): 79, ("reduction", "what_a_barrier_is_for_choice_2"): 2048}
        answers = {(answer["lesson"], answer["id"]): answer["values"] for answer in recorded["answers"]}
        for question, value in exact.items():
            self.assertEqual(answers[question], [{"value": value, "low": value, "high": value}])

    def test_lines_named_by_stories_are_access_sites(self):
        """The line numbers in `inside` fences are still access sites; an edit of a kernel moves its lines."""
        count = 0
        lessons = pathlib.Path(GRIDSTRIDE).parents[1] / "share/gridstride/lessons"
        for story in sorted(lessons.glob("*/story*.en.md")):
            variant = None
            for line in story.read_text(encoding="utf-8").splitlines():
                if line.startswith("variant = "):
                    variant = line.split()[2]
                moment = re.match(r"```inside workgroup (\d+), line (\d+)", line)
                if not moment:
                    continue
                count += 1
                result = self.run_program("inspect", story.parent.name, "--variant", variant, "--elements", 4096, "--json")
                report = json.loads(result.stdout)
                self.assertIn(result.returncode, (0, 1), result.stderr)
                with self.subTest(f"{story.parent.name}: {line}"):
                    kernel = f"{variant}.comp"
                    self.assertIn(int(moment[2]), {site["line"] for site in report["sites"]
                                                       if site["kind"] != "branch" and site["file"].endswith(kernel)})
                    self.assertLessEqual(int(moment[1]), report["workgroups"][1])
        self.assertGreaterEqual(count, 2)

    def test_ctrl_c_keeps_the_answers_so_far(self):
        self.write("mine.json", "before")
        process = self.start("record", "reduction", "--output", "mine.json")
        wait_until(lambda: child_pids(process.pid), "a lab has started")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 4, stderr)
        text = (self.folder / "mine.json").read_text()
        self.assertTrue(text == "before" or json.loads(text)["answers"], "the file is never partly written")

    def test_unwritable_output_is_reported_before_anything_runs(self):
        result = self.run_program("record", "--output", "no/such/folder.json", code=5)
        self.assertIn("no/such", result.stderr)
        self.assertEqual(self.run_program("record", "reduction").returncode, 2)
        self.assertEqual(self.run_program("record", "alchemy", "--output", "a.json").returncode, 2)


class StuckLabs(Case):
    """The driver list is a pipe without a writer, so the lab waits forever and never has a device."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "driver.json")
        self.environment.update(VK_ICD_FILENAMES=str(self.folder / "driver.json"),
                                VK_DRIVER_FILES=str(self.folder / "driver.json"))

    def test_deadline_ends_the_command(self):
        report = self.run_json("run", "reduction", "--deadline", 0.3, "--csv", "rows.csv", "--save-input", "in.npy", code=4)
        self.assertEqual(report["status"], "timed_out")
        self.assert_mentions(report["message"], "0.3", "deadline")
        self.assertEqual([row["status"] for row in self.read_rows("rows.csv")], ["timed_out"])
        result = self.run_program("sweep", "reduction", "--workgroup-size", "32,64", "--deadline", 0.3, code=4)
        self.assert_mentions(result.stderr, "0.3", "deadline")

    def test_first_ctrl_c_stops_a_stuck_lab(self):
        for command in (("run", "reduction", "--json"), ("sweep", "reduction", "--workgroup-size", "32,64"), ("check",)):
            with self.subTest(command):
                process = self.start(*command, start_new_session=True)
                # The program handles signals before it starts its lab.
                wait_until(lambda: child_pids(process.pid), "a lab has started")
                os.killpg(process.pid, signal.SIGINT)
                stdout, stderr = process.communicate(timeout=TIMEOUT)
                self.assertEqual(process.returncode, 4, stderr)
                self.assert_mentions(stderr, "computes")
                if command[-1] == "--json":
                    self.assertEqual(json.loads(stdout)["status"], "stopped")


class FileSizeLimit(Case):
    """A limit on the file size stands for a full disk, which only root could create."""

    def run_with_file_size_limit(self, size, *arguments, hard_limit=None):
        """hard_limit: also applies to the lab, whose driver may back memory with files."""
        hard_limit = hard_limit or resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        return subprocess.run([GRIDSTRIDE, *map(str, arguments)], env=self.environment, cwd=self.folder, text=True,
                              capture_output=True, timeout=TIMEOUT,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard_limit)))

    def test_hard_file_size_limit_is_reported(self):
        result = self.run_with_file_size_limit(8000, *SHORT, "--csv", "rows.csv", "--json", hard_limit=8000)
        self.assertIn(result.returncode, {4, 5}, result.stderr)
        self.assertEqual(len(json.loads(result.stdout)["cells"]), 4)
        self.assertIn("(ulimit -f)", result.stderr + (self.folder / "rows.csv").read_text())

    def test_sweep_keeps_the_rows_that_fit_and_reports_the_rest(self):
        result = self.run_with_file_size_limit(8000, *SHORT, "--csv", "rows.csv", "--json")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertEqual(len(json.loads(result.stdout)["cells"]), 4)
        self.assertTrue(json.loads(result.stdout)["complete"])
        rows = self.read_rows("rows.csv")
        self.assertGreater(len(rows), 15)
        self.assertEqual({row["status"] for row in rows}, {"ok"}, "no partial row")
        self.assert_mentions(result.stderr, "large", 240 - len(rows), "rows.csv")
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [])

    def test_run_that_cannot_save_arrays_keeps_its_report_and_rows(self):
        for flag in ("--save-input", "--save-output"):
            with self.subTest(flag):
                result = self.run_program("run", "reduction", "--samples", 3, flag, "/dev/full", "--json", "--csv", "rows.csv",
                                          code=5)
                self.assertEqual(json.loads(result.stdout)["status"], "ok")
                self.assertEqual(len(self.read_rows("rows.csv")), 3)
                self.assert_mentions(result.stderr, "/dev/full", "space")

    def test_file_size_limit_of_the_lab_is_reported(self):
        result = self.run_with_file_size_limit(100 * 1024, "run", "reduction", "--elements", 1_000_000, "--samples", 1, "--json",
                                               hard_limit=100 * 1024)
        self.assertEqual(result.returncode, 4, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["status"], "failed")
        self.assert_mentions(report["message"], 100)
        self.assertIn("ulimit -f", report["message"])

    def test_user_input_over_the_limit_reports_it(self):
        with open(self.folder / "n.csv", "w") as file:
            file.write("1\n" * 1_000_000)
        result = self.run_with_file_size_limit(100 * 1024, "run", "reduction", "--input", "n.csv", "--samples", 1)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("ulimit -f", result.stderr)

    def test_cpu_time_limit_is_reported(self):
        result = subprocess.run([GRIDSTRIDE, "run", "reduction", "--elements", "1000000", "--samples", "100000"],
                                env=self.environment, cwd=self.folder, text=True, capture_output=True, timeout=TIMEOUT,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
        self.assertIn(result.returncode, (3, 4), "killed during the run, or on a slow machine while opening the device")
        self.assertRegex(result.stderr, r"3 times .*it used up the CPU time that a process may use, 1 s.*")

    def test_folder_at_the_output_path_loses_no_row(self):
        sweep = Sweep(self)
        (self.folder / "rows.csv").mkdir()
        sweep.process.terminate()
        stdout, stderr = sweep.process.communicate(timeout=TIMEOUT)
        self.assertEqual(sweep.process.returncode, 5, stderr)
        self.assertIn("not measured", stdout)
        (temporary,) = sweep.temporary_files()
        self.assertGreater(len(self.read_rows(temporary)), 15)
        self.assert_mentions(stderr, temporary, "written")


if __name__ == "__main__":
    unittest.main(verbosity=2)
