"""What was measured is saved, whatever happens beside it."""

import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import unittest

from program import FULL, GRIDSTRIDE, PATIENCE, Case, wait_until

# Long enough that nobody sees its end.
ENDLESS = ("sweep", "reduction", "--elements", "1000:100000:1000", "--workgroup-size", "32:256:32", "--samples", 3)
# Four cells of 20 rows, each measured again twice.
SHORT = ("sweep", "reduction", "--workgroup-size", "32,64,128,256", "--samples", 20)


def children_of(pid):
    found = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        found += (task / "children").read_text().split()
    return found


class RunsWithoutInput(Case):
    """A run can end before it has the input that --save-input asks for."""

    def test_the_report_and_the_row_are_there_and_the_file_is_not(self):
        self.write("n.csv", "-1\n")
        self.write("broken.comp", "#version 450\nvoid main() { this is no GLSL }\n")
        for arguments, code, status in ((("--input", "n.csv"), 2, "refused"), (("--kernel", "broken.comp"), 4, "failed")):
            with self.subTest(arguments):
                result = self.run_program("run", "reduction", *arguments, "--save-input", "in.npy", "--save-output", "out.npy",
                                          "--json", "--csv", "rows.csv", code=code)
                self.assertEqual(json.loads(result.stdout)["status"], status)
                self.assertEqual([row["status"] for row in self.rows("rows.csv")], [status])
                for what, name in (("input", "in.npy"), ("output", "out.npy")):
                    self.assert_mentions(result.stderr, name, what)
                    self.assertFalse((self.folder / name).exists())


class Sweep:
    """A sweep that goes on in the background, into rows.csv."""

    def __init__(self, case, *arguments, **how):
        self.case = case
        self.process = case.start(*ENDLESS, "--csv", "rows.csv", *arguments, start_new_session=True, **how)
        wait_until(lambda: self.rows_so_far() > 20, "rows in the temporary file")

    def hidden(self):
        return list(self.case.folder.glob(".gridstride-*.csv.tmp"))

    def rows_so_far(self):
        return sum(path.read_bytes().count(b"\n") for path in self.hidden())


