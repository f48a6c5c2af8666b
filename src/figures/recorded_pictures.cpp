#include "figures/recorded_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/units.h"
#include "lesson/stock.h"
#include "trace/memories.h"
#include "trace/requests.h"

namespace gridstride {

namespace {

using trace::Record;
using trace::Site;
using trace::SiteKind;
using trace::Space;
using trace::Trace;
using Records = std::span<const Record>;

}  // namespace

void add_sentence(std::string& note, const std::string& sentence) {
    if (!note.empty() && !sentence.empty()) note += " ";
    note += sentence;
}

std::string which_workgroups(const Trace& trace) {
    if (trace.whole_launch()) return {};
    const std::string all = format_count(trace.grid.product());
    if (trace.first_workgroup == trace.last_workgroup)
        return fmt::format("Workgroup {} of {} was recorded.", format_count(trace.first_workgroup), all);
    return fmt::format("Workgroups {} to {} of {} were recorded.", format_count(trace.first_workgroup),
                       format_count(trace.last_workgroup), all);
}

namespace {

// Levels.

/// What one invocation did between two barriers.
struct Done {
    bool reads = false, reads_others = false, writes = false, atomic = false, is_read = false;
};

/// The last writer of each word of workgroup memory, by variable and word.
using Writers = std::map<std::pair<std::string_view, std::uint64_t>, std::uint32_t>;

template <class Use>
void for_each_word(const Site& site, const Record& record, Use use) {
    const std::uint64_t end = record.offset + std::max<std::uint64_t>(site.bytes, 1);
    for (std::uint64_t word = record.offset / 4; 4 * word < end; ++word)
        use(std::pair<std::string_view, std::uint64_t>(site.variable, word));
}

/// The order between the same two barriers is unknown: a read of another invocation's word sees the value
/// from before.
std::vector<Done> done_in(const Trace& trace, const std::vector<const Record*>& stretch,
                          const std::string& file, Writers& writers) {
    std::vector<Done> all(trace.workgroup.product());
    for (const Record* record : stretch) {
        const Site& site = trace.sites[record->site];
        if (!file.empty() && site.file != file) continue;
        Done& done = all.at(record->invocation);
        if (site.kind == SiteKind::atomic) done.atomic = true;
        if (site.space != Space::workgroup || site.kind == SiteKind::barrier) continue;
        if (site.kind == SiteKind::store) done.writes = true;
        if (site.kind != SiteKind::load) continue;
        done.reads = true;
        for_each_word(site, *record, [&](const auto& word) {
            const auto writer = writers.find(word);
            if (writer == writers.end() || writer->second == record->invocation) return;
            done.reads_others = all.at(writer->second).is_read = true;
        });
    }
    for (const Record* record : stretch) {
        const Site& site = trace.sites[record->site];
        if (site.space == Space::workgroup && (site.kind == SiteKind::store || site.kind == SiteKind::atomic))
            for_each_word(site, *record, [&](const auto& word) { writers[word] = record->invocation; });
    }
    return all;
}

// Passes.

/// A range of elements that one invocation accesses at once.
struct Taken {
    std::uint32_t workgroup = 0;
    std::uint16_t invocation = 0;
    std::uint64_t pass = 0;            ///< earlier accesses of this invocation
    std::uint64_t begin = 0, end = 0;  ///< elements
};

/// Returns the accesses by workgroup, invocation and pass. A repeated access to an element is left out.
std::vector<Taken> taken_of(const Trace& trace, Records records, std::string_view buffer) {
    std::vector<Taken> all;
    std::set<std::uint64_t> begins;  // of the current invocation
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (site.kind == SiteKind::barrier || site.space != Space::buffer ||
            trace.buffers[site.binding].name != buffer)
            continue;
        const bool goes_on = !all.empty() && all.back().workgroup == record.workgroup &&
                             all.back().invocation == record.invocation;
        if (!goes_on) begins.clear();
        const trace::TracedBuffer& of = trace.buffers[site.binding];
        const std::uint64_t size = byte_size(of.type);
        Taken taken{record.workgroup, record.invocation, begins.size(), record.offset / size,
                    std::min((record.offset + site.bytes + size - 1) / size, of.elements)};
        // The last vector load may begin inside the buffer and end behind its last element.
        if (record.outside != 0 || taken.begin >= taken.end || !begins.insert(taken.begin).second) continue;
        all.push_back(taken);
    }
    return all;
}

/// "Invocation 0 takes 4 numbers at a time, 3 times, each time 64 numbers further on."
std::string how_the_first_takes(const std::vector<Taken>& all, const std::string& noun) {
    const auto end = std::ranges::find_if(all, [&](const Taken& one) {
        return one.workgroup != all.front().workgroup || one.invocation != all.front().invocation;
    });
    const std::span<const Taken> own(all.begin(), end);
    const std::uint64_t each = own.front().end - own.front().begin;
    const std::string who =
        fmt::format("Invocation {} accesses {}", own.front().invocation, counted(each, noun));
    if (own.size() == 1) return who + " in total.";
    const std::string words = fmt::format("{} at a time, {}", who, counted(own.size(), "time"));
    const std::uint64_t apart = own[1].begin - own[0].begin;
    for (std::size_t i = 1; i < own.size(); ++i)
        if (own[i].begin - own[i - 1].begin != apart || own[i].begin < own[i - 1].begin) return words + ".";
    return fmt::format("{}, each time {} further on.", words, counted(apart, noun));
}

}  // namespace

