// One workgroup of a recording as rows over time, and its memory at each of them: what a window draws and
// steps through.
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

/// What invocations of the workgroup did at one place of the source, in the same turn of its loops.
struct Row {
    std::uint32_t site = 0;
    std::uint32_t turn = 0;  ///< rows of this site before it: a loop's 0th, 1st …
    std::uint32_t epoch = 0;
    std::uint32_t first = 0, count = 0;  ///< of the records in Lanes::at()
};

/// What is accessed under one name: an array of the workgroup's, or of a buffer. Its cells are its elements;
/// where parts of them are accessed, as of an array of arrays, such parts.
struct Variable {
    Space space = Space::workgroup;
    std::uint32_t binding = 0;
    std::string name;
    std::uint64_t first_byte = 0, element_bytes = 0;  ///< as Site has them
    std::uint64_t cell_bytes = 0;                     ///< 0: no array
    std::uint64_t cells = 0;                          ///< 0: not known

    /// Cells of an element.
    std::uint64_t cells_each() const { return element_bytes > cell_bytes ? element_bytes / cell_bytes : 1; }
};
/// "tile[1][3]"
std::string cell_text(const Variable& variable, std::uint64_t cell);

/// That a row touched a cell.
struct CellTouch {
    std::uint32_t variable = 0;
    std::uint64_t cell = 0;
    std::uint32_t row = 0;
    std::uint32_t record = 0;
};

/// A cell as it stands behind a row.
struct Cell {
    std::uint32_t value = no_record;   ///< the record that tells its value last; no_record: not known
    std::uint32_t writer = no_record;  ///< the last one that changed it
    std::uint32_t now = no_record;     ///< one that touched it in this very row
};

/// Rows go from the first barrier to the last, within an epoch by turns of loops, and there by place in the
/// source: each invocation's records stand in its own order, and what several did at the same turn stands in
/// one row. Between invocations that no barrier parts, the order of rows is a way to read them, not what
/// happened first. Made in time linear in the workgroup's records.
class Lanes {
 public:
    /// `records` as records_of() gives them, and kept by the caller.
    Lanes(const Trace& trace, std::span<const Record> records, std::uint64_t workgroup);

    std::uint64_t workgroup() const { return workgroup_; }
    const std::vector<Row>& rows() const { return rows_; }
    /// A row's records, by invocation: places in `records`.
    std::span<const std::uint32_t> at(const Row& row) const {
        return std::span(by_row_).subspan(row.first, row.count);
    }
    /// What this invocation did in the row; no_record: nothing.
    std::uint32_t record_at(std::size_t row, std::uint32_t invocation) const;
    /// The row of a record of this workgroup.
    std::size_t row_of(std::uint32_t record) const { return row_of_[record - first_record_]; }
    bool has(std::uint32_t record) const {
        return record >= first_record_ && record - first_record_ < row_of_.size();
    }
    std::uint32_t invocations() const { return invocations_; }

    const std::vector<Variable>& variables() const { return variables_; }
    /// nullopt: a barrier's.
    std::optional<std::size_t> variable_of(std::uint32_t site) const;
    /// The cell at which a record's access begins; 0 where there is no array.
    std::uint64_t cell_of(std::uint32_t record) const { return cells_of(record).first; }
    /// From there to the last one, with it.
    std::pair<std::uint64_t, std::uint64_t> cells_of(std::uint32_t record) const;
    /// All that touched a cell, by rows; ordered by cell as a whole.
    std::span<const CellTouch> touches(std::size_t variable, std::uint64_t cell) const;
    std::span<const CellTouch> touches(std::size_t variable) const;
    Cell cell(std::size_t variable, std::uint64_t number, std::size_t row) const;

 private:
    void order_rows();
    void find_variables();
    void find_touches();

    const Trace* trace_;
    std::span<const Record> records_;
    std::uint64_t workgroup_;
    std::uint32_t first_record_ = 0, invocations_ = 0;
    std::vector<Row> rows_;
    std::vector<std::uint32_t> by_row_, row_of_;
    std::vector<Variable> variables_;
    std::vector<std::uint32_t> variable_of_site_;
    std::vector<CellTouch> touches_;
};

}  // namespace gridstride::trace
