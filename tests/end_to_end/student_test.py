"""Every lesson can be completed by keyboard alone and by mouse alone, with right and wrong answers."""

import json
import pathlib
import re
import shutil
import unittest

from program import FULL, TIMEOUT, WindowCase, story_path

LESSONS = pathlib.Path(__file__).resolve().parents[2] / "lessons"
SAMPLE = ("gaussian", "histogram", "launch_cost", "transfers", "thread_index", "reduction")

# A right and a wrong answer for each question that arithmetic decides. Times, chance or the device decide the others, so the
# tests only check that these are decided.
KNOWN_ANSWERS = {
    ("reduction", "one_number_out_of_many_guess"): ("79", "78"),  # 10 000 / 128, rounded up
    ("reduction", "who_does_the_adding_lanes"): (2, 1),
    ("histogram", "a_histogram_for_each_workgroup_atomics"): (0, 2),  # at most 32 bins x 8 workgroups, of 8 192 numbers
    ("thread_index", "one_text_many_workers_guess"): ("4096", "128"),
    ("thread_index", "who_am_i_guess"): ("389", "517"),  # 3 x 128 + 5; four workgroups come before workgroup 4
    ("thread_index", "half_as_many_workgroups"): (1, 0),
    ("thread_index", "smaller_workgroups"): (0, 1),
    ("thread_index", "too_many_choice"): (2, 0),
    ("thread_index", "the_guard_guess"): ("24", "104"),  # 1 024 - 1 000
    ("thread_index", "limits_of_the_guard_guess"): ("488", "0"),  # 1 000 - 512
    ("thread_index", "rows_and_columns_guess"): ("247", "235"),  # 19 x 13
    ("thread_index", "at_the_edges_guess"): ("3232", "3200"),  # 304 x 208 - 300 x 200
    ("thread_index", "x_and_y_swapped"): (1, 0),  # 92 columns of 300
    ("thread_index", "copied_without_waiting"): (0, 1),
    ("race_condition", "additions_to_global_memory"): ("16", "4096"),
    ("race_condition", "races_in_one_array"): (0, 1),
    ("race_condition", "race_of_four_numbers"): (1, 0),
    ("monte_carlo_pi", "hits_and_misses_guess"): ("3142", "2000"),  # 4 000 pi / 4, within 4 standard deviations
    ("monte_carlo_pi", "same_points_on_another_grid"): (0, 1),
    ("monte_carlo_pi", "atomics_on_the_counter"): ("16", "2048"),
    ("monte_carlo_pi", "from_word_to_number_choice"): (2, 1),  # of 67 million points some touch the circle
    ("monte_carlo_pi", "nothing_comes_little_goes_guess"): ("80", "4"),  # 20 counts
    ("monte_carlo_pi", "one_estimate_and_its_interval_guess"): ("68", "100"),
    ("monte_carlo_pi", "a_hundred_times_as_many_choice"): (1, 0),
    ("monte_carlo_pi", "a_billion_points_choice"): (1, 0),
    ("monte_carlo_pi", "a_bad_generator_choice"): (1, 0),
    ("grid_stride", "the_busiest_invocation_guess"): ("123", "122"),  # 1 000 003 / 8 192, rounded up
    ("grid_stride", "the_next_element_guess"): ("4800", "96"),  # 50 x 96
    ("grid_stride", "the_last_round_guess"): ("579", "7613"),  # 1 000 003 - 122 x 8 192
    ("grid_stride", "grid_of_21_invocations"): (1, 2),
    ("grid_stride", "numbers_up_to_1e30"): (0, 1),  # of numbers up to 1e30, none in 10^10 is below 1.8e19
    ("transfers", "bytes_that_cross_guess"): ("12000036", "4000012"),  # three arrays of 1 000 003 f32
    ("transfers", "which_trips_are_in_vain_guess"): ("12000036", "8000024"),  # three trips
    ("coalescing", "first_number_of_each_row"): (0, 1),
    ("coalescing", "a_row_for_each_workgroup_guess"): ("8", "32"),  # 32 bytes / 4
    ("coalescing", "stride_8_and_16"): (0, 2),
    ("coalescing", "sectors_with_offset_1"): (2, 0),
    ("coalescing", "sixteen_bytes_a_lane_choice"): (2, 1),
    ("gaussian", "area_under_the_curve"): (0, 1),  # 0.9973, the area from -3 to 3
    ("gaussian", "one_invocation_one_element_guess"): ("5", "25"),  # 1 / 0.2
    ("hidden_layer", "one_layer_three_steps_guess"): ("0.24", "0.5"),  # tanh reduces a half of a half slightly
    ("matmul", "one_number_of_the_product_guess"): ("128", "64"),  # a row and a column of 64
    ("matmul", "fetch_it_once_for_all_guess"): ("8", "16"),  # 128 / 16
    ("matmul", "several_results_each_guess"): ("2", "8"),  # 64 / 32
    ("matmul", "prefetch_next_tile_guess"): ("5", "8"),  # 64 / 16, and one before
    ("tensor_graph", "one_after_another_guess"): ("7", "6"),
    ("tensor_graph", "one_submission_choice"): (0, 2),
    ("tensor_graph", "lifetimes_guess"): ("3", "65"),  # the input, and two places
    ("tensor_graph", "in_place_choice"): (1, 2),
    ("tensor_graph", "fused_choice"): (1, 0),
    ("tensor_graph", "broadcasting_guess"): ("39", "16"),  # 10 000 / 256, rounded down
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
    ("playground", "one_line_on_the_cpu_guess"): ("1049600", "787456"),  # 4 matrices of 256 x 256, and a row
    ("playground", "what_sharing_saves_choice"): (2, 0),
    ("zero_suppression", "who_owns_which_bytes_guess"): ("400000", "200000"),  # 2 bytes in and 2 out, 100 000 times
    ("zero_suppression", "zeros_take_room_too_choice"): (0, 3),  # 6 bytes in place of 2, for more than a third of them
}