Plot recorded_plot(const PictureInput& input, std::string id, std::string title, const DrawRecorded& draw,
                   std::uint32_t launch) {
    Plot plot{.id = std::move(id), .title = std::move(title), .origin = Origin::recorded, .content = Cells{}};
    plot.launch = launch;
    const TakenRecording* const recording = input.recording;
    if (recording && !recording->problem.empty()) {
        plot.missing = recording->problem;
    } else if (!recording || recording->trace().launch_number != launch) {
        plot.missing = "This picture is drawn from a trace of the run, which does not exist yet.";
    } else {
        const Trace& trace = recording->trace();
        Drawn drawn;
        if (!recording->records.empty()) drawn = draw(trace, recording->records);
        if (auto* const cells = std::get_if<Cells>(&drawn.content))
            drawn.content = without_unused_kinds(std::move(*cells));
        plot.content = std::move(drawn.content);
        plot.note = std::move(drawn.note);
        if (trace.lost > 0)
            add_sentence(plot.note, fmt::format("The trace buffer was full: {} of the accesses are missing.",
                                                format_count(trace.lost)));
    }
    return plot;
}

RecordedCells levels_of(const Trace& trace, Records records, const LevelWords& words) {
    enum Cell : std::uint8_t { idle, is_read, only_reads, stores, acts };
    const std::array<const Doing*, 5> doings = {nullptr, nullptr, &words.reads, &words.stores, &words.acts};
    RecordedCells all{.cells = {.kinds = {{"idle", Ink::quiet},
                                          {words.is_read, Ink::upload},
                                          words.reads.kind,
                                          words.stores.kind,
                                          words.acts.kind},
                                .cell_name = "invocation"}};
    const std::uint32_t workgroup = records.front().workgroup;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Record*>> stretches;
    std::vector<std::uint16_t> subgroup_of(trace.workgroup.product());
    for (const Record& record : records) {
        if (record.workgroup != workgroup) break;
        stretches[{record.dispatch, record.epoch}].push_back(&record);
        subgroup_of.at(record.invocation) = record.subgroup;
    }
    Writers writers;
    std::map<Cell, std::size_t> rows_of;  // number of rows of each kind
    std::vector<Cell> done_most;          // the main activity of each row
    for (const auto& [when, stretch] : stretches) {
        const std::vector<Done> done = done_in(trace, stretch, words.file, writers);
        std::vector<std::uint8_t> cells;
        Cell most = idle;
        for (const Done& one : done) {
            Cell cell = one.atomic || (one.reads && one.writes) ? acts
                        : one.writes                            ? stores
                        : one.reads_others                      ? only_reads
                        : one.is_read                           ? is_read
                                                                : idle;
            if (doings.at(cell) && doings.at(cell)->kind.label.empty()) cell = one.is_read ? is_read : idle;
            most = std::max(most, cell);
            cells.push_back(cell);
        }
        if (most < only_reads) continue;
        ++rows_of[most];
        done_most.push_back(most);
        std::set<std::uint16_t> subgroups;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (cells[i] == most) subgroups.insert(subgroup_of[i]);
        std::string note = fmt::format(
            "{} of {} {}, in {}", format_count(static_cast<std::uint64_t>(std::ranges::count(cells, most))),
            format_count(cells.size()), doings.at(most)->many, counted(subgroups.size(), "subgroup"));
        all.cells.rows.push_back({doings.at(most)->row, std::move(cells), std::move(note)});
    }
    std::map<Cell, std::size_t> number;
    for (std::size_t row = 0; row < done_most.size(); ++row)
        if (rows_of[done_most[row]] > 1)
            all.cells.rows[row].label += fmt::format(" {}", ++number[done_most[row]]);
    if (workgroup != 0) all.note = fmt::format("This is workgroup {}.", format_count(workgroup));
    if (all.cells.rows.size() > words.max_rows) {
        add_sentence(all.note, fmt::format("These are the first {} of {} rows.", words.max_rows,
                                           format_count(all.cells.rows.size())));
        all.cells.rows.resize(words.max_rows);
    }
    return all;
}

