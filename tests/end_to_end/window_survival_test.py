"""What the window does while a kernel hangs or the lab is lost, and what is still there afterwards: everything."""

import subprocess
import unittest

from program import PATIENCE, Display, WindowCase, kill_labs, lab_with_run, wait_until

# A loop that the software driver does end, a little at a time: with so many workgroups after hours.
HANG = """#version 450
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) buffer Sums { uint partial_sums[]; };
void main() {
    uint x = gl_LocalInvocationIndex;
    while (true) { x = x * 1664525u + 1013904223u; if (x == 7u) partial_sums[0] = x; }
}
"""

# A prediction, a run that is right, and a launch that is large enough to hang.
BEFORE = ["wait idle; click story.guess.5; type 79; key F5; wait idle",
          "expect status ok, variant tree_sequential, predictions_decided 1, runs 1"]
HUGE = [
    "click mode.bench; click stage.kernel", {"set": "kernel.text", "value": HANG}, "set bench.workgroup_size 1024",
    "set bench.workgroup_count 65535; set bench.elements 67108864",
    # Words that come after some seconds.
    {"expect": {"in_flight": True, "widgets": {"jobs.first": "~Bench run"}}},
]
# Its input and the device's copy of it. A lab that holds both has the run: one that only measures its device takes less.
HUGE_BYTES = 2 * 67108864 * 4
KEPT = {
    "kernel": "edited",
    "predictions_decided": 1,
    "values": {"workgroup_size": "1024", "workgroup_count": "65535", "elements": "67108864"},
}
# The next run is right, with what was typed still in the editor until it is reverted.
AFTER = [{"expect": KEPT}, "click stage.kernel; see kernel.text ~while (true); set bench.elements 1024",
         "set bench.workgroup_count auto; click kernel.revert; wait idle",
         {"expect": {"kernel": "own", "status": "ok", "result": {"total": 524800}, "predictions_decided": 1}}]

# A recording of it hangs as well. It waits for the run in the air, so that ends first.
STOPPED = ["click bench.stop; wait idle"]
RECORDING = ["click stage.inside; click inside.record",
             {"expect": {"recording": "running", "widgets": {"jobs.first": "~Recording"}}}]
AND_RECORDED = ["click stage.inside; click inside.record; wait idle",
                {"expect": {"recording": "done", "widgets": {"inside.where": "~step 1 of"}}}]


class Hangs(WindowCase):
    def test_the_window_lives_while_a_kernel_hangs_and_escape_ends_it(self):
        steps = BEFORE + HUGE + ["screenshot hang.png"]
        steps += ["click kernel.text; key Ctrl+End", {"type": "// still typing\n"},
                  {"expect": {"in_flight": True, "widgets": {"kernel.text": "~// still typing"}}},
                  {"drag": "bench.seed", "from": 0, "to": 0.6, "seconds": 1}, "set bench.seed 7",
                  {"expect": {"in_flight": True, "values": {"seed": "7"}}}, "see jobs.first ~Bench run",
                  "click bench.stop; wait idle",
                  {"expect": {"in_flight": False, "status": "stopped", "message": "~stopped", "values": {"seed": "7"}}},
                  "click stage.picture", {"expect": {"widgets": {"result.verdict": "✗ stopped", "result.message": "~F5"}}},
                  "click stage.timings; see timings.why_none ~stopped"]
        self.assert_plays(steps + AFTER, "reduction", "--step", "1")

    def test_a_display_that_goes_away_ends_the_window_and_nothing_crashes(self):
        display = Display()
        self.environment["DISPLAY"] = display.name
        drawn = self.folder / "drawn.png"
        steps = ["wait idle", {"screenshot": str(drawn)}, {"wait": 4 * PATIENCE}]
        window = self.start_script(steps, "reduction")
        wait_until(drawn.exists, "the window is drawn")
        display.process.kill()
        display.close()
        said = window.communicate(timeout=PATIENCE)[1]
        # 1 is what Xlib ends a program with; a signal would be negative.
        self.assertEqual(window.returncode, 1, said)

    def test_a_deadline_says_what_was_run_and_what_to_do(self):
        # Without a run before it, which the deadline would hold for as well, on whatever machine.
        says = {"status": "timed_out", "message": "~6 s"}
        steps = ["wait idle", *HUGE[:-1], "key F5; wait idle", {"expect": says},
                 "expect message ~tree_sequential.comp; expect message ~ready", "click stage.picture",
                 {"expect": {"widgets": {"result.verdict": "~deadline", "result.message": "~fewer"}}},
                 "click stage.timings; see timings.why_none ~deadline"]
        self.assert_plays(steps, "reduction", "--step", "1", "--deadline", "6")

    def test_a_graphics_device_lost_during_a_hang_takes_nothing_with_it(self):
        steps = BEFORE + HUGE + ["lose device", {"expect": {"device_losses": 1, "in_flight": True, **KEPT}},
                                 "key Escape; wait idle", {"expect": {"status": "stopped", **KEPT}}]
        self.assert_plays(steps + AFTER, "reduction", "--step", "1")


