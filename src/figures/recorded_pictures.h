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

#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "lesson/taken_recording.h"
#include "trace/trace.h"

namespace gridstride {

/// What is drawn from a trace, and the sentence below its title.
struct Drawn {
    decltype(Plot::content) content = Cells{};
    std::string note = {};
};
/// Cells drawn from a trace, the result of most functions below.
struct RecordedCells {
    Cells cells;
    std::string note = {};
    operator Drawn() && { return {std::move(cells), std::move(note)}; }
};
/// `records` come from trace::records_of() and are not empty.
using DrawRecorded = std::function<Drawn(const trace::Trace& trace, std::span<const trace::Record> records)>;

/// Draws the trace of a launch (a dispatch of the plan, from 0) with `draw`. The picture has no rows if the
/// trace has no records. If there is no trace of this launch, Plot::missing states why; the session records
/// one as soon as the user looks at such a picture.
Plot recorded_plot(const PictureInput& input, std::string id, std::string title, const DrawRecorded& draw,
                   std::uint32_t launch = 0);

/// Appends a sentence to a note, with a space. Does nothing if it is empty.
void add_sentence(std::string& note, const std::string& sentence);

/// Returns a sentence about which workgroups were traced; empty if all were.
std::string which_workgroups(const trace::Trace& trace);

/// An activity of invocations between two barriers.
struct Doing {
    Cells::Kind kind;  ///< kind of its cells; without a label they are shown as idle
    std::string many;  ///< "add": "64 of 128 add"
    std::string row;   ///< label of a row of this activity, numbered if there are several
};
struct LevelWords {
    /// reads and writes workgroup memory, or any atomic
    Doing acts = {{"adds", Ink::kernel}, "add", "level"};
    /// writes workgroup memory without reading it
    Doing stores = {{"stores", Ink::download}, "store", "store"};
    Doing reads = {{"reads", Ink::cpu}, "read", "read"};  ///< only reads what another invocation wrote
    /// of an invocation whose value another one reads, and that does nothing else
    std::string is_read = "its value is read";
    std::string file = {};      ///< the source file whose accesses count; empty: all
    std::size_t max_rows = 12;  ///< the first ones are shown
};
/// Draws the first traced workgroup: one row for each interval between barriers in which anything happens,
/// one cell per invocation.
RecordedCells levels_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        const LevelWords& words = {});

/// Draws the order in which invocations access a buffer: the first row has the first element that each
/// invocation loads or stores, the next row the next one. One cell per invocation or, for many workgroups,
/// per workgroup. `noun` names an element, such as "number".
RecordedCells passes_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        std::string_view buffer, const std::string& noun);

/// Draws which of a buffer's first elements each of the first invocations accesses: one row per invocation,
/// one cell per element.
RecordedCells takers_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        std::string_view buffer, const std::string& noun);

/// Draws which workgroup wrote each element of a buffer: one cell per element in the colour of its workgroup,
/// `columns` per row, the first rows only. Elements from `count` on lie behind the array; they are shown if
/// the kernel wrote there. `noun` names an element, such as "element".
RecordedCells owners_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        std::string_view buffer, std::uint64_t count, std::uint64_t columns,
                        const std::string& noun);

/// Draws takers_of() for the main launch, as picture "who".
Plot who_takes_which(const PictureInput& input, const std::string& buffer, const std::string& noun);

struct MeetingWords {
    Cells::Kind alone, first, later, elsewhere;
    bool in_arrays = false;  ///< only elements of arrays, not scalars
};
/// Draws which invocations of a subgroup access the same address together, with atomics or, if there are
/// none, with stores: one row for each of the first accesses, one cell per lane.
RecordedCells meetings_of(const trace::Trace& trace, std::span<const trace::Record> records,
                          const MeetingWords& words);

// For Figures::recorded().
inline DrawRecorded levels_of(LevelWords words = {}) {
    return [words](const auto& trace, auto records) { return levels_of(trace, records, words); };
}
inline DrawRecorded passes_of(std::string buffer, std::string noun) {
    return [=](const auto& trace, auto records) { return passes_of(trace, records, buffer, noun); };
}
inline DrawRecorded meetings_of(MeetingWords words) {
    return [words](const auto& trace, auto records) { return meetings_of(trace, records, words); };
}

}  // namespace gridstride
