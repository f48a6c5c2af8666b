"""Playground programs on the command line: what they show, expect and save, and how they are refused."""

import json
import re
import unittest

import numpy

from program import Case

HEAD = "gridstride playground 1\n"
PRODUCT = HEAD + """model text
tensor e 4 x 3 fill file "e.npy"
tensor w 3 x 2 fill file "w.npy"
p = e @ w
show p
expect p = e @ w within 1e-4
save p as "p.npy"
"""


class Playground(Case):
    def setUp(self):
        super().setUp()
        random = numpy.random.default_rng(20261125)
        self.e = random.standard_normal((4, 3)).astype(numpy.float32)
        self.w = random.standard_normal((3, 2)).astype(numpy.float32)
        numpy.save(self.folder / "e.npy", self.e)
        numpy.save(self.folder / "w.npy", self.w)

    def play(self, text, *arguments, code=0):
        self.write("mine.playground", text)
        result = self.run_program("playground", "mine.playground", "--samples", 2, *arguments, code=code)
        return result

    def test_saved_tensor_agrees_with_numpy(self):
        result = self.play(PRODUCT)
        self.assertIn("p.npy", result.stderr)
        numpy.testing.assert_allclose(numpy.load(self.folder / "p.npy"), self.e @ self.w, rtol=1e-4, atol=1e-5)
        # A changed file is read again.
        numpy.save(self.folder / "e.npy", 2 * self.e)
        self.play(PRODUCT)
        numpy.testing.assert_allclose(numpy.load(self.folder / "p.npy"), 2 * self.e @ self.w, rtol=1e-4, atol=1e-5)

    def test_saved_tensor_keeps_its_shape_and_can_be_read_again(self):
        shapes = {"line": (6,), "row": (1, 6), "box": (2, 3, 2), "four": (1, 2, 1, 3), "one": ()}
        lines = [f"tensor {name} {' x '.join(map(str, shape))} fill ramp" for name, shape in shapes.items() if shape]
        self.play(HEAD + "model m\n" + "\n".join(lines + ["one = sum(line, 0)"] + [f'save {name} as "{name}.npy"' for name in shapes]))
        for name, shape in shapes.items():
            saved = numpy.load(self.folder / f"{name}.npy")
            self.assertEqual(saved.shape, shape, name)
            numpy.testing.assert_array_equal(saved.ravel(), [15] if name == "one" else range(saved.size))
            extents = " x ".join(map(str, shape)) or "1"
            self.play(HEAD + f'model m\ntensor a {extents} fill file "{name}.npy"\nb = a + 1\nsave b as "b.npy"\n')
            numpy.testing.assert_array_equal(numpy.load(self.folder / "b.npy").ravel(), saved.ravel() + 1)
        self.assertIn("Wrote 1 number of m.one to ", self.play(HEAD + 'model m\ntensor a 2 fill ramp\none = sum(a, 0)\nsave one as "one.npy"\n').stderr)

    def test_scan_convolution_and_attention_are_computed_as_in_numpy(self):
        random = numpy.random.default_rng(3)
        arrays = {"words": random.integers(0, 2**32, 1003, numpy.uint32), "x": random.random((37, 53), numpy.float32),
                  "k": random.random((3, 5), numpy.float32), "q": random.random((19, 8), numpy.float32),
                  "v": random.random((19, 6), numpy.float32)}
        for name, array in arrays.items():
            numpy.save(self.folder / f"{name}.npy", array)
        words, x, k, q, v = arrays.values()
        declare = "\n".join(f'tensor {name} {" x ".join(map(str, array.shape))}{" u32" if name == "words" else ""} fill file "{name}.npy"'
                            for name, array in arrays.items())
        self.play(HEAD + f"""model m
{declare}
wrapped = cumsum(words)
down = cumsum(x * 2, 0)
filtered = convolve(pad_edge(pad_edge(x * 2, 0, 1, 1), 1, 0, 4), k)
attended = attention(q, q, v)
""" + "".join(f'save {name} as "{name}.npy"\n' for name in ("wrapped", "down", "filtered", "attended")))
        results = {name: numpy.load(self.folder / f"{name}.npy") for name in ("wrapped", "down", "filtered", "attended")}
        numpy.testing.assert_array_equal(results["wrapped"], numpy.cumsum(words, dtype=numpy.uint32))
        numpy.testing.assert_allclose(results["down"], numpy.cumsum(2 * x, 0), rtol=1e-5)
        padded = numpy.pad(2 * x, ((1, 1), (0, 4)), mode="edge")
        windows = numpy.lib.stride_tricks.sliding_window_view(padded, k.shape)
        numpy.testing.assert_allclose(results["filtered"], (windows * k[::-1, ::-1]).sum((2, 3)), rtol=1e-5)
        weights = numpy.exp(q @ q.T / numpy.sqrt(8))
        numpy.testing.assert_allclose(results["attended"], weights @ v / weights.sum(1, keepdims=True), rtol=1e-5)

    def test_products_of_f16_are_computed_as_in_numpy(self):
        # Sizes that are multiples of nothing, one element, whole tiles; also transposed, and with a tail.
        for m, k, n in ((1, 1, 1), (17, 33, 5), (130, 70, 250), (129, 100, 131), (256, 64, 128)):
            with self.subTest(m=m, k=k, n=n):
                random = numpy.random.default_rng(m)
                a, b = random.standard_normal((m, k), numpy.float32), random.standard_normal((k, n), numpy.float32)
                numpy.save(self.folder / "a.npy", a)
                numpy.save(self.folder / "b.npy", b)
                numpy.save(self.folder / "at.npy", numpy.ascontiguousarray(a.T))
                numpy.save(self.folder / "bt.npy", numpy.ascontiguousarray(b.T))
                self.play(HEAD + f"""model m
tensor a {m} x {k} fill file "a.npy"
tensor b {k} x {n} fill file "b.npy"
tensor at {k} x {m} fill file "at.npy"
tensor bt {n} x {k} fill file "bt.npy"
p = a @ b
q = tanh(at.T @ bt.T + p)
save p as "p.npy"
save q as "q.npy"
""", "--precision", "f16")
                half = [x.astype(numpy.float16).astype(numpy.float64) for x in (a, b)]
                product = half[0] @ half[1]
                bound = k * 2.0**-23 * (abs(half[0]) @ abs(half[1])) + 1e-37
                saved = numpy.load(self.folder / "p.npy").reshape(m, n)
                self.assertTrue((abs(saved - product) <= bound).all())
                # Products of f32 differ by more.
                if k > 1:
                    self.assertFalse((abs(saved - a.astype(numpy.float64) @ b) <= bound).all())
                numpy.testing.assert_allclose(numpy.load(self.folder / "q.npy").reshape(m, n), numpy.tanh(2 * product), atol=1e-4)

    def test_whole_numbers_are_computed_as_in_numpy(self):
        words = numpy.random.default_rng(7).integers(0, 2**32, 1003, numpy.uint32)
        numpy.save(self.folder / "k.npy", words)
        numpy.save(self.folder / "i.npy", words.view(numpy.int32))
        program = HEAD + """model m
tensor k 1003 u32 fill file "k.npy"
tensor i 1003 i32 fill file "i.npy"
tensor r 1003 i32 fill ramp
a = k * k + 4294967295
b = i % (r + 1) - i / (r + 1)
c = where(k > 2147483648, uint(r), k % 10)
d = sum(k) + argmax(i)
kernel count reads c writes hist 10 u32 workgroup 32 grid 1 {
    void main() {
        if (gl_LocalInvocationID.x >= 10) return;
        hist[gl_LocalInvocationID.x] = 0;
        for (uint e = 0; e < 1003; ++e)
            hist[gl_LocalInvocationID.x] += uint(c[e] == gl_LocalInvocationID.x);
    }
}
expect hist = sum(uint(reshape(c, 1 x 1003) == reshape(iota(10), 10 x 1)), 1) within 0
mixed = shift(permutation(1003), 0, 1) + integers(1003, 6)
""" + "".join(f'save {name} as "{name}.npy"\n' for name in ("a", "b", "c", "d", "hist", "mixed"))
        self.play(program)
        signed, ramp = words.view(numpy.int32).astype(numpy.int64), numpy.arange(1003)
        quotients = numpy.trunc(signed / (ramp + 1)).astype(numpy.int64)
        chosen = numpy.where(words > 2**31, ramp, words % 10)
        expected = {
            "a": words * words - numpy.uint32(1),
            "b": signed - quotients * (ramp + 1) - quotients,
            "c": chosen,
            "d": (words.sum(dtype=numpy.uint32) + signed.argmax()) % 2**32,
            "hist": [(chosen == digit).sum() for digit in range(10)],
        }
        for name, numbers in expected.items():
            saved = numpy.load(self.folder / f"{name}.npy")
            self.assertEqual(saved.dtype, numpy.int32 if name == "b" else numpy.uint32, name)
            numpy.testing.assert_array_equal(saved.astype(numpy.int64), numpy.asarray(numbers, dtype=numpy.int64), name)
        self.assertLess(numpy.load(self.folder / "mixed.npy").max(), 1003 + 5)
        report = json.loads(self.play(program, "--json").stdout)
        self.assertEqual(report["result"]["m_a_largest"], int(expected["a"].max()))
        wrong = self.play(program.replace(", 6)", ", 6)\nk = k + i"), code=2).stderr
        self.assert_mentions(wrong, "add of u32 and i32", "uint(x)")
        self.assertIn("m.hist", self.play(program.replace("= 0;", "= 1;"), code=1).stdout)
        numpy.save(self.folder / "k.npy", words + 0.5)
        self.assert_mentions(self.play(program, code=2).stderr, "mine.playground:3", "is not a whole number", "u32")
        sort = self.play(program + "e = sort(k)\n", code=2).stderr
        self.assert_mentions(sort, "There is no function sort here", "lessons in a folder of text")

    def test_halves_are_stored_as_in_numpy(self):
        halves = (numpy.random.default_rng(8).standard_normal((31, 7)) * 100).astype(numpy.float16)
        halves[0, :3] = 65504, 1 / 3, 2049
        numpy.save(self.folder / "h.npy", halves)
        program = HEAD + """model m
tensor h 31 x 7 f16 fill file "h.npy"
tensor r 7 f16 fill ramp
twice = f16(h + h)
mixed = h.T * 0.5 + reshape(r, 7 x 1)
best = largest(h, 1)
kernel thirds reads h writes third 31 x 7 f16 workgroup 64 grid 4 {
    void main() {
        for (uint i = gl_GlobalInvocationID.x; i < 217; i += 256)
            third[i] = float16_t(float(h[i]) / 3.0);
    }
}
expect third = f16(h / 3) within 1e-3
""" + "".join(f'save {name} as "{name}.npy"\n' for name in ("twice", "mixed", "best", "third"))
        self.play(program)
        wide = halves.astype(numpy.float32)
        with numpy.errstate(over="ignore"):
            expected = {"twice": (wide + wide).astype(numpy.float16), "third": (wide / 3).astype(numpy.float16)}
        for name, numbers in expected.items():
            saved = numpy.load(self.folder / f"{name}.npy")
            self.assertEqual(saved.dtype, numpy.float16, name)
            numpy.testing.assert_allclose(saved.astype(numpy.float32), numbers.astype(numpy.float32), rtol=0.001 if name == "third" else 0)
        numpy.testing.assert_allclose(numpy.load(self.folder / "mixed.npy"), wide.T * 0.5 + numpy.arange(7).reshape(7, 1), rtol=1e-6)
        numpy.testing.assert_array_equal(numpy.load(self.folder / "best.npy"), wide.max(1))
        self.assertIn("m.third", self.play(program.replace("/ 3.0", "/ 3.02"), code=1).stdout)
        self.assert_mentions(self.play(program.replace("r 7 f16", "r 4096 f16"), code=2).stderr, "f16 can count only up to")
        numpy.save(self.folder / "h.npy", halves.astype(numpy.float32) * 2)
        self.assert_mentions(self.play(program, code=2).stderr, "131008 is not a finite number as f16")

    def test_bytes_are_saved_without_the_padding_of_their_rows(self):
        table = numpy.arange(-7, 8, dtype=numpy.float32).reshape(3, 5)
        numpy.save(self.folder / "t.npy", table)
        self.play(HEAD + 'model m\ntensor a 3 x 5 fill file "t.npy"\nq = quantise(a, by_row)\nsave q as "q.npy"\n')
        saved = numpy.load(self.folder / "q.npy")
        numpy.testing.assert_allclose(saved, table / (abs(table).max(1, keepdims=True) / 127), atol=0.51)

    def test_a_table_is_read_row_by_row(self):
        table = numpy.arange(30, dtype=numpy.float32).reshape(5, 6) + 0.5
        for header in ("", ",".join("abcdef")):
            numpy.savetxt(self.folder / "m.csv", table, delimiter=",", header=header, comments="")
            self.play(HEAD + 'model m\ntensor x 5 x 6 fill file "m.csv"\ny = x * 2\nsave y as "y.npy"\n')
            numpy.testing.assert_array_equal(numpy.load(self.folder / "y.npy"), table * 2)
            wrong = self.play(HEAD + 'model m\ntensor x 5 fill file "m.csv"\ny = x * 2\n', code=2).stderr
            self.assert_mentions(wrong, "mine.playground:3", "m.csv", 30, 6, "m.x", 5, 5)

    def test_messages_name_the_program_and_not_the_variant(self):
        result = self.play(PRODUCT.replace("expect p = e @ w", "expect p = e @ w + 1"), code=1)
        self.assertNotIn("chain", result.stdout + result.stderr)
        self.assertIn("mine.playground: ", result.stderr)
        report = json.loads(self.play(PRODUCT, "--json").stdout)
        self.assertEqual(report["variant"], "chain")
        # Its tensors have their own sizes, so the heading does not mention elements.
        self.assertNotIn("element", self.play(PRODUCT).stdout.splitlines()[0])
        inspected = self.run_program("inspect", "playground", "--kernel", "mine.playground")
        self.assertIn("mine.playground · text.p", inspected.stdout + inspected.stderr)
        self.assertIn("chain: ", self.run_program("run", "playground", "--deadline", 0.001).stderr)

    def test_each_error_is_reported_once(self):
        for text, lines in {
            PRODUCT.replace("4 x 3", "5 x 3"): [3],
            PRODUCT.replace('"e.npy"', '"gone.npy"'): [3],
            PRODUCT + "kernel k reads p writes y 4 {\n}\n": [10],
            PRODUCT + "kernel k reads p writes y 4\n{\n    void main() {\n        p[0] = 1;\n        y[0] = 1;\n    }\n}\nshow y\n": [12],
            PRODUCT + "kernel k reads p writes y 4 {\n    void main() {\n        y[0] = nothing;\n    }\n}\nshow y\n": [11],
        }.items():
            with self.subTest(text):
                if "kernel" in text and "show y" not in text:
                    text += "show y\n"
                result = self.play(text, code=2)
                messages = result.stderr.splitlines()
                self.assertEqual(result.stdout, "")
                self.assertEqual([int(line.split(":")[1]) for line in messages if ": error: " in line], lines, result.stderr)
                self.assertEqual(len(messages), len(set(messages)), result.stderr)
                self.assertNotIn("is not written", result.stderr)
                self.assertLessEqual(len(messages), 2, result.stderr)
                report = self.play(text, "--json", code=2).stdout
                self.assertEqual(json.loads(report)["status"], "refused")
        result = self.play(PRODUCT + "kernel fine reads p writes y 4 {\n\n    void mian() {}\n}\nshow y\n", code=2)
        self.assert_mentions(result.stderr, "mine.playground:11", "void")

    def test_timed_out_run_reports_unwritten_files_once(self):
        endless = "kernel k reads p writes y 4 workgroup 64 grid 65535 { void main() { for (uint i = 0; i < 60000; ++i) y[0] += p[i % 8]; } }\n"
        result = self.play(PRODUCT + endless + 'save y as "y.npy"\n', "--deadline", 5, code=4)
        self.assert_mentions(result.stderr, 2, "outputs")

    def test_a_program_that_is_too_large(self):
        for size in (70_000, 5_000_000):
            result = self.play(PRODUCT + "/" * (size - len(PRODUCT)), code=2)
            self.assert_mentions(result.stderr, "mine.playground", size, 65536)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_json_and_csv_match_those_of_run(self):
        report = json.loads(self.play(PRODUCT, "--json", "--csv", "rows.csv").stdout)
        self.assertEqual((report["lesson"], report["status"], report["kernel"]), ("playground", "ok", "mine.playground"))
        self.assertIn("playground", (self.folder / "rows.csv").read_text())

    def test_run_accepts_a_program_and_writes_none_of_its_files(self):
        self.write("mine.playground", PRODUCT)
        self.run_program("run", "playground", "--kernel", "mine.playground", "--samples", 2, code=0)
        self.assertFalse((self.folder / "p.npy").exists())

    def test_memory_budget_evicts_and_reloads_tensors(self):
        def transferred_bytes(lesson, *arguments):
            result = self.run_program("run", lesson, *arguments, "--samples", 2, "--json")
            report = json.loads(result.stdout)
            self.assertEqual(report["status"], "ok", result.stderr)
            return report["uploaded_bytes"] + report["downloaded_bytes"]

        shared = ("playground", "--variant", "shared_weights", "--execution", "planned")
        without = transferred_bytes(*shared)
        self.assertEqual(transferred_bytes(*shared, "--memory", 1 << 30), without)
        self.assertGreater(transferred_bytes(*shared, "--memory", 3 << 20), without)
        # Evicting a tensor that the host already holds transfers nothing.
        graph = ("tensor_graph", "--variant", "planned")
        self.assertEqual(transferred_bytes(*graph, "--memory", 800_000), transferred_bytes(*graph))
        refused = self.run_program("run", *graph, "--memory", 65536, code=2)
        self.assertIn("are allowed 64", refused.stderr)
        enough = int(re.search(r"Set memory to (\d+) bytes", refused.stderr)[1])
        self.assertEqual(self.run_program("run", *graph, "--memory", enough, "--samples", 2).returncode, 0)
        for program, execution in (("network", "fused"), ("embeddings", "planned"), ("shared_weights", "fused")):
            for memory in (1 << 16, 1 << 19):
                with self.subTest(program=program, memory=memory):
                    command = ("run", "playground", "--variant", program, "--execution", execution, "--samples", 2, "--memory")
                    refused = self.run_program(*command, memory)
                    if refused.returncode == 0:
                        continue
                    self.assertEqual(refused.returncode, 2, refused.stderr)
                    enough = int(re.search(r"Set memory to (\d+) bytes", refused.stderr)[1])
                    self.run_program(*command, enough, code=0)

    def test_failed_expectation_is_exit_code_1(self):
        self.play(PRODUCT.replace("expect p = e @ w", "expect p = e @ w + 1"), code=1)
        self.assertTrue((self.folder / "p.npy").exists(), "computed tensors are saved all the same")

    def test_expectation_on_a_kernel_dependent_tensor_is_checked(self):
        kernel = "kernel k reads e writes z 4 { void main() { z[gl_GlobalInvocationID.x] = 1; } }\ny = z + 1\n"
        text = PRODUCT.split("p = ")[0] + kernel + "expect y = sum(e, 1) * 0 + "
        self.play(text + "2 within 1e-6\n")
        self.assert_mentions(self.play(text + "3 within 1e-6\n", code=1).stderr, "1e-06", 3)

    def test_expect_accepts_any_name(self):
        program = HEAD + "model m\ntensor a 2 x 3 fill ramp\nother = a\nview = a'\ny = a + 1\nshow y\n"
        for name, definition in (("a", "y - 1"), ("other", "y - 1"), ("view", "(y - 1)'"), ("y", "a + 1")):
            with self.subTest(name):
                self.play(program + f"expect {name} = {definition} within 1e-6\n")
                result = self.play(program + f"expect {name} = {definition} + 0.01 within 1e-6\n", code=1)
                self.assert_mentions(result.stderr, "1e-06", "expectation")
        kernel = "kernel k reads a writes z 2 x 3 { void main() { } }\n"
        result = self.play(program + kernel + "expect y = z + 1 within 1e-6\n", code=2)
        self.assert_mentions(result.stderr, "mine.playground:9", "m.y", "m.z")

    def test_rows_masked_by_minus_infinity(self):
        scores = numpy.array([[1, 2, -numpy.inf], [-numpy.inf, 0, -1e30]], dtype=numpy.float32)
        text = HEAD + 'model m\ntensor a 2 x 3 fill file "a.npy"\ny = softmax(a * 2)\nsave y as "y.npy"\n'
        numpy.save(self.folder / "a.npy", scores)
        self.play(text)
        e = numpy.exp(2)
        numpy.testing.assert_allclose(numpy.load(self.folder / "y.npy"), [[1 / (1 + e), e / (1 + e), 0], [0, 1, 0]], rtol=1e-5)
        scores[1] = -numpy.inf
        numpy.save(self.folder / "a.npy", scores)
        result = self.play(text, code=1)
        self.assert_mentions(result.stderr, "NaN", "expected")

    def test_maximum_of_a_number_and_nan_may_be_either(self):
        # 0 / 0 is NaN. In a kernel, a driver may simplify 0.0 / x to 0.
        program = HEAD + "model m\ntensor a 4 fill ramp\nnan = a / a\n"
        for text in ("y = maximum(a, nan)\n", "y = maximum(nan, a)\n", "y = minimum(a, nan) + 1\n"):
            with self.subTest(text):
                report = json.loads(self.play(program + text, "--json").stdout)
                self.assertEqual(report["status"], "ok")
        kernel = "kernel k reads a writes y 4 workgroup 4 { void main() { uint i = gl_GlobalInvocationID.x; if (i < 4) y[i] = %s; } }\n"
        expect = "expect y = maximum(a - 1, nan) within 1e-6\n"
        expression = "i == 0 ? %s : max(a[i] - 1, 1.0)"
        for text, code in (("-1.0", 0), ("uintBitsToFloat(0x7FC00000u)", 0), ("0.5", 1), ("1.0", 1), ("1.0 / a[i]", 1)):
            with self.subTest(text):
                self.play(program + kernel % (expression % text) + expect, code=code)

    def test_nan_result_is_never_right(self):
        result = self.play(PRODUCT.split("p = ")[0] + "y = log(e - e - 1)\n", code=1)
        self.assert_mentions(result.stderr, "NaN", "reference")

    def test_kernel_output_without_expectation_is_not_judged(self):
        kernel = "kernel k reads e writes y 4 { void main() { y[gl_GlobalInvocationID.x] = 0.0 / (e[0] - e[0]); } }\n"
        text = PRODUCT.split("p = ")[0] + kernel
        self.assertIn("! not judged", self.play(text).stdout)
        report = json.loads(self.play(text, "--json").stdout)
        self.assertEqual((report["status"], report["compare"]["unjudged"]), ("ok", 1))
        self.play(text + "expect y = sum(e, 1) within 1e-3\n", code=1)

    def test_every_wrong_line_is_named(self):
        result = self.play(HEAD + "model text\ntensor e 4 x\np = q @ r\n", "--json", code=2)
        self.assertEqual(result.stdout, "")
        for line in (3, 4):
            self.assertIn(f"mine.playground:{line}: ", result.stderr)
        for text in ("", "\n", "no program\n", HEAD):
            with self.subTest(text):
                self.assertIn("mine.playground", self.play(text, code=2).stderr)

    def test_files_outside_the_folder_are_refused(self):
        folder = self.folder / "mine"
        folder.mkdir()
        (folder / "link.npy").symlink_to(self.folder / "e.npy")
        for file in ("../e.npy", str(self.folder / "e.npy"), "link.npy", "gone.npy"):
            with self.subTest(file):
                (folder / "p.playground").write_text(PRODUCT.replace('"e.npy"', f'"{file}"'))
                result = self.run_program("playground", folder / "p.playground", code=2)
                self.assertRegex(result.stderr, r"p\.playground:3: .*" + file.split("/")[-1])
        for name in ("e.npy", "w.npy"):
            (self.folder / name).rename(folder / name)
        (folder / "out.npy").symlink_to(self.folder / "p.npy")
        (folder / "out2.npy").symlink_to(self.folder / "p2.npy")
        for first, second in (("../p.npy", str(self.folder / "p2.npy")), ("out.npy", "out2.npy")):
            with self.subTest(first):
                (folder / "p.playground").write_text(PRODUCT.replace('"p.npy"', f'"{first}"') + f'save e as "{second}"\n')
                result = self.run_program("playground", folder / "p.playground", code=2)
                for line in (8, 9):
                    self.assertRegex(result.stderr, rf"p\.playground:{line}: error: .* is outside ")
                self.assertFalse((self.folder / "p.npy").exists())

    def test_playground_is_both_a_lesson_and_a_command(self):
        self.assertEqual(self.run_program("check", "playground", "--help").returncode, 0)
        for arguments in (("list",), ("run", "playground", "--samples", 2)):
            self.run_program(*arguments, code=0)
        # Without a file, the name opens the lesson in the window, which needs a display.
        name = "playground"
        for arguments in ((name,), (name, "--step", 2), (name, "--ui-map", "map.json"), ("--theme", "light", name), ("--step=1", name, "--lang", "en")):
            result = self.run_program(*arguments, DISPLAY="", WAYLAND_DISPLAY="", code=2)
            self.assertIn("display", result.stderr)

    def test_file_errors_are_exit_code_5(self):
        self.assertEqual(self.run_program("playground", "gone.playground").returncode, 5)
        (self.folder / "binary.playground").write_bytes(b"\0" * 100)
        self.assertEqual(self.run_program("playground", "binary.playground").returncode, 5)
        self.play(PRODUCT.replace('"p.npy"', '"gone/p.npy"'), code=5)
        (self.folder / "p.npy").mkdir()
        self.assertIn('mine.playground:8: error: "p.npy" in', self.play(PRODUCT, code=2).stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
