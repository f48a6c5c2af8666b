"""Kernels with known findings: GLSL, the same access pattern in Python (see simulation.py), and the expected problems.

A kernel replaces reduction's tree_sequential. By default it runs 2 workgroups of 64 invocations. Its first buffer holds 1, 2,
3 …, its second one element per workgroup. `//@a` marks a line for the pattern; a line has at most one access of each kind."""

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
                 problems="", warnings="", values=False, features=()):
        """problems, warnings: ids of the expected findings with that status. values: the simulation knows the values that are
        read and written, too. features: keys of `devices --json` that a device needs to run the kernel."""
        self.name, self.run = run.__name__, run
        self.source = HEAD.format(extensions="".join(f"#extension {name} : require\n" for name in extensions.split()),
                                  outer=outer, numbers=numbers, before=before, body=body.strip("\n"))
        self.size, self.groups, self.elements = size, groups, elements
        self.problems, self.warnings, self.values, self.features = set(problems.split()), set(warnings.split()), values, features

    def contains(self, word):
        return word in self.source

    def arguments(self):
        return ["--elements", self.elements, "--workgroup-size", self.size, "--workgroup-count", self.groups]


KERNELS = []


def kernel(body, before="", **more):
    def register(run):
        KERNELS.append(Kernel(run, body, before, **more))
        return run

    return register


def increment(old):
    return old + 1


def steps_if(condition, *steps):
    """The steps if the condition holds, else none."""
    return steps if condition else ()


def pattern(name, body, steps, before="", **more):
    """Registers a kernel whose steps do not depend on the values that it reads."""
    def run(inv):
        for step in steps(inv):
            yield step

    run.__name__ = name
    kernel(body, before, **more)(run)


TILE = "shared uint tile[64];"
