#include "lesson/recorded_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "trace/findings.h"
#include "trace/words.h"

namespace gridstride {

namespace {

using trace::Finding;
using trace::FindingKind;
using trace::Record;
using trace::Site;
using trace::SiteKind;
using trace::Verdict;

Estimate known(double value) {
    return {value, value, value};
}

/// Returns a count. If records are missing it is a lower bound, or unknown if it is 0.
std::optional<Estimate> counted_so_far(std::uint64_t count, bool all_is_known) {
    const auto found = static_cast<double>(count);
    if (all_is_known) return known(found);
    if (count == 0) return std::nullopt;
    return Estimate{found, found, std::numeric_limits<double>::infinity()};
}

std::string_view without_lines(std::string_view name) {
    return name.substr(0, name.find('('));
}

bool is_mean(std::string_view metric) {
    return metric == "active_share" || metric == "sectors_per_request" || metric == "bank_turns" ||
           metric == "sectors_over_needed" || metric == "loaded_per_stored";
}

/// The lines that a metric is limited to; empty: the whole kernel.
using Lines = std::vector<trace::SourceLine>;

class MetricsMaker {
 public:
    MetricsMaker(const trace::Trace& trace, std::span<const Record> records,
                 std::span<const Finding> findings)
        : trace_(trace), records_(records), findings_(findings), missing_(trace::missing_text(trace)) {}

    std::vector<RecordedMetric> make() {
        add_each_once();
        add_of({});
        std::set<trace::SourceLine> lines;
        for (const Site& site : trace_.sites)
            lines.insert(trace::line_of(trace_, site));
        for (const trace::SourceLine& line : lines)
            add_of({line});
        add_pairs_that_race();
        add_loaded_per_stored();
        return std::move(made_);
    }

 private:
    void add_of(const Lines& lines) {
        add_outside(lines);
        add_races(lines);
        const auto one = [](double unit) { return [unit](const Finding&) { return unit; }; };
        add_mean("active_share", lines, FindingKind::activity, one(trace_.subgroup_size));
        add_mean("sectors_per_request", lines, FindingKind::sectors, one(1));
        add_mean("sectors_over_needed", lines, FindingKind::sectors,
                 [](const Finding& finding) { return finding.min_value.value_or(1); });
        add_mean("bank_turns", lines, FindingKind::banks, one(1));
        add_barriers(lines);
        add_atomics(lines);
    }

    void add(std::string_view name, const Lines& lines, std::optional<Estimate> value, std::string sentence) {
        made_.push_back({of_lines(name, lines), value, std::move(sentence)});
    }

    bool is_of(std::uint32_t number, const Lines& lines) const {
        return lines.empty() ||
               std::ranges::find(lines, trace::line_of(trace_, trace_.sites[number])) != lines.end();
    }
    bool any_site(const Lines& lines, auto has) const {
        for (std::uint32_t i = 0; i < trace_.sites.size(); ++i)
            if (is_of(i, lines) && has(trace_.sites[i])) return true;
        return false;
    }

    /// Given one line, returns true if a site of the finding is on it; given two, if the sites are on both.
    bool is_of(const Finding& finding, const Lines& lines) const {
        if (lines.empty() || !finding.site) return true;
        const auto at = [&](const std::optional<std::uint32_t>& site, const trace::SourceLine& line) {
            return site && is_of(*site, {line});
        };
        const auto one = [&](const trace::SourceLine& line) { return at(finding.site, line); };
        const auto other = [&](const trace::SourceLine& line) { return at(finding.other_site, line); };
        if (lines.size() == 1) return one(lines[0]) || other(lines[0]);
        return (one(lines[0]) && other(lines[1])) || (one(lines[1]) && other(lines[0]));
    }
    std::string sentence_of(FindingKind kind, const Lines& lines) const {
        for (const Finding& finding : findings_)
            if (finding.kind == kind && is_of(finding, lines)) return finding.sentence;
        return {};
    }

    void add_each_once() {
        std::vector<const Finding*> buffers;
        for (const Finding& finding : findings_)
            if (finding.kind == FindingKind::coverage) buffers.push_back(&finding);
        if (buffers.empty()) return add("each_once", {}, known(0), "No buffer was read or written.");
        // A buffer that fails decides, then one whose result is unknown.
        const Finding& worst = **std::ranges::min_element(
            buffers, {}, [](const Finding* finding) { return finding->value.value_or(0.5); });
        add("each_once", {}, worst.value ? std::optional(known(*worst.value)) : std::nullopt,
            worst.value == 1 ? "Each element of each buffer was read once, or each was written once."
                             : worst.sentence);
    }

