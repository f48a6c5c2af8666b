"""The jobs of the window: the bar that shows them, and SIGKILL of the lab or of the window in each kind of job."""

import dataclasses
import os
import pathlib
import random
import re
import signal
import time
import unittest

from program import FULL, PATIENCE, WindowCase, labs_of, wait_until

SHADERS = pathlib.Path(__file__).resolve().parents[2] / "shaders/reduction"
MAKE_BARRIERS, TREE = "make_missing_barriers", "workgroup_memory"  # steps of the reduction
KILLS = 20 if FULL else 1
# What is killed in which kinds of job, without --full.
SOME = {"lab": ("sweep",), "window": ("question",)}
SMALL = ("--size", "960x540")
# The starter of the exercise is wrong: it lacks its barriers.
ENDED = {"ok", "mismatch"}
SWEEP = ("click stage.sweep; set sweep.parameter.1 Elements; set sweep.values.1 100000:400000:10000; "
         "set sweep.parameter.2 Workgroup size; set sweep.values.2 32:256:32; set sweep.samples 100; click sweep.start")


def solution():
    return (SHADERS / "missing_barriers.comp").read_text()


class Bar(WindowCase):
    def test_a_waiting_job_and_a_running_one_are_stopped_by_their_own_buttons(self):
        self.assert_plays(
            [
                *self.at_the_bench(), SWEEP, "expect sweep running; see jobs.first ~Sweep; see jobs.first ~of 248",
                "see jobs.first ~left", {"samples": 10_000}, "set bench.elements 16777216",
                "see jobs.first ~Bench run; see jobs.waiting 1 waiting; click jobs.waiting; see jobs.2 ~waits",
                "click jobs.2.stop; expect sweep stopped, in_flight true; click jobs.1.stop; wait idle",
                "expect status stopped, sweep stopped, in_flight false",
                # Resumed, it runs again, and the bar's own button stops it.
                "click sweep.resume; see jobs.first ~Sweep; click jobs.stop; expect sweep stopped; wait idle",
            ], "reduction")

    def test_an_exercise_shows_how_far_it_is_and_is_stopped(self):
        self.assert_plays(
            [
                "wait idle; click stage.kernel", {"set": "kernel.text", "value": solution()},
                "wait idle; click make.check; see jobs.first ~Exercise; see jobs.first ~of 48; click jobs.stop; wait idle",
                "see make.problem ~stopped; click make.check; wait idle; see make.done ~Completed",
            ], "reduction", "--step", MAKE_BARRIERS)


@dataclasses.dataclass
class Kind:
    """A kind of job."""
    step: object
    before: list  # to where it begins
    begin: callable  # the n-th
    done: callable  # what holds once all is idle again
    runs: int  # that each adds to the table; None: as many as decide it
    recovered: list  # in the next window, after the one before was killed
    skips: bool = True  # the question of its step


KINDS = {
    "bench run":
        Kind(1, ["click mode.bench; set bench.elements 1048576; wait idle"], lambda n: f"set bench.seed {n + 2}",
             lambda n: "expect status ok, stale false", 1, ["expect status ok, stale false"]),
    # The run before it is of a variant that the question does not ask about.
    "question":
        Kind(TREE, ["set bench.variant tree_packed; wait idle; expect status ok"],
             lambda n: "click mode.learn; click story.predict.8.0; key F5",
             lambda n: "expect predictions_decided 1; click story.again.8; expect predictions_decided 0", None,
             ["click mode.learn; expect predictions_decided 1; click story.answer.8", {"wheel": "story", "by": -20},
              "click story.again.8; click mode.bench"], skips=False),
    "exercise":
        Kind(MAKE_BARRIERS, ["click stage.kernel", {"set": "kernel.text", "value": solution()}, "wait idle"],
             lambda n: "click mode.learn; click make.check", lambda n: "see make.done ~Completed", 1,
             ["expect kernel edited; click mode.learn; click make.check; wait idle; see make.done ~Completed; click mode.bench"],
             skips=False),
    # Four cells, and all of them again, twice.
    "sweep":
        Kind(1, [], lambda n: "click stage.sweep; set sweep.parameter.1 Workgroup size; set sweep.values.1 32,64,128,256; "
             "set sweep.samples 50; click sweep.start",
             lambda n: "expect sweep done, sweep_done 4; click sweep.another", 12, ["expect sweep none"]),
    "recording":
        Kind(1, ["click mode.bench; set bench.elements 100000; wait idle; click stage.inside"],
             lambda n: "click inside.record", lambda n: "expect recording done", 0,
             ["click stage.inside; click inside.record; wait idle; expect recording done; click stage.picture"]),
    "picture":
        Kind(TREE, ["click mode.learn; click stage.picture; wait idle"],
             lambda n: f"set bench.workgroup_size {(64, 128)[n % 2]}", lambda n: "expect recording done, status ok", 1,
             ["click mode.learn; click stage.picture; wait idle; expect recording done, status ok"]),
}


