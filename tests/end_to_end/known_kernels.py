"""All kernels with a known answer: those of known_races.py, and here what they access, where, and how well."""

import known_races  # puts its own among KERNELS
from kernel_case import KERNELS, TILE, kernel, one_more, pattern, when
from simulation import atomic, barrier, load, store

# --- Outside.


pattern("above_a_shared_array", "x = tile[i + 60u]; //@a", lambda me: (load("a", "tile", me.i + 60),), TILE,
        wrong="outside")
pattern("below_a_shared_array", "x = tile[int(i) - 3]; //@a", lambda me: (load("a", "tile", me.i - 3),), TILE,
        wrong="outside")
pattern("written_above_a_shared_array", "if (i < 8u) tile[i * 16u] = i; //@a",
        lambda me: when(me.i < 8, store("a", "tile", me.i * 16, me.i)), TILE, wrong="outside")
pattern("beyond_its_row_and_inside_the_array", "x = grid[0][i]; //@a", lambda me: (load("a", "grid", (0, me.i)),),
        "shared uint grid[8][32];", wrong="outside")
pattern("above_a_buffer", "x = numbers[all + 1020u]; //@a", lambda me: (load("a", "numbers", me.all + 1020),),
        wrong="outside")
pattern("below_a_buffer", "x = numbers[int(all) - 1]; //@a", lambda me: (load("a", "numbers", me.all - 1),),
        wrong="outside")
pattern("written_above_a_buffer", "numbers[all * 16u] = all; //@a",
        lambda me: (store("a", "numbers", me.all * 16, me.all),), wrong="outside")
pattern("an_index_that_wraps", "x = numbers[all + 0x40000000u]; //@a",
        lambda me: (load("a", "numbers", me.all + 0x40000000),), wrong="outside")
pattern("guarded_by_the_count", """
    if (all < 100u) {
        x = numbers[all]; //@a
    }
""", lambda me: when(me.all < 100, load("a", "numbers", me.all)), elements=100, values=True)
pattern("the_last_quad_is_bound_whole", "if (all < 26u) x = quads[all].x; //@a",
        lambda me: when(me.all < 26, load("a", "quads", me.all, bytes=4)), numbers="uvec4 quads[];", elements=102)


# --- Barriers that not all reach.


pattern("two_barriers_for_two_halves", """
    if (i % 2u == 0u)
        barrier(); //@a
    else
        barrier(); //@b
""", lambda me: (barrier("a" if me.i % 2 == 0 else "b"),), wrong="divergent_barrier")


@kernel("""
    for (uint t = 0u; t < 4u; ++t) {
        if (t == i % 4u) continue;
        barrier(); //@w
    }
""", wrong="divergent_barrier")
def each_leaves_out_another_turn(me):
    for t in range(4):
        if t != me.i % 4:
            yield barrier("w", turns=(t,))


@kernel("""
    uint t = i < 32u ? 1u : 0u;
    do {
        if (t >= 1u) barrier(); //@w
        ++t;
    } while (t < 4u);
""", wrong="divergent_barrier")
def a_loop_that_waits_from_another_turn_on(me):
    start = 1 if me.i < 32 else 0
    for t in range(start, 4):
        if t >= 1:
            yield barrier("w", turns=(t - start,))


@kernel("""
    for (uint a = 0u; a < 2u; ++a)
        for (uint b = 0u; b < 2u; ++b)
            if (a == i % 2u) barrier(); //@w
""", wrong="divergent_barrier")
def turns_of_the_outer_loop(me):
    for b in range(2):
        yield barrier("w", turns=(me.i % 2, b))


@kernel("""
    for (uint t = 0u; t < 2u; ++t)
        if (t == i % 2u) wait(); else x += numbers[all]; //@a
""", """
void wait() {
    barrier(); //@w
}
""", wrong="divergent_barrier")
def a_function_called_in_different_turns(me):
    for t in range(2):
        if t == me.i % 2:
            yield barrier("w", turns=(t,))
        else:
            yield load("a", "numbers", me.all)


