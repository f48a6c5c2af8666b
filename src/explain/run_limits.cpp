#include "explain/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "explain/traced_launch.h"
#include "launch/occupancy.h"
#include "trace/requests.h"

namespace gridstride {

namespace {

using trace::FindingKind;

/// A flaw can cost more than its resource's busy time, because other work waits for it. The one-flaw
/// kernels (tests/end_to_end/flaws) that were measured on an NVIDIA H200 stay below this factor.
constexpr double waiting_factor = 2;

struct LimitText {
    std::string_view id, lesson;
};
constexpr std::array<LimitText, 15> limit_texts = {{{"memory_rate", "roofline"},
                                                    {"arithmetic_rate", "roofline"},
                                                    {"launches", "launch_cost"},
                                                    {"sectors", "coalescing"},
                                                    {"bank_conflicts", "banks"},
                                                    {"divergence", "divergence"},
                                                    {"barriers", "reduction"},
                                                    {"contended_atomics", "histogram"},
                                                    {"few_workgroups", "occupancy"},
                                                    {"last_wave", "occupancy"},
                                                    {"bytes_in_flight", "occupancy"},
                                                    {"residence", "occupancy"},
                                                    {"unexplained", "roofline"},
                                                    {"transfers", "transfers"},
                                                    {"submits", "launch_cost"}}};

double median_or_zero(const Timing& timing) {
    return timing.median().value_or(0);
}

std::string time_text(double ns) {
    return format_time(ns).text();
}

std::string bytes_text(double bytes) {
    return format_bytes(bytes).text();
}

std::string factor_text(double factor) {
    return format_significant(factor, factor < 10 ? 2 : 3);
}

/// Adds the lines to a title: "Bank conflicts at line 31".
std::string at_lines(std::string_view title, const std::vector<trace::SourceLine>& lines) {
    if (lines.empty()) return std::string(title);
    std::vector<std::string> names;
    for (const trace::SourceLine& line : lines)
        names.push_back(trace::source_line_text(line));
    constexpr std::size_t max_named = 3;
    if (names.size() > max_named) {
        names.resize(max_named);
        names.push_back("…");
    }
    return lines.size() == 1 ? tr("{} at line {}", title, names.front())
                             : tr("{} at lines {}", title, join(names, ", "));
}

class LimitFinder {
 public:
    LimitFinder(const Report& run, const AnalyzedTrace* analysis)
        : run_(run), ceilings_(run.ceilings.value_or(Ceilings())) {
        limits_.kernel_ns = median_or_zero(run.timings.kernel);
        if (!analysis || !analysis->problem.empty()) return;
        launch_.emplace(run, *analysis);
        // Figures that only the trace needs are measured with it.
        if (analysis->report->ceilings) add_missing(ceilings_, *analysis->report->ceilings);
    }

    RunLimits find() && {
        if (limits_.kernel_ns <= 0 || !run_.ceilings) {
            limits_.missing = limits_.kernel_ns <= 0
                                  ? tr("The run was not measured, so nothing is known about its time.")
                                  : tr("The ceilings of this device were not measured.");
            return std::move(limits_);
        }
        find_floor();
        add_rates();
        add_launches();
        if (launch_) {
            add_traced();
        } else {
            limits_.missing =
                tr("There is no trace of this run, so accesses, branches and barriers are unknown.");
        }
        add_grid();
        add_unexplained();
        add_unmeasured();
        sort();
        add_run_findings();
        return std::move(limits_);
    }

 private:
    /// The size of a GPU's cache is assumed. There, a run whose data fit into it counts as served by it only
    /// if it exceeds the rate of a copy, or if loads from a footprint of its size take about as long as loads
    /// from the footprint for which the rate of the cache is measured.
    bool is_served_by_cache() const {
        if (!run_.cache.from_cache()) return false;
        if (!run_.device.is_cache_assumed || run_.bytes_per_second() > ceilings_.copy_bytes_per_second)
            return true;
        constexpr double measured_footprint = 8 << 20, max_latency_ratio = 1.1;
        const double ns = latency(static_cast<double>(run_.cache.working_set_bytes));
        return ns > 0 && ns <= max_latency_ratio * latency(measured_footprint);
    }
    double rate_of_memory() const {
        return is_served_by_cache()
                   ? std::max(ceilings_.cache_bytes_per_second, ceilings_.copy_bytes_per_second)
                   : ceilings_.copy_bytes_per_second;
    }