    bool has_accesses(const Lines& lines) const {
        return any_site(lines, [](const Site& site) { return site.kind != SiteKind::barrier; });
    }
    void add_outside(const Lines& lines) {
        if (!lines.empty() && !has_accesses(lines)) return;
        std::uint64_t count = 0;
        for (const Finding& finding : findings_)
            if (finding.kind == FindingKind::outside && is_of(finding, lines)) count += finding.count;
        add("out_of_bounds", lines, counted_so_far(count, missing_.empty()),
            count == 0 && !lines.empty() ? "No access of this line is out of bounds."
                                         : sentence_of(FindingKind::outside, lines));
    }
    void add_races(const Lines& lines) {
        if (!has_accesses(lines)) return;
        std::uint64_t places = 0;
        bool undecided = !missing_.empty();
        for (const Finding& finding : findings_) {
            if (finding.kind != FindingKind::race || !is_of(finding, lines)) continue;
            if (finding.status == Verdict::problem) places += finding.count;
            undecided = undecided || finding.status == Verdict::unknown;
        }
        std::string sentence = sentence_of(FindingKind::race, lines);
        if (sentence.empty()) sentence = "Nothing races with this line.";
        add("races", lines, counted_so_far(places, !undecided), std::move(sentence));
    }
    void add_pairs_that_race() {
        std::set<Lines> pairs;
        for (const Finding& finding : findings_) {
            if (finding.kind != FindingKind::race || !finding.site || !finding.other_site) continue;
            Lines pair{trace::line_of(trace_, trace_.sites[*finding.site]),
                       trace::line_of(trace_, trace_.sites[*finding.other_site])};
            std::ranges::sort(pair);
            pairs.insert(std::move(pair));
        }
        for (const Lines& pair : pairs)
            add_races(pair);
    }
    /// Adds the sum of the values of all requests over the sum of unit_of(finding). A finding has one site.
    void add_mean(std::string_view name, const Lines& lines, FindingKind kind, auto unit_of) {
        double sum = 0, units = 0;
        bool unknown = trace_.lost > 0;
        std::string sentence;
        for (const Finding& finding : findings_) {
            if (finding.kind != kind || !is_of(finding, lines)) continue;
            if (sentence.empty()) sentence = finding.sentence;
            if (!finding.site || !finding.value) {
                unknown = true;
                continue;
            }
            const auto requests = static_cast<double>(finding.count);
            sum += *finding.value * requests;
            units += unit_of(finding) * requests;
        }
        if (units == 0 && !unknown) {
            if (!lines.empty()) return;
            sentence = "The kernel has no access of this kind.";
        }
        const bool has_value = !unknown && units > 0;
        add(name, lines, has_value ? std::optional(known(sum / units)) : std::nullopt, std::move(sentence));
    }

    void add_barriers(const Lines& lines) {
        const auto waits = [](const Site& site) {
            return site.kind == SiteKind::barrier && !site.of_subgroup;
        };
        if (!lines.empty() && !any_site(lines, waits)) return;
        std::uint64_t most = 0, now = 0;
        const Record* before = nullptr;
        for (const Record& record : records_) {
            const bool same =
                before && before->workgroup == record.workgroup && before->invocation == record.invocation;
            if (!same) now = 0;
            before = &record;
            if (waits(trace_.sites[record.site]) && is_of(record.site, lines)) ++now;
            most = std::max(most, now);
        }
        add("barriers", lines,
            trace_.lost > 0 ? std::nullopt : std::optional(known(static_cast<double>(most))),
            trace_.lost > 0 ? fmt::format("{}.", trace::in_sentence_case(missing_))
                            : fmt::format("An invocation passes at most {}.", counted(most, "barrier")));
    }

    void add_atomics(const Lines& lines) {
        const auto is_atomic = [](const Site& site) { return site.kind == SiteKind::atomic; };
        const auto of_storage = [&](const Site& site) {
            return is_atomic(site) && site.space == trace::Space::buffer;
        };
        const std::uint64_t all = add_atomics("atomics", lines, is_atomic, [&](std::uint64_t count) {
            return count > 0 ? sentence_of(FindingKind::atomics, lines) : "No access is atomic.";
        });
        add_atomics("storage_atomics", lines, of_storage, [&](std::uint64_t count) {
            if (all == 0) return std::string("No access is atomic.");
            return fmt::format("{} of {} on storage buffers.", format_count(count),
                               counted(all, "atomic access is", "atomic accesses are"));
        });
    }
    std::uint64_t add_atomics(std::string_view name, const Lines& lines, auto is_meant, auto in_words) {
        if (!lines.empty() && !any_site(lines, is_meant)) return 0;
        const auto count =
            static_cast<std::uint64_t>(std::ranges::count_if(records_, [&](const Record& record) {
                return is_meant(trace_.sites[record.site]) && is_of(record.site, lines);
            }));
        // If the kernel has no such access, missing records cannot contain one.
        const bool all = missing_.empty() || !any_site(lines, is_meant);
        add(name, lines, counted_so_far(count, all), in_words(count));
        return count;
    }

