#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ranges>

#include "base/units.h"
#include "coalescing/coalescing.h"
#include "lesson/recorded_pictures.h"
#include "lesson/stock.h"
#include "trace/requests.h"

namespace gridstride::lessons::coalescing {

namespace {

// The sector ruler: what a load fetches, sector by sector, a cell for every 4 bytes.

constexpr std::uint64_t word_bytes = 4, words_a_sector = trace::sector_bytes / word_bytes;

/// Who reads these 4 bytes; -1: nobody.
using Sector = std::array<int, words_a_sector>;

class Ruler {
 public:
    /// lane reads so many bytes from there on.
    void read(int lane, std::uint64_t byte, std::uint64_t bytes) {
        for (std::uint64_t word = byte / word_bytes; word * word_bytes < byte + bytes; ++word) {
            const auto [sector, is_new] = sectors_.try_emplace(word / words_a_sector);
            if (is_new) sector->second.fill(-1);
            sector->second.at(word % words_a_sector) = lane;
        }
        lanes_ = std::max(lanes_, lane + 1);
    }

    /// Sectors that are not fetched are left out: where the memory goes on elsewhere there is a wider gap.
    void add_to(Cells& cells, const std::string& label) const {
        constexpr std::size_t sectors_a_row = 16;
        std::uint64_t used = 0, before = 0;
        std::size_t place = 0;
        const std::size_t first_row = cells.rows.size();
        for (const auto& [number, words] : sectors_) {
            if (place++ % sectors_a_row == 0) cells.rows.emplace_back();
            Cells::Row& row = cells.rows.back();
            if (!row.kinds.empty()) {
                const bool goes_on = number == before + 1;
                row.kinds.insert(row.kinds.end(), goes_on ? 1 : 2, std::uint8_t{gap});
                row.said.resize(row.kinds.size());
            }
            before = number;
            for (std::uint64_t word = 0; word < words_a_sector; ++word) {
                const int lane = words.at(word);
                used += lane >= 0;
                const std::uint64_t byte = number * trace::sector_bytes + word * word_bytes;
                row.kinds.push_back(lane >= 0 ? read_by_lane : fetched);
                row.said.push_back(fmt::format(
                    "bytes {} to {}: {}", format_count(byte), format_count(byte + word_bytes - 1),
                    lane >= 0 ? fmt::format("lane {}", lane) : std::string("fetched, and used by nobody")));
            }
        }
        if (first_row == cells.rows.size()) return;
        cells.rows[first_row].label = label;
        const double share =
            static_cast<double>(used) / static_cast<double>(sectors_.size() * words_a_sector);
        cells.rows[first_row].note =
            fmt::format("{}, {} used", counted(sectors_.size(), "sector"), format_percent(share).text());
    }

    static Cells no_cells() {
        return {.kinds = {{"", Ink::quiet, Cells::Fill::empty},
                          {"used by a lane", Ink::upload},
                          {"fetched with it, and not used", Ink::quiet, Cells::Fill::hatched}},
                .cell_name = "4 bytes"};
    }

