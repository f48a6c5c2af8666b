#include "explain/run_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "launch/occupancy.h"
#include "trace/requests.h"

namespace gridstride {

namespace {

using trace::FindingKind;
using trace::Site;
using trace::SiteKind;

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

/// The cost of one kind in a launch, by source line, in units of its resource.
struct LineCosts {
    double total = 0, needed = 0;
    std::map<trace::SourceLine, double> wasted;
    std::string worst_sentence;  ///< of the site that wastes most
    double worst = 0;

    void add(const trace::SourceLine& line, double cost, double min_cost, const std::string& sentence) {
        total += cost;
        needed += min_cost;
        const double waste = cost - min_cost;
        if (waste <= 0) return;
        wasted[line] += waste;
        if (waste <= worst) return;
        worst = waste;
        worst_sentence = sentence;
    }
    std::vector<trace::SourceLine> lines() const {
        std::vector<trace::SourceLine> sorted;
        for (const auto& [line, waste] : wasted)
            sorted.push_back(line);
        std::ranges::stable_sort(sorted, std::greater(), [&](const auto& line) { return wasted.at(line); });
        return sorted;
    }
};

std::string at_lines(const std::vector<trace::SourceLine>& lines) {
    if (lines.empty()) return {};
    std::vector<std::string> names;
    for (const trace::SourceLine& line : lines)
        names.push_back(trace::source_line_text(line));
    constexpr std::size_t max_named = 3;
    if (names.size() > max_named) {
        names.resize(max_named);
        names.push_back("…");
    }
    return fmt::format(" at {} {}", lines.size() == 1 ? "line" : "lines", join(names, ", "));
}

class LimitFinder {
 public:
    LimitFinder(const Report& run, const AnalyzedTrace* analysis)
        : run_(run), ceilings_(run.ceilings.value_or(Ceilings())), trace_(usable(analysis)) {
        limits_.kernel_ns = median_or_zero(run.timings.kernel);
        // What only the trace needs is measured with it.
        if (trace_ && trace_->report->ceilings) add_missing(ceilings_, *trace_->report->ceilings);
    }

    RunLimits find() && {
        if (limits_.kernel_ns <= 0 || !run_.ceilings) {
            limits_.missing = limits_.kernel_ns <= 0
                                  ? "The run was not measured, so nothing is known about its time."
                                  : "The ceilings of this device were not measured.";
            return std::move(limits_);
        }
        find_floor();
        add_rates();
        add_launches();
        if (trace_) {
            add_traced();
        } else {
            limits_.missing =
                "There is no trace of this run, so accesses, branches and barriers are unknown.";
        }
        add_grid();
        add_unexplained();
        add_unmeasured();
        sort();
        add_run_findings();
        return std::move(limits_);
    }

 private:
    static const AnalyzedTrace* usable(const AnalyzedTrace* analysis) {
        return analysis && analysis->problem.empty() ? analysis : nullptr;
    }

    double rate_of_memory() const {
        return run_.cache.from_cache()
                   ? std::max(ceilings_.cache_bytes_per_second, ceilings_.copy_bytes_per_second)
                   : ceilings_.copy_bytes_per_second;
    }

    /// Returns the time in nanoseconds that an amount takes at a rate per second; 0: the rate is unknown.
    static double time_at(double amount, double each_second) {
        return each_second > 0 ? amount / each_second * 1e9 : 0;
    }

    /// Returns whether the ceiling that a finding needs is measured.
    bool has_ceiling(double ceiling, std::string_view title) {
        if (ceiling > 0) return true;
        limits_.lacks_ceilings = true;
        unmeasured_.emplace_back(title);
        return false;
    }

    void add_unmeasured() {
        if (unmeasured_.empty()) return;
        if (!limits_.missing.empty()) limits_.missing += " ";
        limits_.missing +=
            fmt::format("Unknown, because their ceilings are not measured: {}.", join(unmeasured_, ", "));
    }

