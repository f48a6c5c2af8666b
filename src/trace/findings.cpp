#include "trace/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>
#include <utility>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "trace/barriers.h"
#include "trace/coverage.h"
#include "trace/memory_map.h"
#include "trace/request_findings.h"
#include "trace/trace_text.h"
#include "trace/uninitialized_reads.h"

namespace gridstride::trace {

namespace {

std::string too_many_accesses() {
    return tr("the invocations access more than {} bytes or words, the limit. Use a smaller launch.",
              format_count(max_accesses));
}

class FindingsBuilder {
 public:
    FindingsBuilder(const Trace& trace, std::span<const Record> records)
        : trace_(trace), records_(records), incomplete_reason_(incomplete_reason(trace)) {}

    std::vector<Finding> make() {
        add_race_metrics();
        add_out_of_bounds();
        add_unwritten();
        add_divergences();
        add_coverage();
        add_request_findings(trace_, records_, findings_);
        const auto urgency = [](const Finding& finding) {
            constexpr std::array<int, 4> verdict_priority = {3, 1, 0, 2};  // ok, warning, problem, unknown
            return std::tuple(verdict_priority.at(static_cast<std::size_t>(finding.status)), finding.kind);
        };
        std::stable_sort(findings_.begin(), findings_.end(),
                         [&](const Finding& a, const Finding& b) { return urgency(a) < urgency(b); });
        return std::move(findings_);
    }

 private:
    const Site& site_of(std::size_t record) const { return trace_.sites[records_[record].site]; }

    Finding& add(FindingKind kind, FindingStatus status, std::string sentence) {
        Finding& finding = findings_.emplace_back();
        finding.kind = kind;
        finding.status = status;
        finding.sentence = std::move(sentence);
        return finding;
    }
    /// Reports that nothing was found: ok if the trace is complete, else unknown.
    void add_none_found(FindingKind kind, const std::string& sentence) {
        if (incomplete_reason_.empty())
            add(kind, FindingStatus::ok, sentence + ".");
        else
            add(kind, FindingStatus::unknown,
                tr("{} among the traced accesses, but {}.", sentence, incomplete_reason_));
    }

    // --- Races

    void add_race_metrics() {
        const Races races = find_races(trace_, records_);
        for (const Race& race : races.pairs) {
            constexpr std::array<FindingStatus, 3> status_order = {
                FindingStatus::problem, FindingStatus::warning, FindingStatus::unknown};
            Finding& finding = add(FindingKind::race, status_order.at(static_cast<std::size_t>(race.order)),
                                   describe_race(race));
            finding.site = race.site;
            finding.other_site = race.other_site;
            finding.count = race.inside + race.between;
            finding.first = race.first;
            finding.other = race.other;
        }
        if (races.exceeds_limit)
            add(FindingKind::race, FindingStatus::unknown,
                tr("Races were not checked: {}", too_many_accesses()));
        else if (races.pairs.empty())
            add_none_found(FindingKind::race,
                           tr("No data race: no two invocations access the same bytes unordered"));
    }

    std::string describe_race(const Race& race) const {
        // A write comes first; of two writes, the one whose line comes first.
        std::size_t first = race.first, other = race.other;
        if (site_of(first).kind == SiteKind::load) std::swap(first, other);
        const std::string place = element_text(site_of(first), records_[first]);
        const std::string other_place = element_text(site_of(other), records_[other]);
        const std::string accesses_text =
            race.site == race.other_site && place == other_place
                ? tr("{} {} {} more than once", line_text(trace_, site_of(first)), verb(site_of(first).kind),
                     place)
                : tr("{} {} {} and {} {} {}", line_text(trace_, site_of(first)), verb(site_of(first).kind),
                     place, line_text(trace_, site_of(other)), verb(site_of(other).kind),
                     other_place == place ? std::string(tr("it")) : other_place + tr(", which overlaps it"));
        std::string text =
            race.order == Ordering::undecidable
                ? tr("Possible race: {}. Atomics may have ordered these accesses, "
                     "which a trace does not show.",
                     accesses_text)
                : tr("{}, and {}.", in_sentence_case(accesses_text), unordered_reason(race, first));
        text +=
            race.is_between_workgroups
                ? tr(" {} of {} {}, {} of {} {}.", in_sentence_case(invocation_text(trace_, records_[first])),
                     workgroup_text(trace_, records_[first].workgroup), access_text(first),
                     invocation_text(trace_, records_[other]),
                     workgroup_text(trace_, records_[other].workgroup), access_text(other))
                : tr(" In {}, {} {} and {} {}.", workgroup_text(trace_, records_[first].workgroup),
                     invocation_text(trace_, records_[first]), access_text(first),
                     invocation_text(trace_, records_[other]), access_text(other));
        if (race.same_value) text += tr(" All write the same value: harmless here, but still a data race.");
        const std::uint64_t places = race.inside + race.between;
        if (places > 1) text += tr(" This happens at {} places.", format_count(places));
        return text;
    }