    /// The ceiling of arithmetic is that of f32 outside matrix units, and only a trace shows that a kernel
    /// uses none.
    bool may_use_matrix_units() const { return !launch_ && run_.device.cooperative_matrix; }

    /// Returns the time in nanoseconds that an amount takes at a rate per second; 0: the rate is unknown.
    static double time_at(double amount, double each_second) {
        return each_second > 0 ? amount / each_second * 1e9 : 0;
    }

    /// Returns whether the ceiling that a finding needs is measured.
    bool has_ceiling(double ceiling, std::string_view title) {
        if (ceiling > 0) return true;
        limits_.unmeasured_titles.emplace_back(title);
        return false;
    }

    void add_unmeasured() {
        if (limits_.unmeasured_titles.empty()) return;
        if (!limits_.missing.empty()) limits_.missing += " ";
        limits_.missing += tr("Unknown, because their ceilings are not measured: {}.",
                              join(limits_.unmeasured_titles, ", "));
    }

    void find_floor() {
        const double memory = time_at(static_cast<double>(run_.bytes_moved), rate_of_memory());
        const double arithmetic = may_use_matrix_units() ? 0
                                                         : time_at(static_cast<double>(run_.operations),
                                                                   ceilings_.operations_per_second);
        limits_.floor_ns = std::max({memory, arithmetic, ceilings_.empty_dispatch_ns});
        const std::string reason =
            limits_.floor_ns == memory
                ? tr("its least bytes, {}, at {}", bytes_text(static_cast<double>(run_.bytes_moved)),
                     format_bandwidth(rate_of_memory()).text())
            : limits_.floor_ns == arithmetic ? tr("its {} operations", format_count(run_.operations))
                                             : tr("an empty dispatch");
        limits_.floor_text = tr("The kernel takes {}. The ceilings of this device allow {}: {}.",
                                time_text(limits_.kernel_ns), time_text(limits_.floor_ns), reason);
        if (run_.operations > 0 && run_.bytes_moved > 0)
            limits_.min_bytes_intensity =
                static_cast<double>(run_.operations) / static_cast<double>(run_.bytes_moved);
    }

    double max_speedup() const { return std::max(1.0, limits_.kernel_ns / limits_.floor_ns); }

    /// Returns how many times as long the kernel takes with these nanoseconds as without them.
    double speedup(double saved_ns) const {
        return std::max(1.0, limits_.kernel_ns / std::max(limits_.floor_ns, limits_.kernel_ns - saved_ns));
    }

    /// Returns the part of `whole_ns` that mending a flaw can save, if its resource is busy for `busy_ns`, of
    /// which `needed_ns` would do.
    static double saved_ns(double whole_ns, double busy_ns, double needed_ns) {
        if (busy_ns <= needed_ns) return 0;
        return std::min(waiting_factor * (busy_ns - needed_ns), whole_ns * (1 - needed_ns / busy_ns));
    }

    LimitFinding& add(LimitKind kind, std::string title, std::string evidence, Origin origin,
                      double speedup) {
        limits_.findings.push_back(
            {kind, std::move(title), std::move(evidence), origin, std::max(1.0, speedup)});
        return limits_.findings.back();
    }

