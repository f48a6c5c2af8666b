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

int carry_out(const RecordOptions& options) {
    require_writable(options.output);
    require_not_newer(options.output, recording_format, "answers");
    interrupted();
    const auto client = lab::start_lab({.device = options.device});
    const Limits device = lab::limits_in_time(*client, options.deadline_seconds, interrupted);
    Recording recording{.device = device.device_name,
                        .driver = device.driver_version,
                        .is_cpu = device.is_cpu,
                        .day = utc_time().substr(0, 10)};
    ProgressLine line;
    bool failed = false, differs = false;
    for (const CourseEntry& entry : course()) {
        const Lesson& lesson = *entry.lesson;
        if (interrupted() || (!options.lesson.empty() && lesson.id != options.lesson)) continue;
        line.show(std::nullopt,
                  fmt::format("{}: {} recorded …", lesson.id, counted(recording.answers.size(), "answer")));
        RecordedLesson recorded = record_questions(
            *client, lesson, {.deadline_seconds = options.deadline_seconds, .interrupted = interrupted});
        line.clear();
        for (const std::string& problem : recorded.problems)
            say("{}", problem);
        failed = failed || !recorded.problems.empty();
        differs = differs || recorded.differs;
        std::ranges::move(recorded.answers, std::back_inserter(recording.answers));
    }
    if (recording.answers.empty()) {
        say("{} There are no answers to write.",
            interrupted() ? "Stopped before the first question was decided." : "No question was decided.");
        return exit_lab_lost;
    }
    write_file(options.output, format_recording(recording));
    print("Wrote {} of {} to {}.\n", counted(recording.answers.size(), "answer"), recording.device,
          quoted_path(options.output));
    if (interrupted()) say("stopped before the end; the answers recorded before that were written.");
    if (differs) return exit_mismatch;
    return failed || interrupted() ? exit_lab_lost : exit_fine;
}

}  // namespace gridstride::app
