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

Extent evaluate_extent(LessonScope& scope, const std::vector<TomlText>& extents) {
    const tensor::Shape shape = scope.evaluate_shape(extents);
    return {shape[0], shape.size() > 1 ? shape[1] : 0, shape.size() > 2 ? shape[2] : 0};
}

constexpr Extent automatic{0};

/// Sets what lesson.toml says about a launch. requested_grid: of the bench; x = 0 for "auto".
void set_launch(LessonScope& scope, PlanBuilder& plan, const LaunchText& launch, const Values& values,
                const Extent& requested_grid) {
    const Extent workgroup =
        launch.workgroup.empty() ? requested_workgroup(values) : evaluate_extent(scope, launch.workgroup);
    Extent domain = launch.domain.empty() ? scope.domain() : evaluate_extent(scope, launch.domain);
    // A launch with fewer dimensions than its workgroup has one row, and one layer.
    if (workgroup.dimensions() > 1) domain.y = domain.along(1);
    if (workgroup.dimensions() > 2) domain.z = domain.along(2);
    plan.set_launch(domain, workgroup,
                    launch.grid.empty() ? requested_grid : evaluate_extent(scope, launch.grid));
    if (!launch.default_grid.empty()) {
        plan.set_default_grid(scope.evaluate_count(launch.default_grid));
        // The tile may depend on the grid: a chunk for each invocation.
        scope.add_launch(plan.workgroup(), plan.grid(), plan.limits());
    }
    if (!launch.tile.empty()) plan.set_tile(evaluate_extent(scope, launch.tile));
    for (const Extent& extent : {plan.workgroup(), plan.grid(), plan.tile()})
        if (extent.dimensions() != domain.dimensions())
            throw Refusal(
                "{} elements cannot be processed in tiles of {} by {} workgroups of {}. Give domain, tile, "
                "grid and workgroup the same number of extents.",
                text_of(domain), text_of(plan.tile()), text_of(plan.grid()), text_of(workgroup));
    if (launch.loops) return;
    // Elements without an invocation of their own are not part of the launch.
    const Extent grid = plan.grid();
    domain.x = std::min(domain.x, grid.x * workgroup.x);
    if (domain.y > 0) domain.y = std::min(domain.y, grid.along(1) * workgroup.along(1));
    if (domain.z > 0) domain.z = std::min(domain.z, grid.along(2) * workgroup.along(2));
    plan.set_launch(domain, workgroup, grid);
}

/// Sets the first launch of a variant, which the names in expressions stand for.
void set_first_launch(LessonScope& scope, PlanBuilder& plan, const VariantText& variant,
                      const Values& values) {
    scope.add_definitions(variant.definitions);
    scope.add_launch(requested_workgroup(values), requested_grid(values), plan.limits());
    set_launch(scope, plan, variant.launches.front(), values, requested_grid(values));
    scope.add_launch(plan.workgroup(), plan.grid(), plan.limits());
}

class LessonPlanner {
 public:
    LessonPlanner(const LessonText& text, PlanBuilder& plan, const Run& run)
        : text_(text), plan_(plan), run_(run), scope_(text, run.values) {}

    void make() {
        const VariantText& variant = run_.facts;
        if (variant.is_reference) {
            // Names in expressions stand for the launch of the variant that is judged.
            scope_.add_launch(run_.workgroup(), requested_grid(run_.values), run_.limits);
            set_launch(scope_, plan_, variant.launches.front(), run_.values, requested_grid(run_.values));
        } else {
            set_first_launch(scope_, plan_, variant, run_.values);
        }
        std::vector<LessonKernel> kernels;
        for (const LaunchText& launch : variant.launches)
            kernels.push_back(make_kernel(launch));
        for (const InputText& input : text_.inputs)
            if (names_array(kernels, input.name)) add_input(input);
        for (const auto* arrays : {&text_.outputs, &text_.scratch})
            for (const OutputText& array : *arrays)
                if (names_array(kernels, array.name)) add_written_array(array);
        download(/*before_launches=*/true);
        for (std::size_t i = 0; i < kernels.size(); ++i)
            add_launches(variant.launches[i], kernels[i]);
        download(/*before_launches=*/false);
        const auto evaluate = [&](const TomlText& count, std::uint64_t default_value) {
            return static_cast<std::uint64_t>(
                scope_.evaluate_number(count, static_cast<double>(default_value)));
        };
        plan_.set_cost(evaluate(variant.moved_bytes, moved_bytes_), evaluate(variant.operations, 0));
        plan_.main_output(variant.outputs.front());
    }

 private:
    bool is_first(const LaunchText& launch) const { return &launch == &run_.facts.launches.front(); }

    void download(bool before_launches) {
        for (const std::string& output : run_.facts.outputs)
            if (const OutputText& array = find_output(text_, output);
                buffers_.contains(output) && scope_.holds(array.when) &&
                contains(run_.facts.downloaded_early, output) == before_launches)
                plan_.download(buffers_.at(output));
    }

    static bool names_array(const std::vector<LessonKernel>& kernels, const std::string& array) {
        return std::ranges::any_of(kernels, [&](const LessonKernel& kernel) {
            return std::ranges::find(kernel.arrays, array) != kernel.arrays.end();
        });
    }

    /// Throws Refusal.
    LessonKernel make_kernel(const LaunchText& launch) {
        const KernelSource* const own = is_first(launch) ? run_.prepared.user_kernel() : nullptr;
        return make_lesson_kernel(text_, run_.facts, launch, own ? *own : text_.kernels.at(launch.kernel),
                                  run_.limits);
    }

