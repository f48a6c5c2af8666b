#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/units.h"
#include "commands.h"
#include "exit_code.h"
#include "lab/check.h"

namespace gridstride::app {

int check_lessons(const CheckOptions& options) {
    const auto client = lab::start_lab({.device = options.device});
    fmt::print("{}\n", client->limits().device_name);
    fmt::print("{:<18} {:<20} {:>8} {:>8} {:>8} {:>9}\n", "lesson", "variant", "runs", "wrong", "refused",
               "seconds");
    const auto print_row = [](const lab::CheckRow& row) {
        fmt::print("{:<18} {:<20} {:>8} {:>8} {:>8} {:>9.1f}  {}\n", row.lesson, row.variant, row.runs,
                   row.wrong, row.refused, row.seconds, row.wrong == 0 ? "✓" : "✗");
        std::fflush(stdout);
        if (row.wrong > 0)
            fmt::print(stderr, "gridstride: {} {}: {}\n", row.lesson, row.variant, row.first_wrong);
    };
    std::uint64_t runs = 0, wrong = 0;
    for (const Lesson* lesson : all_lessons()) {
        if (!options.lesson.empty() && lesson->id != options.lesson) continue;
        const auto rows =
            lab::check_lesson(*client, *lesson, options.full ? lab::CheckScope::full : lab::CheckScope::quick,
                              print_row, [] { return !interrupted(); });
        for (const lab::CheckRow& row : rows) {
            runs += row.runs;
            wrong += row.wrong;
        }
    }
    if (interrupted()) fmt::print(stderr, "gridstride: stopped before the end.\n");
    fmt::print("{} runs, {} wrong\n", runs, wrong);
    return wrong == 0 ? exit_fine : exit_mismatch;
}

}  // namespace gridstride::app
