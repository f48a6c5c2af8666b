"""Programs of the playground without the window: what they show, expect and save, and every way in which they are refused."""

import json
import unittest

import numpy

from program import Case

HEAD = "gridstride playground 1\n"
PRODUCT = HEAD + """model text
tensor e 4 x 3 fill file "e.npy"
tensor w 3 x 2 fill file "w.npy"
p = e @ w
show p
expect p = e @ w within 1e-4
save p as "p.npy"
"""


class Playground(Case):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(20261125)
        self.e = random.standard_normal((4, 3)).astype(numpy.float32)
        self.w = random.standard_normal((3, 2)).astype(numpy.float32)
        numpy.save(self.folder / "e.npy", self.e)
        numpy.save(self.folder / "w.npy", self.w)

    def play(self, text, *arguments, code=0):
        (self.folder / "mine.playground").write_text(text)
        result = self.run_program("playground", "mine.playground", "--samples", 2, *arguments)
        self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return result

    def test_what_it_saves_is_what_numpy_computes(self):
        result = self.play(PRODUCT)
        self.assertIn("p.npy", result.stderr)
        numpy.testing.assert_allclose(numpy.load(self.folder / "p.npy"), self.e @ self.w, rtol=1e-4, atol=1e-5)
        # A file that has changed is read again.
        numpy.save(self.folder / "e.npy", 2 * self.e)
        self.play(PRODUCT)
        numpy.testing.assert_allclose(numpy.load(self.folder / "p.npy"), 2 * self.e @ self.w, rtol=1e-4, atol=1e-5)

    def test_json_and_rows_as_of_run(self):
        report = json.loads(self.play(PRODUCT, "--json", "--csv", "rows.csv").stdout)
        self.assertEqual((report["lesson"], report["status"], report["kernel"]), ("playground", "ok", "mine.playground"))
        self.assertIn("playground", (self.folder / "rows.csv").read_text())

    def test_run_takes_it_as_a_kernel_and_writes_none_of_its_files(self):
        (self.folder / "mine.playground").write_text(PRODUCT)
        result = self.run_program("run", "playground", "--kernel", "mine.playground", "--samples", 2)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertFalse((self.folder / "p.npy").exists())

    def test_under_a_budget_tensors_go_and_come_back(self):
        def transferred(lesson, *arguments):
            result = self.run_program("run", lesson, *arguments, "--samples", 2, "--json")
            report = json.loads(result.stdout)
            self.assertEqual(report["status"], "ok", result.stderr)
            return report["uploaded_bytes"] + report["downloaded_bytes"]

        shared = ("playground", "--variant", "shared_weights", "--execution", "planned")
        without = transferred(*shared)
        self.assertEqual(transferred(*shared, "--memory", 1 << 30), without)
        self.assertGreater(transferred(*shared, "--memory", 3 << 20), without)
        # Where the host has what makes room, it need not be brought there.
        graph = ("tensor_graph", "--variant", "planned")
        self.assertEqual(transferred(*graph, "--memory", 800_000), transferred(*graph))
        refused = self.run_program("run", *graph, "--memory", 65536)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        self.assertIn("are allowed 64", refused.stderr)

    def test_an_expectation_that_fails_is_exit_code_1(self):
        self.play(PRODUCT.replace("expect p = e @ w", "expect p = e @ w + 1"), code=1)
        self.assertTrue((self.folder / "p.npy").exists(), "what was computed is written all the same")

    def test_what_a_kernel_has_part_in_is_held_to_what_is_expected_of_it(self):
        kernel = "kernel k reads e writes z 4 { void main() { z[gl_GlobalInvocationID.x] = 1; } }\ny = z + 1\n"
        text = PRODUCT.split("p = ")[0] + kernel + "expect y = sum(e, 1) * 0 + "
        self.play(text + "2 within 1e-6\n")
        self.assertIn("what is expected of it within 1e-06 says 3", self.play(text + "3 within 1e-6\n", code=1).stderr)

    def test_a_result_that_is_no_number_is_never_right(self):
        result = self.play(PRODUCT.split("p = ")[0] + "y = log(e - e - 1)\n", code=1)
        self.assertIn("is NaN, the reference says NaN. NaN is never right", result.stderr)

    def test_what_nobody_expects_of_a_kernel_is_not_called_right(self):
        kernel = "kernel k reads e writes y 4 { void main() { y[gl_GlobalInvocationID.x] = 0.0 / (e[0] - e[0]); } }\n"
        text = PRODUCT.split("p = ")[0] + kernel
        self.assertIn("! not judged", self.play(text).stdout)
        report = json.loads(self.play(text, "--json").stdout)
        self.assertEqual((report["status"], report["compare"]["unjudged"]), ("ok", 1))
        self.play(text + "expect y = sum(e, 1) within 1e-3\n", code=1)

    def test_every_wrong_line_is_named(self):
        result = self.play(HEAD + "model text\ntensor e 4 x\np = q @ r\n", "--json", code=2)
        self.assertEqual(result.stdout, "")
        for line in (3, 4):
            self.assertIn(f"mine.playground:{line}: ", result.stderr)
        for text in ("", "\n", "no program\n", HEAD):
            with self.subTest(text):
                self.assertIn("mine.playground", self.play(text, code=2).stderr)

    def test_no_file_outside_its_folder_is_read_or_written(self):
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "link.npy").symlink_to(self.folder / "e.npy")
        for file in ("../e.npy", str(self.folder / "e.npy"), "link.npy", "gone.npy"):
            with self.subTest(file):
                (folder / "p.playground").write_text(PRODUCT.replace('"e.npy"', f'"{file}"'))
                result = self.run_program("playground", folder / "p.playground")
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertRegex(result.stderr, r"p\.playground:3: .*" + file.split("/")[-1])
        for name in ("e.npy", "w.npy"):
            (self.folder / name).rename(folder / name)
        for file in ("../p.npy", str(self.folder / "p.npy")):
            with self.subTest(file):
                (folder / "p.playground").write_text(PRODUCT.replace('"p.npy"', f'"{file}"'))
                result = self.run_program("playground", folder / "p.playground")
                self.assertIn(result.returncode, (2, 5), result.stderr)
                self.assertIn("leads out of", result.stderr)
                self.assertFalse((self.folder / "p.npy").exists())

    def test_the_lesson_is_called_as_the_command_is(self):
        self.assertEqual(self.run_program("check", "playground", "--help").returncode, 0)
        for arguments in (("list",), ("run", "playground", "--samples", 2)):
            result = self.run_program(*arguments)
            self.assertEqual(result.returncode, 0, result.stderr)
        # Without a file it is the window's, which needs a display.
        for arguments in ((), ("--step", 2), ("--ui-map", "map.json")):
            result = self.run_program("playground", *arguments, DISPLAY="", WAYLAND_DISPLAY="")
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertIn("display", result.stderr)

    def test_files_that_cannot_be_read_or_written_are_exit_code_5(self):
        self.assertEqual(self.run_program("playground", "gone.playground").returncode, 5)
        (self.folder / "binary.playground").write_bytes(b"\0" * 100)
        self.assertEqual(self.run_program("playground", "binary.playground").returncode, 5)
        (self.folder / "p.npy").mkdir()
        self.play(PRODUCT, code=5)


if __name__ == "__main__":
    unittest.main(verbosity=2)
