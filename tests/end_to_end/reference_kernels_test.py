"""Reference kernels of lessons of text, in the real program: a process of its own computes what a run is judged by. Whatever
happens to that process, the run is never called right, the reason is said, and the program goes on."""

import json
import os
import pathlib
import re
import shutil
import signal
import unittest

from program import TIMEOUT, Case, WindowCase, lab_pids, parse_csv_rows, resident_bytes, wait_for_lab, wait_until, wait_until_busy

SOURCE = pathlib.Path(__file__).resolve().parents[1] / "text_lesson/folders/sides"
# Some thousand million iterations: seconds, and each invocation stays below the software driver's cap.
SLOW_REFERENCE = """void main() {
    const uint i = gl_GlobalInvocationID.x;
    uint x = i;
    for (uint round = 0; round < 50000; ++round) x = x * 1664525 + trips[i % launch.count];
    if (i < launch.count) results[i] = x;
}
"""


def copy_lesson(case):
    return pathlib.Path(shutil.copytree(SOURCE, case.folder / "sides"))


def change(file, old, new):
    text = file.read_text()
    assert old in text, old
    file.write_text(text.replace(old, new))


class ReferenceKernels(Case):
    def setUp(self):
        super().setUp()
        self.lesson = copy_lesson(self)

    def run_json(self, *arguments, code=0, lesson=None):
        result = self.run_program("run", "sides", "--lessons", lesson or self.lesson, "--samples", 1, "--json", *arguments,
                                  code=code)
        return json.loads(result.stdout)

    def assert_unjudged(self, *reasons, arguments=()):
        """Asserts that the run has times but no verdict, and that its message has the reasons."""
        report = self.run_json(*arguments, code=1)
        self.assertEqual(report["status"], "unjudged", report)
        self.assertEqual(report["compare"]["unjudged"], 1)
        self.assertGreater(report["timings"]["kernel_ns"]["median"], 0)
        self.assert_mentions(report["message"], "results is not judged", "by_parity_reference.comp", *reasons)
        return report

    def test_right_kernels_are_right(self):
        for arguments in [(), ("--rounds", 7, "--elements", 12345, "--workgroup-size", 96, "--workgroup-count", 3, "--seed", 5),
                          ("--variant", "groups", "--workgroup-size", 64), ("--variant", "groups", "--workgroup-count", 7)]:
            report = self.run_json(*arguments)
            self.assertEqual((report["status"], report["compare"]["unjudged"]), ("ok", 0), report)

    def test_wrong_kernels_are_wrong(self):
        change(self.lesson / "by_parity.comp", "results[i] = x;", "results[i] = i == 777 ? x + 1 : x;")
        report = self.run_json(code=1)
        self.assertEqual((report["status"], report["compare"]["first_mismatch"]["index"]), ("mismatch", 777))
        self.assertIn("the reference kernel says", report["message"])
        change(self.lesson / "by_parity.comp", "i == 777 ? x + 1 : x", "x")
        change(self.lesson / "by_parity.comp", "sqrt(float(trips[i]))", "sqrt(float(trips[i])) * 1.000002")
        report = self.run_json(code=1)
        self.assertEqual(report["compare"]["first_mismatch"]["output"], "roots")
        change(self.lesson / "lesson.toml", "4 ulp", "40 ulp")
        self.assertEqual(self.run_json()["status"], "ok")
        change(self.lesson / "groups.comp", "sum += partial[other]", "sum += partial[other] * (other == 5 ? 1.1 : 1.0)")
        self.assertEqual(self.run_json("--variant", "groups", code=1)["status"], "mismatch")

    def test_wrong_reference_is_found_by_a_right_kernel(self):
        change(self.lesson / "by_parity_reference.comp", "? 5 : 7", "? 5 : 9")
        self.assertEqual(self.run_json(code=1)["status"], "mismatch")

    def test_loops_near_the_cap_are_not_judged(self):
        if not self.has_loop_cap():
            self.skipTest("this software driver does not end loops")
        change(self.lesson / "by_parity_reference.comp", "left = trips[i]", "left = 70000")
        self.assert_unjudged("An invocation has", "65535 or more loop iterations", "silently ends its loops after 65535")
        change(self.lesson / "by_parity_reference.comp", "left = 70000", "left = 50000")
        self.assertEqual(self.run_json(code=1)["status"], "mismatch")

    def test_endless_loop_is_not_judged(self):
        change(self.lesson / "by_parity_reference.comp", "left > 0; --left", "left < 9 || i >= 0; left += 0")
        deadline, reason = (TIMEOUT, "silently ends its loops") if self.has_loop_cap() else (20, "deadline of 10 s")
        arguments = ("--deadline", deadline)
        self.assert_unjudged(reason, arguments=arguments)
        csv = self.run_program("run", "sides", "--lessons", self.lesson, "--samples", 1, "--csv", "-", *arguments, code=1)
        self.assertEqual({row["status"] for row in parse_csv_rows(csv.stdout)}, {"unjudged"})
        self.assertIn("not judged", csv.stderr)

    def has_loop_cap(self):
        devices = json.loads(self.run_program("devices", "--json", code=0).stdout)["devices"]
        return any(one["loop_iterations"] > 0 for one in devices if one["is_cpu"])

    def test_slow_reference_ends_at_its_own_deadline(self):
        (self.lesson / "by_parity_reference.comp").write_text(SLOW_REFERENCE)
        report = self.assert_unjudged("did not finish within its deadline of", "was ended",
                                      arguments=("--deadline", 20, "--elements", 2000000, "--rounds", 1))
        self.assertLessEqual(float(re.search(r"deadline of ([\d.]+) s", report["message"])[1]), 10)

    def test_crash_is_not_judged(self):
        """Whoever kills the process that computes the reference, three times in a row: the run ends with the reason."""
        process, lab = self.start_slow_reference()
        for _ in range(3):
            reference = self.wait_for_reference(lab)
            os.kill(reference, signal.SIGKILL)
            wait_until(lambda: reference not in lab_pids(lab), "the process is gone")
        report = json.loads(process.communicate(timeout=TIMEOUT)[0])
        self.assertEqual((process.returncode, report["status"]), (1, "unjudged"), report)
        self.assert_mentions(report["message"], "lost 3 times in a row", "killed from outside")

    def test_stop_ends_the_reference_too(self):
        process, lab = self.start_slow_reference()
        reference = self.wait_for_reference(lab)
        process.send_signal(signal.SIGINT)
        report = json.loads(process.communicate(timeout=TIMEOUT)[0])
        self.assertEqual((process.returncode, report["status"]), (4, "stopped"), report)
        wait_until(lambda: resident_bytes(reference) == 0, "no process is left")

    def start_slow_reference(self):
        """Starts a run whose reference takes long; returns the program and its lab."""
        (self.lesson / "by_parity_reference.comp").write_text(SLOW_REFERENCE)
        process = self.start("run", "sides", "--lessons", self.lesson, "--samples", 1, "--json", "--elements", 2000000,
                             "--rounds", 1, "--deadline", 2 * TIMEOUT)
        return process, wait_for_lab(process)

    @staticmethod
    def wait_for_reference(lab):
        """Waits until the lab has a process that computes, and returns its pid."""
        while True:
            reference = wait_until(lambda: lab_pids(lab), "the lab has a process for the reference")[0]
            wait_until(lambda: resident_bytes(reference) > 2000000 * 4 * 3 or reference not in lab_pids(lab), "it has its input")
            try:
                wait_until_busy(reference)
                return reference
            except FileNotFoundError:
                continue  # the lab has started another one

    def test_unwritten_reference_is_not_judged(self):
        change(self.lesson / "by_parity_reference.comp", "results[i] = x", "if (i != 5) results[i] = x")
        self.assert_unjudged("never writes results[5]")

    def test_out_of_bounds_access_of_a_reference_does_no_harm(self):
        change(self.lesson / "by_parity_reference.comp", "left = trips[i]", "left = trips[i + 1000000000]")
        self.assertIn(self.run_json(code=1)["status"], ("mismatch", "unjudged"))

    def test_exercise_is_not_passed_without_a_verdict(self):
        make = ("make", "sides", "--lessons", self.lesson, "--kernel", self.lesson / "side_by_side.comp", "--json")
        self.assertTrue(json.loads(self.run_program(*make, code=0).stdout)["done"])
        change(self.lesson / "by_parity_reference.comp", "results[i] = x", "if (i != 0) results[i] = x")
        graded = json.loads(self.run_program(*make, code=1).stdout)
        self.assertFalse(graded["done"])
        self.assertEqual(graded["requirements"][0]["status"], "undecided")
        self.assertIn("not judged", graded["requirements"][0]["found"])

    def test_sweep_finds_no_best_without_a_verdict(self):
        change(self.lesson / "by_parity_reference.comp", "results[i] = x", "if (i != 0) results[i] = x")
        result = self.run_program("sweep", "sides", "--lessons", self.lesson, "--workgroup-size", "32,64", "--samples", 2,
                                  code=1)
        self.assertIn("2 not judged.", result.stdout + result.stderr)
        self.assertNotIn(" *", result.stdout)


