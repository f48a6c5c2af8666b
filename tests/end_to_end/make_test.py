"""Exercises on the command line and in the window: starters, solutions, and kernels that only seem correct."""

import json
import pathlib
import re
import tomllib
import unittest

from program import FULL, Case, WindowCase, story_path

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHADERS = SOURCE / "shaders"
LESSONS = ("thread_index", "grid_stride", "launch_cost", "gaussian", "transfers", "coalescing", "race_condition", "reduction", "stencil",
           "histogram", "reduction/fast_sum", "scan", "zero_suppression", "monte_carlo_pi", "divergence", "banks", "occupancy", "roofline",
           "hidden_layer", "tensor_graph", "matmul", "softmax", "quantise_int8", "playground",
           "attention", "tensor_cores")
FENCE = re.compile(r"^```make *(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def find_exercises(lesson):
    """The `make` fences of a story: (step number, exercise, lines). The exercise is "" where settings are to be found."""
    story = story_path(SOURCE / "lessons", lesson).read_text()
    steps = re.split(r"^## ", story, flags=re.MULTILINE)[1:]
    return [(number, found.group(1), found.group(2)) for number, step in enumerate(steps, 1) for found in FENCE.finditer(step)]


def is_text(lesson):
    return (SOURCE / "lessons" / lesson.partition("/")[0] / "lesson.toml").exists()


def kernel_folder(lesson):
    folder = lesson.partition("/")[0]
    return SOURCE / "lessons" / folder if is_text(lesson) else SHADERS / folder


def solution_path(lesson, exercise):
    return next(kernel_folder(lesson).glob(f"{exercise}.*"))


def with_declarations(lesson, kernel):
    """A kernel of a lesson of text with the declarations that the program generates; others as they are."""
    if not is_text(lesson) or kernel.startswith("#version"):
        return kernel
    toml = tomllib.loads((SOURCE / "lessons" / lesson / "lesson.toml").read_text())
    types = {"f32": "float", "u32": "uint", "i32": "int", "f16": "uvec4"}  # f16 of exercises are in vec8
    whole = with_includes(kernel)
    quads = {name for exercise in toml.get("exercise", []) for name in exercise.get("vec4", [])}
    arrays = [(access, "vec4" if name in quads else types[array["type"]], name) for access, key in (("readonly ", "input"), ("", "output"))
              for name, array in toml[key].items() if re.search(rf"\b{name}\b", whole)]
    declarations = "".join(f"layout(std430, binding = {binding}) {access}buffer Array{binding} {{ {kind} {name}[]; }};\n"
                           for binding, (access, kind, name) in enumerate(arrays))
    names = dict.fromkeys(name for exercise in toml.get("exercise", []) for name in exercise.get("constants", []))
    constants = [name for name in names if f"const uint {name}" not in whole]
    parameters = [entry["id"] for entry in toml.get("parameter", []) if re.search(rf"\b{entry['id']}\b", whole)
                  and entry["id"] not in constants]
    members = "".join(f" uint parameter_{name};" for name in parameters)
    copies = "".join(f"uint {name} = launch.parameter_{name};\n" for name in parameters)
    copies += "".join(f"layout(constant_id = {number}) const uint {name} = 4;\n" for number, name in enumerate(constants, 3))
    return (f"#version 450\n#extension GL_GOOGLE_include_directive : require\n#define PARAMETERS{members}\n"
            f'#include "common/launch.glsl"\n{declarations}{copies}{kernel}')


def replace_main(kernel, body):
    return kernel[:kernel.index("void main()")] + "void main() {" + body + "}\n"


def with_includes(kernel):
    """The kernel followed by the shipped files that it includes."""
    files = [next(path for path in (SHADERS / name, *SOURCE.glob(f"lessons/*/{name}")) if path.exists())
             for name in re.findall(r'^#include "(.*)"', kernel, re.MULTILINE)]
    return kernel + "".join(with_includes(file.read_text()) for file in files)


def storage_arrays(kernel):
    """The storage buffers in order of binding: (qualifiers, element type, name)."""
    whole = with_includes(kernel).replace("WORDS_ACCESS buffer", "readonly buffer")  # WORDS_ACCESS is readonly by default
    found = re.findall(r"^layout\(std430, binding = (\w+)\) ([\w ]*)buffer \w+ \{ (\w+) (\w+)\[", whole, re.MULTILINE)
    return [one[1:] for one in sorted(found)]


# The index of the invocation among all, and the number of invocations, for any shape of the grid.
INDEX = """
    const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, at = gl_GlobalInvocationID;
    const uint all = size.x * size.y * size.z, index = (at.z * size.y + at.y) * size.x + at.x;
"""


def fill_outputs(kernel, value):
    """Replaces main() by one that writes value(element type), GLSL that may use the index i, to every output."""
    loops = (f"    for (uint i = index; i < {name}.length(); i += all) {name}[i] = {value(kind)};\n"
             for qualifiers, kind, name in storage_arrays(kernel) if "readonly" not in qualifiers)
    return replace_main(kernel, INDEX + "".join(loops))


def write_zeros(kernel):
    return fill_outputs(kernel, lambda kind: f"{kind}(0)")


def copy_input(kernel):
    first = next((name for qualifiers, _, name in storage_arrays(kernel) if "writeonly" not in qualifiers), None)
    return fill_outputs(kernel, lambda kind: f"{kind}({first}[min(i, {first}.length() - 1)])")


def glsl_condition(values, kernel):
    """A GLSL condition that is true at these values, as far as the kernel can read them."""
    expressions = {"workgroup_size": "gl_WorkGroupSize.x", "elements": "launch.count", "rows": "launch.count", "m": "launch.count",
                   "columns": "launch.columns", "n": "launch.columns", "row_length": "launch.row_length", "width": "launch.width",
                   "height": "launch.height"}
    fields = "count" + with_includes(kernel)
    condition = " && ".join(f"{expressions[key]} == {value}" for key, value in values.items()
                            if key in expressions and expressions[key].split(".")[1] in fields)
    # A kernel over the elements of a matrix gets their number as one count.
    if "rows" in values and "columns" in values:
        condition = f"{condition} || launch.count == {int(values['rows']) * int(values['columns'])}"
    return condition or "true"


def break_where(kernel, condition):
    """The kernel with a wrong first result where the condition holds."""
    kind, name = next((kind, name) for qualifiers, kind, name in storage_arrays(kernel) if "readonly" not in qualifiers)
    return kernel.replace("void main()", "void compute()") + f"""
void main() {{
    compute();
    if ({condition}) {name}[0] = {kind}(77);
}}
"""


class MakeCommand(Case):
    def make(self, lesson, step, *arguments, code=None):
        result = self.run_program("make", lesson, "--step", step, *arguments, "--json")
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def write_kernel(self, kernel):
        (self.folder / "mine.comp").write_text(kernel)
        return "mine.comp"

    def grade(self, lesson, step, kernel, code=None):
        return self.make(lesson, step, "--kernel", self.write_kernel(kernel), code=code)

    def test_each_lesson_has_a_kernel_exercise_and_most_have_a_settings_exercise(self):
        names = {lesson: [exercise for _, exercise, _ in find_exercises(lesson)] for lesson in LESSONS}
        for lesson in LESSONS:
            self.assertTrue(any(names[lesson]), lesson)
            self.assertLessEqual(len(names[lesson]), 3, lesson)
        self.assertGreater(sum("" in of_lesson for of_lesson in names.values()), len(LESSONS) / 2)

    def test_starters_fail_and_solutions_pass(self):
        # answers_test.py tries correct kernels of all lessons. One of these is of text.
        for lesson in LESSONS if FULL else ("transfers", "coalescing", "softmax"):
            for step, exercise, lines in find_exercises(lesson):
                if not exercise:
                    continue
                with self.subTest(exercise=exercise):
                    starter = self.run_program("make", lesson, "--step", step, code=0)
                    self.assertIn("gridstride playground" if lesson == "playground" else "void main()", starter.stdout)
                    report = self.grade(lesson, step, starter.stdout, code=1)
                    self.assertFalse(report["done"])
                    report = self.grade(lesson, step, with_declarations(lesson, solution_path(lesson, exercise).read_text()))
                    self.assertEqual(len(report["requirements"]), lines.count("require:"))
                    for requirement in report["requirements"]:
                        # Requirements on times depend on the machine.
                        if "_ns" in requirement["id"]:
                            continue
                        self.assertEqual(requirement["status"], "ok", requirement)

    def test_empty_main_fails(self):
        """A starter with an empty main() fails `matches`, and the report names the values at which it fails."""
        for lesson, step, exercise in ((l, s, e) for l in LESSONS for s, e, _ in find_exercises(l) if e):
            if not FULL and lesson not in ("reduction", "gaussian"):
                continue
            with self.subTest(exercise=exercise):
                starter = with_declarations(lesson, self.run_program("make", lesson, "--step", step).stdout)
                constant = re.sub(r"^( *)void main\(\) \{.*?^\1\}$", r"\1void main() { }", starter, flags=re.DOTALL | re.MULTILINE)
                report = self.grade(lesson, step, constant, code=1)
                failed = next(r for r in report["requirements"] if r["id"] == "matches")
                self.assertEqual(failed["status"], "failed", failed)
                self.assertTrue(failed["first_failure"]["values"])
                self.assertTrue(failed["found"])

    def test_answer_that_includes_the_solution_is_refused_at_its_line(self):
        for lesson, step, exercise in ((l, s, e) for l in LESSONS for s, e, _ in find_exercises(l) if e and l != "playground"):
            if not FULL and lesson not in ("reduction", "transfers", "softmax"):
                continue
            with self.subTest(exercise=exercise):
                solution = f"{exercise}.comp" if is_text(lesson) else f"{kernel_folder(lesson).name}/{exercise}.comp"
                (self.folder / "mine.comp").write_text(f'#version 450\n#include "{solution}"\n')
                result = self.run_program("make", lesson, "--step", step, "--kernel", "mine.comp", code=1)
                self.assertRegex(result.stderr, rf"mine.comp:2: error: .*must not include {solution}")

    def test_shipped_kernel_does_not_count_and_pasted_solution_is_recognized(self):
        step = next(step for step, exercise, _ in find_exercises("reduction") if exercise == "missing_barriers")
        renamed = (SHADERS / "reduction/tree_packed.comp").read_text().replace("lane", "invocation")
        report = self.grade("reduction", step, renamed, code=1)
        self.assertIn("reduction/tree_packed.comp", report["problem"])
        self.assertFalse(report["is_shipped_solution"])
        # The shipped solution with another name and other line breaks.
        pasted = (SHADERS / "reduction/missing_barriers.comp").read_text().replace("lane", "invocation").replace(";\n", "\n;\n")
        self.assertTrue(self.grade("reduction", step, pasted, code=0)["is_shipped_solution"])

    def test_kernels_of_a_text_lesson_are_recognized(self):
        step, exercise = next((step, exercise) for step, exercise, _ in find_exercises("race_condition") if exercise)
        pasted = solution_path("race_condition", exercise).read_text().replace(";\n", "\n;\n", 1) + "// mine\n"
        self.assertTrue(self.grade("race_condition", step, pasted, code=0)["is_shipped_solution"])
        starter = self.run_program("make", "race_condition", "--step", step).stdout
        report = self.grade("race_condition", step, starter, code=1)
        self.assertNotIn("problem", report, "the starter is graded, so that its requirements say what to do")
        self.assertFalse(report["is_shipped_solution"])
        # Another kernel of the lesson that fits the exercise.
        step = next(step for step, exercise, _ in find_exercises("banks") if exercise)
        report = self.grade("banks", step, (kernel_folder("banks") / "reads_in_order.comp").read_text(), code=1)
        self.assertIn("banks/reads_in_order.comp", report["problem"])

    def test_cheats_fail(self):
        """Zeros, a copy of the input, every other shipped kernel, and a solution that is wrong only where a requirement checks."""
        for lesson, step, exercise, lines in ((l, *make) for l in LESSONS for make in find_exercises(l) if make[1] and l != "playground"):
            if not FULL and exercise != "missing_barriers":
                continue
            starter = with_declarations(lesson, self.run_program("make", lesson, "--step", step).stdout)
            solution = solution_path(lesson, exercise)
            cheats = {"zeros": write_zeros(starter), "a copy": copy_input(starter)}
            for file in sorted(kernel_folder(lesson).glob("*.comp")):
                if file != solution and (FULL or file.name < "d"):
                    cheats[file.name] = file.read_text()
            for name, kernel in cheats.items():
                with self.subTest(exercise=exercise, cheat=name):
                    report = self.grade(lesson, step, kernel, code=1)
                    self.assertFalse(report["done"])
                    if name in ("zeros", "a copy"):
                        self.assertIn("says", report["requirements"][0]["found"], "the kernel runs, and its result is wrong")
                    self.assertEqual(report["is_shipped_solution"], False)
            # A kernel that does nothing fails each requirement at the values that it checks. A requirement on times is only
            # checked once the results are right, so its values are taken from its line.
            requirements = self.grade(lesson, step, replace_main(starter, ""), code=1)["requirements"]
            for number, (requirement, line) in enumerate(zip(requirements, re.findall("^require: (.*)", lines, re.MULTILINE))):
                if requirement["id"] == "matches":
                    continue
                with self.subTest(exercise=exercise, cheat="wrong where the requirement checks", requirement=requirement["id"]):
                    values = requirement["first_failure"] and requirement["first_failure"]["values"]
                    condition = glsl_condition(values or dict(re.findall(r"(\w+) = (\w+)", line.split("| at ")[1])), starter)
                    report = self.grade(lesson, step, break_where(solution.read_text(), condition), code=1)
                    result = report["requirements"][number]
                    self.assertEqual(result["status"], "failed", result)
                    # The additional write may race and is a second write of the element.
                    if not requirement["id"].startswith(("races", "each_once")):
                        self.assertIn("the reference says", result["found"])

    def test_racing_kernel_with_correct_results_fails_the_race_requirement(self):
        """The kernel overwrites the numbers with themselves while others read them: its results are right everywhere."""
        step, exercise, lines = next(one for one in find_exercises("race_condition") if one[1])
        solution = solution_path("race_condition", exercise).read_text()
        racing = solution.replace("        smallest[i] =", "        numbers[i] = numbers[i];\n        smallest[i] =")
        self.assertNotEqual(racing, solution)
        report = self.grade("race_condition", step, racing, code=1)
        self.assertEqual([one["status"] for one in report["requirements"]], ["ok", "failed", "failed", "ok"])

    def test_compile_error_names_its_line(self):
        step = next(step for step, exercise, _ in find_exercises("reduction") if exercise)
        (self.folder / "mine.comp").write_text("#version 450\nvoid main() { wrong(); }\n")
        result = self.run_program("make", "reduction", "--step", step, "--kernel", "mine.comp", code=1)
        self.assertIn("mine.comp:2: error:", result.stderr)
        self.assertIn("does not compile", result.stderr)
        self.assertIn("○", result.stdout)

    def test_settings_exercise_accepts_only_its_own_parameters(self):
        step, _, lines = next(one for one in find_exercises("reduction") if not one[1])
        name = re.search(r"^find: (\w+)", lines, re.MULTILINE).group(1)
        flag = "--" + name.replace("_", "-")
        refused = self.run_program("make", "reduction", "--step", step, code=2)
        self.assertIn(flag, refused.stderr)
        refused = self.run_program("make", "reduction", "--step", step, "--seed", 3, code=2)
        self.assertIn("--seed", refused.stderr)
        step, _, lines = next(one for one in find_exercises("transfers") if not one[1])
        report = self.make("transfers", step, "--steps", "pulses_up+noise_up+add+rectify+down", code=0)
        self.assertEqual(len(report["requirements"]), lines.count("require:"))
        self.make("transfers", step, "--steps", "pulses_up+noise_up+add+down+up+rectify+down", code=1)
        self.make("transfers", step, "--steps", "pulses_up+noise_up+add+down", code=1)

    def test_invalid_arguments_are_refused_with_a_message(self):
        for arguments, words in ((("--step", 1), "Step 1 of reduction has no exercise"), (("--json",), "--kernel FILE.comp"),
                                 (("--kernel", "none.comp"), "none.comp")):
            result = self.run_program("make", "reduction", *arguments)
            self.assertIn(result.returncode, (2, 5), arguments)
            self.assertIn(words, result.stderr)


class MakeWindow(WindowCase):
    """Exercises: checking, hints, showing a failure, completing, starting over and undoing that."""

    def complete_exercise(self, lesson, step, exercise, lines):
        solution = with_declarations(lesson, solution_path(lesson, exercise).read_text())
        first_timed = next((i for i, line in enumerate(re.findall("^require: (.*)", lines, re.MULTILINE)) if "_ns" in line), None)
        untimed_count = lines.count("require:") if first_timed is None else first_timed
        failing, what = (0, "picture") if exercise not in ("pairs", "sum_of_squares") else (None, None)
        steps = ["wait idle; see make.requirement.0 ~○; click make.check; wait idle"]
        if failing is not None:
            steps += [{"expect": {"widgets": {f"make.requirement.{failing}": "~✗"}}}]
        steps += ["click story.hint; click story.hint; click story.hint; see make.hint.2 ~"]
        if failing is not None:
            steps += [f"click make.show.{failing}; wait idle; click stage.kernel"]
        steps += [{"set": "kernel.text", "value": solution}, "key Escape; wait idle; key F5; wait idle"]
        steps += [{"expect": {"widgets": {f"make.requirement.{i}": "~✓"}}} for i in range(untimed_count)]
        if first_timed is None:
            steps += [{"expect": {"widgets": {"make.done": "~Completed"}}}]
        steps += ["click make.start_over; wait idle; expect kernel own; click make.undo; wait idle; expect kernel edited",
                  f"screenshot {exercise}.png"]
        self.assert_plays(steps, lesson, "--step", step)
        settings = json.loads((self.folder / "config/gridstride/settings.json").read_text())
        completed = settings["made"]
        self.assertEqual(any(one["id"] == exercise for one in completed), first_timed is None or completed != [])
        self.assertEqual([one["count"] for one in settings["attempts"] if one["id"] == exercise], [2], "the starter and the solution")

    def test_each_exercise_can_be_completed(self):
        for lesson in LESSONS:
            for step, exercise, lines in find_exercises(lesson):
                if exercise and (FULL or exercise == "missing_barriers"):
                    with self.subTest(exercise=exercise):
                        self.complete_exercise(lesson, step, exercise, lines)

    def test_plan_steps_can_be_edited(self):
        step = next(step for step, exercise, _ in find_exercises("transfers") if not exercise)
        requirements = lambda first, second: {"widgets": {"make.requirement.0": f"~{first}", "make.requirement.1": f"~{second}"}}
        self.assert_plays(["wait idle; see bench.steps 7 steps; key F5; wait idle",
                           {"expect": requirements("✓", "✗")}, "click bench.steps.down.1.remove",
                           "click bench.steps.up.1.remove; see bench.steps 5 steps; key F5; wait idle",
                           {"expect": requirements("✓", "✓")},
                           "see make.done ~Completed; screenshot plan.png"],
                          "transfers", "--step", step)

    def test_check_scrolls_to_its_results_with_the_solution_open(self):
        step = next(number for number, exercise, _ in find_exercises("playground") if exercise)
        self.assert_plays(["wait idle; click make.solution", {"wheel": "story", "by": -30}, "wait 1",
                           "map before.json; click make.check; wait idle; wait 1; map after.json"],
                          "playground", "--step", step)
        shown = [any(one["id"] == "make.requirement.0" for one in json.loads((self.folder / name).read_text())["widgets"])
                 for name in ("before.json", "after.json")]
        self.assertEqual(shown, [False, True])

    def test_settings_exercise_can_be_completed(self):
        step = next(step for step, exercise, _ in find_exercises("zero_suppression") if not exercise)
        self.assert_plays(["wait idle; key F5; wait idle; see make.requirement.1 ~✗; set bench.threshold 135; wait idle",
                           "see make.old ~Changed; key F5; wait idle; see make.done ~Completed"],
                          "zero_suppression", "--step", step)


class RaceInWindow(WindowCase):
    screen = "1366x768"  # the line of the race is visible

    def test_race_is_marked_in_the_kernel_and_shown_in_inside_tab(self):
        step = next(step for step, exercise, _ in find_exercises("reduction") if exercise == "missing_barriers")
        loads = 1 + (SHADERS / "reduction/missing_barriers_start.comp").read_text().split("\n").index(
            "        sums[lane] = i < launch.count ? numbers[i] : ELEMENT(0);")
        self.assert_plays(["wait idle; key F5; wait idle",
                           {"expect": {"widgets": {"make.requirement.1": "~✗", f"kernel.text.mark.{loads}": "✗"}}},
                           "click kernel.file.1; see kernel.include ~store_partial_sum; set kernel.include nothing",
                           "see kernel.include ~store_partial_sum; click kernel.file.0; click make.show.1; wait idle",
                           {"expect": {"recording": "done", "widgets": {"inside.finding.0.said": "~there is no barrier between them"}}}],
                          "reduction", "--step", step)


if __name__ == "__main__":
    unittest.main()
