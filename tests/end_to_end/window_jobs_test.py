"""The jobs of the window: the bar that shows them, and SIGKILL of the lab or the window during each kind of job."""

import dataclasses
import os
import pathlib
import random
import re
import signal
import time
import unittest

from program import FULL, TIMEOUT, WindowCase, lab_pids, wait_until

SHADERS = pathlib.Path(__file__).resolve().parents[2] / "shaders/reduction"
MAKE_BARRIERS, TREE = "make_missing_barriers", "workgroup_memory"  # steps of the reduction
KILLS = 20 if FULL else 1
# The kinds of job in which the lab or the window is killed, without --full.
SAMPLED_KINDS = {"lab": ("sweep",), "window": ("question",)}
SMALL = ("--size", "960x540")
# The starter of the exercise mismatches, since it lacks barriers.
FINISHED_STATUSES = {"ok", "mismatch"}
SWEEP = ("click stage.sweep; set sweep.parameter.1 Elements; set sweep.values.1 100000:400000:10000; "
         "set sweep.parameter.2 Workgroup size; set sweep.values.2 32:256:32; set sweep.samples 100; click sweep.start")


def read_solution():
    return (SHADERS / "missing_barriers.comp").read_text()


class JobBar(WindowCase):
    def test_waiting_and_running_jobs_are_stopped_by_their_own_buttons(self):
        self.assert_plays(
            [
                *self.at_the_bench(), SWEEP, "expect sweep running; see jobs.first ~Sweep; see jobs.first ~of 248",
                "see jobs.first ~left", {"samples": 10_000}, "set bench.elements 16777216",
                "see jobs.first ~Bench run; see jobs.waiting 1 waiting; click jobs.waiting; see jobs.2 ~waits",
                "click jobs.2.stop; expect sweep stopped, in_flight true; click jobs.1.stop; wait idle",
                "expect status stopped, sweep stopped, in_flight false",
                # After a resume, the button of the bar stops the sweep.
                "click sweep.resume; see jobs.first ~Sweep; click jobs.stop; expect sweep stopped; wait idle",
            ], "reduction")

    def test_exercise_shows_progress_and_can_be_stopped(self):
        self.assert_plays(
            [
                "wait idle; click stage.kernel", {"set": "kernel.text", "value": read_solution()},
                "wait idle; click make.check; see jobs.first ~Exercise; see jobs.first ~of 48; click jobs.stop; wait idle",
                "see make.problem ~stopped; click make.check; wait idle; see make.done ~Completed",
            ], "reduction", "--step", MAKE_BARRIERS)


@dataclasses.dataclass
class JobKind:
    """A kind of job."""
    step: object
    before: list  # steps before the job
    begin: callable  # the step that starts the n-th job
    done: callable  # the expectation once the window is idle again
    runs: int  # runs that each job adds to the table; None: as many as decide the question
    recovery_steps: list  # steps in the next window after the previous one was killed
    skips_question: bool = True  # skips the question of the step


KINDS = {
    "bench run":
        JobKind(1, ["click mode.bench; set bench.elements 1048576; wait idle"], lambda n: f"set bench.seed {n + 2}",
                lambda n: "expect status ok, stale false", 1, ["expect status ok, stale false"]),
    # The question does not ask about the variant of the run before it.
    "question":
        JobKind(TREE, ["set bench.variant tree_packed; wait idle; expect status ok"],
                lambda n: "click mode.learn; click story.predict.8.0; key F5",
                lambda n: "expect predictions_decided 1; click story.again.8; expect predictions_decided 0", None,
                ["click mode.learn; expect predictions_decided 1; click story.answer.8", {"wheel": "story", "by": -20},
                 "click story.again.8; click mode.bench"], skips_question=False),
    "exercise":
        JobKind(MAKE_BARRIERS, ["click stage.kernel", {"set": "kernel.text", "value": read_solution()}, "wait idle"],
                lambda n: "click mode.learn; click make.check", lambda n: "see make.done ~Completed", 1,
                ["expect kernel edited; click mode.learn; click make.check; wait idle; see make.done ~Completed; click mode.bench"],
                skips_question=False),
    # Four cells, each measured three times.
    "sweep":
        JobKind(1, [], lambda n: "click stage.sweep; set sweep.parameter.1 Workgroup size; set sweep.values.1 32,64,128,256; "
                "set sweep.samples 20; click sweep.start",
                lambda n: "expect sweep done, sweep_done 4; click sweep.another", 12, ["expect sweep none"]),
    "recording":
        JobKind(1, ["click mode.bench; set bench.elements 100000; wait idle; click stage.inside"],
                lambda n: "click inside.record", lambda n: "expect recording done", 0,
                ["click stage.inside; click inside.record; wait idle; expect recording done; click stage.picture"]),
    "picture":
        JobKind(TREE, ["click mode.learn; click stage.picture; wait idle"],
                lambda n: f"set bench.workgroup_size {(64, 128)[n % 2]}", lambda n: "expect recording done, status ok", 1,
                ["click mode.learn; click stage.picture; wait idle; expect recording done, status ok"]),
}


