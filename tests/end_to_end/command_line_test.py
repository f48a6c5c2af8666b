"""The command line as users and scripts see it: exit codes, messages, JSON, CSV and files."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from program import CSV_COLUMNS, FULL, GRIDSTRIDE, TIMEOUT, Case, parse_csv_rows, sanitized, wait_for_lab, wait_until_busy

PARTIAL_SUMS = [8256, 24640, 41024, 57408, 73792, 90176, 106560, 122944]


@sanitized
class Refusals(Case):
    def assert_refused(self, code, *arguments, parts=(), **environment):
        result = self.run_program(*arguments, **environment, code=code)
        self.assertEqual(result.stdout, "", "stdout holds results only")
        self.assertEqual(result.stderr.count("\n"), 1, "one clear message: " + result.stderr)
        for words in parts:
            self.assertIn(words, result.stderr)

    def test_values_out_of_range_name_the_limit(self):
        run = ("run", "reduction")
        self.assert_refused(2, *run, "--workgroup-size", 0, parts=["workgroup_size = 0", " 1 "])
        self.assert_refused(2, *run, "--workgroup-size", 1025, parts=["1025", "1024", "maxComputeWorkGroupInvocations"])
        self.assert_refused(2, *run, "--workgroup-size", "abc", parts=["abc", "whole number"])
        self.assert_refused(2, *run, "--elements", 0, parts=["elements = 0"])
        self.assert_refused(2, *run, "--elements", 10**12, parts=["1000000000000", "1073741824"])
        self.assert_refused(2, *run, "--workgroup-count", 2**33, parts=["workgroup_count = 8589934592", " 1 "])
        self.assert_refused(2, *run, "--elements", 2**30, "--workgroup-size", 1025, parts=["1025"])

    def test_all_refusals_are_reported_together(self):
        self.assert_refused(2, "run", "reduction", "--workgroup-size", 0, "--elements", "x", "--seed", -1,
                            parts=["workgroup_size = 0", "elements = x", "seed = -1"])

    def test_unknown_words_are_quoted_with_alternatives(self):
        self.assert_refused(2, "run", "alchemy", parts=["alchemy", "reduction"])
        self.assert_refused(2, "alchemy", parts=["alchemy", "reduction"])
        self.assert_refused(2, "run", "reduction", "--variant", "magic", parts=["magic", "tree_sequential"])
        self.assert_refused(2, "run", "reduction", "--flavour", "sweet", parts=["--flavour", "--help"])
        self.assert_refused(2, "run", parts=["--help"])

    def test_unusable_files_are_refused(self):
        self.assert_refused(5, "run", "reduction", "--csv", "/nonexistent/out.csv", parts=["/nonexistent/out.csv"])
        self.assert_refused(5, "run", "reduction", "--csv", self.folder, parts=["folder"])
        self.assert_refused(5, "run", "reduction", "--input", "missing.csv", parts=["missing.csv"])
        self.write("words.csv", "1\n2\nthree\n")
        self.assert_refused(5, "run", "reduction", "--input", "words.csv", parts=["three", "line 3"])
        self.write("empty.csv", "")
        self.assert_refused(5, "run", "reduction", "--input", "empty.csv", parts=["empty.csv"])
        self.write("song.mp3", "la")
        self.assert_refused(2, "run", "reduction", "--input", "song.mp3", parts=["song.mp3", ".csv"])

    def test_misleading_file_names_are_refused(self):
        self.assert_refused(2, "run", "reduction", "--csv", "--json", parts=["--csv", "needs", "--json"])
        self.assert_refused(2, "sweep", "reduction", "--csv=--json", parts=["--csv", "needs"])
        self.assert_refused(2, "screenshot", "reduction", "--output", "x.jpg", parts=["x.jpg", ".png"])
        self.assertEqual([p for p in self.folder.iterdir() if p.is_file()], [])

    def test_empty_file_name_is_refused(self):
        for command in (("run", "reduction", "--csv"), ("sweep", "reduction", "--csv"), ("run", "reduction", "--save-input"),
                        ("run", "reduction", "--save-output"), ("run", "reduction", "--kernel"), ("run", "reduction", "--input"),
                        ("screenshot", "reduction", "--output"), ("screenshot", "reduction", "--output", "x.png", "--ui-script")):
            with self.subTest(command):
                self.assert_refused(2, *command, "", parts=[str(command[-1]), "needs", f"leave {command[-1]} out"])
        self.assert_refused(2, "compare", "", "b.csv", parts=["needs"])
        self.assert_refused(2, "compare", "a.csv", "", parts=["needs"])
        self.assertEqual([p for p in self.folder.iterdir() if p.is_file()], [])

    def test_unsupported_language_is_refused(self):
        for language in ("de", "", "EN"):
            for command in (("reduction",), ("screenshot", "reduction", "--output", "x.png")):
                with self.subTest(language, command=command):
                    self.assert_refused(2, *command, "--lang", language, parts=["--lang", str(language), "Give en or fr."])
        self.assertFalse((self.folder / "x.png").exists())

    def test_values_of_flags_are_not_taken_for_the_lesson(self):
        for flag in ("--csv", "--variant", "--device"):
            with self.subTest(flag):
                result = self.run_program("run", flag, "reduction", "histogram", "--help")
                self.assertIn("Parameters of histogram", result.stdout)
        result = self.run_program("run", "--json", "reduction", "--csv", "histogram", "--help")
        self.assertIn("Parameters of reduction", result.stdout)

    def test_number_is_quoted_as_typed(self):
        run = ("run", "reduction")
        self.assert_refused(2, *run, "--elements", -5, parts=["elements = -5 ", "1073741824"])
        self.assert_refused(2, *run, "--elements", 10**22, parts=[f"elements = {10**22} ", "1073741824"])
        self.assert_refused(2, *run, "--elements", "1e6", parts=["1e6", "plain digits"])
        for step in (-1, 0, 10**22, "2x"):
            self.assert_refused(2, "screenshot", "reduction", "--output", "x.png", "--step", step, parts=[f'"{step}"', "from 1 to 12"])
        self.assert_refused(2, *run, "--step", -1, parts=["--step", "not a known option"])

    def test_no_device(self):
        self.assert_refused(3, "run", "reduction", parts=["Install"], VK_ICD_FILENAMES="/nonexistent.json")
        self.assert_refused(3, "run", "reduction", "--device", "no such GPU", parts=["no such GPU"])

    def test_no_display(self):
        self.assert_refused(2, parts=["display"])
        self.assert_refused(2, parts=["display"], DISPLAY=":9999")

    def test_refused_run_leaves_no_partial_file(self):
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
            # A slow machine takes more kernel samples than passes, and more passes than CPU samples.
            passes = len(report["timings"]["wall_ns"]["samples"])
            samples = len(timing["samples"])
            if part == "kernel_ns":
                self.assertGreaterEqual(samples, passes)
            elif part == "cpu_ns":
                self.assertIn(samples, range(1, passes + 1))
            else:
                self.assertEqual(samples, passes)

    def test_all_variants_and_their_rows(self):
        self.run_program("run", "reduction", "--variant", "all", "--samples", 3, "--csv", "out.csv", code=0)
        text = (self.folder / "out.csv").read_bytes()
        self.assertFalse(text.startswith(b"\xef\xbb\xbf"), "no byte order mark")
        rows = parse_csv_rows(text.decode())
        self.assertEqual(list(rows[0]), CSV_COLUMNS)
        lesson = [entry for entry in self.run_json("list")["lessons"] if entry["id"] == "reduction"][0]
        variants = [v["id"] for v in lesson["variants"]]
        self.assertEqual([row["variant"] for row in rows], [v for v in variants for _ in range(3)])
        for row in rows:
            self.assertEqual(row["status"], "ok")
            self.assertGreater(float(row["kernel_ns"]), 0)
            self.assertGreater(float(row["wall_ns"]), float(row["upload_ns"]))

    def test_csv_goes_to_stdout_alone(self):
        result = self.run_program("run", "reduction", "--samples", 2, "--csv", "-")
        rows = parse_csv_rows(result.stdout)
        self.assertEqual(len(rows), 2)
        self.assertEqual(list(rows[0]), CSV_COLUMNS)

    def test_user_input_is_summed(self):
        numbers = [(i * 7919) % 1000 for i in range(100_000)]
        self.write("numbers.csv", "value\n" + "\n".join(map(str, numbers)) + "\n")
        for element_type in ("u32", "f32"):
            result = self.run_program("run", "reduction", "--variant", "all", "--samples", 1, "--json", "--input",
                                      "numbers.csv", "--element-type", element_type, code=0)
            for report in json.loads(result.stdout):
                self.assertEqual(report["parameters"]["elements"], 100_000)
                self.assertAlmostEqual(report["result"]["total"] / sum(numbers), 1, places=0 if element_type == "f32" else 12)

    def test_user_input_is_identified_by_name_and_checksum(self):
        import numpy

        numbers = numpy.linspace(0, 10, 1024, dtype="f4")
        numpy.save(self.folder / "a.npy", numbers)
        self.write("b;x=1.csv", "\n".join(f"{x:.9g}" for x in numbers))
        (self.folder / "c").mkdir()
        (self.folder / "c" / "a.npy").write_bytes((self.folder / "a.npy").read_bytes()[:-4] + b"\0\0\0\0")
        run = ("run", "reduction", "--element-type", "f32", "--samples", 2)
        names = ("a.npy", "b_x_1.csv", "a.npy")
        checksums = []
        for i, path in enumerate(("a.npy", "b;x=1.csv", "c/a.npy")):
            result = self.run_program(*run, "--input", path, "--csv", f"{i}.out", code=0)
            row = self.read_rows(f"{i}.out")[0]
            parameters = dict(pair.split("=") for pair in row["parameters"].split(";"))
            self.assertEqual(parameters["input"], names[i])
            checksums.append(parameters["input_crc32"])
            self.assertIn(checksums[i], result.stdout.splitlines()[0], "the heading of the table")
        self.assertEqual(checksums[0], checksums[1], "the same numbers as text and as .npy")
        self.assertNotEqual(checksums[0], checksums[2])
        self.run_program(*run, "--csv", "own.out")
        self.run_program("compare", "0.out", "1.out", code=0)
        for name in ("2.out", "own.out"):
            result = self.run_program("compare", "0.out", name, code=2)
            self.assert_mentions(result.stderr, "common")
        report = self.run_json(*run, "--input", "b;x=1.csv")
        self.assertEqual(report["input"], {"name": "b;x=1.csv", "crc32": checksums[0], "taken": "column 1, 1\u2009024 rows"})

    def test_wrong_answer_is_exit_code_1(self):
        program = self.copy_program_with_wrong_sums()
        report = self.run_json("run", "reduction", "--samples", 3, "--csv", "out.csv", program=program, code=1)
        self.assertEqual(report["status"], "mismatch")
        self.assertEqual(report["compare"]["wrong_runs"], report["compare"]["judged_runs"])
        self.assert_mentions(report["message"], "partial_sums[0]", 32896, 8256)
        rows = self.read_rows("out.csv")
        self.assertEqual([row["status"] for row in rows], ["mismatch"] * 3)
        result = self.run_program("run", "reduction", "--samples", 1, "--variant", "all", program=program, code=1)
        self.assertEqual(result.stdout.count("✗ wrong"), 1, result.stdout)

    def test_answer_wrong_on_purpose_is_not_a_failure(self):
        for lesson, *arguments in (("histogram", "--variant", "race"), ("hidden_layer", "--formula", "as_written", "--gain", 1000)):
            with self.subTest(lesson):
                run = ("run", lesson, *arguments, "--elements", 100_000, "--samples", 3)
                report = self.run_json(*run, "--csv", "out.csv")
                self.assertEqual(report["status"], "wrong_on_purpose")
                self.assertGreater(report["compare"]["wrong_runs"], 0)
                self.assert_mentions(report["message"], "differ")
                rows = self.read_rows("out.csv")
                self.assertEqual([row["status"] for row in rows], ["wrong_on_purpose"] * 3)
                self.assertIn("! on purpose", self.run_program(*run).stdout)

    def test_missing_barrier_is_not_a_failure_and_may_be_right_by_luck(self):
        report = self.run_json("run", "reduction", "--elements", 65536, "--workgroup-size", 256, "--barriers", "one_missing")
        self.assertEqual(report["status"], "wrong_on_purpose" if report["compare"]["wrong_runs"] > 0 else "ok")

    def test_numpy_finds_the_same_sums_in_saved_input_and_output(self):
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

    def test_matrix_keeps_its_shape_when_saved(self):
        import numpy

        numbers = numpy.arange(12, dtype="f4")
        for shape in ((12,), (3, 4), (1, 12), (12, 1)):
            numpy.save(self.folder / "own.npy", numbers.reshape(shape))
            self.run_program("run", "histogram", "--input", "own.npy", "--save-input", "in.npy", "--samples", 1, code=0)
            numpy.testing.assert_array_equal(numpy.load(self.folder / "in.npy"), numbers.reshape(shape), strict=True)
        # A one-dimensional lesson saves grey levels and weights as two rows, whatever shape the levels had.
        self.run_program("run", "hidden_layer", "--input", "own.npy", "--save-input", "in.npy", "--samples", 1, code=0)
        saved = numpy.load(self.folder / "in.npy")
        self.assertEqual(saved.shape, (2, 12))
        numpy.testing.assert_array_equal(saved[0], numbers)

    def test_the_same_seed_gives_the_same_bytes(self):
        def save_input_bytes(seed):
            self.run_program("run", "reduction", "--element-type", "f32", "--elements", 5000, "--seed", seed, "--samples", 1,
                             "--save-input", "in.npy")
            return (self.folder / "in.npy").read_bytes()

        self.assertEqual(save_input_bytes(3), save_input_bytes(3))
        self.assertNotEqual(save_input_bytes(3), save_input_bytes(4))

    def test_decimal_sign_is_a_point_in_every_locale(self):
        result = self.run_program("run", "reduction", "--samples", 1, "--csv", "-", LC_ALL="de_DE.UTF-8")
        row = parse_csv_rows(result.stdout)[0]
        self.assertGreater(float(row["kernel_ns"]), 0)

    def test_ctrl_c_keeps_the_rows_so_far(self):
        # The ceilings are measured once per machine, before the first sample.
        self.run_program("run", "reduction", "--samples", 1)
        for seconds in (3, 9, 27):  # CPU time of the lab; the first sample takes a different time on each machine
            process = self.start("run", "reduction", "--elements", 100_000, "--samples", 100_000, "--deadline", 4 * TIMEOUT,
                                 "--csv", "out.csv")
            wait_until_busy(wait_for_lab(process), seconds)
            process.send_signal(signal.SIGINT)
            time.sleep(0.05)
            process.send_signal(signal.SIGINT)  # a second Ctrl+C, from the user or a shell that forwards it
            process.communicate(timeout=TIMEOUT)
            self.assertEqual(process.returncode, 4)
            rows = self.read_rows("out.csv")
            self.assertGreater(len(rows), 0)
            self.assertEqual({row["status"] for row in rows}, {"stopped"})
            self.assert_mentions(rows[0]["message"], "stopped")
            if rows[0]["kernel_ns"]:
                break
        self.assertGreater(float(rows[0]["kernel_ns"]), 0)


@sanitized
class UserFiles(Case):
    """Unusual files from users and their programs."""

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

    def write_kernel(self, name, density="0.0", include="", mark=""):
        self.write(name, mark + self.KERNEL.format(density=density, include=include))
        return name

    def run_gaussian(self, *arguments):
        return self.run_program("run", "gaussian", "--variant", "per_element", "--elements", 1000, "--samples", 1,
                                *arguments)

    def test_print_kernel_prints_the_kernel_of_a_variant(self):
        shipped = pathlib.Path(__file__).resolve().parents[2] / "shaders/reduction/subgroup.comp"
        printed = self.run_program("run", "reduction", "--variant", "subgroup", "--print-kernel")
        self.assertEqual((printed.returncode, printed.stdout), (0, shipped.read_text()))
        # A kernel that is generated for its plan can be run as printed.
        generated = self.run_program("run", "tensor_graph", "--variant", "fused", "--print-kernel")
        self.assertIn("void main()", generated.stdout)
        refused = self.run_program("run", "reduction", "--variant", "all", "--print-kernel", code=2)
        self.assert_mentions(refused.stderr, "variant")

    def test_kernel_files_with_odd_names_or_a_byte_order_mark(self):
        for name, mark in (('it"s.comp', ""), ("marked.comp", "\ufeff")):
            result = self.run_gaussian("--kernel", self.write_kernel(name, mark=mark), "--json")
            self.assertEqual(result.returncode, 1, result.stderr)  # the kernel runs, and its result is wrong
            self.assertEqual(json.loads(result.stdout)["kernel"], name)
            result = self.run_gaussian("--kernel", self.write_kernel(name, "oops", mark=mark))
            self.assertIn(f"{name}:8: error: 'oops'", result.stderr)

    def test_result_of_nan_has_no_peak(self):
        self.write_kernel("nan.comp", "uintBitsToFloat(0x7fc00000u)")
        result = self.run_gaussian("--kernel", "nan.comp", "--json")
        report = json.loads(result.stdout)
        self.assertEqual(report["result"], {"peak": None, "integral": None})
        self.assertIsNone(report["compare"]["max_abs_error"])
        self.assert_mentions(report["message"], "densities[0]", "NaN", 0)
        self.assertIn("Highest density: NaN", self.run_gaussian("--kernel", "nan.comp").stdout)

    def test_messages_in_csv_are_not_formulas(self):
        (self.folder / "=HYPERLINK(1).glsl").write_text("float broken = nothing;\n")
        self.write_kernel("mine.comp", include='#include "=HYPERLINK(1).glsl"')
        self.run_gaussian("--kernel", "mine.comp", "--csv", "out.csv")
        row = self.read_rows("out.csv")[0]
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

    def test_ceilings_path_that_is_not_a_file_is_ignored_with_a_message(self):
        cache = self.folder / "cache" / "gridstride"
        cache.mkdir(parents=True)
        os.mkfifo(cache / "ceilings.json")
        result = self.run_program("run", "reduction", "--samples", 1, "--deadline", 2 * TIMEOUT, XDG_CACHE_HOME=str(self.folder / "cache"),
                                  code=0)
        self.assertEqual(result.stderr.count("ceilings.json"), 1, result.stderr)
        self.assert_mentions(result.stderr, "pipe")


class Stdout(Case):
    COMMANDS = (("list",), ("devices", "--json"), ("run", "reduction", "--samples", 2),
                ("run", "reduction", "--samples", 2, "--variant", "all"),
                ("run", "reduction", "--samples", 2, "--csv", "-"), ("run", "reduction", "--samples", 2, "--json"),
                ("sweep", "reduction", "--samples", 1, "--csv", "-"), ("--version",))

    def run_with_stdout(self, stdout, command):
        return subprocess.run([GRIDSTRIDE, *map(str, command)], stdout=stdout, stderr=subprocess.PIPE, text=True,
                              timeout=TIMEOUT, env=self.environment, cwd=self.folder)

    def test_full_disk_is_reported(self):
        for command in self.COMMANDS:
            with self.subTest(command=command), open("/dev/full", "w") as full:
                result = self.run_with_stdout(full, command)
                self.assertEqual(result.returncode, 5, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                self.assert_mentions(result.stderr, "stdout")

    def test_closed_pipe_causes_no_message(self):
        for command in self.COMMANDS:
            with self.subTest(command=command):
                read_end, write_end = os.pipe()
                os.close(read_end)
                try:
                    self.assertEqual(self.run_with_stdout(write_end, command).stderr, "")
                finally:
                    os.close(write_end)


class OtherCommands(Case):
    def test_list(self):
        lessons = self.run_json("list")["lessons"]
        ids = [lesson["id"] for lesson in lessons]
        self.assertEqual([i for i in ids if i in ("gaussian", "hidden_layer", "reduction")], ["gaussian", "reduction", "hidden_layer"], "in the order of the course")
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
        devices = self.run_json("devices")["devices"]
        self.assertGreaterEqual(len(devices), 1)
        self.assertGreater(devices[0]["max_workgroup_size"], 0)
        self.assertIn(devices[0]["name"], self.run_program("devices").stdout)

    def test_ceilings_of_a_device_are_measured_again(self):
        cache = {"XDG_CACHE_HOME": str(self.folder / "cache")}
        file = self.folder / "cache" / "gridstride" / "ceilings.json"

        def read_ceilings(*flags):
            return self.run_json("devices", *flags, **cache)["devices"][0]["ceilings"]

        self.assertIsNone(read_ceilings())
        self.assert_mentions(self.run_program("devices", **cache).stdout, "--measure", "measured")
        first = read_ceilings("--measure")
        self.assertGreater(first["copy_bytes_per_second"], 0)
        self.assertEqual(read_ceilings(), first, "the ceilings are stored")
        minute = first["measured_utc"][:16].replace("T", " ")
        self.assertIn(f"measured {minute} UTC", self.run_program("devices", **cache).stdout)
        self.assertGreater(read_ceilings("--measure")["measured_utc"], first["measured_utc"])
        # Low ceilings, as measured on a busy machine: a run that is much faster than a copy triggers a new measurement.
        stored = json.loads(file.read_text())
        for device in stored.values():
            device["copy_bytes_per_second"] = 1e6
            device["measured_utc"] = "2020-02-02T02:02:02.000Z"
        file.write_text(json.dumps(stored))
        run = ("run", "reduction", "--variant", "grid_stride", "--elements", 2**24, "--samples", 2, "--cache", "cold", "--json")
        report = json.loads(self.run_program(*run, **cache).stdout)
        self.assertLess(report["fraction_of_copy_ceiling"], 100)
        self.assertGreater(report["ceilings"]["measured_utc"], first["measured_utc"])

    def test_help_lists_the_parameters_with_ranges(self):
        text = self.run_program("run", "reduction", "--help").stdout
        for words in ("--workgroup-size", "--element-type", "u32 or f32", "Default: 1024"):
            self.assertIn(words, text)

    def test_check_of_one_lesson(self):
        part = ["reduction"] if FULL else ["thread_index", "--shard", "1/4"]
        result = self.run_program("check", *part, code=0)
        self.assertIn("0 wrong", result.stdout)

    def test_screenshot_has_the_requested_size(self):
        self.run_program("screenshot", "reduction", "--output", "a.png", "--size", "1280x720", "--step", 4, code=0)
        data = (self.folder / "a.png").read_bytes()
        self.assertTrue(data.startswith(b"\x89PNG"))
        self.assertEqual((int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")), (1280, 720))
        self.assertGreater(len(data), 20_000, "not an empty picture")


if __name__ == "__main__":
    unittest.main(verbosity=2)
