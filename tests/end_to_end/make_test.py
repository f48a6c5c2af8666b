"""Things to make, as a person makes them without the window: starters, solutions, and kernels that only seem right."""

import json
import pathlib
import re
import unittest

from program import FULL, PATIENCE, Case, WindowCase

SOURCE = pathlib.Path(__file__).resolve().parents[2]
SHADERS = SOURCE / "shaders"
LESSONS = ("thread_index", "grid_stride", "gaussian", "transfers", "race_condition", "reduction", "histogram",
           "zero_suppression", "monte_carlo_pi", "coalescing", "hidden_layer", "tensor_graph", "softmax", "matmul",
           "quantise_int8", "playground")
FENCE = re.compile(r"^```make *(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def makes_of(lesson):
    """(number of the step, exercise or "", the fence's lines) of a lesson's story."""
    story = (SOURCE / "lessons" / lesson / "story.en.md").read_text()
    steps = re.split(r"^## ", story, flags=re.MULTILINE)[1:]
    return [(number, found.group(1), found.group(2)) for number, step in enumerate(steps, 1) for found in FENCE.finditer(step)]


def solution_of(lesson, exercise):
    return next((SHADERS / lesson).glob(f"{exercise}.*"))


def with_main(kernel, body):
    return kernel[:kernel.index("void main()")] + "void main() {" + body + "}\n"


def with_includes(kernel):
    """Its text and that of the shipped files that it includes."""
    return kernel + "".join(with_includes((SHADERS / name).read_text()) for name in re.findall(r'^#include "(.*)"', kernel, re.MULTILINE))


def arrays_of(kernel):
    """(qualifiers, element type, name) of its storage buffers in order of binding."""
    whole = with_includes(kernel).replace("WORDS_ACCESS buffer", "readonly buffer")  # as it is where nobody defines it
    found = re.findall(r"^layout\(std430, binding = (\w+)\) ([\w ]*)buffer \w+ \{ (\w+) (\w+)\[", whole, re.MULTILINE)
    return [one[1:] for one in sorted(found)]


# Its index among all invocations, and how many there are, whatever the shape of the grid.
INDEX = """
    const uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize, at = gl_GlobalInvocationID;
    const uint all = size.x * size.y * size.z, index = (at.z * size.y + at.y) * size.x + at.x;
"""


def filled(kernel, value):
    """What is written in place of each result: a function of the element type and the index i."""
    loops = (f"    for (uint i = index; i < {name}.length(); i += all) {name}[i] = {value(kind)};\n"
             for qualifiers, kind, name in arrays_of(kernel) if "readonly" not in qualifiers)
    return with_main(kernel, INDEX + "".join(loops))


def zeros(kernel):
    return filled(kernel, lambda kind: f"{kind}(0)")


def copy_of_input(kernel):
    first = next((name for qualifiers, _, name in arrays_of(kernel) if "writeonly" not in qualifiers), None)
    return filled(kernel, lambda kind: f"{kind}({first}[min(i, {first}.length() - 1)])")


def condition_of(values, kernel):
    """GLSL that is true at these values: as far as the kernel can see them."""
    seen = {"workgroup_size": "gl_WorkGroupSize.x", "elements": "launch.count", "rows": "launch.count", "m": "launch.count",
            "columns": "launch.columns", "n": "launch.columns", "row_length": "launch.row_length", "width": "launch.width",
            "height": "launch.height"}
    fields = "count" + with_includes(kernel)
    where = " && ".join(f"{seen[key]} == {value}" for key, value in values.items()
                        if key in seen and seen[key].split(".")[1] in fields)
    # What goes over a matrix element by element has one count of them.
    if "rows" in values and "columns" in values:
        where = f"{where} || launch.count == {int(values['rows']) * int(values['columns'])}"
    return where or "true"


def wrong_where(kernel, condition):
    """Right but for the first result at some values."""
    kind, name = next((kind, name) for qualifiers, kind, name in arrays_of(kernel) if "readonly" not in qualifiers)
    return kernel.replace("void main()", "void compute()") + f"""
void main() {{
    compute();
    if ({condition}) {name}[0] = {kind}(77);
}}
"""


class Making(Case):
    def make(self, lesson, step, *arguments, code=None):
        result = self.run_program("make", lesson, "--step", step, *arguments, "--json", timeout=4 * PATIENCE)
        if code is not None:
            self.assertEqual(result.returncode, code, result.stdout + result.stderr)
        return json.loads(result.stdout)

    def saved(self, kernel):
        (self.folder / "mine.comp").write_text(kernel)
        return "mine.comp"

    def judged(self, lesson, step, kernel, code=None):
        return self.make(lesson, step, "--kernel", self.saved(kernel), code=code)

    def test_each_lesson_has_something_to_write_and_something_to_find(self):
        for lesson in LESSONS:
            names = [exercise for _, exercise, _ in makes_of(lesson)]
            self.assertTrue(any(names), lesson)
            # In a program both are lines of its text.
            if lesson != "playground":
                self.assertIn("", names, lesson)

    def test_starters_fail_and_solutions_pass(self):
        for number, lesson in enumerate(LESSONS):
            for step, exercise, lines in makes_of(lesson):
                # The one that is measured takes its time; answers_test.py tries right kernels of all lessons.
                if not exercise or (not FULL and (number % 8 or exercise == "sum_of_squares")):
                    continue
                with self.subTest(exercise=exercise):
                    starter = self.run_program("make", lesson, "--step", step)
                    self.assertEqual(starter.returncode, 0, starter.stderr)
                    self.assertIn("gridstride playground" if lesson == "playground" else "void main()", starter.stdout)
                    report = self.judged(lesson, step, starter.stdout, code=1)
                    self.assertFalse(report["done"])
                    report = self.judged(lesson, step, solution_of(lesson, exercise).read_text())
                    self.assertEqual(len(report["requirements"]), lines.count("require:"))
                    for requirement in report["requirements"]:
                        # What is measured depends on the machine: it must not be wrong by its own words alone.
                        if "_ns" in requirement["id"]:
                            continue
                        self.assertEqual(requirement["status"], "ok", requirement)

    def test_an_answer_written_into_the_kernel_fails(self):
        """Right at the step's own values and seed, and nowhere else."""
        for lesson, step, exercise in ((l, s, e) for l in LESSONS for s, e, _ in makes_of(l) if e):
            if not FULL and lesson not in ("reduction", "gaussian"):
                continue
            with self.subTest(exercise=exercise):
                starter = self.run_program("make", lesson, "--step", step).stdout
                constant = re.sub(r"^( *)void main\(\) \{.*?^\1\}$", r"\1void main() { }", starter, flags=re.DOTALL | re.MULTILINE)
                report = self.judged(lesson, step, constant, code=1)
                failed = next(r for r in report["requirements"] if r["id"] == "matches")
                self.assertEqual(failed["status"], "failed", failed)
                self.assertTrue(failed["first_failure"]["values"])
                self.assertTrue(failed["found"])

    def test_an_answer_that_includes_one_is_refused_at_its_line(self):
        for lesson, step, exercise in ((l, s, e) for l in LESSONS for s, e, _ in makes_of(l) if e and l != "playground"):
            if not FULL and lesson not in ("reduction", "transfers", "softmax"):
                continue
            with self.subTest(exercise=exercise):
                (self.folder / "mine.comp").write_text(f'#version 450\n#include "{lesson}/{exercise}.comp"\n')
                result = self.run_program("make", lesson, "--step", step, "--kernel", "mine.comp")
                self.assertEqual(result.returncode, 1)
                self.assertRegex(result.stderr, rf"mine.comp:2: error: .*must not include {lesson}/{exercise}.comp")

    def test_what_ships_does_not_count_and_a_solution_is_called_so(self):
        step = next(step for step, exercise, _ in makes_of("reduction") if exercise == "missing_barriers")
        renamed = (SHADERS / "reduction/tree_packed.comp").read_text().replace("lane", "invocation")
        report = self.judged("reduction", step, renamed, code=1)
        self.assertIn("reduction/tree_packed.comp", report["problem"])
        self.assertFalse(report["is_shipped_solution"])
        # In words of one's own, whose lines are broken elsewhere.
        pasted = (SHADERS / "reduction/missing_barriers.comp").read_text().replace("lane", "invocation").replace(";\n", "\n;\n")
        self.assertTrue(self.judged("reduction", step, pasted, code=0)["is_shipped_solution"])

    def test_no_cheat_passes(self):
        """Zeros, the input, every kernel that ships, and a right kernel that is wrong only where a requirement looks."""
        for lesson, step, exercise, lines in ((l, *make) for l in LESSONS for make in makes_of(l) if make[1] and l != "playground"):
            if not FULL and exercise != "pairs":
                continue
            starter = self.run_program("make", lesson, "--step", step).stdout
            solution = solution_of(lesson, exercise)
            cheats = {"zeros": zeros(starter), "a copy": copy_of_input(starter)}
            for file in sorted((SHADERS / lesson).glob("*.comp")):
                if file != solution and (FULL or file.name < "d"):
                    cheats[file.name] = file.read_text()
            for name, kernel in cheats.items():
                with self.subTest(exercise=exercise, cheat=name):
                    report = self.judged(lesson, step, kernel, code=1)
                    self.assertFalse(report["done"])
                    if name in ("zeros", "a copy"):
                        self.assertIn("says", report["requirements"][0]["found"], "it runs, and is wrong")
                    self.assertEqual(report["is_shipped_solution"], False)
            # The cases of a kernel that does nothing are those at which each requirement looks. What is measured is not
            # looked at before the answers are right: its line tells where that is.
            looked_at = self.judged(lesson, step, with_main(starter, ""), code=1)["requirements"]
            for number, (requirement, line) in enumerate(zip(looked_at, re.findall("^require: (.*)", lines, re.MULTILINE))):
                if requirement["id"] == "matches":
                    continue
                with self.subTest(exercise=exercise, cheat="wrong where it is looked at", requirement=requirement["id"]):
                    values = requirement["first_failure"] and requirement["first_failure"]["values"]
                    where = condition_of(values or dict(re.findall(r"(\w+) = (\w+)", line.split("| at ")[1])), starter)
                    report = self.judged(lesson, step, wrong_where(solution.read_text(), where), code=1)
                    found = report["requirements"][number]
                    self.assertEqual(found["status"], "failed", found)
                    # What is written once more may race, and is not written once.
                    if not requirement["id"].startswith(("races", "each_once")):
                        self.assertIn("the reference says", found["found"])

    def test_what_is_right_by_luck_fails_where_a_race_is_the_topic(self):
        """Right on every device and at every size: the numbers are written while others read them, and stay the same."""
        step, exercise, lines = next(one for one in makes_of("race_condition") if one[1])
        right = solution_of("race_condition", exercise).read_text()
        by_luck = right.replace("readonly buffer Numbers", "buffer Numbers").replace(
            "        smallest[i] =", "        numbers[i] = numbers[i];\n        smallest[i] =")
        self.assertNotEqual(by_luck, right)
        report = self.judged("race_condition", step, by_luck, code=1)
        self.assertEqual([one["status"] for one in report["requirements"]], ["ok", "failed", "failed", "ok"])

    def test_what_does_not_compile_is_named_with_its_line(self):
        step = next(step for step, exercise, _ in makes_of("reduction") if exercise)
        (self.folder / "mine.comp").write_text("#version 450\nvoid main() { wrong(); }\n")
        result = self.run_program("make", "reduction", "--step", step, "--kernel", "mine.comp")
        self.assertEqual(result.returncode, 1)
        self.assertIn("mine.comp:2: error:", result.stderr)
        self.assertIn("does not compile", result.stderr)
        self.assertIn("○", result.stdout)

    def test_a_setting_is_judged_and_only_what_is_to_be_found_is_taken(self):
        step, _, lines = next(one for one in makes_of("reduction") if not one[1])
        name = re.search(r"^find: (\w+)", lines, re.MULTILINE).group(1)
        flag = "--" + name.replace("_", "-")
        refused = self.run_program("make", "reduction", "--step", step)
        self.assertEqual(refused.returncode, 2)
        self.assertIn(flag, refused.stderr)
        refused = self.run_program("make", "reduction", "--step", step, "--seed", 3)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--seed", refused.stderr)
        report = self.make("reduction", step, flag, {"variant": "tree_sequential"}.get(name, 256))
        self.assertEqual(len(report["requirements"]), lines.count("require:"))
        step = next(step for step, exercise, _ in makes_of("transfers") if not exercise)
        self.make("transfers", step, "--steps", "pulses_up+noise_up+add+rectify+down", code=0)
        self.make("transfers", step, "--steps", "pulses_up+noise_up+add+down+up+rectify+down", code=1)
        self.make("transfers", step, "--steps", "pulses_up+noise_up+add+down", code=1)

    def test_what_cannot_be_asked_is_refused_in_a_sentence(self):
        for arguments, words in ((("--step", 1), "Step 1 of reduction has no exercise"), (("--json",), "--kernel FILE.comp"),
                                 (("--kernel", "none.comp"), "none.comp")):
            result = self.run_program("make", "reduction", *arguments)
            self.assertIn(result.returncode, (2, 5), arguments)
            self.assertIn(words, result.stderr)


class InTheWindow(WindowCase):
    """Each thing to write, at 1366 x 768: judged, hinted at, shown where it fails, made, started over and brought back."""

    def makes_it(self, lesson, step, exercise, lines):
        solution = solution_of(lesson, exercise).read_text()
        first_timed = next((i for i, line in enumerate(re.findall("^require: (.*)", lines, re.MULTILINE)) if "_ns" in line), None)
        counted = lines.count("require:") if first_timed is None else first_timed
        failing, what = (0, "picture") if exercise not in ("pairs", "sum_of_squares") else (None, None)
        steps = ["wait idle; see make.requirement.0 ~○; click make.check; wait idle"]
        if failing is not None:
            steps += [{"expect": {"widgets": {f"make.requirement.{failing}": "~✗"}}}]
        steps += ["click story.hint; click story.hint; click story.hint; see make.hint.2 ~"]
        if failing is not None:
            steps += [f"click make.show.{failing}; wait idle; click stage.kernel"]
        steps += [{"set": "kernel.text", "value": solution}, "key Escape; wait idle; key F5; wait idle"]
        steps += [{"expect": {"widgets": {f"make.requirement.{i}": "~✓"}}} for i in range(counted)]
        if first_timed is None:
            steps += [{"expect": {"widgets": {"make.done": "~Completed"}}}]
        steps += ["click make.start_over; wait idle; expect kernel own; click make.undo; wait idle; expect kernel edited",
                  f"screenshot {exercise}.png"]
        self.assert_plays(steps, lesson, "--step", step, "--size", "1366x768")
        made = json.loads((self.folder / "config/gridstride/settings.json").read_text())["made"]
        self.assertEqual(any(one["id"] == exercise for one in made), first_timed is None or made != [])

    def test_each_exercise_is_made(self):
        for lesson in LESSONS:
            for step, exercise, lines in makes_of(lesson):
                if exercise and (FULL or exercise == "missing_barriers"):
                    with self.subTest(exercise=exercise):
                        self.makes_it(lesson, step, exercise, lines)

    def test_the_steps_of_a_plan_are_put_together(self):
        step = next(step for step, exercise, _ in makes_of("transfers") if not exercise)
        requirements = lambda first, second: {"widgets": {"make.requirement.0": f"~{first}", "make.requirement.1": f"~{second}"}}
        self.assert_plays(["wait idle; see bench.steps 7 steps; key F5; wait idle",
                           {"expect": requirements("✓", "✗")}, "click bench.steps.down.1.remove",
                           "click bench.steps.up.1.remove; see bench.steps 5 steps; key F5; wait idle",
                           {"expect": requirements("✓", "✓")},
                           "see make.done ~Completed; screenshot plan.png"],
                          "transfers", "--step", step, "--size", "1366x768")

    def test_a_race_is_marked_in_the_kernel_and_shown_inside(self):
        step = next(step for step, exercise, _ in makes_of("reduction") if exercise == "missing_barriers")
        loads = 1 + (SHADERS / "reduction/missing_barriers_start.comp").read_text().split("\n").index(
            "        sums[lane] = i < launch.count ? numbers[i] : ELEMENT(0);")
        self.assert_plays(["wait idle; key F5; wait idle",
                           {"expect": {"widgets": {"make.requirement.1": "~✗", f"kernel.text.mark.{loads}": "✗"}}},
                           "click kernel.file.1; see kernel.include ~leave_partial_sum; set kernel.include nothing",
                           "see kernel.include ~leave_partial_sum; click kernel.file.0; click make.show.1; wait idle",
                           {"expect": {"recording": "done", "widgets": {"inside.finding.0.said": "~there is no barrier between them"}}}],
                          "reduction", "--step", step, "--size", "1366x768")

    def test_a_check_shows_what_it_says_with_the_solution_open(self):
        step = next(number for number, exercise, _ in makes_of("playground") if exercise)
        self.assert_plays(["wait idle; click make.solution", {"wheel": "story", "by": -30}, "wait 1",
                           "map before.json; click make.check; wait idle; wait 1; map after.json"],
                          "playground", "--step", step, "--size", "1366x768")
        shown = [any(one["id"] == "make.requirement.0" for one in json.loads((self.folder / name).read_text())["widgets"])
                 for name in ("before.json", "after.json")]
        self.assertEqual(shown, [False, True])

    def test_a_setting_is_found(self):
        step = next(step for step, exercise, _ in makes_of("zero_suppression") if not exercise)
        self.assert_plays(["wait idle; key F5; wait idle; see make.requirement.1 ~✗; set bench.threshold 135; wait idle",
                           "see make.old ~Changed; key F5; wait idle; see make.done ~Completed"],
                          "zero_suppression", "--step", step, "--size", "1366x768")


if __name__ == "__main__":
    unittest.main()
