// What travels between the lab and its client, as bytes: see base/wire.h. Every member of every struct that
// crosses stands here once; tests/lab/messages_test.cpp compares what comes out with what went in.
#pragma once

#include <string>

#include "base/wire.h"
#include "lab/request.h"
#include "lesson/report.h"

namespace gridstride {

template <class Wire>
void carry(Wire& wire, ChoiceIndex& choice) {
    wire(choice.index);
}

template <class Wire>
void carry(Wire& wire, Values& values) {
    if constexpr (Wire::writes) {
        wire(values.entries());
    } else {
        std::vector<std::pair<std::string, Value>> entries;
        wire(entries);
        values = {};
        for (auto& [id, value] : entries)
            values.set(id, value);
    }
}

template <class Wire>
void carry(Wire& wire, Limits& l) {
    wire(l.device_name, l.driver_version, l.is_cpu, l.max_workgroup_size, l.max_workgroup_count,
         l.max_shared_bytes, l.max_binding_bytes, l.binding_alignment, l.memory_bytes, l.subgroup_size,
         l.subgroup_vote, l.subgroup_arithmetic, l.subgroup_ballot, l.subgroup_shuffle,
         l.subgroup_shuffle_relative, l.subgroup_clustered, l.subgroup_quad, l.float64, l.storage16,
         l.float32_atomic_add, l.multiprocessors, l.subgroups_per_multiprocessor,
         l.registers_per_multiprocessor, l.workgroups_per_multiprocessor, l.cache_bytes, l.cache_is_assumed,
         l.loop_iterations, l.timestamp_period_ns, l.timestamp_valid_bits);
}

template <class Wire>
void carry(Wire& wire, NamedArray& named) {
    wire(named.name, named.array, named.width);
}

template <class Wire>
void carry(Wire& wire, UserData& data) {
    wire(data.numbers, data.width, data.name, data.checksum);
}

template <class Wire>
void carry(Wire& wire, Diagnostic& d) {
    wire(wire::up_to(d.level, DiagnosticLevel::error), d.file, d.line, d.text);
}

template <class Wire>
void carry(Wire& wire, Timing& timing) {
    wire(timing.samples, timing.noisy);
}

template <class Wire>
void carry(Wire& wire, Timings& t) {
    wire(t.upload, t.kernel, t.pass_kernel, t.host, t.download, t.wall, t.cpu, t.more_cpu, t.compile_ns,
         t.kernel_repeats, t.unbatched, t.provisional, t.host_clock);
}

template <class Wire>
void carry(Wire& wire, Mismatch& m) {
    wire(m.output, m.index, m.gpu, m.reference);
}

template <class Wire>
void carry(Wire& wire, Comparison& c) {
    wire(c.max_abs_error, c.max_rel_error, c.first_mismatch, c.broken_guard, c.judged_runs, c.wrong_runs);
}

template <class Wire>
void carry(Wire& wire, StepTime& step) {
    wire(wire::up_to(step.phase, Phase::host), step.label, step.start_ns, step.duration_ns);
}

template <class Wire>
void carry(Wire& wire, LaunchFacts& f) {
    wire(f.workgroup_size, f.workgroup_count, f.dispatches, f.invocations, f.slices, f.registers);
}

template <class Wire>
void carry(Wire& wire, Fact& fact) {
    wire(fact.id, fact.label, fact.value);
}

template <class Wire>
void carry(Wire& wire, Ceilings& c) {
    wire(c.copy_bytes_per_second, c.staged_upload_bytes_per_second, c.staged_download_bytes_per_second,
         c.pageable_upload_bytes_per_second, c.pageable_download_bytes_per_second,
         c.mapped_write_bytes_per_second, c.mapped_read_bytes_per_second, c.empty_dispatch_ns,
         c.empty_submit_ns, c.operations_per_second);
}

template <class Wire>
void carry(Wire& wire, CacheState& c) {
    wire(c.working_set_bytes, c.cache_bytes, c.copies, c.cold);
}

template <class Wire>
void carry(Wire& wire, Report& r) {
    wire(r.request, r.final, r.run_id, r.started_utc, r.lesson, r.variant, r.values, r.input_name,
         r.input_checksum, wire::up_to(r.status, Status::lost), r.message, r.kernel_name, r.diagnostics,
         r.notes, r.device, r.compare, r.timings, r.launch, r.bytes_moved, r.uploaded_bytes,
         r.downloaded_bytes, r.operations, r.copy_ceiling, r.ceilings, r.cache, r.result, r.timeline, r.input,
         r.outputs);
}

}  // namespace gridstride

namespace gridstride::lab {

template <class Wire>
void carry(Wire& wire, Sampling& s) {
    wire(s.measure, s.samples, s.budget_seconds, s.first_quickly, wire::up_to(s.cache, Cache::cold),
         s.unbatched);
}

template <class Wire>
void carry(Wire& wire, KernelSource& kernel) {
    wire(kernel.text, kernel.name, kernel.folder);
}

template <class Wire>
void carry(Wire& wire, Request& r) {
    wire(r.id, r.lesson, r.variant, r.values, r.sampling, r.deadline_seconds, r.user_data, r.kernel);
}

template <class Wire>
void carry(Wire& wire, Progress& p) {
    wire(p.request, p.slices_done, p.slices, p.seconds_left);
}

}  // namespace gridstride::lab
