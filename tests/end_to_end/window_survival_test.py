"""The window stays usable while a kernel hangs or the lab is lost, and loses nothing."""

import subprocess
import unittest

from program import TIMEOUT, Display, WindowCase, kill_labs, wait_for_lab_with_run, wait_until

# The software driver ends this loop at its loop cap, but with this many workgroups only after hours.
HANG = """#version 450
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) buffer Sums { uint partial_sums[]; };
void main() {
    uint x = gl_LocalInvocationIndex;
    while (true) { x = x * 1664525u + 1013904223u; if (x == 7u) partial_sums[0] = x; }
}
"""

# A prediction, a correct run, and a launch that is large enough to hang.
PREPARE = ["wait idle; click story.guess.5; type 79; key F5; wait idle",
           "expect status ok, variant tree_sequential, predictions_decided 1, runs 1"]
HUGE = [
    "click mode.bench; click stage.kernel", {"set": "kernel.text", "value": HANG}, "set bench.workgroup_size 1024",
    "set bench.workgroup_count 65535; set bench.elements 67108864",
    # The bar shows the job after some seconds.
    {"expect": {"in_flight": True, "widgets": {"jobs.first": "~Bench run"}}},
]
# The input and its copy on the device. A lab that holds both has the run; one that only measures its device uses less.
HUGE_BYTES = 2 * 67108864 * 4
EXPECTED_STATE = {
    "kernel": "edited",
    "predictions_decided": 1,
    "values": {"workgroup_size": "1024", "workgroup_count": "65535", "elements": "67108864"},
}
# The edited kernel is still in the editor. After it is reverted, the next run is correct.
RECOVER = [{"expect": EXPECTED_STATE}, "click stage.kernel; see kernel.text ~while (true); set bench.elements 1024",
           "set bench.workgroup_count auto; click kernel.revert; wait idle",
           {"expect": {"kernel": "own", "status": "ok", "result": {"total": 524800}, "predictions_decided": 1}}]

# A trace of the kernel hangs as well. It waits for the active run, so that run is stopped first.
STOP = ["click bench.stop; wait idle"]
START_TRACE = ["click stage.inside; click inside.record",
                   {"expect": {"recording": "running", "widgets": {"jobs.first": "~Trace"}}}]
TRACE_AGAIN = ["click stage.inside; click inside.record; wait idle",
                {"expect": {"recording": "done", "widgets": {"inside.where": "~step 1 of"}}}]


class Hangs(WindowCase):
    def test_window_responds_while_a_kernel_hangs_and_stop_ends_it(self):
        steps = PREPARE + HUGE + ["screenshot hang.png"]
        steps += ["click kernel.text; key Ctrl+End", {"type": "// still typing\n"},
                  {"expect": {"in_flight": True, "widgets": {"kernel.text": "~// still typing"}}},
                  {"drag": "bench.seed", "from": 0, "to": 0.6, "seconds": 1}, "set bench.seed 7",
                  {"expect": {"in_flight": True, "values": {"seed": "7"}}}, "see jobs.first ~Bench run",
                  "click bench.stop; wait idle",
                  {"expect": {"in_flight": False, "status": "stopped", "message": "~stopped", "values": {"seed": "7"}}},
                  "click stage.picture", {"expect": {"widgets": {"result.verdict": "✗ stopped", "result.message": "~F5"}}},
                  "click stage.timings; see timings.why_none ~stopped"]
        self.assert_plays(steps + RECOVER, "reduction", "--step", "1")

    def test_lost_display_ends_the_window_without_a_crash(self):
        display = Display()
        self.environment["DISPLAY"] = display.name
        drawn = self.folder / "drawn.png"
        steps = ["wait idle", {"screenshot": str(drawn)}, {"wait": 4 * TIMEOUT}]
        window = self.start_script(steps, "reduction")
        wait_until(drawn.exists, "the window is drawn")
        display.process.kill()
        display.close()
        stderr = window.communicate(timeout=TIMEOUT)[1]
        # Xlib exits with 1; a signal would be negative.
        self.assertEqual(window.returncode, 1, stderr)

    def test_deadline_message_names_the_run_and_a_fix(self):
        # No run before it, since the deadline would apply to that run as well.
        expected = {"status": "timed_out", "message": "~6 s"}
        steps = ["wait idle", *HUGE[:-1], "key F5; wait idle", {"expect": expected},
                 "expect message ~tree_sequential.comp; expect message ~ready", "click stage.picture",
                 {"expect": {"widgets": {"result.verdict": "~deadline", "result.message": "~fewer"}}},
                 "click stage.timings; see timings.why_none ~deadline"]
        self.assert_plays(steps, "reduction", "--step", "1", "--deadline", "6")

    def test_lost_graphics_device_during_a_hang_loses_nothing(self):
        steps = PREPARE + HUGE + ["lose device", {"expect": {"device_losses": 1, "in_flight": True, **EXPECTED_STATE}},
                                  "key Escape; wait idle", {"expect": {"status": "stopped", **EXPECTED_STATE}}]
        self.assert_plays(steps + RECOVER, "reduction", "--step", "1")


