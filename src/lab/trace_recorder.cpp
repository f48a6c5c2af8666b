#include "lab/trace_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/language.h"
#include "base/units.h"
#include "lesson/trace_metrics.h"

namespace gridstride::lab {

namespace {

namespace words = trace::words;

constexpr const char* head_name = "records' head";
constexpr const char* records_name = "records";
constexpr const char* branch_head_name = "branch records' head";
constexpr const char* branch_records_name = "branch records";

/// Most GPUs have as many.
constexpr std::uint32_t usual_banks = 32;

std::string make_banks_note(const Limits& device) {
    if (device.shared_banks > 0)
        return tr("{} banks of 4 bytes, as the vendor of this device documents.", device.shared_banks);
    return tr("Modelled with {} banks of 4 bytes, as most GPUs have. {}", usual_banks,
              device.is_cpu ? tr("A software driver has none.")
                            : tr("Those of this device are not documented here."));
}

std::uint64_t count_launches(const Plan& plan) {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        plan.steps, [](const Step& step) { return std::holds_alternative<Dispatch>(step); }));
}

std::size_t find_launch_step(const Plan& plan, std::uint64_t number) {
    for (std::size_t i = 0, launch = 0; i < plan.steps.size(); ++i)
        if (std::holds_alternative<Dispatch>(plan.steps[i]) && launch++ == number) return i;
    const std::uint64_t launches = count_launches(plan);
    throw Refusal(fmt::format("There is no launch {} to trace: the plan has {}. Give a number from 0 to {}.",
                              number, counted(launches, "launch", "launches"), launches - 1));
}

void require_workgroups(const TraceOptions& options, std::uint64_t workgroups) {
    const std::uint64_t last = options.last_workgroup.value_or(options.first_workgroup);
    if (options.first_workgroup > last)
        throw Refusal(
            fmt::format("Workgroups {} to {} cannot be traced: the first comes after the last. "
                        "Give the smaller number first.",
                        options.first_workgroup, last));
    if (last >= workgroups)
        throw Refusal(
            fmt::format("Workgroup {} cannot be traced: the launch has {}. Give numbers from 0 to {}.", last,
                        counted(workgroups, "workgroup"), workgroups - 1));
}

/// Returns how much of the bound buffer the launch must write.
trace::MustWrite required_writes(const Plan& plan, const Dispatch& launch, const Binding& binding) {
    if (!plan.buffers[binding.buffer].output || binding.access == Access::read)
        return trace::MustWrite::nothing;
    const auto is_fetched_whole = [&](const Step& step) {
        const auto* const download = std::get_if<Download>(&step);
        return download && download->buffer == binding.buffer && download->count_array.empty();
    };
    // A counter that the plan fills with 0 may stay 0; the main output must be written.
    if (is_filled(plan, binding.buffer))
        return plan.buffers[binding.buffer].name == plan.main_output ? trace::MustWrite::some
                                                                     : trace::MustWrite::nothing;
    return is_result_of(plan, launch, binding) && std::ranges::any_of(plan.steps, is_fetched_whole)
               ? trace::MustWrite::all
               : trace::MustWrite::some;
}

trace::TracedBuffer make_traced_buffer(const Plan& plan, const Binding& binding, const Dispatch& launch) {
    const BufferSpec& buffer = plan.buffers[binding.buffer];
    // Bytes of a sliced buffer for one step along the dimension that the launch is cut along.
    const std::uint64_t layer =
        launch.elements() / launch.domain.along(launch.domain.dimensions() - 1) * byte_size(buffer.type);
    return {.name = buffer.name,
            .type = buffer.type,
            .elements = buffer.elements(),
            .output = buffer.output,
            .must_write = required_writes(plan, launch, binding),
            .starts_unwritten =
                buffer.output && is_result_of(plan, launch, binding) && !is_filled(plan, binding.buffer),
            .is_sliced = binding.is_sliced,
            .slice_bytes = binding.is_sliced ? layer : 0};
}

}  // namespace

TraceRecorder::TraceRecorder(const Plan& plan, const TraceOptions& options, const Limits& device)
    : plan_(plan), options_(options), device_(device), step_(find_launch_step(plan, options.launch)) {
    const auto& launch = std::get<Dispatch>(plan.steps[step_]);
    require_workgroups(options, launch.grid.product());
    trace_.source = launch.file_source ? launch.file_source->text : launch.source;
    trace_.launch = launch.label;
    trace_.launch_number = options.launch;
    trace_.launches = count_launches(plan);
    trace_.workgroup = launch.workgroup;
    trace_.grid = launch.grid;
    trace_.subgroup_size = device.subgroup_size;
    trace_.ballots = device.subgroup_ballot;
    trace_.banks = device.shared_banks > 0 ? device.shared_banks : usual_banks;
    trace_.banks_note = make_banks_note(device);
    for (unsigned dimension = 0; dimension + 1 < launch.domain.dimensions(); ++dimension)
        workgroups_below_ *= launch.grid.along(dimension);
    for (const Binding& binding : launch.bindings)
        trace_.buffers.push_back(make_traced_buffer(plan, binding, launch));
}