    void find_floor() {
        const double memory = time_at(static_cast<double>(run_.bytes_moved), rate_of_memory());
        const double arithmetic =
            time_at(static_cast<double>(run_.operations), ceilings_.operations_per_second);
        limits_.floor_ns = std::max({memory, arithmetic, ceilings_.empty_dispatch_ns});
        const std::string reason =
            limits_.floor_ns == memory
                ? fmt::format("its least bytes, {}, at {}", bytes_text(static_cast<double>(run_.bytes_moved)),
                              format_bandwidth(rate_of_memory()).text())
            : limits_.floor_ns == arithmetic ? fmt::format("its {} operations", format_count(run_.operations))
                                             : "an empty dispatch";
        limits_.floor_text = fmt::format("The kernel takes {}. The ceilings of this device allow {}: {}.",
                                         time_text(limits_.kernel_ns), time_text(limits_.floor_ns), reason);
        if (run_.operations > 0 && run_.bytes_moved > 0)
            limits_.min_bytes_intensity =
                static_cast<double>(run_.operations) / static_cast<double>(run_.bytes_moved);
    }

    double max_speedup() const { return std::max(1.0, limits_.kernel_ns / limits_.floor_ns); }

    /// Returns how many times as long the kernel takes as without so many nanoseconds of it.
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
            add(LimitKind::memory_rate, "Memory rate",
                fmt::format("{} of the bytes that the task must move, {} of the {}.",
                            format_bandwidth(run_.bytes_per_second()).text(), format_percent(memory).text(),
                            run_.cache.from_cache() ? "rate of the cache" : "rate of a copy"),
                Origin::measured, 1);
        if (run_.operations > 0)
            add(LimitKind::arithmetic_rate, "Arithmetic rate",
                fmt::format(
                    "{} Gop/s, {} of the multiply-adds that this device can do.",
                    format_significant(run_.operations_per_second() / 1e9),
                    format_percent(run_.operations_per_second() / ceilings_.operations_per_second).text()),
                Origin::measured, 1);
    }

    double launch_overhead_ns() const {
        return static_cast<double>(run_.launch.dispatches) * ceilings_.empty_dispatch_ns;
    }

    void add_launches() {
        const double overhead = launch_overhead_ns();
        add(LimitKind::launches, "Launch overhead",
            fmt::format("{} of {} each, as an empty one takes: {} of the kernel's time.",
                        counted(run_.launch.dispatches, "dispatch", "dispatches"),
                        time_text(ceilings_.empty_dispatch_ns),
                        format_percent(std::min(1.0, overhead / limits_.kernel_ns)).text()),
            Origin::measured, speedup(saved_ns(limits_.kernel_ns, overhead, ceilings_.empty_dispatch_ns)));
    }

    // --- From the trace

    const trace::Trace& trace() const { return trace_->trace(); }

    /// Returns the part of the kernel's time that the traced launch takes, from the last sample.
    double traced_ns() const {
        double traced = 0, all = 0;
        for (const StepTime& step : run_.timeline) {
            if (step.phase != Phase::kernel) continue;
            all += step.duration_ns;
            if (step.label == trace().launch) traced += step.duration_ns;
        }
        return trace().launches == 1 || all == 0 ? limits_.kernel_ns : limits_.kernel_ns * traced / all;
    }

    /// Records of some workgroups stand for all, and those of one launch for its repetitions.
    double scale() const {
        const auto recorded = static_cast<double>(trace().last_workgroup - trace().first_workgroup + 1);
        std::set<std::uint64_t> launches;
        for (const StepTime& step : run_.timeline)
            if (step.phase == Phase::kernel && step.label == trace().launch) launches.insert(step.step);
        return static_cast<double>(trace().grid.product()) / recorded *
               static_cast<double>(std::max<std::size_t>(launches.size(), 1));
    }

    LineCosts cost_of(FindingKind kind) const {
        LineCosts costs;
        for (const trace::Finding& finding : trace_->findings) {
            if (finding.kind != kind || !finding.site || !finding.value) continue;
            const auto requests = static_cast<double>(finding.count);
            const double width = trace().subgroup_size;
            const bool is_activity = kind == FindingKind::activity;
            costs.add(trace::line_at(trace(), trace().sites[*finding.site]),
                      (is_activity ? width : *finding.value) * requests,
                      (is_activity ? *finding.value : finding.min_value.value_or(1)) * requests,
                      finding.sentence);
        }
        return costs;
    }

