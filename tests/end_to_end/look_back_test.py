"""The scan with look-back: its statuses stay in memory from launch to launch, and mistakes in their protocol are found."""

import pathlib
import shutil
import unittest

from program import FULL, TIMEOUT, Case

LESSON = pathlib.Path(__file__).resolve().parents[2] / "lessons/scan"
# Two scans use the same statuses, so those of the first scan would be wrong for the second one.
SUMS_OF_SUMS = """
[output.sums_of_sums]
type = "u32"

[[variant]]
id = "twice"
title = "Two scans"
summary = "The second one scans the sums of the first one."
outputs = ["sums", "sums_of_sums"]
expect.sums_of_sums = "where(kind == inclusive, cumsum(scanned), shift(cumsum(scanned), 0, 1))"
launches = [
    { kernel = "look_back.comp", vec4 = ["numbers", "sums"], constants = ["kind", "vectors"], grid = ["tile_count"], tile = ["tile_size"], iterations_once = "polls + 30000" },
    { kernel = "second.comp", vec4 = ["sums", "sums_of_sums"], reads = ["sums"], constants = ["kind", "vectors"], workgroup = ["workgroup_size"], grid = ["tile_count"], tile = ["tile_size"], iterations_once = "polls + 30000" },
]
"""


class LookBack(Case):
    def setUp(self):
        super().setUp()
        self.lesson = self.folder / "twice"
        shutil.copytree(LESSON, self.lesson)
        lesson = (self.lesson / "lesson.toml").read_text()
        (self.lesson / "lesson.toml").write_text(lesson.replace('title = "Scan"', 'title = "Twice"') + SUMS_OF_SUMS)
        kernel = (self.lesson / "look_back.comp").read_text()
        (self.lesson / "second.comp").write_text(
            kernel.replace("NUMBERS numbers", "NUMBERS sums").replace("SUMS sums", "SUMS sums_of_sums"))

    def run_twice(self, elements, polls=1000, samples=3):
        result = self.run_program("run", "twice", "--lessons", self.lesson, "--variant", "twice", "--elements", elements,
                                  "--polls", polls, "--workgroup-size", 64, "--samples", samples, timeout=4 * TIMEOUT)
        return result.returncode, result.stdout + result.stderr

    def replace(self, text, replacement, file="look_back.glsl"):
        source = (self.lesson / file).read_text()
        self.assertIn(text, source)
        (self.lesson / file).write_text(source.replace(text, replacement))

    def test_all_launches_are_right(self):
        # One tile, some that are not full, and many.
        for elements in (1, 511, 513, 100003) + ((4194305,) if FULL else ()):
            for polls in (0, 1000):
                with self.subTest(elements=elements, polls=polls):
                    code, text = self.run_twice(elements, polls, samples=10)
                    self.assertEqual(code, 0, text)

    def test_statuses_of_the_launch_before_are_found_wrong(self):
        self.replace("parity = ticket / tile_count();", "parity = 0;")
        self.replace("ticket - parity * tile_count();", "ticket % tile_count();")
        code, text = self.run_twice(100003)
        self.assertEqual(code, 1, text)
        self.assert_mentions(text, "sums_of_sums")

    def test_tickets_that_are_reset_too_early_are_found_wrong(self):
        self.replace("ticket == 2 * tile_count() - 1", "ticket == tile_count() - 1")
        code, text = self.run_twice(100003)
        self.assertEqual(code, 1, text)

    def test_flag_before_its_value_is_found_wrong(self):
        self.replace("publish(tile, sum_known, total);",
                     "{ publish(tile, sum_known, total - 1); for (uint i = 0; i < 20000; ++i) load_word(2 * tile); publish(tile, sum_known, total); }")
        code, text = self.run_twice(100003)
        self.assertEqual(code, 1, text)


if __name__ == "__main__":
    unittest.main()
