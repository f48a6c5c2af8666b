"""A teacher makes a lesson: skeleton, build, run, check, in a copy of the sources."""

import csv
import json
import os
import pathlib
import shutil
import subprocess
import time
import unittest

from program import Case

SOURCE = pathlib.Path(__file__).resolve().parents[2]

UPSIDE_DOWN = """#version 450
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


class NewLesson(Case):
    def command(self, *arguments, **options):
        result = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, **options)
        self.assertEqual(result.returncode, 0, result.stdout[-4000:] + result.stderr[-4000:])
        return result

    def test_a_skeleton_builds_runs_and_is_right(self):
        copy = self.folder / "copy"
        shutil.copytree(SOURCE, copy, ignore=shutil.ignore_patterns("build", ".git", "out", ".*"))
        # One lesson beside the new one is enough, and the window's tests are not needed.
        for lesson in (copy / "lessons").iterdir():
            if lesson.is_dir() and lesson.name not in ("reduction", "skeleton"):
                shutil.rmtree(lesson)
                shutil.rmtree(copy / "shaders" / lesson.name)
        self.command("cmake", "-D", "ID=my_lesson", "-P", copy / "lessons/new_lesson.cmake")
        again = subprocess.run(["cmake", "-D", "ID=my_lesson", "-P", copy / "lessons/new_lesson.cmake"], capture_output=True)
        self.assertNotEqual(again.returncode, 0, "an existing lesson is not overwritten")
        # What other teachers made: one over rows and columns, one whose plan is a graph of sixty launches, one of programs.
        for lesson in (copy / "tests/lessons").iterdir():
            shutil.move(lesson / "shaders", copy / "shaders" / lesson.name)
            shutil.move(lesson, copy / "lessons" / lesson.name)
        # Built as the program that is tested was, in a folder of the same name: what did not change lies in ccache.
        environment = dict(os.environ, CCACHE_BASEDIR=str(copy), CCACHE_NOHASHDIR="1")
        if shutil.which("ccache"):
            environment["CMAKE_CXX_COMPILER_LAUNCHER"] = "ccache"
        self.command("cmake", "--preset", "release", "-D", "GRIDSTRIDE_WERROR=ON", "-D", "BUILD_TESTING=OFF", cwd=copy, env=environment)
        self.command("ninja", "-C", copy / "build/release", "gridstride", env=environment)

        program = copy / "build/release/bin/gridstride"
        run = self.command(program, "run", "my_lesson", "--json", "--factor", "3", env=self.environment)
        report = json.loads(run.stdout)
        self.assertEqual((report["status"], report["parameters"]["factor"]), ("ok", 3))
        for lesson in ("my_lesson", "checkered", "graph", "doubling"):
            self.command(program, "screenshot", lesson, "--output", self.folder / f"{lesson}.png", env=self.environment)
            check = self.command(program, "check", lesson, env=self.environment)
            self.assertRegex(check.stdout, r"\n[1-9][0-9]* runs, 0 wrong\n")
        self.rows_and_columns(program)
        self.recorded_by_rows_and_columns(program)
        self.exercise(program, copy)
        self.graph(program)
        self.programs(program)

    def rows_and_columns(self, program):
        """Extents are flags, sweep axes, CSV and JSON, and messages."""
        run = self.command(program, "run", "checkered", "--json", "--workgroup", "32x4", "--grid", "2x3", "--csv", self.folder / "c.csv", env=self.environment)
        report = json.loads(run.stdout)
        self.assertEqual((report["status"], report["parameters"]["workgroup"], report["parameters"]["grid"]), ("ok", "32x4", "2x3"))
        self.assertEqual((report["launch"]["workgroup_size"], report["launch"]["workgroup_count"]), (128, 6))
        with open(self.folder / "c.csv", newline="") as file:
            row = next(csv.DictReader(file))
        self.assertEqual((row["elements"], row["workgroup_size"], row["workgroup_count"]), ("60000", "128", "6"))
        self.assertIn("workgroup=32x4;grid=2x3", row["parameters"])
        self.assertIn("columns=300;rows=200", row["parameters"])
        sweep = self.command(program, "sweep", "checkered", "--workgroup", "4x4:16x16:x2", "--samples", "2", "--json", env=self.environment)
        self.assertEqual([cell["values"]["workgroup"] for cell in json.loads(sweep.stdout)["cells"]], ["4x4", "8x8", "16x16"])
        for wrong in ("16", "16x", "0x4", "4x4x4", "4000x4000"):
            refused = subprocess.run([program, "run", "checkered", "--workgroup", wrong], capture_output=True, text=True, env=self.environment)
            self.assertEqual(refused.returncode, 2, wrong)
            self.assertIn("16x16", refused.stderr)

    def recorded_by_rows_and_columns(self, program):
        """A person's own kernel of 8 x 4 invocations that reads another row of its tile too early: who did what is known on paper."""
        self.write("upside_down.comp", UPSIDE_DOWN)
        inspected = subprocess.run(
            [
                program, "inspect", "checkered", "--kernel", "upside_down.comp", "--columns", "16", "--rows", "8",
                "--workgroup", "8x4", "--grid", "2x2", "--json", "--trace", "records.csv"],
            capture_output=True, text=True, cwd=self.folder, env=self.environment)
        self.assertEqual(inspected.returncode, 1, inspected.stderr)
        report = json.loads(inspected.stdout)
        self.assertEqual((report["launch"]["workgroup"], report["launch"]["grid"], report["records"]), ("8x4", "2x2", 4 * 32 * 4))
        with open(self.folder / "records.csv", newline="") as file:
            for record in csv.DictReader(file):
                (group_y, group_x), (y, x) = divmod(int(record["workgroup"]), 2), divmod(int(record["invocation"]), 8)
                place = {"numbers": (group_y * 4 + y) * 16 + group_x * 8 + x, "marked": (group_y * 4 + y) * 16 + group_x * 8 + x,
                         "tile": (y if record["kind"] == "store" else 3 - y) * 8 + x}
                self.assertEqual(int(record["byte_offset"]), 4 * place[record["variable"]], record)
        race, = (finding for finding in report["findings"] if finding["id"] == "race")
        self.assertEqual((race["status"], race["count"]), ("problem", 4 * 32))
        for case in ("first", "other"):
            x, y = race[case]["invocation"] % 8, race[case]["invocation"] // 8
            self.assertIn(f"invocation ({x}, {y})", race["sentence"])
        self.assertIn("workgroup (0, 0)", race["sentence"])

    def exercise(self, program, copy):
        """What students make is judged as any variant is, and stands in no list."""
        listed = json.loads(self.command(program, "list", "--json", env=self.environment).stdout)["lessons"]
        checkered = next(lesson for lesson in listed if lesson["id"] == "checkered")
        self.assertEqual([variant["id"] for variant in checkered["variants"]], ["mark"])
        turn = [program, "run", "checkered", "--variant", "turn", "--json"]
        started = subprocess.run(turn, capture_output=True, text=True, env=self.environment)
        self.assertEqual((started.returncode, json.loads(started.stdout)["status"]), (1, "mismatch"))
        solution = copy / "shaders/checkered/turn.comp"
        made = self.command(*turn, "--kernel", solution, env=self.environment)
        self.assertEqual(json.loads(made.stdout)["status"], "ok")
        check = self.command(program, "check", "checkered", env=self.environment)
        self.assertRegex(check.stdout, r"(?m)^checkered +turn +[1-9]\d* +0 .*✓$")
        # A starter that is the answer, and an answer that is not.
        shipped = program.parent.parent / "share/gridstride/shaders/checkered"
        for file, other, words in (("turn_start.comp", "turn.comp", "already meets every requirement"), ("turn.comp", "turn_start.comp", "columns = ")):
            kept = (shipped / file).read_text()
            (shipped / file).unlink()
            (shipped / file).write_text((copy / "shaders/checkered" / other).read_text())
            wrong = subprocess.run([program, "check", "checkered"], capture_output=True, text=True, env=self.environment)
            self.assertEqual(wrong.returncode, 1, wrong.stderr)
            self.assertIn(words, wrong.stderr)
            (shipped / file).write_text(kept)

    def graph(self, program):
        started = time.monotonic()
        report = json.loads(self.command(program, "run", "graph", "--json", env=self.environment).stdout)
        self.assertEqual((report["status"], report["launch"]["dispatches"]), ("ok", 60))
        # One kernel serves all launches, and is compiled once.
        self.assertLess(report["timings"]["compile_ns"] / 1e9, time.monotonic() - started)

    def programs(self, program):
        """A person's own program runs in place of the variant's; what is wrong with one is told line by line."""
        self.write("numbers.csv", "1\n2\n5\n")
        mine = self.folder / "mine.doubling"
        mine.write_text("read numbers.csv 3\ndouble\nsave doubled.npy\n")
        run = [program, "run", "doubling", "--kernel", mine, "--json"]
        report = json.loads(self.command(*run, env=self.environment).stdout)
        self.assertEqual((report["status"], report["kernel"], report["result"]["last"]), ("ok", "mine.doubling", 10))
        self.assertFalse((self.folder / "doubled.npy").exists(), "run writes none of its files")
        mine.write_text("read numbers.csv 4\ndouble\n")
        counted = subprocess.run(run, capture_output=True, text=True, env=self.environment)
        self.assertEqual(counted.returncode, 2)
        self.assertIn("mine.doubling:1: error: numbers.csv holds 3 numbers", counted.stderr)
        self.assertIn("mine.doubling has an error", counted.stderr)
        mine.write_text("take 4\ntriple\nhalve\n")
        wrong = subprocess.run(run, capture_output=True, text=True, env=self.environment)
        self.assertEqual((wrong.returncode, wrong.stdout), (2, ""))
        for line in (2, 3):
            self.assertIn(f"mine.doubling:{line}: error: ", wrong.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
