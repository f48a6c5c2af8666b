#include "hidden_layer/plan.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "lesson/grid.h"

namespace gridstride::lessons::hidden_layer {

namespace {

/// An invocation takes four neighbours at a time: one load of 16 bytes.
constexpr std::uint64_t quad = 4;

class PlanWriter {
 public:
    PlanWriter(const Values& values, const Limits& limits)
        : elements_(values[key::elements]),
          gain_(gain_f32(values)),
          as_written_(values[key::formula] == Formula::as_written) {
        plan_.workgroup_size = values[key::workgroup_size];
        plan_.workgroup_count = values[key::workgroup_count];
        if (plan_.workgroup_count == 0)
            plan_.workgroup_count = natural_workgroup_count(elements_, plan_.workgroup_size, limits);
        for (const char* name : {"greyscales", "weights", "activations"})
            plan_.buffers.push_back({name, ElementType::f32, elements_, plan_.buffers.size() == activations});
        plan_.least_bytes = 3 * 4 * elements_;
        // Two divisions, two products, two exponentials, a sum and a difference.
        plan_.flops = 8 * elements_;
        plan_.main_output = "activations";
    }

    /// Each launch as if it stood alone: its input goes up, its output comes down.
    Plan round_trips() && {
        upload(greyscales);
        normalise();
        bring_back_and_upload_again();
        upload(weights);
        weigh();
        bring_back_and_upload_again();
        activate();
        return downloaded();
    }

    Plan resident() && {
        upload(greyscales);
        upload(weights);
        normalise();
        end_submit();
        weigh();
        end_submit();
        activate();
        end_submit();
        return downloaded();
    }

    Plan one_submit() && {
        upload(greyscales);
        upload(weights);
        normalise();
        weigh();
        activate();
        return downloaded();
    }

    Plan fused() && {
        upload(greyscales);
        upload(weights);
        launch("the whole layer", "hidden_layer/fused",
               {{greyscales, Access::read, true},
                {weights, Access::read, true},
                {activations, Access::write, true}},
               true);
        return downloaded();
    }

 private:
    // Indices into Plan::buffers.
    static constexpr std::size_t greyscales = 0, weights = 1, activations = 2;
    // Where the values are on their way from grey level to activation.
    static constexpr std::size_t intermediate = activations;

    void upload(std::size_t buffer) { plan_.steps.push_back(Upload{buffer, plan_.buffers[buffer].name}); }
    void end_submit() { plan_.steps.push_back(SubmitEnd{}); }
    Plan downloaded() {
        plan_.steps.push_back(Download{activations});
        return std::move(plan_);
    }
    void bring_back_and_upload_again() {
        plan_.steps.push_back(Download{intermediate});
        end_submit();  // what goes up has to have come down
        upload(intermediate);
    }

    // In each launch the buffer that is written is bound last. The barrier before a launch is found binding
    // by binding, and one that a later binding asks for would forget that an earlier one is written.
    void normalise() {
        launch("normalise", "hidden_layer/normalise",
               {{greyscales, Access::read, true}, {intermediate, Access::write, true}}, false);
    }
    void weigh() {
        launch("weigh", "hidden_layer/weigh",
               {{weights, Access::read, true}, {intermediate, Access::read_write, true}}, false);
    }
    void activate() {
        launch("activate", "hidden_layer/activate", {{intermediate, Access::read_write, true}}, true);
    }

    void launch(const char* label, const char* kernel, std::vector<Binding> bindings, bool activates) {
        Dispatch dispatch;
        dispatch.label = label;
        dispatch.kernel = kernel;
        dispatch.workgroup_size = plan_.workgroup_size;
        dispatch.workgroup_count = plan_.workgroup_count;
        dispatch.bindings = std::move(bindings);
        if (activates) {
            dispatch.constants = {as_written_ ? 1u : 0u};
            dispatch.push = {std::bit_cast<std::uint32_t>(gain_)};
        }
        dispatch.elements = elements_;
        dispatch.elements_per_workgroup = quad * plan_.workgroup_size;
        // The unrolled loop takes several passes an iteration, so this is an upper bound; two for the loops'
        // ends.
        dispatch.iterations_per_pass = 1;
        dispatch.iterations_once = 2;
        plan_.steps.push_back(std::move(dispatch));
    }

    std::uint64_t elements_;
    float gain_;
    bool as_written_;
    Plan plan_;
};

}  // namespace

std::vector<Variant> variants() {
    return {
        {"round_trips", "Three round trips",
         "Three launches, and after each the values come back to the host and go up again for the next.",
         "hidden_layer/normalise.comp"},
        {"resident", "Stay on the device",
         "The same three launches, one submission each; the values stay in device memory between them.",
         "hidden_layer/weigh.comp"},
        {"one_submit", "One submission",
         "The same three launches, recorded one after another and submitted once.",
         "hidden_layer/activate.comp"},
        {"fused", "One kernel",
         "One launch does all three steps; what they pass on never leaves the registers.",
         "hidden_layer/fused.comp"},
    };
}

Plan plan(const Values& values, std::string_view variant, const Limits& limits) {
    PlanWriter writer(values, limits);
    if (variant == "round_trips") return std::move(writer).round_trips();
    if (variant == "resident") return std::move(writer).resident();
    if (variant == "one_submit") return std::move(writer).one_submit();
    if (variant == "fused") return std::move(writer).fused();
    throw std::out_of_range("hidden_layer has no variant named " + std::string(variant));
}

std::uint64_t natural_workgroup_count(std::uint64_t elements, std::uint64_t workgroup_size,
                                      const Limits& limits) {
    const std::uint64_t tiles = divide_up(elements, quad * workgroup_size);
    if (!limits.is_cpu) return streaming_workgroups(tiles, limits);
    // A software device runs one subgroup to its end before the next, so each pass is another far-off place
    // that the processor's caches and prefetchers have to follow: few passes.
    constexpr std::uint64_t passes = 4;
    const std::uint64_t wanted = std::max<std::uint64_t>(64, divide_up(tiles, passes));
    return std::min({tiles, wanted, limits.max_workgroup_count});
}

Traffic traffic(const Plan& plan) {
    const auto bytes = [&](std::size_t buffer) {
        return plan.buffers[buffer].elements * byte_size(plan.buffers[buffer].type);
    };
    Traffic sum;
    for (const Step& step : plan.steps) {
        if (const auto* upload = std::get_if<Upload>(&step)) sum.uploaded += bytes(upload->buffer);
        if (const auto* download = std::get_if<Download>(&step)) sum.downloaded += bytes(download->buffer);
        if (const auto* dispatch = std::get_if<Dispatch>(&step))
            for (const Binding& binding : dispatch->bindings)
                sum.by_kernels += bytes(binding.buffer) * (binding.access == Access::read_write ? 2 : 1);
    }
    return sum;
}

}  // namespace gridstride::lessons::hidden_layer
