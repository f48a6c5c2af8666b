"""The player of the Inside tab follows the trace, and the memory of a discarded trace is freed."""

import subprocess
import unittest

from program import TIMEOUT, WindowCase, resident_bytes, wait_until

SETTINGS = {"variant": "tree_sequential", "elements": "1024", "workgroup_size": "32"}
FLAGS = ["--variant", "tree_sequential", "--elements", 1024, "--workgroup-size", 32]


class TraceCase(WindowCase):
    screen = "1600x1000"  # all lanes and cells are visible

    def trace_steps(self, settings):
        """Script steps from the bench to the Inside tab with a trace at these settings."""
        return [*(f"set bench.{name} {value}" for name, value in settings.items()),
                "wait idle; click stage.inside; click inside.record; wait idle; expect recording done"]

    def wait_for_map(self, process, name):
        """Waits until the script has written this map."""
        wait_until(lambda: (self.folder / name).exists() or process.poll() is not None, f"{name} exists")
        if process.poll() is not None:
            self.fail(process.stderr.read())


class Player(TraceCase):
    def read_first_workgroup_steps(self):
        """Each step with the records of all its lanes, from the trace of the command line. In this tree the first invocation
        takes part in every step and reaches each site once between two barriers, so its records are the steps. A record of
        another invocation belongs to the step at the same site and epoch."""
        self.run_program("inspect", "reduction", *FLAGS, "--workgroups", "0:0", "--trace", "records.csv")
        records = self.read_rows("records.csv")
        first = [record for record in records if record["invocation"] == "0"]
        return [(step, [r for r in records if (r["epoch"], r["site"]) == (step["epoch"], step["site"])]) for step in first]

    def test_each_step_shows_its_line_and_the_memory_at_that_time(self):
        steps = self.read_first_workgroup_steps()
        self.assertGreater(len(steps), 20)
        script = self.at_the_bench() + self.trace_steps(SETTINGS)
        for number in range(len(steps)):
            script += [f"map step{number}.json", {"click": "inside.next"} if number == 0 else {"key": "Right"}]
        self.assert_plays(script, "reduction", "--step", "1")

        cells = {}
        for number, (step, lane_records) in enumerate(steps):
            shown = self.read_json(f"step{number}.json")
            widgets = {widget["id"]: widget for widget in shown["widgets"]}
            with self.subTest(step=number + 1):
                self.assertEqual(widgets["inside.where"]["value"], f"step {number + 1} of {len(steps)} · epoch {step['epoch']}")
                self.assertIn(f"{step['line']}: ", widgets["inside.step"]["value"])
                current_lines = [name for name, widget in widgets.items() if widget["value"].endswith(", this step")]
                self.assertEqual(current_lines, [f"inside.line.{step['line']}"])
                for record in lane_records:
                    if record["variable"] == "sums":
                        cells[int(record["byte_offset"]) // 4] = record["value"]
                self.assertEqual(self.texts_inside(widgets["inside.memory"], shown["texts"]), [cells[i] for i in sorted(cells)])

    def texts_inside(self, box, texts):
        """The texts inside the box, row by row."""
        def is_inside(text):
            x, y = text["x"] + text["width"] / 2, text["y"] + text["height"] / 2
            return 0 < x - box["x"] < box["width"] and 0 < y - box["y"] < box["height"]

        return [text["text"] for text in sorted(filter(is_inside, texts), key=lambda text: (text["y"], text["x"]))]

    def test_player_obeys_a_real_keyboard(self):
        last = len(self.read_first_workgroup_steps())
        # Each key with the state expected after it. While the player plays, a step need only be reached, not held.
        key_presses = [("Right", {"inside.where": "~step 2 of "}), ("Down", {"inside.where": "~step 3 of "}),
                       ("Left", {"inside.where": "~step 2 of "}), ("End", {"inside.where": f"~step {last} of {last} "}),
                       ("Up", {"inside.where": f"~step {last - 1} of "}), ("Home", {"inside.where": "~step 1 of "}),
                       ("space", {"inside.play": "Pause"}), ("space", {"inside.play": "Play"}),
                       # It plays to the end and stops; from there it restarts at the beginning.
                       ("space", {"inside.play": "Play", "inside.where": f"~step {last} of {last} "}),
                       ("space", {"inside.play": "Pause", "inside.where": "~step 3 of "}),
                       # A manual step stops it.
                       ("Home", {"inside.play": "Play", "inside.where": "~step 1 of "})]
        script = self.at_the_bench() + self.trace_steps(SETTINGS) + [
            "click inside.speed; click inside.speed",
            {"expect": {"widgets": {"inside.speed": "4×", "inside.where": "~step 1 of "}}}]
        for number, (_, expected) in enumerate(key_presses):
            script += [f"map key{number}.json", {"expect": {"widgets": expected}}]
        window = self.start_script(script, "reduction", "--step", 1)
        for number, (key, _) in enumerate(key_presses):
            self.wait_for_map(window, f"key{number}.json")
            subprocess.run(["xdotool", "search", "--name", "^Gridstride$", "windowfocus", "--sync", "key", key],
                           env=self.environment, check=True)
        _, err = window.communicate(timeout=4 * TIMEOUT)
        self.assertEqual(window.returncode, 0, err)


class Memory(TraceCase):
    def test_discarded_trace_frees_its_memory(self):
        """Traces 64 Ki accesses, shows them and discards them by opening another lesson, several times."""
        rounds, max_growth = 7, 8 << 20
        # malloc returns freed memory to the system at once, so that the resident size is what the window uses, without free
        # lists and partly used large pages.
        self.environment.update(GLIBC_TUNABLES="", MALLOC_ARENA_MAX="1", MALLOC_MMAP_THRESHOLD_=str(1 << 17))
        large = {"variant": "tree_sequential", "elements": "4096", "workgroup_size": "1024"}
        trace_steps = self.trace_steps(large)
        script = self.at_the_bench() + trace_steps + ["see inside.said ~of 4 workgroups"]
        for number in range(rounds):
            script += ["click top.course; click course.card.histogram; wait idle; expect recording none",
                       f"map round{number}.json; wait 0.5; click top.course; click course.card.reduction; wait idle",
                       "click stage.picture", *trace_steps]
        window = self.start_script(script, "reduction", "--step", 1)
        resident = []
        for number in range(rounds):
            self.wait_for_map(window, f"round{number}.json")
            resident.append(resident_bytes(window.pid))
        _, err = window.communicate(timeout=4 * TIMEOUT)
        self.assertEqual(window.returncode, 0, err)
        # 64 Ki records of at least 48 bytes, raw and analyzed, are at least 6 MiB per round. Other threads may use memory for a
        # moment: at least one of the last three readings is free of that, but none is free of a leak.
        self.assertLess(min(resident[-3:]), resident[1] + max_growth, resident)


if __name__ == "__main__":
    unittest.main(verbosity=2)
