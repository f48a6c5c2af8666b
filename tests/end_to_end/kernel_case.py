"""A kernel with a known answer: GLSL, the same pattern in Python (see simulation.py), and by hand what is wrong with it.

It takes the place of reduction's tree_sequential: 64 invocations in each of 2 workgroups unless it says otherwise, and
buffers of 1, 2, 3 … and of one element a workgroup. `//@a` names a line for the pattern; a line has one access of a kind."""

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


def one_more(old):
    return old + 1


def when(condition, *steps):
    """Those steps, of whom the condition holds for."""
    return steps if condition else ()


def pattern(name, body, steps, before="", **more):
    """A kernel whose invocations all take the same steps, whatever they read."""
    def run(me):
        for step in steps(me):
            yield step

    run.__name__ = name
    kernel(body, before, **more)(run)


TILE = "shared uint tile[64];"