class Question:
    """A `predict` fence; `block` is the index of the fence in its step."""

    def __init__(self, lesson, step, block, text):
        self.step, self.block = step, block
        self.id = re.search(r"^id: (\w+)$", text, re.MULTILINE)[1]
        fields = re.findall(r"^(\w+):", text, re.MULTILINE)
        self.kind = next(kind for kind in ("choice", "guess", "item", "mark") if kind in fields)
        self.part_count = fields.count(self.kind)
        default_answers = {"choice": (0, self.part_count - 1), "guess": ("40000", "7"), "item": (0, 1), "mark": (0.7, 0.2)}
        self.on_last_page = f"last.question.{self.id}"
        self.has_known_answer = (lesson, self.id) in KNOWN_ANSWERS
        self.answers = KNOWN_ANSWERS.get((lesson, self.id), default_answers[self.kind])

    def __eq__(self, other):
        return (self.step, self.block) == (other.step, other.block)

    def widget(self, part=None):
        name = {"choice": "predict", "guess": "guess", "item": "order", "mark": "mark"}[self.kind]
        return f"story.{name}.{self.block}" + ("" if part is None else f".{part}")


def remove_spaces(words):
    """Removes white space, since lines may wrap anywhere."""
    return re.sub(r"\s", "", words)


def read_questions_by_step(lesson):
    """The questions of each step. Empty lines outside of fences separate the blocks of a step."""
    text = story_path(LESSONS, lesson).read_text()
    steps = []
    for number, step in enumerate(re.split(r"^## ", text, flags=re.MULTILINE)[1:]):
        body = re.sub(r"^<!--.*-->$", "", step.partition("\n")[2], flags=re.MULTILINE)
        blocks = re.findall(r"^```.*?^```|^\S.*?(?=\n\n|\n*\Z)", body, re.MULTILINE | re.DOTALL)
        steps.append([Question(lesson, number + 1, block, fence) for block, fence in enumerate(blocks)
                      if fence.startswith("```predict")])
    return steps


def answer_by_mouse(question, answer):
    if question.kind == "choice":
        steps = [{"click": question.widget(answer)}]
    elif question.kind == "guess":
        names = {".": "point"}
        steps = [{"click": question.widget(names.get(key, key))} for key in answer]
    elif question.kind == "item":
        steps = [{"click": question.widget(0) + ".down"}, {"click": question.widget(0) + ".up"}][: 2 - answer]
    else:
        steps = [{"drag": question.widget(part), "from": 0.5, "to": answer} for part in range(question.part_count)]
    return [*steps, {"click": "story.decide"}]


def answer_by_keyboard(question, answer):
    if question.kind == "choice":
        steps = [{"key": "Tab"}] * (answer + 1) + [{"key": "Space"}]
    elif question.kind == "guess":
        steps = [{"key": "Tab"}, {"type": answer}]
    elif question.kind == "item":
        steps = [{"key": "Tab"}, {"key": "Ctrl+Down"}, {"key": "Ctrl+Up"}][: 3 - answer]
    else:
        steps = [{"key": "Tab"}, {"key": "Right" if answer > 0.5 else "Left"}] * question.part_count
    return [*steps, {"key": "F5"}]


def next_steps(answer_steps, question, is_open):
    """Steps that press Next after a question, or skip it while it is open. Tab visits the answer widgets first, then Back, which
    the first step lacks, then Next."""
    if answer_steps is answer_by_mouse:
        return [{"click": "story.next"}]
    stops = {"guess": 1, "item": 3 * question.part_count - 1}.get(question.kind, question.part_count) if is_open else 0
    return [{"key": "Tab"}] * (stops + (1 if question.step == 1 else 2)) + [{"key": "Space"}]


def sample_questions(all_questions, answer_steps):
    """The first question of every second kind; the other input device gets the other kinds. All questions would take minutes."""
    first_of_kind = {}
    for question in all_questions:
        first_of_kind.setdefault(question.kind, question)
    return list(first_of_kind.values())[answer_steps is answer_by_mouse :: 2]


