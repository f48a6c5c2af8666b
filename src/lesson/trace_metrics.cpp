#include "lesson/trace_metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "trace/findings.h"
#include "trace/trace_text.h"

namespace gridstride {

namespace {

using trace::Finding;
using trace::FindingKind;
using trace::FindingStatus;
using trace::Record;
using trace::Site;
using trace::SiteKind;

Estimate exact_estimate(double value) {
    return {value, value, value};
}

/// Returns a count. If records are missing it is a lower bound, or unknown if it is 0.
std::optional<Estimate> estimate_count(std::uint64_t count, bool all_is_known) {
    const auto found = static_cast<double>(count);
    if (all_is_known) return exact_estimate(found);
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

class TraceMetricsBuilder {
 public:
    TraceMetricsBuilder(const trace::Trace& trace, std::span<const Record> records,
                        std::span<const Finding> findings)
        : trace_(trace), records_(records), findings_(findings), missing_(trace::incomplete_reason(trace)) {}

    std::vector<TraceMetric> make() {
        add_each_once();
        add_line_metrics({});
        std::set<trace::SourceLine> lines;
        for (const Site& site : trace_.sites)
            lines.insert(trace::line_at(trace_, site));
        for (const trace::SourceLine& line : lines)
            add_line_metrics({line});
        add_racing_pairs();
        add_loaded_per_stored();
        add_resident_workgroups();
        return std::move(metrics_);
    }

 private:
    void add_line_metrics(const Lines& lines) {
        const std::string line_suffix = lines.empty() ? "" : tr(" of this line");
        add_faulty_accesses("out_of_bounds", FindingKind::out_of_bounds,
                            tr("No access{} is out of bounds.", line_suffix), lines);
        add_faulty_accesses("unwritten", FindingKind::unwritten,
                            tr("No access{} reads uninitialized memory.", line_suffix), lines);
        add_race_metrics(lines);
        const auto one = [](double unit) { return [unit](const Finding&) { return unit; }; };
        add_mean_metric("active_share", lines, FindingKind::activity, one(trace_.subgroup_size));
        add_mean_metric("sectors_per_request", lines, FindingKind::sectors, one(1));
        add_mean_metric("sectors_over_needed", lines, FindingKind::sectors,
                        [](const Finding& finding) { return finding.min_value.value_or(1); });
        add_mean_metric("bank_turns", lines, FindingKind::banks, one(1));
        add_barriers(lines);
        add_atomics(lines);
        add_accessed_bytes(lines);
    }

    void add(std::string_view name, const Lines& lines, std::optional<Estimate> value, std::string sentence) {
        metrics_.push_back({metric_name_with_lines(name, lines), value, std::move(sentence)});
    }

    bool is_on_lines(std::uint32_t number, const Lines& lines) const {
        return lines.empty() ||
               std::ranges::find(lines, trace::line_at(trace_, trace_.sites[number])) != lines.end();
    }
    bool any_site(const Lines& lines, auto has) const {
        for (std::uint32_t i = 0; i < trace_.sites.size(); ++i)
            if (is_on_lines(i, lines) && has(trace_.sites[i])) return true;
        return false;
    }

    /// Given one line, returns true if a site of the finding is on it; given two, if the sites are on both.
    bool is_on_lines(const Finding& finding, const Lines& lines) const {
        if (lines.empty() || !finding.site) return true;
        const auto at = [&](const std::optional<std::uint32_t>& site, const trace::SourceLine& line) {
            return site && is_on_lines(*site, {line});
        };
        const auto one = [&](const trace::SourceLine& line) { return at(finding.site, line); };
        const auto other = [&](const trace::SourceLine& line) { return at(finding.other_site, line); };
        if (lines.size() == 1) return one(lines[0]) || other(lines[0]);
        return (one(lines[0]) && other(lines[1])) || (one(lines[1]) && other(lines[0]));
    }
    std::string find_sentence(FindingKind kind, const Lines& lines) const {
        for (const Finding& finding : findings_)
            if (finding.kind == kind && is_on_lines(finding, lines)) return finding.sentence;
        return {};
    }

    void add_each_once() {
        std::vector<const Finding*> buffers;
        for (const Finding& finding : findings_)
            if (finding.kind == FindingKind::coverage) buffers.push_back(&finding);
        if (buffers.empty())
            return add("each_once", {}, exact_estimate(0), tr("No buffer was read or written."));
        // A buffer that fails decides, then one whose result is unknown.
        const Finding& worst = **std::ranges::min_element(
            buffers, {}, [](const Finding* finding) { return finding->value.value_or(0.5); });
        add("each_once", {}, worst.value ? std::optional(exact_estimate(*worst.value)) : std::nullopt,
            worst.value == 1 ? tr("Each element of each buffer was read once, or each was written once.")
                             : worst.sentence);
    }

    bool has_accesses(const Lines& lines) const {
        return any_site(lines, [](const Site& site) { return trace::is_access(site); });
    }
    /// Adds the accesses that findings of a kind count. `none` is the sentence if there is none.
    void add_faulty_accesses(const char* metric, FindingKind kind, const std::string& none,
                             const Lines& lines) {
        if (!lines.empty() && !has_accesses(lines)) return;
        std::uint64_t count = 0;
        bool is_decided = missing_.empty();
        for (const Finding& finding : findings_)
            if (finding.kind == kind && is_on_lines(finding, lines)) {
                count += finding.count;
                is_decided = is_decided && finding.status != FindingStatus::unknown;
            }
        const std::string sentence = find_sentence(kind, lines);
        add(metric, lines, estimate_count(count, is_decided),
            sentence.empty() || (count == 0 && !lines.empty()) ? none : sentence);
    }
    void add_race_metrics(const Lines& lines) {
        if (!has_accesses(lines)) return;
        std::uint64_t places = 0;
        bool undecided = !missing_.empty();
        for (const Finding& finding : findings_) {
            if (finding.kind != FindingKind::race || !is_on_lines(finding, lines)) continue;
            if (finding.status == FindingStatus::problem) places += finding.count;
            undecided = undecided || finding.status == FindingStatus::unknown;
        }
        std::string sentence = find_sentence(FindingKind::race, lines);
        if (sentence.empty()) sentence = tr("Nothing races with this line.");
        add("races", lines, estimate_count(places, !undecided), std::move(sentence));
    }
    void add_racing_pairs() {
        std::set<Lines> pairs;
        for (const Finding& finding : findings_) {
            if (finding.kind != FindingKind::race || !finding.site || !finding.other_site) continue;
            Lines pair{trace::line_at(trace_, trace_.sites[*finding.site]),
                       trace::line_at(trace_, trace_.sites[*finding.other_site])};
            std::ranges::sort(pair);
            pairs.insert(std::move(pair));
        }
        for (const Lines& pair : pairs)
            add_race_metrics(pair);
    }
    /// Adds the sum of the values of all requests over the sum of unit_of(finding). A finding has one site.
    void add_mean_metric(std::string_view name, const Lines& lines, FindingKind kind, auto unit_of) {
        double sum = 0, units = 0;
        // Branches do not count on a line that accesses memory.
        const bool counts_branches =
            kind == FindingKind::activity && (lines.empty() || !has_accesses(lines)) &&
            any_site(lines, [](const Site& site) { return site.counts_true || site.counts_false; });
        bool unknown = trace_.lost > 0 || (counts_branches && trace_.lost_branches > 0);
        std::string sentence;
        for (const Finding& finding : findings_) {
            if (finding.kind != kind || !is_on_lines(finding, lines)) continue;
            const bool is_branch = finding.site && trace_.sites[*finding.site].kind == SiteKind::branch;
            if (is_branch && !counts_branches) continue;
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
            sentence = tr("The kernel has no access of this kind.");
        }
        const bool has_value = !unknown && units > 0;
        add(name, lines, has_value ? std::optional(exact_estimate(sum / units)) : std::nullopt,
            std::move(sentence));
    }

    void add_barriers(const Lines& lines) {
        const auto is_barrier = [](const Site& site) {
            return site.kind == SiteKind::barrier && !site.is_subgroup_barrier;
        };
        if (!lines.empty() && !any_site(lines, is_barrier)) return;
        std::uint64_t max_barriers = 0, barriers = 0;
        const Record* before = nullptr;
        for (const Record& record : records_) {
            const bool same =
                before && before->workgroup == record.workgroup && before->invocation == record.invocation;
            if (!same) barriers = 0;
            before = &record;
            if (is_barrier(trace_.sites[record.site]) && is_on_lines(record.site, lines)) ++barriers;
            max_barriers = std::max(max_barriers, barriers);
        }
        add("barriers", lines,
            trace_.lost > 0 ? std::nullopt : std::optional(exact_estimate(static_cast<double>(max_barriers))),
            trace_.lost > 0
                ? fmt::format("{}.", trace::in_sentence_case(missing_))
                : tr("An invocation passes at most {}.", counted(max_barriers, "barrier", "barriers")));
    }

    void add_atomics(const Lines& lines) {
        const auto is_atomic = [](const Site& site) { return site.kind == SiteKind::atomic; };
        const auto is_buffer_atomic = [&](const Site& site) {
            return is_atomic(site) && site.space == trace::MemorySpace::buffer;
        };
        const std::uint64_t all = add_atomics("atomics", lines, is_atomic, [&](std::uint64_t count) {
            return count > 0 ? find_sentence(FindingKind::atomics, lines) : tr("No access is atomic.");
        });
        add_atomics("storage_atomics", lines, is_buffer_atomic, [&](std::uint64_t count) {
            if (all == 0) return std::string(tr("No access is atomic."));
            return tr("{} of {} on storage buffers.", format_count(count),
                      counted(all, "atomic access is", "atomic accesses are"));
        });
    }
    std::uint64_t add_atomics(std::string_view name, const Lines& lines, auto is_included, auto in_words) {
        if (!lines.empty() && !any_site(lines, is_included)) return 0;
        const auto count =
            static_cast<std::uint64_t>(std::ranges::count_if(records_, [&](const Record& record) {
                return is_included(trace_.sites[record.site]) && is_on_lines(record.site, lines);
            }));
        // If the kernel has no such access, missing records cannot contain one.
        const bool all = missing_.empty() || !any_site(lines, is_included);
        add(name, lines, estimate_count(count, all), in_words(count));
        return count;
    }

    void add_accessed_bytes(const Lines& lines) {
        const bool has_site = any_site(lines, [](const Site& site) { return trace::buffer_bytes(site) > 0; });
        if (!lines.empty() && !has_site) return;
        std::uint64_t bytes = 0;
        for (const Record& record : records_)
            if (is_on_lines(record.site, lines)) bytes += trace::buffer_bytes(trace_.sites[record.site]);
        add("accessed_bytes", lines, estimate_count(bytes, missing_.empty() || !has_site),
            fmt::format("Invocations access {} of storage buffers.", counted(bytes, "byte")));
    }

    void add_loaded_per_stored() {
        std::uint64_t loaded = 0, stored = 0;
        for (const Record& record : records_) {
            const Site& site = trace_.sites[record.site];
            if (site.space != trace::MemorySpace::buffer) continue;
            if (site.kind == SiteKind::load) loaded += site.bytes;
            if (site.kind == SiteKind::store) stored += site.bytes;
        }
        const bool has_value = trace_.lost == 0 && stored > 0;
        const double ratio = static_cast<double>(loaded) / static_cast<double>(stored);
        add("loaded_per_stored", {}, has_value ? std::optional(exact_estimate(ratio)) : std::nullopt,
            trace_.lost > 0 ? fmt::format("{}.", trace::in_sentence_case(missing_))
            : stored == 0   ? tr("The kernel stores nothing in a storage buffer.")
                          : tr("Bytes loaded from buffers: {}. Bytes stored there: {}.", format_count(loaded),
                               format_count(stored)));
    }

    void add_resident_workgroups() {
        const std::uint64_t resident = trace::max_resident_workgroups(trace_);
        const std::string limit = trace::placed_workgroups_text(trace_);
        add("resident_workgroups", {}, estimate_count(resident, limit.empty() && resident > 0),
            resident > 0 ? tr("A multiprocessor held up to {} at once.{}{}",
                              counted(resident, "workgroup", "workgroups"), limit.empty() ? "" : " ", limit)
                         : tr("This device does not report where its workgroups run."));
    }

    const trace::Trace& trace_;
    std::span<const Record> records_;
    std::span<const Finding> findings_;
    std::string missing_;
    std::vector<TraceMetric> metrics_;
};

}  // namespace

std::size_t max_line_count(std::string_view metric) {
    if (metric == "each_once" || metric == "loaded_per_stored" || metric == "resident_workgroups") return 0;
    if (metric == "races") return 2;
    return is_trace_metric(metric) ? 1 : 0;
}

std::string metric_name_with_lines(std::string_view metric, std::vector<trace::SourceLine> lines) {
    if (lines.empty()) return std::string(metric);
    std::ranges::sort(lines);
    std::vector<std::string> names;
    std::ranges::transform(lines, std::back_inserter(names), trace::source_line_text);
    return fmt::format("{}({})", metric, join(names, ", "));
}

std::vector<trace::SourceLine> parse_metric_lines(std::string_view name) {
    std::vector<trace::SourceLine> lines;
    const std::size_t open = name.find('('), close = name.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return lines;
    for (const std::string_view part : split(name.substr(open + 1, close - open - 1), ','))
        if (auto line = trace::parse_source_line(trim(part))) lines.push_back(std::move(*line));
    return lines;
}

std::vector<trace::SourceLine> find_counted_lines(const Report& report, std::string_view metric) {
    const std::string_view id = without_lines(metric);
    if (is_mean(id) || id == "each_once") return {};
    if (auto metric_lines = parse_metric_lines(metric); !metric_lines.empty()) return metric_lines;
    std::set<trace::SourceLine> found;
    for (const TraceMetric& one : report.trace_metrics) {
        if (without_lines(one.name) != id || !one.value || !(one.value->low > 0)) continue;
        const std::vector<trace::SourceLine> lines = parse_metric_lines(one.name);
        found.insert(lines.begin(), lines.end());
    }
    return {found.begin(), found.end()};
}

bool is_trace_metric(std::string_view name) {
    return std::ranges::find(trace_metric_names, without_lines(name)) != std::end(trace_metric_names);
}

std::vector<TraceMetric> compute_trace_metrics(const trace::Trace& trace, std::span<const Record> records,
                                               std::span<const Finding> findings) {
    return TraceMetricsBuilder(trace, records, findings).make();
}

std::vector<TraceMetric> make_empty_trace_metrics(const std::string& reason) {
    std::vector<TraceMetric> metrics;
    for (const std::string_view name : trace_metric_names)
        metrics.push_back({std::string(name), std::nullopt, reason});
    return metrics;
}

std::optional<TraceMetric> find_trace_metric(const Report& report, std::string_view name) {
    const auto find = [&](std::string_view metric_name) -> std::optional<TraceMetric> {
        const auto found = std::ranges::find(report.trace_metrics, metric_name, &TraceMetric::name);
        return found == report.trace_metrics.end() ? std::nullopt : std::optional(*found);
    };
    if (auto found = find(name)) return found;
    // Only pairs of lines that race are listed.
    const std::vector<trace::SourceLine> lines = parse_metric_lines(name);
    const std::string_view metric = without_lines(name);
    auto all = find(metric);
    const auto is_there = [&](const trace::SourceLine& line) {
        return find(metric_name_with_lines(metric, {line})).has_value();
    };
    if (!all || lines.size() < 2 || !std::ranges::all_of(lines, is_there)) return std::nullopt;
    const bool is_sure = all->value && all->value->low == all->value->high;
    return TraceMetric{std::string(name), is_sure ? std::optional(exact_estimate(0)) : std::nullopt,
                       is_sure ? tr("These two lines do not race.") : std::move(all->sentence)};
}

}  // namespace gridstride
