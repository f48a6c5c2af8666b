"""The command line as its users and their scripts see it: exit codes, messages, JSON, CSV, files."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from program import CSV_COLUMNS, FULL, GRIDSTRIDE, PATIENCE, Case, lab_of, rows_in, sanitized, wait_until_busy

PARTIAL_SUMS = [8256, 24640, 41024, 57408, 73792, 90176, 106560, 122944]


@sanitized
class Refusals(Case):
    def refused(self, code, *arguments, says=(), **environment):
        result = self.run_program(*arguments, **environment, code=code)
        self.assertEqual(result.stdout, "", "results alone go to stdout")
        self.assertEqual(result.stderr.count("\n"), 1, "one clear message: " + result.stderr)
        for words in says:
            self.assertIn(words, result.stderr)

    def test_values_out_of_range_name_the_limit(self):
        run = ("run", "reduction")
        self.refused(2, *run, "--workgroup-size", 0, says=["workgroup_size = 0", " 1 "])
        self.refused(2, *run, "--workgroup-size", 1025, says=["1025", "1024", "maxComputeWorkGroupInvocations"])
        self.refused(2, *run, "--workgroup-size", "abc", says=["abc", "whole number"])
        self.refused(2, *run, "--elements", 0, says=["elements = 0"])
        self.refused(2, *run, "--elements", 10**12, says=["1000000000000", "1073741824"])
        self.refused(2, *run, "--workgroup-count", 2**33, says=["workgroup_count = 8589934592", " 1 "])
        self.refused(2, *run, "--elements", 2**30, "--workgroup-size", 1025, says=["1025"])

    def test_all_refusals_come_at_once(self):
        self.refused(2, "run", "reduction", "--workgroup-size", 0, "--elements", "x", "--seed", -1,
                     says=["workgroup_size = 0", "elements = x", "seed = -1"])

    def test_unknown_words_are_named(self):
        self.refused(2, "run", "alchemy", says=["alchemy", "reduction"])
        self.refused(2, "alchemy", says=["alchemy", "reduction"])
        self.refused(2, "run", "reduction", "--variant", "magic", says=["magic", "tree_sequential"])
        self.refused(2, "run", "reduction", "--flavour", "sweet", says=["--flavour", "--help"])
        self.refused(2, "run", says=["--help"])

    def test_files_that_cannot_be_used(self):
        self.refused(5, "run", "reduction", "--csv", "/nonexistent/out.csv", says=["/nonexistent/out.csv"])
        self.refused(5, "run", "reduction", "--csv", self.folder, says=["folder"])
        self.refused(5, "run", "reduction", "--input", "missing.csv", says=["missing.csv"])
        self.write("words.csv", "1\n2\nthree\n")
        self.refused(5, "run", "reduction", "--input", "words.csv", says=["three", "line 3"])
        self.write("empty.csv", "")
        self.refused(5, "run", "reduction", "--input", "empty.csv", says=["empty.csv"])
        self.write("song.mp3", "la")
        self.refused(2, "run", "reduction", "--input", "song.mp3", says=["song.mp3", ".csv"])

    def test_a_name_that_would_mislead_is_refused(self):
        self.refused(2, "run", "reduction", "--csv", "--json", says=["--csv", "needs", "--json"])
        self.refused(2, "sweep", "reduction", "--csv=--json", says=["--csv", "needs"])
        self.refused(2, "screenshot", "reduction", "--output", "x.jpg", says=["x.jpg", ".png"])
        self.assertEqual([p for p in self.folder.iterdir() if p.is_file()], [])

    def test_a_file_without_a_name_is_refused(self):
        for command in (("run", "reduction", "--csv"), ("sweep", "reduction", "--csv"), ("run", "reduction", "--save-input"),
                        ("run", "reduction", "--save-output"), ("run", "reduction", "--kernel"), ("run", "reduction", "--input"),
                        ("screenshot", "reduction", "--output"), ("screenshot", "reduction", "--output", "x.png", "--ui-script")):
            with self.subTest(command):
                self.refused(2, *command, "", says=[str(command[-1]), "needs", f"leave {command[-1]} out"])
        self.refused(2, "compare", "", "b.csv", says=["needs"])
        self.refused(2, "compare", "a.csv", "", says=["needs"])
        self.assertEqual([p for p in self.folder.iterdir() if p.is_file()], [])

    def test_a_language_that_no_lesson_is_told_in_is_refused(self):
        for language in ("fr", "de", "", "EN"):
            for command in (("reduction",), ("screenshot", "reduction", "--output", "x.png")):
                with self.subTest(language, command=command):
                    self.refused(2, *command, "--lang", language, says=["--lang", str(language), "Give en."])
        self.assertFalse((self.folder / "x.png").exists())

    def test_the_lesson_is_not_looked_for_in_the_values_of_flags(self):
        for flag in ("--csv", "--variant", "--device"):
            with self.subTest(flag):
                result = self.run_program("run", flag, "reduction", "histogram", "--help")
                self.assertIn("Parameters of histogram", result.stdout)
        result = self.run_program("run", "--json", "reduction", "--csv", "histogram", "--help")
        self.assertIn("Parameters of reduction", result.stdout)

    def test_a_number_is_quoted_as_it_was_typed(self):
        run = ("run", "reduction")
        self.refused(2, *run, "--elements", -5, says=["elements = -5 ", "1073741824"])
        self.refused(2, *run, "--elements", 10**22, says=[f"elements = {10**22} ", "1073741824"])
        self.refused(2, *run, "--elements", "1e6", says=["1e6", "plain digits"])
        for step in (-1, 0, 10**22, "2x"):
            self.refused(2, "screenshot", "reduction", "--output", "x.png", "--step", step, says=[f'"{step}"', "from 1 to 17"])
        self.refused(2, *run, "--step", -1, says=["--step", "not a known option"])

    def test_no_device(self):
        self.refused(3, "run", "reduction", says=["Install"], VK_ICD_FILENAMES="/nonexistent.json")
        self.refused(3, "run", "reduction", "--device", "no such GPU", says=["no such GPU"])

    def test_no_display(self):
        self.refused(2, says=["display"])
        self.refused(2, says=["display"], DISPLAY=":9999")

    def test_nothing_half_written_is_left(self):
        self.run_program("run", "reduction", "--csv", "out.csv", "--workgroup-size", 1025, code=2)
        self.assertEqual([p for p in self.folder.iterdir() if p.is_file()], [])


class Run(Case):
    def test_the_documented_sums(self):
        result = self.run_program("run", "reduction", "--json", code=0)
        report = json.loads(result.stdout)
        self.assertEqual(report["status"], "ok")
        self.assertEqual(report["result"]["total"], 524800)
        self.assertEqual(report["result"]["partial_sums"], PARTIAL_SUMS)
        self.assertEqual(report["launch"]["workgroup_count"], 8)
        for part in ("upload_ns", "kernel_ns", "download_ns", "wall_ns", "cpu_ns"):
            timing = report["timings"][part]
            self.assertLessEqual(timing["p5"], timing["median"])
            self.assertLessEqual(timing["median"], timing["p95"])
            samples = len(report["timings"]["kernel_ns"]["samples"])
            if part == "cpu_ns":  # fewer where they take too long
                self.assertIn(len(timing["samples"]), range(1, samples + 1))
            else:
                self.assertEqual(len(timing["samples"]), samples)

    def test_all_variants_and_their_rows(self):
        self.run_program("run", "reduction", "--variant", "all", "--samples", 3, "--csv", "out.csv", code=0)
        text = (self.folder / "out.csv").read_bytes()
        self.assertFalse(text.startswith(b"\xef\xbb\xbf"), "no byte order mark")
        rows = rows_in(text.decode())
        self.assertEqual(list(rows[0]), CSV_COLUMNS)
        lesson = [l for l in self.json_of("list")["lessons"] if l["id"] == "reduction"][0]
        variants = [v["id"] for v in lesson["variants"]]
        self.assertEqual([row["variant"] for row in rows], [v for v in variants for _ in range(3)])
        for row in rows:
            self.assertEqual(row["status"], "ok")
            self.assertGreater(float(row["kernel_ns"]), 0)
            self.assertGreater(float(row["wall_ns"]), float(row["upload_ns"]))

    def test_csv_goes_to_stdout_alone(self):
        result = self.run_program("run", "reduction", "--samples", 2, "--csv", "-")
        rows = rows_in(result.stdout)
        self.assertEqual(len(rows), 2)
        self.assertEqual(list(rows[0]), CSV_COLUMNS)

    def test_numbers_of_the_users_own(self):
        numbers = [(i * 7919) % 1000 for i in range(100_000)]
        self.write("numbers.csv", "value\n" + "\n".join(map(str, numbers)) + "\n")
        for element_type in ("u32", "f32"):
            result = self.run_program("run", "reduction", "--variant", "all", "--samples", 1, "--json", "--input",
                                      "numbers.csv", "--element-type", element_type, code=0)
            for report in json.loads(result.stdout):
                self.assertEqual(report["parameters"]["elements"], 100_000)
                self.assertAlmostEqual(report["result"]["total"] / sum(numbers), 1, places=0 if element_type == "f32" else 12)

    def test_an_input_of_ones_own_is_named_and_told_apart(self):
        import numpy

        numbers = numpy.linspace(0, 10, 1024, dtype="f4")
        numpy.save(self.folder / "a.npy", numbers)
        self.write("b;x=1.csv", "\n".join(f"{x:.9g}" for x in numbers))
        (self.folder / "c").mkdir()
        (self.folder / "c" / "a.npy").write_bytes((self.folder / "a.npy").read_bytes()[:-4] + b"\0\0\0\0")
        run = ("run", "reduction", "--element-type", "f32", "--samples", 2)
        names = ("a.npy", "b_x_1.csv", "a.npy")
        sums = []
        for i, path in enumerate(("a.npy", "b;x=1.csv", "c/a.npy")):
            result = self.run_program(*run, "--input", path, "--csv", f"{i}.out", code=0)
            row = self.rows(f"{i}.out")[0]
            parameters = dict(one.split("=") for one in row["parameters"].split(";"))
            self.assertEqual(parameters["input"], names[i])
            sums.append(parameters["input_crc32"])
            self.assertIn(sums[i], result.stdout.splitlines()[0], "the table's head")
        self.assertEqual(sums[0], sums[1], "the same numbers as text and as .npy")
        self.assertNotEqual(sums[0], sums[2])
        self.run_program(*run, "--csv", "own.out")
        self.run_program("compare", "0.out", "1.out", code=0)
        for other in ("2.out", "own.out"):
            apart = self.run_program("compare", "0.out", other, code=2)
            self.assert_mentions(apart.stderr, "common")
        report = self.json_of(*run, "--input", "b;x=1.csv")
        self.assertEqual(report["input"], {"name": "b;x=1.csv", "crc32": sums[0], "taken": "column 1, 1\u2009024 rows"})

    def test_a_wrong_answer_is_exit_code_1(self):
        program = self.program_that_adds_wrongly()
        report = self.json_of("run", "reduction", "--samples", 3, "--csv", "out.csv", program=program, code=1)
        self.assertEqual(report["status"], "mismatch")
        self.assertEqual(report["compare"]["wrong_runs"], report["compare"]["judged_runs"])
        self.assert_mentions(report["message"], "partial_sums[0]", 32896, 8256)
        rows = self.rows("out.csv")
        self.assertEqual([row["status"] for row in rows], ["mismatch"] * 3)
        result = self.run_program("run", "reduction", "--samples", 1, "--variant", "all", program=program, code=1)
        self.assertEqual(result.stdout.count("✗ wrong"), 1, result.stdout)

    def test_an_answer_that_is_wrong_on_purpose_is_no_failure(self):
        for lesson, *arguments in (("histogram", "--variant", "race"), ("hidden_layer", "--formula", "as_written", "--gain", 1000)):
            with self.subTest(lesson):
                run = ("run", lesson, *arguments, "--elements", 100_000, "--samples", 3)
                report = self.json_of(*run, "--csv", "out.csv")
                self.assertEqual(report["status"], "wrong_on_purpose")
                self.assertGreater(report["compare"]["wrong_runs"], 0)
                self.assert_mentions(report["message"], "differ")
                rows = self.rows("out.csv")
                self.assertEqual([row["status"] for row in rows], ["wrong_on_purpose"] * 3)
                self.assertIn("! on purpose", self.run_program(*run).stdout)

    def test_a_missing_barrier_is_no_failure_and_may_be_right_by_luck(self):
        report = self.json_of("run", "reduction", "--elements", 65536, "--workgroup-size", 256, "--barriers", "one_missing")
        self.assertEqual(report["status"], "wrong_on_purpose" if report["compare"]["wrong_runs"] > 0 else "ok")

    def test_input_and_output_are_the_same_sums_elsewhere(self):
        import numpy

        for element_type, tolerance in (("u32", 0), ("f32", 1e-5)):
            self.run_program("run", "reduction", "--elements", 100_003, "--element-type", element_type, "--save-input",
                             "in.npy", "--save-output", "out.npy", "--samples", 1, "--json", code=0)
            numbers = numpy.load(self.folder / "in.npy")
            sums = numpy.load(self.folder / "out.npy")
            self.assertEqual(str(numbers.dtype), {"u32": "uint32", "f32": "float32"}[element_type])
            self.assertEqual(len(numbers), 100_003)
            padded = numpy.zeros(len(sums) * 128, numbers.dtype)
            padded[: len(numbers)] = numbers
            expected = padded.reshape(-1, 128).astype("u8" if element_type == "u32" else "f8").sum(axis=1)
            if element_type == "u32":
                expected %= 2**32
            numpy.testing.assert_allclose(sums, expected, rtol=tolerance)

    def test_a_matrix_is_saved_as_one(self):
        import numpy

        numbers = numpy.arange(12, dtype="f4")
        for shape in ((12,), (3, 4), (1, 12), (12, 1)):
            numpy.save(self.folder / "own.npy", numbers.reshape(shape))
            self.run_program("run", "histogram", "--input", "own.npy", "--save-input", "in.npy", "--samples", 1, code=0)
            numpy.testing.assert_array_equal(numpy.load(self.folder / "in.npy"), numbers.reshape(shape), strict=True)
        # Grey levels and weights of a lesson over one dimension are two rows, whatever shape the levels had.
        self.run_program("run", "hidden_layer", "--input", "own.npy", "--save-input", "in.npy", "--samples", 1, code=0)
        saved = numpy.load(self.folder / "in.npy")
        self.assertEqual(saved.shape, (2, 12))
        numpy.testing.assert_array_equal(saved[0], numbers)

    def test_the_same_seed_gives_the_same_bytes(self):
        def input_bytes(seed):
            self.run_program("run", "reduction", "--element-type", "f32", "--elements", 5000, "--seed", seed, "--samples", 1,
                             "--save-input", "in.npy")
            return (self.folder / "in.npy").read_bytes()

        self.assertEqual(input_bytes(3), input_bytes(3))
        self.assertNotEqual(input_bytes(3), input_bytes(4))

    def test_a_point_is_the_decimal_sign_in_every_locale(self):
        result = self.run_program("run", "reduction", "--samples", 1, "--csv", "-", LC_ALL="de_DE.UTF-8")
        row = rows_in(result.stdout)[0]
        self.assertGreater(float(row["kernel_ns"]), 0)

    def test_ctrl_c_keeps_the_rows_so_far(self):
        # The ceilings are measured once a machine, and before the first sample.
        self.run_program("run", "reduction", "--samples", 1)
        for seconds in (3, 9, 27):  # of the lab's work: more than it takes to the first sample, on one machine or the other
            process = self.start("run", "reduction", "--elements", 100_000, "--samples", 100_000, "--deadline", 4 * PATIENCE,
                                 "--csv", "out.csv")
            wait_until_busy(lab_of(process), seconds)
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
            process.send_signal(signal.SIGINT)  # a finger that slips, or a shell that passes it on once more
            process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 4)
            rows = self.rows("out.csv")
            self.assertGreater(len(rows), 0)
            self.assertEqual({row["status"] for row in rows}, {"stopped"})
            self.assert_mentions(rows[0]["message"], "stopped")
            if rows[0]["kernel_ns"]:
                break
        self.assertGreater(float(rows[0]["kernel_ns"]), 0)


@sanitized
class FilesOfPeople(Case):
    """What people and their programs bring, odd on purpose."""

    KERNEL = """#version 450
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
{include}
layout(std430, binding = 1) writeonly buffer Densities {{ float densities[]; }};
void main() {{
    for (uint i = gl_GlobalInvocationID.x; i < launch.count; i += launch.workgroup_count * gl_WorkGroupSize.x)
        densities[i] = {density};
}}
"""

    def kernel(self, name, density="0.0", include="", mark=""):
        self.write(name, mark + self.KERNEL.format(density=density, include=include))
        return name

    def gaussian(self, *arguments):
        return self.run_program("run", "gaussian", "--variant", "per_element", "--elements", 1000, "--samples", 1,
                                *arguments)

    def test_the_kernel_of_a_variant_is_printed(self):
        shipped = pathlib.Path(__file__).resolve().parents[2] / "shaders/reduction/subgroup.comp"
        printed = self.run_program("run", "reduction", "--variant", "subgroup", "--print-kernel")
        self.assertEqual((printed.returncode, printed.stdout), (0, shipped.read_text()))
        # One that is made for its plan can be run as it is printed.
        made = self.run_program("run", "tensor_graph", "--variant", "fused", "--print-kernel")
        self.assertIn("void main()", made.stdout)
        refused = self.run_program("run", "reduction", "--variant", "all", "--print-kernel", code=2)
        self.assert_mentions(refused.stderr, "variant")

    def test_kernels_of_any_name_and_with_a_byte_order_mark(self):
        for name, mark in (('it"s.comp', ""), ("marked.comp", "\ufeff")):
            result = self.gaussian("--kernel", self.kernel(name, mark=mark), "--json")
            self.assertEqual(result.returncode, 1, result.stderr)  # it runs, and is wrong
            self.assertEqual(json.loads(result.stdout)["kernel"], name)
            result = self.gaussian("--kernel", self.kernel(name, "oops", mark=mark))
            self.assertIn(f"{name}:8: error: 'oops'", result.stderr)

    def test_a_result_of_no_numbers_has_no_peak(self):
        self.kernel("nan.comp", "uintBitsToFloat(0x7fc00000u)")
        result = self.gaussian("--kernel", "nan.comp", "--json")
        report = json.loads(result.stdout)
        self.assertEqual(report["result"], {"peak": None, "integral": None})
        self.assertIsNone(report["compare"]["max_abs_error"])
        self.assert_mentions(report["message"], "densities[0]", "NaN", 0)
        self.assertIn("Highest density: NaN", self.gaussian("--kernel", "nan.comp").stdout)

    def test_no_message_is_a_formula(self):
        (self.folder / "=HYPERLINK(1).glsl").write_text("float broken = nothing;\n")
        self.kernel("mine.comp", include='#include "=HYPERLINK(1).glsl"')
        self.gaussian("--kernel", "mine.comp", "--csv", "out.csv")
        row = self.rows("out.csv")[0]
        self.assertIn("'nothing'", row["message"])
        self.assertTrue(row["message"].startswith("'=HYPERLINK(1).glsl, line 1"), row["message"])

    def test_nan_is_nan_in_every_file(self):
        import numpy

        numbers = [0.5, float("nan"), float("inf"), 1.5]
        self.write("a.csv", "\n".join(map(str, numbers)))
        numpy.save(self.folder / "a.npy", numpy.array(numbers))
        for name in ("a.csv", "a.npy"):
            result = self.run_program("run", "histogram", "--input", name, "--samples", 1, "--json")
            self.assertEqual(json.loads(result.stdout)["result"]["ignored"], 2, result.stderr)
            result = self.run_program("run", "reduction", "--input", name, "--element-type", "f32", "--samples", 1, code=2)
            self.assertIn("Row 2: nan", result.stderr)

    def test_ceilings_that_are_no_file_are_ignored_in_a_sentence(self):
        cache = self.folder / "cache" / "gridstride"
        cache.mkdir(parents=True)
        os.mkfifo(cache / "ceilings.json")
        result = self.run_program("run", "reduction", "--samples", 1, XDG_CACHE_HOME=str(self.folder / "cache"), code=0)
        self.assertEqual(result.stderr.count("ceilings.json"), 1, result.stderr)
        self.assert_mentions(result.stderr, "pipe")


class Stdout(Case):
    COMMANDS = (("list",), ("devices", "--json"), ("run", "reduction", "--samples", 2),
                ("run", "reduction", "--samples", 2, "--variant", "all"),
                ("run", "reduction", "--samples", 2, "--csv", "-"), ("run", "reduction", "--samples", 2, "--json"),
                ("sweep", "reduction", "--samples", 1, "--csv", "-"), ("--version",))

    def into(self, stdout, command):
        return subprocess.run([GRIDSTRIDE, *map(str, command)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                              timeout=PATIENCE, env=self.environment, cwd=self.folder)

    def test_a_full_disk_is_said(self):
        for command in self.COMMANDS:
            with self.subTest(command=command), open("/dev/full", "w") as full:
                result = self.into(full, command)
                self.assertEqual(result.returncode, 5, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assert_mentions(result.stderr, "stdout")

    def test_a_reader_that_has_gone_is_no_complaint(self):
        for command in self.COMMANDS:
            with self.subTest(command=command):
                read_end, write_end = os.pipe()
                os.close(read_end)
                try:
                    self.assertEqual(self.into(write_end, command).stderr, "")
                finally:
                    os.close(write_end)


class Others(Case):
    def test_list(self):
        lessons = self.json_of("list")["lessons"]
        ids = [lesson["id"] for lesson in lessons]
        self.assertEqual([i for i in ids if i in ("gaussian", "hidden_layer", "reduction")], ["gaussian", "reduction", "hidden_layer"], "as the course goes")
        for lesson in lessons:
            self.assertTrue(lesson["question"].endswith("?"), lesson["id"])
            self.assertTrue(lesson["chapter"], lesson["id"])
            self.assertGreater(lesson["minutes"], 0)
            self.assertGreaterEqual(len(lesson["variants"]), 1)
            parameters = {parameter["id"] for parameter in lesson["parameters"]}
            self.assertTrue({"elements", "workgroup_size", "seed"} <= parameters or {"workgroup", "grid", "seed"} <= parameters,
                            lesson["id"])
        text = self.run_program("list").stdout
        for lesson in lessons:
            self.assertIn(f"{lesson['id']}  {lesson['title']}: {lesson['question']}\n", text)

    def test_devices(self):
        devices = self.json_of("devices")["devices"]
        self.assertGreaterEqual(len(devices), 1)
        self.assertGreater(devices[0]["max_workgroup_size"], 0)
        self.assertIn(devices[0]["name"], self.run_program("devices").stdout)

    def test_what_a_device_can_do_is_measured_again(self):
        cache = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        file = self.folder / "cache" / "gridstride" / "ceilings.json"

        def ceilings(*flags):
            return self.json_of("devices", *flags, **cache)["devices"][0]["ceilings"]

        self.assertIsNone(ceilings())
        self.assert_mentions(self.run_program("devices", **cache).stdout, "--measure", "measured")
        first = ceilings("--measure")
        self.assertGreater(first["copy_bytes_per_second"], 0)
        self.assertEqual(ceilings(), first, "it is kept")
        minute = first["measured_utc"][:16].replace("T", " ")
        self.assertIn(f"measured {minute} UTC", self.run_program("devices", **cache).stdout)
        self.assertGreater(ceilings("--measure")["measured_utc"], first["measured_utc"])
        # As on a machine that had other work then: a run that is much faster than a copy has it measured again.
        kept = json.loads(file.read_text())
        for device in kept.values():
            device["copy_bytes_per_second"] = 1e6
            device["measured_utc"] = "2020-02-02T02:02:02.000Z"
        file.write_text(json.dumps(kept))
        run = ("run", "reduction", "--variant", "grid_stride", "--elements", 2**24, "--samples", 2, "--cache", "cold", "--json")
        report = json.loads(self.run_program(*run, **cache).stdout)
        self.assertLess(report["fraction_of_copy_ceiling"], 100)
        self.assertGreater(report["ceilings"]["measured_utc"], first["measured_utc"])

    def test_help_lists_the_parameters_with_ranges(self):
        text = self.run_program("run", "reduction", "--help").stdout
        for words in ("--workgroup-size", "--element-type", "u32 or f32", "Default: 1024"):
            self.assertIn(words, text)

    def test_check_of_one_lesson(self):
        result = self.run_program("check", "reduction" if FULL else "thread_index", timeout=4 * PATIENCE, code=0)
        self.assertIn("0 wrong", result.stdout)

    def test_a_screenshot_is_a_picture_of_the_asked_size(self):
        self.run_program("screenshot", "reduction", "--output", "a.png", "--size", "1280x720", "--step", 4, code=0)
        data = (self.folder / "a.png").read_bytes()
        self.assertTrue(data.startswith(b"\x89PNG"))
        self.assertEqual((int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")), (1280, 720))
        self.assertGreater(len(data), 20_000, "not an empty picture")


if __name__ == "__main__":
    unittest.main(verbosity=2)
