#include "lab/compare_interfaces.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "lab/kernel_cache.h"

namespace gridstride::lab {

namespace {

using shader::KernelInterface;
using Values = std::vector<KernelInterface::Value>;

constexpr std::size_t max_declaration_width = 36;
constexpr std::string_view axes = "xyz";

const KernelInterface::Value* find_value(const Values& values, std::uint32_t place) {
    const auto found = std::ranges::find(values, place, &KernelInterface::Value::offset_or_id);
    return found == values.end() ? nullptr : &*found;
}
/// Merges all declarations of a buffer: it may be declared several times, for example as words and as quads.
std::optional<KernelInterface::Resource> find_resource(const KernelInterface& interface, std::uint32_t set,
                                                       std::uint32_t binding) {
    std::optional<KernelInterface::Resource> all;
    for (const KernelInterface::Resource& one : interface.resources) {
        if (one.set != set || one.binding != binding) continue;
        if (!all) {
            all = one;
            continue;
        }
        all->declaration += ", " + one.declaration;
        all->is_one_buffer &= one.is_one_buffer;
        all->is_readable |= one.is_readable;
        all->is_writable |= one.is_writable;
        all->has_padding |= one.has_padding;
        all->scalars.insert(one.scalars.begin(), one.scalars.end());
    }
    return all;
}

std::string join_scalars(const std::set<std::string>& scalars) {
    return join(scalars, " and ");
}

/// Returns true if all scalar types of the buffer also occur in the variant's kernel.
bool has_scalars_of(const KernelInterface::Resource& user_kernel, const KernelInterface::Resource& variants) {
    return std::ranges::includes(variants.scalars, user_kernel.scalars);
}

std::string size_text(const KernelInterface& interface, std::size_t axis) {
    const auto id = interface.size_ids.at(axis);
    return id ? fmt::format("local_size_{}_id = {}", axes[axis], *id)
              : fmt::format("local_size_{} = {}", axes[axis], interface.sizes.at(axis));
}

class InterfaceComparison {
 public:
    InterfaceComparison(const Replacement& kernels, const shader::KernelRequirements& needs,
                        const LaunchInterface& launch)
        : user_kernel_(kernels.user_kernel),
          variants_(kernels.variants),
          file_(kernels.file),
          needs_(needs),
          launch_(launch) {
        compare_sizes();
        compare_bindings();
        compare_values(user_kernel_.push_constants, variants_.push_constants, "push", "push constant byte");
        compare_values(user_kernel_.constants, variants_.constants, "constant", "specialisation constant");
    }

    std::vector<std::string> reasons;

    std::string side_by_side() const {
        std::size_t place = 0, user_kernel = characters(user_head);
        for (const Row& row : rows_) {
            place = std::max(place, characters(row.place));
            user_kernel = std::max(user_kernel, characters(row.user_kernel));
        }
        std::string text = fmt::format("  {:<{}}  {:<{}}  {}", "", place, user_head, user_kernel, file_);
        for (const Row& row : rows_)
            text += fmt::format("\n{} {:<{}}  {:<{}}  {}", row.mark, row.place, place, row.user_kernel,
                                user_kernel, row.variants);
        return text;
    }

 private:
    static constexpr std::string_view user_head = "your kernel";
    struct Row {
        std::string place, user_kernel, variants;
        std::string_view mark;
    };
    static constexpr std::string_view fits = " ", does_not_fit = "✗", has_other_scalars = "?";
    void add_row(std::string place, const std::string* user_kernel, const std::string* variants,
                 std::string_view mark) {
        const auto cell = [](const std::string* declaration) {
            if (!declaration) return std::string("–");
            if (characters(*declaration) <= max_declaration_width) return *declaration;
            return std::string(first_characters(*declaration, max_declaration_width - 1)) + "…";
        };
        rows_.push_back({std::move(place), cell(user_kernel), cell(variants), mark});
    }