    void add_rates() {
        const double memory = run_.bytes_per_second() / rate_of_memory();
        if (run_.bytes_moved > 0)
            add(LimitKind::memory_rate, tr("Memory rate"),
                tr("{} of the bytes that the task must move, {} of the {}.",
                   format_bandwidth(run_.bytes_per_second()).text(), format_percent(memory).text(),
                   is_served_by_cache() ? tr("rate of the cache") : tr("rate of a copy")),
                Origin::measured, 1);
        if (run_.operations > 0 && !may_use_matrix_units())
            add(LimitKind::arithmetic_rate, tr("Arithmetic rate"),
                tr("{} Gop/s, {} of the multiply-adds that this device can do.",
                   format_significant(run_.operations_per_second() / 1e9),
                   format_percent(run_.operations_per_second() / ceilings_.operations_per_second).text()),
                Origin::measured, 1);
    }

    double launch_overhead_ns() const {
        return static_cast<double>(run_.launch.dispatches) * ceilings_.empty_dispatch_ns;
    }

    void add_launches() {
        const double overhead = launch_overhead_ns();
        add(LimitKind::launches, tr("Launch overhead"),
            tr("{} of {} each, as an empty one takes: {} of the kernel's time.",
               counted(run_.launch.dispatches, "dispatch", "dispatches"),
               time_text(ceilings_.empty_dispatch_ns),
               format_percent(std::min(1.0, overhead / limits_.kernel_ns)).text()),
            Origin::measured, speedup(saved_ns(limits_.kernel_ns, overhead, ceilings_.empty_dispatch_ns)));
    }

    // --- From the trace

    const trace::Trace& trace() const { return launch_->trace(); }

    /// Adds a finding about requests, whose resource handles `unit` of a cost at `each_second`.
    void add_requests(LimitKind kind, std::string_view title, FindingKind of, double unit,
                      double each_second) {
        const RequestCosts costs = launch_->costs(of);
        if (costs.total == 0 || !has_ceiling(each_second, title)) return;
        const double busy = time_at(costs.total * unit, each_second);
        const double needed_ns = time_at(costs.needed * unit, each_second);
        LimitFinding& finding =
            add(kind, at_lines(title, costs.lines), costs.lines.empty() ? tr("None.") : costs.worst_sentence,
                Origin::modelled, speedup(saved_ns(launch_->kernel_ns(), busy, needed_ns)));
        finding.lines = costs.lines;
        if (run_.device.is_cpu) set_unmodelled(finding);
    }

    /// A software device executes lanes and memory in another way than the model of a GPU.
    void set_unmodelled(LimitFinding& finding) const {
        if (finding.max_speedup < min_speedup) return;
        finding.evidence += ' ';
        finding.evidence +=
            tr("The model is that of a GPU; on this software device it says nothing about the time.");
        finding.is_unclear = true;
    }

    void add_traced() {
        if (trace().launches > 1)
            limits_.traced_launch = tr("Lines are those of {}, launch {} of {}, which was traced.",
                                       trace().kernel, trace().launch_number + 1, trace().launches);
        constexpr double bytes_per_turn = 4;  // of each bank
        // Unused bytes cost most if they come from memory.
        add_requests(LimitKind::sectors, tr("Bytes fetched and not used"), FindingKind::sectors,
                     trace::sector_bytes, ceilings_.copy_bytes_per_second);
        add_requests(LimitKind::bank_conflicts, tr("Bank conflicts"), FindingKind::banks,
                     bytes_per_turn * trace().banks, ceilings_.workgroup_memory_bytes_per_second);
        add_divergence();
        add_barriers();
        add_contended_atomics();
        add_accessed_intensity();
        add_residence();
        if (const std::string reason = trace::incomplete_reason(trace()); !reason.empty() && trace().lost > 0)
            limits_.missing =
                tr("{}, so counts are estimated from those that did.", trace::in_sentence_case(reason));
    }

    void add_divergence() {
        const RequestCosts costs = launch_->costs(FindingKind::activity);
        if (costs.total == 0) return;
        const double share = costs.needed / costs.total;
        LimitFinding& finding =
            add(LimitKind::divergence, at_lines(tr("Inactive lanes"), costs.lines),
                tr("{} of the lanes are active. {}", format_percent(share).text(), costs.worst_sentence),
                Origin::traced, speedup(launch_->kernel_ns() * (1 - share)));
        finding.lines = costs.lines;
        if (run_.device.is_cpu) set_unmodelled(finding);
    }

