#include "figures/load_counts.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/language.h"
#include "base/units.h"

namespace gridstride {

namespace {

constexpr std::uint64_t element_bytes = 4;

/// Counts the loads of the buffer's elements, up to `first` of them.
Array count_loads(const trace::Trace& trace, std::span<const trace::Record> records,
                  const trace::TracedBuffer& buffer, std::uint64_t first = UINT64_MAX) {
    Array times(ElementType::u32, std::min(buffer.elements, first));
    const auto counts_of_loads = times.as<std::uint32_t>();
    std::ranges::fill(counts_of_loads, 0U);
    for (const trace::Record& record : records) {
        const trace::Site& site = trace.sites[record.site];
        const bool is_buffer_load = site.kind == trace::SiteKind::load &&
                                    site.space == trace::MemorySpace::buffer &&
                                    record.out_of_bounds_mask == 0 && &trace.buffers[site.binding] == &buffer;
        if (!is_buffer_load) continue;
        const std::uint64_t end =
            std::min<std::uint64_t>((record.offset + site.bytes) / element_bytes, counts_of_loads.size());
        for (std::uint64_t element = record.offset / element_bytes; element < end; ++element)
            ++counts_of_loads[element];
    }
    return times;
}

/// Returns, for example, "read once" or "read 1.75 times, as a mean".
std::string frequency_text(std::span<const std::uint32_t> counts) {
    const auto [min_loads, max_loads] = std::ranges::minmax(counts);
    if (min_loads == max_loads) return max_loads == 1 ? tr("read once") : tr("read {} times", max_loads);
    const double loads = std::accumulate(counts.begin(), counts.end(), 0.0);
    return tr("read {} times on average", format_significant(loads / static_cast<double>(counts.size())));
}

}  // namespace

TraceCells draw_load_counts(const trace::Trace& trace, std::span<const trace::Record> records,
                            std::span<const CountedBuffer> buffers) {
    TraceCells result{.cells = {.shades = Cells::Shades::viridis}};
    for (const CountedBuffer& requested : buffers) {
        const auto buffer = std::ranges::find(trace.buffers, requested.name, &trace::TracedBuffer::name);
        if (buffer == trace.buffers.end() || buffer->elements == 0) continue;
        Array times = count_loads(trace, records, *buffer);
        const std::uint32_t max_loads = *std::ranges::max_element(times.as<std::uint32_t>());
        result.cells.numbers.push_back(
            {tr("{}: up to {}", requested.name, counted(max_loads, "time", "times")), requested.columns,
             share(std::move(times)), 0, static_cast<double>(std::max(max_loads, 1U))});
    }
    result.note = tr("Each cell is a number in memory. Brighter cells were loaded more often.");
    add_sentence(result.note, traced_workgroups_text(trace));
    return result;
}

TraceCells draw_row_load_counts(const trace::Trace& trace, std::span<const trace::Record> records,
                                const CountedBuffer& buffer) {
    constexpr std::uint64_t max_rows = 8, max_cells = 64, max_labelled_cells = 32, many = 4;
    TraceCells result{
        .cells = {.kinds = {{tr("not read, or not traced"), ColorRole::quiet, Cells::Fill::outlined},
                            {tr("read once"), ColorRole::upload},
                            {"twice", ColorRole::kernel},
                            {tr("three times"), ColorRole::download},
                            {tr("more often"), ColorRole::caution}},
                  .cell_name = "number"}};
    const auto found = std::ranges::find(trace.buffers, buffer.name, &trace::TracedBuffer::name);
    if (found == trace.buffers.end()) return result;
    const std::uint64_t columns = buffer.columns, cells = std::min(max_cells, columns);
    const Array times = count_loads(trace, records, *found, max_rows * columns);
    const auto counts = times.as<std::uint32_t>();
    for (std::uint64_t row = 0; row < counts.size() / columns; ++row) {
        const auto row_counts = counts.subspan(row * columns, columns);
        Cells::Row& cells_row = result.cells.rows.emplace_back();
        cells_row.label = tr("row {}", row);
        cells_row.note = frequency_text(row_counts);
        for (std::uint64_t cell = 0; cell < cells; ++cell) {
            const std::uint64_t column = cell * columns / cells;
            const std::uint32_t count = row_counts[column];
            cells_row.kinds.push_back(static_cast<std::uint8_t>(std::min<std::uint64_t>(count, many)));
            cells_row.hover_texts.push_back(
                tr("number {} of the row: read {}", format_count(column), counted(count, "time", "times")));
            if (cells <= max_labelled_cells) cells_row.cell_texts.push_back(std::to_string(count));
        }
    }
    result.note = cells == columns
                      ? tr("Each cell is one number of the row.")
                      : tr("Each cell is a number; {} of the {} of a row are drawn, evenly spaced.",
                           format_count(cells), format_count(columns));
    add_sentence(result.note, traced_workgroups_text(trace));
    return result;
}

}  // namespace gridstride
