"""Kernels with a known answer: GLSL, the same pattern in Python (see simulation.py), and by hand what is wrong with it.

They take the place of reduction's tree_sequential: 64 invocations in each of 2 workgroups unless they say otherwise, and
buffers of 1, 2, 3 … and of one element a workgroup. `//@a` names a line for the pattern; a line has one access of a kind."""

from simulation import atomic, barrier, load, store, subgroup_barrier

HEAD = """#version 450
#extension GL_GOOGLE_include_directive : require
{extensions}#include "common/launch.glsl"
{outer}
layout(std430, binding = 0) buffer Numbers {{
    {numbers}
}};
layout(std430, binding = 1) buffer PartialSums {{
    uint partial_sums[];
}};
{before}
void main() {{
    const uint i = gl_LocalInvocationIndex;
    const uint group = gl_WorkGroupID.x;
    const uint all = gl_GlobalInvocationID.x;
    uint x = 0u;
{body}
    if (x == 0xfffffff1u) partial_sums[group] = x;
}}
"""


class Kernel:
    def __init__(self, run, body, before="", outer="", extensions="", numbers="uint numbers[];", size=64, groups=2, elements=1024,
                 wrong="", warns="", values=False, needs=()):
        """wrong, warns: ids of the findings that are a problem or a warning. values: what is read and written is known too.
        needs: keys of `devices --json` without which a device cannot run it."""
        self.name, self.run = run.__name__, run
        self.source = HEAD.format(extensions="".join(f"#extension {name} : require\n" for name in extensions.split()),
                                  outer=outer, numbers=numbers, before=before, body=body.strip("\n"))
        self.size, self.groups, self.elements = size, groups, elements
        self.wrong, self.warns, self.values, self.needs = set(wrong.split()), set(warns.split()), values, needs

    def has(self, word):
        return word in self.source

    def arguments(self):
        return ["--elements", self.elements, "--workgroup-size", self.size, "--workgroup-count", self.groups]


KERNELS = []


def kernel(body, before="", **more):
    def keep(run):
        KERNELS.append(Kernel(run, body, before, **more))
        return run

    return keep


TILE = "shared uint tile[64];"

# --- Races in workgroup memory.


