"""The window used by keyboard and by a real mouse, the settings that it saves, and its CPU use while idle."""

import json
import signal
import subprocess
import time
import unittest

from program import TIMEOUT, Case, Display, WindowCase, cpu_seconds, wait_until


def is_left_at(settings, step):
    return any(position["lesson"] == "reduction" and position["id"] == step for position in settings.get("left", []))


class Keys(WindowCase):
    def test_settings_are_remembered_and_a_damaged_file_is_set_aside(self):
        self.assert_plays(["wait idle; click top.view; click view.theme; click mode.bench; click runs.open",
                           "click story.step.3; wait idle"], "reduction")
        settings = self.folder / "config" / "gridstride" / "settings.json"
        remembered = json.loads(settings.read_text())
        self.assertEqual((remembered["theme"], remembered["lesson"]), ("light", "reduction"))
        self.assertTrue(is_left_at(remembered, "workgroup_memory"))
        layout = remembered["layout"]
        self.assertEqual((layout["arrangement"], layout["runs_open_in_bench"], layout["runs_open_in_learn"]),
                         ("bench", False, False))
        self.assert_plays(["wait idle; expect page lesson, lesson reduction, step 3, mode bench"])
        settings.write_text('{"theme": ')
        result = self.assert_plays(["wait idle; expect step 1, page course, mode learn"])
        self.assertIn("was renamed to", result.stderr)
        self.assertTrue((settings.parent / "settings.json.damaged").exists())

    def test_run_without_an_answer_asks_for_confirmation(self):
        self.assert_plays(
            [
                {"wait": "idle"},
                {"expect": {"asks_first": True, "status": None, "widgets": {"strip.held": "~Answer"}}},
                # The button that returns to the question has the focus.
                "key F5; hover run_unanswered.no; key Escape; expect asks_first true, runs 0; key F5; key Tab; key Enter",
                "expect asks_first true, runs 0; key F5; click run_unanswered.yes; wait idle",
                {"expect": {"asks_first": False, "runs": 1, "status": "ok", "widgets": {"result.verdict": "~total"}}},
                # Once the question is skipped, F5 runs.
                "key F5; wait idle; expect runs 2",
            ],
            "reduction", "--step", "2",
        )

    def test_both_arrangements_work_by_keyboard_alone(self):
        self.assert_plays(
            [
                "wait idle; expect mode learn; key Ctrl+R; hover runs.compare; key Ctrl+R; key Ctrl+B; expect mode bench",
                "hover bench.run; key Ctrl+L; hover story.next; key Ctrl+L; key Ctrl+B; expect mode learn; click stage.all",
                "hover bench.seed; key Escape; key Shift+F11; expect presenting true; key Escape",
                "expect presenting false, mode learn"],
            "reduction", "--step", "2")

    def test_a_real_mouse_and_keyboard(self):
        """xdotool sends events of the window system, unlike the script player."""
        # The positions of the widgets come from another start at the same size.
        self.play(["wait idle"], "reduction", "--ui-map", "places.json")
        boxes = {widget["id"]: widget for widget in self.read_json("places.json")}
        process = self.start("reduction", "--frame-log", "frames.csv")

        def xdotool(*arguments):
            return subprocess.run(["xdotool", *map(str, arguments)], env=self.environment, capture_output=True, text=True).stdout

        def find_window():
            self.assertIsNone(process.poll(), "the program has ended")
            return xdotool("search", "--name", "^Gridstride$").strip()

        window = wait_until(find_window, "the window opens")
        frames = self.folder / "frames.csv"
        wait_until(lambda: frames.exists() and frames.stat().st_size > 0, "the first frames are logged")

        def click(name):
            widget = boxes[name]
            xdotool("mousemove", int(widget["x"] + widget["width"] / 2), int(widget["y"] + widget["height"] / 2))
            time.sleep(0.3)
            xdotool("click", 1)
            time.sleep(0.3)

        click("mode.bench")
        xdotool("windowfocus", window.split()[0])
        xdotool("key", "Right")
        settings = self.folder / "config" / "gridstride" / "settings.json"

        def read_settings():
            try:
                return json.loads(settings.read_text())
            except (OSError, ValueError):
                return {}

        def has_taken_effect():
            # An X server without a window manager loses keys sent before the window has the focus, so the event may be late.
            return (read_settings().get("layout", {}).get("arrangement") == "bench"
                    and is_left_at(read_settings(), "everyone_adds_to_one_counter"))

        def try_again():
            if has_taken_effect():
                return True
            xdotool("mousemove_relative", 1, 0)
            time.sleep(1)
            return has_taken_effect()

        wait_until(try_again, "the click on Bench and the key for the next step have taken effect")
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=TIMEOUT)
        self.assertNotIn("Vulkan validation", process.stderr.read())


class Idle(Case):
    def test_idle_window_draws_only_when_the_display_has_lost_its_picture(self):
        display = Display()
        self.addCleanup(display.close)
        self.environment["DISPLAY"] = display.name
        process = self.start("reduction", "--frame-log", "frames.csv")
        frames = self.folder / "frames.csv"
        wait_until(lambda: frames.exists() and frames.stat().st_size > 0, "the first frames are logged")

        def is_idle():
            used = cpu_seconds(process.pid)
            time.sleep(1)
            return cpu_seconds(process.pid) - used < 0.05

        # Twice in a row, since on a busy machine the window may have had little CPU time at first.
        wait_until(lambda: is_idle() and is_idle(), "the window is idle")
        count = len(self.read_rows("frames.csv"))
        window = subprocess.run(["xdotool", "search", "--name", "^Gridstride$"], env=self.environment, capture_output=True, text=True)
        for command in ("windowunmap", "windowmap"):
            subprocess.run(["xdotool", command, window.stdout.split()[0]], env=self.environment, check=True)
        wait_until(lambda: any(float(row["present_ms"]) > 0 for row in self.read_rows("frames.csv")[count:]), "it draws again")
        process.terminate()
        process.wait(timeout=TIMEOUT)


if __name__ == "__main__":
    unittest.main(verbosity=2)
