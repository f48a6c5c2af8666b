#include "lab/execution.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <utility>

#include "lab/judge.h"

namespace gridstride::lab {

namespace {

/// A submission ends after this many slices, or loop iterations of an invocation, so that a long launch can
/// be cancelled and reports its progress. Drivers that cap loops have many short slices, others few long
/// ones.
constexpr std::size_t max_slices_per_submission = 32;
constexpr std::size_t max_launches_per_submission = 1024;
constexpr std::uint64_t iterations_per_submission = std::uint64_t{1} << 21;

std::size_t slices_per_submission(const Dispatch& dispatch, std::size_t slices) {
    const std::uint64_t iterations =
        dispatch.passes() * dispatch.iterations_per_pass / slices + dispatch.iterations_once + 1;
    // Several whole launches share a submission as long as they are short.
    const std::size_t max_count = slices > 1 ? max_slices_per_submission : max_launches_per_submission;
    return std::clamp<std::size_t>(iterations_per_submission / iterations, 1, max_count);
}

/// Up to this size a kernel fills faster than a fill command (see shaders/execution/fill.comp). Beyond it the
/// fill itself dominates, and one dispatch may not reach all of it.
constexpr std::uint64_t max_bytes_by_kernel = std::uint64_t{1} << 20;
constexpr std::uint64_t fill_workgroup_size = 128;  // supported by every device
constexpr std::uint64_t bytes_per_invocation = 16;

Dispatch fill_dispatch() {
    Dispatch fill;
    fill.kernel = "execution/fill";
    fill.workgroup = {fill_workgroup_size};
    fill.bindings = {{}};
    fill.push.assign(1, 0);
    return fill;
}

struct ByteRange {
    std::uint64_t begin, end;
};
ByteRange uploaded_range(const Upload& upload, const Array& array) {
    const std::uint64_t size = byte_size(array.type());
    const std::uint64_t begin = std::min(upload.first * size, array.bytes());
    return {begin,
            upload.elements > 0 ? std::min(begin + upload.elements * size, array.bytes()) : array.bytes()};
}

std::string get_label(const auto& transfer, const Plan& plan) {
    return transfer.label.empty() ? plan.buffers[transfer.buffer].name : transfer.label;
}

/// Returns the step as a fill that is part of the run, or null.
const Fill* timed_fill(const Step& step) {
    const auto* fill = std::get_if<Fill>(&step);
    return fill && fill->time == Fill::Time::in_run ? fill : nullptr;
}

/// Returns the blocks of buffers that are filled once.
std::set<std::size_t> blocks_filled_once(const Plan& plan, const PlanMemory& memory) {
    std::set<std::size_t> blocks;
    for (const Step& step : plan.steps)
        if (const auto* fill = std::get_if<Fill>(&step); fill && fill->time == Fill::Time::once)
            blocks.insert(memory.buffers[fill->buffer].block);
    return blocks;
}

}  // namespace

Execution::Execution(KernelCache& kernels, const Plan& plan, const Input& input,
                     std::shared_ptr<PlanMemory> memory)
    : limits_(kernels.device().limits()),
      plan_(plan),
      input_(input),
      memory_(std::move(memory)),
      cache_{.working_set_bytes = memory_->working_set_bytes(), .cache_bytes = limits_.cache_bytes},
      commands_(kernels.device()) {
    for (const Step& step : plan.steps) {
        Launch& launch = launches_.emplace_back();
        if (const auto* dispatch = std::get_if<Dispatch>(&step))
            launch = {kernels.get(*dispatch), slice(*dispatch, plan.buffers, limits_).slices};
        if (timed_fill(step) && !fill_) fill_ = kernels.get(fill_dispatch());
    }
}

void Execution::prepare(const Control& control) {
    host_.prepare_pass(plan_);
    for (const Step& step : plan_.steps)
        if (const auto* download = std::get_if<Download>(&step); download && !download->count_array.empty()) {
            const std::span<std::byte> all = host_.acquire(plan_.buffers[download->buffer]).raw();
            std::ranges::fill(all, std::byte{0});
        }
    commands_.begin();
    const std::set<std::size_t> filled =
        is_prepared_ ? blocks_filled_once(plan_, *memory_) : std::set<std::size_t>{};
    for (std::size_t i = 0; i < memory_->blocks.size(); ++i) {
        const PlanMemory::Block& block = memory_->blocks[i];
        if (block.guard == 0 || filled.contains(i)) continue;
        const std::uint64_t end = block.guard + block.data_bytes;
        commands_.fill(block.buffer, block.guard - guard_bytes, guard_bytes, guard_word);
        commands_.fill(block.buffer, block.guard, block.data_bytes, poison_word);
        commands_.fill(block.buffer, end, guard_bytes, guard_word);
    }
    commands_.barrier(gpu::Ordering::all);
    for (const Step& step : plan_.steps) {
        const auto* fill = std::get_if<Fill>(&step);
        if (!fill || fill->time == Fill::Time::in_run) continue;
        if (fill->time == Fill::Time::once && is_prepared_) continue;
        const gpu::BoundRange range = memory_->range(fill->buffer);
        commands_.fill(*range.buffer, range.offset, range.bytes, fill->word);
    }
    submit(commands_, control);
    is_prepared_ = true;
    copy_inputs();
}

std::span<std::byte> Execution::device_visible_memory(HostMemory memory, const std::string& array,
                                                      std::size_t buffer) const {
    if (memory == HostMemory::pinned) return memory_->pinned.at(array).mapped();
    const gpu::BoundRange range = memory_->range(buffer);
    return range.buffer->mapped().subspan(range.offset, range.bytes);
}

void Execution::copy_inputs() {
    std::set<const std::byte*> filled;  // an array may be uploaded in pieces
    for (const Step& step : plan_.steps) {
        const auto* upload = std::get_if<Upload>(&step);
        if (!upload || upload->memory == HostMemory::pageable) continue;
        // Only copies read pinned memory, so the last run has left it unchanged.
        if (upload->memory == HostMemory::pinned && are_pinned_inputs_ready_) continue;
        const Array* source = find(input_, upload->input);
        if (!source)
            throw std::logic_error(
                fmt::format("\"{}\", which the plan uploads, is not an input", upload->input));
        const std::span<std::byte> target =
            device_visible_memory(upload->memory, upload->input, upload->buffer);
        if (filled.insert(target.data()).second)
            std::memcpy(target.data(), source->raw().data(), source->bytes());
    }
    are_pinned_inputs_ready_ = true;
}

void Execution::copy_results() {
    for (const Step& step : plan_.steps) {
        const auto* download = std::get_if<Download>(&step);
        if (!download || download->memory == HostMemory::pageable) continue;
        const BufferSpec& spec = plan_.buffers[download->buffer];
        Array& target = host_.acquire(spec);
        const auto source = device_visible_memory(download->memory, spec.name, download->buffer);
        std::memcpy(target.raw().data(), source.data(), download_bytes(*download));
    }
}

std::uint64_t Execution::download_bytes(const Download& download) const {
    const BufferSpec& spec = plan_.buffers[download.buffer];
    if (download.count_array.empty()) return spec.bytes();
    const std::uint64_t count = host_.find(download.count_array)->as<std::uint32_t>().front();
    return std::min(count, spec.elements()) * byte_size(spec.type);
}

void Execution::record_upload(CommandRecorder& recorder, const Upload& upload) {
    if (upload.memory == HostMemory::mapped) return;
    if (upload.memory == HostMemory::pinned) {
        const std::uint32_t from = recorder.get_timestamp();
        recorder.access(upload.buffer, false, true, true);
        const gpu::BoundRange target = memory_->range(upload.buffer);
        const auto [begin, end] = uploaded_range(upload, *find(input_, upload.input));
        commands_.copy(memory_->pinned.at(upload.input), begin, *target.buffer, target.offset + begin,
                       end - begin);
        return recorder.end_step(Phase::upload, get_label(upload, plan_), from);
    }
    const Array* source = find(input_, upload.input);
    if (!source) {
        // An earlier step's array is on the host once its submission has ended.
        recorder.flush();
        source = host_.find(upload.input);
    }
    if (!source)
        throw std::logic_error(
            fmt::format("the plan uploads \"{}\", which is neither input nor made by a step", upload.input));
    const gpu::BoundRange target = memory_->range(upload.buffer);
    const std::uint64_t staging_bytes = memory_->upload->bytes();
    const auto [begin, end] = uploaded_range(upload, *source);
    for (std::uint64_t at = begin; at < end;) {
        if (recorder.upload_used == staging_bytes) recorder.flush();
        const std::uint64_t piece = std::min(end - at, staging_bytes - recorder.upload_used);
        std::memcpy(memory_->upload->mapped().data() + recorder.upload_used, source->raw().data() + at,
                    piece);
        const std::uint32_t from = recorder.get_timestamp();
        recorder.access(upload.buffer, false, at == begin, true);
        recorder.note_access(upload.buffer, false, true, true);
        commands_.copy(*memory_->upload, recorder.upload_used, *target.buffer, target.offset + at, piece);
        recorder.end_step(Phase::upload, get_label(upload, plan_), from);
        recorder.upload_used = std::min(round_up_16(recorder.upload_used + piece), staging_bytes);
        at += piece;
    }
}

void Execution::record_download(CommandRecorder& recorder, const Download& download) {
    const BufferSpec& spec = plan_.buffers[download.buffer];
    const gpu::BoundRange source = memory_->range(download.buffer);
    if (download.memory == HostMemory::mapped) return;
    if (!download.count_array.empty()) recorder.flush();
    const std::uint64_t bytes = download_bytes(download);
    if (bytes == 0) return;
    if (download.memory == HostMemory::pinned) {
        const std::uint32_t from = recorder.get_timestamp();
        recorder.access(download.buffer, true, false, true);
        commands_.copy(*source.buffer, source.offset, memory_->pinned.at(spec.name), 0, bytes);
        return recorder.end_step(Phase::download, get_label(download, plan_), from);
    }
    Array& target = host_.acquire(spec);
    const std::uint64_t staging_bytes = memory_->download->bytes();
    std::uint64_t at = 0;
    while (at < bytes) {
        if (recorder.download_used == staging_bytes) recorder.flush();
        const std::uint64_t piece = std::min(bytes - at, staging_bytes - recorder.download_used);
        const std::uint32_t from = recorder.get_timestamp();
        recorder.access(download.buffer, true, false, true);
        commands_.copy(*source.buffer, source.offset + at, *memory_->download, recorder.download_used, piece);
        recorder.end_step(Phase::download, get_label(download, plan_), from);
        recorder.pending.push_back(
            {memory_->download->mapped().data() + recorder.download_used, target.raw().data() + at, piece});
        recorder.download_used = std::min(round_up_16(recorder.download_used + piece), staging_bytes);
        at += piece;
    }
}

void Execution::record_fill(CommandRecorder& recorder, const Fill& fill) {
    const gpu::BoundRange range = memory_->range(fill.buffer, recorder.set);
    const bool by_kernel = range.bytes <= max_bytes_by_kernel;
    recorder.access(fill.buffer, false, true, !by_kernel);
    if (!by_kernel) return commands_.fill(*range.buffer, range.offset, range.bytes, fill.word);
    const auto count = static_cast<std::uint32_t>(range.bytes / bytes_per_invocation);
    const auto workgroups = static_cast<std::uint32_t>(divide_up(count, fill_workgroup_size));
    std::array<std::uint32_t, launch_words + 1> push;
    std::ranges::copy(make_launch_words(count, workgroups), push.begin());
    push.back() = fill.word;
    commands_.dispatch(fill_->kernel, std::span(&range, 1), push, {workgroups});
}

void Execution::record_dispatch(CommandRecorder& recorder, std::size_t step, std::size_t first_slice,
                                std::size_t last_slice) {
    const auto& dispatch = std::get<Dispatch>(plan_.steps[step]);
    const std::vector<Slice>& slices = launches_[step].slices;
    const unsigned cut = dispatch.domain.dimensions() - 1;
    // Elements of a sliced buffer for one step along the dimension that is cut.
    const std::uint64_t layer = dispatch.elements() / dispatch.domain.along(cut);
    std::vector<gpu::BoundRange> ranges(dispatch.bindings.size());
    std::vector<std::uint32_t> push(launch_words);
    push.insert(push.end(), dispatch.push.begin(), dispatch.push.end());
    for (std::size_t i = first_slice; i < last_slice; ++i) {
        const Slice& slice = slices[i];
        std::ranges::copy(make_launch_words(dispatch.domain, dispatch.grid, slice, i + 1 == slices.size()),
                          push.begin());
        for (std::size_t b = 0; b < dispatch.bindings.size(); ++b) {
            const Binding& binding = dispatch.bindings[b];
            ranges[b] = memory_->range(binding.buffer, recorder.set);
            // A slice without elements reads none of the buffer.
            if (binding.is_sliced && slices.size() > 1 && slice.count > 0) {
                const std::uint64_t size = layer * byte_size(plan_.buffers[binding.buffer].type);
                ranges[b].offset += slice.first * size;
                ranges[b].bytes = round_up_16(slice.count * size);
            } else if (binding.is_sliced && slice.count == 0) {
                ranges[b].bytes = 16;
            }
        }
        // One barrier orders all accesses of the dispatch, so decide over all of them before noting any.
        // Every slice but the first adds to what the one before it left, so it also reads what it writes.
        const auto reads = [&](const Binding& binding) { return binding.access != Access::write || i > 0; };
        const auto writes = [](const Binding& binding) { return binding.access != Access::read; };
        if ((dispatch.wait_for_previous || i > 0) &&
            std::ranges::any_of(dispatch.bindings, [&](const Binding& binding) {
                return recorder.needs_barrier(binding.buffer, reads(binding), writes(binding), false);
            }))
            recorder.barrier(false);
        for (const Binding& binding : dispatch.bindings)
            recorder.note_access(binding.buffer, reads(binding), writes(binding), false);
        Extent workgroups = dispatch.grid;
        (cut == 0 ? workgroups.x : cut == 1 ? workgroups.y : workgroups.z) = slice.workgroups;
        commands_.dispatch(launches_[step].kernel->kernel, ranges, push, workgroups);
        ++recorder.slices;
    }
}

void Execution::run_host_step(CommandRecorder& recorder, const HostStep& step) {
    recorder.flush();
    const double from = recorder.ns_since_start(CommandRecorder::Clock::now());
    std::vector<const Array*> arrays;
    for (const std::string& array_name : step.reads) {
        const Array* array = find(input_, array_name);
        if (const Array* computed = host_.find(array_name)) array = computed;
        if (!array)
            throw std::logic_error(
                fmt::format("the host step \"{}\" reads \"{}\", which is not there", step.label, array_name));
        arrays.push_back(array);
    }
    host_.store(step.output, step.work(arrays));
    const double duration = recorder.ns_since_start(CommandRecorder::Clock::now()) - from;
    const std::uint64_t before = recorder.times.submissions;
    recorder.times.timeline.push_back(
        {Phase::host, step.label, from, duration, recorder.plan_step, before > 0 ? before - 1 : 0});
}

PassTimes Execution::run(const Control& control) {
    prepare(control);
    CommandRecorder recorder(commands_, control, plan_, *memory_);
    recorder.total_slices = dispatches();
    for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
        const Step& step = plan_.steps[i];
        recorder.plan_step = i;
        if (const auto* upload = std::get_if<Upload>(&step)) {
            record_upload(recorder, *upload);
        } else if (const auto* download = std::get_if<Download>(&step)) {
            record_download(recorder, *download);
        } else if (const auto* host = std::get_if<HostStep>(&step)) {
            run_host_step(recorder, *host);
        } else if (const auto* dispatch = std::get_if<Dispatch>(&step)) {
            const std::size_t slices = launches_[i].slices.size();
            const std::size_t slices_each = slices_per_submission(*dispatch, slices);
            for (std::size_t first = 0; first < slices; first += slices_each) {
                if (recorder.slices >= slices_each) recorder.flush();
                const std::uint32_t from = recorder.get_timestamp();
                record_dispatch(recorder, i, first, std::min(first + slices_each, slices));
                recorder.end_step(Phase::kernel, dispatch->label, from);
            }
        } else if (std::holds_alternative<Fill>(step)) {
            const Fill* fill = timed_fill(step);
            if (!fill) continue;
            const std::uint32_t from = recorder.get_timestamp();
            record_fill(recorder, *fill);
            recorder.end_step(Phase::kernel, "clear " + plan_.buffers[fill->buffer].name, from);
        } else {
            recorder.flush();
        }
    }
    PassTimes times = recorder.finish();
    copy_results();
    return times;
}