    /// Adds a finding about requests, whose resource handles `unit` of a cost at `each_second`.
    void add_requests(LimitKind kind, std::string_view title, FindingKind of, double unit,
                      double each_second) {
        const LineCosts costs = cost_of(of);
        if (costs.total == 0 || !has_ceiling(each_second, title)) return;
        const double busy = time_at(costs.total * unit * scale(), each_second);
        const double needed = time_at(costs.needed * unit * scale(), each_second);
        const std::vector<trace::SourceLine> lines = costs.lines();
        LimitFinding& finding = add(kind, fmt::format("{}{}", title, at_lines(lines)),
                                    lines.empty() ? "None." : costs.worst_sentence, Origin::modelled,
                                    speedup(saved_ns(traced_ns(), busy, needed)));
        finding.lines = lines;
        if (run_.device.is_cpu) set_unmodelled(finding);
    }

    /// A software device executes lanes and memory in another way than the model of a GPU.
    void set_unmodelled(LimitFinding& finding) const {
        if (finding.max_speedup < min_speedup) return;
        finding.evidence +=
            " The model is that of a GPU; on this software device it says nothing about the time.";
        finding.is_unclear = true;
    }

    void add_traced() {
        if (trace().launches > 1)
            limits_.traced_launch = fmt::format("Lines are those of {}, launch {} of {}, which was traced.",
                                                trace().kernel, trace().launch_number + 1, trace().launches);
        constexpr double bytes_per_turn = 4;  // of each bank
        // Unused bytes cost most if they come from memory.
        add_requests(LimitKind::sectors, "Bytes fetched and not used", FindingKind::sectors, 32,
                     ceilings_.copy_bytes_per_second);
        add_requests(LimitKind::bank_conflicts, "Bank conflicts", FindingKind::banks,
                     bytes_per_turn * trace().banks, ceilings_.workgroup_memory_bytes_per_second);
        add_divergence();
        add_barriers();
        add_contended_atomics();
        add_accessed_intensity();
        add_residence();
        if (const std::string why = trace::incomplete_reason(trace()); !why.empty() && trace().lost > 0)
            limits_.missing = trace::in_sentence_case(why) + ", so counts are too low.";
    }

    void add_divergence() {
        const LineCosts costs = cost_of(FindingKind::activity);
        if (costs.total == 0) return;
        const double share = costs.needed / costs.total;
        const std::vector<trace::SourceLine> lines = costs.lines();
        LimitFinding& finding = add(
            LimitKind::divergence, fmt::format("Inactive lanes{}", at_lines(lines)),
            fmt::format("{} of the lanes are active. {}", format_percent(share).text(), costs.worst_sentence),
            Origin::traced, speedup(traced_ns() * (1 - share)));
        finding.lines = lines;
        if (run_.device.is_cpu) set_unmodelled(finding);
    }

    void add_barriers() {
        std::map<trace::SourceLine, double> passes;
        double all = 0;
        for (const trace::Record& record : trace_->records) {
            const Site& site = trace().sites[record.site];
            if (site.kind != SiteKind::barrier || site.of_subgroup) continue;
            passes[trace::line_at(trace(), site)] += 1;
            all += 1;
        }
        if (all == 0 || !has_ceiling(ceilings_.barriers_per_second, "Barriers")) return;
        const auto recorded = static_cast<double>(trace().last_workgroup - trace().first_workgroup + 1);
        const double size = static_cast<double>(trace().workgroup.product());
        const double each = all / recorded / size;  // barriers that an invocation passes
        // The rate is that of a device full of workgroups of 256. With fewer, each barrier takes as long.
        constexpr double measured_size = 256, resident_invocations = 2048;
        const double at_once =
            std::max(1.0, run_.device.multiprocessors * resident_invocations / measured_size);
        const double workgroups =
            static_cast<double>(trace().grid.product()) * std::max(1.0, size / measured_size);
        const double busy = time_at(each * std::max(workgroups, at_once), ceilings_.barriers_per_second);
        LimitFinding& finding =
            add(LimitKind::barriers, "Barriers",
                fmt::format("An invocation passes {} on average. On this device, that many take {} of the "
                            "kernel's time if nothing else is done.",
                            counted(static_cast<std::uint64_t>(std::lround(each)), "barrier"),
                            format_percent(std::min(1.0, busy / limits_.kernel_ns)).text()),
                Origin::traced, speedup(saved_ns(traced_ns(), busy, 0)));
        for (const auto& [line, count] : passes)
            finding.lines.push_back(line);
        finding.title += at_lines(finding.lines);
    }

