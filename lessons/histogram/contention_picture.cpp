#include "histogram/contention_picture.h"

#include <fmt/format.h>

#include <map>

#include "base/units.h"

namespace gridstride::lessons::histogram {

namespace {

enum Cell : std::uint8_t { alone, first, later, outside };

constexpr std::uint64_t steps = 4;

/// The cells of one step: what happens to each invocation's number. `place` says which word a number is
/// counted in.
struct Step {
    std::vector<std::uint8_t> cells;
    std::size_t longest_queue = 0;
};
template <class Place>
Step step_of(std::size_t lanes, Place place) {
    std::map<std::uint64_t, std::vector<std::size_t>> meeting;
    Step step{std::vector<std::uint8_t>(lanes, outside)};
    for (std::size_t lane = 0; lane < lanes; ++lane)
        if (const auto word = place(lane)) meeting[*word].push_back(lane);
    for (const auto& [word, who] : meeting) {
        for (const std::size_t lane : who)
            step.cells[lane] = later;
        step.cells[who.front()] = who.size() == 1 ? alone : first;
        step.longest_queue = std::max(step.longest_queue, who.size());
    }
    return step;
}

}  // namespace

std::uint64_t contention_numbers(const Limits& limits) {
    return steps * limits.subgroup_size;
}

Plot contention_picture(std::span<const float> first_numbers, const Bins& bins, Way way,
                        std::uint64_t workgroup_size, const Limits& limits) {
    const bool quads = has_private_bins(way);
    const std::uint64_t width = std::min<std::uint64_t>(limits.subgroup_size, workgroup_size);
    const PrivateBins own = private_bins(way, bins.count, workgroup_size, limits);
    Lanes lanes;
    lanes.cell_name = "invocation";
    lanes.kinds = {{"has the bin to itself", Ink::kernel},
                   {way == Way::race ? "one of them is counted" : "goes first", Ink::upload},
                   way == Way::race ? Lanes::Kind{"overwritten", Ink::wrong}
                                    : Lanes::Kind{"stands in line", Ink::caution},
                   {"outside the range", Ink::quiet}};
    for (std::uint64_t s = 0; s < steps; ++s) {
        // Four steps with the numbers of one quad each, or four subgroups with a number each.
        const auto number_of = [&](std::size_t lane) { return quads ? 4 * lane + s : s * width + lane; };
        std::size_t count = 0;
        while (count < width && number_of(count) < first_numbers.size())
            ++count;
        if (count == 0) break;
        const Step step = step_of(count, [&](std::size_t lane) -> std::optional<std::uint64_t> {
            const auto bin = bin_of(first_numbers[number_of(lane)], bins);
            if (!bin) return std::nullopt;
            return *bin * own.copies + lane % own.copies;
        });
        lanes.lanes.push_back({fmt::format("{} {}", quads ? "number" : "subgroup", s + 1), step.cells,
                               step.longest_queue > 1
                                   ? fmt::format("up to {} in one place", step.longest_queue)
                                   : "nobody meets"});
    }
    Plot plot{.id = "contention",
              .title = quads ? "Who meets in the first subgroup" : "Who meets in the first subgroups",
              .origin = Origin::computed,
              .content = std::move(lanes),
              .note = {}};
    plot.note = own.copies > 1
                    ? fmt::format("Each bin has {} copies: to meet, two need the same bin and the same copy.",
                                  own.copies)
                : way == Way::race
                    ? "If all of a row read before any writes, one of those in the same bin is counted."
                    : "Those in the same bin are counted one after another.";
    return plot;
}

}  // namespace gridstride::lessons::histogram
