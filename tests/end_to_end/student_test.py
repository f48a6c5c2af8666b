"""A student goes through each lesson to its last page, by keyboard alone and by mouse alone, with right and wrong answers."""

import json
import pathlib
import re
import shutil
import unittest

from program import FULL, PATIENCE, WindowCase

LESSONS = pathlib.Path(__file__).resolve().parents[2] / "lessons"

# A right and a wrong answer, of the questions that arithmetic decides. The others are decided by times, by chance or by the
# device: of these nothing is known but that they are decided.
KNOWN = {
    ("reduction", "one_number_out_of_many_guess"): ("79", "78"),  # 10 000 / 128, rounded up
    ("thread_index", "one_text_many_workers_guess"): ("4096", "128"),
    ("thread_index", "who_am_i_guess"): ("389", "517"),  # 3 x 128 + 5; four workgroups stand before workgroup 4
    ("thread_index", "half_a_launch_choice"): (1, 0),
    ("thread_index", "where_they_are_missing_choice"): (0, 1),
    ("thread_index", "too_many_choice"): (2, 0),
    ("thread_index", "the_guard_guess"): ("24", "104"),  # 1 024 - 1 000
    ("thread_index", "limits_of_the_guard_guess"): ("488", "0"),  # 1 000 - 512
    ("thread_index", "rows_and_columns_guess"): ("247", "235"),  # 19 x 13
    ("thread_index", "at_the_edges_guess"): ("3232", "3200"),  # 304 x 208 - 300 x 200
    ("thread_index", "x_and_y_mixed_up_choice"): (2, 0),  # 92 columns of 300
    ("thread_index", "reading_without_waiting_choice"): (2, 0),
    ("race_condition", "one_addition_for_each_workgroup_guess"): ("64", "4096"),
    ("race_condition", "neighbour_number_choice"): (2, 0),
    ("race_condition", "right_by_luck_choice"): (1, 0),
    ("monte_carlo_pi", "hits_and_misses_guess"): ("3142", "2000"),  # 4 000 pi / 4, within 4 standard deviations
    ("monte_carlo_pi", "numbers_without_a_memory_choice"): (0, 1),
    ("monte_carlo_pi", "from_word_to_number_choice"): (2, 1),  # of 67 million points some touch the circle
    ("monte_carlo_pi", "nothing_comes_little_goes_guess"): ("80", "4"),  # 20 counts
    ("monte_carlo_pi", "one_estimate_and_its_interval_guess"): ("68", "100"),
    ("monte_carlo_pi", "a_hundred_times_as_many_choice"): (1, 0),
    ("monte_carlo_pi", "a_billion_points_choice"): (1, 0),
    ("monte_carlo_pi", "a_bad_generator_choice"): (1, 0),
    ("grid_stride", "the_busiest_invocation_guess"): ("123", "122"),  # 1 000 003 / 8 192, rounded up
    ("grid_stride", "the_next_element_guess"): ("4800", "96"),  # 50 x 96
    ("grid_stride", "the_last_round_guess"): ("579", "7613"),  # 1 000 003 - 122 x 8 192
    ("grid_stride", "every_grid_is_right_choice"): (0, 2),
    ("grid_stride", "sectors_guess"): ("8", "1"),  # eight f32 to a sector
    ("grid_stride", "too_large_to_be_squared_choice"): (2, 0),  # of numbers up to 1e30, none in 10^10 is below 1.8e19
    ("transfers", "bytes_that_cross_guess"): ("12000036", "4000012"),  # three arrays of 1 000 003 f32
    ("transfers", "which_trips_are_in_vain_guess"): ("12000036", "8000024"),  # three trips
    ("coalescing", "a_row_for_each_invocation_choice"): (1, 2),
    ("coalescing", "a_row_for_each_workgroup_guess"): ("8", "32"),  # 32 bytes / 4
    ("coalescing", "strides_choice"): (1, 2),
    ("coalescing", "start_at_byte_4_choice"): (1, 2),
    ("coalescing", "sixteen_bytes_a_lane_choice"): (2, 1),
    ("gaussian", "a_million_small_questions_choice"): (1, 0),  # 0.9973, the area from -3 to 3
    ("gaussian", "one_invocation_one_element_guess"): ("5", "25"),  # 1 / 0.2
    ("hidden_layer", "one_layer_three_steps_guess"): ("0.24", "0.5"),  # tanh takes a little off a half of a half
    ("matmul", "one_number_of_the_product_guess"): ("128", "64"),  # a row and a column of 64
    ("matmul", "fetch_it_once_for_all_guess"): ("8", "16"),  # 128 / 16
    ("matmul", "several_results_each_guess"): ("2", "8"),  # 64 / 32
    ("matmul", "prefetch_next_tile_guess"): ("5", "8"),  # 64 / 16, and one before
    ("tensor_graph", "one_after_another_guess"): ("7", "6"),
    ("tensor_graph", "one_submission_choice"): (0, 2),
    ("tensor_graph", "lifetimes_guess"): ("3", "65"),  # the input, and two places
    ("tensor_graph", "in_place_choice"): (1, 2),
    ("tensor_graph", "fused_choice"): (1, 0),
    ("tensor_graph", "broadcasting_guess"): ("4", "5"),  # a, b, c and y
    ("tensor_graph", "two_who_read_choice"): (2, 0),
    ("softmax", "shares_of_one_guess"): ("0.001", "0.37"),  # a thousand nearly equal numbers
    ("softmax", "a_hundred_more_choice"): (1, 2),
    ("softmax", "as_the_definition_is_written_choice"): (2, 0),  # exp(100) is no f32
    ("softmax", "three_passes_choice"): (2, 1),
    ("softmax", "where_fusion_ends_guess"): ("1.75", "2"),  # a quarter is kept
    ("quantise_int8", "places_256_guess"): ("0.5", "1"),
    ("quantise_int8", "what_is_saved_guess"): ("1052672", "1048576"),  # 1024 x 1024, and four bytes for each of 1024 rows
    ("quantise_int8", "where_0_stands_choice"): (2, 0),
    ("quantise_int8", "one_large_weight_choice"): (0, 2),  # 100 / 127 is four fifths of a deviation
    ("quantise_int8", "a_step_for_each_row_choice"): (0, 2),
    ("quantise_int8", "a_thousand_small_errors_choice"): (0, 1),
    ("playground", "a_text_that_runs_choice"): (0, 2),
    ("playground", "what_is_right_choice"): (0, 1),
    ("playground", "one_line_on_the_cpu_guess"): ("1049600", "787456"),  # 4 matrices of 256 x 256, and a row
    ("playground", "what_sharing_saves_choice"): (2, 0),
    ("zero_suppression", "who_owns_which_bytes_guess"): ("400000", "200000"),  # 2 bytes in and 2 out, 100 000 times
    ("zero_suppression", "zeros_take_room_too_choice"): (0, 3),  # 6 bytes in place of 2, for more than a third of them
}


