#include "lesson/read_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/units.h"

namespace gridstride {

namespace {

/// Of the first elements of the buffer, as many as this holds.
std::vector<std::uint32_t> loads_of(const trace::Trace& trace, std::span<const trace::Record> records,
                                    std::string_view buffer, std::uint64_t most) {
    const auto of = std::ranges::find(trace.buffers, buffer, &trace::TracedBuffer::name);
    if (of == trace.buffers.end()) return {};
    const std::uint64_t size = byte_size(of->type);
    std::vector<std::uint32_t> counts(std::min(most, of->elements));
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        if (site.kind != trace::SiteKind::load || site.space != trace::Space::buffer || record.outside != 0 ||
            trace.buffers[site.binding].name != buffer)
            continue;
        const std::uint64_t end =
            std::min<std::uint64_t>((record.offset + site.bytes + size - 1) / size, counts.size());
        for (std::uint64_t element = record.offset / size; element < end; ++element)
            ++counts[element];
    }
    return counts;
}

/// "read once", "read 1.75 times, as a mean".
std::string how_often(std::span<const std::uint32_t> counts) {
    const auto [least, most] = std::ranges::minmax(counts);
    if (least == most) return most == 1 ? "read once" : fmt::format("read {} times", most);
    const double loads = std::accumulate(counts.begin(), counts.end(), 0.0);
    return fmt::format("read {} times, as a mean",
                       format_significant(loads / static_cast<double>(counts.size())));
}

}  // namespace

RecordedCells read_counts_of(const trace::Trace& trace, std::span<const trace::Record> records,
                             std::string_view buffer, std::uint64_t columns, const std::string& noun) {
    constexpr std::uint64_t most_rows = 8, most_cells = 64, room_to_write = 32, many = 4;
    RecordedCells made{.cells = {.kinds = {{"not read, or not recorded", Ink::quiet, Cells::Fill::outlined},
                                           {"read once", Ink::upload},
                                           {"twice", Ink::kernel},
                                           {"three times", Ink::download},
                                           {"more often", Ink::caution}},
                                 .cell_name = noun}};
    const std::vector<std::uint32_t> counts = loads_of(trace, records, buffer, most_rows * columns);
    const std::uint64_t cells = std::min(most_cells, columns), rows = counts.size() / columns;
    for (std::uint64_t row = 0; row < rows; ++row) {
        Cells::Row& drawn = made.cells.rows.emplace_back();
        drawn.label = fmt::format("row {}", row);
        const std::span<const std::uint32_t> own = std::span(counts).subspan(row * columns, columns);
        drawn.note = how_often(own);
        for (std::uint64_t cell = 0; cell < cells; ++cell) {
            const std::uint64_t column = cell * columns / cells;
            const std::uint32_t count = own[column];
            drawn.kinds.push_back(static_cast<std::uint8_t>(std::min<std::uint64_t>(count, many)));
            drawn.said.push_back(
                fmt::format("{} {} of the row: read {}", noun, format_count(column), counted(count, "time")));
            if (cells <= room_to_write) drawn.written.push_back(std::to_string(count));
        }
    }
    made.note =
        cells == columns
            ? fmt::format("A cell is one {} of the row.", noun)
            : fmt::format("A cell is one {} in {} of the row, evenly spread.", noun,
                          format_significant(static_cast<double>(columns) / static_cast<double>(cells)));
    return made;
}

}  // namespace gridstride
