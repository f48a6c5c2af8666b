"""Verdicts and remarks of runs: unwritten outputs, allowed errors, and variants that are wrong on purpose."""

import json
import unittest

from program import Case

HALF_WRITTEN = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "gaussian/density.glsl"
layout(std430, binding = 0) readonly buffer X { float xs[]; };
layout(std430, binding = 1) writeonly buffer D { float densities[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i < launch.count / 2) densities[i] = BODY;
}
"""

SUMS = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
layout(std430, binding = 0) readonly buffer N { uint numbers[]; };
layout(std430, binding = 1) buffer P { uint partial_sums[]; };
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    BODY
}
"""

ONE_ADDS_ALL = """uint sum = 0;
    for (uint i = 0; i < launch.count; ++i) sum += numbers[i];
    partial_sums[gl_WorkGroupID.x] = gl_WorkGroupID.x == 0 ? sum : 0;"""

WRONG_COUNTS = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
layout(std430, binding = 0) readonly buffer N { float numbers[]; };
layout(std430, binding = 1) buffer C { uint counts[]; };
void main() {
    if (gl_GlobalInvocationID.x == 0) counts[0] = 1;
}
"""


def replace_thin_spaces(text):
    return text.replace("\u2009", " ")


class Verdict(Case):
    def run_kernel(self, text, lesson, *arguments, code=1):
        self.write("mine.comp", text)
        result = self.run_program("run", lesson, "--kernel", "mine.comp", "--samples", 2, "--json", *arguments, code=code)
        return json.loads(result.stdout), replace_thin_spaces(result.stderr)

    def assert_no_fill_pattern(self, *texts):
        for text in texts:
            for number in ("NaN", "nan", "4290829997", "2141576877"):
                self.assertNotIn(number, replace_thin_spaces(text).replace(" ", ""))

    def test_wrong_and_unwritten_elements_are_both_reported(self):
        report, stderr = self.run_kernel(HALF_WRITTEN.replace("BODY", "i == 7 ? 5.0 : density(xs[i])"), "gaussian", "--elements", 1000)
        self.assertEqual(report["status"], "unwritten")
        self.assert_mentions(stderr, "densities[500]", 499, "densities[7]", 5)
        output = report["compare"]["outputs"][0]
        self.assertEqual((output["unwritten"], output["wrong"], output["first_wrong"]["index"]), (500, 1, 7))

    def test_computed_nan_is_not_taken_for_an_unwritten_element(self):
        text = HALF_WRITTEN.replace("launch.count / 2", "launch.count").replace("BODY", "sqrt(-1.0 - abs(xs[i]))")
        report, stderr = self.run_kernel(text, "gaussian", "--elements", 1000)
        self.assertEqual(report["status"], "mismatch")
        self.assert_mentions(stderr, "densities[0]", "NaN")

    def test_partial_sums_and_total_are_judged_separately(self):
        for finish in ("gpu", "cpu"):
            with self.subTest(finish):
                arguments = ("reduction", "--elements", 1024, "--workgroup-count", 4, "--finish", finish)
                # The total is right, although only one workgroup added anything.
                report, stderr = self.run_kernel(SUMS.replace("BODY", ONE_ADDS_ALL), *arguments)
                self.assertEqual(report["status"], "mismatch")
                self.assertRegex(stderr, r"partial_sums\[0\] is 524800, the reference says \d+\. 3 more of its elements differ\. total is right\.")
                statuses = {one["output"]: one["status"] for one in report["compare"]["outputs"]}
                self.assertEqual(statuses, {"partial_sums": "mismatch", "total": "ok"})
                # Without all partial sums, no total is reported.
                report, stderr = self.run_kernel(SUMS.replace("BODY", "if (gl_WorkGroupID.x < 2) partial_sums[gl_WorkGroupID.x] = 5;"), *arguments)
                self.assertEqual(report["status"], "unwritten")
                self.assert_mentions(stderr, "partial_sums[2]", 1, "partial_sums", "partial_sums[0]", 5)
                self.assertNotIn("total[0]", stderr)
                self.assertEqual(report["result"], {})
                self.assert_no_fill_pattern(stderr)

    def test_playground_reports_unwritten_elements(self):
        self.write("mine.playground", 
            "gridstride playground 1\nmodel m\ntensor x 64 fill random\n"
            "kernel half reads x writes y 64 {\n    void main() {\n"
            "        if (gl_GlobalInvocationID.x < 32) y[gl_GlobalInvocationID.x] = x[gl_GlobalInvocationID.x];\n    }\n}\n"
            "expect y = x within 1e-6\nshow y\n")
        result = self.run_program("playground", "mine.playground", "--samples", 1, "--json", code=1)
        report = json.loads(result.stdout)
        self.assertEqual(report["status"], "unwritten", result.stderr)
        self.assert_mentions(replace_thin_spaces(result.stderr), "m.y[32]", 31)

    def test_user_kernel_is_never_wrong_on_purpose(self):
        report, _ = self.run_kernel(WRONG_COUNTS, "histogram", "--variant", "race", "--elements", 10_000)
        self.assertEqual(report["status"], "mismatch")
        # Neither the variant nor a parameter nor the launch excuses it.
        report, _ = self.run_kernel(SUMS.replace("BODY", "partial_sums[gl_WorkGroupID.x] = 5;"), "reduction", "--barriers", "one_missing")
        self.assertEqual(report["status"], "mismatch")

    def test_errors_are_reported_with_the_allowed_error(self):
        run = ("run", "gaussian", "--elements", 1000, "--samples", 1)
        compare = self.run_json(*run)["compare"]
        self.assertLessEqual(compare["max_abs_error"], compare["allowed_abs_error"])
        self.assertLessEqual(compare["max_rel_error"], compare["allowed_rel_error"])
        self.assertGreater(compare["allowed_abs_error"], 0)
        self.assertRegex(self.run_program(*run).stdout, r"✓ \w+, largest error [0-9.e-]+, allowed there [0-9.e-]+")
        # For a wrong element, the message gives the allowed error.
        report, stderr = self.run_kernel(HALF_WRITTEN.replace("/ 2", "").replace("BODY", "i == 500 ? 5.0 : density(xs[i])"), "gaussian", "--elements", 1000)
        self.assertGreater(report["compare"]["max_abs_error"], report["compare"]["allowed_abs_error"])
        self.assertEqual(report["compare"]["allowed_abs_error"], report["compare"]["first_mismatch"]["allowed"])
        self.assertRegex(stderr, r"densities\[500\] is 5, the reference says [0-9.]+ ± [0-9.e-]+\.")
        exact = self.run_json("run", "reduction", "--samples", 1)["compare"]
        self.assertEqual((exact["max_abs_error"], exact["allowed_abs_error"], exact["allowed_rel_error"]), (0, 0, 0))

    def test_remarks_of_a_sweep(self):
        sweep = ("sweep", "reduction", "--elements", 64, "--workgroup-size", "48,64", "--samples", 1)
        report = self.run_json(*sweep)
        cell_remarks = [[remark for remark in cell["remarks"] if remark["parameter"] == "workgroup_count"] for cell in report["cells"]]
        self.assertIn("96 invocations for 64 numbers.", [remark["text"] for remark in cell_remarks[0]])
        self.assertNotEqual(cell_remarks[0], cell_remarks[1])
        self.assertIn(cell_remarks[0][0], report["remarks"])
        stderr = self.run_program(*sweep).stderr
        self.assertEqual(stderr.count("the launch itself may take"), 1, "a remark on all cells is printed once: " + stderr)
        self.assertIn("In 1 of 2 cells: --workgroup-count: 96 invocations for 64 numbers.", stderr)

    def test_remarks_of_measuring(self):
        run = ("run", "reduction", "--samples", 12)
        report = self.run_json(*run)
        texts = " ".join(one["text"] for one in report["remarks"])
        self.assertEqual("Kernel batched: " in texts, report["timings"]["kernel_repeats"] > 1)
        self.assertEqual("Noisy: " in texts, report["timings"]["kernel_ns"]["noisy"])
        self.assertEqual("A software device: " in texts, report["device"]["is_cpu"])
        self.assertIn("Cache warm: ", texts)
        self.assertIn("Cache warm: ", self.run_program(*run).stdout)


if __name__ == "__main__":
    unittest.main()