RecordedCells passes_of(const Trace& trace, Records records, std::string_view buffer,
                        const std::string& noun) {
    constexpr std::uint64_t max_cells = 256, few_workgroups = 8, max_rows = 12;
    enum Taker : std::uint8_t { nobody, first_workgroup, odd_workgroup, even_workgroup };
    const std::uint64_t size = trace.workgroup.product();
    const std::uint64_t groups = trace.last_workgroup - trace.first_workgroup + 1;
    const bool by_invocation = groups * size <= max_cells || groups < few_workgroups;
    const std::uint64_t all_cells = by_invocation ? groups * size : groups;
    const std::uint64_t shown = by_invocation ? std::min(all_cells, max_cells) : groups;
    struct Pass {
        std::vector<std::uint8_t> takers;
        std::vector<std::string> written;
        std::uint64_t begin = UINT64_MAX, end = 0;
    };
    std::vector<Pass> passes;
    for (const Taken& taken : taken_of(trace, records, buffer)) {
        const std::uint64_t group = taken.workgroup - trace.first_workgroup;
        const std::uint64_t cell = by_invocation ? group * size + taken.invocation : group;
        if (cell >= shown) continue;
        while (taken.pass >= passes.size())
            passes.push_back({std::vector<std::uint8_t>(shown, nobody)});
        Pass& pass = passes[taken.pass];
        pass.takers[cell] = taken.workgroup == 0       ? first_workgroup
                            : taken.workgroup % 2 == 1 ? odd_workgroup
                                                       : even_workgroup;
        // One invocation can make thousands of passes; only those shown get numbers.
        if (by_invocation && taken.pass < max_rows) {
            pass.written.resize(shown);
            pass.written[cell] = std::to_string(taken.begin);
        }
        pass.begin = std::min(pass.begin, taken.begin);
        pass.end = std::max(pass.end, taken.end);
    }
    RecordedCells made{.cells = {.kinds = {{"no further element", Ink::quiet, Cells::Fill::outlined},
                                           {"workgroup 0", Ink::kernel},
                                           {"odd workgroups", Ink::upload},
                                           {"even workgroups", Ink::download}},
                                 .cell_name = by_invocation ? "invocation" : "workgroup"}};
    // Shows the first passes and the last.
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
        if (passes.size() > max_rows && pass + 1 >= max_rows && pass + 1 < passes.size()) continue;
        made.cells.rows.push_back({.label = fmt::format("pass {}", format_count(pass + 1)),
                                   .kinds = std::move(passes[pass].takers),
                                   .note = fmt::format("{}s {} to {}", noun, format_count(passes[pass].begin),
                                                       format_count(passes[pass].end - 1)),
                                   .written = std::move(passes[pass].written)});
    }
    made.note = fmt::format("Each column is one {}; each row is its next access.", made.cells.cell_name);
    if (passes.size() > max_rows)
        add_sentence(made.note, fmt::format("{} passes are left out before the last.",
                                            format_count(passes.size() - max_rows)));
    if (shown < all_cells)
        add_sentence(made.note, fmt::format("These are the first {} of {} invocations.", shown,
                                            format_count(all_cells)));
    add_sentence(made.note, which_workgroups(trace));
    return made;
}

