#include "trace/workgroup_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "trace/sort.h"

namespace gridstride::trace {

namespace {

/// An access to more cells is counted for the first ones only.
constexpr std::uint64_t max_cells_per_access = 64;

struct RowSortKey {
    std::uint64_t epoch = 0;  ///< doubled; plus one for a barrier, which follows the epoch that it ends
    std::uint64_t subgroup_epoch = 0;
    std::uint64_t place = 0;  ///< the iteration, above the site's 16 bits
    bool operator==(const RowSortKey&) const = default;
};

/// Returns the size of the part of an element that a site accesses; for a struct, the whole element.
std::uint64_t accessed_bytes(const Site& site) {
    const bool parts = site.member.empty() && site.bytes > 0 && site.bytes < site.element_bytes &&
                       site.element_bytes % site.bytes == 0;
    return parts ? site.bytes : site.element_bytes;
}

bool writes(const Site& site) {
    return site.kind == SiteKind::store || site.kind == SiteKind::atomic;
}

}  // namespace

std::string cell_text(const Variable& variable, std::uint64_t cell) {
    if (variable.cell_bytes == 0) return variable.name;
    const std::uint64_t each = variable.cells_per_element();
    std::string text = fmt::format("{}[{}]", variable.name, cell / each);
    return each > 1 ? text + fmt::format("[{}]", cell % each) : text;
}

WorkgroupTimeline::WorkgroupTimeline(const Trace& trace, std::span<const Record> records,
                                     std::uint64_t workgroup)
    : trace_(&trace),
      records_(records),
      workgroup_(workgroup),
      invocations_(static_cast<std::uint32_t>(trace.workgroup.product())) {
    const auto [begin, end] = std::ranges::equal_range(records, workgroup, {}, &Record::workgroup);
    first_record_ = static_cast<std::uint32_t>(begin - records.begin());
    row_by_record_.resize(static_cast<std::size_t>(end - begin));
    order_rows();
    find_variables();
    find_accesses();
}

void WorkgroupTimeline::order_rows() {
    std::vector<RowSortKey> keys;  // by record
    keys.reserve(row_by_record_.size());
    const Record* previous = nullptr;
    std::uint32_t iteration = 0;
    for (const Record& record : records_.subspan(first_record_, row_by_record_.size())) {
        const bool same_invocation = previous && previous->invocation == record.invocation &&
                                     previous->epoch == record.epoch &&
                                     previous->subgroup_epoch == record.subgroup_epoch;
        if (!same_invocation)
            iteration = 0;
        else if (record.site <= previous->site)  // a loop has started its next iteration
            ++iteration;
        const Site& site = trace_->sites[record.site];
        const bool barrier = site.kind == SiteKind::barrier;
        const auto order_key = [](std::uint32_t number, bool ends) {
            return 2 * std::uint64_t{number} + (ends ? 1 : 0);
        };
        // At a barrier all lanes meet, however many iterations each has executed.
        keys.push_back({order_key(record.epoch, barrier && !site.is_subgroup_barrier),
                        order_key(record.subgroup_epoch, barrier),
                        std::uint64_t{barrier ? 0 : iteration} << 16 | record.site});
        previous = &record;
    }
    std::vector<std::uint32_t> order = make_indices(keys.size());
    sort_by(order, [&](std::uint32_t i) { return keys[i].place; });
    sort_by(order, [&](std::uint32_t i) { return keys[i].subgroup_epoch; });
    sort_by(order, [&](std::uint32_t i) { return keys[i].epoch; });

    std::vector<std::uint32_t> rows_of_site(trace_->sites.size());
    records_by_row_.reserve(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const std::uint32_t record = first_record_ + order[i];
        const std::uint32_t site = records_[record].site;
        if (i == 0 || keys[order[i - 1]] != keys[order[i]])
            rows_.push_back(
                {site, rows_of_site[site]++, records_[record].epoch, static_cast<std::uint32_t>(i), 0});
        ++rows_.back().count;
        records_by_row_.push_back(record);
        row_by_record_[order[i]] = static_cast<std::uint32_t>(rows_.size() - 1);
    }
}

std::uint32_t WorkgroupTimeline::record_at(std::size_t row, std::uint32_t invocation) const {
    const std::span<const std::uint32_t> all = at(rows_[row]);
    const auto found = std::ranges::lower_bound(all, invocation, {}, [&](std::uint32_t record) {
        return std::uint32_t{records_[record].invocation};
    });
    return found != all.end() && records_[*found].invocation == invocation ? *found : no_record;
}

void WorkgroupTimeline::find_variables() {
    for (const Site& site : trace_->sites) {
        if (!is_access(site)) {
            variable_by_site_.push_back(no_record);
            continue;
        }
        Variable variable{.space = site.space,
                          .binding = site.space == MemorySpace::buffer ? site.binding : 0,
                          .name = site.variable,
                          .first_byte = site.first_byte,
                          .element_bytes = site.element_bytes,
                          .cell_bytes = accessed_bytes(site)};
        std::uint64_t bytes = site.variable_bytes;
        if (bytes == 0 && site.space == MemorySpace::buffer && site.binding < trace_->buffers.size()) {
            const TracedBuffer& buffer = trace_->buffers[site.binding];
            bytes = buffer.elements * byte_size(buffer.type);
        }
        // Counts elements until all sites are known.
        if (site.element_bytes == 0)
            variable.cells = 1;
        else if (bytes > site.first_byte)
            variable.cells = (bytes - site.first_byte) / site.element_bytes;
        const auto same = std::ranges::find_if(variables_, [&](const Variable& known) {
            return std::tie(known.space, known.binding, known.name, known.first_byte) ==
                   std::tie(variable.space, variable.binding, variable.name, variable.first_byte);
        });
        variable_by_site_.push_back(static_cast<std::uint32_t>(same - variables_.begin()));
        if (same == variables_.end())
            variables_.push_back(std::move(variable));
        else
            same->cell_bytes = std::gcd(same->cell_bytes, variable.cell_bytes);
    }
    for (Variable& variable : variables_)
        variable.cells *= variable.cells_per_element();
}

std::optional<std::size_t> WorkgroupTimeline::variable_index(std::uint32_t site) const {
    if (variable_by_site_[site] == no_record) return std::nullopt;
    return variable_by_site_[site];
}

std::pair<std::uint64_t, std::uint64_t> WorkgroupTimeline::cell_range(std::uint32_t record) const {
    const Site& site = trace_->sites[records_[record].site];
    const std::uint64_t bytes = variables_[variable_by_site_[records_[record].site]].cell_bytes;
    if (bytes == 0) return {0, 0};
    const std::uint64_t begin = records_[record].offset - site.first_byte;
    return {begin / bytes, (begin + std::max<std::uint64_t>(site.bytes, 1) - 1) / bytes};
}

void WorkgroupTimeline::find_accesses() {
    std::vector<CellAccess> accesses;  // by record
    for (std::uint32_t i = first_record_; i < first_record_ + row_by_record_.size(); ++i) {
        const Record& record = records_[i];
        const Site& site = trace_->sites[record.site];
        // The index of an out-of-bounds access does not give its address.
        if (!is_access(site) || record.out_of_bounds_mask != 0) continue;
        const std::uint32_t variable = variable_by_site_[record.site];
        const std::uint64_t known = variables_[variable].cells;
        auto [first, last] = cell_range(i);
        last = std::min(last, first + max_cells_per_access - 1);
        if (known > 0 && last >= known) continue;
        for (std::uint64_t cell = first; cell <= last; ++cell)
            accesses.push_back({variable, cell, row_by_record_[i - first_record_], i});
    }
    std::vector<std::uint32_t> order = make_indices(accesses.size());
    sort_by(order, [&](std::uint32_t i) { return accesses[i].row; });
    sort_by(order, [&](std::uint32_t i) { return accesses[i].cell; });
    sort_by(order, [&](std::uint32_t i) { return accesses[i].variable; });
    accesses_.reserve(accesses.size());
    for (const std::uint32_t i : order)
        accesses_.push_back(accesses[i]);
}

std::span<const CellAccess> WorkgroupTimeline::accesses_to(std::size_t variable) const {
    const auto found =
        std::ranges::equal_range(accesses_, static_cast<std::uint32_t>(variable), {}, &CellAccess::variable);
    return {found.begin(), found.end()};
}

std::span<const CellAccess> WorkgroupTimeline::accesses_to(std::size_t variable, std::uint64_t cell) const {
    const std::tuple cell_key(static_cast<std::uint32_t>(variable), cell);
    const auto found = std::ranges::equal_range(accesses_, cell_key, {}, [](const CellAccess& touch) {
        return std::tuple(touch.variable, touch.cell);
    });
    return {found.begin(), found.end()};
}

CellState WorkgroupTimeline::cell(std::size_t variable, std::uint64_t number, std::size_t row) const {
    CellState cell;
    const std::span<const CellAccess> all = accesses_to(variable, number);
    const auto kind_of = [&](const CellAccess& touch) {
        return trace_->sites[records_[touch.record].site].kind;
    };
    const auto end = std::ranges::upper_bound(all, row, {}, &CellAccess::row);
    for (auto touch = end; touch != all.begin();) {
        --touch;
        if (touch->row == row) cell.now = touch->record;
        if (writes(trace_->sites[records_[touch->record].site])) {
            cell.writer = touch->record;
            break;
        }
    }
    if (end == all.begin()) return cell;
    const auto last = std::prev(end);
    // The record of an atomic holds the old value. The new value is what the next access finds.
    if (kind_of(*last) != SiteKind::atomic)
        cell.value = last->record;
    else if (end != all.end() && kind_of(*end) != SiteKind::store)
        cell.value = end->record;
    return cell;
}

}  // namespace gridstride::trace
