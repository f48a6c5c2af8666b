"""No kernel can freeze, kill or deceive the program: each run ends with a clear report in time, and the next run is correct.
Killing the lab during a sweep neither loses nor duplicates rows."""

import collections
import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from program import FULL, GRIDSTRIDE, TIMEOUT, Case, lab_pids, sanitized, wait_for_lab, wait_until, wait_until_busy

SHADERS = pathlib.Path(GRIDSTRIDE).resolve().parent.parent / "share" / "gridstride" / "shaders"
DEADLINE = 4  # seconds, for endless kernels; the others get as long as a slow machine needs

HEAD = """#version 450
// [build u32] ELEMENT=uint
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
layout(local_size_x_id = 0) in;
layout(std430, binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(std430, binding = 1) buffer Sums { uint sums[]; };
shared uint work[64];
"""


def kernel(body, before=""):
    return HEAD + before + "void main() {\n    const uint i = gl_GlobalInvocationID.x;\n" + body + "\n}\n"


LOOP = kernel("uint x = i; while (true) { x = x * 1664525u + 1013904223u; if (x == 7u) sums[0] = x; }")
HUGE = ["--elements", 2**26, "--workgroup-size", 1024, "--workgroup-count", 65535]

# name: source, further arguments, allowed exit codes, words separated by | of which the message contains one
KERNELS = {
    "hang": (LOOP, HUGE, {4}, "deadline"),
    "shared_out_of_bounds": (
        kernel("work[gl_LocalInvocationIndex + 1000000u] = i; barrier(); sums[0] = work[gl_LocalInvocationIndex * 77777u];"),
        [], {1}, "clamped"),
    "storage_out_of_bounds": (kernel("sums[i + 0x10000000u] = numbers[i * 4096u + 0x20000000u];"), [], {1}, ""),
    "array_longer_than_its_buffer": (
        kernel("numbers[50000u + i] = 7u; sums[gl_WorkGroupID.x] = numbers[60000u + i];")
        .replace("readonly buffer Numbers { uint numbers[]; }", "buffer Numbers { uint numbers[100000000]; }"),
        ["--elements", 4096], {1}, "reaches no other buffer"),
    # Some devices wait forever at these barriers.
    "divergent_barrier": (kernel("if (i % 2u == 0u) barrier(); sums[gl_WorkGroupID.x] = i;"), [], {1, 4}, "deadline|"),
    "barrier_in_loops_of_different_lengths": (
        kernel("for (uint n = 0u; n < i % 7u; ++n) { work[i % 64u] += n; barrier(); } sums[gl_WorkGroupID.x] = work[0];"), [],
        {1, 4}, "deadline|"),
    "returns_before_the_barrier": (
        kernel("if (i % 3u == 0u) return; work[i % 64u] = i; barrier(); sums[gl_WorkGroupID.x] = work[0];"), [], {1, 4},
        "deadline|"),
    "one_element_too_far": (
        kernel("work[gl_LocalInvocationIndex + 1u] = i; barrier(); sums[gl_WorkGroupID.x + 1u] = numbers[i + 1u];"), [], {1}, ""),
    "index_of_minus_one": (
        kernel("work[gl_LocalInvocationIndex - 1u] = i; barrier(); sums[gl_WorkGroupID.x - 1u] = numbers[i - 1u];"), [], {1}, ""),
    "storm_of_atomics": (
        kernel("for (uint n = 0u; n < 2000u; ++n) { atomicAdd(sums[0], n); atomicXor(work[n % 2u], i); } sums[1] = work[0];"),
        [], {1}, ""),
    "recursion_by_hand": (
        kernel("uint stack[32]; uint top = 1u; stack[0] = 14u; uint total = 0u; while (top > 0u && top < 31u) { uint n = stack[--top]; "
               "if (n < 2u) total += numbers[n]; else { stack[top++] = n - 1u; stack[top++] = n - 2u; } } sums[gl_WorkGroupID.x] = total;"),
        [], {1}, ""),
    "loops_in_loops": (
        kernel(
            "".join(
                (f"for (uint n{d} = 0u; n{d} < 4u; ++n{d}) " for d in range(8))) + "sums[gl_WorkGroupID.x] += numbers[i] ^ n7;"),
        [], {1}, ""),
    "division_by_zero": (kernel("sums[gl_WorkGroupID.x] = i / numbers[i] % (numbers[i] - numbers[i]);"), [], {1}, ""),
    "recursion": (kernel("sums[0] = f(3u);", "uint f(uint n) { return n < 2u ? n : f(n - 1u) + f(n - 2u); }\n"), [], {4}, "ecurs"),
    "64_mib_of_shared_memory": (kernel("lots[i] = i; barrier(); sums[0] = lots[0];", "shared uint lots[1 << 24];\n"), [], {2},
                                "maxComputeSharedMemorySize"),
    "macro_bomb": (
        "#version 450\n" + "".join(f"#define M{n} M{n - 1} M{n - 1} M{n - 1}\n" for n in range(27, 0, -1))
        + "#define M0 x += 1u;\nvoid main() { uint x = 0u; M27 }\n", [], {4}, "compil|deadline"),  # without a memory limit, as in a sanitizer build, the deadline ends it
    "twenty_thousand_lines": (
        kernel("uint x = i;\n" + "\n".join(f"x = x * {n}u + numbers[x % launch.count];" for n in range(20_000))
               + "\nsums[gl_WorkGroupID.x] = x;"), [], {1, 4}, "deadline|"),  # a driver may compile it for minutes
    "two_hundred_thousand_parentheses": (kernel("sums[0] = " + "(" * 200_000 + "i" + ")" * 200_000 + ";"), [], {4}, ""),
    "a_mebibyte_of_blanks": (kernel(" " * 2**20 + "sums[0] = 1u;"), [], {1}, ""),
    "a_mebibyte_of_error": ("#version 450\n#error " + "wrong " * 2**18 + "\nvoid main() {}\n", [], {4}, "wrong wrong"),
    "include_of_passwd": ('#version 450\n#extension GL_GOOGLE_include_directive : require\n#include "/etc/passwd"\nvoid main() {}\n',
                          [], {4}, "shaders folder"),
    "vertex_shader": ("#version 450\nlayout(location = 0) in vec4 place;\nvoid main() { gl_Position = place; }\n", [], {4}, ""),
    "empty_file": ("", [], {4}, ""),
}