Plan TraceRecorder::plan(const std::string& kernel, std::vector<trace::Site> sites, const std::string& title,
                         std::string branches_note) {
    // After the last record come a slot for records that did not fit, and the placements.
    const std::uint64_t slots =
        (device_.max_binding_bytes / sizeof(std::uint32_t) - words::head) / words::length;
    if (device_.multiprocessor_and_clock)
        placed_workgroups_ = std::min({trace_.grid.product(), trace::max_placements, slots / 2});
    capacity_ = std::min(std::max<std::uint64_t>(options_.max_records, 1), slots - 1 - placed_workgroups_);
    trace_.kernel = title;
    trace_.sites = std::move(sites);
    trace_.branches_note = std::move(branches_note);
    const bool has_branches =
        std::ranges::find(trace_.sites, trace::SiteKind::branch, &trace::Site::kind) != trace_.sites.end();
    const std::uint64_t branch_slots =
        (device_.max_binding_bytes / sizeof(std::uint32_t) - words::branch_head) / branch_record_length();
    if (trace_.branches_note.empty())
        branch_capacity_ =
            has_branches ? std::clamp<std::uint64_t>(options_.max_branch_records, 1, branch_slots - 1) : 1;

    Plan plan = plan_;
    const std::size_t buffer = plan.buffers.size();
    plan.buffers.push_back({records_name,
                            ElementType::u32,
                            {words::head + (capacity_ + 1 + placed_workgroups_) * words::length}});
    auto& launch = std::get<Dispatch>(plan.steps[step_]);
    launch.kernel = kernel;
    launch.bindings.push_back({buffer, Access::read_write, false});
    plan.steps.insert(plan.steps.begin(), Upload{buffer, head_name});
    plan.steps.emplace_back(Download{buffer});
    if (branch_capacity_ > 0) {
        plan.buffers.push_back({branch_records_name,
                                ElementType::u32,
                                {words::branch_head + (branch_capacity_ + 1) * branch_record_length()}});
        std::get<Dispatch>(plan.steps[step_ + 1]).bindings.push_back({buffer + 1, Access::read_write, false});
        plan.steps.insert(plan.steps.begin(), Upload{buffer + 1, branch_head_name});
        plan.steps.emplace_back(Download{buffer + 1});
    }
    return plan;
}

std::uint64_t TraceRecorder::max_counted_workgroups() const {
    const std::uint64_t last = options_.last_workgroup.value_or(trace_.grid.product() - 1);
    // Every workgroup in the trace leaves at least one record.
    return std::min(last - options_.first_workgroup + 1, capacity_);
}

std::uint32_t TraceRecorder::branch_record_length() const {
    return words::branch_record_length(trace_.subgroup_size);
}

void TraceRecorder::set_head(std::uint64_t records_behind, bool counting) {
    Array array(ElementType::u32, words::head + records_behind * words::length);
    const std::span<std::uint32_t> head = array.as<std::uint32_t>();
    std::ranges::fill(head, 0);
    head[words::capacity] = static_cast<std::uint32_t>(capacity_);
    head[words::first] = static_cast<std::uint32_t>(trace_.first_workgroup);
    head[words::last] = static_cast<std::uint32_t>(trace_.last_workgroup);
    head[words::counting] = counting ? 1 : 0;
    head[words::below] = static_cast<std::uint32_t>(workgroups_below_);
    head[words::placed] = static_cast<std::uint32_t>(placed_workgroups_);
    std::ranges::find(input_, head_name, &NamedArray::name)->array = share(std::move(array));
}

/// Sets the head of the branch records, and clears as many records after it.
void TraceRecorder::set_branch_head(std::uint64_t records_behind) {
    if (branch_capacity_ == 0) return;
    Array array(ElementType::u32, words::branch_head + records_behind * branch_record_length());
    const std::span<std::uint32_t> head = array.as<std::uint32_t>();
    std::ranges::fill(head, 0);
    head[words::branch_capacity] = static_cast<std::uint32_t>(branch_capacity_);
    head[words::branch_last] = static_cast<std::uint32_t>(trace_.last_branch_workgroup);
    std::ranges::find(input_, branch_head_name, &NamedArray::name)->array = share(std::move(array));
}