@kernel("tile[i / 2u] = i; //@a", TILE, wrong="race")
def two_write_the_same_cell(me):
    yield store("a", "tile", me.i // 2, me.i)


@kernel("tile[0] = 7u; //@a", TILE, wrong="race")
def all_write_the_same_value(me):
    yield store("a", "tile", 0, 7)


@kernel("""
    tile[i] = i; //@a
    x += tile[(i + 1u) % 64u]; //@b
""", TILE, wrong="race")
def neighbour_is_read_too_early(me):
    yield store("a", "tile", me.i, me.i)
    yield load("b", "tile", (me.i + 1) % 64)


@kernel("""
    tile[i] = i * 3u; //@a
    barrier(); //@w
    x += tile[(i + 1u) % 64u]; //@b
    barrier(); //@v
    tile[63u - i] = i; //@c
    barrier(); //@u
    x += tile[i ^ 5u]; //@d
""", TILE, values=True)
def barriers_stand_where_they_must(me):
    yield store("a", "tile", me.i, me.i * 3)
    yield barrier("w")
    yield load("b", "tile", (me.i + 1) % 64)
    yield barrier("v")
    yield store("c", "tile", 63 - me.i, me.i)
    yield barrier("u")
    yield load("d", "tile", me.i ^ 5)


@kernel("""
    tile[i] = i; //@a
    barrier(); //@w
    x += tile[(i + 1u) % 64u]; //@b
    tile[i] = x; //@c
""", TILE, wrong="race")
def written_while_others_still_read(me):
    yield store("a", "tile", me.i, me.i)
    yield barrier("w")
    yield load("b", "tile", (me.i + 1) % 64)
    yield store("c", "tile", me.i, 0)


@kernel("""
    atomicAdd(tile[0], 1u); //@a
    if (i == 5u) x += tile[0]; //@b
""", TILE, wrong="race")
def plain_read_among_atomics(me):
    yield atomic("a", "tile", 0, lambda old: old + 1)
    if me.i == 5:
        yield load("b", "tile", 0)


@kernel("""
    if (i == 0u) tile[3] = 0u; //@a
    atomicAdd(tile[3], 1u); //@b
""", TILE, wrong="race")
def plain_write_among_atomics(me):
    if me.i == 0:
        yield store("a", "tile", 3, 0)
    yield atomic("b", "tile", 3, lambda old: old + 1)


@kernel("""
    if (i == 0u) tile[3] = 0u; //@a
    barrier(); //@w
    atomicAdd(tile[3], 1u); //@b
    barrier(); //@v
    x += tile[3]; //@c
""", TILE)
def atomics_between_barriers(me):
    if me.i == 0:
        yield store("a", "tile", 3, 0)
    yield barrier("w")
    yield atomic("b", "tile", 3, lambda old: old + 1)
    yield barrier("v")
    yield load("c", "tile", 3)


@kernel("""
    tile[i] = i; //@a
    subgroupBarrier(); //@w
    x += tile[i ^ 1u]; //@b
""", TILE, extensions="GL_KHR_shader_subgroup_basic", values=True)
def subgroup_barrier_orders_its_own(me):
    yield store("a", "tile", me.i, me.i)
    yield subgroup_barrier("w")
    yield load("b", "tile", me.i ^ 1)


@kernel("""
    tile[i] = i; //@a
    subgroupBarrier(); //@w
    x += tile[(i + gl_SubgroupSize) % 128u]; //@b
""", "shared uint tile[128];", size=128, extensions="GL_KHR_shader_subgroup_basic", wrong="race")
def subgroup_barrier_orders_no_other(me):
    yield store("a", "tile", me.i, me.i)
    yield subgroup_barrier("w")
    yield load("b", "tile", (me.i + me.width) % 128)


@kernel("""
    for (uint turn = 0u; turn < 3u; ++turn) {
        tile[i] = turn + i; //@a
        barrier(); //@w
        x += tile[63u - i]; //@b
    }
""", TILE, wrong="race")
def loop_misses_its_second_barrier(me):
    for turn in range(3):
        yield store("a", "tile", me.i, turn + me.i)
        yield barrier("w")
        yield load("b", "tile", 63 - me.i)


@kernel("""
    for (uint turn = 0u; turn < 3u; ++turn) {
        tile[i] = turn + i; //@a
        barrier(); //@w
        x += tile[63u - i]; //@b
        barrier(); //@v
    }
""", TILE, values=True)
def loop_with_both_barriers(me):
    for turn in range(3):
        yield store("a", "tile", me.i, turn + me.i)
        yield barrier("w")
        yield load("b", "tile", 63 - me.i)
        yield barrier("v")


TREE = """
    tile[i] = numbers[all]; //@a
    {first}
    for (uint keep = 32u; keep > 0u; keep /= 2u) {{
        if (i < keep) {{
            const uint other = tile[i + keep]; //@b
            const uint mine = tile[i]; //@c
            tile[i] = mine + other; //@d
        }}
        {second}
    }}
"""


def tree(me, first, second):
    number = yield load("a", "numbers", me.all)
    yield store("a", "tile", me.i, number)
    if first:
        yield barrier("w")
    keep = 32
    while keep:
        if me.i < keep:
            other = yield load("b", "tile", me.i + keep)
            mine = yield load("c", "tile", me.i)
            yield store("d", "tile", me.i, None if other is None else mine + other)
        if second:
            yield barrier("v")
        keep //= 2


@kernel(TREE.format(first="barrier(); //@w", second="barrier(); //@v"), TILE, values=True)
def tree_is_right(me):
    yield from tree(me, True, True)


@kernel(TREE.format(first="", second="barrier(); //@v"), TILE, wrong="race")
def tree_without_its_first_barrier(me):
    yield from tree(me, False, True)


@kernel(TREE.format(first="barrier(); //@w", second=""), TILE, wrong="race")
def tree_without_barriers_between_levels(me):
    yield from tree(me, True, False)


@kernel("""
    quads[i / 2u][(i % 2u) * 2u] = i; //@a
    quads[i / 2u][(i % 2u) * 2u + 1u] = i; //@b
""", "shared uvec4 quads[32];")
def components_of_a_vector_are_cells_of_their_own(me):
    yield store("a", "quads", me.i // 2, me.i, bytes=4, within=me.i % 2 * 8)
    yield store("b", "quads", me.i // 2, me.i, bytes=4, within=me.i % 2 * 8 + 4)


@kernel("""
    if (i < 32u) quads[i] = uvec4(i); //@a
    else x += quads[i - 32u].z; //@b
""", "shared uvec4 quads[32];", wrong="race")
def a_component_races_with_its_vector(me):
    if me.i < 32:
        yield store("a", "quads", me.i, None)
    else:
        yield load("b", "quads", me.i - 32, bytes=4, within=8)


@kernel("""
    grid[i / 8u][i % 8u] = i; //@a
    barrier(); //@w
    x += grid[i % 8u][i / 8u]; //@b
""", "shared uint grid[8][8];", values=True)
def rows_become_columns(me):
    yield store("a", "grid", (me.i // 8, me.i % 8), me.i)
    yield barrier("w")
    yield load("b", "grid", (me.i % 8, me.i // 8))


@kernel("""
    grid[i / 8u][i % 8u] = i; //@a
    x += grid[i % 8u][i / 8u]; //@b
""", "shared uint grid[8][8];", wrong="race")
def rows_become_columns_without_a_barrier(me):
    yield store("a", "grid", (me.i // 8, me.i % 8), me.i)
    yield load("b", "grid", (me.i % 8, me.i // 8))


@kernel("""
    if (group == 0u) {
        tile[i] = i; //@a
        barrier(); //@w
        x += tile[63u - i]; //@b
    } else {
        tile[i] = x; //@c
    }
""", TILE)
def barrier_that_one_whole_workgroup_passes(me):
    if me.group == 0:
        yield store("a", "tile", me.i, me.i)
        yield barrier("w")
        yield load("b", "tile", 63 - me.i)
    else:
        yield store("c", "tile", me.i, 0)


@kernel("""
    if (i % 2u == 0u) pairs[i / 2u].left = i; //@a
    else pairs[i / 2u].right = i; //@b
    barrier(); //@w
    x += pairs[i / 2u].left; //@c
    x += pairs[31u - i / 2u].right; //@d
""", "struct Pair { uint left; uint right; };\nshared Pair pairs[32];", values=True)
def members_of_a_struct_are_cells_of_their_own(me):
    if me.i % 2 == 0:
        yield store("a", "pairs", me.i // 2, me.i, bytes=4)
    else:
        yield store("b", "pairs", me.i // 2, me.i, bytes=4, within=4)
    yield barrier("w")
    yield load("c", "pairs", me.i // 2, bytes=4)
    yield load("d", "pairs", 31 - me.i // 2, bytes=4, within=4)


@kernel("""
    add_to(tile[i / 2u], i); //@a
""", TILE + "\nvoid add_to(inout uint cell, const in uint much) { cell += much; }", wrong="race")
def a_function_given_a_cell(me):
    yield load("a", "tile", me.i // 2)
    yield store("a", "tile", me.i // 2, None)


@kernel("""
    tile[i] = 2u * i; //@a
    barrier(); //@w
    x = sum_of_two(i);
""", TILE + """
uint one(uint at) {
    return tile[at]; //@b
}
uint sum_of_two(uint at) { const uint first = one(at); return first + one((at + 1u) % 64u); }
""", values=True)
def functions_that_call_functions(me):
    yield store("a", "tile", me.i, 2 * me.i)
    yield barrier("w")
    yield load("b", "tile", me.i)
    yield load("b", "tile", (me.i + 1) % 64)


@kernel("""
    wide[i] = double(i); //@a
    barrier(); //@w
    x += uint(wide[63u - i]); //@b
""", "shared double wide[64];", needs=("float64",))
def eight_bytes_each(me):
    yield store("a", "wide", me.i, None)
    yield barrier("w")
    yield load("b", "wide", 63 - me.i)


@kernel("""
    wide[i % 48u] = double(i); //@a
""", "shared double wide[64];", wrong="race", needs=("float64",))
def eight_bytes_for_two(me):
    yield store("a", "wide", me.i % 48, None)


# --- Races in storage buffers.


@kernel("numbers[i] = all; //@a", wrong="race")
def workgroups_write_the_same_cells(me):
    yield store("a", "numbers", me.i, me.all)


@kernel("""
    x = numbers[all]; //@a
    numbers[all] = x + 1u; //@b
""", values=True)
def each_its_own_cell(me):
    x = yield load("a", "numbers", me.all)
    yield store("b", "numbers", me.all, x + 1)


@kernel("""
    x = numbers[all + 64u]; //@a
    numbers[all] = x; //@b
""", wrong="race")
def one_workgroup_reads_what_another_writes(me):
    yield load("a", "numbers", me.all + 64)
    yield store("b", "numbers", me.all, None)


@kernel("if (i == 0u) numbers[7] = 3u; //@a", wrong="race")
def workgroups_write_the_same_value(me):
    if me.i == 0:
        yield store("a", "numbers", 7, 3)


@kernel("atomicAdd(numbers[i % 4u], 1u); //@a")
def atomics_of_all_workgroups(me):
    yield atomic("a", "numbers", me.i % 4, lambda old: old + 1)


@kernel("""
    atomicAdd(numbers[0], 1u); //@a
    if (all == 70u) x = numbers[0]; //@b
""", wrong="race")
def plain_read_among_atomics_of_a_buffer(me):
    yield atomic("a", "numbers", 0, lambda old: old + 1)
    if me.all == 70:
        yield load("b", "numbers", 0)


@kernel("""
    numbers[all] = i; //@a
    barrier(); //@w
    x = numbers[all ^ 1u]; //@b
""", warns="race")
def a_barrier_orders_no_buffer(me):
    yield store("a", "numbers", me.all, me.i)
    yield barrier("w")
    yield load("b", "numbers", me.all ^ 1)


@kernel("""
    numbers[all] = i; //@a
    memoryBarrierBuffer();
    barrier(); //@w
    x = numbers[all ^ 1u]; //@b
""")
def a_memory_barrier_and_a_barrier_do(me):
    yield store("a", "numbers", me.all, me.i)
    yield barrier("w", orders_buffers=True)
    yield load("b", "numbers", me.all ^ 1)


@kernel("""
    numbers[all] = i; //@a
    x = numbers[all ^ 1u]; //@b
""", wrong="race")
def buffer_without_any_barrier(me):
    yield store("a", "numbers", me.all, me.i)
    yield load("b", "numbers", me.all ^ 1)


@kernel("partial_sums[group] = i; //@a", wrong="race")
def a_whole_workgroup_leaves_one_result(me):
    yield store("a", "partial_sums", me.group, me.i)


@kernel("if (i == 0u) partial_sums[group] = all; //@a", groups=4, values=True)
def one_leaves_the_result(me):
    if me.i == 0:
        yield store("a", "partial_sums", me.group, me.all)


# --- Outside.


@kernel("x = tile[i + 60u]; //@a", TILE, wrong="outside")
def above_a_shared_array(me):
    yield load("a", "tile", me.i + 60)


@kernel("x = tile[int(i) - 3]; //@a", TILE, wrong="outside")
def below_a_shared_array(me):
    yield load("a", "tile", me.i - 3)


@kernel("if (i < 8u) tile[i * 16u] = i; //@a", TILE, wrong="outside")
def written_above_a_shared_array(me):
    if me.i < 8:
        yield store("a", "tile", me.i * 16, me.i)


@kernel("x = grid[0][i]; //@a", "shared uint grid[8][32];", wrong="outside")
def beyond_its_row_and_inside_the_array(me):
    yield load("a", "grid", (0, me.i))


@kernel("x = numbers[all + 1020u]; //@a", wrong="outside")
def above_a_buffer(me):
    yield load("a", "numbers", me.all + 1020)


@kernel("x = numbers[int(all) - 1]; //@a", wrong="outside")
def below_a_buffer(me):
    yield load("a", "numbers", me.all - 1)


@kernel("numbers[all * 16u] = all; //@a", wrong="outside")
def written_above_a_buffer(me):
    yield store("a", "numbers", me.all * 16, me.all)


@kernel("x = numbers[all + 0x40000000u]; //@a", wrong="outside")
def an_index_that_wraps(me):
    yield load("a", "numbers", me.all + 0x40000000)


@kernel("""
    if (all < 100u) {
        x = numbers[all]; //@a
    }
""", elements=100, values=True)
def guarded_by_the_count(me):
    if me.all < 100:
        yield load("a", "numbers", me.all)


@kernel("if (all < 26u) x = quads[all].x; //@a", numbers="uvec4 quads[];", elements=102)
def the_last_quad_is_bound_whole(me):
    if me.all < 26:
        yield load("a", "quads", me.all, bytes=4)


# --- Barriers that not all reach.


@kernel("""
    if (i % 2u == 0u)
        barrier(); //@a
    else
        barrier(); //@b
""", wrong="divergent_barrier")
def two_barriers_for_two_halves(me):
    yield barrier("a" if me.i % 2 == 0 else "b")


# --- Sectors: how far apart the lanes of a request are.

for stride in (1, 2, 3, 4, 8, 16, 32):
    def run(me, stride=stride):
        yield load("a", "numbers", me.all * stride)
    run.__name__ = f"stride_{stride}"
    kernel(f"x = numbers[all * {stride}u]; //@a", elements=4096)(run)

for offset in (1, 3, 4, 8):
    def run(me, offset=offset):
        yield load("a", "numbers", me.all + offset)
    run.__name__ = f"offset_{offset}"
    kernel(f"x = numbers[all + {offset}u]; //@a")(run)


@kernel("x = pairs[all].x; //@a", numbers="uvec2 pairs[];")
def one_of_two(me):
    yield load("a", "pairs", me.all, bytes=4)


@kernel("""
    const uvec2 pair = pairs[all]; //@a
    pairs[all] = pair.yx; //@b
""", numbers="uvec2 pairs[];")
def two_at_once(me):
    yield load("a", "pairs", me.all)
    yield store("b", "pairs", me.all, None)


@kernel("""
    const uvec4 quad = quads[all]; //@a
    quads[all] = quad.wzyx; //@b
""", numbers="uvec4 quads[];")
def four_at_once(me):
    yield load("a", "quads", me.all)
    yield store("b", "quads", me.all, None)


@kernel("""
    const uint half_word = uint(halves[all]); //@a
    halves[all + 128u] = uint16_t(half_word); //@b
""", numbers="uint16_t halves[];", extensions="GL_EXT_shader_16bit_storage GL_EXT_shader_explicit_arithmetic_types_int16",
        needs=("storage16",))
def two_bytes_each(me):
    yield load("a", "halves", me.all)
    yield store("b", "halves", me.all + 128, None)


@kernel("""
    const double wide = doubles[all]; //@a
    doubles[all + 128u] = wide; //@b
""", numbers="double doubles[];", needs=("float64",))
def eight_bytes_of_a_buffer(me):
    yield load("a", "doubles", me.all)
    yield store("b", "doubles", me.all + 128, None)


@kernel("x = numbers[group]; //@a", values=True)
def all_read_one(me):
    yield load("a", "numbers", me.group)


@kernel("x = numbers[(all * 37u) % 128u]; //@a", values=True)
def scattered(me):
    yield load("a", "numbers", me.all * 37 % 128)


# --- Banks.

BANKS = {"banks_of_stride_1": ("i", lambda i: i), "banks_of_stride_2": ("2u * i", lambda i: 2 * i),
         "banks_of_stride_32": ("32u * i", lambda i: 32 * i), "banks_of_stride_33": ("33u * i", lambda i: 33 * i),
         "banks_of_a_broadcast": ("5u", lambda i: 5), "banks_of_pairs_of_lanes": ("i / 2u", lambda i: i // 2)}
for name, (index, place) in BANKS.items():
    def run(me, place=place):
        yield load("a", "wide_tile", place(me.i))
    run.__name__ = name
    kernel(f"x = wide_tile[{index}]; //@a", "shared uint wide_tile[2112];")(run)


@kernel("""
    for (uint stride = 1u; stride < 256u; stride *= 2u) {
        const uint at = 2u * stride * i;
        if (at < 256u) {
            x += tile[at]; //@a
        }
        barrier(); //@w
    }
""", "shared uint tile[256];", size=256)
def banks_of_a_tree_that_spreads(me):
    stride = 1
    while stride < 256:
        if 2 * stride * me.i < 256:
            yield load("a", "tile", 2 * stride * me.i)
        yield barrier("w")
        stride *= 2


@kernel("x = uint(dot(quads[i], vec4(1))); //@a", "shared vec4 quads[64];")
def banks_of_four_at_once(me):
    yield load("a", "quads", me.i)


# --- Atomics.


@kernel("atomicMax(numbers[500], i); //@a")
def all_at_one_address(me):
    yield atomic("a", "numbers", 500, lambda old: max(old, me.i))


@kernel("""
    atomicExchange(tile[i % 8u], i); //@a
    atomicCompSwap(tile[8u + i % 3u], 0u, i); //@b
""", TILE)
def exchanges(me):
    yield atomic("a", "tile", me.i % 8, lambda old: me.i)
    yield atomic("b", "tile", 8 + me.i % 3, lambda old: old)


@kernel("""
    if (numbers[all] % 3u == 0u) //@a
        atomicAdd(partial_sums[group], 1u); //@b
""", groups=4)
def those_that_count(me):
    number = yield load("a", "numbers", me.all)
    if number % 3 == 0:
        yield atomic("b", "partial_sums", me.group, lambda old: old + 1)


# --- Coverage.


@kernel("numbers[all] = 1u; //@a", elements=128, values=True)
def every_element_once(me):
    yield store("a", "numbers", me.all, 1)


@kernel("numbers[2u * all] = 1u; //@a", elements=256, values=True)
def every_second_element(me):
    yield store("a", "numbers", 2 * me.all, 1)


@kernel("""
    numbers[all] = 1u; //@a
    numbers[all] = 2u; //@b
""", elements=128, values=True)
def every_element_twice(me):
    yield store("a", "numbers", me.all, 1)
    yield store("b", "numbers", me.all, 2)


@kernel("""
    for (uint at = all; at < launch.count; at += launch.workgroup_count * gl_WorkGroupSize.x)
        x += numbers[at]; //@a
    if (i == 0u) partial_sums[group] = 5u; //@b
""", elements=1000, groups=3, values=True)
def grid_stride(me):
    at = me.all
    while at < me.count:
        yield load("a", "numbers", at)
        at += me.groups * me.size
    if me.i == 0:
        yield store("b", "partial_sums", me.group, 5)


# --- Ways through a kernel.


@kernel("""
    if (i >= 10u) return;
    x = numbers[all]; //@a
    if (i >= 5u) return;
    numbers[all] = x; //@b
""", values=True)
def early_returns(me):
    if me.i >= 10:
        return
    x = yield load("a", "numbers", me.all)
    if me.i >= 5:
        return
    yield store("b", "numbers", me.all, x)


@kernel("""
    for (uint n = 0u; n < i % 5u; ++n) {
        if (n == 3u) break;
        if (n == 1u) continue;
        x += numbers[all * 4u + n]; //@a
    }
""")
def loops_of_different_lengths(me):
    for n in range(me.i % 5):
        if n == 3:
            break
        if n == 1:
            continue
        yield load("a", "numbers", me.all * 4 + n)


@kernel("""
    switch (i % 3u) {
        case 0u:
            x = numbers[all]; //@a
            break;
        case 1u:
            numbers[all] = 9u; //@b
            break;
        default:
            atomicAdd(numbers[all], 2u); //@c
    }
""", values=True)
def three_ways(me):
    if me.i % 3 == 0:
        yield load("a", "numbers", me.all)
    elif me.i % 3 == 1:
        yield store("b", "numbers", me.all, 9)
    else:
        yield atomic("c", "numbers", me.all, lambda old: old + 2)


@kernel("""
    block[i / 16u][i / 4u % 4u][i % 4u] = i; //@a
    barrier(); //@w
    x = block[i % 4u][i / 4u % 4u][i / 16u]; //@b
""", "shared uint block[4][4][4];", values=True)
def three_dimensions(me):
    yield store("a", "block", me.i, me.i)
    yield barrier("w")
    yield load("b", "block", me.i % 4 * 16 + me.i // 4 % 4 * 4 + me.i // 16)


@kernel("""
    points[all].left = i; //@a
    points[all].right = all; //@b
    x = points[all].left; //@c
""", numbers="Pair points[];", outer="struct Pair { uint left; uint right; };")
def structs_of_a_buffer(me):
    yield store("a", "points", me.all, me.i, bytes=4)
    yield store("b", "points", me.all, me.all, bytes=4, within=4)
    yield load("c", "points", me.all, bytes=4)


@kernel("""
    const uint way = i % 2u;
    x = way == 0u ? first_half(i) : second_half(i);
""", """
uint first_half(uint at) {
    return numbers[at]; //@a
}
uint second_half(uint at) {
    return numbers[at + 512u]; //@b
}
""", values=True)
def functions_by_choice(me):
    if me.i % 2 == 0:
        yield load("a", "numbers", me.i)
    else:
        yield load("b", "numbers", me.i + 512)


@kernel("""
    signed_tile[i] = -int(i); //@a
    barrier(); //@w
    if (signed_tile[63u - i] < -10) //@b
        x = 1u;
""", "shared int signed_tile[64];", values=True)
def negative_numbers(me):
    yield store("a", "signed_tile", me.i, -me.i)
    yield barrier("w")
    yield load("b", "signed_tile", 63 - me.i)


@kernel("""
    real_tile[i] = float(i) * 0.5; //@a
    barrier(); //@w
    x = uint(real_tile[i / 2u]); //@b
""", "shared float real_tile[64];", values=True)
def halves(me):
    yield store("a", "real_tile", me.i, me.i / 2)
    yield barrier("w")
    yield load("b", "real_tile", me.i // 2)


@kernel("x = numbers[all]; //@a", size=100, groups=3, values=True)
def a_workgroup_with_a_part_of_a_subgroup(me):
    yield load("a", "numbers", me.all)


@kernel("numbers[all] = x; //@a", size=1, groups=5, values=True)
def workgroups_of_one(me):
    yield store("a", "numbers", me.all, 0)
