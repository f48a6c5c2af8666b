"""Kernels that are known to race or not to race."""

from kernel_case import TILE, increment, kernel, pattern, steps_if
from simulation import atomic, barrier, load, store, subgroup_barrier

# --- Races in workgroup memory.


pattern("two_write_the_same_cell", "tile[i / 2u] = i; //@a", lambda inv: (store("a", "tile", inv.i // 2, inv.i),), TILE,
        problems="race")
pattern("all_write_the_same_value", "tile[0] = 7u; //@a", lambda inv: (store("a", "tile", 0, 7),), TILE, problems="race")
pattern("neighbour_is_read_without_a_barrier", """
    tile[i] = i; //@a
    x += tile[(i + 1u) % 64u]; //@b
""", lambda inv: (store("a", "tile", inv.i, inv.i), load("b", "tile", (inv.i + 1) % 64)), TILE, problems="race")
pattern("barriers_in_all_needed_places", """
    tile[i] = i * 3u; //@a
    barrier(); //@w
    x += tile[(i + 1u) % 64u]; //@b
    barrier(); //@v
    tile[63u - i] = i; //@c
    barrier(); //@u
    x += tile[i ^ 5u]; //@d
""", lambda inv: (store("a", "tile", inv.i, inv.i * 3), barrier("w"), load("b", "tile", (inv.i + 1) % 64), barrier("v"),
            store("c", "tile", 63 - inv.i, inv.i), barrier("u"), load("d", "tile", inv.i ^ 5)), TILE, values=True)
pattern("written_while_others_still_read", """
    tile[i] = i; //@a
    barrier(); //@w
    x += tile[(i + 1u) % 64u]; //@b
    tile[i] = x; //@c
""",
        lambda inv: (
            store("a", "tile", inv.i, inv.i),
            barrier("w"),
            load("b", "tile", (inv.i + 1) % 64),
            store("c", "tile", inv.i, 0)),
        TILE, problems="race")
pattern("plain_read_among_atomics", """
    atomicAdd(tile[0], 1u); //@a
    if (i == 5u) x += tile[0]; //@b
""", lambda inv: (atomic("a", "tile", 0, increment), *steps_if(inv.i == 5, load("b", "tile", 0))), TILE, problems="race")
pattern("plain_write_among_atomics", """
    if (i == 0u) tile[3] = 0u; //@a
    atomicAdd(tile[3], 1u); //@b
""", lambda inv: (*steps_if(inv.i == 0, store("a", "tile", 3, 0)), atomic("b", "tile", 3, increment)), TILE, problems="race")
pattern("atomics_between_barriers", """
    if (i == 0u) tile[3] = 0u; //@a
    barrier(); //@w
    atomicAdd(tile[3], 1u); //@b
    barrier(); //@v
    x += tile[3]; //@c
""", lambda inv: (*steps_if(inv.i == 0, store("a", "tile", 3, 0)), barrier("w"), atomic("b", "tile", 3, increment),
            barrier("v"), load("c", "tile", 3)), TILE)
pattern("subgroup_barrier_orders_its_subgroup", """
    tile[i] = i; //@a
    subgroupBarrier(); //@w
    x += tile[i ^ 1u]; //@b
""", lambda inv: (store("a", "tile", inv.i, inv.i), subgroup_barrier("w"), load("b", "tile", inv.i ^ 1)), TILE,
        extensions="GL_KHR_shader_subgroup_basic", values=True)
pattern("subgroup_barrier_does_not_order_other_subgroups", """
    tile[i] = i; //@a
    subgroupBarrier(); //@w
    x += tile[(i + gl_SubgroupSize) % 128u]; //@b
""", lambda inv: (store("a", "tile", inv.i, inv.i), subgroup_barrier("w"), load("b", "tile", (inv.i + inv.width) % 128)),
        "shared uint tile[128];", size=128, extensions="GL_KHR_shader_subgroup_basic", problems="race")


for last, problems in (("", "race"), ("barrier(); //@v", "")):
    def run(inv, problems=problems):
        for turn in range(3):
            yield store("a", "tile", inv.i, turn + inv.i)
            yield barrier("w")
            yield load("b", "tile", 63 - inv.i)
            if not problems:
                yield barrier("v")
    run.__name__ = "loop_misses_its_second_barrier" if problems else "loop_with_both_barriers"
    kernel(f"""
    for (uint turn = 0u; turn < 3u; ++turn) {{
        tile[i] = turn + i; //@a
        barrier(); //@w
        x += tile[63u - i]; //@b
        {last}
    }}
""", TILE, problems=problems, values=not problems)(run)

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


def tree(inv, first, second):
    number = yield load("a", "numbers", inv.all)
    yield store("a", "tile", inv.i, number)
    if first:
        yield barrier("w")
    keep = 32
    while keep:
        if inv.i < keep:
            other = yield load("b", "tile", inv.i + keep)
            mine = yield load("c", "tile", inv.i)
            yield store("d", "tile", inv.i, None if other is None else mine + other)
        if second:
            yield barrier("v")
        keep //= 2


for name, first, second in (("tree_is_right", True, True), ("tree_without_its_first_barrier", False, True),
                            ("tree_without_barriers_between_levels", True, False)):
    def run(inv, first=first, second=second):
        yield from tree(inv, first, second)
    run.__name__ = name
    is_right = first and second
    kernel(TREE.format(first="barrier(); //@w" if first else "", second="barrier(); //@v" if second else ""), TILE,
           problems="" if is_right else "race", values=is_right)(run)

pattern("components_of_a_vector_are_cells_of_their_own", """
    quads[i / 2u][(i % 2u) * 2u] = i; //@a
    quads[i / 2u][(i % 2u) * 2u + 1u] = i; //@b
""",
        lambda inv: (
            store("a", "quads", inv.i // 2, inv.i, bytes=4, offset_in_element=inv.i % 2 * 8),
            store("b", "quads", inv.i // 2, inv.i, bytes=4, offset_in_element=inv.i % 2 * 8 + 4)),
        "shared uvec4 quads[32];")
pattern("a_component_races_with_its_vector", """
    if (i < 32u) quads[i] = uvec4(i); //@a
    else x += quads[i - 32u].z; //@b
""", lambda inv: (store("a", "quads", inv.i, None) if inv.i < 32 else load("b", "quads", inv.i - 32, bytes=4, offset_in_element=8),),
        "shared uvec4 quads[32];", problems="race")
pattern("rows_become_columns", """
    grid[i / 8u][i % 8u] = i; //@a
    barrier(); //@w
    x += grid[i % 8u][i / 8u]; //@b
""", lambda inv: (store("a", "grid", (inv.i // 8, inv.i % 8), inv.i), barrier("w"), load("b", "grid", (inv.i % 8, inv.i // 8))),
        "shared uint grid[8][8];", values=True)
pattern("rows_become_columns_without_a_barrier", """
    grid[i / 8u][i % 8u] = i; //@a
    x += grid[i % 8u][i / 8u]; //@b
""", lambda inv: (store("a", "grid", (inv.i // 8, inv.i % 8), inv.i), load("b", "grid", (inv.i % 8, inv.i // 8))),
        "shared uint grid[8][8];", problems="race")


@kernel("""
    if (group == 0u) {
        tile[i] = i; //@a
        barrier(); //@w
        x += tile[63u - i]; //@b
    } else {
        tile[i] = x; //@c
    }
""", TILE)
def barrier_in_one_whole_workgroup(inv):
    if inv.group == 0:
        yield store("a", "tile", inv.i, inv.i)
        yield barrier("w")
        yield load("b", "tile", 63 - inv.i)
    else:
        yield store("c", "tile", inv.i, 0)


pattern("members_of_a_struct_are_cells_of_their_own", """
    if (i % 2u == 0u) pairs[i / 2u].left = i; //@a
    else pairs[i / 2u].right = i; //@b
    barrier(); //@w
    x += pairs[i / 2u].left; //@c
    x += pairs[31u - i / 2u].right; //@d
""", lambda inv: (
            store("a", "pairs", inv.i // 2, inv.i, bytes=4) if inv.i % 2 == 0
            else store("b", "pairs", inv.i // 2, inv.i, bytes=4, offset_in_element=4),
            barrier("w"), load("c", "pairs", inv.i // 2, bytes=4), load("d", "pairs", 31 - inv.i // 2, bytes=4, offset_in_element=4)),
        "struct Pair { uint left; uint right; };\nshared Pair pairs[32];", values=True)
pattern("function_with_an_inout_cell", """
    add_to(tile[i / 2u], i); //@a
""", lambda inv: (load("a", "tile", inv.i // 2), store("a", "tile", inv.i // 2, None)),
        TILE + "\nvoid add_to(inout uint cell, const in uint much) { cell += much; }", problems="race")
pattern("functions_that_call_functions", """
    tile[i] = 2u * i; //@a
    barrier(); //@w
    x = sum_of_two(i);
""",
        lambda inv: (
            store("a", "tile", inv.i, 2 * inv.i),
            barrier("w"),
            load("b", "tile", inv.i),
            load("b", "tile", (inv.i + 1) % 64)),
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
""", lambda inv: (store("a", "wide", inv.i, None), barrier("w"), load("b", "wide", 63 - inv.i)), "shared double wide[64];",
        features=("float64",))
pattern("eight_bytes_written_by_two", """
    wide[i % 48u] = double(i); //@a
""", lambda inv: (store("a", "wide", inv.i % 48, None),), "shared double wide[64];", problems="race", features=("float64",))


# --- Atomics whose scope does not cover all invocations that use the address.

SCOPES = ("Invocation", "Subgroup", "Workgroup", "Device")
SCOPE_EXTENSION = "GL_KHR_memory_scope_semantics"


def scoped_atomic(array, index, scope):
    return (f"atomicAdd({array}[{index}], 1u, gl_Scope{SCOPES[scope]}, gl_StorageSemantics"
            f"{'Shared' if array == 'tile' else 'Buffer'}, gl_SemanticsRelaxed);")


# Addresses by the narrowest scope that contains all invocations that share one.
SHARED_ADDRESSES = {0: ("tile", "i", lambda inv: inv.i), 1: ("tile", "gl_SubgroupID", lambda inv: inv.i // inv.width),
                    2: ("tile", "7u", lambda inv: 7), 3: ("numbers", "i % 8u", lambda inv: inv.i % 8)}
for needed_scope, (array, index, index_function) in SHARED_ADDRESSES.items():
    for scope in range(4):
        def run(inv, array=array, index_function=index_function, scope=scope):
            yield atomic("a", array, index_function(inv), increment, scope=scope)
        run.__name__ = f"atomics_of_scope_{scope}_where_{needed_scope}_is_needed"
        kernel(scoped_atomic(array, index, scope) + " //@a", TILE, extensions=f"{SCOPE_EXTENSION} GL_KHR_shader_subgroup_basic",
               problems="race" if scope < needed_scope else "")(run)


pattern("each_workgroup_has_its_part_of_a_buffer", f"""
    {scoped_atomic("numbers", "all", 2)} //@a
""", lambda inv: (atomic("a", "numbers", inv.all, increment, scope=2),), extensions=SCOPE_EXTENSION)
pattern("one_of_two_scopes_is_too_small", f"""
    if (group == 0u) {scoped_atomic("numbers", "5u", 3)} //@a
    else {scoped_atomic("numbers", "5u", 2)} //@b
""", lambda inv: (atomic("a" if inv.group == 0 else "b", "numbers", 5, increment, scope=3 if inv.group == 0 else 2),),
        extensions=SCOPE_EXTENSION, problems="race")
pattern("barrier_between_atomics_of_two_subgroups", f"""
    if (gl_SubgroupID == 0u) {scoped_atomic("tile", "5u", 1)} //@a
    barrier(); //@w
    if (gl_SubgroupID == 1u) {scoped_atomic("tile", "5u", 1)} //@b
""", lambda inv: (*steps_if(inv.i // inv.width == 0, atomic("a", "tile", 5, increment, scope=1)), barrier("w"),
            *steps_if(inv.i // inv.width == 1, atomic("b", "tile", 5, increment, scope=1))),
        TILE, extensions=f"{SCOPE_EXTENSION} GL_KHR_shader_subgroup_basic")
pattern("semantics_do_not_widen_a_scope", """
    atomicAdd(numbers[3], 1u, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease); //@a
""", lambda inv: (atomic("a", "numbers", 3, increment, scope=2),), extensions=SCOPE_EXTENSION, problems="race")
pattern("barrier_with_explicit_scopes", """
    tile[i] = i; //@a
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsShared, gl_SemanticsAcquireRelease); //@w
    x = tile[63u - i]; //@b
""", lambda inv: (store("a", "tile", inv.i, inv.i), barrier("w"), load("b", "tile", 63 - inv.i)), TILE, extensions=SCOPE_EXTENSION)


# --- Races in storage buffers.


pattern("workgroups_write_the_same_cells", "numbers[i] = all; //@a", lambda inv: (store("a", "numbers", inv.i, inv.all),),
        problems="race")


@kernel("""
    x = numbers[all]; //@a
    numbers[all] = x + 1u; //@b
""", values=True)
def each_invocation_uses_its_own_cell(inv):
    x = yield load("a", "numbers", inv.all)
    yield store("b", "numbers", inv.all, x + 1)


pattern("one_workgroup_reads_what_another_writes", """
    x = numbers[all + 64u]; //@a
    numbers[all] = x; //@b
""", lambda inv: (load("a", "numbers", inv.all + 64), store("b", "numbers", inv.all, None)), problems="race")
pattern("workgroups_write_the_same_value", "if (i == 0u) numbers[7] = 3u; //@a",
        lambda inv: steps_if(inv.i == 0, store("a", "numbers", 7, 3)), problems="race")
pattern("atomics_of_all_workgroups", "atomicAdd(numbers[i % 4u], 1u); //@a",
        lambda inv: (atomic("a", "numbers", inv.i % 4, increment),))
pattern("plain_read_among_atomics_of_a_buffer", """
    atomicAdd(numbers[0], 1u); //@a
    if (all == 70u) x = numbers[0]; //@b
""", lambda inv: (atomic("a", "numbers", 0, increment), *steps_if(inv.all == 70, load("b", "numbers", 0))), problems="race")
pattern("barrier_alone_does_not_order_a_buffer", """
    numbers[all] = i; //@a
    barrier(); //@w
    x = numbers[all ^ 1u]; //@b
""", lambda inv: (store("a", "numbers", inv.all, inv.i), barrier("w"), load("b", "numbers", inv.all ^ 1)), warnings="race")
pattern("memory_barrier_and_barrier_order_a_buffer", """
    numbers[all] = i; //@a
    memoryBarrierBuffer();
    barrier(); //@w
    x = numbers[all ^ 1u]; //@b
""", lambda inv: (store("a", "numbers", inv.all, inv.i), barrier("w", orders_buffers=True), load("b", "numbers", inv.all ^ 1)))
pattern("buffer_without_any_barrier", """
    numbers[all] = i; //@a
    x = numbers[all ^ 1u]; //@b
""", lambda inv: (store("a", "numbers", inv.all, inv.i), load("b", "numbers", inv.all ^ 1)), problems="race")
pattern("whole_workgroup_writes_one_result", "partial_sums[group] = i; //@a",
        lambda inv: (store("a", "partial_sums", inv.group, inv.i),), problems="race")
pattern("one_invocation_writes_the_result", "if (i == 0u) partial_sums[group] = all; //@a",
        lambda inv: steps_if(inv.i == 0, store("a", "partial_sums", inv.group, inv.all)), groups=4, values=True)