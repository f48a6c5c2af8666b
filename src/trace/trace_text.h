// Text for sites and records, shared by findings, the command line and the window.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace gridstride::trace {

/// Returns, for example, "68", "1.5" or "1;2;3;4"; empty if the record holds no value.
std::string value_text(const Site& site, const Record& record);
/// Returns the number that an atomic added: "64"; empty if the site does not add.
std::string addend_text(const Site& site, const Record& record);
/// Names the accessed element: "sums[67]", "tile[1][4]", "particles[3].velocity", "total" for a scalar,
/// "sums[-1]" for an access before the array. An access to several elements at once is named by its variable
/// alone.
std::string element_text(const Site& site, const Record& record);

/// Returns false if the site is in a file that the kernel includes.
bool is_in_kernel_file(const Trace& trace, const Site& site);

/// A line of the kernel or of a file that it includes.
struct SourceLine {
    std::string file = {};   ///< name without its folder; empty: the kernel itself
    std::uint32_t line = 0;  ///< from 1
    auto operator<=>(const SourceLine&) const = default;
};
SourceLine line_at(const Trace& trace, const Site& site);
std::string source_line_text(const SourceLine& line);                     ///< "34", "scan.glsl:12"
std::optional<SourceLine> parse_source_line(std::string_view text);       ///< nullopt: invalid
std::string line_text(const Trace& trace, const Site& site);              ///< "line 34", "line scan.glsl:12"
std::string workgroup_text(const Trace& trace, std::uint64_t workgroup);  ///< "workgroup 3", "(1, 2)"
/// Returns "Workgroup 3 ran on multiprocessor 17. 12 other workgroups ran at the same time, 1 of them
/// on the same multiprocessor."; or a sentence that this is not known. Linear in the workgroups.
std::string placement_text(const Trace& trace, std::uint64_t workgroup);
/// A sentence that the launch has more workgroups than placements; empty: it has not, or there are none.
std::string placed_workgroups_text(const Trace& trace);
std::string invocation_text(const Trace& trace, const Record& record);  ///< "invocation 67", "(3, 2)"
std::string invocation_text(const Trace& trace, std::uint32_t invocation);
std::string site_text(const Trace& trace, const Site& site);  ///< "line 34 reads sums"
std::string_view verb(SiteKind kind);                         ///< "reads", "writes", "changes", "waits"
/// Says why the trace is incomplete: "3 records did not fit into the record buffer", "only workgroups 0 to 15
/// of 64 were traced"; empty if it is complete.
std::string incomplete_reason(const Trace& trace);
/// The same for the branches.
std::string incomplete_branches_reason(const Trace& trace);
/// Capitalizes the first character: "Line 34".
std::string in_sentence_case(std::string text);

}  // namespace gridstride::trace