class Kills(WindowCase):
    """SIGKILL from outside, as the kernel's own killer sends it when memory is short."""

    def play_and_kill(self, steps, kills, holding=HUGE_BYTES, then_stop=False):
        """Kills the lab so often once the script has written its picture, each time when it holds so many bytes. Then, once the
        next lab does so, stops it by Escape, as a person would: the script does not know when it was killed."""
        process = self.start_script(steps, "reduction", "--step", 1, "--deadline", 4 * PATIENCE)
        here = self.folder / "now.png"
        wait_until(lambda: here.exists() or process.poll() is not None, "the script comes to the place")
        kill_labs(process, kills, holding)
        if then_stop:
            lab_with_run(process, holding)
            subprocess.run(["xdotool", "search", "--name", "^Gridstride$", "windowfocus", "--sync", "key", "Escape"],
                           env=self.environment, check=True)
        _, err = process.communicate(timeout=4 * PATIENCE)
        self.assertEqual(process.returncode, 0, err)

    def mark(self):
        return ["screenshot now.png"]

    def test_killed_while_idle(self):
        steps = BEFORE + self.mark() + [
            {"wait": 1},  # meanwhile it is killed, or a little later
            "expect status ok, runs 1, predictions_decided 1; click mode.bench; set bench.workgroup_size 64; wait idle",
            {"expect": {"status": "ok", "result": {"total": 50005000}, "runs": 2, "predictions_decided": 1}},
        ]
        self.play_and_kill(steps, 1, holding=0)

    def test_killed_while_running_the_run_goes_on_in_the_next_lab(self):
        steps = BEFORE + HUGE + self.mark() + ["wait idle", {"expect": {"status": "stopped", **KEPT}}]
        self.play_and_kill(steps + AFTER, 1, then_stop=True)

    def test_three_losses_in_a_row_are_reported_and_the_next_run_is_right(self):
        steps = BEFORE + HUGE + self.mark() + ["wait idle", {"expect": {"status": "lost", "message": "~3 times", **KEPT}},
                                               "expect message ~tree_sequential.comp; expect message ~started",
                                               "click stage.picture; screenshot lost.png",
                                               {"expect": {"widgets": {"result.verdict": "~lost", "result.message": "~F5"}}}]
        self.play_and_kill(steps + AFTER, 3)

    def test_three_losses_while_it_records_are_told_in_the_tab_and_the_next_recording_is_there(self):
        steps = BEFORE + HUGE + STOPPED + RECORDING + self.mark() + [
            "wait idle", {"expect": {"recording": "failed", "status": "stopped", "runs": 2, **KEPT}},
            "see inside.empty ~3 times; see inside.empty ~again",
        ]
        self.play_and_kill(steps + AFTER + AND_RECORDED, 3)

    def test_killed_while_it_records_behind_another_tab_and_stopped_in_the_next_lab(self):
        steps = BEFORE + HUGE + STOPPED + RECORDING + ["click stage.picture", *self.mark()] + [
            "expect recording running; wait idle", {"expect": {"status": "stopped", "runs": 2, **KEPT}},
        ]
        self.play_and_kill(steps + AFTER + AND_RECORDED, 1, then_stop=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