@kernel("""
    for (uint t = 0u; t < i % 5u; ++t)
        x += numbers[all * 4u + t]; //@a
    for (uint t = 0u; t < 3u; ++t) {
        if (t == 1u) continue;
        barrier(); //@w
    }
    for (uint t = 0u; t < 1u + i % 3u; ++t) {
        if (t == 0u) barrier(); //@v
        x += numbers[all]; //@b
    }
    barrier(); //@u
    for (uint t = i; t < 200u; t += 64u) {
        barrier(); //@s
        if (t >= 128u) break;
    }
""")
def all_meet_in_the_same_turns(me):
    for t in range(me.i % 5):
        yield load("a", "numbers", me.all * 4 + t)
    for t in (0, 2):
        yield barrier("w", turns=(t,))
    for t in range(1 + me.i % 3):
        if t == 0:
            yield barrier("v", turns=(t,))
        yield load("b", "numbers", me.all)
    yield barrier("u")
    for t in range(3):
        yield barrier("s", turns=(t,))


@kernel("""
    for (uint a = 0u; a < 2u; ++a) {
        wait_for(i);
        for (uint b = 0u; b < 2u + a; ++b)
            wait_for(1u);
    }
    wait_for(2u);
""", """
void wait_for(uint turns) {
    for (uint t = 0u; t < 9u; ++t)
        if (t == turns % 3u) { barrier(); return; } //@w
}
""", wrong="divergent_barrier")
def a_function_that_returns_from_its_loop(me):
    def wait_for(turns, around):
        yield barrier("w", turns=(*around, turns % 3))
    for a in range(2):
        yield from wait_for(me.i, (a,))
        for b in range(2 + a):
            yield from wait_for(1, (a, b))
    yield from wait_for(2, ())


@kernel("""
    for (uint a = 0u; a < 2u; ++a) {
        wait_for(a);
        for (uint b = 0u; b < 2u + a; ++b)
            wait_for(1u);
    }
    wait_for(2u);
    for (uint t = 0u; t <= i % 3u; ++t)
        x += numbers[all]; //@a
    wait_for(0u);
""", """
void wait_for(uint turns) {
    for (uint t = 0u; t < 9u; ++t)
        if (t == turns) { barrier(); return; } //@w
}
""")
def a_function_that_returns_from_its_loop_in_the_same_turn(me):
    for a in range(2):
        yield barrier("w", turns=(a, a))
        for b in range(2 + a):
            yield barrier("w", turns=(a, b, 1))
    yield barrier("w", turns=(2,))
    for _ in range(me.i % 3 + 1):
        yield load("a", "numbers", me.all)
    yield barrier("w", turns=(0,))


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


pattern("one_of_two", "x = pairs[all].x; //@a", lambda me: (load("a", "pairs", me.all, bytes=4),), numbers="uvec2 pairs[];")
pattern("two_at_once", """
    const uvec2 pair = pairs[all]; //@a
    pairs[all] = pair.yx; //@b
""", lambda me: (load("a", "pairs", me.all), store("b", "pairs", me.all, None)), numbers="uvec2 pairs[];")
pattern("four_at_once", """
    const uvec4 quad = quads[all]; //@a
    quads[all] = quad.wzyx; //@b
""", lambda me: (load("a", "quads", me.all), store("b", "quads", me.all, None)), numbers="uvec4 quads[];")
pattern("two_bytes_each", """
    const uint half_word = uint(halves[all]); //@a
    halves[all + 128u] = uint16_t(half_word); //@b
""", lambda me: (load("a", "halves", me.all), store("b", "halves", me.all + 128, None)), numbers="uint16_t halves[];",
        extensions="GL_EXT_shader_16bit_storage GL_EXT_shader_explicit_arithmetic_types_int16", needs=("storage16",))
pattern("eight_bytes_of_a_buffer", """
    const double wide = doubles[all]; //@a
    doubles[all + 128u] = wide; //@b
""", lambda me: (load("a", "doubles", me.all), store("b", "doubles", me.all + 128, None)), numbers="double doubles[];",
        needs=("float64",))
pattern("all_read_one", "x = numbers[group]; //@a", lambda me: (load("a", "numbers", me.group),), values=True)
pattern("scattered", "x = numbers[(all * 37u) % 128u]; //@a", lambda me: (load("a", "numbers", me.all * 37 % 128),),
        values=True)


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


