#include "text_lesson/lesson_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/units.h"
#include "launch/slices.h"
#include "tensor/glsl_identifiers.h"
#include "text_lesson/lesson_kernel.h"

namespace gridstride::text_lesson {

namespace {

std::uint32_t push_word(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return word(static_cast<float>(*real));
    if (const auto* choice = std::get_if<ChoiceIndex>(&value)) return choice->index;
    return word(std::get<std::uint64_t>(value));
}

class LessonPlanner {
 public:
    LessonPlanner(const LessonText& text, PlanBuilder& plan, const Run& run)
        : text_(text), plan_(plan), run_(run), scope_(text, run.values) {}

    void make() {
        const VariantText& variant = run_.facts;
        // Names in expressions stand for the first launch.
        scope_.add_launch(run_.workgroup(), requested_grid(run_.values), run_.limits);
        set_launch(variant.launches.front());
        scope_.add_launch(plan_.workgroup(), plan_.grid(), run_.limits);
        std::vector<LessonKernel> kernels;
        for (const LaunchText& launch : variant.launches)
            kernels.push_back(make_kernel(launch));
        for (const InputText& input : text_.inputs)
            if (names_array(kernels, input.name))
                buffers_[input.name] = plan_.upload_input(input.name, input.type, count_bytes(input));
        for (const auto* arrays : {&text_.outputs, &text_.scratch})
            for (const OutputText& array : *arrays)
                if (names_array(kernels, array.name)) add_written_array(array);
        for (std::size_t i = 0; i < kernels.size(); ++i)
            add_launches(variant.launches[i], kernels[i]);
        for (const std::string& output : variant.outputs)
            if (const OutputText& array = find_output(text_, output);
                buffers_.contains(output) && scope_.evaluate_number(array.when, 1) != 0)
                plan_.download(buffers_.at(output));
        plan_.set_cost(moved_bytes_, 0);
        plan_.main_output(variant.outputs.front());
    }

 private:
    bool is_first(const LaunchText& launch) const { return &launch == &run_.facts.launches.front(); }

    /// Sets what lesson.toml says about a launch; the bench's grid is that of the first one.
    void set_launch(const LaunchText& launch) {
        const Extent automatic{0};
        plan_.set_launch(launch.domain.empty() ? run_.prepared.lesson->domain_extent(run_.values)
                                               : evaluate_extent(launch.domain),
                         launch.workgroup.empty() ? run_.workgroup() : evaluate_extent(launch.workgroup),
                         !launch.grid.empty() ? evaluate_extent(launch.grid)
                         : is_first(launch)   ? requested_grid(run_.values)
                                              : automatic);
        if (!launch.default_grid.empty()) {
            plan_.set_default_grid(scope_.evaluate_count(launch.default_grid));
            // The tile may depend on the grid: a chunk for each invocation.
            scope_.add_launch(plan_.workgroup(), plan_.grid(), run_.limits);
        }
        if (!launch.tile.empty()) plan_.set_tile(evaluate_extent(launch.tile));
    }

    static bool names_array(const std::vector<LessonKernel>& kernels, const std::string& array) {
        return std::ranges::any_of(kernels, [&](const LessonKernel& kernel) {
            return std::ranges::find(kernel.arrays, array) != kernel.arrays.end();
        });
    }

    Extent evaluate_extent(const std::vector<TomlText>& extents) {
        const tensor::Shape shape = scope_.evaluate_shape(extents);
        return {shape[0], shape.size() > 1 ? shape[1] : 0, shape.size() > 2 ? shape[2] : 0};
    }

    /// Throws Refusal.
    LessonKernel make_kernel(const LaunchText& launch) {
        const KernelSource* const own = is_first(launch) ? run_.prepared.user_kernel() : nullptr;
        try {
            return make_lesson_kernel(text_, run_.facts, launch,
                                      own ? *own : text_.kernels.at(launch.kernel));
        } catch (const FileError& error) {
            throw Refusal(error.what());
        }
    }

    /// Returns the array's extent, and counts its bytes as moved.
    Extent count_bytes(const ArrayText& array) {
        const Extent extent = array_extent(scope_.evaluate_shape(array.shape));
        moved_bytes_ += extent.product() * byte_size(array.type);
        return extent;
    }