std::string Execution::find_overwritten_output(const Control& control) {
    if (!memory_->guards) return {};
    commands_.begin();
    std::uint64_t at = 0;
    for (const PlanMemory::Block& block : memory_->blocks) {
        if (block.guard == 0) continue;
        commands_.copy(block.buffer, block.guard - guard_bytes, *memory_->guards, at, guard_bytes);
        commands_.copy(block.buffer, block.guard + block.data_bytes, *memory_->guards, at + guard_bytes,
                       guard_bytes);
        at += 2 * guard_bytes;
    }
    submit(commands_, control);
    std::span<const std::byte> regions = memory_->guards->mapped();
    for (const PlanMemory::Block& block : memory_->blocks) {
        if (block.guard == 0) continue;
        if (!is_guard_intact(regions.first(2 * guard_bytes))) return block.name;
        regions = regions.subspan(2 * guard_bytes);
    }
    return {};
}

bool Execution::can_batch() const {
    bool has_kernel_work = false, interrupted = false;
    for (const Step& step : plan_.steps) {
        const bool is_kernel_work =
            std::holds_alternative<Dispatch>(step) || std::holds_alternative<Fill>(step);
        if (is_kernel_work && interrupted) return false;
        has_kernel_work = has_kernel_work || is_kernel_work;
        interrupted = interrupted || (has_kernel_work && std::holds_alternative<HostStep>(step));
    }
    return has_kernel_work;
}