const Input& TraceRecorder::input(Input lesson_input) {
    input_ = std::move(lesson_input);
    input_.push_back({head_name, nullptr});
    if (branch_capacity_ > 0) input_.push_back({branch_head_name, nullptr});
    trace_.first_workgroup = options_.first_workgroup;
    trace_.last_workgroup = options_.first_workgroup + max_counted_workgroups() - 1;
    trace_.last_branch_workgroup = trace_.last_workgroup;
    set_head(max_counted_workgroups(), true);
    set_branch_head(std::min(max_counted_workgroups(), branch_capacity_ + 1));
    return input_;
}

/// Selects as many whole workgroups as fit, at least one: if the first does not fit, its records are cut.
void TraceRecorder::choose_workgroups(const Outputs& counted) {
    const auto last_fitting = [&](const char* name, std::size_t head, std::size_t length,
                                  std::uint64_t capacity, std::uint64_t workgroups) {
        const std::span<const std::uint32_t> in = get(counted, name).as<std::uint32_t>().subspan(head);
        std::uint64_t fitting_workgroups = 0, used_records = 0;
        while (fitting_workgroups < workgroups && used_records + in[fitting_workgroups * length] <= capacity)
            used_records += in[fitting_workgroups++ * length];
        return options_.first_workgroup + std::max<std::uint64_t>(fitting_workgroups, 1) - 1;
    };
    trace_.last_workgroup = options_.last_workgroup.value_or(
        last_fitting(records_name, words::head, words::length, capacity_, max_counted_workgroups()));
    trace_.last_branch_workgroup = trace_.last_workgroup;
    if (branch_capacity_ > 0)
        trace_.last_branch_workgroup =
            last_fitting(branch_records_name, words::branch_head, branch_record_length(), branch_capacity_,
                         std::min(trace_.last_workgroup - trace_.first_workgroup + 1, branch_capacity_));
}

std::vector<trace::WorkgroupPlacement> TraceRecorder::read_placements(
    std::span<const std::uint32_t> words) const {
    std::vector<trace::WorkgroupPlacement> placements;
    for (std::uint64_t n = 0; n < placed_workgroups_; ++n) {
        const std::span stay =
            words.subspan(words::head + (capacity_ + 1 + n) * words::length, words::length);
        const auto clock = [&](std::uint32_t at) { return stay[at] | std::uint64_t{stay[at + 1]} << 32; };
        placements.push_back({stay[words::multiprocessor], clock(words::start_time), clock(words::end_time)});
    }
    return placements;
}

void TraceRecorder::record(Execution& execution, MeasuredRun& run, const Control& control, Report& report) {
    execution.run(control);
    choose_workgroups(execution.outputs());
    set_head(0, false);
    set_branch_head(0);
    run.run_judged_pass();
    // Lessons and readers of the report expect only the plan's own outputs.
    const auto output = std::ranges::find(report.outputs, records_name, &NamedArray::name);
    const std::span<const std::uint32_t> in = std::as_const(*output->array).as<std::uint32_t>();
    trace_.lost = in[words::lost];
    trace_.registers = execution.registers(step_ + (branch_capacity_ > 0 ? 2 : 1));  // behind the uploads
    trace_.placements = read_placements(in);
    trace_.words =
        share(in.first(words::head + std::min<std::uint64_t>(in[words::used], capacity_) * words::length));
    report.outputs.erase(output);
    if (branch_capacity_ > 0) {
        const auto branches = std::ranges::find(report.outputs, branch_records_name, &NamedArray::name);
        const std::span<const std::uint32_t> all = std::as_const(*branches->array).as<std::uint32_t>();
        trace_.lost_branches = all[words::branch_lost];
        trace_.branch_words = share(all.subspan(
            words::branch_head,
            std::min<std::uint64_t>(all[words::branch_used], branch_capacity_) * branch_record_length()));
        report.outputs.erase(branches);
    }
    report.trace = trace_;
    try {
        const std::vector<trace::Record> records = trace::decode_records(trace_);
        report.findings = trace::compute_findings(trace_, records);
        report.trace_metrics = compute_trace_metrics(trace_, records, report.findings);
    } catch (const std::runtime_error& error) {
        report.trace = make_empty_trace(error.what());
    }
}

trace::Trace TraceRecorder::make_empty_trace(std::string reason) const {
    trace::Trace none = trace_;
    none.reason = std::move(reason);
    none.sites.clear();
    none.words.reset();
    none.branch_words.reset();
    none.lost_branches = 0;
    none.placements.clear();
    none.lost = 0;
    return none;
}

}  // namespace gridstride::lab