    /// The device combines the atomics of a subgroup to one address, so what costs is requests, not lanes.
    void add_contended_atomics() {
        struct Address {
            std::uint64_t requests = 0;
            trace::SourceLine line;
        };
        std::map<std::pair<std::uint32_t, std::uint64_t>, Address> addresses;  // by binding and offset
        const trace::Requests requests = trace::group_requests(trace(), trace_->records);
        for (const trace::Request& request : requests.all) {
            const Site& site = trace().sites[request.site];
            if (site.kind != SiteKind::atomic || site.space != trace::MemorySpace::buffer) continue;
            std::set<std::uint64_t> offsets;
            for (const std::uint32_t record : requests.of(request))
                offsets.insert(trace_->records[record].offset);
            for (const std::uint64_t offset : offsets) {
                Address& address = addresses[{site.binding, offset}];
                ++address.requests;
                address.line = trace::line_at(trace(), site);
            }
        }
        if (addresses.empty() ||
            !has_ceiling(ceilings_.contended_atomics_per_second, "Atomics at one address"))
            return;
        const Address& worst = std::ranges::max_element(addresses, {}, [](const auto& one) {
                                   return one.second.requests;
                               })->second;
        const double count = static_cast<double>(worst.requests) * scale();
        const double busy = time_at(count * trace().subgroup_size, ceilings_.contended_atomics_per_second);
        LimitFinding& finding = add(
            LimitKind::contended_atomics, "Atomics at one address" + at_lines({worst.line}),
            fmt::format("About {} of subgroups go to the same address. On this device, that many take {}.",
                        counted(static_cast<std::uint64_t>(count), "atomic request"), time_text(busy)),
            Origin::traced, speedup(saved_ns(traced_ns(), busy, 0)));
        finding.lines = {worst.line};
    }

    void add_accessed_intensity() {
        double bytes = 0;
        for (const trace::Record& record : trace_->records)
            bytes += static_cast<double>(trace::buffer_bytes(trace().sites[record.site]));
        // Of several launches only one is traced.
        if (bytes > 0 && run_.operations > 0 && trace().launches == 1)
            limits_.accessed_intensity = static_cast<double>(run_.operations) / (bytes * scale());
    }

    /// Returns how many workgroups a multiprocessor held at once in the trace. nullopt: the device does not
    /// report it, or too few workgroups ran to fill the device.
    std::optional<std::uint64_t> traced_residence(const Occupancy& fit) const {
        if (!trace_ || trace().placements.size() < fit.workgroups * run_.device.multiprocessors)
            return std::nullopt;
        return trace::max_resident_workgroups(trace());
    }

    /// Returns true if the registers of the instrumented kernel have room for no more workgroups, so that the
    /// kernel itself may hold more.
    bool limits_recording(std::uint64_t resident) const {
        const auto fit = occupancy(trace().workgroup.product(), trace().registers, run_.device);
        return trace().registers > 0 && fit && resident >= fit->workgroups;
    }

    void add_residence() {
        const auto fit = occupancy(trace().workgroup.product(), run_.launch.registers, run_.device);
        if (trace().placements.empty() || !fit) return;
        LimitFinding& finding =
            add(LimitKind::residence, "Resident workgroups",
                fmt::format(
                    "A multiprocessor held up to {} at once in the trace; its subgroups and registers have "
                    "room for {}.",
                    counted(trace::max_resident_workgroups(trace()), "workgroup"), fit->workgroups),
                Origin::measured, 1);
        const auto add_sentence = [&](const std::string& sentence) {
            if (!sentence.empty()) finding.evidence += " " + sentence;
        };
        add_sentence(trace::placed_workgroups_text(trace()));
        const std::optional<std::uint64_t> resident = traced_residence(*fit);
        if (!resident || *resident >= fit->workgroups) return;
        if (limits_recording(*resident))
            return add_sentence(fmt::format(
                "The instrumented kernel needs {} registers an invocation, which leave room for no more. The "
                "kernel itself may hold more.",
                trace().registers));
        finding.is_unclear = true;
        finding.max_speedup =
            std::min(max_speedup(), static_cast<double>(fit->workgroups) / static_cast<double>(*resident));
        finding.experiment = swept_workgroups();
        const std::string short_lived = "Workgroups end before a multiprocessor has started as many as fit.";
        const std::string resource = unmodelled_resource();
        if (resource.empty()) return add_sentence(short_lived);
        finding.explanations = {
            {resource, "the kernel takes as long with fewer workgroups that still fill the device"},
            {short_lived, "the kernel takes less time with fewer workgroups, which do more work each"}};
    }

