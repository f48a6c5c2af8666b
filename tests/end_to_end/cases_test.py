"""Regression tests with small inputs that were once dropped silently, or judged right or wrong for no reason."""

import json
import unittest

import numpy

from data_files_test import DataFileCase, encode_wav
from make_test import SHADERS, find_exercises, replace_main
from verdict_test import HALF_WRITTEN, replace_thin_spaces

HEAD = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
"""
GLSL_TANH = """#version 450
#extension GL_GOOGLE_include_directive : require
#define PARAMETERS float gain;
#include "common/launch.glsl"
layout(binding = 0) readonly buffer G { float greys[]; };
layout(binding = 1) readonly buffer W { float weights[]; };
layout(binding = 2) writeonly buffer D { float data_d[]; };
void main() {
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += launch.workgroup_count * gl_WorkGroupSize.x)
        data_d[i] = tanh(launch.gain * (greys[i] / 255.0 * weights[i]));
}
"""
TANH_PROGRAM = """gridstride playground 1
model m
tensor x 4096 fill random
kernel k reads x writes y 4096 workgroup 64 {
    void main() {
        for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += launch.workgroup_count * gl_WorkGroupSize.x)
            y[i] = tanh(x[i] * 4);
    }
}
expect y = tanh(x * 4) within 1e-6
"""
ZEROS = """gridstride playground 1
model m
tensor x 4 x 65536 fill random
kernel nothing reads x writes y 4 x 65536 {
    void main() {
        for (uint r = gl_GlobalInvocationID.y; r < launch.count; r += launch.workgroup_count * gl_WorkGroupSize.y)
            for (uint c = gl_GlobalInvocationID.x; c < launch.columns; c += launch.grid_x * gl_WorkGroupSize.x)
                y[r * launch.columns + c] = 0.0;
    }
}
expect y = softmax(x) within 1e-4
show y
"""
# INTERFACE declares push constants, specialisation constants or buffers that softmax does not provide.
SOFTMAX_WITH_FOREIGN_INTERFACE = """#version 450
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(binding = 0) readonly buffer A { float x[]; };
layout(binding = 1) buffer O { float y[]; };
INTERFACE
void main() {
    if (gl_LocalInvocationIndex != 0) return;
    for (uint r = gl_WorkGroupID.y; r < ROWS; r += gl_NumWorkGroups.y)
        for (uint c = 0; c < COLUMNS; ++c) y[r * COLUMNS + c] = SCALE * x[r * COLUMNS + c];
}
"""
# One invocation per workgroup loops over all numbers: correct except on drivers that end loops after 65 535 iterations.
ONE_LANE = """
    const uint size = gl_WorkGroupSize.x;
    uint best = gl_WorkGroupID.x * size;
    if (gl_LocalInvocationIndex != 0 || best >= launch.count) return;
    for (uint tile = best; tile < launch.count; tile += size * launch.workgroup_count)
        for (uint i = tile; i < min(tile + size, launch.count); ++i)
            if (numbers[i] > numbers[best]) best = i;
    store_best(numbers[best], place_of(best));
