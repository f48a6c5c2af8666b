"""Answers to exercises other than the shipped solutions: correct ones pass, wrong ones fail the expected requirements."""

import json
import pathlib
import re
import unittest

import make_test
from program import FULL, Case

SHADERS = pathlib.Path(__file__).resolve().parents[2] / "shaders"
PASS = ()


def read_shipped_kernel(lesson, name):
    file = pathlib.Path(lesson) / f"{name}.comp"
    return next(root / file for root in (SHADERS, SHADERS.parent / "lessons") if (root / file).exists()).read_text()


def replace_all(text, *pairs):
    for before, after in pairs:
        if before not in text:
            raise AssertionError(f"{before!r} is no longer in the kernel")
        text = text.replace(before, after)
    return text


def replace_main(text, body):
    """Replaces the main() of the kernel."""
    return text[:text.index("void main()")] + "void main() {" + body + "}\n"


def enable_subgroups(text):
    extensions = "".join(f"#extension GL_KHR_shader_subgroup_{name} : require\n" for name in ("basic", "arithmetic"))
    include = "#extension GL_GOOGLE_include_directive : require\n"
    return replace_all(text, (include, include + extensions))


BARRIERS = read_shipped_kernel("reduction", "missing_barriers")
LEVEL = "            barrier();\n            if (lane + keep < values)\n"
TILES = "for (uint start = gl_WorkGroupID.x * size; start < launch.count; start += launch.workgroup_count * size)"
COLUMNS = read_shipped_kernel("coalescing", "column_totals")
LENGTHS = read_shipped_kernel("grid_stride", "any_length")
PACK = read_shipped_kernel("transfers", "pack")
ONLINE = read_shipped_kernel("softmax", "row_log_sum")
DISTANCES = read_shipped_kernel("quantise_int8", "row_distances")
DOTS = "dot_of_four(q, q) - 2 * dot_of_four(q, four) + dot_of_four(four, four)"
BOTH = read_shipped_kernel("zero_suppression", "count_both")
LAYER = read_shipped_kernel("hidden_layer", "layer_and_mean")
TREE = LAYER[LAYER.index("    parts[lane] = mine;"):]
PLACE = read_shipped_kernel("reduction", "maximum_place")