RecordedCells takers_of(const Trace& trace, Records records, std::string_view buffer,
                        const std::string& noun) {
    constexpr std::uint64_t max_invocations = 6, elements_shown = 64;
    enum Cell : std::uint8_t { anothers, first, further, nobodys };
    const std::vector<Taken> all = taken_of(trace, records, buffer);
    if (all.empty()) return {};
    const auto bound = std::ranges::find(trace.buffers, buffer, &trace::TracedBuffer::name);
    const std::uint64_t shown = std::min(elements_shown, bound->elements);
    RecordedCells made{
        .cells = {.kinds = {{"another invocation's", Ink::quiet},
                            {"its first", Ink::kernel},
                            {"its later ones", Ink::upload},
                            {trace.whole_launch() && trace.complete() ? "nobody's" : "not recorded",
                             Ink::quiet, Cells::Fill::outlined}},
                  .cell_name = noun}};
    const auto for_each_shown = [&](const Taken& taken, auto use) {
        for (std::uint64_t element = taken.begin; element < std::min(taken.end, shown); ++element)
            use(element);
    };
    std::vector<std::uint8_t> untaken(shown, nobodys);
    for (const Taken& taken : all)
        for_each_shown(taken, [&](std::uint64_t element) { untaken[element] = anothers; });
    const std::uint64_t size = trace.workgroup.product();
    const std::uint64_t invocations = (trace.last_workgroup - trace.first_workgroup + 1) * size;
    const auto number_of = [&](const Taken& taken) {
        return (taken.workgroup - trace.first_workgroup) * size + taken.invocation;
    };
    std::uint64_t takers = 0;  // invocations from this number on access none of the elements shown
    for (const Taken& taken : all)
        for_each_shown(taken, [&](std::uint64_t) { takers = std::max(takers, number_of(taken) + 1); });
    const auto name = [&](std::uint64_t i) { return format_count(trace.first_workgroup * size + i); };
    for (std::uint64_t i = 0; i < std::min(max_invocations, takers); ++i) {
        std::vector<std::uint8_t> row = untaken;
        std::uint64_t own = 0;
        for (const Taken& taken : all)
            if (number_of(taken) == i)
                for_each_shown(taken, [&](std::uint64_t element) {
                    row[element] = taken.pass == 0 ? first : further;
                    ++own;
                });
        made.cells.rows.push_back(
            {fmt::format("invocation {}", name(i)), std::move(row), fmt::format("{} of these", own)});
    }
    if (takers < std::min(max_invocations, invocations)) {
        const bool one = takers + 1 == invocations;
        made.cells.rows.push_back({one ? fmt::format("invocation {}", name(takers))
                                       : fmt::format("{} to {}", name(takers), name(invocations - 1)),
                                   std::move(untaken), "none of these"});
    }
    made.note = how_the_first_takes(all, noun);
    add_sentence(made.note, which_workgroups(trace));
    return made;
}

RecordedCells owners_of(const Trace& trace, Records records, std::string_view buffer, std::uint64_t count,
                        std::uint64_t columns, const std::string& noun) {
    constexpr std::uint64_t max_rows = 64, colours = 4, max_numbered = 40;
    enum Cell : std::uint8_t { nobodys = colours, twice, foreign };
    const bool all_is_known = trace.whole_launch() && trace.complete();
    // Neighbouring workgroups get different colours, in both directions.
    const bool in_rows = trace.grid.dimensions() > 1 && trace.grid.y > 1;
    const std::array<const char*, colours> names =
        in_rows ? std::array{"workgroups of even x and y", "odd x, even y", "even x, odd y", "odd x and y"}
        : trace.grid.product() <= colours
            ? std::array{"workgroup 0", "1", "2", "3"}
            : std::array{"workgroups 0, 4, 8 \u2026", "1, 5, 9 \u2026", "2, 6, 10 \u2026", "3, 7, 11 \u2026"};
    const auto colour_of = [&](std::uint32_t workgroup) {
        return static_cast<std::uint8_t>(in_rows ? workgroup % trace.grid.x % 2 +
                                                       2 * (workgroup / trace.grid.x % 2)
                                                 : workgroup % colours);
    };
    RecordedCells made{
        .cells = {.kinds = {{names[0], Ink::kernel},
                            {names[1], Ink::upload},
                            {names[2], Ink::download},
                            {names[3], Ink::cpu},
                            {all_is_known ? "nobody's" : "not recorded", Ink::quiet, Cells::Fill::outlined},
                            {"written by several", Ink::caution},
                            {"behind the array", Ink::wrong}},
                  .cell_name = noun}};
    const std::uint64_t rows = divide_up(count, columns), room = max_rows * columns;
    const bool numbered = rows == 1 && count <= max_numbered;  // room for the invocation's number
    // grows if a kernel writes behind the array
    std::vector<std::uint8_t> owners(std::min(count, room), nobodys);
    // the last record, and their count
    std::vector<std::pair<const Record*, std::uint64_t>> writers(owners.size());
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (site.kind != SiteKind::store || site.space != Space::buffer || record.outside != 0) continue;
        const trace::TracedBuffer& of = trace.buffers[site.binding];
        if (of.name != buffer) continue;
        const std::uint64_t element = record.offset / byte_size(of.type);
        if (element >= room) continue;
        if (element >= owners.size()) {
            owners.resize(element + 1, nobodys);
            writers.resize(element + 1);
        }
        writers[element] = {&record, writers[element].second + 1};
        std::uint8_t& owner = owners[element];
        owner = element >= count   ? std::uint8_t{foreign}
                : owner == nobodys ? colour_of(record.workgroup)
                                   : std::uint8_t{twice};
    }
    const auto said_of = [&](std::uint64_t element) {
        const auto& [last, times] = writers[element];
        const std::string what =
            fmt::format("{} {}{}", noun, format_count(element), element < count ? "" : ", behind the array");
        if (!last) return fmt::format("{}: {}", what, made.cells.kinds[nobodys].label);
        return fmt::format("{}: written {}by invocation {} of workgroup {}", what,
                           times > 1 ? fmt::format("{} times, last ", format_count(times)) : "once, ",
                           last->invocation, format_count(last->workgroup));
    };
    for (std::size_t first = 0; first < owners.size(); first += columns) {
        Cells::Row& row = made.cells.rows.emplace_back(Cells::Row{.label = format_count(first)});
        for (std::size_t element = first; element < std::min<std::size_t>(first + columns, owners.size());
             ++element) {
            row.kinds.push_back(owners[element]);
            row.said.push_back(said_of(element));
            const Record* const last = writers[element].first;
            if (numbered) row.written.push_back(last ? std::to_string(last->invocation) : "");
        }
    }
    made.note = fmt::format("Each cell is one {}, in the colour of its workgroup{}", noun,
                            numbered   ? ", and its number is the invocation's in that workgroup."
                            : rows > 1 ? fmt::format("; a row has {}.", format_count(columns))
                                       : ".");
    if (rows > max_rows)
        add_sentence(made.note,
                     fmt::format("These are the first {} of {} rows.", max_rows, format_count(rows)));
    add_sentence(made.note, which_workgroups(trace));
    return made;
}