    std::string unordered_reason(const Race& race, std::size_t record) const {
        if (site_of(race.first).kind == SiteKind::atomic && site_of(race.other).kind == SiteKind::atomic)
            return scope_reason(race);
        if (race.order == Ordering::wrong_memory)
            return site_of(record).space == MemorySpace::buffer
                       ? tr("the barrier between them orders workgroup memory only: call "
                            "memoryBarrierBuffer() before it")
                       : tr("the barrier between them does not order workgroup memory: call "
                            "memoryBarrierShared() before it");
        return race.is_between_workgroups ? tr("workgroups are not synchronized with each other")
                                          : tr("there is no barrier between them");
    }

    std::string scope_reason(const Race& race) const {
        const bool is_first = site_of(race.first).scope <= site_of(race.other).scope;
        const Site& narrow = site_of(is_first ? race.first : race.other);
        constexpr std::array<std::string_view, 4> names = {"gl_ScopeInvocation", "gl_ScopeSubgroup",
                                                           "gl_ScopeWorkgroup", "gl_ScopeDevice"};
        const Record &a = records_[race.first], &b = records_[race.other];
        const auto [actors, needed] =
            race.is_between_workgroups ? std::pair(tr("two workgroups"), Scope::device)
            : a.subgroup != b.subgroup ? std::pair(tr("two subgroups"), Scope::workgroup)
                                       : std::pair(tr("two invocations"), Scope::subgroup);
        return tr("the scope of the atomic of {}, {}, is too small for {}: it needs {}",
                  line_text(trace_, narrow), names.at(static_cast<std::size_t>(narrow.scope)), actors,
                  names.at(static_cast<std::size_t>(needed)));
    }

    /// Returns, for example, "writes 68".
    std::string access_text(std::size_t record) const {
        const Site& site = site_of(record);
        const std::string value = value_text(site, records_[record]);
        if (site.kind == SiteKind::atomic)
            return value.empty() ? tr("changes it") : tr("changes what was {}", value);
        return value.empty() ? tr("{} it", verb(site.kind)) : fmt::format("{} {}", verb(site.kind), value);
    }

    // --- Out-of-bounds accesses

    void add_out_of_bounds() {
        const MemoryMap memories = map_memory(trace_, records_);
        std::map<std::uint32_t, std::pair<std::uint64_t, std::size_t>>
            found;  // by site: the number of accesses, and the first
        for (std::size_t i = 0; i < records_.size(); ++i) {
            const Site& site = site_of(i);
            if (is_access(site) && is_out_of_bounds(site, memories.of(records_[i]), records_[i]))
                ++found.try_emplace(records_[i].site, 0, i).first->second.first;
        }
        for (const auto& [site, cases] : found) {
            Finding& finding = add(FindingKind::out_of_bounds, FindingStatus::problem,
                                   describe_out_of_bounds(cases.first, cases.second));
            finding.site = site;
            finding.count = cases.first;
            finding.first = cases.second;
        }
        if (found.empty()) add_none_found(FindingKind::out_of_bounds, tr("No access is out of bounds"));
    }

    std::string describe_out_of_bounds(std::uint64_t accesses, std::size_t record) const {
        const Record& first = records_[record];
        const Site& site = site_of(record);
        const std::uint64_t elements = element_count(site);
        const bool is_address_inside = elements > 0 && first.offset >= site.first_byte &&
                                       (first.offset - site.first_byte) / site.element_bytes < elements;
        constexpr std::array<std::string_view, 4> ordinals = {"first", "second", "third", "fourth"};
        const auto index = static_cast<std::size_t>(std::countr_zero(first.out_of_bounds_mask));
        std::string reason;
        if (is_address_inside && first.out_of_bounds_mask != 0)
            reason = tr("its {} index is out of bounds, and this is the resulting address",
                        index < ordinals.size() ? ordinals.at(index) : "last");
        else if (elements > 0)
            reason = tr("{} has {}", site.variable, counted(elements, "element", "elements"));
        else
            reason = tr("the buffer or variable ends before it");
        return tr("{} {} {}, which is out of bounds: {}. {}, first by {} of {}.",
                  in_sentence_case(line_text(trace_, site)), verb(site.kind), element_text(site, first),
                  reason, counted(accesses, "access", "accesses"), invocation_text(trace_, first),
                  workgroup_text(trace_, first.workgroup));
    }