    void add_barriers() {
        const TracedLaunch::BarrierPasses passes = launch_->barrier_passes();
        if (passes.each_invocation == 0 || !has_ceiling(ceilings_.barriers_per_second, tr("Barriers")))
            return;
        // The rate is that of a device full of workgroups of 256. With fewer, each barrier takes as long.
        constexpr double measured_size = 256, resident_invocations = 2048;
        const double concurrent_workgroups =
            std::max(1.0, run_.device.multiprocessors * resident_invocations / measured_size);
        const double workgroups =
            static_cast<double>(trace().grid.product()) *
            std::max(1.0, static_cast<double>(trace().workgroup.product()) / measured_size);
        const double busy = time_at(passes.each_invocation * std::max(workgroups, concurrent_workgroups),
                                    ceilings_.barriers_per_second);
        LimitFinding& finding =
            add(LimitKind::barriers, at_lines(tr("Barriers"), passes.lines),
                tr("An invocation passes {} on average. On this device, that many take {} of the "
                   "kernel's time if nothing else is done.",
                   counted(static_cast<std::uint64_t>(std::lround(passes.each_invocation)), "barrier",
                           "barriers"),
                   format_percent(std::min(1.0, busy / limits_.kernel_ns)).text()),
                Origin::traced, speedup(saved_ns(launch_->kernel_ns(), busy, 0)));
        finding.lines = passes.lines;
    }

    void add_contended_atomics() {
        const std::optional<TracedLaunch::AtomicRequests> requests = launch_->contended_atomics();
        if (!requests || !has_ceiling(ceilings_.contended_atomics_per_second, tr("Atomics at one address")))
            return;
        const double busy =
            time_at(requests->count * trace().subgroup_size, ceilings_.contended_atomics_per_second);
        LimitFinding& finding =
            add(LimitKind::contended_atomics, at_lines(tr("Atomics at one address"), {requests->line}),
                tr("About {} of subgroups go to the same address. On this device, that many take {}.",
                   counted(static_cast<std::uint64_t>(requests->count), "atomic request", "atomic requests"),
                   time_text(busy)),
                Origin::traced, speedup(saved_ns(launch_->kernel_ns(), busy, 0)));
        finding.lines = {requests->line};
    }

    void add_accessed_intensity() {
        const double bytes = launch_->accessed_bytes();
        // Only one of several launches is traced.
        if (bytes > 0 && run_.operations > 0 && trace().launches == 1)
            limits_.accessed_intensity = static_cast<double>(run_.operations) / bytes;
    }

    /// Returns how many workgroups a multiprocessor held at once in the trace. nullopt: the device does not
    /// report it, or too few workgroups ran to fill the device.
    std::optional<std::uint64_t> traced_residence(const Occupancy& fit) const {
        if (!launch_ || trace().placements.size() < fit.workgroups * run_.device.multiprocessors)
            return std::nullopt;
        return trace::max_resident_workgroups(trace());
    }

    /// Returns true if the registers of the instrumented kernel have room for no more workgroups, so that the
    /// kernel itself may hold more.
    bool is_limited_by_instrumentation(std::uint64_t resident) const {
        const auto fit = occupancy(trace().workgroup.product(), trace().registers, run_.device);
        return trace().registers > 0 && fit && resident >= fit->workgroups;
    }

