// Pictures drawn from a trace, of what each invocation did on the device, also for the user's own kernel. The
// lesson supplies the words.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/language.h"
#include "lesson/analyzed_trace.h"
#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "trace/trace.h"

namespace gridstride {

/// Cells drawn from a trace, and the sentence below their title.
struct TraceDrawing {
    decltype(Plot::content) content = Cells{};
    std::string note = {};
};
/// Cells drawn from a trace, the result of most functions below.
struct TraceCells {
    Cells cells;
    std::string note = {};
    operator TraceDrawing() && { return {std::move(cells), std::move(note)}; }
};
/// `records` come from trace::decode_records() and are not empty.
using DrawTrace =
    std::function<TraceDrawing(const trace::Trace& trace, std::span<const trace::Record> records)>;

/// Draws the trace of a launch (a dispatch of the plan, from 0) with `draw`. The picture has no rows if the
/// trace has no records. If there is no trace of this launch, Plot::missing_reason states why; the session
/// requests one as soon as the user looks at such a picture.
Plot trace_plot(const PictureInput& input, std::string id, std::string title, const DrawTrace& draw,
                std::uint32_t launch = 0);

/// Appends a sentence to a note, with a space. Does nothing if it is empty.
void add_sentence(std::string& note, const std::string& sentence);

/// Returns a sentence about which workgroups were traced; empty if all were.
std::string traced_workgroups_text(const trace::Trace& trace);

/// An activity of invocations between two barriers.
struct Activity {
    Cells::Kind kind;  ///< of its cells; cells of a kind without a label are drawn as idle
    std::string many;  ///< "add": "64 of 128 add"
    std::string row;   ///< label of a row of this activity, numbered if there are several
};
struct LevelLabels {
    /// reads what another invocation wrote to workgroup memory and writes there, or an atomic: one on a
    /// buffer counts between barriers where nothing accesses workgroup memory
    Activity acts = {{tr("adds"), ColorRole::kernel}, "add", "level"};
    /// writes workgroup memory without reading what another invocation wrote
    Activity stores = {{tr("stores"), ColorRole::download}, "store", "store"};
    Activity reads = {
        {tr("reads"), ColorRole::cpu}, "read", "read"};  ///< only reads what another invocation wrote
    /// of an invocation whose value another one reads, and that does nothing else
    std::string is_read = tr("its value is read");
    std::string file = {};      ///< the source file whose accesses count; empty: all
    std::size_t max_rows = 12;  ///< the first ones are shown
};
/// Draws the first traced workgroup: one row for each interval between barriers in which anything happens,
/// one cell per invocation.
TraceCells draw_levels(const trace::Trace& trace, std::span<const trace::Record> records,
                       const LevelLabels& words = {});

/// Draws the order in which invocations access a buffer: the first row has the first element that each
/// invocation loads or stores, the next row the next one. One cell per invocation or, for many workgroups,
/// per workgroup. `noun` names an element, such as "number".
TraceCells draw_passes(const trace::Trace& trace, std::span<const trace::Record> records,
                       std::string_view buffer, const std::string& noun);

/// Draws which of a buffer's first elements each of the first invocations accesses: one row per invocation,
/// one cell per element.
TraceCells draw_access_map(const trace::Trace& trace, std::span<const trace::Record> records,
                           std::string_view buffer, const std::string& noun);

/// Draws which workgroup wrote each element of a buffer: one cell per element in the colour of its workgroup,
/// `columns` per row, the first rows only. Elements from `count` on lie beyond the array; they are shown if
/// the kernel wrote there. `noun` names an element, such as "element".
TraceCells draw_owners(const trace::Trace& trace, std::span<const trace::Record> records,
                       std::string_view buffer, std::uint64_t count, std::uint64_t columns,
                       const std::string& noun);

/// Draws draw_access_map() for the main launch, as picture "who".
Plot access_map_plot(const PictureInput& input, const std::string& buffer, const std::string& noun);

struct ConflictLabels {
    Cells::Kind alone, first, later, elsewhere;
    bool in_arrays = false;  ///< only elements of arrays, not scalars
};
/// Draws which invocations of a subgroup access the same address together, with atomics or, if there are
/// none, with stores: one row for each of the first accesses, one cell per lane.
TraceCells draw_conflicts(const trace::Trace& trace, std::span<const trace::Record> records,
                          const ConflictLabels& words);

// For Figures::traced().
inline DrawTrace draw_levels(LevelLabels words = {}) {
    return [words](const auto& trace, auto records) { return draw_levels(trace, records, words); };
}
inline DrawTrace draw_passes(std::string buffer, std::string noun) {
    return [=](const auto& trace, auto records) { return draw_passes(trace, records, buffer, noun); };
}
inline DrawTrace draw_conflicts(ConflictLabels words) {
    return [words](const auto& trace, auto records) { return draw_conflicts(trace, records, words); };
}

}  // namespace gridstride