    void compare_sizes() {
        for (unsigned axis = 0; axis < launch_.workgroup.dimensions(); ++axis) {
            const std::string user_kernel = size_text(user_kernel_, axis),
                              variants = size_text(variants_, axis);
            add_row(fmt::format("size {}", axes[axis]), &user_kernel, &variants,
                    needs_.local_size.at(axis) == launch_.workgroup.along(axis) ? fits : does_not_fit);
        }
    }

    void compare_bindings() {
        std::set<std::pair<std::uint32_t, std::uint32_t>> places;
        for (const KernelInterface* interface : {&user_kernel_, &variants_})
            for (const KernelInterface::Resource& one : interface->resources)
                places.emplace(one.set, one.binding);
        for (const auto& [set, binding] : places) {
            const auto user_kernel = find_resource(user_kernel_, set, binding);
            const auto variants = find_resource(variants_, set, binding);
            const bool is_bound = set == 0 && binding < launch_.bindings.size();
            const std::size_t before = reasons.size();
            if (is_bound) compare_binding(binding, user_kernel);
            const bool is_foreign = user_kernel && (!is_bound || !user_kernel->is_one_buffer);
            add_row(set == 0 ? fmt::format("binding {}", binding)
                             : fmt::format("set {}, binding {}", set, binding),
                    user_kernel ? &user_kernel->declaration : nullptr,
                    variants ? &variants->declaration : nullptr,
                    is_foreign || reasons.size() > before                                 ? does_not_fit
                    : user_kernel && variants && !has_scalars_of(*user_kernel, *variants) ? has_other_scalars
                                                                                          : fits);
        }
    }

    void compare_binding(std::uint32_t number, const std::optional<KernelInterface::Resource>& user_kernel) {
        const auto& [buffer, access, is_result, is_filled] = launch_.bindings[number];
        if (!user_kernel) {
            // A buffer that the plan fills, such as a counter with 0, can be right without being written.
            if (is_result && !is_filled)
                reasons.push_back(fmt::format(
                    "Your kernel does not declare binding {}, where the launch expects its result {}.",
                    number, buffer));
            return;
        }
        if (!user_kernel->is_writable && (is_result || access == Access::write))
            reasons.push_back(fmt::format(
                "Your kernel declares binding {} readonly, but the launch expects {} to be written there.",
                number, buffer));
        if (!user_kernel->is_readable && access == Access::read)
            reasons.push_back(fmt::format(
                "Your kernel declares binding {} writeonly, but the launch binds {} there for reading.",
                number, buffer));
        if (user_kernel->has_padding)
            reasons.push_back(fmt::format(
                "The elements of your kernel's buffer at binding {} have unused bytes between them "
                "(as in std140), but those of {} have none. Declare it std430.",
                number, buffer));
        if (is_result && user_kernel->is_writable && !writes(number))
            if (const auto input = written_input())
                reasons.push_back(fmt::format(
                    "Your kernel writes to binding {}, which the launch binds for reading, and never to "
                    "binding {}, where {} is expected.",
                    *input, number, buffer));
    }

    bool writes(std::uint32_t binding) const {
        return std::ranges::any_of(needs_.bindings, [&](const shader::BindingRequirement& need) {
            return need.set == 0 && need.binding == binding && need.is_written;
        });
    }
    std::optional<std::uint32_t> written_input() const {
        for (std::uint32_t n = 0; n < launch_.bindings.size(); ++n)
            if (launch_.bindings[n].access == Access::read && writes(n)) return n;
        return std::nullopt;
    }

    /// The constants of the workgroup's size may have any name.
    bool is_size(const KernelInterface::Value& constant) const {
        return constant.offset_or_id < user_kernel_.size_ids.size() &&
               user_kernel_.size_ids.at(constant.offset_or_id) == constant.offset_or_id &&
               (constant.declaration.starts_with("uint ") || constant.declaration.starts_with("int "));
    }

