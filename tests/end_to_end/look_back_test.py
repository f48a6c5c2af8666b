"""The scan with look-back: its statuses stay in memory from launch to launch, and mistakes in their protocol are found."""

import json
import pathlib
import random
import shutil
import unittest

from program import FULL, Case

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
# Each launch is compared with a scan that does not look back, on the device, and the differences of all launches are counted.
COMPARED = """
[output.looked]
type = "u32"
[output.wrong]
type = "u32"
shape = ["1"]
[scratch.differences]
type = "u32"
shape = ["1"]
fill = 0
kept = true

[[variant]]
id = "compared"
title = "Compared"
summary = "Two scans are compared."
outputs = ["sums", "looked", "wrong"]
expect.looked = "scanned"
expect.wrong = "iota(1)"
launches = [
    { kernel = "tile_sums.comp", vec4 = ["numbers"], constants = ["kind", "vectors"], grid = ["tile_count"], tile = ["tile_size"], iterations_once = "rounds + 60" },
    { kernel = "scan_tile_sums.comp", domain = ["tile_count"], workgroup = [256], grid = [1], iterations_per_pass = 12 },
    { kernel = "scan_tiles.comp", vec4 = ["numbers", "sums"], reads = ["tile_sums"], constants = ["kind", "vectors"], workgroup = ["workgroup_size"], grid = ["tile_count"], tile = ["tile_size"], iterations_once = "rounds + 120" },
    { kernel = "second.comp", vec4 = ["numbers", "looked"], constants = ["kind", "vectors"], workgroup = ["workgroup_size"], grid = ["tile_count"], tile = ["tile_size"], iterations_once = "polls + 30000" },
    { kernel = "compare.comp", reads = ["sums", "looked"], workgroup = [64], grid = ["divide_up(n, 64)"] },
    { kernel = "report.comp", reads = ["differences"], domain = [1], workgroup = [1], grid = [1] },
]
"""
COMPARE = """// Counts differences.
void main() {
    const uint i = gl_GlobalInvocationID.x;
    if (i < launch.count && sums[i] != looked[i]) atomicAdd(differences[0], 1);
}
"""
REPORT = """// Copies the count.
void main() { wrong[0] = differences[0]; }
"""


class ScanCopy(Case):
    """A copy of the lesson with a variant whose second kernel looks back from one array to another."""

    def add_variant(self, variant, from_array, to_array):
        self.lesson = self.folder / "copy_of_scan"
        shutil.copytree(LESSON, self.lesson)
        lesson = (self.lesson / "lesson.toml").read_text()
        (self.lesson / "lesson.toml").write_text(lesson.replace('title = "Scan"', 'title = "Copy"') + variant)
        kernel = (self.lesson / "look_back.comp").read_text()
        (self.lesson / "second.comp").write_text(
            kernel.replace("NUMBERS numbers", f"NUMBERS {from_array}").replace("SUMS sums", f"SUMS {to_array}"))


class ManyLaunches(ScanCopy):
    def test_each_launch_is_correct(self):
        """On a GPU 100,000 launches."""
        self.add_variant(COMPARED, "numbers", "looked")
        (self.lesson / "compare.comp").write_text(COMPARE)
        (self.lesson / "report.comp").write_text(REPORT)
        is_cpu = json.loads(self.run_program("devices", "--json").stdout)["devices"][0]["is_cpu"]
        # Log-uniform, and on a software device without a poll, so that missing tiles are added up again.
        sizes, samples, polls = (8, 130, 0) if is_cpu else (25, 200, 1000)
        launches = 0
        for number in range(sizes):
            elements = int(2 ** ((16 if is_cpu else 22) * (number + random.random()) / sizes))
            report = self.run_json("run", "copy_of_scan", "--lessons", self.lesson, "--variant", "compared", "--elements",
                                   elements, "--polls", polls, "--workgroup-size", random.choice((64, 256, 1024)), "--samples",
                                   samples, "--seed", number, code=0)
            launches += report["timings"]["kernel_repeats"] * len(report["timings"]["kernel_ns"]["samples"])
        print(f"{launches} launches compared")
        self.assertGreaterEqual(launches, 1000 if is_cpu else 100_000)


