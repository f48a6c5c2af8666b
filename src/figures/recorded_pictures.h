// Pictures of who did what, from a recording: they show what the device did, with a person's own kernel too.
// The words are the lesson's.
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

/// What is drawn of a recording, and the sentence under its title.
struct Drawn {
    decltype(Plot::content) content = Cells{};
    std::string note = {};
};
/// Cells of a recording: what most of the functions below draw.
struct RecordedCells {
    Cells cells;
    std::string note = {};
    operator Drawn() && { return {std::move(cells), std::move(note)}; }
};
/// `records` as trace::records_of() gives them, one at least.
using DrawRecorded = std::function<Drawn(const trace::Trace& trace, std::span<const trace::Record> records)>;

/// The picture that `draw` makes of the recording, where there is one of this launch (a dispatch of the plan,
/// from 0), without rows where that shows nothing of it; else Plot::missing says why there is none. The
/// session makes a recording when such a picture is looked at.
Plot recorded_plot(const PictureInput& input, std::string id, std::string title, const DrawRecorded& draw,
                   std::uint32_t launch = 0);

/// Behind what a note says already; an empty one adds nothing.
void add_sentence(std::string& note, const std::string& sentence);

/// A sentence that says which workgroups were recorded; empty where all of them were.
std::string which_workgroups(const trace::Trace& trace);

/// What some invocations do between two barriers.
struct Doing {
    Cells::Kind kind;  ///< of their cells; without a label they are idle
    std::string many;  ///< "add": "64 of 128 add"
    std::string row;   ///< what a row is called in which this is done, numbered where there are several
};
struct LevelWords {
    Doing acts = {{"adds", Ink::kernel}, "add", "level"};  ///< reads and writes workgroup memory; any atomic
    Doing stores = {{"stores", Ink::download}, "store", "store"};  ///< writes it, and reads nothing there
    Doing reads = {{"reads", Ink::cpu}, "read", "read"};           ///< reads what another wrote, and no more
    std::string is_read = "its value is read";                     ///< by another; does nothing else
    std::string file = {};      ///< the source file whose accesses count; empty: all do
    std::size_t max_rows = 12;  ///< of more the first ones
};
/// The first workgroup that was recorded: a row for each stretch between two barriers in which anything of
/// this is done, a cell for each invocation.
RecordedCells levels_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        const LevelWords& words = {});

/// Which elements of a buffer are taken, by reading or writing: a row for the first that each invocation
/// takes, then one for the next, a cell for each invocation or, of many workgroups, for each of those.
/// noun: what an element is called, "number".
RecordedCells passes_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        std::string_view buffer, const std::string& noun);

/// Which of a buffer's first elements the first invocations take: a row for each of those, a cell for each
/// element.
RecordedCells takers_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        std::string_view buffer, const std::string& noun);

/// Which workgroup wrote each of a buffer's elements: a cell for each, so many to a row, in the colour of its
/// workgroup; the first rows of many. The buffer's elements from `count` on are not the kernel's to write:
/// they stand behind the others where somebody did. noun: "element".
RecordedCells owners_of(const trace::Trace& trace, std::span<const trace::Record> records,
                        std::string_view buffer, std::uint64_t count, std::uint64_t columns,
                        const std::string& noun);

/// "who": takers_of() the main launch.
Plot who_takes_which(const PictureInput& input, const std::string& buffer, const std::string& noun);

struct MeetingWords {
    Cells::Kind alone, first, later, elsewhere;
    bool in_arrays = false;  ///< only at elements of arrays, not at a number that stands alone
};
/// Which invocations of a subgroup come to the same place together, by atomics or, where there are none, by
/// stores: a row for each of the first times, a cell for each lane.
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
