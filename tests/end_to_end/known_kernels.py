"""All kernels with known findings: those of known_races.py, and kernels here for bounds, barriers, sectors, banks, atomics,
coverage and control flow."""

import known_races  # adds its kernels to KERNELS
from kernel_case import KERNELS, TILE, increment, kernel, pattern, steps_if
from simulation import atomic, barrier, load, store

# --- Out of bounds.


pattern("above_a_shared_array", "x = tile[i + 60u]; //@a", lambda inv: (load("a", "tile", inv.i + 60),), TILE,
        problems="outside")
pattern("below_a_shared_array", "x = tile[int(i) - 3]; //@a", lambda inv: (load("a", "tile", inv.i - 3),), TILE,
        problems="outside")
pattern("written_above_a_shared_array", "if (i < 8u) tile[i * 16u] = i; //@a",
        lambda inv: steps_if(inv.i < 8, store("a", "tile", inv.i * 16, inv.i)), TILE, problems="outside")
pattern("beyond_its_row_and_inside_the_array", "x = grid[0][i]; //@a", lambda inv: (load("a", "grid", (0, inv.i)),),
        "shared uint grid[8][32];", problems="outside")
pattern("above_a_buffer", "x = numbers[all + 1020u]; //@a", lambda inv: (load("a", "numbers", inv.all + 1020),),
        problems="outside")
pattern("below_a_buffer", "x = numbers[int(all) - 1]; //@a", lambda inv: (load("a", "numbers", inv.all - 1),),
        problems="outside")
pattern("written_above_a_buffer", "numbers[all * 16u] = all; //@a",
        lambda inv: (store("a", "numbers", inv.all * 16, inv.all),), problems="outside")
pattern("an_index_that_wraps", "x = numbers[all + 0x40000000u]; //@a",
        lambda inv: (load("a", "numbers", inv.all + 0x40000000),), problems="outside")
pattern("guarded_by_the_count", """
    if (all < 100u) {
        x = numbers[all]; //@a
    }
""", lambda inv: steps_if(inv.all < 100, load("a", "numbers", inv.all)), elements=100, values=True)
pattern("last_quad_is_bound_whole", "if (all < 26u) x = quads[all].x; //@a",
        lambda inv: steps_if(inv.all < 26, load("a", "quads", inv.all, bytes=4)), numbers="uvec4 quads[];", elements=102)


# --- Barriers that not all invocations reach.


pattern("two_barriers_for_two_halves", """
    if (i % 2u == 0u)
        barrier(); //@a
    else
        barrier(); //@b
""", lambda inv: (barrier("a" if inv.i % 2 == 0 else "b"),), problems="divergent_barrier")


@kernel("""
    for (uint t = 0u; t < 4u; ++t) {
        if (t == i % 4u) continue;
        barrier(); //@w
    }
""", problems="divergent_barrier")
def each_invocation_skips_another_iteration(inv):
    for t in range(4):
        if t != inv.i % 4:
            yield barrier("w", iterations=(t,))


@kernel("""
    uint t = i < 32u ? 1u : 0u;
    do {
        if (t >= 1u) barrier(); //@w
        ++t;
    } while (t < 4u);
""", problems="divergent_barrier")
def loop_barrier_starts_at_different_iterations(inv):
    start = 1 if inv.i < 32 else 0
    for t in range(start, 4):
        if t >= 1:
            yield barrier("w", iterations=(t - start,))


@kernel("""
    for (uint a = 0u; a < 2u; ++a)
        for (uint b = 0u; b < 2u; ++b)
            if (a == i % 2u) barrier(); //@w
""", problems="divergent_barrier")
def iterations_of_the_outer_loop_differ(inv):
    for b in range(2):
        yield barrier("w", iterations=(inv.i % 2, b))