    /// Returns the elements of the outermost array; 0: it is not an array, or its length is unknown.
    std::uint64_t element_count(const Site& site) const {
        if (site.element_bytes == 0) return 0;
        std::uint64_t bytes = site.variable_bytes;
        if (site.space == MemorySpace::buffer) {
            const TracedBuffer& buffer = trace_.buffers[site.binding];
            bytes = buffer.elements * byte_size(buffer.type);
        }
        return bytes > site.first_byte ? (bytes - site.first_byte) / site.element_bytes : 0;
    }

    // --- Uninitialized reads

    void add_unwritten() {
        const bool reads = std::ranges::any_of(trace_.sites, [&](const Site& site) {
            const bool is_read = site.kind == SiteKind::load || site.kind == SiteKind::atomic;
            return is_read &&
                   (site.space == MemorySpace::workgroup || trace_.buffers[site.binding].starts_unwritten);
        });
        if (!reads) return;
        const std::optional<std::vector<UninitializedReads>> all = find_uninitialized_reads(trace_, records_);
        if (!all) {
            add(FindingKind::unwritten, FindingStatus::unknown,
                tr("Uninitialized reads were not checked: {}", too_many_accesses()));
            return;
        }
        for (const UninitializedReads& found : *all) {
            // The store may be among the lost records.
            Finding& finding = add(FindingKind::unwritten,
                                   trace_.lost == 0 ? FindingStatus::problem : FindingStatus::unknown,
                                   describe_unwritten(found));
            finding.site = found.site;
            finding.count = found.reads;
            finding.first = found.first;
        }
        if (all->empty())
            add_none_found(FindingKind::unwritten, tr("No invocation reads uninitialized memory"));
    }

    std::string describe_unwritten(const UninitializedReads& found) const {
        const Site& site = trace_.sites[found.site];
        const Record& first = records_[found.first];
        return tr("{} {} {}, which is uninitialized: no invocation wrote it before. {}, first by {} of {}.",
                  in_sentence_case(line_text(trace_, site)), verb(site.kind), element_text(site, first),
                  counted(found.reads, "access", "accesses"), invocation_text(trace_, first),
                  workgroup_text(trace_, first.workgroup));
    }

    // --- Barriers

    void add_divergences() {
        const bool waits = std::any_of(trace_.sites.begin(), trace_.sites.end(), [](const Site& site) {
            return site.kind == SiteKind::barrier && !site.is_subgroup_barrier;
        });
        if (!waits) return;
        const std::vector<Divergence> divergences = find_divergences(trace_, records_);
        for (const Divergence& divergence : divergences) {
            // The record of a barrier may be among the lost ones.
            const bool is_certain = trace_.lost == 0 || divergence.other_site;
            Finding& finding = add(FindingKind::divergent_barrier,
                                   is_certain ? FindingStatus::problem : FindingStatus::unknown,
                                   describe_divergence(divergence));
            finding.site = divergence.site;
            finding.other_site = divergence.other_site;
            finding.count = divergence.invocations;
            finding.first = divergence.first;
            finding.other = divergence.other;
        }
        if (divergences.empty())
            add_none_found(FindingKind::divergent_barrier,
                           tr("All invocations of a workgroup reach the same barriers"));
    }