double Execution::time_kernels(std::uint32_t repeats, const Control& control) {
    CommandRecorder recorder(commands_, control, plan_, *memory_);
    const std::uint32_t from = recorder.get_timestamp();
    for (std::uint32_t repeat = 0; repeat < repeats; ++repeat) {
        recorder.set = next_set_;
        next_set_ = (next_set_ + 1) % memory_->sets;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            if (std::holds_alternative<Dispatch>(plan_.steps[i]))
                record_dispatch(recorder, i, 0, launches_[i].slices.size());
            if (const Fill* fill = timed_fill(plan_.steps[i])) record_fill(recorder, *fill);
        }
    }
    recorder.end_step(Phase::kernel, "kernels", from);
    return recorder.finish().ns(Phase::kernel) / repeats;
}

bool Execution::rotate_buffers(const Control& control) {
    if (!can_batch() || limits_.timestamp_valid_bits == 0) return false;
    const std::uint64_t count = memory_->sets_exceeding(cache_.cache_bytes, limits_);
    if (count * cache_.working_set_bytes <= cache_.cache_bytes) return false;
    try {
        memory_->allocate_sets(count);
    } catch (const std::runtime_error&) {
        return false;
    }
    next_set_ = 0;
    cache_.copies = count;
    cache_.is_cold = true;
    if (count == 1) return true;
    commands_.begin();
    memory_->record_copies(commands_);
    submit(commands_, control);
    return true;
}

