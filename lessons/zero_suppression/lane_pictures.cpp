#include "zero_suppression/lane_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/units.h"

namespace gridstride::lessons::zero_suppression {

namespace {

constexpr std::size_t cells = 64;
constexpr std::size_t invocations_shown = 6;
using Cells = std::vector<std::uint8_t>;

/// The sample at which a picture of some begins: before the first place where survivors are half of them, so
/// that both kinds are seen; else before the first survivor.
std::size_t start_of_window(std::span<const std::int32_t> positions) {
    constexpr std::size_t searched = 100000;
    constexpr std::size_t together = 16;
    constexpr std::int64_t reach = 32;
    const auto some_before = [&](std::size_t k) {
        return static_cast<std::size_t>(std::max<std::int64_t>(std::int64_t{positions[k]} - 16, 0));
    };
    for (std::size_t k = 0; k + together <= std::min(positions.size(), searched); ++k)
        if (std::int64_t{positions[k + together - 1]} - positions[k] < reach) return some_before(k);
    return some_before(0);
}

}  // namespace

Plot who_takes_which(Way way, const Dispatch& main, const Limits& limits) {
    enum Cell : std::uint8_t { anothers, first_pass, later_pass };
    Lanes lanes;
    lanes.cell_name = "sample";
    lanes.kinds = {{"another's", Ink::quiet}, {"its first", Ink::kernel}, {"its further ones", Ink::upload}};
    const std::size_t shown = std::min<std::uint64_t>(cells, main.elements);
    const std::uint64_t each = samples_an_invocation(way, limits);
    const std::uint64_t invocations = main.workgroup_size * main.workgroup_count;
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(invocations_shown, invocations); ++i) {
        Cells row(shown, anothers);
        std::uint64_t taken = 0;
        for (std::size_t sample = 0; sample < shown; ++sample) {
            if (sample / each % invocations != i) continue;
            row[sample] = sample / each < invocations ? first_pass : later_pass;
            ++taken;
        }
        lanes.lanes.push_back({fmt::format("invocation {}", i), std::move(row),
                               fmt::format("{} of these", format_count(taken))});
    }
    const std::uint64_t pass = invocations * each;
    const std::uint64_t passes = divide_up(main.elements, pass);
    std::string note =
        fmt::format("{} at a time", each == 1 ? "One sample" : fmt::format("{} samples", each));
    if (passes == 1)
        note += ", and one pass of the grid takes them all.";
    else
        note += fmt::format(", then {} samples further on, {} passes in all.", format_count(pass),
                            format_count(passes));
    return {.id = "who",
            .title = fmt::format("Who takes which of the first {} samples", shown),
            .origin = Origin::computed,
            .content = std::move(lanes),
            .note = std::move(note)};
}

std::optional<Plot> compaction(const Report& report) {
    enum Cell : std::uint8_t { left_out, survivor, unused };
    const Array* samples = find(report.input, "samples");
    const Array* kept = find(report.outputs, "kept");
    if (!samples || !kept || kept->count() < 2) return std::nullopt;
    const auto positions = kept->as<std::int32_t>().first(kept->count() / 2);
    const std::size_t first = start_of_window(positions);
    const std::size_t shown = std::min(cells, samples->count() - std::min(first, samples->count()));

    Cells before(shown, left_out);
    std::size_t count = 0;
    const auto from = std::lower_bound(positions.begin(), positions.end(), static_cast<std::int32_t>(first));
    for (auto position = from; position != positions.end(); ++position, ++count) {
        const std::size_t cell = static_cast<std::size_t>(*position) - first;
        if (cell >= shown) break;
        before[cell] = survivor;
    }
    Cells after(shown, unused);
    std::fill_n(after.begin(), std::min(count, shown), std::uint8_t{survivor});

    Lanes lanes;
    lanes.cell_name = "sample";
    lanes.kinds = {{"below", Ink::quiet}, {"survives", Ink::kernel}, {"free", Ink::wait}};
    lanes.lanes = {{"samples", std::move(before), fmt::format("from number {}", format_count(first))},
                   {"kept", std::move(after), fmt::format("{} of {}", count, shown)}};
    return Plot{
        .id = "compaction",
        .title = "Survivors move together",
        .origin = Origin::measured,
        .content = std::move(lanes),
        .note =
            "Samples where survivors begin. Order is kept: the place of each is the number of survivors "
            "before it."};
}

}  // namespace gridstride::lessons::zero_suppression