    void compare_values(const Values& user_kernel, const Values& variants, std::string_view short_name,
                        std::string_view name) {
        std::set<std::uint32_t> places;
        for (const Values* values : {&user_kernel, &variants})
            for (const KernelInterface::Value& value : *values)
                places.insert(value.offset_or_id);
        std::size_t differ = 0;
        for (const std::uint32_t place : places) {
            const KernelInterface::Value* const user_value = find_value(user_kernel, place);
            const KernelInterface::Value* const variant_value = find_value(variants, place);
            const bool is_of_size =
                &user_kernel == &user_kernel_.constants && user_value && is_size(*user_value);
            const bool differs =
                user_value && !is_of_size && (!variant_value || *variant_value != *user_value);
            add_row(fmt::format("{} {}", short_name, place), user_value ? &user_value->declaration : nullptr,
                    variant_value ? &variant_value->declaration : nullptr, differs ? does_not_fit : fits);
            if (differs && differ++ == 0)
                reasons.push_back(
                    fmt::format("At {} {} your kernel declares {}, but the launch passes {}.", name, place,
                                user_value->declaration,
                                variant_value ? variant_value->declaration : std::string("nothing")));
        }
        if (differ > 1) reasons.back() += fmt::format(" {} more differ.", differ - 1);
    }

    const KernelInterface& user_kernel_;
    const KernelInterface& variants_;
    const std::string& file_;
    const shader::KernelRequirements& needs_;
    const LaunchInterface& launch_;
    std::vector<Row> rows_;
};

}  // namespace

LaunchInterface launch_interface(const Plan& plan, const Dispatch& launch) {
    LaunchInterface all{.kernel = launch.kernel,
                        .workgroup = launch.workgroup,
                        .constants = get_constants(launch),
                        .push_bytes = get_push_bytes(launch)};
    for (const Binding& binding : launch.bindings)
        all.bindings.push_back({plan.buffers[binding.buffer].name, binding.access,
                                is_result_of(plan, launch, binding), is_filled(plan, binding.buffer)});
    return all;
}

std::vector<std::string> find_interface_mismatches(const Replacement& kernels,
                                                   const shader::KernelRequirements& needs,
                                                   const LaunchInterface& launch, bool show_interfaces) {
    InterfaceComparison comparison(kernels, needs, launch);
    std::vector<std::string> reasons = std::move(comparison.reasons);
    if (reasons.empty() && !show_interfaces) return reasons;
    reasons.push_back(fmt::format(
        "Declare what your kernel uses as the variant's kernel declares it ({} prints that kernel). "
        "Both interfaces; ✗ marks a mismatch, ? another number type:\n{}",
        kernels.print_command, comparison.side_by_side()));
    return reasons;
}

std::string check_literal_size(const Replacement& kernels, const LaunchInterface& launch) {
    for (unsigned axis = 0; axis < launch.workgroup.dimensions(); ++axis)
        if (!kernels.user_kernel.size_ids.at(axis) && kernels.variants.size_ids.at(axis))
            return fmt::format(
                "Your kernel has its workgroup size as a literal ({}), so the workgroup size of the settings "
                "has no effect on it. Write layout(local_size_{}_id = {}) in; to follow the settings.",
                size_text(kernels.user_kernel, axis), axes[axis], axis);
    return {};
}

std::vector<std::string> find_scalar_mismatches(const Replacement& kernels, const LaunchInterface& launch) {
    std::vector<std::string> notes;
    for (std::uint32_t binding = 0; binding < launch.bindings.size(); ++binding) {
        const auto user_kernel = find_resource(kernels.user_kernel, 0, binding),
                   variants = find_resource(kernels.variants, 0, binding);
        if (!user_kernel || !variants || has_scalars_of(*user_kernel, *variants)) continue;
        notes.push_back(
            fmt::format("Your kernel declares {} at binding {} ({}), but {} declares {} there: your kernel "
                        "reads the same bytes as another type. That is right only if it converts them "
                        "itself, as floatBitsToUint() does; otherwise declare {}.",
                        join_scalars(user_kernel->scalars), binding, launch.bindings[binding].name,
                        kernels.file, join_scalars(variants->scalars), join_scalars(variants->scalars)));
    }
    return notes;
}

}  // namespace gridstride::lab