class EndedFromOutside(Case):
    def assert_rows_are_kept(self, process, folder):
        self.assertEqual(process.returncode, 4)
        self.assertGreater(len(self.rows("rows.csv")), 15)
        self.assertEqual(list(folder.glob(".gridstride-*")), [])

    def test_kill_and_a_closed_terminal_are_like_ctrl_c(self):
        for what in (signal.SIGTERM, signal.SIGHUP):
            with self.subTest(what):
                sweep = Sweep(self)
                # As a terminal does it: to the whole group, the lab among them.
                os.killpg(sweep.process.pid, what)
                _, stderr = sweep.process.communicate(timeout=PATIENCE)
                self.assertRegex(stderr, r"stopped after \d+ of 800 cells; their rows are kept")
                self.assert_rows_are_kept(sweep.process, self.folder)
                (self.folder / "rows.csv").unlink()

    def test_the_rows_land_although_nobody_reads_what_is_said(self):
        read_end, write_end = os.pipe()
        sweep = Sweep(self, stdout=write_end, stderr=write_end)
        os.close(read_end)
        os.close(write_end)
        sweep.process.terminate()
        sweep.process.communicate(timeout=PATIENCE)
        self.assertGreater(len(self.rows("rows.csv")), 15)
        self.assertEqual(sweep.hidden(), [])

    def test_no_file_takes_the_place_of_a_closed_stream(self):
        sweep = Sweep(self, stdout=None, stderr=None, preexec_fn=lambda: os.closerange(1, 3))
        for stream in (1, 2):
            self.assertEqual(os.readlink(f"/proc/{sweep.process.pid}/fd/{stream}"), "/dev/null")
        sweep.process.terminate()
        sweep.process.communicate(timeout=PATIENCE)
        self.assertEqual(sweep.process.returncode, 5, "what it printed did not arrive")
        rows = self.rows("rows.csv")
        self.assertEqual({row["lesson"] for row in rows}, {"reduction"})

    def test_nohup_is_obeyed(self):
        sweep = Sweep(self, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        os.killpg(sweep.process.pid, signal.SIGHUP)
        before = sweep.rows_so_far()
        wait_until(lambda: sweep.rows_so_far() > before + 20, "further rows")

    def test_rows_of_a_killed_sweep_are_named_by_the_next_command(self):
        sweep = Sweep(self)
        self.assertNotIn("killed", self.run_program("run", "reduction", "--samples", 1, "--csv", "a.csv").stderr,
                         "the sweep goes on")
        sweep.process.kill()
        sweep.process.wait()
        (hidden,) = sweep.hidden()
        rows = len(self.rows(hidden))
        for command in (("run", "reduction", "--samples", 1, "--csv", "b.csv"),
                        ("run", "reduction", "--samples", 1, "--save-input", "in.npy"),
                        ("sweep", "reduction", "--workgroup-size", "32,64", "--samples", 1, "--csv", "c.csv")):
            result = self.run_program(*command, code=0)
            self.assert_mentions(result.stderr, hidden.name, rows)
        self.assertEqual(len(self.rows(hidden)), rows)

    def test_part_of_another_file_is_named_as_such(self):
        self.write(".gridstride-1-0.tmp", "half of")
        result = self.run_program("run", "reduction", "--samples", 1, "--csv", "a.csv")
        self.assert_mentions(result.stderr, ".gridstride-1-0.tmp", "partial")


def questions(lesson):
    """Of its story by id, each with how many values decide it."""
    share = pathlib.Path(GRIDSTRIDE).parents[1] / "share/gridstride"
    story = (share / f"lessons/{lesson}/story.en.md").read_text(encoding="utf-8")
    found = {}
    for block in re.findall(r"^```predict\n(.*?)^```", story, re.M | re.S):
        values = len(re.findall(r"^(?:item|mark):", block, re.M))
        found[re.search(r"^id: (.*)$", block, re.M)[1]] = max(values, 1)
    return found


class Recorded(Case):
    def test_what_decides_a_lessons_questions_is_written_down(self):
        lessons = [entry["id"] for entry in self.json_of("list")["lessons"]]
        expected = {lesson: questions(lesson) for lesson in (lessons if FULL else ["race_condition"])}
        result = self.run_program("record", *([] if FULL else expected), "--output", "mine.json", timeout=4 * PATIENCE, code=0)
        recorded = self.json_in("mine.json")
        self.assertIn(f"Wrote {len(recorded['answers'])} answers of {recorded['device']['name']}", result.stdout)
        devices = self.json_of("devices")["devices"]
        self.assertIn(recorded["device"]["name"], [device["name"] for device in devices])
        self.assertRegex(recorded["recorded"], r"^\d{4}-\d\d-\d\d$")
        self.assertEqual({lesson: {answer["id"]: len(answer["values"]) for answer in recorded["answers"]
                                   if answer["lesson"] == lesson} for lesson in expected}, expected)
        for answer in recorded["answers"]:
            for value in answer["values"]:
                self.assertLessEqual(value["low"], value["value"], answer)
                self.assertLessEqual(value["value"], value["high"], answer)
        known = {("race_condition", "one_addition_for_each_workgroup_guess"): 64}  # 4 096 increments in workgroups of 64
        if FULL:
            # 10 000 numbers in workgroups of 128; and a race, whether the sum was right or wrong, at the upper half of 16
            # times 256 values.
            known |= {("reduction", "one_number_out_of_many_guess"): 79, ("reduction", "what_a_barrier_is_for_choice_2"): 2048}
        answers = {(answer["lesson"], answer["id"]): answer["values"] for answer in recorded["answers"]}
        for question, value in known.items():
            self.assertEqual(answers[question], [{"value": value, "low": value, "high": value}])

    def test_a_story_leads_to_lines_that_do_something(self):
        """Lines move when a kernel is edited."""
        found = 0
        lessons = pathlib.Path(GRIDSTRIDE).parents[1] / "share/gridstride/lessons"
        for story in sorted(lessons.glob("*/story.en.md")):
            variant = None
            for line in story.read_text(encoding="utf-8").splitlines():
                if line.startswith("variant = "):
                    variant = line.split()[2]
                moment = re.match(r"```inside workgroup (\d+), line (\d+)", line)
                if not moment:
                    continue
                found += 1
                result = self.run_program("inspect", story.parent.name, "--variant", variant, "--elements", 4096, "--json")
                recorded = json.loads(result.stdout)
                self.assertIn(result.returncode, (0, 1), result.stderr)
                with self.subTest(f"{story.parent.name}: {line}"):
                    kernel = f"{variant}.comp"
                    self.assertIn(int(moment[2]), {site["line"] for site in recorded["sites"] if site["file"].endswith(kernel)})
                    self.assertLessEqual(int(moment[1]), recorded["workgroups"][1])
        self.assertGreaterEqual(found, 2)

    def test_ctrl_c_keeps_the_answers_so_far(self):
        self.write("mine.json", "before")
        process = self.start("record", "reduction", "--output", "mine.json")
        wait_until(lambda: children_of(process.pid), "a lab")
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, stderr)
        text = (self.folder / "mine.json").read_text()
        self.assertTrue(text == "before" or json.loads(text)["answers"], "never half of it")

    def test_a_place_that_cannot_be_written_is_named_before_anything_runs(self):
        result = self.run_program("record", "--output", "no/such/folder.json", code=5)
        self.assertIn("no/such", result.stderr)
        self.assertEqual(self.run_program("record", "reduction").returncode, 2)
        self.assertEqual(self.run_program("record", "alchemy", "--output", "a.json").returncode, 2)