    void add_residence() {
        const auto fit = occupancy(trace().workgroup.product(), run_.launch.registers, run_.device);
        if (trace().placements.empty() || !fit) return;
        LimitFinding& finding = add(
            LimitKind::residence, tr("Resident workgroups"),
            tr("A multiprocessor held up to {} at once in the trace; its subgroups and registers have "
               "room for {}.",
               counted(trace::max_resident_workgroups(trace()), "workgroup", "workgroups"), fit->workgroups),
            Origin::measured, 1);
        const auto add_sentence = [&](const std::string& sentence) {
            if (!sentence.empty()) finding.evidence += " " + sentence;
        };
        add_sentence(trace::placed_workgroups_text(trace()));
        if (trace::max_resident_workgroups(trace()) > fit->workgroups)
            add_sentence(
                tr("More are counted than fit. The trace does not show why: it has the times of the first "
                   "invocation of each workgroup only."));
        const std::optional<std::uint64_t> resident = traced_residence(*fit);
        if (!resident || *resident >= fit->workgroups) return;
        if (is_limited_by_instrumentation(*resident))
            return add_sentence(tr(
                "The instrumented kernel needs {} registers an invocation, which leave room for no more. The "
                "kernel itself may hold more.",
                trace().registers));
        finding.max_speedup =
            std::min(max_speedup(), static_cast<double>(fit->workgroups) / static_cast<double>(*resident));
        const std::string short_lived =
            tr("Workgroups end before a multiprocessor has started as many as fit.");
        const std::string resource = unmodelled_resource();
        if (resource.empty()) {
            add_sentence(short_lived);
            return leave_to_sweep(finding, {});
        }
        leave_to_sweep(
            finding,
            {{resource, tr("the kernel takes as long with fewer workgroups that still fill the device")},
             {short_lived, tr("the kernel takes less time with fewer workgroups, which do more work each")}});
    }

    /// Says which resource, besides those in the model, can limit how many workgroups are resident; empty:
    /// none.
    std::string unmodelled_resource() const {
        const std::string memory = bytes_text(static_cast<double>(run_.launch.shared_bytes));
        if (trace().registers > 0)
            return run_.launch.shared_bytes == 0
                       ? ""
                       : tr("Workgroup memory, {} for each workgroup, leaves room for no more.", memory);
        return run_.launch.shared_bytes == 0 ? tr("The registers of the instrumented kernel, whose number is "
                                                  "unknown, leave room for no "
                                                  "more.")
                                             : tr("Workgroup memory, {} for each workgroup, or the registers "
                                                  "of the instrumented kernel, "
                                                  "whose number is unknown, leave room for no more.",
                                                  memory);
    }

    // --- From the launch

    void add_grid() {
        const double multiprocessors = run_.device.multiprocessors;
        const auto workgroups = static_cast<double>(run_.launch.workgroup_count());
        if (multiprocessors == 0) return;
        const auto fit = occupancy(run_.launch.workgroup_size(), run_.launch.registers, run_.device);
        const double resident = fit ? static_cast<double>(fit->workgroups) * multiprocessors : 0;
        const bool is_few = workgroups < multiprocessors;
        // More workgroups do not shorten the launches themselves.
        const double kernel_work_ns = std::max(0.0, limits_.kernel_ns - launch_overhead_ns());
        add(LimitKind::few_workgroups,
            is_few ? tr("Fewer workgroups than multiprocessors") : tr("Workgroups"),
            tr("{} for {}.", counted(run_.launch.workgroup_count(), "workgroup", "workgroups"),
               counted(run_.device.multiprocessors, "multiprocessor", "multiprocessors")),
            Origin::computed,
            is_few ? speedup(kernel_work_ns * (1 - workgroups / std::max(resident, multiprocessors))) : 1);
        if (is_few || resident == 0) return;
        add_last_wave(*fit);
        add_bytes_in_flight(std::min(workgroups, resident) *
                            static_cast<double>(run_.launch.workgroup_size()));
    }