class Student(WindowCase):
    def complete_lesson(self, lesson, answer_steps, theme, right, skipped):
        """Completes the lesson. Returns its questions, each with its result on the last page."""
        steps = read_questions_by_step(lesson)
        all_questions = [question for questions in steps for question in questions]
        script = [{"patience": TIMEOUT}, {"samples": 1}, {"wait": "idle"}]
        decided = 0
        for step, questions in enumerate(steps, 1):
            script.append({"expect": {"step": step, "asks_first": bool(questions), "at_end": False}})
            for question in questions:
                is_last = question is questions[-1]
                if question in skipped:
                    script += next_steps(answer_steps, question, True)
                    continue
                decided += 1
                script += answer_steps(question, question.answers[0 if right else 1])
                script += [{"wait": "idle"}, {"expect": {"predictions_decided": decided, "asks_first": not is_last}}]
                if not is_last:
                    script += next_steps(answer_steps, question, False)
            if not questions or questions[-1] not in skipped:
                script.append({"click": "story.next"} if answer_steps is answer_by_mouse else {"key": "PageDown"})
        script += [{"wait": "idle"}, {"expect": {"at_end": True, "step": len(steps)}}]
        # The last page is open. These steps scroll through it from top to bottom.
        for question in all_questions:
            script += [{"map": f"{len(script)}.json"}, {"wheel": question.on_last_page, "by": -2}]
        script.append({"map": "end.json"})
        self.assert_plays(script, lesson, "--theme", theme)

        shown = [json.loads((self.folder / step["map"]).read_text()) for step in script if "map" in step]
        values = {widget["id"]: widget["value"] for page in shown for widget in page["widgets"]}
        drawn = [remove_spaces("".join(text["text"] for text in page["texts"])) for page in shown]
        results = [values[question.on_last_page] for question in all_questions]
        for result in results:
            self.assertTrue(any(remove_spaces(result[1:]) in page for page in drawn), result)
        counts = {mark: sum(result[0] == mark for result in results) for mark in "✓✗○–"}
        on_gpu = sum(result.startswith("✓ Right on a GPU") for result in results)
        labels = (("✗", "not as predicted"), ("○", "undecided"), ("–", "skipped"))
        parts = [f"{counts['✓'] - on_gpu} as predicted", *([f"{on_gpu} right on a GPU"] if on_gpu else []), *(f"{counts[mark]} {label}" for mark, label in labels if counts[mark])]
        self.assertEqual(values["last.counts"], f"{len(results)} questions: {', '.join(parts)}.")
        return list(zip(all_questions, results))

    def check_lesson(self, lesson, answer_steps, theme, right):
        for folder in ("config", "state"):
            shutil.rmtree(self.folder / folder, ignore_errors=True)
        all_questions = [question for questions in read_questions_by_step(lesson) for question in questions]
        sample = sample_questions(all_questions, answer_steps)
        skipped = [] if FULL else [question for question in all_questions if question not in sample]
        results = self.complete_lesson(lesson, answer_steps, theme, right, skipped)
        for question, result in results:
            if question in skipped:
                self.assertEqual(result, "– Skipped.")
            elif question.has_known_answer:
                self.assertRegex(result, "^✓ As you predicted: ." if right else "^✗ You predicted: .* Result: .")
            else:
                self.assertRegex(result,
                                 "^(✓ (As you predicted|Right on a GPU): |✗ You predicted: .* (Result|Recorded on a GPU): |○ Too close to call. You predicted: ).")
        # The saved settings have the same outcomes, and list every step as seen.
        stored = json.loads((self.folder / "config/gridstride/settings.json").read_text())
        marks = {"right": "✓", "wrong": "✗", "undecided": "○"}
        outcomes = [marks[prediction["outcome"]["result"]] if "outcome" in prediction else "–" for prediction in stored["predictions"]]
        self.assertEqual(sorted(outcomes), sorted(result[0] for _, result in results))
        self.assertEqual(len(stored["seen"]), len(read_questions_by_step(lesson)))

    def test_each_lesson_can_be_completed_by_keyboard_alone_and_by_mouse_alone(self):
        lessons = [*sorted(path.parent.name for path in LESSONS.glob("*/story.en.md")), "reduction/fast_sum"]
        # Lessons alternate between keyboard and mouse. In the sample, each kind of question is answered by both.
        for number, lesson in enumerate(lessons if FULL else SAMPLE):
            for answer_steps in (answer_by_keyboard, answer_by_mouse) if FULL else ((answer_by_keyboard, answer_by_mouse)[number % 2],):
                settings = [(theme, right) for right in (True, False) for theme in ("dark", "light")]
                first = (number // 2 + (answer_steps is answer_by_mouse) * 3) % 4
                for theme, right in settings if FULL else settings[first : first + 1]:
                    with self.subTest(lesson=lesson, theme=theme, right=right, by=answer_steps.__name__):
                        self.check_lesson(lesson, answer_steps, theme, right)


if __name__ == "__main__":
    unittest.main()