# (lesson, exercise, description, kernel, requirements that it fails)
KERNELS = (
    ("reduction", "missing_barriers", "a barrier after the load and after each level",
     replace_all(BARRIERS, (LEVEL, LEVEL.replace("            barrier();\n", "")), ("ELEMENT(0);\n        for (uint values", "ELEMENT(0);\n        barrier();\n        for (uint values"),
                 ("            values = keep;", "            barrier();\n            values = keep;")), PASS),
    ("reduction", "missing_barriers", "each invocation sums in a register first, then one tree",
     replace_all(BARRIERS, ("sums[lane] = i < launch.count ? numbers[i] : ELEMENT(0);\n", "total += i < launch.count ? numbers[i] : ELEMENT(0);\n    }\n    sums[lane] = total;\n    {\n"),
                 ("total += sums[0];", "total = sums[0];"), ("        if (start + launch.workgroup_count * size < launch.count) barrier();\n", "")), PASS),
    ("reduction", "missing_barriers", "subgroup additions instead of levels",
     enable_subgroups(replace_main(BARRIERS, f"""
    const uint size = gl_WorkGroupSize.x, lane = gl_LocalInvocationIndex;
    ELEMENT total = ELEMENT(0);
    {TILES} {{
        const uint i = start + lane;
        const ELEMENT sum = subgroupAdd(i < launch.count ? numbers[i] : ELEMENT(0));
        sums[lane] = subgroupElect() ? sum : ELEMENT(0);
        barrier();
        if (lane == 0)
            for (uint other = 0; other < size; ++other) total += sums[other];
        barrier();
    }}
    if (lane == 0) store_partial_sum(total);
""")), PASS),
    ("reduction", "missing_barriers", "no barrier where a level fits in a subgroup of 32",
     replace_all(BARRIERS, (LEVEL, LEVEL.replace("barrier();", "if (values > 32) barrier();"))), ("races = 0",)),
    ("reduction", "missing_barriers", "twice as many barriers as are needed",
     replace_all(BARRIERS, (LEVEL, LEVEL.replace("barrier();", "barrier(); barrier();"))), ("barriers <= 10",)),
    ("reduction", "maximum_place", "one invocation searches for its whole workgroup",
     replace_main(PLACE, """
    const uint size = gl_WorkGroupSize.x;
    ELEMENT number = ELEMENT(0);
    uint place = nowhere;
    if (gl_LocalInvocationIndex == 0)
        for (uint start = gl_WorkGroupID.x * size; start < launch.count; start += launch.workgroup_count * size)
            for (uint i = start; i < min(start + size, launch.count); ++i)
                if (place == nowhere || numbers[i] > number) {
                    number = numbers[i];
                    place = place_of(i);
                }
    if (place != nowhere) store_best(number, place);
"""), ("active_share > 0.3",)),
    ("coalescing", "column_totals", "a tree over the rows that are summed at once",
     replace_all(COLUMNS, ("            for (uint row = 1; row < rows_at_once; ++row)\n                mine += parts[row * width + lane];\n", ""),
                 ("        barrier();\n\n        // The first", """        barrier();
        for (uint rows = rows_at_once; rows > 1;) {
            const uint keep = (rows + 1) / 2;
            if (my_row + keep < rows) parts[lane] += parts[lane + keep * width];
            barrier();
            rows = keep;
        }
        mine = parts[lane];

        // The first""")), PASS),
    ("coalescing", "column_totals", "one invocation per column, even for four columns",
     replace_main(COLUMNS, """
    for (uint column = gl_GlobalInvocationID.x; column < row_length; column += launch.workgroup_count * gl_WorkGroupSize.x) {
        float sum = 0.0;
        for (uint row = 0; row < row_count(); ++row) sum += number_at(row, column);
        store_sum(column, sum);
    }
"""), ("active_share > 0.8",)),
    ("coalescing", "column_totals", "no barrier before the parts are added up",
     replace_all(COLUMNS, ("        parts[lane] = mine;\n        barrier();\n", "        parts[lane] = mine;\n")), ("races = 0",)),
    ("grid_stride", "any_length", "the built-in length() of values up to 1",
     replace_all(LENGTHS, ("const float ratio = min(abs(x), abs(y)) / large;\n    return large * sqrt(1.0 + ratio * ratio);", "return large * length(vec2(x, y) / large);")), PASS),
    ("grid_stride", "any_length", "0 / 0 where both are 0", replace_all(LENGTHS, ("    if (large == 0.0) return 0.0;\n", "")), ("matches",)),
    ("grid_stride", "any_length", "squares of huge and tiny numbers",
     replace_all(LENGTHS, ("    const float ratio = min(abs(x), abs(y)) / large;\n    return large * sqrt(1.0 + ratio * ratio);", "    return sqrt(x * x + y * y);")), ("matches",)),
    ("transfers", "pack", "each half inserted separately",
     replace_all(PACK, ("store_word(i, has_second ? steps.x | steps.y << 16 : steps.x);", "store_word(i, bitfieldInsert(steps.x, has_second ? steps.y : 0, 16, 16));")), PASS),
    ("transfers", "pack", "the halves swapped", replace_all(PACK, ("steps.x | steps.y << 16", "steps.y | steps.x << 16")), ("matches",)),
    ("transfers", "pack", "every word written by two invocations",
     replace_all(PACK, ("i = global_index(); i < word_count(); i += invocation_count()", "i = global_index() / 2; i < word_count(); i += invocation_count() / 2")), ("each_once = 1",)),
    ("softmax", "row_log_sum", "a tree in workgroup memory without subgroups",
     replace_all(ONLINE, ('#include "common/of_team.glsl"\n', """shared Part found[invocations];
Part of_all(Part mine) {
    barrier();
    found[rank] = mine;
    for (uint parts = team; parts > 1;) {
        const uint keep = (parts + 1) / 2;
        barrier();
        if (rank + keep < parts) found[rank] = merged(found[rank], found[rank + keep]);
        parts = keep;
    }
    barrier();
    return found[0];
}
"""), ("of_team(mine)", "of_all(mine)")), PASS),
    ("softmax", "row_log_sum", "a pass for the maximum and one for the sum",
     replace_all(ONLINE, ("        Part mine = nothing();\n", """        Part mine = nothing();
        for (uint column = rank; column < launch.columns; column += team) mine.m = max(mine.m, number_at(row, column));
""")), ("loaded_per_stored <= 520",)),
    ("softmax", "row_log_sum", "one invocation does all of the row",
     replace_all(ONLINE, ("uint column = rank; column < launch.columns; column += team", "uint column = 0; column < (rank == 0 ? launch.columns : 0); ++column")), ("active_share > 0.8",)),
    ("softmax", "row_log_sum", "each invocation reads a contiguous part of the row",
     replace_all(ONLINE, ("uint column = rank; column < launch.columns; column += team", "uint each = (launch.columns + team - 1) / team, column = rank * each; column < min(launch.columns, (rank + 1) * each); ++column")), ("sectors_over_needed < 1.25",)),
    ("quantise_int8", "row_distances", "differences of widened bytes",
     replace_all(DISTANCES, (f"mine += {DOTS};", "const ivec4 apart = bytes_of(q) - bytes_of(four);\n            mine += apart.x * apart.x + apart.y * apart.y + apart.z * apart.z + apart.w * apart.w;")), PASS),
    ("quantise_int8", "row_distances", "one invocation does all of the row",
     replace_all(DISTANCES, ("uint at = rank; at < words_per_row(); at += team", "uint at = 0; at < (rank == 0 ? words_per_row() : 0); ++at")), ("active_share > 0.8",)),
    ("quantise_int8", "row_distances", "words are subtracted, so that a byte borrows from the next",
     replace_all(DISTANCES, (DOTS, "dot_of_four(q - four, q - four)")), ("matches",)),
    ("zero_suppression", "count_both", "a tree in workgroup memory and two atomic additions per workgroup",
     replace_all(BOTH, ("shared uint gone[2];", "shared uvec2 gone[gl_WorkGroupSize.x];"), ("    if (lane == 0) gone[0] = gone[1] = 0;\n    barrier();\n", ""),
                 (BOTH[BOTH.index("    const uvec2 sum = subgroupAdd"):BOTH.index("    if (lane == 0)\n        for")], """    gone[lane] = mine;
    for (uint values = gl_WorkGroupSize.x; values > 1;) {
        const uint keep = (values + 1) / 2;
        barrier();
        if (lane + keep < values) gone[lane] += gone[lane + keep];
        values = keep;
    }
"""), ("atomicAdd(removed[rule], gone[rule])", "atomicAdd(removed[rule], gone[0][rule])")), PASS),
    ("zero_suppression", "count_both", "an atomic addition for each invocation",
     replace_all(BOTH, ("const uvec2 sum = subgroupAdd(mine);\n    if (subgroupElect()) {", "const uvec2 sum = mine;\n    {")), ("atomics <= 300",)),
    ("zero_suppression", "count_both", "one invocation does all of its workgroup",
     replace_all(BOTH, ("uint i = gl_GlobalInvocationID.x; i < words; i += grid", "uint i = gl_WorkGroupID.x; i < (lane == 0 ? words : 0); i += launch.workgroup_count")), ("active_share > 0.8",)),
    ("hidden_layer", "layer_and_mean", "subgroup additions instead of a tree",
     enable_subgroups(replace_all(LAYER, (TREE, """    const float sum = subgroupAdd(mine);
    parts[lane] = subgroupElect() ? sum : 0.0;
    barrier();
    if (lane == 0) {
        float all = 0.0;
        for (uint i = 0; i < gl_WorkGroupSize.x; ++i) all += parts[i];
        store_sum(all);
    }
}
"""))), PASS),
    ("hidden_layer", "layer_and_mean", "only the sum of the first invocation", replace_all(LAYER, (TREE, "    if (lane == 0) store_sum(mine);\n}\n")), ("matches",)),
    ("hidden_layer", "layer_and_mean", "activations are read again",
     replace_all(LAYER, ("writeonly buffer Activations", "buffer Activations"), ("mine += activation;", "mine += activations[i];")), ("loaded_per_stored <= 2.01",)),
)

