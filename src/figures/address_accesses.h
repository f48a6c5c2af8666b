// The accesses to one address, one after another: what each invocation read there and what it wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "figures/trace_pictures.h"

namespace gridstride {

/// The access of one invocation to the address. Values are texts; empty: it did not read, or did not write.
struct AddressAccess {
    std::string invocation = {};  ///< "invocation 3", for the hover text
    std::string value_read = {};
    std::string value_written = {};
    bool is_atomic = false;        ///< reads and writes in one step
    std::string value_added = {};  ///< by an atomic addition
};

/// Draws the accesses in this order, with a row for reads and one for writes. Neighbours that read the same
/// value and write are drawn as if first all of them read and then all of them write, which explains why all
/// writes but one are lost.
Cells draw_accesses(std::span<const AddressAccess> accesses);

/// Draws the first accesses to the element of a buffer that has the most.
TraceCells draw_address_accesses(const trace::Trace& trace, std::span<const trace::Record> records,
                                 std::string_view buffer);

// For Figures::traced().
inline DrawTrace draw_address_accesses(std::string buffer) {
    return [=](const auto& trace, auto records) { return draw_address_accesses(trace, records, buffer); };
}

}  // namespace gridstride