"""
SUMS = HEAD + """layout(std430, binding = 0) readonly buffer N { uint numbers[]; };
layout(std430, binding = 1) buffer P { uint partial_sums[]; };
shared uint s[gl_WorkGroupSize.x];
void main() {
    const uint l = gl_LocalInvocationIndex, i = gl_GlobalInvocationID.x;
    BODY
}
"""
BREAK_AFTER_BARRIER = """s[l] = i < launch.count ? numbers[i] : 0;
    for (uint h = gl_WorkGroupSize.x / 2; h > 0; h /= 2) {
        barrier();
        if (l >= h) break;
        s[l] += s[l + h];
    }
    if (l == 0) partial_sums[gl_WorkGroupID.x] = s[0];"""
PASTED = {
    "CUDA C++": (
        "__global__ void f(const float *in, float *out, int n)\n{\n"
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n) out[i] = in[i];\n}\n",
        "`blockIdx.x` is `gl_WorkGroupID.x`"),
    "HLSL": ("RWStructuredBuffer<uint> v : register(u0);\n[numthreads(64, 1, 1)]\n"
             "void main(uint3 id : SV_DispatchThreadID) { v[id.x] += 1; }\n", "`SV_DispatchThreadID` is `gl_GlobalInvocationID`"),
    "OpenCL C": ("__kernel void f(__global const float *a, __global float *b)\n{\n    int i = get_global_id(0);\n    b[i] = a[i];\n}\n",
                 "`get_global_id(0)` is `gl_GlobalInvocationID.x`"),
    "WGSL": ("@group(0) @binding(0) var<storage, read_write> v: array<u32>;\n@compute @workgroup_size(64)\n"
             "fn main(@builtin(global_invocation_id) id: vec3<u32>) { v[id.x] += 1u; }\n",
             "`global_invocation_id` is `gl_GlobalInvocationID`"),
}


class Cases(DataFileCase):
    def run_kernel(self, text, *arguments, code=1):
        """The report, and the text of stderr."""
        command, lesson, *flags = arguments
        samples = ("--samples", 2) if command == "run" else ()
        result = self.run_program(command, lesson, "--kernel", self.write("mine.comp", text), *samples, *flags, "--json",
                                  code=code)
        return json.loads(result.stdout), replace_thin_spaces(result.stderr)

    def f32_flags(self, lesson):
        return ("--element-type", "f32") if lesson == "reduction" else ()

    def run_playground(self, text, code):
        result = self.run_program("playground", self.write("mine.playground", text), "--samples", 2, "--json", code=code)
        return json.loads(result.stdout)

    def test_builtin_tanh_is_within_its_tolerance(self):
        """The built-in tanh of GLSL may have the error that the precision rules of Vulkan allow, and no more."""
        for wrong, gain, code in (("", 1, 0), ("", 20, 0), ("1.0001 * ", 1, 1), ("1.0001 * ", 20, 1)):
            text = GLSL_TANH.replace("tanh(launch", wrong + "tanh(launch")
            report, _ = self.run_kernel(text, "run", "hidden_layer", "--variant", "fused", "--gain", gain, code=code)
            compare = report["compare"]
            self.assertEqual(compare["max_abs_error"] <= compare["allowed_abs_error"], code == 0, compare)
        self.run_kernel(GLSL_TANH.replace("tanh(launch", "(launch"), "run", "hidden_layer", "--variant", "fused")
        self.write("mine.comp", GLSL_TANH)
        shown = self.run_program("run", "hidden_layer", "--variant", "fused", "--kernel", "mine.comp", "--samples", 2)
        self.assertRegex(shown.stdout, r"✓ right, largest error [0-9.e-]+, allowed there [0-9.e-]+")
        self.run_playground(TANH_PROGRAM, 0)
        self.run_playground(TANH_PROGRAM.replace("= tanh(x[i] * 4)", "= 1.0001 * tanh(x[i] * 4)"), 1)

    def test_several_csv_columns_need_a_choice(self):
        self.write("matrix.csv", "1.5,2.5,3.5\n4.5,5.5,6.5\n")
        self.write("row.csv", "1,2,3,4,5\n")
        for lesson in ("softmax", "matmul", "reduction"):
            self.assert_refused(5, lesson, "matrix.csv", parts=["3", "columns", "--column", "NAME", "--column all: 1, 2, 3."])
            self.assert_mentions(self.run_with_input(lesson, "row.csv")[1], 5, "numbers")
            self.assertIn("all 3 columns, 2 rows", self.run_with_input(lesson, "matrix.csv", "--column", "all", *self.f32_flags(lesson))[1])
        f32 = self.f32_flags("reduction")
        self.assertEqual(self.run_with_input("reduction", "matrix.csv", *f32, "--column", "all")[0]["result"]["total"], 24)
        self.assertEqual(self.run_with_input("reduction", "matrix.csv", *f32, "--column", "2")[0]["result"]["total"], 8)
        report = self.run_with_input("reduction", "row.csv")[0]
        self.assertEqual((report["parameters"]["elements"], report["result"]["total"]), (5, 15))

    def test_tolerance_of_expect_scales_with_small_values(self):
        """All probabilities are smaller than the tolerance after `within`."""
        report = self.run_playground(ZEROS, 1)
        self.assertEqual(report["status"], "mismatch")
        self.assertLess(report["compare"]["max_abs_error"], 1e-4)
        self.run_playground(ZEROS.replace("within 1e-4", "within 1e-4 absolute"), 0)
        self.run_playground(ZEROS.replace("softmax(x)", "x * 0"), 0)
        self.run_playground(ZEROS.replace("softmax(x)", "exp(x - 20)"), 1)
        self.run_playground(ZEROS.replace("softmax(x)", "x * 1e-30"), 1)

    def test_foreign_kernel_interface_is_refused(self):
        """A kernel with another interface is refused: its constants would receive the values of the lesson."""
        for declared, rows, columns, scale, expected_parts in (
                ("layout(push_constant) uniform P { float scale; uint columns; uint rows; } p;", "p.rows", "p.columns", "p.scale",
                 ["✗ push 0 ", "float scale", "uint count", "✗ push 8 "]),
                ("layout(constant_id = 3) const uint rows = 4;\nlayout(constant_id = 4) const uint columns = 8;", "rows", "columns", "1.0",
                 ["✗ constant 3 ", "✗ constant 4 ", "uint columns", "uint quads_each"]),
                ("layout(binding = 2) buffer S { uint rows, columns; float scale; } s;", "s.rows", "s.columns", "s.scale", ["✗ binding 2 "])):
            with self.subTest(declared):
                text = SOFTMAX_WITH_FOREIGN_INTERFACE.replace("INTERFACE", declared)
                for name, value in (("ROWS", rows), ("COLUMNS", columns), ("SCALE", scale)):
                    text = text.replace(name, value)
                report, stderr = self.run_kernel(text, "run", "softmax", code=2)
                self.assertEqual(report["status"], "refused")
                for part in (*expected_parts, "your kernel", "softmax/three_passes.comp", "--print-kernel"):
                    self.assertIn(part, stderr)
        # The command that the message names prints a kernel that is accepted.
        printed = self.run_program("run", "softmax", "--variant", "three_passes", "--print-kernel")
        self.run_kernel(printed.stdout, "run", "softmax", "--variant", "three_passes", code=0)

    def test_truncated_loops_leave_a_requirement_undecided(self):
        device = self.run_json("devices")["devices"][0]
        step = next(step for step, exercise, _ in find_exercises("reduction") if exercise == "maximum_place")
        starter = (SHADERS / "reduction/maximum_place_start.comp").read_text()

        def find_matches_requirement(body):
            report, _ = self.run_kernel(replace_main(starter, body), "make", "reduction", "--step", step)
            return next(one for one in report["requirements"] if one["id"] == "matches")

        if device["is_cpu"]:
            found = find_matches_requirement(ONE_LANE)
            self.assertEqual(found["status"], "undecided", found)
            self.assert_mentions(found["found"], "silently")
            self.assertGreater(int(found["first_failure"]["values"]["elements"]), 65535)
        # Its loops are short at the first failure, so the loop cap does not excuse it.
        self.assertEqual(find_matches_requirement(ONE_LANE.replace("numbers[i] >", "numbers[i] <"))["status"], "failed")

    def test_unwritten_output_is_a_problem(self):
        for body, sentence in ((BREAK_AFTER_BARRIER, "no element was written"),
                               ("if (l == 0 && gl_WorkGroupID.x % 2 == 0) partial_sums[gl_WorkGroupID.x] = numbers[i];", "4 never written"),
                               ("if (l == launch.count) partial_sums[gl_WorkGroupID.x] = numbers[i];", "no element was written")):
            with self.subTest(body):
                report, _ = self.run_kernel(SUMS.replace("BODY", body), "inspect", "reduction", "--elements", 1024)
                self.assertEqual(report["status"], "unwritten")
                found = [(one["id"], one["status"]) for one in report["findings"] if one["sentence"].startswith("partial_sums: ")]
                self.assertEqual(found, [("coverage", "problem")], report["findings"])
                shown = self.run_program("inspect", "reduction", "--elements", 1024, "--kernel", "mine.comp").stdout
                self.assertRegex(replace_thin_spaces(shown), f"(?m)^✗ partial_sums: .*{sentence}")
                self.assertNotIn("✓ partial_sums", shown)

    def test_npy_files_of_each_type_are_read_or_refused(self):
        def save(numbers, code):
            numpy.save(self.folder / "a.npy", numpy.array(numbers).astype(code))
            return "a.npy"

        for code in ("<u2", "<i2", ">i4", "<u8", "<f2", ">f8"):
            report, row, _ = self.run_with_input("histogram", save([1, 100], code))
            self.assertIn("2 numbers", row)
            self.assertTrue(any("a.npy: Its numbers were " in text for text in self.remark_texts(report)), report["remarks"])
            self.assertEqual(self.run_with_input("reduction", "a.npy")[0]["result"]["total"], 101)
        self.assertEqual(self.run_with_input("reduction", save([True, False, True], "?"))[0]["result"]["total"], 2)
        self.assert_refused(2, "zero_suppression", save([1, 40000], "<u2"), parts=["Row 2", "40000", "32767"])
        self.assert_refused(2, "histogram", save([1, 1e300], ">f8"), parts=["Row 2", "1e+300"])
        self.assert_refused(2, "reduction", save([7, -2], "<i2"), parts=["Row 2", "-2"])

    def test_only_text_is_read_as_a_heading(self):
        for first in ("(5)", "-(5)", "5 %", "5 kg", "1.5d3", "½"):
            for rest in ("3\n", "x\n3\n", ""):
                self.assert_refused(5, "reduction", self.write("a.csv", f"{first}\n{rest}"), "--element-type", "f32",
                                    parts=["1", str(first)])
        for heading in ("x1", "2nd", "2024-01-01", "kg"):
            report, row, _ = self.run_with_input("reduction", self.write("a.csv", f"{heading}\n5\n6\n"))
            self.assertEqual(report["result"]["total"], 11)
            self.assertIn(f"column `{heading}`, 2 rows", row)
        self.assertEqual(self.run_with_input("reduction", self.write("a.csv", "7\n5\n6\n"))[0]["result"]["total"], 18)

    def test_source_in_another_language_is_recognized(self):
        for language, (text, translation) in PASTED.items():
            with self.subTest(language):
                result = self.run_program("run", "reduction", "--kernel", self.write("mine.comp", text), code=4)
                first = result.stderr.splitlines()[0]
                self.assertTrue(first.startswith("mine.comp:1: error: "), first)
                for part in (f"looks like {language},", "GLSL", "On this line ", translation):
                    self.assertIn(part, first)

    def test_white_space_separates_columns(self):
        f32 = ("--element-type", "f32")
        for text in ("1 2 3\n4 5 6\n", "  1   2   3\n  4   5   6\n", "1\t2\t3\n4\t5\t6\n", "1.0e+00 2.0e+00 3.0e+00\n4.0e+00 5.0e+00 6.0e+00\n"):
            self.assert_refused(5, "reduction", self.write("a.txt", text), *f32, parts=["3", "columns", "--column all: 1, 2, 3."])
            report, row, _ = self.run_with_input("reduction", "a.txt", *f32, "--column", "all")
            self.assertEqual(report["result"]["total"], 21)
            self.assertIn("all 3 columns, 2 rows", row)
        report, row, _ = self.run_with_input("reduction", self.write("a.txt", "1 2 3\n"), *f32)
        self.assertEqual(report["result"]["total"], 6)
        self.assert_mentions(row, 3, "numbers")

    def test_wrapped_sum_is_reported(self):
        run = ("run", "reduction", "--input", self.write("numbers.csv", f"{2**32 - 1}\n1\n"), "--samples", 1)
        report = self.run_json(*run)
        self.assertEqual(report["result"]["total"], 0)
        remarks = [one for one in report["remarks"] if "2^32" in one["text"]]
        self.assertEqual([(one["severity"], one["parameter"]) for one in remarks], [("note", "element_type")], report["remarks"])
        for arguments in ((), ("--json",), ("--csv", "-"), ("--finish", "cpu"), ("--variant", "all")):
            result = self.run_program(*run, *arguments, code=0)
            self.assert_mentions(result.stderr, "--element-type", "exceeds")
        self.assertIn("2^32", self.run_program("inspect", *run[1:4]).stderr)
        self.write("numbers.csv", f"{2**32 - 1}\n0\n")
        self.assertNotIn("2^32", self.run_program(*run).stderr)

    def test_unwritten_elements_are_counted(self):
        kernel = HALF_WRITTEN.replace("BODY", "density(xs[i])")
        report, stderr = self.run_kernel(kernel, "run", "gaussian", "--elements", 1_000_000, "--csv", "rows.csv")
        self.assertEqual(report["status"], "unwritten")
        self.assert_mentions(stderr, "densities[500000]", 499, 999)
        first = report["compare"]["first_mismatch"]
        self.assertEqual((first["output"], first["index"], first["gpu"], first["unwritten"]), ("densities", 500_000, None, True))
        output = report["compare"]["outputs"][0]
        self.assertEqual((output["unwritten"], output["wrong"], report["result"]), (500_000, 0, {}))
        rows = self.read_rows("rows.csv")
        self.assertEqual({row["status"] for row in rows}, {"unwritten"})
        shown = self.run_program("run", "gaussian", "--kernel", "mine.comp", "--elements", 1_000_000, "--samples", 1, code=1)
        self.assertIn("✗ unwritten", shown.stdout)
        self.assertNotIn("✓", shown.stdout + shown.stderr)
        for text in (shown.stdout, shown.stderr, stderr, json.dumps(report["compare"])):
            for number in ("NaN", "nan", "4290829997", "2141576877"):
                self.assertNotIn(number, replace_thin_spaces(text).replace(" ", ""))

    def test_wav_files_are_scaled_or_refused(self):
        magnitude = ("--rule", "magnitude")
        self.write("a.wav", encode_wav([0, 5, 20, 100, -30], is_float=True))
        self.assert_refused(5, "zero_suppression", "a.wav", *magnitude, parts=["sample 2 is 5,", "--wav-scale counts"])
        counts = (*magnitude, "--wav-scale", "counts")
        self.assertEqual(self.load_input("zero_suppression", "a.wav", *counts).tolist(), [0, 5, 20, 100, -30])
        self.assertIn("5 samples as stored", self.run_with_input("zero_suppression", "a.wav", *counts)[1])
        self.write("b.wav", encode_wav([0, 5, 40000], is_float=True))
        self.assert_refused(2, "zero_suppression", "b.wav", *counts, parts=["Row 3", "40000"])
        self.assert_refused(2, "zero_suppression", "a.wav", "--wav-scale", "volts", parts=["--wav-scale"])
        self.write("a.wav", encode_wav([127, 128 + 256, -127, -129, 256 * 5 + 200, 8388607, -8388608], bits=24))
        self.assertEqual(self.load_input("zero_suppression", "a.wav", *magnitude).tolist(), [0, 2, 0, -1, 6, 32767, -32768])
        self.assert_mentions(self.remark_texts(self.run_with_input("zero_suppression", "a.wav")[0]), "a.wav", 24, 16)
        self.write("a.wav", encode_wav([1, 100, 2, 200, 3, 300], channels=2))
        self.assert_refused(5, "zero_suppression", "a.wav", *magnitude, parts=["2 channels", "--channel 1 to --channel 2"])
        for channel, samples in ((1, [1, 2, 3]), (2, [100, 200, 300])):
            chosen = (*magnitude, "--channel", channel)
            self.assertEqual(self.load_input("zero_suppression", "a.wav", *chosen).tolist(), samples)
            self.assertIn(f"channel {channel} of 2, 3 samples", self.run_with_input("zero_suppression", "a.wav", *chosen)[1])
        self.assert_refused(5, "zero_suppression", "a.wav", "--channel", 3, parts=["no channel 3"])
        self.assert_refused(2, "zero_suppression", "a.wav", "--channel", 0, parts=["--channel", "1 to 65535"])


if __name__ == "__main__":
    unittest.main()
