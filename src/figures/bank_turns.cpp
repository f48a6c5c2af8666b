#include "figures/bank_turns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/language.h"
#include "base/units.h"
#include "trace/requests.h"
#include "trace/trace_text.h"

namespace gridstride {

TraceCells draw_bank_turns(const trace::Trace& trace, std::span<const trace::Record> records) {
    constexpr std::size_t max_rows = 16;
    enum Cell : std::uint8_t { unused, one_word, several_words };
    TraceCells result{.cells = {.kinds = {{tr("no word"), ColorRole::quiet, Cells::Fill::outlined},
                                          {tr("one word"), ColorRole::upload},
                                          {tr("several words: one turn each"), ColorRole::wrong}},
                                .cell_name = "bank"}};
    const trace::Requests requests = trace::group_requests(trace, records);
    std::vector<const trace::Request*> shown;
    for (const trace::Request& request : requests.all) {
        const trace::Request& first = requests.all.front();
        if (trace.sites[request.site].space == trace::MemorySpace::workgroup &&
            trace.sites[request.site].kind != trace::SiteKind::atomic &&
            request.workgroup == first.workgroup && request.subgroup == first.subgroup)
            shown.push_back(&request);
    }
    const auto order = [&](const trace::Request* request) {
        return records[requests.of(*request).front()].sequence;
    };
    std::ranges::stable_sort(shown, {}, order);
    for (const trace::Request* request : shown) {
        const trace::Site& site = trace.sites[request->site];
        const auto banks = trace::count_bank_turns(trace, site, records, requests.of(*request));
        if (!banks || result.cells.rows.size() == max_rows) continue;
        Cells::Row& row = result.cells.add_row(
            fmt::format("{}{}", trace::line_text(trace, site),
                        request->execution > 0 ? fmt::format(" \u00B7 {}", request->execution + 1) : ""),
            trace.banks,
            [&](std::size_t bank) -> std::uint8_t {
                return banks->words.at(bank) == 0   ? unused
                       : banks->words.at(bank) == 1 ? one_word
                                                    : several_words;
            },
            fmt::format("{} {}: {}", trace::verb(site.kind), site.variable + site.member,
                        counted(banks->turns, "turn", "turns")));
        for (std::size_t bank = 0; bank < trace.banks; ++bank) {
            row.cell_texts.push_back(banks->words.at(bank) == 0 ? ""
                                                                : fmt::format("{}", banks->words.at(bank)));
            row.hover_texts.push_back(
                tr("bank {}: {}", bank, counted(banks->words.at(bank), "different word", "different words")));
        }
    }
    if (result.cells.rows.empty()) return result;
    result.note = tr(
        "A row is one request of a subgroup of {} lanes. Its turns are computed from the traced addresses.",
        trace.subgroup_size);
    add_sentence(result.note, trace.banks_note);
    if (shown.size() > result.cells.rows.size())
        add_sentence(result.note, tr("These are the first {} of {}.", result.cells.rows.size(),
                                     counted(shown.size(), "request", "requests")));
    return result;
}

}  // namespace gridstride