    /// Waves as full as in the trace if its workgroups show it, otherwise as full as the model allows.
    void add_last_wave(const Occupancy& fit) {
        const std::optional<std::uint64_t> traced = traced_residence(fit);
        const bool is_measured = traced && !is_limited_by_instrumentation(*traced) &&
                                 trace().workgroup.product() == run_.launch.workgroup_size();
        const std::uint64_t concurrent_workgroups =
            (is_measured ? std::min(*traced, fit.workgroups) : fit.workgroups) * run_.device.multiprocessors;
        const double waves =
            static_cast<double>(run_.launch.workgroup_count()) / static_cast<double>(concurrent_workgroups);
        if (waves <= 1) return;
        const std::string wave_count = format_significant(std::ceil(waves)),
                          filled = format_percent(waves - std::ceil(waves) + 1).text();
        LimitFinding& finding = add(
            LimitKind::last_wave, tr("The last wave"),
            is_measured ? tr("{} waves of up to {} workgroups, as many as ran at once in the trace: the last "
                             "one fills {} of the device.",
                             wave_count, format_count(concurrent_workgroups), filled)
                        : tr("{} waves of up to {} workgroups: the last one fills {} of the device.",
                             wave_count, format_count(concurrent_workgroups), filled),
            is_measured ? Origin::measured : Origin::computed,
            std::min(max_speedup(), std::ceil(waves) / waves));
        if (finding.max_speedup < min_speedup) return;
        leave_to_sweep(
            finding,
            {{tr("All workgroups take about as long, so multiprocessors are idle during the last wave."),
              tr("the time for each element is lowest where the workgroups fill whole waves")},
             {tr("Workgroups end at different times and others take their places at once, so there are no "
                 "waves."),
              tr("the time for each element is about the same with one workgroup more")}});
    }

    /// Returns the latency of a load from a footprint of this many bytes, in nanoseconds; 0: not measured.
    double latency(double footprint) const {
        for (const LoadLatency& one : ceilings_.latencies)
            if (static_cast<double>(one.footprint_bytes) >= footprint) return one.ns;
        return ceilings_.latencies.empty() ? 0 : ceilings_.latencies.back().ns;
    }

    void add_bytes_in_flight(double resident_invocations) {
        if (!launch_ || run_.bytes_moved == 0) return;
        const double load_bytes = launch_->mean_load_bytes();
        const double ns = latency(static_cast<double>(run_.cache.working_set_bytes));
        if (load_bytes == 0 || !has_ceiling(ns, tr("Bytes in flight"))) return;
        // Bytes that are fetched and not used are in flight, too.
        const double fetched_bytes =
            std::max(launch_->costs(FindingKind::sectors).total * trace::sector_bytes,
                     static_cast<double>(run_.bytes_moved));
        const double needed_bytes = rate_of_memory() * ns / 1e9,
                     in_flight = fetched_bytes * ns / limits_.kernel_ns;
        const double one_load_each = resident_invocations * load_bytes;
        // If far less is in flight than the invocations could have, something else than the latency of memory
        // keeps them waiting.
        const bool is_latency_bound = one_load_each < needed_bytes && in_flight > one_load_each / 4;
        add(LimitKind::bytes_in_flight, tr("Bytes in flight"),
            tr("A load takes {}, so the full rate needs {} in flight (Little's law). The rate of this run "
               "shows {}, and one load of each resident invocation makes {}.",
               time_text(ns), bytes_text(needed_bytes), bytes_text(in_flight), bytes_text(one_load_each)),
            Origin::computed, is_latency_bound ? std::min(max_speedup(), needed_bytes / in_flight) : 1);
    }

    /// Returns the id of the parameter that sets the number of workgroups, or of the one that it follows
    /// from; empty if the lesson has none of them.
    std::string swept_workgroups() const {
        for (const std::string_view id : {"workgroup_count", "grid", "elements"})
            if (run_.experiment.values.contains(id)) return std::string(id);
        return {};
    }

    /// Marks a finding as one of which only a sweep over the number of workgroups tells whether it costs
    /// time.
    void leave_to_sweep(LimitFinding& finding, std::vector<Explanation> explanations) const {
        finding.is_unclear = true;
        finding.explanations = std::move(explanations);
        finding.experiment = swept_workgroups();
    }

    // --- All together