    /// Returns the array's extent, and counts its bytes as moved.
    Extent count_bytes(const ArrayText& array) {
        const bool is_in_words = std::ranges::all_of(
            run_.facts.launches, [&](const LaunchText& launch) { return contains(launch.vec8, array.name); });
        if (array.type == ElementType::f16 && !is_in_words && !run_.limits.storage16)
            throw Refusal(
                "{} is f16, but kernels cannot access f16 on this device (storageBuffer16BitAccess, "
                "shaderInt16). "
                "Choose another device.",
                array.name);
        const Extent extent = array_extent(scope_.evaluate_shape(array.shape));
        moved_bytes_ += extent.product() * byte_size(array.type);
        return extent;
    }

    void add_input(const InputText& input) {
        const Extent extent = count_bytes(input), padded = padded_extent(scope_, input);
        const bool is_written = std::ranges::any_of(run_.facts.launches, [&](const LaunchText& launch) {
            return contains(launch.writes, input.name);
        });
        const PlanBuffer buffer = buffers_[input.name] = is_written
                                                             ? plan_.output(input.name, input.type, padded)
                                                             : plan_.input(input.name, input.type, padded);
        if (padded != extent) plan_.fill(buffer, input.fill.value_or(0), Fill::Time::before_run);
        plan_.upload(buffer, padded == extent ? 0 : extent.product());
    }

    void add_written_array(const OutputText& array) {
        count_bytes(array);
        const Extent extent = padded_extent(scope_, array);
        const PlanBuffer buffer = buffers_[array.name] = plan_.output(array.name, array.type, extent);
        if (array.fill)
            plan_.fill(buffer, *array.fill,
                       array.is_kept ? run_.fill_time_of_kept_array() : Fill::Time::in_run);
        for (const auto& [output, input] : run_.facts.initial)
            if (output == array.name) plan_.upload_from(input.text, buffer);
    }

    std::vector<Binding> bind(const LaunchText& launch, const LessonKernel& kernel) {
        std::vector<Binding> bindings;
        for (const std::string& name : kernel.arrays) {
            const bool is_input =
                std::ranges::find(text_.inputs, name, &ArrayText::name) != text_.inputs.end();
            const bool is_read = is_input ? !contains(launch.writes, name) : contains(launch.reads, name);
            bindings.push_back({buffers_.at(name), is_read ? Access::read : Access::read_write,
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
        if (kernel.arrays.size() > run_.limits.max_bindings)
            throw Refusal(
                "{} names {} arrays, but this device allows {} at most "
                "(maxPerStageDescriptorStorageBuffers). Use fewer arrays.",
                launch.kernel, kernel.arrays.size(), run_.limits.max_bindings);
        if (!is_first(launch)) set_launch(scope_, plan_, launch, run_.values, automatic);
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
            for (const TomlText& constant : launch.constants)
                dispatch.constants.push_back(find(text_.parameters, constant.text)
                                                 ? push_word(run_.values.at(constant.text))
                                                 : word(scope_.evaluate_count(constant, 0)));
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

bool may_be_divided(const Dispatch& dispatch, const VariantText& variant) {
    if (std::ranges::any_of(dispatch.bindings, &Binding::is_sliced) ||
        dispatch.file_source->text.find("place_of") != std::string::npos)
        return true;
    const auto launch = std::ranges::find(variant.launches, dispatch.file_source->name, &LaunchText::kernel);
    // A user's kernel replaces the first one.
    return launch == variant.launches.end() ? variant.launches.front().is_divisible : launch->is_divisible;
}

}  // namespace

Extent array_extent(const tensor::Shape& shape) {
    Extent extent{shape.back()};
    if (shape.size() > 1) extent.y = shape[shape.size() - 2];
    if (shape.size() > 2) extent.z = shape[0];
    return extent;
}

Extent padded_extent(LessonScope& scope, const ArrayText& array) {
    const Extent extent = array_extent(scope.evaluate_shape(array.shape));
    if (array.padded.empty()) return extent;
    const std::uint64_t padded_elements = tensor::element_count(scope.evaluate_shape({array.padded}));
    if (padded_elements < extent.product())
        throw Refusal(
            "The buffer of {} is padded to {} elements, but the array has {}. Give at least as many.",
            array.name, format_count(padded_elements), format_count(extent.product()));
    return padded_elements == extent.product() ? extent : Extent{padded_elements};
}

void add_first_launch(LessonScope& scope, const VariantText& variant, const Values& values,
                      const Limits& limits, const LaunchText* later) {
    PlanBuilder plan(scope.domain(), requested_workgroup(values), requested_grid(values),
                     variant.per_invocation, limits);
    set_first_launch(scope, plan, variant, values);
    if (later) set_launch(scope, plan, *later, values, automatic);
}

void add_launch(LessonScope& scope, const Run& run) {
    if (run.plan.steps.empty()) return add_first_launch(scope, run.facts, run.values, run.limits);
    scope.add_definitions(run.facts.definitions);
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
        if (!launch || may_be_divided(*launch, run.facts)) continue;
        if (slice(*launch, run.plan.buffers, run.limits).slices.size() > 1)
            add.refuse(
                fmt::format("This device would divide the launch \"{}\", which must stay whole. Use fewer "
                            "elements, or more workgroups.",
                            launch->label));
    }
}

}  // namespace gridstride::text_lesson