pattern("banks_of_four_at_once", "x = uint(dot(quads[i], vec4(1))); //@a", lambda me: (load("a", "quads", me.i),),
        "shared vec4 quads[64];")


# --- Atomics.


pattern("all_at_one_address", "atomicMax(numbers[500], i); //@a",
        lambda me: (atomic("a", "numbers", 500, lambda old: max(old, me.i)),))
pattern("exchanges", """
    atomicExchange(tile[i % 8u], i); //@a
    atomicCompSwap(tile[8u + i % 3u], 0u, i); //@b
""", lambda me: (atomic("a", "tile", me.i % 8, lambda old: me.i), atomic("b", "tile", 8 + me.i % 3, lambda old: old)), TILE)


@kernel("""
    if (numbers[all] % 3u == 0u) //@a
        atomicAdd(partial_sums[group], 1u); //@b
""", groups=4)
def those_that_count(me):
    number = yield load("a", "numbers", me.all)
    if number % 3 == 0:
        yield atomic("b", "partial_sums", me.group, one_more)


# --- Coverage.


pattern("every_element_once", "numbers[all] = 1u; //@a", lambda me: (store("a", "numbers", me.all, 1),), elements=128,
        values=True)
pattern("every_second_element", "numbers[2u * all] = 1u; //@a", lambda me: (store("a", "numbers", 2 * me.all, 1),),
        elements=256, values=True)
pattern("every_element_twice", """
    numbers[all] = 1u; //@a
    numbers[all] = 2u; //@b
""", lambda me: (store("a", "numbers", me.all, 1), store("b", "numbers", me.all, 2)), elements=128, values=True)


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


pattern("three_dimensions", """
    block[i / 16u][i / 4u % 4u][i % 4u] = i; //@a
    barrier(); //@w
    x = block[i % 4u][i / 4u % 4u][i / 16u]; //@b
""",
        lambda me: (
            store("a", "block", me.i, me.i),
            barrier("w"),
            load("b", "block", me.i % 4 * 16 + me.i // 4 % 4 * 4 + me.i // 16)),
        "shared uint block[4][4][4];", values=True)
pattern("structs_of_a_buffer", """
    points[all].left = i; //@a
    points[all].right = all; //@b
    x = points[all].left; //@c
""",
        lambda me: (
            store("a", "points", me.all, me.i, bytes=4),
            store("b", "points", me.all, me.all, bytes=4, within=4),
            load("c", "points", me.all, bytes=4)),
        numbers="Pair points[];", outer="struct Pair { uint left; uint right; };")
pattern("functions_by_choice", """
    const uint way = i % 2u;
    x = way == 0u ? first_half(i) : second_half(i);
""", lambda me: (load("a", "numbers", me.i) if me.i % 2 == 0 else load("b", "numbers", me.i + 512),), """
uint first_half(uint at) {
    return numbers[at]; //@a
}
uint second_half(uint at) {
    return numbers[at + 512u]; //@b
}
""", values=True)
pattern("negative_numbers", """
    signed_tile[i] = -int(i); //@a
    barrier(); //@w
    if (signed_tile[63u - i] < -10) //@b
        x = 1u;
""", lambda me: (store("a", "signed_tile", me.i, -me.i), barrier("w"), load("b", "signed_tile", 63 - me.i)),
        "shared int signed_tile[64];", values=True)
pattern("halves", """
    real_tile[i] = float(i) * 0.5; //@a
    barrier(); //@w
    x = uint(real_tile[i / 2u]); //@b
""", lambda me: (store("a", "real_tile", me.i, me.i / 2), barrier("w"), load("b", "real_tile", me.i // 2)),
        "shared float real_tile[64];", values=True)
pattern("a_workgroup_with_a_part_of_a_subgroup", "x = numbers[all]; //@a", lambda me: (load("a", "numbers", me.all),),
        size=100, groups=3, values=True)
pattern("workgroups_of_one", "numbers[all] = x; //@a", lambda me: (store("a", "numbers", me.all, 0),), size=1, groups=5,
        values=True)