@kernel("""
    for (uint t = 0u; t < 2u; ++t)
        if (t == i % 2u) wait(); else x += numbers[all]; //@a
""", """
void wait() {
    barrier(); //@w
}
""", problems="divergent_barrier")
def function_called_in_different_iterations(inv):
    for t in range(2):
        if t == inv.i % 2:
            yield barrier("w", iterations=(t,))
        else:
            yield load("a", "numbers", inv.all)


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
def all_reach_barriers_in_the_same_iterations(inv):
    for t in range(inv.i % 5):
        yield load("a", "numbers", inv.all * 4 + t)
    for t in (0, 2):
        yield barrier("w", iterations=(t,))
    for t in range(1 + inv.i % 3):
        if t == 0:
            yield barrier("v", iterations=(t,))
        yield load("b", "numbers", inv.all)
    yield barrier("u")
    for t in range(3):
        yield barrier("s", iterations=(t,))


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
""", problems="divergent_barrier")
def function_returns_from_its_loop(inv):
    def wait_for(iteration, outer):
        yield barrier("w", iterations=(*outer, iteration % 3))
    for a in range(2):
        yield from wait_for(inv.i, (a,))
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
def function_returns_from_its_loop_in_the_same_iteration(inv):
    for a in range(2):
        yield barrier("w", iterations=(a, a))
        for b in range(2 + a):
            yield barrier("w", iterations=(a, b, 1))
    yield barrier("w", iterations=(2,))
    for _ in range(inv.i % 3 + 1):
        yield load("a", "numbers", inv.all)
    yield barrier("w", iterations=(0,))


# --- Sectors: the distance between the lanes of a request.

for stride in (1, 2, 3, 4, 8, 16, 32):
    def run(inv, stride=stride):
        yield load("a", "numbers", inv.all * stride)
    run.__name__ = f"stride_{stride}"
    kernel(f"x = numbers[all * {stride}u]; //@a", elements=4096)(run)

for offset in (1, 3, 4, 8):
    def run(inv, offset=offset):
        yield load("a", "numbers", inv.all + offset)
    run.__name__ = f"offset_{offset}"
    kernel(f"x = numbers[all + {offset}u]; //@a")(run)


pattern("one_of_two", "x = pairs[all].x; //@a", lambda inv: (load("a", "pairs", inv.all, bytes=4),), numbers="uvec2 pairs[];")
pattern("two_elements_per_access", """
    const uvec2 pair = pairs[all]; //@a
    pairs[all] = pair.yx; //@b
""", lambda inv: (load("a", "pairs", inv.all), store("b", "pairs", inv.all, None)), numbers="uvec2 pairs[];")
pattern("four_elements_per_access", """
    const uvec4 quad = quads[all]; //@a
    quads[all] = quad.wzyx; //@b
""", lambda inv: (load("a", "quads", inv.all), store("b", "quads", inv.all, None)), numbers="uvec4 quads[];")
pattern("two_bytes_each", """
    const uint half_word = uint(halves[all]); //@a
    halves[all + 128u] = uint16_t(half_word); //@b
""", lambda inv: (load("a", "halves", inv.all), store("b", "halves", inv.all + 128, None)), numbers="uint16_t halves[];",
        extensions="GL_EXT_shader_16bit_storage GL_EXT_shader_explicit_arithmetic_types_int16", features=("storage16",))
pattern("eight_bytes_of_a_buffer", """
    const double wide = doubles[all]; //@a
    doubles[all + 128u] = wide; //@b
""", lambda inv: (load("a", "doubles", inv.all), store("b", "doubles", inv.all + 128, None)), numbers="double doubles[];",
        features=("float64",))
pattern("all_read_one", "x = numbers[group]; //@a", lambda inv: (load("a", "numbers", inv.group),), values=True)
pattern("scattered", "x = numbers[(all * 37u) % 128u]; //@a", lambda inv: (load("a", "numbers", inv.all * 37 % 128),),
        values=True)


# --- Banks.

BANKS = {"banks_of_stride_1": ("i", lambda i: i), "banks_of_stride_2": ("2u * i", lambda i: 2 * i),
         "banks_of_stride_32": ("32u * i", lambda i: 32 * i), "banks_of_stride_33": ("33u * i", lambda i: 33 * i),
         "banks_of_a_broadcast": ("5u", lambda i: 5), "banks_of_pairs_of_lanes": ("i / 2u", lambda i: i // 2)}
for name, (index, index_function) in BANKS.items():
    def run(inv, index_function=index_function):
        yield load("a", "wide_tile", index_function(inv.i))
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
def banks_of_an_interleaved_tree(inv):
    stride = 1
    while stride < 256:
        if 2 * stride * inv.i < 256:
            yield load("a", "tile", 2 * stride * inv.i)
        yield barrier("w")
        stride *= 2


pattern("banks_of_four_elements_per_access", "x = uint(dot(quads[i], vec4(1))); //@a", lambda inv: (load("a", "quads", inv.i),),
        "shared vec4 quads[64];")


# --- Atomics.


pattern("all_at_one_address", "atomicMax(numbers[500], i); //@a",
        lambda inv: (atomic("a", "numbers", 500, lambda old: max(old, inv.i)),))
pattern("exchanges", """
    atomicExchange(tile[i % 8u], i); //@a
    atomicCompSwap(tile[8u + i % 3u], 0u, i); //@b
""", lambda inv: (atomic("a", "tile", inv.i % 8, lambda old: inv.i), atomic("b", "tile", 8 + inv.i % 3, lambda old: old)), TILE)


@kernel("""
    if (numbers[all] % 3u == 0u) //@a
        atomicAdd(partial_sums[group], 1u); //@b
