#include "figures/address_accesses.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "base/language.h"
#include "base/units.h"
#include "lesson/building_blocks.h"
#include "trace/trace_text.h"

namespace gridstride {

namespace {

using trace::Record;
using trace::Site;
using trace::SiteKind;

/// Calls use(accesses) for each group of neighbours that read the same value. An atomic is a group of its
/// own.
template <class Use>
void for_each_same_value(std::span<const AddressAccess> accesses, Use use) {
    const auto is_like = [](const AddressAccess& a, const AddressAccess& b) {
        return !a.is_atomic && !b.is_atomic && !a.value_read.empty() && a.value_read == b.value_read;
    };
    for (std::size_t first = 0, end = 0; first < accesses.size(); first = end) {
        end = first + 1;
        while (end < accesses.size() && is_like(accesses[first], accesses[end]))
            ++end;
        use(accesses.subspan(first, end - first));
    }
}

/// Returns the number with its sign, for example "+64" or "-1".
std::string signed_text(const std::string& number) {
    return number.starts_with('-') ? number : "+" + number;
}

bool is_update(const AddressAccess& access) {
    return !access.value_read.empty() && !access.value_written.empty();
}

class AccessCells {
 public:
    Cells draw(std::span<const AddressAccess> accesses) {
        for_each_same_value(accesses, [&](const auto same_value) { add(same_value); });
        return std::move(cells_);
    }

 private:
    enum Cell : std::uint8_t { nothing, reads, writes, overwrites, changes };

    void add(std::span<const AddressAccess> accesses) {
        const bool is_alone = std::ranges::count_if(accesses, is_update) < 2;
        const auto kind = [&](Cell cell, const AddressAccess& access) {
            return is_alone || !is_update(access) ? cell : overwrites;
        };
        for (const AddressAccess& access : accesses)
            if (access.is_atomic) {
                const bool adds = !access.value_added.empty();
                const std::string hover = tr("{} finds {} and {}", access.invocation, access.value_read,
                                             adds ? tr("adds {}", access.value_added) : tr("changes it"));
                add_column({changes, access.value_read, hover},
                           {changes, adds ? signed_text(access.value_added) : "", hover});
            } else if (!access.value_read.empty()) {
                add_column({kind(reads, access), access.value_read,
                            tr("{} reads {}", access.invocation, access.value_read)},
                           {});
            }
        for (const AddressAccess& access : accesses)
            if (!access.is_atomic && !access.value_written.empty())
                add_column({}, {kind(writes, access), access.value_written,
                                tr("{} writes {}", access.invocation, access.value_written)});
    }

    struct AccessCell {
        Cell kind = nothing;
        std::string text = {}, hover = {};
    };
    void add_column(AccessCell read_cell, AccessCell written_cell) {
        add(cells_.rows[0], std::move(read_cell));
        add(cells_.rows[1], std::move(written_cell));
    }
    static void add(Cells::Row& row, AccessCell cell) {
        row.kinds.push_back(cell.kind);
        row.cell_texts.push_back(std::move(cell.text));
        row.hover_texts.push_back(std::move(cell.hover));
    }

