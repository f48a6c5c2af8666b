// Sites and records in words: what findings, the command line and the window say alike.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trace/trace.h"

namespace gridstride::trace {

std::string value_text(const Site& site,
                       const Record& record);  ///< "68", "1.5", "1;2;3;4"; "": none was kept
/// "sums[67]", "tile[1][4]", "particles[3].velocity", "total" where it is no array, "sums[-1]" below it. Of
/// an access to several elements at once the variable alone.
std::string place_text(const Site& site, const Record& record);

/// Else it is in a file that the kernel includes.
bool is_in_kernel_itself(const Trace& trace, const Site& site);

/// A line of the kernel or of what it includes, as people name it.
struct SourceLine {
    std::string file = {};   ///< without its folder; empty: the kernel itself
    std::uint32_t line = 0;  ///< from 1
    auto operator<=>(const SourceLine&) const = default;
};
SourceLine line_of(const Trace& trace, const Site& site);
std::string text_of(const SourceLine& line);                              ///< "34", "scan.glsl:12"
std::optional<SourceLine> source_line(std::string_view text);             ///< nullopt: it names none
std::string line_text(const Trace& trace, const Site& site);              ///< "line 34", "line scan.glsl:12"
std::string workgroup_text(const Trace& trace, std::uint64_t workgroup);  ///< "workgroup 3", "(1, 2)"
/// "Workgroup 3 ran on multiprocessor 17. Of the others that were recorded, 12 ran at the same time, 1 of
/// them there."; or that the device does not tell. Linear in the workgroups.
std::string stay_text(const Trace& trace, std::uint64_t workgroup);
std::string invocation_text(const Trace& trace, const Record& record);  ///< "invocation 67", "(3, 2)"
std::string invocation_text(const Trace& trace, std::uint32_t invocation);
std::string doing_text(const Trace& trace, const Site& site);  ///< "line 34 reads sums"
std::string_view verb(SiteKind kind);                          ///< "reads", "writes", "changes", "waits"
/// Why something may have happened that is not in the records: "3 records found no room", "only workgroups 0
/// to 15 of 64 were recorded"; empty: all is there.
std::string missing_text(const Trace& trace);
std::string in_sentence_case(std::string text);  ///< "Line 34"

}  // namespace gridstride::trace
