"""The player of a recording moves as the recording says, whoever moves it; and a recording's memory is given back."""

import subprocess
import unittest

from program import PATIENCE, WindowCase, resident_bytes, wait_until

SETTINGS = {"variant": "tree_sequential", "elements": "1024", "workgroup_size": "32"}
FLAGS = ["--variant", "tree_sequential", "--elements", 1024, "--workgroup-size", 32]


class Recorded(WindowCase):
    def recorded(self, settings):
        """On the bench: to the Inside tab, with a recording of these settings."""
        return [*(f"set bench.{name} {value}" for name, value in settings.items()),
                "wait idle; click stage.inside; click inside.record; wait idle; expect recording done"]

    def wait_for(self, process, name):
        """A map that the script writes."""
        wait_until(lambda: (self.folder / name).exists() or process.poll() is not None, name)
        if process.poll() is not None:
            self.fail(process.stderr.read())


class Player(Recorded):
    def steps_of_first_workgroup(self):
        """From the command line's table. In this tree the first invocation is in every step, and each place in the source comes
        once between two barriers: so its records are the steps, and what the others do at the same place belongs to them."""
        self.run_program("inspect", "reduction", *FLAGS, "--workgroups", "0:0", "--trace", "records.csv")
        records = self.rows("records.csv")
        first = [record for record in records if record["invocation"] == "0"]
        return [(step, [r for r in records if (r["epoch"], r["site"]) == (step["epoch"], step["site"])]) for step in first]

    def test_each_step_shows_its_line_and_the_memory_as_it_stands_then(self):
        steps = self.steps_of_first_workgroup()
        self.assertGreater(len(steps), 20)
        script = self.at_the_bench() + self.recorded(SETTINGS)
        for number in range(len(steps)):
            script += [f"map step{number}.json", {"click": "inside.next"} if number == 0 else {"key": "Right"}]
        self.assert_plays(script, "reduction", "--step", "1")

        cells = {}
        for number, (step, all_lanes) in enumerate(steps):
            shown = self.json_in(f"step{number}.json")
            widgets = {widget["id"]: widget for widget in shown["widgets"]}
            with self.subTest(step=number + 1):
                self.assertEqual(widgets["inside.where"]["value"], f"step {number + 1} of {len(steps)} · epoch {step['epoch']}")
                self.assertIn(f"{step['line']}: ", widgets["inside.step"]["value"])
                of_step = [name for name, widget in widgets.items() if widget["value"].endswith(", this step")]
                self.assertEqual(of_step, [f"inside.line.{step['line']}"])
                for record in all_lanes:
                    if record["variable"] == "sums":
                        cells[int(record["byte_offset"]) // 4] = record["value"]
                self.assertEqual(self.texts_in(widgets["inside.memory"], shown["texts"]), [cells[i] for i in sorted(cells)])

    def texts_in(self, place, texts):
        """What stands in its cells, row by row."""
        def is_in(text):
            x, y = text["x"] + text["width"] / 2, text["y"] + text["height"] / 2
            return 0 < x - place["x"] < place["width"] and 0 < y - place["y"] < place["height"]

        return [text["text"] for text in sorted(filter(is_in, texts), key=lambda text: (text["y"], text["x"]))]

    def test_it_plays_and_steps_by_a_real_keyboard(self):
        last = len(self.steps_of_first_workgroup())
        # Keys, and what the window shows then; a step that plays on is only passed.
        typed = [("Right", {"inside.where": "~step 2 of "}), ("Down", {"inside.where": "~step 3 of "}),
                 ("Left", {"inside.where": "~step 2 of "}), ("End", {"inside.where": f"~step {last} of {last} "}),
                 ("Up", {"inside.where": f"~step {last - 1} of "}), ("Home", {"inside.where": "~step 1 of "}),
                 ("space", {"inside.play": "Pause"}), ("space", {"inside.play": "Play"}),
                 # To the end, where it stops by itself; from there it begins anew.
                 ("space", {"inside.play": "Play", "inside.where": f"~step {last} of {last} "}),
                 ("space", {"inside.play": "Pause", "inside.where": "~step 3 of "}),
                 # A step by hand ends it.
                 ("Home", {"inside.play": "Play", "inside.where": "~step 1 of "})]
        script = self.at_the_bench() + self.recorded(SETTINGS) + [
            "click inside.speed; click inside.speed",
            {"expect": {"widgets": {"inside.speed": "4×", "inside.where": "~step 1 of "}}}]
        for number, (_, shows) in enumerate(typed):
            script += [f"map key{number}.json", {"expect": {"widgets": shows}}]
        window = self.start_script(script, "reduction", "--step", 1)
        for number, (key, _) in enumerate(typed):
            self.wait_for(window, f"key{number}.json")
            subprocess.run(["xdotool", "search", "--name", "^Gridstride$", "windowfocus", "--sync", "key", key],
                           env=self.environment, check=True)
        _, err = window.communicate(timeout=4 * PATIENCE)
        self.assertEqual(window.returncode, 0, err)


class Memory(Recorded):
    def test_a_recording_that_is_gone_has_given_its_memory_back(self):
        """64 Ki records, each time: seen, given back for another lesson, made again."""
        rounds, max_growth = 7, 8 << 20
        # What is freed goes back to the system at once: what malloc keeps for later, or as part of a large page, is not what
        # the window holds.
        self.environment.update(GLIBC_TUNABLES="", MALLOC_ARENA_MAX="1", MALLOC_MMAP_THRESHOLD_=str(1 << 17))
        large = {"variant": "tree_sequential", "elements": "4096", "workgroup_size": "1024"}
        recorded = self.recorded(large)
        script = self.at_the_bench() + recorded + ["see inside.said ~of 4 workgroups"]
        for number in range(rounds):
            script += ["click top.course; click course.card.histogram; wait idle; expect recording none",
                       f"map round{number}.json; wait 0.5; click top.course; click course.card.reduction; wait idle",
                       "click stage.picture", *recorded]
        window = self.start_script(script, "reduction", "--step", 1)
        held = []
        for number in range(rounds):
            self.wait_for(window, f"round{number}.json")
            held.append(resident_bytes(window.pid))
        _, err = window.communicate(timeout=4 * PATIENCE)
        self.assertEqual(window.returncode, 0, err)
        # 64 Ki records of 48 bytes and more, as they came and taken apart, are 6 MiB and more in each round. Other threads
        # hold memory for a moment: that is gone from one of the last three readings, and a leak from none.
        self.assertLess(min(held[-3:]), held[1] + max_growth, held)


if __name__ == "__main__":
    unittest.main(verbosity=2)