    Cells cells_{.kinds = {{"", ColorRole::quiet, Cells::Fill::empty},
                           {tr("reads"), ColorRole::upload},
                           {tr("writes"), ColorRole::kernel},
                           {tr("read the same value: all writes but one are lost"), ColorRole::wrong},
                           {tr("reads and writes in one step (atomic)"), ColorRole::download}},
                 .rows = {{.label = tr("reads")}, {.label = tr("writes")}},
                 .cell_name = "access"};
};

/// Returns the first component of the value.
double number_of(const Site& site, const Record& record) {
    using trace::ValueType;
    const std::uint64_t wide = std::uint64_t{record.value[1]} << 32 | record.value[0];
    switch (site.value) {
        case ValueType::i8:
        case ValueType::i16:
        case ValueType::i32:
            return static_cast<std::int32_t>(record.value[0]);
        case ValueType::f16:
        case ValueType::f32:
            return std::bit_cast<float>(record.value[0]);
        case ValueType::i64:
            return static_cast<double>(static_cast<std::int64_t>(wide));
        case ValueType::u64:
            return static_cast<double>(wide);
        case ValueType::f64:
            return std::bit_cast<double>(wide);
        default:
            return record.value[0];
    }
}

/// Returns the records of the element of the buffer that has the most, the first of several.
std::vector<const Record*> records_of_one_element(const trace::Trace& trace, std::span<const Record> records,
                                                  std::string_view buffer) {
    std::map<std::uint64_t, std::vector<const Record*>> records_by_offset;
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (trace::is_access(site) && site.space == trace::MemorySpace::buffer &&
            record.out_of_bounds_mask == 0 && trace.buffers[site.binding].name == buffer)
            records_by_offset[record.offset].push_back(&record);
    }
    if (records_by_offset.empty()) return {};
    return std::ranges::max_element(records_by_offset, {}, [](const auto& one) { return one.second.size(); })
        ->second;
}

struct TracedAccess {
    AddressAccess access;
    const Record* record = nullptr;  ///< the first of its records
    double number = 0;               ///< value_read, for sorting
};

/// A store belongs to the load before it, unless a barrier is between them.
std::vector<TracedAccess> pair_loads_with_stores(const trace::Trace& trace,
                                                 std::span<const Record* const> records) {
    std::vector<TracedAccess> all;
    for (const Record* const record : records) {
        const Site& site = trace.sites[record->site];
        const std::string value = trace::value_text(site, *record);
        if (site.kind == SiteKind::store) {
            const bool has_load = !all.empty() && !all.back().access.is_atomic &&
                                  all.back().access.value_written.empty() &&
                                  all.back().record->workgroup == record->workgroup &&
                                  all.back().record->invocation == record->invocation &&
                                  all.back().record->epoch == record->epoch;
            if (!has_load) all.push_back({{}, record});
            all.back().access.value_written = value;
        } else {
            const double number = number_of(site, *record);
            all.push_back({{.value_read = value,
                            .is_atomic = site.kind == SiteKind::atomic,
                            .value_added = trace::addend_text(site, *record)},
                           record,
                           std::isnan(number) ? 0 : number});
        }
        const std::string where = trace.grid.product() > 1
                                      ? tr(" of workgroup {}", format_count(record->workgroup))
                                      : std::string();
        all.back().access.invocation = tr("invocation {}{}", record->invocation, where);
    }
    return all;
}

}  // namespace

Cells draw_accesses(std::span<const AddressAccess> accesses) {
    return remove_unused_kinds(AccessCells().draw(accesses));
}

TraceCells draw_address_accesses(const trace::Trace& trace, std::span<const Record> records,
                                 std::string_view buffer) {
    constexpr std::size_t max_accesses = 12;
    const std::vector<const Record*> element_records = records_of_one_element(trace, records, buffer);
    if (element_records.empty()) return {};
    std::vector<TracedAccess> all = pair_loads_with_stores(trace, element_records);
    // Barriers order the invocations of one workgroup only.
    const bool in_one_workgroup = std::ranges::all_of(element_records, [&](const Record* record) {
        return record->workgroup == element_records.front()->workgroup;
    });
    std::ranges::stable_sort(all, {}, [&](const TracedAccess& one) {
        return std::tuple(one.record->dispatch, in_one_workgroup ? one.record->epoch : 0,
                          !one.access.value_read.empty(), one.number);
    });
    std::vector<AddressAccess> accesses;
    for (TracedAccess& one : all)
        accesses.push_back(std::move(one.access));
    std::ptrdiff_t max_updates = 0;
    for_each_same_value(accesses, [&](const auto same_value) {
        max_updates = std::max(max_updates, std::ranges::count_if(same_value, is_update));
    });
    TraceCells result;
    result.note =
        tr("Accesses to {}, sorted by the value that each found; their order is not in the trace.",
           trace::element_text(trace.sites[element_records.front()->site], *element_records.front()));
    if (max_updates > 0)
        add_sentence(result.note, max_updates > 1
                                      ? tr("Up to {} invocations read the same value and then wrote.",
                                           format_count(static_cast<std::uint64_t>(max_updates)))
                                      : tr("No two invocations read the same value and then wrote."));
    if (accesses.size() > max_accesses) {
        add_sentence(result.note, tr("These are the first {} of {}.", max_accesses,
                                     counted(accesses.size(), "access", "accesses")));
        accesses.resize(max_accesses);
    }
    add_sentence(result.note, traced_workgroups_text(trace));
    result.cells = draw_accesses(accesses);
    return result;
}

}  // namespace gridstride