    /// Says which resource, besides those in the model, can limit how many workgroups are resident; empty:
    /// none.
    std::string unmodelled_resource() const {
        const std::string memory = fmt::format("Workgroup memory, {} for each workgroup,",
                                               bytes_text(static_cast<double>(run_.launch.shared_bytes)));
        const std::string registers = "the registers of the instrumented kernel, whose number is unknown,";
        if (trace().registers > 0)
            return run_.launch.shared_bytes == 0 ? "" : memory + " leaves room for no more.";
        if (run_.launch.shared_bytes == 0)
            return trace::in_sentence_case(registers) + " leave room for no more.";
        return fmt::format("{} or {} leave room for no more.", memory, registers);
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
        const double shared = std::max(0.0, limits_.kernel_ns - launch_overhead_ns());
        add(LimitKind::few_workgroups, is_few ? "Fewer workgroups than multiprocessors" : "Workgroups",
            fmt::format("{} for {} multiprocessors.", counted(run_.launch.workgroup_count(), "workgroup"),
                        format_count(run_.device.multiprocessors)),
            Origin::computed,
            is_few ? speedup(shared * (1 - workgroups / std::max(resident, multiprocessors))) : 1);
        if (is_few || resident == 0) return;
        add_last_wave(*fit);
        add_bytes_in_flight(std::min(workgroups, resident) *
                            static_cast<double>(run_.launch.workgroup_size()));
    }

    /// Waves as full as in the trace if its workgroups show it, otherwise as full as the model allows.
    void add_last_wave(const Occupancy& fit) {
        const std::optional<std::uint64_t> traced = traced_residence(fit);
        const bool is_measured = traced && !limits_recording(*traced) &&
                                 trace().workgroup.product() == run_.launch.workgroup_size();
        const std::uint64_t at_once = (is_measured ? *traced : fit.workgroups) * run_.device.multiprocessors;
        const double waves =
            static_cast<double>(run_.launch.workgroup_count()) / static_cast<double>(at_once);
        if (waves <= 1) return;
        LimitFinding& finding =
            add(LimitKind::last_wave, "The last wave",
                fmt::format("{} waves of up to {} workgroups{}: the last one fills {} of the device.",
                            format_significant(std::ceil(waves)), format_count(at_once),
                            is_measured ? ", as many as ran at once in the trace" : "",
                            format_percent(waves - std::ceil(waves) + 1).text()),
                is_measured ? Origin::measured : Origin::computed,
                std::min(max_speedup(), std::ceil(waves) / waves));
        if (finding.max_speedup < min_speedup) return;
        finding.is_unclear = true;
        finding.explanations = {
            {"All workgroups take about as long, so multiprocessors are idle during the last wave.",
             "the time for each element is lowest where the workgroups fill whole waves"},
            {"Workgroups end at different times and others take their places at once, so there are no waves.",
             "the time for each element is about the same with one workgroup more"}};
        finding.experiment = swept_workgroups();
    }

    /// Returns the latency of a load from so many bytes, in nanoseconds; 0: not measured.
    double latency(double footprint) const {
        for (const LoadLatency& one : ceilings_.latencies)
            if (static_cast<double>(one.footprint_bytes) >= footprint) return one.ns;
        return ceilings_.latencies.empty() ? 0 : ceilings_.latencies.back().ns;
    }