class Kills(WindowCase):
    """SIGKILL at a random moment of a job: every sample exists once, and the job resumes or restarts and completes."""

    def export_steps(self, name):
        return [f"click runs.export; set export.path {self.folder / name}; click export.write; expect notice ~{name}"]

    def prepare_steps(self, kind):
        return [*(self.at_the_bench() if kind.skips_question else ["wait idle; click mode.bench"]), *kind.before]

    def wait_for_start(self, process, n):
        """Waits until the script has started the n-th job; returns that time."""
        file = self.folder / f"{n}.json"
        wait_until(lambda: file.exists() or process.poll() is not None, f"job {n} starts")
        if not file.exists():
            self.fail(f"the window ended early: {process.communicate()[1]}")
        return file.stat().st_mtime

    def read_unique_samples(self, name):
        rows = self.read_rows(name)
        samples = [(row["run_id"], row["sample"]) for row in rows]
        self.assertEqual(len(samples), len(set(samples)), "a sample is exported twice")
        return rows

    def check_lab_kills(self, name):
        rng, kind = random.Random(name), KINDS[name]
        steps = [*self.prepare_steps(kind), *self.export_steps("before.csv")]
        for n in range(KILLS + 1):
            steps += [kind.begin(n), f"map {n}.json; wait idle", kind.done(n)]
        window = self.start_window(kind, [*steps, *self.export_steps("runs.csv")])
        # The first job is not interrupted: it gives the duration of the job on this machine.
        job_seconds = self.wait_for_start(window, 1) - self.wait_for_start(window, 0)
        for n in range(1, KILLS + 1):
            self.wait_for_start(window, n)
            time.sleep(rng.random() * job_seconds)
            for lab in lab_pids(window.pid):
                os.kill(lab, signal.SIGKILL)
        stderr = window.communicate(timeout=4 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, stderr)
        rows = self.read_unique_samples("runs.csv")
        self.assertLessEqual({row["status"] for row in rows}, FINISHED_STATUSES)
        if kind.runs is not None:
            before, after = (len({row["run_id"] for row in export}) for export in (self.read_unique_samples("before.csv"), rows))
            self.assertEqual(after - before, kind.runs * (KILLS + 1))

    def check_window_kills(self, name):
        rng, kind = random.Random(name), KINDS[name]
        before = []
        for n in range(KILLS + 1):
            # The samples of the previous window exist once, and its job completes. Then a new job starts.
            steps = [*(self.prepare_steps(kind) if n == 0 else [*self.restore_steps(kind, n), *kind.before]), kind.begin(n),
                     f"map {n}.json", {"wait": 4 * TIMEOUT}]
            window = self.start_window(kind, steps)
            self.wait_for_start(window, n)
            if name == "question":
                settings = self.folder / "config/gridstride/settings.json"
                wait_until(lambda: re.search('"(pending|outcome)"', settings.read_text()), "the answer is saved")
            if n > 0:
                after = self.read_unique_samples(f"after {n}.csv")
                self.assertLessEqual({row["status"] for row in after}, FINISHED_STATUSES)
                exported = {(row["run_id"], row["sample"], row["kernel_ns"]) for row in after}
                self.assertEqual([row for row in before if (row["run_id"], row["sample"], row["kernel_ns"]) not in exported], [])
                before = after
            time.sleep(rng.random() * 2)
            self.assertIsNone(window.poll())
            window.kill()
            window.communicate()

    def restore_steps(self, kind, n):
        return ["wait idle; click kept.go_on; wait idle", *kind.recovery_steps, *self.export_steps(f"after {n}.csv")]

    def start_window(self, kind, steps):
        return self.start_script([{"samples": 30}, *steps], "reduction", "--step", kind.step, *SMALL, "--deadline", 2 * TIMEOUT)


for job_kind in KINDS:
    for target, check in (("lab", Kills.check_lab_kills), ("window", Kills.check_window_kills)):
        if not FULL and job_kind not in SAMPLED_KINDS[target]: continue
        setattr(Kills, f"test_{target}_killed_during_{job_kind.replace(' ', '_')}",
                lambda self, check=check, name=job_kind: check(self, name))


if __name__ == "__main__":
    unittest.main(verbosity=2)
