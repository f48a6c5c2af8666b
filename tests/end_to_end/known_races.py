"""Kernels of which it is known whether their invocations race."""

from kernel_case import TILE, kernel, one_more, pattern, when
from simulation import atomic, barrier, load, store, subgroup_barrier

# --- Races in workgroup memory.


pattern("two_write_the_same_cell", "tile[i / 2u] = i; //@a", lambda me: (store("a", "tile", me.i // 2, me.i),), TILE,
        wrong="race")
pattern("all_write_the_same_value", "tile[0] = 7u; //@a", lambda me: (store("a", "tile", 0, 7),), TILE, wrong="race")
pattern("neighbour_is_read_too_early", """
    tile[i] = i; //@a
    x += tile[(i + 1u) % 64u]; //@b
""", lambda me: (store("a", "tile", me.i, me.i), load("b", "tile", (me.i + 1) % 64)), TILE, wrong="race")
pattern("barriers_stand_where_they_must", """
    tile[i] = i * 3u; //@a
    barrier(); //@w
    x += tile[(i + 1u) % 64u]; //@b
    barrier(); //@v
    tile[63u - i] = i; //@c
    barrier(); //@u
    x += tile[i ^ 5u]; //@d
""", lambda me: (store("a", "tile", me.i, me.i * 3), barrier("w"), load("b", "tile", (me.i + 1) % 64), barrier("v"),
            store("c", "tile", 63 - me.i, me.i), barrier("u"), load("d", "tile", me.i ^ 5)), TILE, values=True)
pattern("written_while_others_still_read", """
    tile[i] = i; //@a
    barrier(); //@w
    x += tile[(i + 1u) % 64u]; //@b
    tile[i] = x; //@c
""",
        lambda me: (
            store("a", "tile", me.i, me.i),
            barrier("w"),
            load("b", "tile", (me.i + 1) % 64),
            store("c", "tile", me.i, 0)),
        TILE, wrong="race")
pattern("plain_read_among_atomics", """
    atomicAdd(tile[0], 1u); //@a
    if (i == 5u) x += tile[0]; //@b
""", lambda me: (atomic("a", "tile", 0, one_more), *when(me.i == 5, load("b", "tile", 0))), TILE, wrong="race")
pattern("plain_write_among_atomics", """
    if (i == 0u) tile[3] = 0u; //@a
    atomicAdd(tile[3], 1u); //@b
""", lambda me: (*when(me.i == 0, store("a", "tile", 3, 0)), atomic("b", "tile", 3, one_more)), TILE, wrong="race")
pattern("atomics_between_barriers", """
    if (i == 0u) tile[3] = 0u; //@a
    barrier(); //@w
    atomicAdd(tile[3], 1u); //@b
    barrier(); //@v
    x += tile[3]; //@c
""", lambda me: (*when(me.i == 0, store("a", "tile", 3, 0)), barrier("w"), atomic("b", "tile", 3, one_more),
            barrier("v"), load("c", "tile", 3)), TILE)
pattern("subgroup_barrier_orders_its_own", """
    tile[i] = i; //@a
    subgroupBarrier(); //@w
    x += tile[i ^ 1u]; //@b
""", lambda me: (store("a", "tile", me.i, me.i), subgroup_barrier("w"), load("b", "tile", me.i ^ 1)), TILE,
        extensions="GL_KHR_shader_subgroup_basic", values=True)
pattern("subgroup_barrier_orders_no_other", """
    tile[i] = i; //@a
    subgroupBarrier(); //@w
    x += tile[(i + gl_SubgroupSize) % 128u]; //@b
""", lambda me: (store("a", "tile", me.i, me.i), subgroup_barrier("w"), load("b", "tile", (me.i + me.width) % 128)),
        "shared uint tile[128];", size=128, extensions="GL_KHR_shader_subgroup_basic", wrong="race")


for last, wrong in (("", "race"), ("barrier(); //@v", "")):
    def run(me, wrong=wrong):
        for turn in range(3):
            yield store("a", "tile", me.i, turn + me.i)
            yield barrier("w")
            yield load("b", "tile", 63 - me.i)
            if not wrong:
                yield barrier("v")
    run.__name__ = "loop_misses_its_second_barrier" if wrong else "loop_with_both_barriers"
    kernel(f"""
    for (uint turn = 0u; turn < 3u; ++turn) {{
        tile[i] = turn + i; //@a
        barrier(); //@w
        x += tile[63u - i]; //@b
        {last}
    }}
""", TILE, wrong=wrong, values=not wrong)(run)

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


for name, first, second in (("tree_is_right", True, True), ("tree_without_its_first_barrier", False, True),
                            ("tree_without_barriers_between_levels", True, False)):
    def run(me, first=first, second=second):
        yield from tree(me, first, second)
    run.__name__ = name
    is_right = first and second
    kernel(TREE.format(first="barrier(); //@w" if first else "", second="barrier(); //@v" if second else ""), TILE,
           wrong="" if is_right else "race", values=is_right)(run)

pattern("components_of_a_vector_are_cells_of_their_own", """
    quads[i / 2u][(i % 2u) * 2u] = i; //@a
    quads[i / 2u][(i % 2u) * 2u + 1u] = i; //@b
""",
        lambda me: (
            store("a", "quads", me.i // 2, me.i, bytes=4, within=me.i % 2 * 8),
            store("b", "quads", me.i // 2, me.i, bytes=4, within=me.i % 2 * 8 + 4)),
        "shared uvec4 quads[32];")
pattern("a_component_races_with_its_vector", """
    if (i < 32u) quads[i] = uvec4(i); //@a
    else x += quads[i - 32u].z; //@b
""", lambda me: (store("a", "quads", me.i, None) if me.i < 32 else load("b", "quads", me.i - 32, bytes=4, within=8),),
        "shared uvec4 quads[32];", wrong="race")
pattern("rows_become_columns", """
    grid[i / 8u][i % 8u] = i; //@a
    barrier(); //@w
    x += grid[i % 8u][i / 8u]; //@b
""", lambda me: (store("a", "grid", (me.i // 8, me.i % 8), me.i), barrier("w"), load("b", "grid", (me.i % 8, me.i // 8))),
        "shared uint grid[8][8];", values=True)
pattern("rows_become_columns_without_a_barrier", """
    grid[i / 8u][i % 8u] = i; //@a
    x += grid[i % 8u][i / 8u]; //@b
""", lambda me: (store("a", "grid", (me.i // 8, me.i % 8), me.i), load("b", "grid", (me.i % 8, me.i // 8))),
        "shared uint grid[8][8];", wrong="race")


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


pattern("members_of_a_struct_are_cells_of_their_own", """
    if (i % 2u == 0u) pairs[i / 2u].left = i; //@a
    else pairs[i / 2u].right = i; //@b
    barrier(); //@w
    x += pairs[i / 2u].left; //@c
    x += pairs[31u - i / 2u].right; //@d
""", lambda me: (
            store("a", "pairs", me.i // 2, me.i, bytes=4) if me.i % 2 == 0
            else store("b", "pairs", me.i // 2, me.i, bytes=4, within=4),
            barrier("w"), load("c", "pairs", me.i // 2, bytes=4), load("d", "pairs", 31 - me.i // 2, bytes=4, within=4)),
        "struct Pair { uint left; uint right; };\nshared Pair pairs[32];", values=True)
pattern("a_function_given_a_cell", """
    add_to(tile[i / 2u], i); //@a
""", lambda me: (load("a", "tile", me.i // 2), store("a", "tile", me.i // 2, None)),
        TILE + "\nvoid add_to(inout uint cell, const in uint much) { cell += much; }", wrong="race")
pattern("functions_that_call_functions", """
    tile[i] = 2u * i; //@a
    barrier(); //@w
    x = sum_of_two(i);
""",
        lambda me: (
            store("a", "tile", me.i, 2 * me.i),
            barrier("w"),
            load("b", "tile", me.i),
            load("b", "tile", (me.i + 1) % 64)),
        TILE + """
uint one(uint at) {
    return tile[at]; //@b
}
uint sum_of_two(uint at) { const uint first = one(at); return first + one((at + 1u) % 64u); }
""", values=True)
pattern("eight_bytes_each", """
    wide[i] = double(i); //@a
    barrier(); //@w
    x += uint(wide[63u - i]); //@b
""", lambda me: (store("a", "wide", me.i, None), barrier("w"), load("b", "wide", 63 - me.i)), "shared double wide[64];",
        needs=("float64",))
pattern("eight_bytes_for_two", """
    wide[i % 48u] = double(i); //@a
""", lambda me: (store("a", "wide", me.i % 48, None),), "shared double wide[64];", wrong="race", needs=("float64",))


# --- Atomics that are none for everybody who comes.

SCOPES = ("Invocation", "Subgroup", "Workgroup", "Device")
SCOPED = "GL_KHR_memory_scope_semantics"


def scoped(array, index, scope):
    return (f"atomicAdd({array}[{index}], 1u, gl_Scope{SCOPES[scope]}, gl_StorageSemantics"
            f"{'Shared' if array == 'tile' else 'Buffer'}, gl_SemanticsRelaxed);")


# Who shares an address, by the narrowest scope that all of them are in.
SHARED = {0: ("tile", "i", lambda me: me.i), 1: ("tile", "gl_SubgroupID", lambda me: me.i // me.width),
          2: ("tile", "7u", lambda me: 7), 3: ("numbers", "i % 8u", lambda me: me.i % 8)}
for least, (array, index, place) in SHARED.items():
    for scope in range(4):
        def run(me, array=array, place=place, scope=scope):
            yield atomic("a", array, place(me), one_more, scope=scope)
        run.__name__ = f"atomics_of_scope_{scope}_where_{least}_is_needed"
        kernel(scoped(array, index, scope) + " //@a", TILE, extensions=f"{SCOPED} GL_KHR_shader_subgroup_basic",
               wrong="race" if scope < least else "")(run)


pattern("a_workgroups_own_part_of_a_buffer", f"""
    {scoped("numbers", "all", 2)} //@a
""", lambda me: (atomic("a", "numbers", me.all, one_more, scope=2),), extensions=SCOPED)
pattern("one_of_two_scopes_is_too_small", f"""
    if (group == 0u) {scoped("numbers", "5u", 3)} //@a
    else {scoped("numbers", "5u", 2)} //@b
""", lambda me: (atomic("a" if me.group == 0 else "b", "numbers", 5, one_more, scope=3 if me.group == 0 else 2),),
        extensions=SCOPED, wrong="race")
pattern("a_barrier_parts_two_subgroups", f"""
    if (gl_SubgroupID == 0u) {scoped("tile", "5u", 1)} //@a
    barrier(); //@w
    if (gl_SubgroupID == 1u) {scoped("tile", "5u", 1)} //@b
""", lambda me: (*when(me.i // me.width == 0, atomic("a", "tile", 5, one_more, scope=1)), barrier("w"),
            *when(me.i // me.width == 1, atomic("b", "tile", 5, one_more, scope=1))),
        TILE, extensions=f"{SCOPED} GL_KHR_shader_subgroup_basic")
pattern("semantics_do_not_widen_a_scope", """
    atomicAdd(numbers[3], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease); //@a
""", lambda me: (atomic("a", "numbers", 3, one_more, scope=2),), extensions=SCOPED, wrong="race")
pattern("a_barrier_with_its_scopes_written_out", """
    tile[i] = i; //@a
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease); //@w
    x = tile[63u - i]; //@b
""", lambda me: (store("a", "tile", me.i, me.i), barrier("w"), load("b", "tile", 63 - me.i)), TILE, extensions=SCOPED)


# --- Races in storage buffers.


pattern("workgroups_write_the_same_cells", "numbers[i] = all; //@a", lambda me: (store("a", "numbers", me.i, me.all),),
        wrong="race")


@kernel("""
    x = numbers[all]; //@a
    numbers[all] = x + 1u; //@b
""", values=True)
def each_its_own_cell(me):
    x = yield load("a", "numbers", me.all)
    yield store("b", "numbers", me.all, x + 1)


pattern("one_workgroup_reads_what_another_writes", """
    x = numbers[all + 64u]; //@a
    numbers[all] = x; //@b
""", lambda me: (load("a", "numbers", me.all + 64), store("b", "numbers", me.all, None)), wrong="race")
pattern("workgroups_write_the_same_value", "if (i == 0u) numbers[7] = 3u; //@a",
        lambda me: when(me.i == 0, store("a", "numbers", 7, 3)), wrong="race")
pattern("atomics_of_all_workgroups", "atomicAdd(numbers[i % 4u], 1u); //@a",
        lambda me: (atomic("a", "numbers", me.i % 4, one_more),))
pattern("plain_read_among_atomics_of_a_buffer", """
    atomicAdd(numbers[0], 1u); //@a
    if (all == 70u) x = numbers[0]; //@b
""", lambda me: (atomic("a", "numbers", 0, one_more), *when(me.all == 70, load("b", "numbers", 0))), wrong="race")
pattern("a_barrier_orders_no_buffer", """
    numbers[all] = i; //@a
    barrier(); //@w
    x = numbers[all ^ 1u]; //@b
""", lambda me: (store("a", "numbers", me.all, me.i), barrier("w"), load("b", "numbers", me.all ^ 1)), warns="race")
pattern("a_memory_barrier_and_a_barrier_do", """
    numbers[all] = i; //@a
    memoryBarrierBuffer();
    barrier(); //@w
    x = numbers[all ^ 1u]; //@b
""", lambda me: (store("a", "numbers", me.all, me.i), barrier("w", orders_buffers=True), load("b", "numbers", me.all ^ 1)))
pattern("buffer_without_any_barrier", """
    numbers[all] = i; //@a
    x = numbers[all ^ 1u]; //@b
""", lambda me: (store("a", "numbers", me.all, me.i), load("b", "numbers", me.all ^ 1)), wrong="race")
pattern("a_whole_workgroup_leaves_one_result", "partial_sums[group] = i; //@a",
        lambda me: (store("a", "partial_sums", me.group, me.i),), wrong="race")
pattern("one_leaves_the_result", "if (i == 0u) partial_sums[group] = all; //@a",
        lambda me: when(me.i == 0, store("a", "partial_sums", me.group, me.all)), groups=4, values=True)