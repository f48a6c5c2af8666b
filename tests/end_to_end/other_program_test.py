"""NumPy computes the same results from the saved inputs."""

import json
import unittest

import numpy

from program import Case

ELEMENTS = 50_021


def philox(words, key):
    """Philox4x32-10 (Salmon et al., 2011) with integers of at least 64 bits."""
    for _ in range(10):
        products = 0xD2511F53 * words[0], 0xCD9E8D57 * words[2]
        words = [(products[1] >> 32) ^ words[1] ^ key[0], products[1] & 0xFFFFFFFF,
                 (products[0] >> 32) ^ words[3] ^ key[1], products[0] & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return list(words)


def pcg2d(x, y):
    """Jarzynski and Olano, 2020."""
    x, y = (x * 1664525 + 1013904223) % 2**32, (y * 1664525 + 1013904223) % 2**32
    for _ in range(2):
        x = (x + y * 1664525) % 2**32
        y = (y + x * 1664525) % 2**32
        x, y = x ^ (x >> 16), y ^ (y >> 16)
    return x, y


def random_points(variant, count, seed):
    """The coordinates x and y of the points, from 0 to 1, in double precision. No point is so close to the circle that the
    rounding to 32 bits matters."""
    number = numpy.arange(count, dtype="u8")
    if variant == "pcg":
        x, y = pcg2d(number, 0 * number + seed)
    elif variant == "lcg":
        x = (75 * ((number + seed) % 65537) + 74) % 65537
        x, y = x * 65535, (75 * x + 74) % 65537 * 65535
    else:
        words = philox((number // 2, 0 * number, 0 * number, 0 * number), (seed, 0))
        x, y = numpy.where(number % 2 == 0, words[0], words[2]), numpy.where(number % 2 == 0, words[1], words[3])
    return x / 2**32, y / 2**32


class NumpyComparison(Case):
    def run_lesson(self, lesson, *arguments, elements=("--elements", ELEMENTS)):
        result = self.run_program("run", lesson, *elements, "--samples", 1, "--save-input", "in.npy", "--save-output",
                                  "out.npy", "--json", *arguments, code=0)
        return json.loads(result.stdout), numpy.load(self.folder / "in.npy"), numpy.load(self.folder / "out.npy")

    def list_variants(self, lesson):
        lessons = self.run_json("list")["lessons"]
        return [variant["id"] for entry in lessons if entry["id"] == lesson for variant in entry["variants"]]

    def test_scan(self):
        for variant in ("serial", "three_launches", "look_back", "look_back_f32"):
            with self.subTest(variant=variant):
                # The numbers of pictures and exercises are not saved.
                report, numbers, sums = self.run_lesson("scan", "--variant", variant, elements=("--elements", 5003))
                self.assertEqual((str(numbers.dtype), len(numbers)), ("float32" if variant.endswith("f32") else "uint32", 5003))
                expected = numpy.cumsum(numbers, dtype=numpy.float64 if variant.endswith("f32") else numpy.uint32)
                numpy.testing.assert_allclose(sums, expected, rtol=2e-5 if variant.endswith("f32") else 0)

    def test_stencil(self):
        weights = {"average": [1 / 7] * 7, "sliding": [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]}
        for variant, of in (("average", "average"), ("average_tile", "average"), ("naive", "sliding"), ("tile", "sliding"),
                            ("separable", "sliding"), ("sliding", "sliding")):
            with self.subTest(variant=variant):
                report, numbers, filtered = self.run_lesson("stencil", "--variant", variant, "--radius", 3,
                                                            elements=("--rows", 61, "--columns", 103))
                expected, half = numbers.reshape(61, 103).astype("f8"), len(weights[of]) // 2
                for axis in (1,) if of == "average" else (0, 1):
                    expected = numpy.apply_along_axis(
                        lambda line: numpy.convolve(numpy.pad(line, half, mode="edge"), weights[of], "valid"), axis, expected)
                numpy.testing.assert_allclose(filtered, expected.reshape(-1), rtol=1e-5)

    def test_zero_suppression(self):
        for rule, to_level in (("signed", lambda x: x.astype("i4")), ("magnitude", lambda x: abs(x.astype("i4")))):
            for variant in self.list_variants("zero_suppression"):
                report, samples, out = self.run_lesson("zero_suppression", "--variant", variant, "--rule", rule, "--threshold", 15)
                self.assertEqual((str(samples.dtype), len(samples)), ("int16", ELEMENTS))
                kept = to_level(samples) >= 15
                if variant.startswith("compact"):
                    positions = numpy.flatnonzero(kept)
                    numpy.testing.assert_array_equal(out, numpy.stack([positions, samples[positions]]))
                else:
                    numpy.testing.assert_array_equal(out, numpy.where(kept, samples, 0))
                self.assertEqual(report["result"]["kept"], int(kept.sum()))
                self.assertEqual(report["result"]["suppressed"], ELEMENTS - int(kept.sum()))

    def test_gaussian(self):
        for variant in self.list_variants("gaussian"):
            report, x, out = self.run_lesson("gaussian", "--variant", variant, "--mean", "0.5", "--sigma", "0.75")
            z = (x.astype("f8") - 0.5) / 0.75
            density = numpy.exp(-0.5 * z * z) / (0.75 * numpy.sqrt(2 * numpy.pi))
            numpy.testing.assert_allclose(out, density, rtol=2e-5)
            self.assertAlmostEqual(report["result"]["peak"], float(out.max()), places=6)

    def test_histogram(self):
        for bins in (1, 10, 257, 4096):
            for variant in self.list_variants("histogram"):
                report, x, counts = self.run_lesson("histogram", "--variant", variant, "--bins", bins)
                # The same f32 arithmetic as the kernel: difference, quotient, floor.
                width = numpy.float32(numpy.float32(8) / numpy.float32(bins))
                inside = x[(x >= -4) & (x < 4)]
                index = numpy.floor((inside - numpy.float32(-4)) / width).astype("i8").clip(0, bins - 1)
                expected = numpy.bincount(index, minlength=bins)
                if variant == "race":
                    self.assertLessEqual(int(counts.sum()), len(inside))
                    # The counts are those of the last run. All runs may be right by luck.
                    lost = report["compare"]["wrong_runs"] > 0
                    self.assertEqual(report["status"], "wrong_on_purpose" if lost else "ok")
                    self.assertTrue(lost or (counts == expected).all())
                else:
                    self.assertEqual(report["status"], "ok")
                    numpy.testing.assert_array_equal(counts, expected)
                self.assertEqual(report["result"]["ignored"], ELEMENTS - len(inside))

    def run_thread_index(self, variant, width, height, workgroup, grid):
        """The results in the report, the expected sums x + y, and the output."""
        report, (x, y), out = self.run_lesson("thread_index", "--variant", variant, "--workgroup", workgroup, "--grid", grid,
                                              elements=("--width", width, "--height", height))
        self.assertEqual(len(x), width * height)
        return report["result"], x + y, out

    def test_thread_index(self):
        untouched = 2**32 - 1
        # Too few, just enough and too many invocations for 1 000 elements.
        for grid in ("3x1", "8x1", "11x1"):
            invocations = 128 * int(grid.split("x")[0])
            for variant in ("add", "guarded"):
                result, sums, out = self.run_thread_index(variant, 1000, 1, "128x1", grid)
                done = min(invocations, 1000)
                numpy.testing.assert_array_equal(out[:done], sums[:done])
                self.assertTrue((out[done:1000] == untouched).all())
                self.assertEqual(result["untouched"], 1000 - done)
                beyond = max(0, invocations - 1000) if variant == "add" else 0
                self.assertEqual((len(out), result["foreign"]), (1000 + beyond, beyond))
                self.assertEqual(result["idle"], max(0, invocations - 1000) if variant == "guarded" else 0)
                self.assertEqual(result["element"], 389) if invocations > 389 else self.assertNotIn("element", result)
        for variant in ("picture", "swapped"):
            result, sums, out = self.run_thread_index(variant, 301, 203, "16x8", "auto")
            rows, columns = numpy.divmod(numpy.arange(301 * 203), 301)
            along_x, along_y = -(-301 // 16) * 16, -(-203 // 8) * 8
            done = (rows < along_x) & (columns < along_y) if variant == "swapped" else numpy.ones(301 * 203, bool)
            numpy.testing.assert_array_equal(out, numpy.where(done, sums, untouched))
            self.assertEqual(result["untouched"], int((~done).sum()))
            self.assertEqual(result["idle"], along_x * along_y - int(done.sum()))
        result, _, out = self.run_thread_index("early", 1000, 1, "128x1", "auto")
        self.assertTrue((out == untouched).all())
        report, (x, _), out = self.run_lesson("thread_index", "--variant", "square", "--workgroup", "8x1",
                                              elements=("--width", 4096))
        numpy.testing.assert_array_equal(out, x * x)

    def test_race_condition(self):
        for variant in self.list_variants("race_condition"):
            report, numbers, out = self.run_lesson("race_condition", "--variant", variant, "--runs", 3)
            self.assertEqual(len(numbers), ELEMENTS)
            if variant in ("in_place", "two_arrays"):
                padded = numpy.pad(numbers, 1, mode="edge").astype("u8")
                expected = (padded[:-2] + 2 * padded[1:-1] + padded[2:]) // 4
            else:
                expected = numpy.full(3, ELEMENTS)
                self.assertEqual(report["result"]["incomplete"], int((out < ELEMENTS).sum()))
                self.assertLessEqual(int(out.max()), ELEMENTS)
            if variant in ("atomic", "per_workgroup", "two_arrays"):
                self.assertEqual(report["status"], "ok")
                numpy.testing.assert_array_equal(out, expected)
            else:
                wrong = report["compare"]["wrong_runs"] > 0
                self.assertEqual(report["status"], "wrong_on_purpose" if wrong else "ok")
                self.assertTrue(wrong or (out == expected).all())

    def test_transfers(self):
        detour, shortest = "pulses_up+noise_up+add+down+up+rectify+down", "pulses_up+noise_up+add+rectify+down"
        for memory, pieces in (("pageable", 7), ("pinned", 1), ("pinned", 7), ("mapped", 1)):
            report, (pulses, noise), out = self.run_lesson("transfers", "--memory", memory, "--pieces", pieces)
            numpy.testing.assert_array_equal(out, pulses + noise)
            crossed = report["uploaded_bytes"] + report["downloaded_bytes"]
            self.assertEqual(crossed, 0 if memory == "mapped" else 12 * ELEMENTS, memory)
        report, (pulses, noise), out = self.run_lesson("transfers", "--rounds", 40, "--waiting", "poll")
        limit = pulses.astype("f8") + noise
        for _ in range(39):
            limit = limit / 2 + noise
        numpy.testing.assert_allclose(out, limit, atol=2e-6)
        for steps, needless_bytes in ((detour, 8 * ELEMENTS), (shortest, 0)):
            report, (pulses, noise), out = self.run_lesson("transfers", "--variant", "chain", "--steps", steps)
            numpy.testing.assert_array_equal(out, numpy.abs(pulses + noise))
            self.assertEqual(report["result"]["needless_bytes"], needless_bytes)
            self.assertEqual(report["uploaded_bytes"] + report["downloaded_bytes"], 12 * ELEMENTS + needless_bytes)
        for fetch in ("all", "counted"):
            report, (pulses, noise), out = self.run_lesson("transfers", "--variant", "loud", "--fetch", fetch)
            numpy.testing.assert_array_equal(out, numpy.flatnonzero(pulses + noise >= 1))
            self.assertEqual(report["downloaded_bytes"], 4 + 4 * (ELEMENTS if fetch == "all" else len(out)))

    def test_monte_carlo_pi(self):
        count, seeds = 50_021, range(7, 10)
        for variant in self.list_variants("monte_carlo_pi"):
            result = self.run_program("run", "monte_carlo_pi", "--variant", variant, "--elements", count, "--seed", seeds[0],
                                      "--seeds", len(seeds), "--samples", 1, "--save-output", "out.npy", "--json", code=0)
            report, hits = json.loads(result.stdout), numpy.load(self.folder / "out.npy")
            expected = [int((x * x + y * y < 1).sum()) for x, y in (random_points(variant, count, seed) for seed in seeds)]
            numpy.testing.assert_array_equal(hits, expected)
            self.assertEqual(report["result"]["hits"], expected[0])
            errors = 4 * numpy.array(expected) / count - numpy.pi
            self.assertAlmostEqual(report["result"]["error"], float(numpy.sqrt((errors**2).mean())))
            self.assertEqual((report["uploaded_bytes"], report["downloaded_bytes"]), (0, 4 * len(seeds)))

    def test_philox_gives_the_published_values(self):
        """The known answers of Random123 (kat_vectors, "philox4x32 10"), for the Python version that other tests use and for the
        shader."""
        ones, third_input = 2**32 - 1, (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344, 0xA4093822, 0x299F31D0)
        inputs = ((0,) * 6, (ones,) * 6, third_input)
        known = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8, 0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD,
                 0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1]
        self.assertEqual([word for numbers in inputs for word in philox(numbers[:4], numbers[4:])], known)
        lines = "".join(f"    words[{i}] = philox(uvec4({', '.join(f'{n}u' for n in numbers[:4])}), "
                        f"uvec2({', '.join(f'{n}u' for n in numbers[4:])}));\n" for i, numbers in enumerate(inputs))
        self.write("vectors.comp", 
            "#version 450\n#extension GL_GOOGLE_include_directive : require\n#include \"common/launch.glsl\"\n"
            "#include \"common/philox.glsl\"\nlayout(std430, binding = 0) buffer Hits { uvec4 words[]; };\n"
            "void main() {\n    if (gl_GlobalInvocationID.x > 0) return;\n" + lines + "}\n")
        # The kernel replaces that of the lesson, whose output holds twelve words at 12 seeds.
        result = self.run_program("run", "monte_carlo_pi", "--kernel", "vectors.comp", "--elements", 1, "--seeds", len(known),
                                  "--samples", 1, "--save-output", "out.npy")
        self.assertIn("wrong", result.stdout, result.stderr)
        self.assertEqual(numpy.load(self.folder / "out.npy").tolist(), known)

    def test_pi_on_every_grid(self):
        """One seed gives the same hits for every grid, also where the launch is split into slices."""
        found = set()
        for size, groups in ((1, 1), (32, 1), (96, 7), (256, 100), (1024, 3), (128, 65535)):
            result = self.run_program("run", "monte_carlo_pi", "--elements", 2**20 + 3, "--workgroup-size", size,
                                      "--workgroup-count", groups, "--samples", 1, "--json", code=0)
            report = json.loads(result.stdout)
            found.add(report["result"]["hits"])
            if (size, groups) == (1, 1) and report["device"]["is_cpu"]:
                self.assertGreater(report["launch"]["slices"], 1)
        x, y = random_points("philox", 2**20 + 3, 1)
        self.assertEqual(found, {int((x * x + y * y < 1).sum())})

    def test_grid_stride(self):
        for variant in self.list_variants("grid_stride"):
            report, pairs, out = self.run_lesson("grid_stride", "--variant", variant, "--counting", "on")
            self.assertEqual(pairs.shape, (2, ELEMENTS))
            numpy.testing.assert_allclose(out, numpy.hypot(*pairs.astype("f8")), rtol=1e-6)
            self.assertEqual(report["result"]["infinite"], 0)

    def test_coalescing(self):
        def pcg_hash(i):
            """The PCG hash of its paper."""
            state = (i * numpy.uint32(747796405) + numpy.uint32(2891336453)).astype("u4")
            word = (((state >> ((state >> 28) + 4)) ^ state) * numpy.uint32(277803737)).astype("u4")
            return (word >> 22) ^ word

        def norms(x, length):
            padded = numpy.pad(x.astype("f8"), (0, -len(x) % length))
            return numpy.sqrt((padded.reshape(-1, length) ** 2).sum(axis=1))

        def distances(particles):
            """The distances to the mast, computed in Cartesian coordinates."""
            radius, angle = particles
            return numpy.hypot(radius * numpy.cos(angle) - 0.5 * numpy.cos(0.5), radius * numpy.sin(angle) - 0.5 * numpy.sin(0.5))

        for variant in self.list_variants("coalescing"):
            for length in (1, 37, 256) if variant.startswith("row") else (256,):
                report, x, out = self.run_lesson("coalescing", "--variant", variant, "--row-length", length, "--stride", 3,
                                                 "--offset", 5, "--reach", 1000)
                self.assertEqual(x.shape, (ELEMENTS,))
                padded = numpy.pad(x.astype("f8"), (0, -len(x) % 4))
                expected, rtol, atol = {
                    "strided": lambda: (x[5::3], 0, 0),
                    "gather": lambda: (x[pcg_hash(numpy.arange(ELEMENTS, dtype="u4")) % 1000], 0, 0),
                    # A cosine may have an error of 2^-11, and so may the square.
                    "structs": lambda: (distances(padded.reshape(-1, 4).T[:2]), 2e-3, 0.023),
                    "arrays": lambda: (distances(padded.reshape(4, -1)[:2]), 2e-3, 0.023),
                }.get(variant, lambda: (norms(x, length), 1e-5, 1e-18))()
                numpy.testing.assert_allclose(out, expected, rtol=rtol, atol=atol)
                self.assertEqual(report["result"]["results"], len(expected))
                timed = report["timings"]["cpu_ns"]
                self.assertEqual(bool(timed and timed["samples"]), variant.startswith("row"), "only variants for norms have a CPU time")

    def test_hidden_layer(self):
        for variant in self.list_variants("hidden_layer"):
            report, rows, out = self.run_lesson("hidden_layer", "--variant", variant)
            self.assertEqual(rows.shape, (2, ELEMENTS))
            activations = numpy.tanh(rows[0].astype("f8") / 255 * rows[1])
            numpy.testing.assert_allclose(out, activations, rtol=2e-6, atol=1e-30)
            self.assertAlmostEqual(report["result"]["mean"], float(activations.mean()), places=5)

    def test_matmul(self):
        m, n, k = 67, 131, 90
        for variant in self.list_variants("matmul"):
            for transposed in ("none", "a", "b", "both"):
                report, both, c = self.run_lesson("matmul", "--variant", variant, "--transposed", transposed,
                                                  elements=("--m", m, "--n", n, "--k", k))
                a, b = both[:m * k].astype("f8"), both[m * k:].astype("f8")
                a = a.reshape(k, m).T if transposed in ("a", "both") else a.reshape(m, k)
                b = b.reshape(n, k).T if transposed in ("b", "both") else b.reshape(k, n)
                numpy.testing.assert_array_equal(c, a @ b)
                self.assertEqual(report["result"]["first"], c[0, 0])
                self.assertEqual(report["operations"], 2 * m * n * k)

    def test_tensor_graph(self):
        columns, rows = 103, 61
        def evaluate(graph, values):
            a = values[:rows * columns].reshape(rows, columns)
            if graph == "expression":
                b, c = values[a.size:3 * a.size].reshape(2, rows, columns)
                w = values[3 * a.size:].reshape(rows, 1)
                return (numpy.tanh(((a + b) * 5 - c) / 2) * w).sum(axis=1)
            e = numpy.exp(a)
            return {"chain": numpy.exp(numpy.log(e + 1)) + 1 + 1, "views": 2 * a.T, "order": 5 * numpy.tanh(a).sum(axis=0),
                    "diamond": e / e.sum(axis=1, keepdims=True)}[graph]
        for variant in self.list_variants("tensor_graph"):
            for graph in ("expression", "chain", "views", "diamond", "order"):
                _, values, out = self.run_lesson("tensor_graph", "--variant", variant, "--graph", graph, "--view", "transposed",
                                                 elements=("--columns", columns, "--rows", rows))
                expected = evaluate(graph, values.astype("f8").reshape(-1))
                self.assertEqual(out.shape, expected.shape)
                numpy.testing.assert_allclose(out, expected, rtol=3e-5, atol=3e-4)

    def test_softmax(self):
        columns, rows = 1003, 31
        for variant in self.list_variants("softmax"):
            for more in ((), ("--team", "workgroup", "--kept", 1, "--workgroup", "16x4")):
                report, x, out = self.run_lesson("softmax", "--variant", variant, "--spread", 3, "--offset", 20, *more,
                                                 elements=("--columns", columns, "--rows", rows))
                self.assertEqual(x.shape, (rows, columns))
                x = x.astype("f8")
                probabilities = numpy.exp(x - x.max(axis=1, keepdims=True))
                probabilities /= probabilities.sum(axis=1, keepdims=True)
                expected = {
                    "row_norm": numpy.linalg.norm(x, axis=1),
                    "layer_norm": (x - x.mean(axis=1, keepdims=True)) / numpy.sqrt(x.var(axis=1, keepdims=True) + 1e-5),
                }.get(variant, probabilities)
                self.assertEqual(out.shape, expected.shape)
                numpy.testing.assert_allclose(out, expected, rtol=3e-5, atol=1e-5 if variant == "layer_norm" else 1e-30)
                self.assertEqual(report["result"]["not_numbers"], 0)
                timed = report["timings"]["cpu_ns"]
                self.assertEqual(bool(timed and timed["samples"]), not variant.endswith("norm"), "only variants for probabilities have a CPU time")

    def test_quantise_int8(self):
        columns, pitch, rows, vectors = 1003, 1004, 31, 3
        for scheme in ("zero_point", "symmetric", "by_row"):
            for variant in self.list_variants("quantise_int8"):
                report, saved, out = self.run_lesson(
                    "quantise_int8", "--variant", variant, "--scheme", scheme, "--mean", 2, "--vectors", vectors,
                    elements=("--columns", columns, "--rows", rows))
                # The f32 part of the input: weights, vectors, and the scales of both.
                parts = numpy.cumsum([rows * columns, vectors * pitch, rows if scheme == "by_row" else 1])
                weights, x, scales, x_scales = (part.astype("f8") for part in numpy.split(saved, parts))
                weights, x = weights.reshape(rows, columns), x.reshape(vectors, pitch)[:, :columns]
                self.assertEqual((len(scales), len(x_scales)), (rows if scheme == "by_row" else 1, vectors))
                low, high = (numpy.minimum(weights.min(axis=1), 0), numpy.maximum(weights.max(axis=1), 0))
                if scheme != "by_row":
                    low, high = low.min(keepdims=True), high.max(keepdims=True)
                min_scale = (high - low) / 255 if scheme == "zero_point" else numpy.maximum(-low, high) / 127
                self.assertTrue(((scales >= min_scale) & (scales <= min_scale * (1 + 2**-13))).all())
                scale = scales.reshape(-1, 1)
                if variant == "round_trip":
                    zero_point = -128 - numpy.rint(low / scales) if scheme == "zero_point" else 0
                    self.assertEqual((str(out.dtype), out.shape), ("int8", (rows, pitch)))
                    numpy.testing.assert_array_equal(out[:, :columns], numpy.rint(weights / scale) + zero_point)
                    self.assertTrue((out[:, columns:] == 0).all())
                    self.assertEqual(report["result"]["places"], len(numpy.unique(out[:, :columns])))
                    self.assertLessEqual(report["result"]["largest_error_steps"], 0.5)
                    continue
                self.assertEqual(out.shape, (vectors, rows))
                if variant == "f32":
                    numpy.testing.assert_allclose(out, x @ weights.T, atol=1e-3)
                    continue
                rounded = numpy.rint(weights / scale) * scale
                used_x = x if variant == "int8_weights" else numpy.rint(x / x_scales[:, None]) * x_scales[:, None]
                numpy.testing.assert_allclose(out, used_x @ rounded.T, rtol=1e-6, atol=1e-3)
                largest_error = abs(out - x @ weights.T).max()
                self.assertAlmostEqual(report["result"]["largest_error"], largest_error, delta=1e-3 * largest_error)


if __name__ == "__main__":
    unittest.main(verbosity=2)