class Protocol(ScanCopy):
    def setUp(self):
        super().setUp()
        self.add_variant(SUMS_OF_SUMS, "sums", "sums_of_sums")

    def run_twice(self, elements, polls=1000, samples=3):
        result = self.run_program("run", "copy_of_scan", "--lessons", self.lesson, "--variant", "twice", "--elements", elements,
                                  "--polls", polls, "--workgroup-size", 64, "--samples", samples)
        return result.returncode, result.stdout + result.stderr

    def replace(self, text, replacement, file="look_back.glsl"):
        source = (self.lesson / file).read_text()
        self.assertIn(text, source)
        (self.lesson / file).write_text(source.replace(text, replacement))

    def test_all_launches_are_correct(self):
        # One tile, some that are not full, and many.
        for elements in (1, 511, 513, 100003) + ((4194305,) if FULL else ()):
            for polls in (0, 1000):
                with self.subTest(elements=elements, polls=polls):
                    code, text = self.run_twice(elements, polls, samples=10)
                    self.assertEqual(code, 0, text)

    def reverse_order(self):
        """Tiles get their tickets in reverse, so that without polls a tile finds nothing of those before it, except what
        the launch before left."""
        self.replace("tile_of_workgroup =\n            ticket", "tile_of_workgroup =\n            tile_count() - 1 - ticket")
        self.replace("- parity * tile_count();", "+ parity * tile_count();")

    def test_order_of_the_tiles_does_not_matter(self):
        self.reverse_order()
        code, text = self.run_twice(5003, polls=0, samples=10)
        self.assertEqual(code, 0, text)

    def test_statuses_of_an_earlier_launch_give_a_mismatch(self):
        self.reverse_order()
        self.replace("&& head >> 2 == parity;", ";")
        code, text = self.run_twice(5003, polls=0)
        self.assertEqual(code, 1, text)
        self.assert_mentions(text, "sums_of_sums")

    def test_tickets_reset_too_early_give_a_mismatch(self):
        self.reverse_order()
        self.replace("ticket == 2 * tile_count() - 1", "ticket == tile_count() - 1")
        code, text = self.run_twice(5003, polls=0)
        self.assertEqual(code, 1, text)

    def test_flag_stored_before_its_value_gives_a_mismatch(self):
        # It keeps a wrong value until the next tile has a ticket, and a little longer.
        self.replace("publish(tile, sum_known, total);",
                     "{ publish(tile, sum_known, total - 1);"
                     "  const uint next = tile + 1 + parity * tile_count();"
                     "  for (uint i = 0; i < 60000 && next < 2 * tile_count() && load_word(0xffffffffu) == next; ++i) { }"
                     "  for (uint i = 0; i < 5000; ++i) load_word(2 * tile);"
                     "  publish(tile, sum_known, total); }")
        # Another workgroup must look while the wrong value is there.
        for _ in range(10):
            code, text = self.run_twice(100003)
            if code != 0:
                break
        self.assertEqual(code, 1, text)


class SharedRows(Case):
    """Workgroups that share a row of softmax wait for each other, or read the row themselves."""

    def run_changed(self, *changes, columns=20003, workgroup="64x1"):
        variant = ("run", "softmax", "--variant", "several_workgroups")
        kernel = self.run_program(*variant, "--print-kernel").stdout
        for text, replacement in changes:
            self.assertIn(text, kernel)
            kernel = kernel.replace(text, replacement)
        self.write("changed.comp", kernel)
        result = self.run_program(*variant, "--kernel", "changed.comp", "--columns", columns, "--rows", 7, "--workgroup", workgroup,
                                  "--samples", 3)
        return result.returncode, result.stdout + result.stderr

    def test_rows_are_correct_without_a_poll(self):
        no_polls = ("max_polls = 1000", "max_polls = 0")
        first = "uint n = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;"
        in_reverse = (first, first.replace("= ", "= workgroup_count - 1 - (").replace(";", ");"))
        for changes in ((), (no_polls,), (in_reverse,), (no_polls, in_reverse)):
            for columns, workgroup in ((20003, "64x1"), (5000, "7x3"), (1, "64x1")):
                with self.subTest(changes=len(changes), columns=columns):
                    code, text = self.run_changed(*changes, columns=columns, workgroup=workgroup)
                    self.assertEqual(code, 0, text)

    def test_a_wrong_sum_of_a_part_gives_a_mismatch(self):
        code, text = self.run_changed(("publish_word(word + 1, own.sum);", "publish_word(word + 1, 0.5 * own.sum);"))
        self.assertEqual(code, 1, text)
        self.assert_mentions(text, "shares")


if __name__ == "__main__":
    unittest.main()
