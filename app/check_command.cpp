#include <fmt/format.h>

#include <chrono>

#include "base/elapsed.h"
#include "base/units.h"
#include "client/start_lab.h"
#include "commands.h"
#include "jobs/check.h"
#include "progress_line.h"
#include "standard_output.h"

namespace gridstride::app {

namespace {

void print_row(const CheckRow& row) {
    print("{:<18} {:<20} {:>8} {:>8} {:>8} {:>9.1f}  {}\n", row.lesson, row.variant, row.runs, row.wrong,
          row.refused, row.seconds,
          row.wrong > 0              ? "✗"
          : row.wrong_on_purpose > 0 ? fmt::format("! wrong on purpose: {}", row.wrong_on_purpose)
                                     : "✓");
    flush_stdout();
    if (row.wrong > 0) print_status("{} {}: {}", row.lesson, row.variant, row.first_wrong);
    if (row.refused > 0)
        print_status("{} {}: refused, among others, {}", row.lesson, row.variant, row.first_refused);
}

}  // namespace

int run_command(const CheckOptions& options) {
    is_interrupted();
    const auto client = lab::start_lab({.device = options.device});
    print("{}\n", lab::wait_for_limits(*client, 0, is_interrupted).device_name);
    print("{:<18} {:<20} {:>8} {:>8} {:>8} {:>9}\n", "lesson", "variant", "runs", "wrong", "refused",
          "seconds");
    std::vector<const Lesson*> lessons;
    std::size_t variants = 0, item = 0;
    const auto includes = [&] { return options.shard.has(item++); };
    for (const Lesson* lesson : all_lessons()) {
        if (!options.lesson.empty() && lesson->id != options.lesson) continue;
        lessons.push_back(lesson);
        variants += lesson->variants.size() + lesson->exercises.size();
    }
    variants = (variants + options.shard.count - 1) / options.shard.count;
    std::uint64_t runs = 0, wrong = 0;
    std::size_t story_errors = 0, done = 0;
    const auto start = std::chrono::steady_clock::now();
    ProgressLine line;
    for (const Lesson* lesson : lessons) {
        const auto stopped = [&] {
            line.show(done, variants,
                      fmt::format("{}: {} of {} variants done, {} elapsed", lesson->id, done, variants,
                                  format_duration(seconds_since(start))));
            return is_interrupted() || stdout_has_failed();
        };
        const bool has_stories = includes();
        for (const std::string& error :
             has_stories ? check_stories(*client, *lesson, stopped) : std::vector<std::string>()) {
            line.clear();
            print_status("{}", error);
            ++story_errors;
        }
        const auto on_row = [&](const CheckRow& row) {
            ++done;
            runs += row.runs;
            wrong += row.wrong;
            line.clear();
            print_row(row);
        };
        check_lesson(*client, *lesson, options.full, includes, on_row, stopped);
    }
    line.clear();
    print("{}, {} wrong{}\n", counted(runs, "run"), wrong,
          story_errors == 0 ? "" : ", " + counted(story_errors, "error in a story", "errors in stories"));
    if (wrong > 0 || story_errors > 0) return exit_mismatch;
    if (!is_interrupted()) return exit_success;
    print_status("stopped before all variants were checked.");
    return exit_lab_lost;
}

}  // namespace gridstride::app
