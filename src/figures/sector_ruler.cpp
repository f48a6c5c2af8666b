#include "figures/sector_ruler.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/units.h"
#include "trace/requests.h"
#include "trace/trace_text.h"

namespace gridstride {

namespace {

constexpr std::uint64_t word_bytes = 4, words_per_sector = trace::sector_bytes / word_bytes;

/// The lane that accesses each word of a sector; nullopt: fetched, but not used.
using Lanes = std::array<std::optional<std::uint64_t>, words_per_sector>;

enum Cell : std::uint8_t { gap, used, unused, not_fetched };

/// A store fetches nothing; its sectors are needed.
Cells empty_cells(bool has_stores = false) {
    return {.kinds = {{"", ColorRole::quiet, Cells::Fill::empty},
                      {tr("used by a lane"), ColorRole::upload},
                      {has_stores ? tr("of a needed sector, but not used") : tr("fetched, but not used"),
                       ColorRole::quiet, Cells::Fill::hatched},
                      {has_stores ? tr("not needed") : tr("not fetched"), ColorRole::quiet,
                       Cells::Fill::outlined}},
            .cell_name = tr("4 bytes")};
}

/// nullopt: the sector is not fetched.
void add_sector(Cells& cells, std::uint64_t number, const std::optional<Lanes>& lanes) {
    Cells::Row& row = cells.rows.back();
    const auto add = [&](Cell cell, std::string text) {
        row.kinds.push_back(cell);
        row.hover_texts.push_back(std::move(text));
    };
    if (!row.kinds.empty()) add(gap, tr("between two sectors"));
    for (std::uint64_t word = 0; word < words_per_sector; ++word) {
        const std::uint64_t byte = number * trace::sector_bytes + word * word_bytes;
        const std::string where =
            tr("bytes {} to {}", format_count(byte), format_count(byte + word_bytes - 1));
        if (!lanes)
            add(not_fetched, where + ": " + cells.kinds[not_fetched].label);
        else if (const auto lane = lanes->at(word))
            add(used, tr("{}: lane {}", where, *lane));
        else
            add(unused, where + ": " + cells.kinds[unused].label);
    }
}

/// Omits sectors between the fetched ones; fills the last row with the sectors behind them.
void add_request(Cells& cells, const std::string& label, std::span<const LaneAccess> accesses,
                 std::size_t sectors_per_row) {
    std::map<std::uint64_t, Lanes> sectors;
    for (const LaneAccess& access : accesses)
        for (std::uint64_t word = access.byte / word_bytes; word * word_bytes < access.byte + access.bytes;
             ++word)
            sectors[word / words_per_sector].at(word % words_per_sector) = access.lane;
    if (sectors.empty()) return;
    const std::size_t first_row = cells.rows.size();
    std::uint64_t words_used = 0, next = 0;
    std::size_t place = 0;
    for (const auto& [number, lanes] : sectors) {
        if (place++ % sectors_per_row == 0) cells.rows.emplace_back();
        add_sector(cells, number, lanes);
        words_used += static_cast<std::uint64_t>(
            std::ranges::count_if(lanes, [](const auto& lane) { return lane.has_value(); }));
        next = number + 1;
    }
    for (; place % sectors_per_row != 0; ++place)
        add_sector(cells, next++, std::nullopt);
    cells.rows[first_row].label = label;
    const double used_fraction =
        static_cast<double>(words_used) / static_cast<double>(sectors.size() * words_per_sector);
    cells.rows[first_row].note =
        tr("{}, {} used", counted(sectors.size(), "sector", "sectors"), format_percent(used_fraction).text());
}

}  // namespace

Cells draw_load_sectors(const std::string& label, std::span<const LaneAccess> accesses) {
    Cells cells = empty_cells();
    add_request(cells, label, accesses, std::max<std::size_t>(accesses.size(), 1));
    return cells;
}

TraceCells draw_first_sectors(const trace::Trace& trace, std::span<const trace::Record> records,
                              bool with_stores) {
    constexpr std::size_t max_rows = 8, max_sectors_per_row = 16;
    const trace::Requests requests = trace::group_requests(trace, records);
    std::vector<const trace::Request*> shown;
    std::set<std::uint32_t> sites;
    std::set<std::uint32_t> lines;
    for (const trace::Request& request : requests.all) {
        const trace::Site& site = trace.sites[request.site];
        const trace::Request& first = requests.all.front();
        const bool is_drawn =
            site.kind == trace::SiteKind::load || (with_stores && site.kind == trace::SiteKind::store);
        if (!is_drawn || site.space != trace::MemorySpace::buffer || request.workgroup != first.workgroup ||
            request.subgroup != first.subgroup)
            continue;
        shown.push_back(&request);
        sites.insert(request.site);
        lines.insert(site.line);
    }
    // A line may load several times, as in x[i] + x[j]: its loads are numbered in the order of execution.
    std::ranges::stable_sort(shown, {}, [&](const trace::Request* request) {
        return std::pair(trace.sites[request->site].line, request->execution);
    });
    const std::uint32_t times = sites.size() > 2 ? 1 : sites.size() > 1 ? 2 : 4;
    TraceCells result{.cells = empty_cells(with_stores)};
    std::map<std::pair<std::uint32_t, trace::SiteKind>, std::uint32_t> counts;  // of drawn requests
    for (const trace::Request* const request : shown) {
        if (request->execution >= times || result.cells.rows.size() >= max_rows) continue;
        const trace::Site& site = trace.sites[request->site];
        std::vector<LaneAccess> accesses;
        for (const std::uint32_t i : requests.of(*request))
            accesses.push_back({records[i].lane, records[i].offset, site.bytes});
        const std::string where = lines.size() > 1 ? tr("line {}, ", site.line) : std::string();
        const std::uint32_t number = ++counts[{site.line, site.kind}];
        add_request(result.cells,
                    site.kind == trace::SiteKind::load ? tr("{}load {}", where, number)
                                                       : tr("{}store {}", where, number),
                    accesses, std::clamp<std::size_t>(trace.subgroup_size, 1, max_sectors_per_row));
    }
    result.note =
        tr("The loads of a subgroup of {} lanes. A cell is 4 bytes, eight cells are a sector (modelled). "
           "Sectors in between are left out.",
           trace.subgroup_size);
    return result;
}

}  // namespace gridstride