# (lesson, values of the parameters to find, in order, requirements that they fail)
SETTINGS = (
    ("thread_index", ("40x8",), PASS), ("thread_index", ("24x8",), PASS), ("thread_index", ("8x40",), PASS),
    ("thread_index", ("16x16",), ("idle = 0",)), ("thread_index", ("10x10",), ("workgroup_size >= 128", "active_share(11) = 1")),
    ("race_condition", ("128", "64"), PASS), ("race_condition", ("256", "32"), PASS), ("race_condition", ("1024", "auto"), PASS),
    ("race_condition", ("1024", "16"), ("elements / workgroup_count <= 2048",)), ("race_condition", ("96", "48"), ("elements / invocations <= 8",)),
    ("race_condition", ("64", "128"), ("storage_atomics <= 64",)),
    ("coalescing", ("1",), PASS), ("coalescing", ("2",), PASS), ("coalescing", ("0",), ("left_out >= 1",)),
    ("coalescing", ("3",), ("sectors_over_needed(10) <= 3.01",)), ("coalescing", ("8",), ("left_out <= 7",)),
    ("softmax", ("192x1", "8"), PASS), ("softmax", ("256x1", "6"), PASS), ("softmax", ("512x1", "3"), PASS),
    ("softmax", ("256x1", "5"), ("loaded_per_stored <= 1.01",)), ("softmax", ("256x1", "8"), ("room <= 6600",)),
    ("softmax", ("128x1", "12"), ("kept <= 8",)),
    ("matmul", ("16x16", "4x4"), PASS), ("matmul", ("32x8", "2x8"), PASS), ("matmul", ("8x8", "4x4"), ("loaded_per_stored <= 2",)),
    ("matmul", ("8x8", "8x8"), ("results_each <= 16",)), ("matmul", ("32x16", "4x4"), ("workgroup_count >= 4",)),
    ("quantise_int8", ("196",), PASS), ("quantise_int8", ("260",), PASS), ("quantise_int8", ("100",), ("bytes_of_steps / int8_bytes <= 0.02",)),
    ("quantise_int8", ("400",), ("middle_step <= 0.025",)),
    ("monte_carlo_pi", ("pcg", "11000000"), PASS), ("monte_carlo_pi", ("philox", "11500000"), PASS),
    ("monte_carlo_pi", ("lcg", "11000000"), ("error <= 0.001",)), ("monte_carlo_pi", ("pcg", "5000000"), ("sigma <= 0.0005",)),
)


