"""Other answers to what is to be made than the shipped ones: right ones that pass, and wrong ones that fail for the reason that they should."""

import json
import pathlib
import re
import unittest

import make_test
from program import FULL, Case

SHADERS = pathlib.Path(__file__).resolve().parents[2] / "shaders"
RIGHT = ()


def shipped(lesson, name):
    return (SHADERS / lesson / f"{name}.comp").read_text()


def changed(text, *pairs):
    for before, after in pairs:
        if before not in text:
            raise AssertionError(f"{before!r} is not there any more")
        text = text.replace(before, after)
    return text


def with_main(text, body):
    """The kernel with another main()."""
    return text[:text.index("void main()")] + "void main() {" + body + "}\n"


def with_subgroups(text):
    extensions = "".join(f"#extension GL_KHR_shader_subgroup_{name} : require\n" for name in ("basic", "arithmetic"))
    include = "#extension GL_GOOGLE_include_directive : require\n"
    return changed(text, (include, include + extensions))


BARRIERS = shipped("reduction", "missing_barriers")
LEVEL = "            barrier();\n            if (lane + keep < values)\n"
TILES = "for (uint start = gl_WorkGroupID.x * size; start < launch.count; start += launch.workgroup_count * size)"
COLUMNS = shipped("coalescing", "column_totals")
LENGTHS = shipped("grid_stride", "any_length")
PACK = shipped("transfers", "pack")
ONLINE = shipped("softmax", "row_log_sum")
DISTANCES = shipped("quantise_int8", "row_distances")
DOTS = "dot_of_four(q, q) - 2 * dot_of_four(q, four) + dot_of_four(four, four)"
BOTH = shipped("zero_suppression", "count_both")
LAYER = shipped("hidden_layer", "layer_and_mean")
TREE = LAYER[LAYER.index("    parts[lane] = mine;"):]
PLACE = shipped("reduction", "maximum_place")

