"""Adding lessons in C++ to a copy of the sources: build, run and check."""

import os
import pathlib
import shutil
import subprocess
import time
import unittest

from program import Case

SOURCE = pathlib.Path(__file__).resolve().parents[2]

RACING_KERNEL = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) writeonly buffer Marked { uint marked[]; };
shared uint tile[4][8];

void main() {
    const uvec2 me = gl_LocalInvocationID.xy;
    const uint i = gl_GlobalInvocationID.y * launch.columns + gl_GlobalInvocationID.x;
    tile[me.y][me.x] = numbers[i];
    marked[i] = tile[3u - me.y][me.x];
}
"""


class AddedLessons(Case):
    def build(self, *arguments, **options):
        result = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, **options)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:] + result.stderr[-4000:])

    def test_added_lessons_build_run_and_are_right(self):
        copy = self.folder / "copy"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", ".git", "out", ".*"))
        # One lesson besides the added ones is enough.
        for lesson in (copy / "lessons").iterdir():
            if lesson.is_dir() and lesson.name != "reduction":
                shutil.rmtree(lesson)
                shutil.rmtree(copy / "shaders" / lesson.name, ignore_errors=True)
        # One over rows and columns, one whose plan is a graph of 60 launches, one whose kernels are programs.
        for lesson in (copy / "tests/lessons").iterdir():
            shutil.move(lesson / "shaders", copy / "shaders" / lesson.name)
            shutil.move(lesson, copy / "lessons" / lesson.name)
        # Built like the tested program and in a folder of the same name, so that ccache has the unchanged files.
        environment = dict(os.environ, CCACHE_BASEDIR=str(copy), CCACHE_NOHASHDIR="1")
        if shutil.which("ccache"):
            environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        self.build("cmake", "--preset", "release", "-D", "GRIDSTRIDE_WERROR=ON", "-D", "BUILD_TESTING=OFF", cwd=copy, env=environment)
        self.build("ninja", "-C", copy / "build/release", "gridstride", env=environment)

        self.executable = copy / "build/release/bin/gridstride"
        checks = {}
        for lesson in ("checkered", "graph", "doubling"):
            self.run_program("screenshot", lesson, "--output", self.folder / f"{lesson}.png", code=0)
            checks[lesson] = self.run_program("check", lesson, code=0).stdout
            self.assertRegex(checks[lesson], r"\n[1-9][0-9]* runs, 0 wrong\n")
        self.check_extents()
        self.check_trace_of_extents()
        self.check_exercise(copy, checks["checkered"])
        self.check_graph()
        self.check_programs()

    def check_extents(self):
        """Extents work as flags and sweep axes, and in CSV, JSON and messages."""
        report = self.run_json("run", "checkered", "--workgroup", "32x4", "--grid", "2x3", "--samples", 1, "--csv", "c.csv")
        self.assertEqual((report["status"], report["parameters"]["workgroup"], report["parameters"]["grid"]), ("ok", "32x4", "2x3"))
        self.assertEqual((report["launch"]["workgroup_size"], report["launch"]["workgroup_count"]), (128, 6))
        row = self.read_rows("c.csv")[0]
        self.assertEqual((row["elements"], row["workgroup_size"], row["workgroup_count"]), ("60000", "128", "6"))
        self.assertIn("workgroup=32x4;grid=2x3", row["parameters"])
        self.assertIn("columns=300;rows=200", row["parameters"])
        sweep = self.run_json("sweep", "checkered", "--workgroup", "4x4:16x16:x2", "--samples", "2")
        self.assertEqual([cell["values"]["workgroup"] for cell in sweep["cells"]], ["4x4", "8x8", "16x16"])
        for wrong in ("16", "16x", "0x4", "4x4x4", "4000x4000"):
            self.assertIn("16x16", self.run_program("run", "checkered", "--workgroup", wrong, code=2).stderr)

    def check_trace_of_extents(self):
        """A user kernel with workgroups of 8 x 4 reads another row of its tile without a barrier; the trace can be computed by
        hand."""
        self.write("upside_down.comp", RACING_KERNEL)
        report = self.run_json("inspect", "checkered", "--kernel", "upside_down.comp", "--columns", "16", "--rows", "8", "--workgroup", "8x4",
                               "--grid", "2x2", "--trace", "records.csv", code=1)
        self.assertEqual((report["launch"]["workgroup"], report["launch"]["grid"], report["records"]), ("8x4", "2x2", 4 * 32 * 4))
        for record in self.read_rows("records.csv"):
            (group_y, group_x), (y, x) = divmod(int(record["workgroup"]), 2), divmod(int(record["invocation"]), 8)
            element = {"numbers": (group_y * 4 + y) * 16 + group_x * 8 + x, "marked": (group_y * 4 + y) * 16 + group_x * 8 + x,
                       "tile": (y if record["kind"] == "store" else 3 - y) * 8 + x}
            self.assertEqual(int(record["byte_offset"]), 4 * element[record["variable"]], record)
        race, = (finding for finding in report["findings"] if finding["id"] == "race")
        self.assertEqual((race["status"], race["count"]), ("problem", 4 * 32))
        for case in ("first", "other"):
            x, y = race[case]["invocation"] % 8, race[case]["invocation"] // 8
            self.assertIn(f"invocation ({x}, {y})", race["sentence"])
        self.assertIn("workgroup (0, 0)", race["sentence"])

    def check_exercise(self, copy, check):
        """An exercise is judged like a variant, but `list` does not name it."""
        listed = self.run_json("list")["lessons"]
        checkered = next(lesson for lesson in listed if lesson["id"] == "checkered")
        self.assertEqual([variant["id"] for variant in checkered["variants"]], ["mark"])
        turn = ("run", "checkered", "--variant", "turn", "--samples", 1)
        self.assertEqual(self.run_json(*turn, code=1)["status"], "mismatch")
        solution = copy / "shaders/checkered/turn.comp"
        self.assertEqual(self.run_json(*turn, "--kernel", solution)["status"], "ok")
        self.assertRegex(check, r"(?m)^checkered +turn +[1-9]\d* +0 .*✓$")
        # `check` reports a starter that is already a solution, and a solution that is wrong.
        shipped = self.executable.parent.parent / "share/gridstride/shaders/checkered"
        for file, replacement, expected in (("turn_start.comp", "turn.comp", "already meets every requirement"), ("turn.comp", "turn_start.comp", "columns = ")):
            original = (shipped / file).read_text()
            (shipped / file).unlink()
            (shipped / file).write_text((copy / "shaders/checkered" / replacement).read_text())
            self.assertIn(expected, self.run_program("check", "checkered", code=1).stderr)
            (shipped / file).write_text(original)

    def check_graph(self):
        started = time.monotonic()
        report = self.run_json("run", "graph", "--samples", 1)
        self.assertEqual((report["status"], report["launch"]["dispatches"]), ("ok", 60))
        # All launches share one kernel, which is compiled once.
        self.assertLess(report["timings"]["compile_ns"] / 1e9, time.monotonic() - started)

    def check_programs(self):
        """A user program replaces that of the variant; its errors are reported line by line."""
        self.write("numbers.csv", "1\n2\n5\n")
        user_program = self.folder / "mine.doubling"
        user_program.write_text("read numbers.csv 3\ndouble\nsave doubled.npy\n")
        run = ("run", "doubling", "--samples", 1, "--kernel", user_program)
        report = self.run_json(*run)
        self.assertEqual((report["status"], report["kernel"], report["result"]["last"]), ("ok", "mine.doubling", 10))
        self.assertFalse((self.folder / "doubled.npy").exists(), "run writes no file of the program")
        user_program.write_text("read numbers.csv 4\ndouble\n")
        too_few = self.run_program(*run, "--json", code=2).stderr
        self.assertIn("mine.doubling:1: error: numbers.csv holds 3 numbers", too_few)
        self.assertIn("mine.doubling has an error", too_few)
        user_program.write_text("take 4\ntriple\nhalve\n")
        two_errors = self.run_program(*run, "--json", code=2)
        self.assertEqual(two_errors.stdout, "")
        for line in (2, 3):
            self.assertIn(f"mine.doubling:{line}: error: ", two_errors.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
