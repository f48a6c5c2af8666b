"""A teacher makes a lesson: skeleton, build, run, check, in a copy of the sources."""

import json
import os
import pathlib
import shutil
import subprocess
import unittest

from program import Case

SOURCE = pathlib.Path(__file__).resolve().parents[2]


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
        check = self.command(program, "check", "my_lesson", env=self.environment)
        self.assertIn("0 wrong", check.stdout)
        self.command(program, "screenshot", "my_lesson", "--output", self.folder / "picture.png", env=self.environment)


if __name__ == "__main__":
    unittest.main(verbosity=2)