class Question:
    """A `predict` fence; `block` is its place in its step."""

    def __init__(self, lesson, step, block, text):
        self.step, self.block = step, block
        self.id = re.search(r"^id: (\w+)$", text, re.MULTILINE)[1]
        fields = re.findall(r"^(\w+):", text, re.MULTILINE)
        self.kind = next(kind for kind in ("choice", "guess", "item", "mark") if kind in fields)
        self.parts = fields.count(self.kind)
        usual = {"choice": (0, self.parts - 1), "guess": ("40000", "7"), "item": (0, 1), "mark": (0.7, 0.2)}
        self.on_last_page = f"last.question.{self.id}"
        self.known = (lesson, self.id) in KNOWN
        self.answers = KNOWN.get((lesson, self.id), usual[self.kind])

    def __eq__(self, other):
        return (self.step, self.block) == (other.step, other.block)

    def widget(self, part=None):
        name = {"choice": "predict", "guess": "guess", "item": "order", "mark": "mark"}[self.kind]
        return f"story.{name}.{self.block}" + ("" if part is None else f".{part}")


def without_spaces(words):
    """Lines are parted anywhere."""
    return re.sub(r"\s", "", words)


def steps_of(lesson):
    """The questions of each step. Its blocks are parted by empty lines outside of fences."""
    text = (LESSONS / lesson / "story.en.md").read_text()
    steps = []
    for number, step in enumerate(re.split(r"^## ", text, flags=re.MULTILINE)[1:]):
        body = re.sub(r"^<!--.*-->$", "", step.partition("\n")[2], flags=re.MULTILINE)
        blocks = re.findall(r"^```.*?^```|^\S.*?(?=\n\n|\n*\Z)", body, re.MULTILINE | re.DOTALL)
        steps.append([Question(lesson, number + 1, block, fence) for block, fence in enumerate(blocks)
                      if fence.startswith("```predict")])
    return steps


def by_mouse(question, answer):
    if question.kind == "choice":
        given = [{"click": question.widget(answer)}]
    elif question.kind == "guess":
        names = {".": "point"}
        given = [{"click": question.widget(names.get(key, key))} for key in answer]
    elif question.kind == "item":
        given = [{"click": question.widget(0) + ".down"}, {"click": question.widget(0) + ".up"}][: 2 - answer]
    else:
        given = [{"drag": question.widget(part), "from": 0.5, "to": answer} for part in range(question.parts)]
    return [*given, {"click": "story.decide"}]


def by_keyboard(question, answer):
    if question.kind == "choice":
        given = [{"key": "Tab"}] * (answer + 1) + [{"key": "Space"}]
    elif question.kind == "guess":
        given = [{"key": "Tab"}, {"type": answer}]
    elif question.kind == "item":
        given = [{"key": "Tab"}, {"key": "Ctrl+Down"}, {"key": "Ctrl+Up"}][: 3 - answer]
    else:
        given = [{"key": "Tab"}, {"key": "Right" if answer > 0.5 else "Left"}] * question.parts
    return [*given, {"key": "F5"}]