class Kills(WindowCase):
    """SIGKILL of the lab, as the out-of-memory killer sends it."""

    def play_and_kill(self, steps, kills, min_bytes=HUGE_BYTES, then_stop=False):
        """Waits for the screenshot of the script, then kills the lab `kills` times, each time once it has min_bytes resident.
        then_stop: once the next lab has them too, stops the run with Escape, since the script does not know of the kills."""
        process = self.start_script(steps, "reduction", "--step", 1, "--deadline", 4 * TIMEOUT)
        marker = self.folder / "now.png"
        wait_until(lambda: marker.exists() or process.poll() is not None, "the script has written its screenshot")
        kill_labs(process, kills, min_bytes)
        if then_stop:
            wait_for_lab_with_run(process, min_bytes)
            subprocess.run(["xdotool", "search", "--name", "^Gridstride$", "windowfocus", "--sync", "key", "Escape"],
                           env=self.environment, check=True)
        _, err = process.communicate(timeout=4 * TIMEOUT)
        self.assertEqual(process.returncode, 0, err)

    def marker_step(self):
        return ["screenshot now.png"]

    def test_lab_killed_while_idle_is_restarted(self):
        steps = PREPARE + self.marker_step() + [
            {"wait": 1},  # the lab is killed during this second or soon after
            "expect status ok, runs 1, predictions_decided 1; click mode.bench; set bench.workgroup_size 64; wait idle",
            {"expect": {"status": "ok", "result": {"total": 50005000}, "runs": 2, "predictions_decided": 1}},
        ]
        self.play_and_kill(steps, 1, min_bytes=0)

    def test_killed_while_running_restarts_the_run_in_the_next_lab(self):
        steps = PREPARE + HUGE + self.marker_step() + ["wait idle", {"expect": {"status": "stopped", **EXPECTED_STATE}}]
        self.play_and_kill(steps + RECOVER, 1, then_stop=True)

    def test_three_losses_in_a_row_are_reported_and_the_next_run_is_right(self):
        steps = PREPARE + HUGE + self.marker_step() + ["wait idle", {"expect": {"status": "lost", "message": "~3 times", **EXPECTED_STATE}},
                                                       "expect message ~tree_sequential.comp; expect message ~started",
                                                       "click stage.picture; screenshot lost.png",
                                                       {"expect": {"widgets": {"result.verdict": "~lost", "result.message": "~F5"}}}]
        self.play_and_kill(steps + RECOVER, 3)

    def test_three_losses_while_tracing_are_reported_and_the_next_trace_works(self):
        steps = PREPARE + HUGE + STOP + START_TRACE + self.marker_step() + [
            "wait idle", {"expect": {"recording": "failed", "status": "stopped", "runs": 2, **EXPECTED_STATE}},
            "see inside.empty ~3 times; see inside.empty ~again",
        ]
        self.play_and_kill(steps + RECOVER + TRACE_AGAIN, 3)

    def test_killed_while_tracing_behind_another_tab_and_stopped_in_the_next_lab(self):
        steps = PREPARE + HUGE + STOP + START_TRACE + ["click stage.picture", *self.marker_step()] + [
            "expect recording running; wait idle", {"expect": {"status": "stopped", "runs": 2, **EXPECTED_STATE}},
        ]
        self.play_and_kill(steps + RECOVER + TRACE_AGAIN, 1, then_stop=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