# (lesson, exercise, what it does, its text, the requirements that it fails)
KERNELS = (
    ("reduction", "missing_barriers", "a barrier behind the load and behind each level",
     changed(BARRIERS, (LEVEL, LEVEL.replace("            barrier();\n", "")), ("ELEMENT(0);\n        for (uint values", "ELEMENT(0);\n        barrier();\n        for (uint values"),
             ("            values = keep;", "            barrier();\n            values = keep;")), RIGHT),
    ("reduction", "missing_barriers", "its own numbers in a register first, then one tree",
     changed(BARRIERS, ("sums[lane] = i < launch.count ? numbers[i] : ELEMENT(0);\n", "total += i < launch.count ? numbers[i] : ELEMENT(0);\n    }\n    sums[lane] = total;\n    {\n"),
             ("total += sums[0];", "total = sums[0];"), ("        if (start + launch.workgroup_count * size < launch.count) barrier();\n", "")), RIGHT),
    ("reduction", "missing_barriers", "subgroup additions in place of levels",
     with_subgroups(with_main(BARRIERS, f"""
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
    if (lane == 0) leave_partial_sum(total);
""")), RIGHT),
    ("reduction", "missing_barriers", "no barrier where a level fits in a subgroup of 32",
     changed(BARRIERS, (LEVEL, LEVEL.replace("barrier();", "if (values > 32) barrier();"))), ("races = 0",)),
    ("reduction", "missing_barriers", "twice as many as are needed",
     changed(BARRIERS, (LEVEL, LEVEL.replace("barrier();", "barrier(); barrier();"))), ("barriers <= 10",)),
    ("reduction", "maximum_place", "one invocation looks for all of its workgroup",
     with_main(PLACE, """
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
    if (place != nowhere) leave_best(number, place);
"""), ("active_share > 0.3",)),
    ("coalescing", "column_totals", "a tree over the rows that are summed at once",
     changed(COLUMNS, ("            for (uint row = 1; row < rows_at_once; ++row)\n                mine += parts[row * width + lane];\n", ""),
             ("        barrier();\n\n        // The first", """        barrier();
        for (uint rows = rows_at_once; rows > 1;) {
            const uint keep = (rows + 1) / 2;
            if (my_row + keep < rows) parts[lane] += parts[lane + keep * width];
            barrier();
            rows = keep;
        }
        mine = parts[lane];

        // The first""")), RIGHT),
    ("coalescing", "column_totals", "an invocation for each column, also where there are four",
     with_main(COLUMNS, """
    for (uint column = gl_GlobalInvocationID.x; column < launch.row_length; column += launch.workgroup_count * gl_WorkGroupSize.x) {
        float sum = 0.0;
        for (uint row = 0; row < row_count(); ++row) sum += number_at(row, column);
        leave_sum(column, sum);
    }
"""), ("active_share > 0.8",)),
    ("coalescing", "column_totals", "no barrier before the parts are added up",
     changed(COLUMNS, ("        parts[lane] = mine;\n        barrier();\n", "        parts[lane] = mine;\n")), ("races = 0",)),
    ("grid_stride", "any_length", "GLSL's own length(), of what is 1 at most",
     changed(LENGTHS, ("const float ratio = min(abs(x), abs(y)) / large;\n    return large * sqrt(1.0 + ratio * ratio);", "return large * length(vec2(x, y) / large);")), RIGHT),
    ("grid_stride", "any_length", "0 / 0 where both are 0", changed(LENGTHS, ("    if (large == 0.0) return 0.0;\n", "")), ("matches",)),
    ("grid_stride", "any_length", "squares of huge and tiny numbers",
     changed(LENGTHS, ("    const float ratio = min(abs(x), abs(y)) / large;\n    return large * sqrt(1.0 + ratio * ratio);", "    return sqrt(x * x + y * y);")), ("matches",)),
    ("transfers", "pack", "each half by itself",
     changed(PACK, ("leave_word(i, has_second ? steps.x | steps.y << 16 : steps.x);", "leave_word(i, bitfieldInsert(steps.x, has_second ? steps.y : 0, 16, 16));")), RIGHT),
    ("transfers", "pack", "the halves the other way round", changed(PACK, ("steps.x | steps.y << 16", "steps.y | steps.x << 16")), ("matches",)),
    ("transfers", "pack", "every word by two invocations",
     changed(PACK, ("i = me(); i < word_count(); i += everyone()", "i = me() / 2; i < word_count(); i += everyone() / 2")), ("each_once = 1",)),
    ("softmax", "row_log_sum", "a tree in workgroup memory, and no subgroups",
     changed(ONLINE, ('#include "common/of_team.glsl"\n', """shared Part found[invocations];
Part of_all(Part mine) {
    barrier();
    found[me] = mine;
    for (uint parts = team; parts > 1;) {
        const uint keep = (parts + 1) / 2;
        barrier();
        if (me + keep < parts) found[me] = merged(found[me], found[me + keep]);
        parts = keep;
    }
    barrier();
    return found[0];
}
"""), ("of_team(mine)", "of_all(mine)")), RIGHT),
    ("softmax", "row_log_sum", "a pass for the maximum and one for the sum",
     changed(ONLINE, ("        Part mine = nothing();\n", """        Part mine = nothing();
        for (uint column = me; column < launch.columns; column += team) mine.m = max(mine.m, number_at(row, column));
""")), ("loaded_per_stored <= 520",)),
    ("softmax", "row_log_sum", "one invocation does all of the row",
     changed(ONLINE, ("uint column = me; column < launch.columns; column += team", "uint column = 0; column < (me == 0 ? launch.columns : 0); ++column")), ("active_share > 0.8",)),
    ("softmax", "row_log_sum", "each invocation its own stretch of the row",
     changed(ONLINE, ("uint column = me; column < launch.columns; column += team", "uint each = (launch.columns + team - 1) / team, column = me * each; column < min(launch.columns, (me + 1) * each); ++column")), ("sectors_over_needed < 1.25",)),
    ("quantise_int8", "row_distances", "differences of bytes, widened",
     changed(DISTANCES, (f"mine += {DOTS};", "const ivec4 apart = bytes_of(q) - bytes_of(four);\n            mine += apart.x * apart.x + apart.y * apart.y + apart.z * apart.z + apart.w * apart.w;")), RIGHT),
    ("quantise_int8", "row_distances", "one invocation does all of the row",
     changed(DISTANCES, ("uint at = me; at < words_per_row(); at += team", "uint at = 0; at < (me == 0 ? words_per_row() : 0); ++at")), ("active_share > 0.8",)),
    ("quantise_int8", "row_distances", "words are subtracted, and a byte borrows",
     changed(DISTANCES, (DOTS, "dot_of_four(q - four, q - four)")), ("matches",)),
    ("zero_suppression", "count_both", "a tree in workgroup memory, and two atomic additions a workgroup",
     changed(BOTH, ("shared uint gone[2];", "shared uvec2 gone[gl_WorkGroupSize.x];"), ("    if (lane == 0) gone[0] = gone[1] = 0;\n    barrier();\n", ""),
             (BOTH[BOTH.index("    const uvec2 sum = subgroupAdd"):BOTH.index("    if (lane == 0)\n        for")], """    gone[lane] = mine;
    for (uint values = gl_WorkGroupSize.x; values > 1;) {
        const uint keep = (values + 1) / 2;
        barrier();
        if (lane + keep < values) gone[lane] += gone[lane + keep];
        values = keep;
    }
"""), ("atomicAdd(removed[rule], gone[rule])", "atomicAdd(removed[rule], gone[0][rule])")), RIGHT),
    ("zero_suppression", "count_both", "an atomic addition for each invocation",
     changed(BOTH, ("const uvec2 sum = subgroupAdd(mine);\n    if (subgroupElect()) {", "const uvec2 sum = mine;\n    {")), ("atomics <= 300",)),
    ("zero_suppression", "count_both", "one invocation does all of its workgroup",
     changed(BOTH, ("uint i = gl_GlobalInvocationID.x; i < words; i += grid", "uint i = gl_WorkGroupID.x; i < (lane == 0 ? words : 0); i += launch.workgroup_count")), ("active_share > 0.8",)),
    ("hidden_layer", "layer_and_mean", "subgroup additions in place of a tree",
     with_subgroups(changed(LAYER, (TREE, """    const float sum = subgroupAdd(mine);
    parts[lane] = subgroupElect() ? sum : 0.0;
    barrier();
    if (lane == 0) {
        float all = 0.0;
        for (uint i = 0; i < gl_WorkGroupSize.x; ++i) all += parts[i];
        leave_sum(all);
    }
}
"""))), RIGHT),
    ("hidden_layer", "layer_and_mean", "only what the first invocation has", changed(LAYER, (TREE, "    if (lane == 0) leave_sum(mine);\n}\n")), ("matches",)),
    ("hidden_layer", "layer_and_mean", "activations are read again",
     changed(LAYER, ("writeonly buffer Activations", "buffer Activations"), ("mine += activation;", "mine += activations[i];")), ("loaded_per_stored <= 2.01",)),
)