Plot who_takes_which(const PictureInput& input, const std::string& buffer, const std::string& noun) {
    return recorded_plot(
        input, "who", fmt::format("Which invocation accesses which of the first {}s", noun),
        [&](const Trace& trace, Records records) { return takers_of(trace, records, buffer, noun); });
}

RecordedCells meetings_of(const Trace& trace, Records records, const MeetingWords& words) {
    constexpr std::size_t max_times = 4;
    enum Cell : std::uint8_t { alone, first, later, elsewhere };
    RecordedCells made{
        .cells = {.kinds = {words.alone, words.first, words.later, words.elsewhere}, .cell_name = "lane"}};
    const auto is_one = [&](const Site& site, SiteKind kind) {
        return site.kind == kind && (site.element_bytes > 0 || !words.in_arrays);
    };
    const bool by_atomics = std::ranges::any_of(
        records, [&](const Record& record) { return is_one(trace.sites[record.site], SiteKind::atomic); });
    const trace::Requests requests = trace::requests_of(trace, records);
    const auto first_of = [&](const trace::Request& request) -> const Record& {
        return records[requests.of(request).front()];
    };
    std::vector<trace::Request> in_time;
    std::ranges::copy_if(requests.all, std::back_inserter(in_time), [&](const trace::Request& request) {
        return is_one(trace.sites[request.site], by_atomics ? SiteKind::atomic : SiteKind::store);
    });
    std::ranges::stable_sort(in_time, {}, [&](const trace::Request& request) {
        return std::tuple(request.workgroup, request.subgroup, first_of(request).dispatch,
                          first_of(request).epoch);
    });
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> times;  // by workgroup and subgroup
    for (const trace::Request& request : in_time) {
        if (made.cells.rows.size() == max_times) break;
        std::map<std::uint64_t, std::vector<const Record*>> meeting;  // by address
        for (const std::uint32_t i : requests.of(request))
            meeting[records[i].offset].push_back(&records[i]);
        const std::uint64_t lanes = std::min<std::uint64_t>(trace.subgroup_size, trace.workgroup.product());
        std::vector<std::uint8_t> cells(lanes, elsewhere);
        std::size_t longest = 0;
        for (const auto& [address, who] : meeting) {
            for (const Record* record : who)
                cells.at(record->lane) = later;
            // The values returned by atomics on a growing counter show which invocation came first.
            const Record* const earliest =
                *std::ranges::min_element(who, {}, [](const Record* record) { return record->value[0]; });
            cells.at(earliest->lane) = who.size() == 1 ? alone : first;
            longest = std::max(longest, who.size());
        }
        const std::size_t time = ++times[{request.workgroup, request.subgroup}];
        made.cells.rows.push_back(
            {fmt::format("subgroup {}{}", request.subgroup, time > 1 ? fmt::format(", access {}", time) : ""),
             std::move(cells),
             longest > 1 ? fmt::format("up to {} at one address", longest) : "no two at one address"});
    }
    if (records.front().workgroup != 0)
        made.note = fmt::format("This is workgroup {}.", format_count(records.front().workgroup));
    return made;
}

}  // namespace gridstride