    void add_written_array(const OutputText& array) {
        const Extent extent = count_bytes(array);
        buffers_[array.name] = array.fill ? plan_.filled_output(array.name, array.type, extent, *array.fill)
                                          : plan_.output(array.name, array.type, extent);
    }

    std::vector<Binding> bind(const LaunchText& launch, const LessonKernel& kernel) {
        std::vector<Binding> bindings;
        for (const std::string& name : kernel.arrays) {
            const bool is_input =
                std::ranges::find(text_.inputs, name, &ArrayText::name) != text_.inputs.end();
            bindings.push_back({buffers_.at(name),
                                is_input || contains(launch.reads, name) ? Access::read : Access::read_write,
                                contains(launch.sliced, name)});
        }
        return bindings;
    }

    void add_launches(const LaunchText& launch, const LessonKernel& kernel) {
        constexpr std::uint64_t max_repeats = 1024;
        const std::uint64_t repeats = launch.repeat.empty() ? 1 : scope_.evaluate_count(launch.repeat);
        if (repeats > max_repeats)
            throw Refusal("{} is repeated {} times; at most {} are allowed. Give smaller parameters.",
                          launch.kernel, format_count(repeats), format_count(max_repeats));
        if (!is_first(launch)) set_launch(launch);
        std::string label = run_.facts.launches.size() == 1 ? run_.facts.title : kernel.source.name;
        for (std::uint64_t repetition = 0; repetition < repeats; ++repetition) {
            Dispatch& dispatch = plan_.launch(
                repeats == 1 ? label : fmt::format("{}, repetition {}", label, repetition),
                tensor::hashed_source_name(kernel.head + kernel.source.text), bind(launch, kernel));
            dispatch.source = kernel.head;
            dispatch.file_source = kernel.source;
            if (!launch.iterations_per_pass.empty())
                dispatch.iterations_per_pass = scope_.evaluate_count(launch.iterations_per_pass);
            if (!launch.iterations_once.empty())
                dispatch.iterations_once = scope_.evaluate_count(launch.iterations_once);
            for (const std::string& parameter : kernel.parameters)
                dispatch.push.push_back(push_word(run_.values.at(parameter)));
            if (kernel.names_repetition) dispatch.push.push_back(word(repetition));
            for (const TomlText& parameter : launch.constants)
                dispatch.constants.push_back(push_word(run_.values.at(parameter.text)));
            if (run_.facts.has_submit_each) plan_.end_submit();
        }
    }

    const LessonText& text_;
    PlanBuilder& plan_;
    const Run& run_;
    LessonScope scope_;
    std::map<std::string, PlanBuffer> buffers_;
    std::uint64_t moved_bytes_ = 0;
};

}  // namespace

Extent array_extent(const tensor::Shape& shape) {
    Extent extent{shape.back()};
    if (shape.size() > 1) extent.y = shape[shape.size() - 2];
    if (shape.size() > 2) extent.z = shape[0];
    return extent;
}

void add_launch(LessonScope& scope, const Run& run) {
    if (run.plan.steps.empty())
        scope.add_launch(run.workgroup(), requested_grid(run.values), run.limits);
    else
        scope.add_launch(run.plan.main().workgroup, run.plan.main().grid, run.limits);
}

void make_plan(const LessonText& text, PlanBuilder& plan, const Run& run) {
    LessonPlanner(text, plan, run).make();
}

void add_plan_remarks(Remarks& add, const Run& run) {
    if (run.plan.steps.empty()) return;
    const Dispatch& main = run.plan.main();
    if (main.workgroup != run.workgroup())
        add.note(fmt::format("This variant always has workgroups of {}.", text_of(main.workgroup)));
    // Only the kernel knows which invocation processes which element.
    for (const Step& step : run.plan.steps) {
        const auto* const launch = std::get_if<Dispatch>(&step);
        if (!launch || std::ranges::any_of(launch->bindings, &Binding::sliced)) continue;
        if (slice(*launch, run.plan.buffers, run.limits).slices.size() > 1)
            add.refuse(
                fmt::format("This device would divide the launch \"{}\", which must stay whole. Use fewer "
                            "elements, or more workgroups.",
                            launch->label));
    }
}

}  // namespace gridstride::text_lesson
