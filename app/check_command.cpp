#include <fmt/format.h>

#include <chrono>
#include <cstdio>

#include "base/units.h"
#include "client/ready.h"
#include "commands.h"
#include "exit_code.h"
#include "progress_line.h"
#include "session/check.h"

namespace gridstride::app {

namespace {

void print_row(const CheckRow& row) {
    fmt::print("{:<18} {:<20} {:>8} {:>8} {:>8} {:>9.1f}  {}\n", row.lesson, row.variant, row.runs, row.wrong,
               row.refused, row.seconds,
               row.wrong > 0              ? "✗"
               : row.wrong_on_purpose > 0 ? fmt::format("! wrong on purpose: {}", row.wrong_on_purpose)
                                          : "✓");
    std::fflush(stdout);
    if (row.wrong > 0)
        fmt::print(stderr, "gridstride: {} {}: {}\n", row.lesson, row.variant, row.first_wrong);
}

/// On a terminal: the lesson at work, how many variants are done of all, and the time so far.
class CheckProgress {
 public:
    explicit CheckProgress(std::size_t variants) : variants_(variants) {}
    void show(const Lesson& lesson) {
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
        line_.show(static_cast<double>(done_) / static_cast<double>(variants_),
                   fmt::format("{}: {} of {} variants done, {} so far", lesson.id, done_, variants_,
                               duration_in_words(spent.count())));
    }
    void done(const CheckRow& row) {
        ++done_;
        line_.clear();
        print_row(row);
    }

    void say(const std::vector<std::string>& mistakes) {
        if (mistakes.empty()) return;
        line_.clear();
        for (const std::string& mistake : mistakes)
            fmt::print(stderr, "gridstride: {}\n", mistake);
    }

 private:
    std::size_t variants_, done_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    ProgressLine line_;
};

}  // namespace

int check_lessons(const CheckOptions& options) {
    interrupted();
    const auto client = lab::start_lab({.device = options.device});
    fmt::print("{}\n", lab::limits_in_time(*client, 0, interrupted).device_name);
    fmt::print("{:<18} {:<20} {:>8} {:>8} {:>8} {:>9}\n", "lesson", "variant", "runs", "wrong", "refused",
               "seconds");
    std::vector<const Lesson*> lessons;
    std::size_t variants = 0;
    for (const Lesson* lesson : all_lessons()) {
        if (!options.lesson.empty() && lesson->id != options.lesson) continue;
        lessons.push_back(lesson);
        variants += lesson->variants.size();
    }
    std::uint64_t runs = 0, wrong = 0;
    std::size_t mistakes = 0;
    {
        CheckProgress progress(variants);
        for (const Lesson* lesson : lessons) {
            const auto keep_going = [&] {
                progress.show(*lesson);
                return !interrupted();
            };
            const std::vector<std::string> of_stories = check_stories(*client, *lesson, keep_going);
            mistakes += of_stories.size();
            progress.say(of_stories);
            const auto rows = check_lesson(
                *client, *lesson, options.full ? CheckScope::full : CheckScope::quick,
                [&](const CheckRow& row) { progress.done(row); }, keep_going);
            for (const CheckRow& row : rows) {
                runs += row.runs;
                wrong += row.wrong;
            }
        }
    }
    fmt::print("{} runs, {} wrong{}\n", runs, wrong,
               mistakes == 0 ? "" : ", " + counted(mistakes, "mistake in a story", "mistakes in stories"));
    if (wrong > 0 || mistakes > 0) return exit_mismatch;
    if (!interrupted()) return exit_fine;
    fmt::print(stderr, "gridstride: stopped before the end.\n");
    return exit_lab_lost;
}

}  // namespace gridstride::app