def to_next(answered, question, is_open):
    """Goes on from a question, or passes over it while it is open. Tab comes first to what takes its answer, then to Back,
    which the first step has not, then to Next."""
    if answered is by_mouse:
        return [{"click": "story.next"}]
    stops = {"guess": 1, "item": 3 * question.parts - 1}.get(question.kind, question.parts) if is_open else 0
    return [{"key": "Tab"}] * (stops + (1 if question.step == 1 else 2)) + [{"key": "Space"}]


def few_of(all_questions, answered):
    """The first question of every second kind, the other kinds by the other way: all of them are minutes of runs."""
    kinds = {}
    for question in all_questions:
        kinds.setdefault(question.kind, question)
    return list(kinds.values())[answered is by_mouse :: 2]


class Student(WindowCase):
    screen = "1366x768"

    def walk(self, lesson, answered, theme, right, passes_over):
        """Goes through the lesson. Gives its questions, each with what its last page says of it."""
        steps = steps_of(lesson)
        all_questions = [question for questions in steps for question in questions]
        script = [{"patience": PATIENCE}, {"samples": 1}, {"wait": "idle"}]
        decided = 0
        for step, questions in enumerate(steps, 1):
            script.append({"expect": {"step": step, "asks_first": bool(questions), "at_end": False}})
            for question in questions:
                is_last = question is questions[-1]
                if question in passes_over:
                    script += to_next(answered, question, True)
                    continue
                decided += 1
                script += answered(question, question.answers[0 if right else 1])
                script += [{"wait": "idle"}, {"expect": {"predictions_decided": decided, "asks_first": not is_last}}]
                if not is_last:
                    script += to_next(answered, question, False)
            if not questions or questions[-1] not in passes_over:
                script.append({"click": "story.next"} if answered is by_mouse else {"key": "PageDown"})
        script += [{"wait": "idle"}, {"expect": {"at_end": True, "step": len(steps)}}]
        # The student is there. What follows looks at what is written there, from top to bottom.
        for question in all_questions:
            script += [{"map": f"{len(script)}.json"}, {"wheel": question.on_last_page, "by": -2}]
        script.append({"map": "end.json"})
        self.assert_plays(script, lesson, "--size", self.screen, "--theme", theme)

        shown = [json.loads((self.folder / step["map"]).read_text()) for step in script if "map" in step]
        values = {widget["id"]: widget["value"] for one in shown for widget in one["widgets"]}
        drawn = [without_spaces("".join(text["text"] for text in one["texts"])) for one in shown]
        said = [values[question.on_last_page] for question in all_questions]
        for words in said:
            self.assertTrue(any(without_spaces(words[1:]) in one for one in drawn), words)
        counts = {mark: sum(words[0] == mark for words in said) for mark in "✓✗○–"}
        named = (("✗", "not as predicted"), ("○", "undecided"), ("–", "skipped"))
        parts = [f"{counts['✓']} as predicted", *(f"{counts[mark]} {what}" for mark, what in named if counts[mark])]
        self.assertEqual(values["last.counts"], f"{len(said)} questions: {', '.join(parts)}.")
        return list(zip(all_questions, said))

    def check(self, lesson, answered, theme, right):
        for folder in ("config", "state"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        all_questions = [question for questions in steps_of(lesson) for question in questions]
        few = few_of(all_questions, answered)
        passes_over = [] if FULL else [question for question in all_questions if question not in few]
        came_out = self.walk(lesson, answered, theme, right, passes_over)
        for question, words in came_out:
            if question in passes_over:
                self.assertEqual(words, "– Skipped.")
            elif question.known:
                self.assertRegex(words, "^✓ As you predicted: ." if right else "^✗ You predicted: .* Result: .")
            else:
                self.assertRegex(words,
                                 "^(✓ As you predicted: |✗ You predicted: .* Result: |○ Too close to call. You predicted: ).")
        # What is kept says the same, and that every step was seen.
        kept = json.loads((self.folder / "config/gridstride/settings.json").read_text())
        marks = {"right": "✓", "wrong": "✗", "undecided": "○"}
        outcomes = [marks[one["outcome"]["result"]] if "outcome" in one else "–" for one in kept["predictions"]]
        self.assertEqual(sorted(outcomes), sorted(words[0] for _, words in came_out))
        self.assertEqual(len(kept["seen"]), len(steps_of(lesson)))

    def test_each_lesson_can_be_gone_through_by_keyboard_alone_and_by_mouse_alone(self):
        lessons = sorted(path.parent.name for path in LESSONS.glob("*/story.en.md"))
        # One lesson by keyboard, the next by mouse.
        for number, lesson in enumerate(lessons if FULL else lessons[::2]):
            for answered in (by_keyboard, by_mouse) if FULL else ((by_keyboard, by_mouse)[number % 2],):
                settings = [(theme, right) for right in (True, False) for theme in ("dark", "light")]
                first = (number // 2 + (answered is by_mouse) * 3) % 4
                for theme, right in settings if FULL else settings[first : first + 1]:
                    with self.subTest(lesson=lesson, theme=theme, right=right, by=answered.__name__):
                        self.check(lesson, answered, theme, right)


if __name__ == "__main__":
    unittest.main()