class CheckedReferences(Case):
    def setUp(self):
        super().setUp()
        self.lesson = copy_lesson(self)

    def assert_error(self, place, *parts):
        result = self.run_program("lesson", "check", self.lesson, code=1)
        self.assertIn(f"{self.lesson}/{place}: ", result.stdout)
        self.assert_mentions(result.stdout, *parts)

    def test_lesson_passes_its_check(self):
        self.run_program("lesson", "check", self.lesson, code=0)
        result = self.run_program("lesson", "check", "--run", self.lesson, code=0)
        for variant in ("by_parity", "groups", "side_by_side"):
            self.assertRegex(result.stdout, rf"sides +{variant} +[1-9]\d* +0 ")

    def test_reference_must_compile(self):
        change(self.lesson / "by_parity_reference.comp", "uint x = i", "uint x = missing")
        self.assert_error("by_parity_reference.comp:6", "missing")

    def test_reference_must_differ_from_what_it_judges(self):
        for kernel in ("by_parity.comp", "side_by_side_start.comp", "side_by_side.comp"):
            text = (self.lesson / kernel).read_text().replace("roots[i] = sqrt(float(trips[i]));", "")
            (self.lesson / kernel).write_text(text)
            (self.lesson / "by_parity_reference.comp").write_text("// A copy, with other names.\n" + re.sub(r"(?<!\.)\bx\b", "number", text))
            self.assert_error("by_parity_reference.comp:1", "the same program as", kernel)


class ReferencesInTheWindow(WindowCase):
    def test_saved_reference_is_used_at_once(self):
        lesson = copy_lesson(self)
        window = self.start_script(
            ["wait idle; expect status ok; map right.json", "expect status mismatch; map wrong.json",
             "expect status unjudged; see result.message ~never writes; map unjudged.json", "expect status ok"],
            "sides", "--lessons", lesson)
        for state, old, new in [("right", "? 5 : 7", "? 5 : 9"), ("wrong", "results[i] = x", "if (i != 5) results[i] = x"),
                                ("unjudged", "", "")]:
            wait_until((self.folder / f"{state}.json").exists, f"the run is {state}")
            if old:
                change(lesson / "by_parity_reference.comp", old, new)
            else:
                shutil.copy(SOURCE / "by_parity_reference.comp", lesson)
        said = window.communicate(timeout=2 * TIMEOUT)[1]
        self.assertEqual(window.returncode, 0, said)


if __name__ == "__main__":
    unittest.main()