LaunchInfo Execution::launch() const {
    const Dispatch& main = plan_.main();
    const auto launch = std::ranges::find_if(launches_, [](const Launch& l) { return l.kernel != nullptr; });
    const auto launches =
        std::ranges::count_if(launches_, [](const Launch& l) { return l.kernel != nullptr; });
    return {.workgroup = main.workgroup,
            .grid = main.grid,
            .launches = static_cast<std::uint64_t>(launches),
            .dispatches = dispatches(),
            .slices = launch->slices.size(),
            .registers = launch->kernel->kernel.registers(),
            .shared_bytes = launch->kernel->shared_bytes};
}

std::uint64_t Execution::dispatches() const {
    std::uint64_t count = 0;
    for (const Launch& launch : launches_)
        count += launch.slices.size();
    return count;
}

double Execution::compile_ns() const {
    std::set<std::shared_ptr<KernelCache::Entry>> kernels;  // several launches may share one
    for (const Launch& launch : launches_)
        if (launch.kernel) kernels.insert(launch.kernel);
    double total = 0;
    for (const auto& kernel : kernels)
        total += kernel->compile_ns;
    return total;
}

bool Execution::is_cold() const {
    return std::ranges::any_of(launches_, [](const Launch& l) { return l.kernel && !l.kernel->is_warm; });
}

void Execution::set_compile_time(double compile_ns) {
    for (const Launch& launch : launches_) {
        if (!launch.kernel || launch.kernel->is_warm) continue;
        // The first new pipeline carries the time of all new ones: they were compiled in one go.
        launch.kernel->compile_ns = std::exchange(compile_ns, 0);
        launch.kernel->is_warm = true;
    }
}

}  // namespace gridstride::lab