 private:
    enum Cell : std::uint8_t { gap, read_by_lane, fetched };
    std::map<std::uint64_t, Sector> sectors_;
    int lanes_ = 0;
};

constexpr const char* how_to_read =
    "A cell is 4 bytes, a group of eight a sector of 32. Sectors that nobody needs are left out.";

/// Eight lanes, and every third number.
Plot example() {
    Cells cells = Ruler::no_cells();
    Ruler ruler;
    for (int lane = 0; lane < 8; ++lane)
        ruler.read(lane, static_cast<std::uint64_t>(lane) * 3 * word_bytes, word_bytes);
    ruler.add_to(cells, "one load");
    return {.id = "sectors",
            .title = "Eight lanes that each read every third number",
            .origin = Origin::modelled,
            .content = std::move(cells),
            .note = how_to_read};
}

/// The first loads of a subgroup at each line that loads from a buffer.
Drawn recorded_ruler(const trace::Trace& trace, std::span<const trace::Record> records) {
    constexpr std::size_t most_rows = 8;
    const trace::Requests requests = trace::requests_of(trace, records);
    const auto is_load = [&](const trace::Request& request) {
        const trace::Site& site = trace.sites[request.site];
        return site.kind == trace::SiteKind::load && site.space == trace::Space::buffer &&
               request.workgroup == requests.all.front().workgroup &&
               request.subgroup == requests.all.front().subgroup;
    };
    std::map<std::uint32_t, std::uint32_t> lines;  // by site
    for (const trace::Request& request : requests.all)
        if (is_load(request)) lines.emplace(request.site, trace.sites[request.site].line);
    const std::uint32_t times = lines.size() > 2 ? 1 : lines.size() > 1 ? 2 : 4;
    Cells cells = Ruler::no_cells();
    for (const trace::Request& request : requests.all) {
        if (!is_load(request) || request.execution >= times || cells.rows.size() >= most_rows) continue;
        Ruler ruler;
        for (const std::uint32_t i : requests.of(request))
            ruler.read(records[i].lane, records[i].offset, trace.sites[request.site].bytes);
        const std::string which =
            lines.size() > 1 ? fmt::format("line {}, ", lines.at(request.site)) : std::string();
        ruler.add_to(cells, fmt::format("{}load {}", which, request.execution + 1));
    }
    return {std::move(cells), fmt::format("The first loads of a subgroup, {} lanes wide. {}",
                                          trace.subgroup_size, how_to_read)};
}

/// The first of what came out.
std::optional<Plot> results_picture(const Report& report) {
    constexpr std::size_t few = 64;
    if (report.outputs.empty() || report.outputs.front().array->empty()) return std::nullopt;
    const auto& [name, array, width] = report.outputs.front();
    Series bars{.label = name, .mark = Mark::bars, .ink = Ink::kernel};
    for (std::size_t i = 0; i < std::min(few, array->count()); ++i)
        bars.y.push_back(array->number(i));
    return Plot{.id = "results",
                .title = "What came out",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = Figure{.x = {.label = name == "norms" ? "row" : "result", .whole_numbers = true},
                                  .y = {.label = "number"},
                                  .series = {std::move(bars)}},
                .note = fmt::format("The first {} of {}.", std::min(few, array->count()),
                                    format_count(array->count()))};
}

/// Of the latest run at each stride that has the bench's elements, offset and workgroup size.
std::optional<Plot> stride_picture(const Prepared& asked, std::span<const Report* const> history) {
    const Values& values = asked.values();
    std::map<std::uint64_t, double> times;
    for (const Report* report : std::views::reverse(history)) {
        const Experiment& run = report->experiment;
        const bool is_like = run.variant == "strided" && !run.kernel &&
                             run.values[key::elements] == values[key::elements] &&
                             run.values[key::offset] == values[key::offset] &&
                             run.values[key::workgroup_size] == values[key::workgroup_size];
        const auto time = metric(*report, "kernel_ns"), taken = metric(*report, "results");
        if (is_like && time && *time > 0 && taken) times.emplace(run.values[key::stride], *time / *taken);
    }
    if (times.empty()) return std::nullopt;
    Series line{.label = "kernel", .ink = Ink::kernel};
    for (const auto& [stride, time] : times) {
        line.x.push_back(static_cast<double>(stride));
        line.y.push_back(time);
    }
    return Plot{
        .id = "per_stride",
        .title = "Time for each number that is taken",
        .content = Figure{.x = {.label = "stride", .scale = AxisScale::logarithmic, .whole_numbers = true},
                          .y = {.label = "time", .unit = "ns", .scale = AxisScale::logarithmic},
                          .series = {std::move(line)}},
        .note = fmt::format("The latest run at each stride.{}",
                            times.size() < 2 ? " Run other strides to see the line grow." : "")};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    all.push_back(example());
    if (input.report) add(results_picture(*input.report));
    // Values that are out of their range have no plan.
    if (input.asked.plan.steps.empty()) return all;
    add(recorded_plot(input, "ruler", "Sectors that the first loads fetch", &recorded_ruler));
    if (input.asked.variant->id == "strided") add(stride_picture(input.asked, input.history));
    return all;
}

}  // namespace gridstride::lessons::coalescing
