"""The window worked by keys, and by the window system's own mouse; what it remembers of that, and how it rests."""

import json
import signal
import subprocess
import time
import unittest

from program import PATIENCE, Case, Display, WindowCase, processor_seconds, wait_until


def left_at(settings, step):
    return any(left["lesson"] == "reduction" and left["id"] == step for left in settings.get("left", []))


class Keys(WindowCase):
    def test_settings_are_remembered_and_a_damaged_file_is_set_aside(self):
        self.assert_plays(["wait idle; click top.view; click view.theme; click mode.bench; click runs.open",
                           "click story.step.3; wait idle"], "reduction")
        settings = self.folder / "config" / "gridstride" / "settings.json"
        remembered = json.loads(settings.read_text())
        self.assertEqual((remembered["theme"], remembered["lesson"]), ("light", "reduction"))
        self.assertTrue(left_at(remembered, "workgroup_memory"))
        layout = remembered["layout"]
        self.assertEqual((layout["arrangement"], layout["runs_open_in_bench"], layout["runs_open_in_learn"]),
                         ("bench", False, False))
        self.assert_plays(["wait idle; expect page lesson, lesson reduction, step 3, mode bench"])
        settings.write_text('{"theme": ')
        result = self.assert_plays(["wait idle; expect step 1, page course, mode learn"])
        self.assertIn("was renamed to", result.stderr)
        self.assertTrue((settings.parent / "settings.json.damaged").exists())

    def test_a_run_without_an_answer_is_asked_about_by_keyboard_and_by_mouse(self):
        self.assert_plays(
            [
                {"wait": "idle"},
                {"expect": {"asks_first": True, "status": None, "widgets": {"strip.held": "~answer"}}},
                # Back to the question comes first.
                "key F5; hover run_unanswered.no; key Escape; expect asks_first true, runs 0; key F5; key Tab; key Enter",
                "expect asks_first true, runs 0; key F5; click run_unanswered.yes; wait idle",
                {"expect": {"asks_first": False, "runs": 1, "status": "ok", "widgets": {"result.verdict": "~total"}}},
                # With the question passed over, F5 runs.
                "key F5; wait idle; expect runs 2",
            ],
            "reduction", "--step", "2",
        )

    def test_both_arrangements_can_be_worked_by_keys_alone(self):
        self.assert_plays(
            [
                "wait idle; expect mode learn; key Ctrl+R; hover runs.compare; key Ctrl+R; key Ctrl+B; expect mode bench",
                "hover bench.run; key Ctrl+L; hover story.next; key Ctrl+L; key Ctrl+B; expect mode learn; click stage.all",
                "hover bench.seed; key Escape; key Shift+F11; expect presenting true; key Escape",
                "expect presenting false, mode learn"],
            "reduction", "--step", "2")

    def test_a_real_mouse_and_keyboard(self):
        """xdotool in place of the script player: the window system's own events."""
        # Where the widgets are: asked of another start at the same size.
        self.play(["wait idle"], "reduction", "--ui-map", "places.json")
        places = {widget["id"]: widget for widget in self.json_in("places.json")}
        process = self.start("reduction", "--frame-log", "frames.csv")

        def xdotool(*arguments):
            return subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True).stdout

        def opened():
            self.assertIsNone(process.poll(), "the program has ended")
            return xdotool("search", "--name", "^Gridstride$").strip()

        window = wait_until(opened, "the window opens")
        frames = self.folder / "frames.csv"
        wait_until(lambda: frames.exists() and frames.stat().st_size > 0, "the first frames are logged")

        def click(name):
            widget = places[name]
            xdotool("mousemove", int(widget["x"] + widget["width"] / 2), int(widget["y"] + widget["height"] / 2))
            time.sleep(0.3)
            xdotool("click", 1)
            time.sleep(0.3)

        click("mode.bench")
        xdotool("windowfocus", window.split()[0])
        xdotool("key", "Right")
        settings = self.folder / "config" / "gridstride" / "settings.json"

        def remembered():
            try:
                return json.loads(settings.read_text())
            except (OSError, ValueError):
                return {}

        def arrived():
            # The window is told again: an X server without a window manager loses keys sent before it has the focus.
            return remembered().get("layout", {}).get("arrangement") == "bench" and left_at(remembered(), "everyone_adds_to_one_counter")

        def try_again():
            if arrived():
                return True
            xdotool("mousemove_relative", 1, 0)
            time.sleep(1)
            return arrived()

        wait_until(try_again, "the click on Bench and the key for the next step have arrived")
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=PATIENCE)
        self.assertNotIn("Vulkan validation", process.stderr.read())


class Idle(Case):
    def test_an_idle_window_draws_no_frames(self):
        display = Display()
        self.addCleanup(display.close)
        self.environment["DISPLAY"] = display.name
        process = self.start("reduction", "--frame-log", "frames.csv")
        frames = self.folder / "frames.csv"
        wait_until(lambda: frames.exists() and frames.stat().st_size > 0, "the first frames are logged")

        def rests():
            used = processor_seconds(process.pid)
            time.sleep(1)
            return processor_seconds(process.pid) - used < 0.05

        # The second time in a row, since a machine that is busy gives it little at first.
        wait_until(lambda: rests() and rests(), "the window rests")
        process.terminate()
        process.wait(timeout=PATIENCE)


if __name__ == "__main__":
    unittest.main(verbosity=2)