class Kills(WindowCase):
    """At a random moment of the job. What was measured is there once; the job goes on, or is begun again, to its end."""

    def exporting(self, name):
        return [f"click runs.export; set export.path {self.folder / name}; click export.write; expect notice ~{name}"]

    def prepared(self, kind):
        return [*(self.at_the_bench() if kind.skips else ["wait idle; click mode.bench"]), *kind.before]

    def comes(self, process, n):
        """When the script had begun the n-th job."""
        file = self.folder / f"{n}.json"
        wait_until(lambda: file.exists() or process.poll() is not None, f"the script begins job {n}")
        if not file.exists():
            self.fail(f"the window has ended: {process.communicate()[1]}")
        return file.stat().st_mtime

    def samples_in(self, name):
        rows = self.rows(name)
        samples = [(row["run_id"], row["sample"]) for row in rows]
        self.assertEqual(len(samples), len(set(samples)), "a sample is there twice")
        return rows

    def kill_labs(self, name):
        chance, kind = random.Random(name), KINDS[name]
        steps = [*self.prepared(kind), *self.exporting("before.csv")]
        for n in range(KILLS + 1):
            steps += [kind.begin(n), f"map {n}.json; wait idle", kind.done(n)]
        window = self.start_window(kind, [*steps, *self.exporting("runs.csv")])
        # The first is undisturbed: it tells how long the job takes here.
        usual = self.comes(window, 1) - self.comes(window, 0)
        for n in range(1, KILLS + 1):
            self.comes(window, n)
            time.sleep(chance.random() * usual)
            for lab in labs_of(window.pid):
                os.kill(lab, signal.SIGKILL)
        said = window.communicate(timeout=4 * PATIENCE)[1]
        self.assertEqual(window.returncode, 0, said)
        rows = self.samples_in("runs.csv")
        self.assertLessEqual({row["status"] for row in rows}, ENDED)
        if kind.runs is not None:
            before, after = (len({row["run_id"] for row in some}) for some in (self.samples_in("before.csv"), rows))
            self.assertEqual(after - before, kind.runs * (KILLS + 1))

    def kill_windows(self, name):
        chance, kind = random.Random(name), KINDS[name]
        before = []
        for n in range(KILLS + 1):
            # What the window before left is there once, and its job comes to its end. Then it begins anew.
            steps = [*(self.prepared(kind) if n == 0 else [*self.going_on(kind, n), *kind.before]), kind.begin(n),
                     f"map {n}.json", {"wait": 4 * PATIENCE}]
            window = self.start_window(kind, steps)
            self.comes(window, n)
            if name == "question":
                settings = self.folder / "config/gridstride/settings.json"
                wait_until(lambda: re.search('"(pending|outcome)"', settings.read_text()), "the answer is kept")
            if n > 0:
                after = self.samples_in(f"after {n}.csv")
                self.assertLessEqual({row["status"] for row in after}, ENDED)
                there = {(row["run_id"], row["sample"], row["kernel_ns"]) for row in after}
                self.assertEqual([row for row in before if (row["run_id"], row["sample"], row["kernel_ns"]) not in there], [])
                before = after
            time.sleep(chance.random() * 2)
            self.assertIsNone(window.poll())
            window.kill()
            window.communicate()

    def going_on(self, kind, n):
        return ["wait idle; click kept.go_on; wait idle", *kind.recovered, *self.exporting(f"after {n}.csv")]

    def start_window(self, kind, steps):
        return self.start_script([{"samples": 30}, *steps], "reduction", "--step", kind.step, *SMALL, "--deadline", 2 * PATIENCE)


for one in KINDS:
    for what, of in (("lab", Kills.kill_labs), ("window", Kills.kill_windows)):
        if not FULL and one not in SOME[what]: continue
        setattr(Kills, f"test_of_the_{what}_in_a_{one.replace(' ', '_')}", lambda self, of=of, name=one: of(self, name))


if __name__ == "__main__":
    unittest.main(verbosity=2)