# (lesson, the values of what is to be found in order, the requirements that they fail)
SETTINGS = (
    ("thread_index", ("40x8",), RIGHT), ("thread_index", ("24x8",), RIGHT), ("thread_index", ("8x40",), RIGHT),
    ("thread_index", ("16x16",), ("idle = 0",)), ("thread_index", ("10x10",), ("workgroup_size >= 128", "active_share(14) = 1")),
    ("race_condition", ("128", "64"), RIGHT), ("race_condition", ("256", "32"), RIGHT), ("race_condition", ("1024", "auto"), RIGHT),
    ("race_condition", ("1024", "16"), ("elements / workgroup_count <= 2048",)), ("race_condition", ("96", "48"), ("elements / invocations <= 8",)),
    ("race_condition", ("64", "128"), ("storage_atomics <= 64",)),
    ("coalescing", ("1",), RIGHT), ("coalescing", ("2",), RIGHT), ("coalescing", ("0",), ("left_out >= 1",)),
    ("coalescing", ("3",), ("sectors_over_needed(18) <= 3.01",)), ("coalescing", ("8",), ("left_out <= 7",)),
    ("softmax", ("192x1", "8"), RIGHT), ("softmax", ("256x1", "6"), RIGHT), ("softmax", ("512x1", "3"), RIGHT),
    ("softmax", ("256x1", "5"), ("loaded_per_stored <= 1.01",)), ("softmax", ("256x1", "8"), ("room <= 6600",)),
    ("softmax", ("128x1", "12"), ("kept <= 8",)),
    ("matmul", ("16x16", "4x4"), RIGHT), ("matmul", ("32x8", "2x8"), RIGHT), ("matmul", ("8x8", "4x4"), ("loaded_per_stored <= 2",)),
    ("matmul", ("8x8", "8x8"), ("results_each <= 16",)), ("matmul", ("32x16", "4x4"), ("workgroup_count >= 4",)),
    ("quantise_int8", ("196",), RIGHT), ("quantise_int8", ("260",), RIGHT), ("quantise_int8", ("100",), ("bytes_of_steps / int8_bytes <= 0.02",)),
    ("quantise_int8", ("400",), ("middle_step <= 0.025",)),
    ("monte_carlo_pi", ("pcg", "11000000"), RIGHT), ("monte_carlo_pi", ("philox", "11500000"), RIGHT),
    ("monte_carlo_pi", ("lcg", "11000000"), ("error <= 0.001",)), ("monte_carlo_pi", ("pcg", "5000000"), ("sigma <= 0.0005",)),
)