@sanitized
class Kernels(Case):
    def run_kernel(self, name):
        source, arguments, codes, expected = KERNELS[name]
        self.write(f"{name}.comp", source)
        # A run that ends within the timeout of the test was ended by the program.
        deadline = DEADLINE if "deadline" in expected else 2 * TIMEOUT
        result = self.run_program("run", "reduction", "--kernel", f"{name}.comp", "--deadline", deadline, "--samples", 1,
                                  "--json", *arguments)
        self.assertIn(result.returncode, codes, result.stderr)
        report = json.loads(result.stdout)
        self.assertIn(report["status"], {"mismatch", "unwritten", "failed", "timed_out", "refused", "lost"})
        self.assertTrue(report["message"], "the report has a message")
        if expected:
            text = report["message"] + " ".join(report["notes"])
            self.assertTrue(any(word in text for word in expected.split("|")), text)
        self.assertNotIn("root:", result.stdout + result.stderr)

        again = self.run_program("run", "reduction", "--samples", 1, "--json")
        self.assertEqual(json.loads(again.stdout)["result"]["total"], 524800)


for kernel_name in KERNELS:
    setattr(Kernels, f"test_{kernel_name}", lambda self, name=kernel_name: self.run_kernel(name))


class UserKernels(Case):
    def test_shipped_source_is_right(self):
        result = self.run_program("run", "reduction", "--variant", "tree_sequential", "--json", "--samples", 2, "--kernel",
                                  SHADERS / "reduction" / "tree_sequential.comp", code=0)
        report = json.loads(result.stdout)
        self.assertEqual(report["result"]["total"], 524800)
        self.assertEqual(report["kernel"], "tree_sequential.comp")

    def test_compile_error_names_its_line(self):
        source = (SHADERS / "reduction" / "tree_sequential.comp").read_text().replace("barrier();", "barier();", 1)
        line = source[: source.index("barier")].count("\n") + 1
        self.write("mine.comp", source)
        result = self.run_program("run", "reduction", "--variant", "tree_sequential", "--json", "--kernel", "mine.comp",
                                  code=4)
        self.assertIn(f"mine.comp:{line}: error:", result.stderr)
        report = json.loads(result.stdout)
        self.assertEqual(report["status"], "failed")
        self.assertEqual(report["diagnostics"][0]["line"], line)

    def test_missing_barrier_is_judged_wrong(self):
        source = (SHADERS / "reduction" / "tree_sequential.comp").read_text().replace("barrier();", "")
        self.write("mine.comp", source)
        self.run_program("run", "reduction", "--variant", "tree_sequential", "--json", "--samples", 5, "--kernel", "mine.comp",
                         "--elements", 100_000, code=1)


