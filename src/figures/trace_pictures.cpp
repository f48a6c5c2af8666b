#include "figures/trace_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/language.h"
#include "base/units.h"
#include "lesson/building_blocks.h"
#include "trace/memory_map.h"
#include "trace/requests.h"

namespace gridstride {

namespace {

using trace::MemorySpace;
using trace::Record;
using trace::Site;
using trace::SiteKind;
using trace::Trace;
using Records = std::span<const Record>;

}  // namespace

void add_sentence(std::string& note, const std::string& sentence) {
    if (!note.empty() && !sentence.empty()) note += " ";
    note += sentence;
}

std::string traced_workgroups_text(const Trace& trace) {
    if (trace.is_whole_launch()) return {};
    const std::string all = format_count(trace.grid.product());
    if (trace.first_workgroup == trace.last_workgroup)
        return tr("Workgroup {} of {} was traced.", format_count(trace.first_workgroup), all);
    return tr("Workgroups {} to {} of {} were traced.", format_count(trace.first_workgroup),
              format_count(trace.last_workgroup), all);
}

namespace {

// Levels.

/// The accesses of one invocation between two barriers.
struct InvocationActivity {
    bool reads_others = false, writes = false, is_atomic = false, is_read = false;
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
std::vector<InvocationActivity> activities_in(const Trace& trace, const std::vector<const Record*>& interval,
                                              const std::string& file, Writers& writers) {
    std::vector<InvocationActivity> all(trace.workgroup.product());
    // Beside an exchange in workgroup memory, an atomic on a buffer adds none of its values: it takes a
    // ticket, for example.
    const bool exchanges = std::ranges::any_of(interval, [&](const Record* record) {
        const Site& site = trace.sites[record->site];
        return is_access(site) && site.space == MemorySpace::workgroup;
    });
    for (const Record* record : interval) {
        const Site& site = trace.sites[record->site];
        if (!file.empty() && site.file != file) continue;
        InvocationActivity& activity = all.at(record->invocation);
        if (site.kind == SiteKind::atomic && (site.space == MemorySpace::workgroup || !exchanges))
            activity.is_atomic = true;
        if (site.space != MemorySpace::workgroup || !is_access(site)) continue;
        if (site.kind == SiteKind::store) activity.writes = true;
        if (site.kind != SiteKind::load) continue;
        for_each_word(site, *record, [&](const auto& word) {
            const auto writer = writers.find(word);
            if (writer == writers.end() || writer->second == record->invocation) return;
            activity.reads_others = all.at(writer->second).is_read = true;
        });
    }
    for (const Record* record : interval) {
        const Site& site = trace.sites[record->site];
        if (site.space == MemorySpace::workgroup &&
            (site.kind == SiteKind::store || site.kind == SiteKind::atomic))
            for_each_word(site, *record, [&](const auto& word) { writers[word] = record->invocation; });
    }
    return all;
}

// Passes.

/// A range of elements that one invocation accesses at once.
struct ElementAccess {
    std::uint32_t workgroup = 0;
    std::uint16_t invocation = 0;
    std::uint64_t pass = 0;            ///< earlier accesses of this invocation
    std::uint64_t begin = 0, end = 0;  ///< elements
};

/// Returns the accesses by workgroup, invocation and pass. A repeated access to an element is left out.
std::vector<ElementAccess> collect_accesses(const Trace& trace, Records records, std::string_view buffer) {
    std::vector<ElementAccess> all;
    std::set<std::uint64_t> begins;  // of the current invocation
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (!is_access(site) || site.space != MemorySpace::buffer ||
            trace.buffers[site.binding].name != buffer)
            continue;
        const bool same_invocation = !all.empty() && all.back().workgroup == record.workgroup &&
                                     all.back().invocation == record.invocation;
        if (!same_invocation) begins.clear();
        const trace::TracedBuffer& of = trace.buffers[site.binding];
        const std::uint64_t size = byte_size(of.type);
        ElementAccess access{record.workgroup, record.invocation, begins.size(), record.offset / size,
                             std::min((record.offset + site.bytes + size - 1) / size, of.elements)};
        // The last vector load may begin inside the buffer and end behind its last element.
        if (record.out_of_bounds_mask != 0 || access.begin >= access.end ||
            !begins.insert(access.begin).second)
            continue;
        all.push_back(access);
    }
    return all;
}

/// Returns, for example, "Invocation 0 takes 4 numbers at a time, 3 times, each time 64 numbers further on."
std::string describe_first_invocation(const std::vector<ElementAccess>& all, const std::string& noun) {
    const auto end = std::ranges::find_if(all, [&](const ElementAccess& one) {
        return one.workgroup != all.front().workgroup || one.invocation != all.front().invocation;
    });
    const std::span<const ElementAccess> own(all.begin(), end);
    const std::uint64_t each = own.front().end - own.front().begin;
    const std::string subject =
        tr("Invocation {} accesses {}", own.front().invocation, counted(each, noun.c_str()));
    if (own.size() == 1) return tr("{} in total.", subject);
    const std::string words = tr("{} at a time, {}", subject, counted(own.size(), "time", "times"));
    const std::uint64_t apart = own[1].begin - own[0].begin;
    for (std::size_t i = 1; i < own.size(); ++i)
        if (own[i].begin - own[i - 1].begin != apart || own[i].begin < own[i - 1].begin) return words + ".";
    return tr("{}, each time {} further on.", words, counted(apart, noun.c_str()));
}

}  // namespace

Plot trace_plot(const PictureInput& input, std::string id, std::string title, const DrawTrace& draw,
                std::uint32_t launch) {
    Plot plot{.id = std::move(id), .title = std::move(title), .origin = Origin::traced, .content = Cells{}};
    plot.launch = launch;
    const AnalyzedTrace* const analysis = input.trace;
    if (analysis && !analysis->problem.empty()) {
        plot.missing_reason = analysis->problem;
    } else if (!analysis || analysis->trace().launch_number != launch) {
        plot.missing_reason = tr("This picture is drawn from a trace of the run, which does not exist yet.");
    } else {
        const Trace& trace = analysis->trace();
        TraceDrawing drawing;
        if (!analysis->records.empty()) drawing = draw(trace, analysis->records);
        if (auto* const cells = std::get_if<Cells>(&drawing.content))
            drawing.content = remove_unused_kinds(std::move(*cells));
        plot.content = std::move(drawing.content);
        plot.note = std::move(drawing.note);
        if (trace.lost > 0)
            add_sentence(
                plot.note,
                tr("Drawn from the first {} of {} accesses and barriers: the trace buffer holds no more.",
                   format_count(analysis->records.size()),
                   format_count(analysis->records.size() + trace.lost)));
    }
    return plot;
}

TraceCells draw_levels(const Trace& trace, Records records, const LevelLabels& words) {
    enum Cell : std::uint8_t { idle, is_read, only_reads, stores, acts };
    const std::array<const Activity*, 5> activities = {nullptr, nullptr, &words.reads, &words.stores,
                                                       &words.acts};
    TraceCells all{.cells = {.kinds = {{"idle", ColorRole::quiet},
                                       {words.is_read, ColorRole::upload},
                                       words.reads.kind,
                                       words.stores.kind,
                                       words.acts.kind},
                             .cell_name = "invocation"}};
    const std::uint32_t workgroup = records.front().workgroup;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<const Record*>> intervals;
    std::vector<std::uint16_t> subgroup_of(trace.workgroup.product());
    for (const Record& record : records) {
        if (record.workgroup != workgroup) break;
        intervals[{record.dispatch, record.epoch}].push_back(&record);
        subgroup_of.at(record.invocation) = record.subgroup;
    }
    Writers writers;
    std::map<Cell, std::size_t> row_counts;  // number of rows of each kind
    std::vector<Cell> main_activity;         // the main activity of each row
    for (const auto& [when, interval] : intervals) {
        const std::vector<InvocationActivity> invocation_activities =
            activities_in(trace, interval, words.file, writers);
        std::vector<std::uint8_t> cells;
        Cell main_cell = idle;
        for (const InvocationActivity& one : invocation_activities) {
            Cell cell = one.is_atomic || (one.reads_others && one.writes) ? acts
                        : one.writes                                      ? stores
                        : one.reads_others                                ? only_reads
                        : one.is_read                                     ? is_read
                                                                          : idle;
            if (activities.at(cell) && activities.at(cell)->kind.label.empty())
                cell = one.is_read ? is_read : idle;
            main_cell = std::max(main_cell, cell);
            cells.push_back(cell);
        }
        if (main_cell < only_reads) continue;
        ++row_counts[main_cell];
        main_activity.push_back(main_cell);
        std::set<std::uint16_t> subgroups;
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (cells[i] == main_cell) subgroups.insert(subgroup_of[i]);
        std::string note = tr("{} of {} {}, in {}",
                              format_count(static_cast<std::uint64_t>(std::ranges::count(cells, main_cell))),
                              format_count(cells.size()), activities.at(main_cell)->many,
                              counted(subgroups.size(), "subgroup", "subgroups"));
        all.cells.rows.push_back({activities.at(main_cell)->row, std::move(cells), std::move(note)});
    }
    // A store begins a new exchange, whose levels count from 1 again.
    std::map<Cell, std::size_t> number;
    for (std::size_t row = 0; row < main_activity.size(); ++row) {
        const Cell activity = main_activity[row];
        if (activity == stores) number[acts] = number[only_reads] = 0;
        if (row_counts[activity] > 1) all.cells.rows[row].label += fmt::format(" {}", ++number[activity]);
    }
    if (workgroup != 0) all.note = tr("This is workgroup {}.", format_count(workgroup));
    if (all.cells.rows.size() > words.max_rows) {
        add_sentence(all.note, tr("These are the first {} of {} rows.", words.max_rows,
                                  format_count(all.cells.rows.size())));
        all.cells.rows.resize(words.max_rows);
    }
    return all;
}

TraceCells draw_passes(const Trace& trace, Records records, std::string_view buffer,
                       const std::string& noun) {
    constexpr std::uint64_t max_cells = 256, few_workgroups = 8, max_rows = 12;
    enum CellKind : std::uint8_t { unassigned, first_workgroup, odd_workgroup, even_workgroup };
    const std::uint64_t size = trace.workgroup.product();
    const std::uint64_t groups = trace.last_workgroup - trace.first_workgroup + 1;
    const bool by_invocation = groups * size <= max_cells || groups < few_workgroups;
    const std::uint64_t all_cells = by_invocation ? groups * size : groups;
    const std::uint64_t shown = by_invocation ? std::min(all_cells, max_cells) : groups;
    struct Pass {
        std::vector<std::uint8_t> accessors;
        std::vector<std::string> cell_texts;
        std::uint64_t begin = UINT64_MAX, end = 0;
    };
    std::vector<Pass> passes;
    for (const ElementAccess& access : collect_accesses(trace, records, buffer)) {
        const std::uint64_t group = access.workgroup - trace.first_workgroup;
        const std::uint64_t cell = by_invocation ? group * size + access.invocation : group;
        if (cell >= shown) continue;
        while (access.pass >= passes.size())
            passes.push_back({std::vector<std::uint8_t>(shown, unassigned)});
        Pass& pass = passes[access.pass];
        pass.accessors[cell] = access.workgroup == 0       ? first_workgroup
                               : access.workgroup % 2 == 1 ? odd_workgroup
                                                           : even_workgroup;
        // One invocation can make thousands of passes; only those shown get numbers.
        if (by_invocation && access.pass < max_rows) {
            pass.cell_texts.resize(shown);
            pass.cell_texts[cell] = std::to_string(access.begin);
        }
        pass.begin = std::min(pass.begin, access.begin);
        pass.end = std::max(pass.end, access.end);
    }
    TraceCells result{.cells = {.kinds = {{tr("no further element"), ColorRole::quiet, Cells::Fill::outlined},
                                          {tr("workgroup 0"), ColorRole::kernel},
                                          {tr("odd workgroups"), ColorRole::upload},
                                          {tr("even workgroups"), ColorRole::download}},
                                .cell_name = by_invocation ? "invocation" : "workgroup"}};
    // Shows the first passes and the last.
    for (std::size_t pass = 0; pass < passes.size(); ++pass) {
        if (passes.size() > max_rows && pass + 1 >= max_rows && pass + 1 < passes.size()) continue;
        result.cells.rows.push_back({.label = tr("pass {}", format_count(pass + 1)),
                                     .kinds = std::move(passes[pass].accessors),
                                     .note = tr("{}s {} to {}", noun, format_count(passes[pass].begin),
                                                format_count(passes[pass].end - 1)),
                                     .cell_texts = std::move(passes[pass].cell_texts)});
    }
    result.note = tr("Each column is one {}; each row is its next access.", result.cells.cell_name);
    if (passes.size() > max_rows)
        add_sentence(result.note,
                     tr("{} left out before the last.", counted(passes.size() - max_rows, "pass", "passes")));
    if (shown < all_cells)
        add_sentence(result.note,
                     tr("These are the first {} of {} invocations.", shown, format_count(all_cells)));
    add_sentence(result.note, traced_workgroups_text(trace));
    return result;
}

TraceCells draw_access_map(const Trace& trace, Records records, std::string_view buffer,
                           const std::string& noun) {
    constexpr std::uint64_t max_invocations = 6, elements_shown = 64;
    enum Cell : std::uint8_t { other_workgroup, first, further, unowned };
    const std::vector<ElementAccess> all = collect_accesses(trace, records, buffer);
    if (all.empty()) return {};
    const auto bound = std::ranges::find(trace.buffers, buffer, &trace::TracedBuffer::name);
    const std::uint64_t shown = std::min(elements_shown, bound->elements);
    TraceCells result{
        .cells = {.kinds = {{tr("another invocation's"), ColorRole::quiet},
                            {tr("its first"), ColorRole::kernel},
                            {tr("its later ones"), ColorRole::upload},
                            {trace.is_whole_launch() && trace.is_complete() ? tr("no invocation's")
                                                                            : tr("not traced"),
                             ColorRole::quiet, Cells::Fill::outlined}},
                  .cell_name = noun}};
    const auto for_each_shown = [&](const ElementAccess& access, auto use) {
        for (std::uint64_t element = access.begin; element < std::min(access.end, shown); ++element)
            use(element);
    };
    std::vector<std::uint8_t> background(shown, unowned);
    for (const ElementAccess& access : all)
        for_each_shown(access, [&](std::uint64_t element) { background[element] = other_workgroup; });
    const std::uint64_t size = trace.workgroup.product();
    const std::uint64_t invocations = (trace.last_workgroup - trace.first_workgroup + 1) * size;
    const auto invocation_number = [&](const ElementAccess& access) {
        return (access.workgroup - trace.first_workgroup) * size + access.invocation;
    };
    std::uint64_t accessors = 0;  // invocations from this number on access none of the elements shown
    for (const ElementAccess& access : all)
        for_each_shown(
            access, [&](std::uint64_t) { accessors = std::max(accessors, invocation_number(access) + 1); });
    const auto name = [&](std::uint64_t i) { return format_count(trace.first_workgroup * size + i); };
    for (std::uint64_t i = 0; i < std::min(max_invocations, accessors); ++i) {
        std::vector<std::uint8_t> row = background;
        std::uint64_t own = 0;
        for (const ElementAccess& access : all)
            if (invocation_number(access) == i)
                for_each_shown(access, [&](std::uint64_t element) {
                    row[element] = access.pass == 0 ? first : further;
                    ++own;
                });
        result.cells.rows.push_back({tr("invocation {}", name(i)), std::move(row), tr("accesses {}", own)});
    }
    if (accessors < std::min(max_invocations, invocations)) {
        const bool one = accessors + 1 == invocations;
        result.cells.rows.push_back({one ? tr("invocation {}", name(accessors))
                                         : tr("{} to {}", name(accessors), name(invocations - 1)),
                                     std::move(background), one ? tr("accesses none") : tr("access none")});
    }
    result.note = describe_first_invocation(all, noun);
    add_sentence(result.note, traced_workgroups_text(trace));
    return result;
}

TraceCells draw_owners(const Trace& trace, Records records, std::string_view buffer, std::uint64_t count,
                       std::uint64_t columns, const std::string& noun) {
    constexpr std::uint64_t max_rows = 64, colors = 4, max_numbered = 40;
    enum Cell : std::uint8_t { unowned = colors, twice, out_of_range };
    const bool all_is_known = trace.is_whole_launch() && trace.is_complete();
    // Neighbouring workgroups get different colours, in both directions.
    const bool in_rows = trace.grid.dimensions() > 1 && trace.grid.y > 1;
    const std::array<const char*, colors> names =
        in_rows ? std::array{tr("workgroups of even x and y"), tr("odd x, even y"), tr("even x, odd y"),
                             tr("odd x and y")}
        : trace.grid.product() <= colors ? std::array{tr("workgroup 0"), "1", "2", "3"}
                                         : std::array{tr("workgroups 0, 4, 8 \u2026"), "1, 5, 9 \u2026",
                                                      "2, 6, 10 \u2026", "3, 7, 11 \u2026"};
    const auto color_of = [&](std::uint32_t workgroup) {
        return static_cast<std::uint8_t>(
            in_rows ? workgroup % trace.grid.x % 2 + 2 * (workgroup / trace.grid.x % 2) : workgroup % colors);
    };
    TraceCells result{.cells = {.kinds = {{names[0], ColorRole::kernel},
                                          {names[1], ColorRole::upload},
                                          {names[2], ColorRole::download},
                                          {names[3], ColorRole::cpu},
                                          {all_is_known ? tr("not written") : tr("not traced"),
                                           ColorRole::quiet, Cells::Fill::outlined},
                                          {tr("written by several"), ColorRole::caution},
                                          {tr("out of bounds"), ColorRole::wrong}},
                                .cell_name = noun}};
    const std::uint64_t rows = divide_up(count, columns), room = max_rows * columns;
    const bool numbered = rows == 1 && count <= max_numbered;  // room for the invocation's number
    // grows if a kernel writes beyond the array
    std::vector<std::uint8_t> owners(std::min(count, room), unowned);
    // the last record, and their count
    std::vector<std::pair<const Record*, std::uint64_t>> writers(owners.size());
    for (const Record& record : records) {
        const Site& site = trace.sites[record.site];
        if (site.kind != SiteKind::store || site.space != MemorySpace::buffer ||
            record.out_of_bounds_mask != 0)
            continue;
        const trace::TracedBuffer& of = trace.buffers[site.binding];
        if (of.name != buffer) continue;
        const std::uint64_t element = record.offset / byte_size(of.type);
        if (element >= room) continue;
        if (element >= owners.size()) {
            owners.resize(element + 1, unowned);
            writers.resize(element + 1);
        }
        writers[element] = {&record, writers[element].second + 1};
        std::uint8_t& owner = owners[element];
        owner = element >= count   ? std::uint8_t{out_of_range}
                : owner == unowned ? color_of(record.workgroup)
                                   : std::uint8_t{twice};
    }
    const auto describe_element = [&](std::uint64_t element) {
        const auto& [last, times] = writers[element];
        const std::string what =
            fmt::format("{} {}{}", noun, format_count(element), element < count ? "" : tr(", out of bounds"));
        if (!last) return fmt::format("{}: {}", what, result.cells.kinds[unowned].label);
        return tr("{}: written {}by invocation {} of workgroup {}", what,
                  times > 1 ? tr("{} times, last ", format_count(times)) : tr("once, "), last->invocation,
                  format_count(last->workgroup));
    };
    for (std::size_t first = 0; first < owners.size(); first += columns) {
        Cells::Row& row = result.cells.rows.emplace_back(Cells::Row{.label = format_count(first)});
        for (std::size_t element = first; element < std::min<std::size_t>(first + columns, owners.size());
             ++element) {
            row.kinds.push_back(owners[element]);
            row.hover_texts.push_back(describe_element(element));
            const Record* const last = writers[element].first;
            if (numbered) row.cell_texts.push_back(last ? std::to_string(last->invocation) : "");
        }
    }
    result.note = tr("Each cell is one {}, in the colour of its workgroup{}", noun,
                     numbered   ? tr(", and its number is the invocation's in that workgroup.")
                     : rows > 1 ? tr("; a row has {}.", format_count(columns))
                                : ".");
    if (rows > max_rows)
        add_sentence(result.note, tr("These are the first {} of {} rows.", max_rows, format_count(rows)));
    add_sentence(result.note, traced_workgroups_text(trace));
    return result;
}

Plot access_map_plot(const PictureInput& input, const std::string& buffer, const std::string& noun) {
    return trace_plot(
        input, "who", tr("Which invocation accesses which of the first {}s", noun),
        [&](const Trace& trace, Records records) { return draw_access_map(trace, records, buffer, noun); });
}

TraceCells draw_conflicts(const Trace& trace, Records records, const ConflictLabels& words) {
    constexpr std::size_t max_times = 4;
    enum Cell : std::uint8_t { alone, first, later, elsewhere };
    TraceCells result{
        .cells = {.kinds = {words.alone, words.first, words.later, words.elsewhere}, .cell_name = "lane"}};
    const auto is_one = [&](const Site& site, SiteKind kind) {
        return site.kind == kind && (site.element_bytes > 0 || !words.in_arrays);
    };
    const bool by_atomics = std::ranges::any_of(
        records, [&](const Record& record) { return is_one(trace.sites[record.site], SiteKind::atomic); });
    const trace::Requests requests = trace::group_requests(trace, records);
    const auto first_of = [&](const trace::Request& request) -> const Record& {
        return records[requests.of(request).front()];
    };
    std::vector<trace::Request> ordered;
    std::ranges::copy_if(requests.all, std::back_inserter(ordered), [&](const trace::Request& request) {
        return is_one(trace.sites[request.site], by_atomics ? SiteKind::atomic : SiteKind::store);
    });
    std::ranges::stable_sort(ordered, {}, [&](const trace::Request& request) {
        return std::tuple(request.workgroup, request.subgroup, first_of(request).dispatch,
                          first_of(request).epoch);
    });
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> times;  // by workgroup and subgroup
    for (const trace::Request& request : ordered) {
        if (result.cells.rows.size() == max_times) break;
        std::map<std::uint64_t, std::vector<const Record*>> records_by_address;
        for (const std::uint32_t i : requests.of(request))
            records_by_address[records[i].offset].push_back(&records[i]);
        const std::uint64_t lanes = std::min<std::uint64_t>(trace.subgroup_size, trace.workgroup.product());
        std::vector<std::uint8_t> cells(lanes, elsewhere);
        std::size_t longest = 0;
        for (const auto& [address, same_address_records] : records_by_address) {
            for (const Record* record : same_address_records)
                cells.at(record->lane) = later;
            // The values returned by atomics on a growing counter show which invocation came first.
            const Record* const earliest = *std::ranges::min_element(
                same_address_records, {}, [](const Record* record) { return record->value[0]; });
            cells.at(earliest->lane) = same_address_records.size() == 1 ? alone : first;
            longest = std::max(longest, same_address_records.size());
        }
        const std::size_t time = ++times[{request.workgroup, request.subgroup}];
        result.cells.rows.push_back(
            {tr("subgroup {}{}", request.subgroup, time > 1 ? tr(", access {}", time) : ""), std::move(cells),
             longest > 1 ? tr("up to {} at one address", longest) : tr("no two at one address")});
    }
    if (records.front().workgroup != 0)
        result.note = tr("This is workgroup {}.", format_count(records.front().workgroup));
    return result;
}

}  // namespace gridstride