class Answers(Case):
    def failed(self, lesson, step, *arguments):
        """The requirements that it fails, in order, each once; what is measured is left to the machine."""
        result = self.run_program("make", lesson, "--step", step, *arguments, "--json")
        self.assertIn(result.returncode, (0, 1), result.stderr)
        report = json.loads(result.stdout)
        counted = [one for one in report["requirements"] if "_ns" not in one["id"]]
        return tuple(dict.fromkeys(one["id"] for one in counted if one["status"] != "ok"))

    def fails_for(self, failed, reasons):
        """A wrong one may fail more: what takes long on one invocation meets the loop cap of a software driver."""
        self.assertLessEqual(set(reasons), set(failed))
        self.assertEqual(bool(reasons), bool(failed), failed)

    def test_other_right_kernels_pass_and_wrong_ones_fail_for_their_reason(self):
        for number, (lesson, exercise, what, kernel, fails) in enumerate(KERNELS):
            if not FULL and number % 6:
                continue
            with self.subTest(exercise=exercise, what=what):
                step = next(step for step, name, _ in make_test.makes_of(lesson) if name == exercise)
                (self.folder / "mine.comp").write_text(kernel)
                self.fails_for(self.failed(lesson, step, "--kernel", "mine.comp"), fails)

    def test_several_settings_pass_and_those_that_look_only_at_one_limit_fail(self):
        for number, (lesson, values, fails) in enumerate(SETTINGS):
            if not FULL and number % 6:
                continue
            with self.subTest(lesson=lesson, values=values):
                step, _, lines = next(one for one in make_test.makes_of(lesson) if not one[1])
                names = re.search(r"^find: (.*)$", lines, re.MULTILINE).group(1).split(", ")
                flags = [part for name, value in zip(names, values) for part in ("--" + name.replace("_", "-"), value)]
                self.fails_for(self.failed(lesson, step, *flags), fails)


if __name__ == "__main__":
    unittest.main()
