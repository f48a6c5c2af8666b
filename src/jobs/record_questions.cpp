#include "jobs/record_questions.h"

#include <algorithm>

#include "base/error.h"
#include "jobs/question_job.h"

namespace gridstride {

RecordedLessonAnswers record_questions(lab::Client& client, const CourseEntry& entry,
                                       const JobOptions& options) {
    const Lesson& lesson = *entry.lesson;
    const Story story = load_story(lesson, "en", entry.story);
    const bool is_cpu = lab::wait_for_limits(client, options.deadline_seconds, options.interrupted).is_cpu;
    RecordedLessonAnswers recorded;
    for (std::size_t step = 0; step < story.steps.size(); ++step)
        for (const std::size_t block : question_blocks(story.steps[step])) {
            const auto& question = get_question(story.steps[step], block);
            std::string problem;
            try {
                QuestionJob job(lesson, question_for_device(question, is_cpu),
                                experiment_of_step(lesson, story, step), Answer{});
                if (!run_job(client, job, options)) return recorded;
                recorded.differs = recorded.differs || std::ranges::any_of(job.runs(), &Report::is_wrong);
                if (job.outcome())
                    recorded.answers.push_back(
                        {lesson.id, question.id, hash_question(story, {step, block}), job.outcome()->values});
                problem = job.problem();
            } catch (const Refusal& refused) {
                problem = refused.what();
            }
            if (!problem.empty())
                recorded.problems.push_back(format_story_error(
                    story.file, question.line, story.steps[step].title, "predict: " + problem));
        }
    return recorded;
}

}  // namespace gridstride
