// Tests that the right choices cannot be guessed from their places or lengths, by the answers recorded on an
// NVIDIA H200.
#include "progress/device_answers.h"
#include "test_includes.h"

namespace gridstride::choice_order_test {

std::size_t count_letters(const std::string& label) {
    std::string plain;
    for (const Span& span : parse_inline(label))
        plain += span.text;
    return plain.size();
}

struct Count {
    std::size_t all = 0, first = 0, longest = 0;
};
/// Adds the choice questions of a story that this device has answered.
void add_questions(Count& count, const Lesson& lesson, const Story& story, const std::string& device) {
    for (std::size_t step = 0; step < story.steps.size(); ++step)
        for (const std::size_t block : question_blocks(story.steps[step])) {
            const PredictBlock& question = get_question(story.steps[step], block);
            if (question.choices.empty()) continue;
            for (const GpuValues& gpu : find_gpu_values(lesson, story, {step, block})) {
                if (gpu.device != device) continue;
                const double value = gpu.values.front().value;
                const auto right = std::ranges::find_if(question.choices, [&](const PredictChoice& one) {
                    return one.when == PredictChoice::Condition::otherwise ||
                           (one.when == PredictChoice::Condition::below ? value < one.bound
                                                                        : value == one.bound);
                });
                std::size_t longest = 0;
                for (const PredictChoice& other : question.choices)
                    if (&other != &*right) longest = std::max(longest, count_letters(other.label));
                ++count.all;
                if (right == question.choices.begin()) ++count.first;
                if (count_letters(right->label) > longest) ++count.longest;
            }
        }
}

TEST(ChoiceOrder, CorrectChoiceIsSeldomFirstOrLongest) {
    Count all;
    std::string lessons;
    for (const CourseEntry& entry : course()) {
        Count story_count;
        add_questions(story_count, *entry.lesson, load_story(*entry.lesson, "en", entry.story),
                      "NVIDIA H200");
        lessons += fmt::format("{}: of {} questions, first in {}, longest in {}\n", entry.id, story_count.all,
                               story_count.first, story_count.longest);
        all.all += story_count.all;
        all.first += story_count.first;
        all.longest += story_count.longest;
    }
    EXPECT_GT(all.all, 0U);
    EXPECT_LT(2 * all.first, all.all) << lessons;
    EXPECT_LT(2 * all.longest, all.all) << lessons;
}

}  // namespace gridstride::choice_order_test