""", groups=4)
def conditional_atomics(inv):
    number = yield load("a", "numbers", inv.all)
    if number % 3 == 0:
        yield atomic("b", "partial_sums", inv.group, increment)


# --- Coverage.


pattern("every_element_once", "numbers[all] = 1u; //@a", lambda inv: (store("a", "numbers", inv.all, 1),), elements=128,
        values=True)
pattern("every_second_element", "numbers[2u * all] = 1u; //@a", lambda inv: (store("a", "numbers", 2 * inv.all, 1),),
        elements=256, values=True)
pattern("every_element_twice", """
    numbers[all] = 1u; //@a
    numbers[all] = 2u; //@b
""", lambda inv: (store("a", "numbers", inv.all, 1), store("b", "numbers", inv.all, 2)), elements=128, values=True)


@kernel("""
    for (uint at = all; at < launch.count; at += launch.workgroup_count * gl_WorkGroupSize.x)
        x += numbers[at]; //@a
    if (i == 0u) partial_sums[group] = 5u; //@b
""", elements=1000, groups=3, values=True)
def grid_stride(inv):
    at = inv.all
    while at < inv.count:
        yield load("a", "numbers", at)
        at += inv.groups * inv.size
    if inv.i == 0:
        yield store("b", "partial_sums", inv.group, 5)


# --- Control flow.


@kernel("""
    if (i >= 10u) return;
    x = numbers[all]; //@a
    if (i >= 5u) return;
    numbers[all] = x; //@b
""", values=True)
def early_returns(inv):
    if inv.i >= 10:
        return
    x = yield load("a", "numbers", inv.all)
    if inv.i >= 5:
        return
    yield store("b", "numbers", inv.all, x)


@kernel("""
    for (uint n = 0u; n < i % 5u; ++n) {
        if (n == 3u) break;
        if (n == 1u) continue;
        x += numbers[all * 4u + n]; //@a
    }
""")
def loops_of_different_lengths(inv):
    for n in range(inv.i % 5):
        if n == 3:
            break
        if n == 1:
            continue
        yield load("a", "numbers", inv.all * 4 + n)


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
def three_branches(inv):
    if inv.i % 3 == 0:
        yield load("a", "numbers", inv.all)
    elif inv.i % 3 == 1:
        yield store("b", "numbers", inv.all, 9)
    else:
        yield atomic("c", "numbers", inv.all, lambda old: old + 2)


pattern("three_dimensions", """
    block[i / 16u][i / 4u % 4u][i % 4u] = i; //@a
    barrier(); //@w
    x = block[i % 4u][i / 4u % 4u][i / 16u]; //@b
""",
        lambda inv: (
            store("a", "block", inv.i, inv.i),
            barrier("w"),
            load("b", "block", inv.i % 4 * 16 + inv.i // 4 % 4 * 4 + inv.i // 16)),
        "shared uint block[4][4][4];", values=True)
pattern("structs_of_a_buffer", """
    points[all].left = i; //@a
    points[all].right = all; //@b
    x = points[all].left; //@c
""",
        lambda inv: (
            store("a", "points", inv.all, inv.i, bytes=4),
            store("b", "points", inv.all, inv.all, bytes=4, offset_in_element=4),
            load("c", "points", inv.all, bytes=4)),
        numbers="Pair points[];", outer="struct Pair { uint left; uint right; };")
pattern("function_selected_by_condition", """
    const uint way = i % 2u;
    x = way == 0u ? first_half(i) : second_half(i);
""", lambda inv: (load("a", "numbers", inv.i) if inv.i % 2 == 0 else load("b", "numbers", inv.i + 512),), """
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
""", lambda inv: (store("a", "signed_tile", inv.i, -inv.i), barrier("w"), load("b", "signed_tile", 63 - inv.i)),
        "shared int signed_tile[64];", values=True)
pattern("halves", """
    real_tile[i] = float(i) * 0.5; //@a
    barrier(); //@w
    x = uint(real_tile[i / 2u]); //@b
""", lambda inv: (store("a", "real_tile", inv.i, inv.i / 2), barrier("w"), load("b", "real_tile", inv.i // 2)),
        "shared float real_tile[64];", values=True)
pattern("a_workgroup_with_a_part_of_a_subgroup", "x = numbers[all]; //@a", lambda inv: (load("a", "numbers", inv.all),),
        size=100, groups=3, values=True)
pattern("workgroups_of_one", "numbers[all] = x; //@a", lambda inv: (store("a", "numbers", inv.all, 0),), size=1, groups=5,
        values=True)
