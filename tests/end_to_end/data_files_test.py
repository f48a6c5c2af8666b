"""A data file that can be read in several ways raises a question, and the report says what was read."""

import json
import struct
import unittest
import zlib

from program import FULL, Case, WindowCase

THIN = "\u2009"


def encode_wav(samples, channels=1, bits=16, is_float=False):
    """A WAV file of these samples, with the channels interleaved."""
    if is_float:
        data = struct.pack(f"<{len(samples)}f", *samples)
        bits = 32
    else:
        data = b"".join(sample.to_bytes(bits // 8, "little", signed=True) for sample in samples)
    frame = channels * bits // 8
    header = struct.pack("<HHIIHH", 3 if is_float else 1, channels, 48000, 48000 * frame, frame, bits)
    body = b"WAVEfmt " + struct.pack("<I", len(header)) + header + b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(body)) + body


def encode_png(width, rows, depth=8, color=0, extra=()):
    """A PNG of these rows of bytes; `extra` holds chunks before the image data."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), depth, color, 0, 0, 0))
    extra = b"".join(chunk(kind, data) for kind, data in extra)
    picture = chunk(b"IDAT", zlib.compress(b"".join(b"\0" + bytes(row) for row in rows)))
    return b"\x89PNG\r\n\x1a\n" + head + extra + picture + chunk(b"IEND", b"")


class DataFileCase(Case):
    def run_with_input(self, lesson, name, *flags):
        """The report, the verdict line and stderr of a correct run."""
        arguments = ("run", lesson, "--input", name, "--samples", 1, *flags)
        result = self.run_program(*arguments, "--json", code=0)
        text = self.run_program(*arguments, code=0)
        rows = [line for line in text.stdout.splitlines() if "✓" in line]
        self.assertEqual(len(rows), 1, text.stdout)
        return json.loads(result.stdout), rows[0], text.stderr

    def assert_refused(self, code, lesson, name, *flags, parts=()):
        result = self.run_program("run", lesson, "--input", name, "--samples", 1, *flags, code=code)
        self.assertEqual(result.stdout, "")
        for part in parts:
            self.assertIn(part, result.stderr)
        return result.stderr

    def load_input(self, lesson, name, *flags):
        """The array that the lesson read from the file."""
        import numpy

        self.run_program("run", lesson, "--input", name, "--samples", 1, "--save-input", "in.npy", *flags, code=0)
        return numpy.load(self.folder / "in.npy")

    def remark_texts(self, report):
        return [remark["text"] for remark in report["remarks"]]


class TextFiles(DataFileCase):
    def test_verdict_line_names_the_column_and_rows(self):
        self.write("numbers.csv", "value\n" + "7\n" * 1204)
        report, row, _ = self.run_with_input("reduction", "numbers.csv")
        self.assertIn("✓ equal", row)
        self.assertTrue(row.endswith(f" · column `value`, 1{THIN}204 rows"), row)
        self.assertEqual(report["input"]["taken"], f"column `value`, 1{THIN}204 rows")
        self.assertEqual(report["result"]["total"], 7 * 1204)
        self.assertIsNone(self.run_json("run", "reduction", "--samples", 1)["input"])

    def test_single_row_is_read_as_numbers(self):
        for name, text in (("row.csv", "1,2,3,4,5\n"), ("row.txt", "1 2 3 4 5\n"), ("tabs.csv", "1\t2\t3\t4\t5"),
                           ("decimal.csv", "1,0;2,0;3;4;5")):
            report, row, _ = self.run_with_input("reduction", self.write(name, text))
            self.assertEqual((report["parameters"]["elements"], report["result"]["total"]), (5, 15), name)
            self.assert_mentions(row, 5, "numbers")

    def test_several_columns_need_a_choice(self):
        self.write("matrix.csv", "a,name,b\n1.5,x,2\n4.5,y,5\n")
        for lesson in ("reduction", "softmax", "matmul", "histogram"):
            self.assert_refused(5, lesson, "matrix.csv",
                                parts=["matrix.csv", "2", "columns", "--column", "NAME", "--column all: 1 `a`, 3 `b`."])
        f32 = ("--element-type", "f32")
        for flag, total, source in (("a", 6, "column `a`, 2 rows"), ("b", 7, "column `b`, 2 rows"), ("3", 7, "column `b`, 2 rows"),
                                    ("all", 13, "2 of 3 columns, 2 rows")):
            report, row, _ = self.run_with_input("reduction", "matrix.csv", *f32, "--column", flag)
            self.assertEqual(report["result"]["total"], total, flag)
            self.assertIn(source, row)
        self.assert_mentions(self.remark_texts(report), "matrix.csv", 1, 2, "name")
        self.assert_refused(5, "reduction", "matrix.csv", *f32, "--column", "c", parts=["no column `c`", "1 `a`, 3 `b`"])
        self.assert_refused(5, "reduction", "matrix.csv", *f32, "--column", "name", parts=["line 2, column 2", "x", "number"])

    def test_all_columns_are_a_matrix(self):
        self.write("matrix.csv", "1.5,2.5,3.5\n4.5,5.5,6.5\n")
        self.assertEqual(self.load_input("softmax", "matrix.csv", "--column", "all").tolist(), [[1.5, 2.5, 3.5], [4.5, 5.5, 6.5]])
        self.assertEqual(self.load_input("softmax", "matrix.csv", "--column", "2").flatten().tolist(), [2.5, 5.5])

    def test_ambiguous_heading_needs_the_header_option(self):
        self.write("pandas.csv", ",0,1\n0,5,6\n1,7,8\n")
        self.assert_refused(5, "reduction", "pandas.csv", parts=["1", "empty", "--header yes or --header no"])
        self.assert_refused(5, "reduction", "pandas.csv", "--header", "yes", parts=["3", "columns", ": 1, 2 `0`, 3 `1`."])
        report, row, _ = self.run_with_input("reduction", "pandas.csv", "--header", "yes", "--column", "1")
        self.assertEqual(report["result"]["total"], 14)
        self.assertIn("column `1`, 2 rows", row)
        report, row, _ = self.run_with_input("reduction", "pandas.csv", "--header", "no", "--column", "3")
        self.assertEqual(report["result"]["total"], 15)
        self.assertIn("column 3, 3 rows", row)
        self.assertEqual(self.run_with_input("reduction", self.write("z.csv", "0\n5\n6\n"), "--header", "yes")[0]["result"]["total"], 11)
        self.assert_refused(2, "reduction", "pandas.csv", "--header", "maybe", parts=["--header"])

    def test_white_space_tabs_semicolons_and_decimal_commas(self):
        texts = {"spaces.txt": "1 2 3\n4 5 6.5\n", "aligned.txt": "   1   2    3\n   4   5  6.5\n", "tabs.txt": "1\t2\t3\n4\t5\t6.5\n",
                 "semicolons.csv": "1;2;3\n4;5;6,5\n", "savetxt.txt": "1.00e+00 2.00e+00 3.00e+00\n4.00e+00 5.00e+00 6.50e+00\n"}
        for name, text in texts.items():
            report, row, stderr = self.run_with_input("reduction", self.write(name, text), "--column", "all", "--element-type", "f32")
            self.assertEqual((report["parameters"]["elements"], report["result"]["total"]), (6, 21.5), name)
            self.assertIn("all 3 columns, 2 rows", row)
        report, _, stderr = self.run_with_input("reduction", "semicolons.csv", "--column", "3", "--element-type", "f32")
        self.assertEqual(report["result"]["total"], 9.5)
        sentence = 'semicolons.csv: Commas were read as decimal commas: "6,5" is 6.5.'
        self.assertIn(sentence, self.remark_texts(report))
        self.assertIn(sentence, stderr)

    def test_numbers_in_other_forms_are_refused_with_line_column_and_advice(self):
        for cell, advice in (("1.234,56", "1234.5"), ("(5)", "brackets"), ("5%", "without the sign"), ("0x10", "decimal digits"),
                             ("$5", "currency"), ("1e400", "Replace it"), ("1'000", "thousands"), ("5 %", "without the sign")):
            for i, text in enumerate((f"{cell}\n7\n", f"value\n{cell}\n", f"value\n7\n{cell}\n", f"7;{cell}\n")):
                message = self.assert_refused(5, "reduction", self.write("a.csv", text), "--element-type", "f32")
                self.assertIn(f"line {(1, 2, 3, 1)[i]}, column {(1, 1, 1, 2)[i]}", message)
                self.assertIn(cell, message)
                if (cell, i) != ("1.234,56", 3):
                    self.assertIn(advice, message)
        self.assert_refused(5, "reduction", self.write("a.csv", "1,5\n2,25\n"), parts=["1,5", "1.5"])

    def test_whole_number_rounded_to_f32_is_reported(self):
        report, _, stderr = self.run_with_input("histogram", self.write("a.csv", "x\n1\n16777217\n0.1\n"))
        sentence = "a.csv: 1 whole number was rounded to f32. Row 2: 16777217 became 16777216."
        self.assertIn(sentence, self.remark_texts(report))
        self.assertIn(sentence, stderr)

    def test_inspect_has_the_same_options(self):
        self.write("matrix.csv", "a,b\n1,2\n3,4\n")
        result = self.run_program("inspect", "reduction", "--input", "matrix.csv", code=5)
        self.assertIn("--column", result.stderr)
        result = self.run_program("inspect", "reduction", "--input", "matrix.csv", "--column", "b", "--json")
        self.assertEqual(json.loads(result.stdout)["input"]["taken"], "column `b`, 2 rows", result.stderr)

    def test_options_that_do_not_apply_are_refused(self):
        self.write("a.csv", "1\n2\n")
        self.assert_refused(2, "zero_suppression", "a.csv", "--channel", 1, "--wav-scale", "counts",
                            parts=["--channel applies to .wav", "--wav-scale applies to .wav"])
        result = self.run_program("run", "reduction", "--column", "1", code=2)
        self.assertIn("--input", result.stderr)


class NpyFiles(DataFileCase):
    def save(self, numbers, dtype, name="a.npy"):
        import numpy

        numpy.save(self.folder / name, numpy.array(numbers).astype(dtype))
        return name

    def test_types_whose_numbers_fit_are_converted_with_a_remark(self):
        for lesson, dtypes, target in (
            (
                "histogram", ("u1", "i1", "<u2", ">u2", "<i2", ">i2", "<i4", "<u4", ">i8", "<i8", "<u8", "<f2", ">f2", ">f4",
                              "<f8", ">f8"), "f32"),
            ("zero_suppression", ("u1", "<u2", ">u2", ">i2", "<i8", "<f2", "<f4", ">f8"), "i16"),
            ("reduction", ("u1", "<u2", "<i2", ">u4", "<i8", "<u8", "<f2", "<f8"), "u32")):
            # The tests of the readers cover all types.
            for dtype in dtypes if FULL else dtypes[::4]:
                with self.subTest(f"{lesson} {dtype}"):
                    name = self.save([1, 2, 100], dtype)
                    stored = {"u": "u", "i": "i", "f": "f"}[dtype[-2]] + str(8 * int(dtype[-1]))
                    report, row, stderr = self.run_with_input(lesson, name)
                    conversions = [text for text in self.remark_texts(report) if text.startswith("a.npy: Its numbers were ")]
                    big = "big-endian " if dtype[0] == ">" else ""
                    self.assertEqual(len(conversions), 1, report["remarks"])
                    self.assertIn(f" from {big}{stored} to ", conversions[0])
                    self.assertTrue(conversions[0].endswith(f" to {target}."), conversions)
                    self.assertIn(conversions[0], stderr)
                    self.assertIn("3 numbers", row)
                    self.assertEqual(self.load_input(lesson, name).tolist(), [1, 2, 100])
        report, _, _ = self.run_with_input("histogram", self.save([True, False, True], "?"))
        self.assert_mentions(self.remark_texts(report), "a.npy", "converted")
        report, _, _ = self.run_with_input("histogram", self.save([1.5], "<f4"))
        self.assertNotIn("Its numbers", str(report["remarks"]))

    def test_first_number_that_does_not_fit_is_named_with_advice(self):
        for lesson, numbers, dtype, parts in (
                ("histogram", [1, 16777217, 16777219], "<i8", ["Row 2", "16777217", "astype"]),
                ("histogram", [1, (1 << 32) - 1], ">u4", ["Row 2", "4294967295", "its nearest is 4294967296"]),
                ("zero_suppression", [1, 40000, 50000], "<u2", ["Row 2", "40000", "32767", "Scale"]),
                ("zero_suppression", [1, 2.5], "<f2", ["Row 2", "2.5", "round"]),
                ("zero_suppression", [1, float("nan")], "<f2", ["Row 2", "nan", "Remove or replace"]),
                ("reduction", [1, -5], ">i2", ["Row 2", "-5", "element_type = f32"]),
                ("reduction", [1, 1 << 33], "<i8", ["Row 2", "8589934592", "element_type = f32"]),
                ("reduction", [1, 1 << 63], "<u8", ["Row 2", " 9223372036854775808 ", "element_type = f32"]),
                ("reduction", [1, (1 << 64) - 2048], "<u8", ["Row 2", " 18446744073709549568 ", "Scale"]),
                ("histogram", [1, (1 << 63) + 2048], "<u8", [" 9223372036854777856 ", "nearest is 9223372036854775808."]),
                ("reduction", [1, (1 << 33) + 1], "<i8", ["Row 2", "8589934593", "Scale"])):
            with self.subTest(f"{lesson} {dtype} {numbers}"):
                self.assertNotIn("were converted", self.assert_refused(2, lesson, self.save(numbers, dtype), parts=parts))
        self.assert_refused(5, "histogram", self.save([1, (1 << 53) + 1], "<i8"), parts=["element 1 is 9007199254740993", "Scale"])
        self.assert_refused(5, "histogram", self.save([1j], "<c8"), parts=["<c8", "array.real"])


class WavFiles(DataFileCase):
    def load_samples(self, name, *flags):
        return self.load_input("zero_suppression", name, "--rule", "magnitude", *flags).tolist()

    def test_floats_within_one_are_scaled(self):
        self.write("a.wav", encode_wav([0, 0.5, -0.5, 1, -1], is_float=True))
        self.assertEqual(self.load_samples("a.wav"), [0, 16384, -16384, 32767, -32768])
        report, row, _ = self.run_with_input("zero_suppression", "a.wav")
        self.assertIn("5 samples", row)
        self.assert_mentions(self.remark_texts(report), "a.wav", 32, 32768, 16)


class PngFiles(DataFileCase):
    def test_conversion_of_bits_palette_and_transparency_is_reported(self):
        bits, palette, luma, alpha = "16", "palette", "BT.709", "transparent"
        for picture, levels, expected in (
                (encode_png(2, [[7, 200]]), [7, 200], []),
                (encode_png(2, [[0x12, 0xF0, 0xFF, 0xFF]], depth=16), [19, 255], [bits]),
                (encode_png(2, [[0, 128, 100, 255]], color=4), [127, 100], [alpha]),
                (encode_png(2, [[1, 0]], color=3, extra=[(b"PLTE", bytes([0, 0, 0, 255, 0, 0]))]), [54, 0], [palette, luma]),
                (encode_png(2, [[1, 0]], color=3, extra=[(b"PLTE", bytes([0, 0, 0, 255, 0, 0])), (b"tRNS", bytes([0, 255]))]), [54, 255],
                 [palette, luma, alpha]),
                (encode_png(1, [[255, 255, 0, 0, 0, 0, 255, 255]], depth=16, color=6), [54], [bits, luma, alpha])):
            self.write("a.png", picture)
            report, row, stderr = self.run_with_input("hidden_layer", "a.png")
            remarks = [text for text in self.remark_texts(report) if text.startswith("a.png: ")]
            self.assertEqual(len(remarks), len(expected), remarks)
            for remark, part in zip(remarks, expected):
                self.assert_mentions(remark, part)
                self.assertIn(remark.removeprefix("a.png: "), stderr)
            self.assertIn(f"{len(levels)} x 1 pixels", row)
            self.assertEqual(self.load_input("histogram", "a.png").flatten().tolist(), levels)


class PlaygroundFiles(DataFileCase):
    def run_playground(self, file, code=None):
        self.write("p.playground", f'gridstride playground 1\nmodel m\ntensor x 2 fill file "{file}"\ny = x * 2\nexpect y = x + x within 1e-6\n')
        return self.run_program("playground", "p.playground", "--samples", 1, "--json", code=code)

    def test_files_of_a_program_have_remarks_and_must_be_unambiguous(self):
        import numpy

        numpy.save(self.folder / "a.npy", numpy.array([1, 2], dtype=">u2"))
        self.assert_mentions(json.loads(self.run_playground("a.npy", 0).stdout)["notes"], "a.npy", "converted")
        self.write("a.csv", "day,x\nmon,1\ntue,2\n")
        self.assert_mentions(json.loads(self.run_playground("a.csv").stdout)["notes"], "a.csv", 1, 1, "day")
        self.assert_mentions(self.run_playground(self.write("p.csv", ",0\n0,5\n"), 2).stderr, 1, "empty")
        self.assertIn("2 channels", self.run_playground(self.write("s.wav", encode_wav([1, 100, 2, 200], channels=2)), 2).stderr)


class Window(WindowCase):
    def assert_lesson_plays(self, steps, lesson):
        self.assert_plays([*self.at_the_bench(), *steps], lesson, "--step", "2")

    def test_window_asks_for_the_column(self):
        self.write("m.csv", "a,name,b\n1,x,2\n4,y,5\n")
        question = {"expect": {"widgets": {"reading.what": "~2 columns",
                                        "reading.row.0": "a | name | b", "reading.row.2": "4 | y | 5",
                                        "reading.answer.0": "All of them, row by row", "reading.answer.2": "3: b"}}}
        drop = {"drop": str(self.folder / "m.csv")}
        self.assert_lesson_plays([
            drop, "wait idle", question, "click reading.answer.2; wait idle",
            {
                "expect": {
                    "status": "ok", "values": {"elements": "2"}, "result": {"total": 7},
                    "widgets": {"result.verdict": "~column `b`, 2 rows"}}},
            # Cancelling changes nothing. Opening the file in the dialog shows the same question.
            drop, "wait idle", question, "click reading.cancel", {"expect": {"values": {"elements": "2"}}}, "click bench.input",
            f"set open.path {self.folder / 'm.csv'}; click open.use; wait idle", question, "click reading.answer.0; wait idle",
            {"expect": {"values": {"elements": "4"}, "result": {"total": 12}}}, "click bench.run; wait idle; expect status ok",
        ], "reduction")

    def test_question_can_be_answered_by_keyboard_alone(self):
        self.write("m.csv", "a,b\n1,2\n3,4\n")
        drop = {"drop": str(self.folder / "m.csv")}
        uses_first_column = {"expect": {"status": "ok", "widgets": {"result.verdict": "~column `a`, 2 rows"}}}
        self.assert_lesson_plays([drop, "wait idle; key Tab; key Tab; key Enter; wait idle", uses_first_column,
                                  drop, "wait idle; key Escape; click bench.run; wait idle", uses_first_column], "reduction")

    def test_window_asks_for_the_heading_then_the_column(self):
        self.write("p.csv", ",0,1\n0,5,6\n1,7,8\n")
        self.assert_lesson_plays([
            f"drop {self.folder / 'p.csv'}; wait idle; see reading.what ~line 1",
            "see reading.answer.0 The first line names the columns; click reading.answer.0; wait idle",
            "see reading.what ~3 columns of numbers; see reading.answer.2 3: 1; click reading.answer.2; wait idle",
            {"expect": {"status": "ok", "result": {"total": 14}, "widgets": {"result.verdict": "~column `1`, 2 rows"}}}],
            "reduction")

    def test_window_asks_for_channel_and_scale(self):
        self.write("s.wav", encode_wav([0, 5, 0.5, 20, 0, 30], channels=2, is_float=True))
        self.assert_lesson_plays([
            f"drop {self.folder / 's.wav'}; wait idle; see reading.what ~it has 2 channels; see reading.answer.1 Channel 2",
            "click reading.answer.1; wait idle; see reading.what ~sample 1 is 5; see reading.answer.0 ~as counts",
            "click reading.answer.0; wait idle",
            {"expect": {"status": "ok", "widgets": {"result.verdict": "~channel 2 of 2, 3 samples as stored"}}}],
            "zero_suppression")


if __name__ == "__main__":
    unittest.main()
