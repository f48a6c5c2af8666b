#include <fmt/format.h>

#include <iterator>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "base/utc_time.h"
#include "client/start_lab.h"
#include "commands.h"
#include "jobs/record_questions.h"
#include "progress_line.h"
#include "standard_output.h"

namespace gridstride::app {

int run_command(const RecordOptions& options) {
    require_writable(options.output);
    require_not_newer(options.output, device_answers_format, "answers");
    is_interrupted();
    const auto client = lab::start_lab({.device = options.device});
    const Limits device = lab::wait_for_limits(*client, options.deadline_seconds, is_interrupted);
    DeviceAnswers answers_file{.device = device.device_name,
                               .driver = device.driver_version,
                               .is_cpu = device.is_cpu,
                               .day = utc_now().substr(0, 10)};
    ProgressLine line;
    bool failed = false, differs = false;
    for (const CourseEntry& entry : course()) {
        const bool is_named =
            options.lesson.empty() || options.lesson == entry.id || options.lesson == entry.lesson->id;
        if (is_interrupted() || !is_named) continue;
        line.show(std::nullopt,
                  fmt::format("{}: {} recorded …", entry.id, counted(answers_file.answers.size(), "answer")));
        RecordedLessonAnswers recorded = record_questions(
            *client, entry, {.deadline_seconds = options.deadline_seconds, .interrupted = is_interrupted});
        line.clear();
        for (const std::string& problem : recorded.problems)
            print_status("{}", problem);
        failed = failed || !recorded.problems.empty();
        differs = differs || recorded.differs;
        std::ranges::move(recorded.answers, std::back_inserter(answers_file.answers));
    }
    if (answers_file.answers.empty()) {
        print_status(
            "{} There are no answers to write.",
            is_interrupted() ? "Stopped before the first question was decided." : "No question was decided.");
        return exit_lab_lost;
    }
    write_file(options.output, format_device_answers(answers_file));
    print("Wrote {} of {} to {}.\n", counted(answers_file.answers.size(), "answer"), answers_file.device,
          quote_path(options.output));
    if (is_interrupted())
        print_status("stopped before the end; the answers recorded before that were written.");
    if (differs) return exit_mismatch;
    return failed || is_interrupted() ? exit_lab_lost : exit_success;
}

}  // namespace gridstride::app