    void add_bytes_in_flight(double resident_invocations) {
        if (!trace_ || run_.bytes_moved == 0) return;
        double bytes = 0, loads = 0;
        for (const trace::Record& record : trace_->records) {
            const Site& site = trace().sites[record.site];
            if (site.kind != SiteKind::load || site.space != trace::MemorySpace::buffer) continue;
            bytes += static_cast<double>(site.bytes);
            loads += 1;
        }
        const double ns = latency(static_cast<double>(run_.cache.working_set_bytes));
        if (loads == 0 || !has_ceiling(ns, "Bytes in flight")) return;
        // What is fetched and not used is in flight, too.
        const double fetched = std::max(cost_of(FindingKind::sectors).total * 32 * scale(),
                                        static_cast<double>(run_.bytes_moved));
        const double needed = rate_of_memory() * ns / 1e9, in_flight = fetched * ns / limits_.kernel_ns;
        const double one_load_each = resident_invocations * bytes / loads;
        // If far less is in flight than the invocations could have, something else than the latency of memory
        // keeps them waiting.
        const bool is_latency_bound = one_load_each < needed && in_flight > one_load_each / 4;
        add(LimitKind::bytes_in_flight, "Bytes in flight",
            fmt::format(
                "A load takes {}, so the full rate needs {} in flight (Little's law). The rate of this run "
                "shows {}, and one load of each resident invocation makes {}.",
                time_text(ns), bytes_text(needed), bytes_text(in_flight), bytes_text(one_load_each)),
            Origin::computed, is_latency_bound ? std::min(max_speedup(), needed / in_flight) : 1);
    }

    /// Returns the id of the parameter that sets the number of workgroups, or of the one that it follows
    /// from; empty if the lesson has none of them.
    std::string swept_workgroups() const {
        for (const std::string_view id : {"workgroup_count", "grid", "elements"})
            if (run_.experiment.values.contains(id)) return std::string(id);
        return {};
    }

    // --- All together

    void add_unexplained() {
        double explained = 1;
        for (const LimitFinding& finding : limits_.findings)
            if (!finding.is_unclear && finding.max_speedup >= min_speedup) explained *= finding.max_speedup;
        constexpr double notable = 1.5;
        if (max_speedup() / explained < notable) return;
        LimitFinding& finding =
            add(LimitKind::unexplained, "Not explained",
                fmt::format(
                    "The kernel takes {} times as long as the ceilings allow, and {}. Instructions, their "
                    "latency, and what reaches memory are not recorded.",
                    factor_text(max_speedup()),
                    explained > 1 ? fmt::format("the findings explain up to {} times", factor_text(explained))
                                  : "no finding explains it"),
                Origin::computed, max_speedup() / explained);
        finding.is_unclear = true;
        finding.explanations = {
            {"Too little is in flight, so the device waits for values.",
             "the time changes with the number of workgroups"},
            {"The instructions themselves, or the bytes that reach memory, take the time.",
             "the time is about the same for many numbers of workgroups"}};
        finding.experiment = swept_workgroups();
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
            add(LimitKind::transfers, "Transfers",
                fmt::format("Copies to and from the device take {} of the whole run, {}.",
                            format_percent(transfers / wall).text(), time_text(wall)),
                Origin::measured, without(transfers));
        const double submits = static_cast<double>(run_.launch.submissions) * ceilings_.empty_submit_ns;
        if (run_.launch.submissions > 0)
            add(LimitKind::submits, "Submits",
                fmt::format("{} of {} each, as an empty one takes with its wait: {} of the whole run.",
                            counted(run_.launch.submissions, "submit"), time_text(ceilings_.empty_submit_ns),
                            format_percent(std::min(1.0, submits / wall)).text()),
                Origin::measured,
                run_.launch.submissions > 1 ? without(std::min(submits, wall) - ceilings_.empty_submit_ns)
                                            : 1);
    }

    const Report& run_;
    Ceilings ceilings_;
    const AnalyzedTrace* trace_;
    RunLimits limits_;
    std::vector<std::string> unmeasured_;  ///< titles of findings
};

}  // namespace

std::string_view name(LimitKind kind) {
    return limit_texts.at(static_cast<std::size_t>(kind)).id;
}

std::string_view teaching_lesson(LimitKind kind) {
    return limit_texts.at(static_cast<std::size_t>(kind)).lesson;
}

std::string explanation_text(const Explanation& explanation) {
    return fmt::format("{} If so, {}.", explanation.cause, explanation.sweep_result);
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