    void add_loaded_per_stored() {
        std::uint64_t loaded = 0, stored = 0;
        for (const Record& record : records_) {
            const Site& site = trace_.sites[record.site];
            if (site.space != trace::Space::buffer) continue;
            if (site.kind == SiteKind::load) loaded += site.bytes;
            if (site.kind == SiteKind::store) stored += site.bytes;
        }
        const bool has_value = trace_.lost == 0 && stored > 0;
        const double ratio = static_cast<double>(loaded) / static_cast<double>(stored);
        add("loaded_per_stored", {}, has_value ? std::optional(known(ratio)) : std::nullopt,
            trace_.lost > 0 ? fmt::format("{}.", trace::in_sentence_case(missing_))
            : stored == 0   ? "The kernel stores nothing in a storage buffer."
                            : fmt::format("Bytes loaded from buffers: {}. Bytes stored there: {}.",
                                          format_count(loaded), format_count(stored)));
    }

    const trace::Trace& trace_;
    std::span<const Record> records_;
    std::span<const Finding> findings_;
    std::string missing_;
    std::vector<RecordedMetric> made_;
};

}  // namespace

std::size_t max_lines_of(std::string_view metric) {
    if (metric == "each_once" || metric == "loaded_per_stored") return 0;
    if (metric == "races") return 2;
    return is_recorded_metric(metric) ? 1 : 0;
}

std::string of_lines(std::string_view metric, std::vector<trace::SourceLine> lines) {
    if (lines.empty()) return std::string(metric);
    std::ranges::sort(lines);
    std::vector<std::string> names;
    std::ranges::transform(lines, std::back_inserter(names), trace::text_of);
    return fmt::format("{}({})", metric, joined(names, ", "));
}

std::vector<trace::SourceLine> lines_in(std::string_view name) {
    std::vector<trace::SourceLine> lines;
    const std::size_t open = name.find('('), close = name.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return lines;
    for (const std::string_view part : split(name.substr(open + 1, close - open - 1), ','))
        if (auto line = trace::source_line(trimmed(part))) lines.push_back(std::move(*line));
    return lines;
}

std::vector<trace::SourceLine> lines_counted(const Report& report, std::string_view metric) {
    const std::string_view wanted = without_lines(metric);
    if (is_mean(wanted) || wanted == "each_once") return {};
    if (auto named = lines_in(metric); !named.empty()) return named;
    std::set<trace::SourceLine> found;
    for (const RecordedMetric& one : report.recorded) {
        if (without_lines(one.name) != wanted || !one.value || !(one.value->low > 0)) continue;
        const std::vector<trace::SourceLine> lines = lines_in(one.name);
        found.insert(lines.begin(), lines.end());
    }
    return {found.begin(), found.end()};
}

bool is_recorded_metric(std::string_view name) {
    return std::ranges::find(common_recorded_metrics, without_lines(name)) !=
           std::end(common_recorded_metrics);
}

std::vector<RecordedMetric> recorded_metrics(const trace::Trace& trace, std::span<const Record> records,
                                             std::span<const Finding> findings) {
    return MetricsMaker(trace, records, findings).make();
}

std::vector<RecordedMetric> without_values(const std::string& reason) {
    std::vector<RecordedMetric> metrics;
    for (const std::string_view name : common_recorded_metrics)
        metrics.push_back({std::string(name), std::nullopt, reason});
    return metrics;
}

std::optional<RecordedMetric> find_recorded(const Report& report, std::string_view name) {
    const auto find = [&](std::string_view wanted) -> std::optional<RecordedMetric> {
        const auto found = std::ranges::find(report.recorded, wanted, &RecordedMetric::name);
        return found == report.recorded.end() ? std::nullopt : std::optional(*found);
    };
    if (auto found = find(name)) return found;
    // Only pairs of lines that race are listed.
    const std::vector<trace::SourceLine> lines = lines_in(name);
    const std::string_view metric = without_lines(name);
    auto all = find(metric);
    const auto is_there = [&](const trace::SourceLine& line) {
        return find(of_lines(metric, {line})).has_value();
    };
    if (!all || lines.size() < 2 || !std::ranges::all_of(lines, is_there)) return std::nullopt;
    const bool is_sure = all->value && all->value->low == all->value->high;
    return RecordedMetric{std::string(name), is_sure ? std::optional(known(0)) : std::nullopt,
                          is_sure ? "These two lines do not race." : std::move(all->sentence)};
}

}  // namespace gridstride