    void add_unexplained() {
        double explained_factor = 1;
        for (const LimitFinding& finding : limits_.findings)
            if (!finding.is_unclear && finding.max_speedup >= min_speedup)
                explained_factor *= finding.max_speedup;
        constexpr double notable = 1.5;
        if (max_speedup() / explained_factor < notable) return;
        std::string evidence = tr(
            "The kernel takes {} times as long as the ceilings allow, and {}. Instructions, their latency, "
            "and what reaches memory are not traced.",
            factor_text(max_speedup()),
            explained_factor > 1 ? tr("the findings explain up to {} times", factor_text(explained_factor))
                                 : tr("no finding explains it"));
        if (run_.operations > 0 && may_use_matrix_units())
            evidence += fmt::format(
                " {}", tr("The rate of matrix units, which it may use, is not measured, so the ceilings "
                          "do not include its arithmetic."));
        LimitFinding& finding = add(LimitKind::unexplained, tr("Not explained"), std::move(evidence),
                                    Origin::computed, max_speedup() / explained_factor);
        leave_to_sweep(finding,
                       {{tr("Too little is in flight, so the device waits for values."),
                         tr("the time changes with the number of workgroups")},
                        {tr("The instructions themselves, or the bytes that reach memory, take the time."),
                         tr("the time is about the same for many numbers of workgroups")}});
    }

    void sort() {
        std::ranges::stable_sort(limits_.findings, [](const LimitFinding& a, const LimitFinding& b) {
            return std::pair(a.is_unclear, -a.max_speedup) < std::pair(b.is_unclear, -b.max_speedup);
        });
    }

    void add_run_findings() {
        const double wall = median_or_zero(run_.timings.wall);
        if (wall <= 0) return;
        const double transfers = median_or_zero(run_.timings.upload) + median_or_zero(run_.timings.download);
        const auto without = [&](double part) {
            return part < wall ? wall / (wall - part) : std::numeric_limits<double>::infinity();
        };
        if (transfers > 0)
            add(LimitKind::transfers, tr("Transfers"),
                tr("Copies to and from the device take {} of the whole run, {}.",
                   format_percent(transfers / wall).text(), time_text(wall)),
                Origin::measured, without(transfers));
        const double submits = static_cast<double>(run_.launch.submissions) * ceilings_.empty_submit_ns;
        if (run_.launch.submissions > 0)
            add(LimitKind::submits, tr("Submits"),
                tr("{} of {} each, as an empty one takes with its wait: {} of the whole run.",
                   counted(run_.launch.submissions, "submit", "submits"),
                   time_text(ceilings_.empty_submit_ns),
                   format_percent(std::min(1.0, submits / wall)).text()),
                Origin::measured,
                run_.launch.submissions > 1 ? without(std::min(submits, wall) - ceilings_.empty_submit_ns)
                                            : 1);
    }

    const Report& run_;
    Ceilings ceilings_;
    std::optional<TracedLaunch> launch_;  ///< nullopt: there is no trace
    RunLimits limits_;
};

}  // namespace

std::string_view name(LimitKind kind) {
    return limit_texts.at(static_cast<std::size_t>(kind)).id;
}

std::string_view teaching_lesson(LimitKind kind) {
    return limit_texts.at(static_cast<std::size_t>(kind)).lesson;
}

std::string explanation_text(const Explanation& explanation) {
    return tr("{} If so, {}.", explanation.cause, explanation.sweep_result);
}

std::uint32_t find_longest_launch(const Report& run, const Plan& plan) {
    std::vector<double> times;  // of each launch
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        if (!std::holds_alternative<Dispatch>(plan.steps[i])) continue;
        double& time = times.emplace_back();
        for (const StepTime& part : run.timeline)
            if (part.step == i) time += part.duration_ns;
    }
    return static_cast<std::uint32_t>(std::ranges::max_element(times) - times.begin());
}

RunLimits find_run_limits(const Report& run, const AnalyzedTrace* analysis) {
    return LimitFinder(run, analysis).find();
}

}  // namespace gridstride