class LabKills(Case):
    def count_bytes_written(self):
        """The size of the temporary file, which holds the rows of an unfinished sweep."""
        total = 0
        for path in self.folder.glob(".gridstride-*.csv.tmp"):
            try:
                total += path.stat().st_size
            except FileNotFoundError:  # the sweep has ended
                pass
        return total

    def test_sweep_is_complete_when_its_lab_is_killed_repeatedly(self):
        sizes = [32, 64, 96, 128, 160, 192, 256, 512]
        counts = [1, 2, 3, 5, 8, 13, 21, 34]
        command = ["sweep", "reduction", "--elements", "50000", "--samples", "10", "--csv", "rows.csv",
                   "--workgroup-size", ",".join(map(str, sizes)), "--workgroup-count", ",".join(map(str, counts))]
        environment = dict(self.environment)
        environment.pop("GRIDSTRIDE_VALIDATION")  # validation doubles the time of a start
        # The first run measures the ceilings, which takes a second; otherwise each kill would hit that second.
        self.run_program("run", "reduction", "--samples", 1)
        rng = random.Random(20261121)
        kills, sweeps, min_kills = 0, 0, 100 if FULL else 10
        # A sweep may end before it has been killed often enough.
        while kills < min_kills and sweeps < 40:
            sweeps += 1
            process = self.start(*command, env=environment, stdout=subprocess.DEVNULL)
            written = 0
            while process.poll() is None:
                time.sleep(rng.uniform(0, 0.4))
                now = self.count_bytes_written()
                # A cell whose lab is killed three times in a row is reported as lost, so the next kill waits until the sweep has
                # written another row.
                if now == written:
                    continue
                written = now
                for lab in lab_pids(process.pid):
                    try:
                        os.kill(lab, signal.SIGKILL)
                        kills += 1
                    except ProcessLookupError:
                        pass
            self.assertEqual(process.returncode, 0, process.stderr.read())
            process.stderr.close()
            rows = self.read_rows("rows.csv")
            runs = {}
            for row in rows:
                cell = (int(row["workgroup_size"]), int(row["workgroup_count"]))
                runs.setdefault((cell, row["run_id"]), []).append(int(row["sample"]))
            first = int(rows[0]["sample"])
            self.assertEqual({tuple(sorted(samples)) for samples in runs.values()}, {tuple(range(first, first + 10))})
            times = collections.Counter(cell for cell, _ in runs)
            self.assertEqual(set(times), {(size, count) for size in sizes for count in counts})
            self.assertEqual(sorted(times.values()), [1] * 60 + [3] * 4, "the four best cells are measured three times")
            self.assertEqual({row["status"] for row in rows}, {"ok"})
        self.assertGreaterEqual(kills, min_kills)

    def test_lab_ends_when_the_program_is_killed(self):
        process = self.start("run", "reduction", "--samples", 100_000, "--deadline", 3600)
        lab = wait_for_lab(process)
        wait_until_busy(lab, 1)
        process.kill()
        process.wait()
        wait_until(lambda: not pathlib.Path(f"/proc/{lab}").exists(), "the lab is gone")


@sanitized
class Interrupts(Case):
    def test_ctrl_c_ends_a_hang(self):
        self.write("hang.comp", LOOP)
        process = self.start("run", "reduction", "--kernel", "hang.comp", "--deadline", 3600, *HUGE, "--csv", "rows.csv",
                             start_new_session=True)
        wait_until_busy(wait_for_lab(process), 3)
        self.assertIsNone(process.poll(), "the kernel hangs")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to every process of the group
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, 4, err)
        self.assertIn("stopped", err)
        self.assertEqual([row["status"] for row in self.read_rows("rows.csv")], ["stopped"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