class Answers(Case):
    def failed_requirements(self, lesson, step, *arguments):
        """The requirements that the answer fails, in order and without duplicates. Requirements on times are ignored, since they
        depend on the machine."""
        result = self.run_program("make", lesson, "--step", step, *arguments, "--json")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        report = json.loads(result.stdout)
        untimed = [requirement for requirement in report["requirements"] if "_ns" not in requirement["id"]]
        return tuple(dict.fromkeys(requirement["id"] for requirement in untimed if requirement["status"] != "ok"))

    def assert_fails(self, failed, expected):
        """Asserts that the expected requirements fail. A wrong answer may fail more of them: a long loop in one invocation
        reaches the loop cap of a software driver."""
        self.assertLessEqual(set(expected), set(failed))
        self.assertEqual(bool(expected), bool(failed), failed)

    def test_correct_kernels_pass_and_wrong_ones_fail_the_expected_requirements(self):
        for number, (lesson, exercise, description, kernel, expected) in enumerate(KERNELS):
            if not FULL and number % 6:
                continue
            with self.subTest(exercise=exercise, description=description):
                step = next(step for step, name, _ in make_test.find_exercises(lesson) if name == exercise)
                (self.folder / "mine.comp").write_text(kernel)
                self.assert_fails(self.failed_requirements(lesson, step, "--kernel", "mine.comp"), expected)

    def test_several_settings_pass_and_settings_for_a_single_limit_fail(self):
        for number, (lesson, values, expected) in enumerate(SETTINGS):
            if not FULL and number % 6:
                continue
            with self.subTest(lesson=lesson, values=values):
                step, _, lines = next(found for found in make_test.find_exercises(lesson) if not found[1])
                names = re.search(r"^find: (.*)$", lines, re.MULTILINE).group(1).split(", ")
                flags = [word for name, value in zip(names, values) for word in ("--" + name.replace("_", "-"), value)]
                self.assert_fails(self.failed_requirements(lesson, step, *flags), expected)


if __name__ == "__main__":
    unittest.main()