class StuckLabs(Case):
    """The lab reads a list of drivers that nobody writes, so it never has a device."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "driver.json")
        self.environment.update(VK_ICD_FILENAMES=str(self.folder / "driver.json"),
                                VK_DRIVER_FILES=str(self.folder / "driver.json"))

    def test_the_deadline_holds(self):
        report = self.json_of("run", "reduction", "--deadline", 0.3, "--csv", "rows.csv", "--save-input", "in.npy",
                              timeout=PATIENCE, code=4)
        self.assertEqual(report["status"], "timed_out")
        self.assert_mentions(report["message"], "0.3", "deadline")
        self.assertEqual([row["status"] for row in self.rows("rows.csv")], ["timed_out"])
        result = self.run_program("sweep", "reduction", "--workgroup-size", "32,64", "--deadline", 0.3, timeout=PATIENCE,
                                  code=4)
        self.assert_mentions(result.stderr, "0.3", "deadline")

    def test_the_first_ctrl_c_is_heard(self):
        for command in (("run", "reduction", "--json"), ("sweep", "reduction", "--workgroup-size", "32,64"), ("check",)):
            with self.subTest(command):
                process = self.start(*command, start_new_session=True)
                # Its lab is started after it has begun to listen to signals.
                wait_until(lambda: children_of(process.pid), "a lab")
                os.killpg(process.pid, signal.SIGINT)
                stdout, stderr = process.communicate(timeout=PATIENCE)
                self.assertEqual(process.returncode, 4, stderr)
                self.assert_mentions(stderr, "computes")
                if command[-1] == "--json":
                    self.assertEqual(json.loads(stdout)["status"], "stopped")


class NoRoom(Case):
    """The file may grow to so many bytes and no further: what a full disk looks like, without being root."""

    def with_largest_file(self, size, *arguments, hard=None):
        """hard: what the lab, whose driver may keep memory in files, can do nothing about either."""
        hard = hard or resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        return subprocess.run([GRIDSTRIDE, *map(str, arguments)], env=self.environment, cwd=self.folder, text=True,
                              capture_output=True, timeout=PATIENCE,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard)))

    def test_a_limit_that_the_lab_is_held_to_as_well_is_named(self):
        result = self.with_largest_file(8000, *SHORT, "--csv", "rows.csv", "--json", hard=8000)
        self.assertIn(result.returncode, {4, 5}, result.stderr)
        self.assertEqual(len(json.loads(result.stdout)["cells"]), 4)
        self.assertIn("(ulimit -f)", result.stderr + (self.folder / "rows.csv").read_text())

    def test_a_sweep_keeps_the_rows_that_fitted_and_prints_the_rest(self):
        result = self.with_largest_file(8000, *SHORT, "--csv", "rows.csv", "--json")
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertEqual(len(json.loads(result.stdout)["cells"]), 4)
        self.assertTrue(json.loads(result.stdout)["complete"])
        rows = self.rows("rows.csv")
        self.assertGreater(len(rows), 15)
        self.assertEqual({row["status"] for row in rows}, {"ok"}, "whole rows")
        self.assert_mentions(result.stderr, "large", 240 - len(rows), "rows.csv")
        self.assertEqual(list(self.folder.glob(".gridstride-*")), [])

    def test_a_run_whose_arrays_find_no_room_keeps_its_report_and_its_rows(self):
        for flag in ("--save-input", "--save-output"):
            with self.subTest(flag):
                result = self.run_program("run", "reduction", "--samples", 3, flag, "/dev/full", "--json", "--csv", "rows.csv",
                                          code=5)
                self.assertEqual(json.loads(result.stdout)["status"], "ok")
                self.assertEqual(len(self.rows("rows.csv")), 3)
                self.assert_mentions(result.stderr, "/dev/full", "space")

    def test_the_limit_that_the_lab_runs_into_is_named(self):
        result = self.with_largest_file(100 * 1024, "run", "reduction", "--elements", 1_000_000, "--samples", 1, "--json",
                                        hard=100 * 1024)
        self.assertEqual(result.returncode, 4, result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["status"], "failed")
        self.assert_mentions(report["message"], 100)
        self.assertIn("ulimit -f", report["message"])

    def test_numbers_of_the_users_own_over_the_limit_name_it(self):
        with open(self.folder / "n.csv", "w") as file:
            file.write("1\n" * 1_000_000)
        result = self.with_largest_file(100 * 1024, "run", "reduction", "--input", "n.csv", "--samples", 1)
        self.assertEqual(result.returncode, 5, result.stderr)
        self.assertIn("ulimit -f", result.stderr)

    def test_the_limit_on_processor_time_is_named(self):
        result = subprocess.run([GRIDSTRIDE, "run", "reduction", "--elements", "1000000", "--samples", "100000"],
                                env=self.environment, cwd=self.folder, text=True, capture_output=True, timeout=PATIENCE,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (1, 1)))
        self.assertIn(result.returncode, (3, 4), "while it runs, or on a slow machine while it opens the device")
        self.assertRegex(result.stderr, r"3 times .*it used up the CPU time that a process may use, 1 s.*")

    def test_a_folder_in_the_place_of_the_file_costs_no_row(self):
        sweep = Sweep(self)
        (self.folder / "rows.csv").mkdir()
        sweep.process.terminate()
        stdout, stderr = sweep.process.communicate(timeout=PATIENCE)
        self.assertEqual(sweep.process.returncode, 5, stderr)
        self.assertIn("not measured", stdout)
        (hidden,) = sweep.hidden()
        self.assertGreater(len(self.rows(hidden)), 15)
        self.assert_mentions(stderr, hidden, "written")


if __name__ == "__main__":
    unittest.main(verbosity=2)
