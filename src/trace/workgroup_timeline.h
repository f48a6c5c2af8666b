// The timeline of one workgroup of a trace: its records as rows over time, and the contents of memory after
// each row. The window draws it and steps through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace gridstride::trace {

/// The records of the invocations that executed one site in the same iteration of its loops.
struct TimelineRow {
    std::uint32_t site = 0;
    std::uint32_t iteration = 0;  ///< how many earlier rows have this site: a loop's iteration, from 0
    std::uint32_t epoch = 0;
    std::uint32_t first = 0, count = 0;  ///< the range of its records, see WorkgroupTimeline::at()
};

/// An array or scalar in workgroup memory or in a buffer, divided into cells. A cell is an element, or a part
/// of an element if the kernel accesses parts, as in an array of arrays.
struct Variable {
    MemorySpace space = MemorySpace::workgroup;
    std::uint32_t binding = 0;
    std::string name;
    std::uint64_t first_byte = 0, element_bytes = 0;  ///< see Site
    std::uint64_t cell_bytes = 0;                     ///< 0: it is not an array
    std::uint64_t cells = 0;                          ///< 0: unknown

    std::uint64_t cells_per_element() const {
        return element_bytes > cell_bytes ? element_bytes / cell_bytes : 1;
    }
};
/// Returns, for example, "tile[1][3]".
std::string cell_text(const Variable& variable, std::uint64_t cell);

struct CellAccess {
    std::uint32_t variable = 0;
    std::uint64_t cell = 0;
    std::uint32_t row = 0;
    std::uint32_t record = 0;
};

/// The state of a cell after a row; all three are records.
struct CellState {
    std::uint32_t value = no_record;   ///< the last record that shows its value; no_record: unknown
    std::uint32_t writer = no_record;  ///< the last record that wrote it
    std::uint32_t now = no_record;     ///< a record of this row that accessed it
};

/// Rows are ordered by epoch (the barriers passed), then by loop iteration, then by position in the source.
/// The records of each invocation keep their order, and records of several invocations at the same site and
/// iteration share a row. Without a barrier between two rows, their order says nothing about which happened
/// first. Construction is linear in the workgroup's records.
class WorkgroupTimeline {
 public:
    /// `records` must come from decode_records() and outlive this object, like `trace`.
    WorkgroupTimeline(const Trace& trace, std::span<const Record> records, std::uint64_t workgroup);

    std::uint64_t workgroup() const { return workgroup_; }
    const std::vector<TimelineRow>& rows() const { return rows_; }
    /// The records of a row, ordered by invocation: indices into `records`.
    std::span<const std::uint32_t> at(const TimelineRow& row) const {
        return std::span(records_by_row_).subspan(row.first, row.count);
    }
    /// Returns the record of an invocation in a row, or no_record.
    std::uint32_t record_at(std::size_t row, std::uint32_t invocation) const;
    /// Returns the row of a record. The record must belong to this workgroup, see has().
    std::size_t row_of(std::uint32_t record) const { return row_by_record_[record - first_record_]; }
    bool has(std::uint32_t record) const {
        return record >= first_record_ && record - first_record_ < row_by_record_.size();
    }
    std::uint32_t invocations() const { return invocations_; }

    const std::vector<Variable>& variables() const { return variables_; }
    /// Returns nullopt for a barrier.
    std::optional<std::size_t> variable_index(std::uint32_t site) const;
    /// Returns the first cell that a record accesses; 0 if the variable is not an array.
    std::uint64_t first_cell(std::uint32_t record) const { return cell_range(record).first; }
    /// Returns the first and the last cell that a record accesses, both inclusive.
    std::pair<std::uint64_t, std::uint64_t> cell_range(std::uint32_t record) const;
    /// Returns the accesses to a cell, ordered by row; or those to a variable, ordered by cell and then row.
    std::span<const CellAccess> accesses_to(std::size_t variable, std::uint64_t cell) const;
    std::span<const CellAccess> accesses_to(std::size_t variable) const;
    CellState cell(std::size_t variable, std::uint64_t number, std::size_t row) const;

 private:
    void order_rows();
    void find_variables();
    void find_accesses();

    const Trace* trace_;
    std::span<const Record> records_;
    std::uint64_t workgroup_;
    std::uint32_t first_record_ = 0, invocations_ = 0;
    std::vector<TimelineRow> rows_;
    std::vector<std::uint32_t> records_by_row_, row_by_record_;
    std::vector<Variable> variables_;
    std::vector<std::uint32_t> variable_by_site_;
    std::vector<CellAccess> accesses_;
};

}  // namespace gridstride::trace