    std::string describe_divergence(const Divergence& divergence) const {
        const Record& first = records_[divergence.first];
        const std::string other = invocation_text(trace_, divergence.invocation);
        std::string waits = line_text(trace_, site_of(divergence.first));
        std::string other_text = tr("{} ends without accessing memory", other);
        if (divergence.other_iteration) {
            const std::uint32_t iteration = first.innermost_iteration(),
                                other_iteration = records_[*divergence.other].innermost_iteration();
            const bool in_innermost_loop = iteration != other_iteration;
            if (in_innermost_loop) waits += tr(" in iteration {} of its loop", iteration);
            other_text = in_innermost_loop
                             ? tr("{} waits there in iteration {}", other, other_iteration)
                             : tr("{} waits there in another iteration of an enclosing loop", other);
        } else if (divergence.other_site)
            other_text = tr("{} waits at the barrier of {}", other,
                            line_text(trace_, trace_.sites[*divergence.other_site]));
        else if (divergence.other)
            other_text = tr("{} ends after {}", other, line_text(trace_, site_of(*divergence.other)));
        return tr(
            "In {}, {} waits at the barrier of {}, but {}. {} not at this barrier while others wait there.",
            workgroup_text(trace_, divergence.workgroup), invocation_text(trace_, first), waits, other_text,
            counted(divergence.invocations, "invocation is", "invocations are"));
    }

    // --- Coverage

    void add_coverage() {
        const std::optional<std::vector<Coverage>> all = compute_coverage(trace_, records_);
        if (!all) {
            add(FindingKind::coverage, FindingStatus::unknown,
                tr("Coverage was not checked: {}", too_many_accesses()));
            return;
        }
        for (const Coverage& coverage : *all) {
            Finding& finding = add(FindingKind::coverage,
                                   incomplete_reason_.empty() ? status_of(coverage) : FindingStatus::unknown,
                                   describe_coverage(coverage));
            finding.count = coverage.elements - coverage.untouched;
            finding.value = coverage.is_each_once(!incomplete_reason_.empty());
            finding.first = coverage.first;
            finding.other = coverage.other;
            if (coverage.first) finding.site = records_[*coverage.first].site;
            if (coverage.other) finding.other_site = records_[*coverage.other].site;
        }
    }

    FindingStatus status_of(const Coverage& coverage) const {
        const TracedBuffer& buffer = trace_.buffers[coverage.binding];
        // The data may fill only a part of an output.
        const bool is_unwritten = buffer.must_write == MustWrite::all
                                      ? coverage.never_written > 0
                                      : buffer.must_write == MustWrite::some && is_never_written(coverage);
        if (is_unwritten) return FindingStatus::problem;
        return coverage.untouched > 0 && !buffer.output ? FindingStatus::warning : FindingStatus::ok;
    }
    static bool is_never_written(const Coverage& coverage) {
        return coverage.never_written == coverage.elements && coverage.elements > 0;
    }

    /// Returns, for example, "numbers: 1 024 of 1 024 read once."
    std::string describe_coverage(const Coverage& coverage) const {
        std::vector<std::string> parts;
        const auto part = [&](const AccessCounts& touched, std::string_view action) {
            if (touched.elements == 0) return;
            const std::string accessed =
                tr("{} of {} {}", format_count(touched.elements), format_count(coverage.elements), action);
            if (touched.more_than_once > 0)
                parts.push_back(
                    tr("{}, {} of them more than once", accessed, format_count(touched.more_than_once)));
            else
                parts.push_back(tr("{} once", accessed));
        };
        part(coverage.read, tr("read"));
        part(coverage.written, tr("written"));
        part(coverage.changed, tr("changed by atomics"));
        const TracedBuffer& buffer = trace_.buffers[coverage.binding];
        if (buffer.must_write != MustWrite::nothing && is_never_written(coverage))
            parts.emplace_back(tr("no element was written"));
        else if (buffer.must_write == MustWrite::all && coverage.never_written > 0)
            parts.push_back(tr("{} never written", format_count(coverage.never_written)));
        else if (coverage.untouched > 0)
            parts.push_back(coverage.untouched == coverage.elements
                                ? tr("no element was accessed")
                                : tr("{} never accessed", format_count(coverage.untouched)));
        if (coverage.out_of_bounds > 0)
            parts.push_back(tr("{} out of bounds", counted(coverage.out_of_bounds, "access", "accesses")));
        std::string text = buffer.name + ": " + join(parts, ", ");
        if (!incomplete_reason_.empty()) text += "; " + incomplete_reason_;
        return text + ".";
    }

    const Trace& trace_;
    std::span<const Record> records_;
    std::string incomplete_reason_;
    std::vector<Finding> findings_;
};

}  // namespace

std::vector<Finding> compute_findings(const Trace& trace, std::span<const Record> records) {
    if (!trace.reason.empty()) return {};
    return FindingsBuilder(trace, records).make();
}

}  // namespace gridstride::trace
