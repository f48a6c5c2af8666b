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

constexpr std::size_t widest_declaration = 36;
constexpr std::string_view axes = "xyz";

const KernelInterface::Value* at_place(const Values& values, std::uint32_t place) {
    const auto found = std::ranges::find(values, place, &KernelInterface::Value::place);
    return found == values.end() ? nullptr : &*found;
}
/// Merges all declarations of a buffer: it may be declared several times, for example as words and as quads.
std::optional<KernelInterface::Resource> at_binding(const KernelInterface& interface, std::uint32_t set,
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

std::string in_words(const std::set<std::string>& scalars) {
    return joined(scalars, " and ");
}

/// Returns true if all scalar types of the buffer also occur in the variant's kernel.
bool has_scalars_of(const KernelInterface::Resource& own, const KernelInterface::Resource& variants) {
    return std::ranges::includes(variants.scalars, own.scalars);
}

std::string size_text(const KernelInterface& interface, std::size_t axis) {
    const auto id = interface.size_ids.at(axis);
    return id ? fmt::format("local_size_{}_id = {}", axes[axis], *id)
              : fmt::format("local_size_{} = {}", axes[axis], interface.sizes.at(axis));
}

class InterfaceComparison {
 public:
    InterfaceComparison(const Replacement& kernels, const shader::KernelNeeds& needs,
                        const LaunchInterface& launch)
        : own_(kernels.own),
          variants_(kernels.variants),
          file_(kernels.file),
          needs_(needs),
          launch_(launch) {
        compare_sizes();
        compare_bindings();
        compare_values(own_.push_constants, variants_.push_constants, "push", "push constant byte");
        compare_values(own_.constants, variants_.constants, "constant", "specialisation constant");
    }

    std::vector<std::string> reasons;

    std::string side_by_side() const {
        std::size_t place = 0, own = characters(own_head);
        for (const Row& row : rows_) {
            place = std::max(place, characters(row.place));
            own = std::max(own, characters(row.own));
        }
        std::string text = fmt::format("  {:<{}}  {:<{}}  {}", "", place, own_head, own, file_);
        for (const Row& row : rows_)
            text += fmt::format("\n{} {:<{}}  {:<{}}  {}", row.mark, row.place, place, row.own, own,
                                row.variants);
        return text;
    }

 private:
    static constexpr std::string_view own_head = "your kernel";
    struct Row {
        std::string place, own, variants;
        std::string_view mark;
    };
    static constexpr std::string_view fits = " ", does_not_fit = "✗", has_other_scalars = "?";
    void add_row(std::string place, const std::string* own, const std::string* variants,
                 std::string_view mark) {
        const auto cell = [](const std::string* declaration) {
            if (!declaration) return std::string("–");
            if (characters(*declaration) <= widest_declaration) return *declaration;
            return std::string(first_characters(*declaration, widest_declaration - 1)) + "…";
        };
        rows_.push_back({std::move(place), cell(own), cell(variants), mark});
    }

    void compare_sizes() {
        for (unsigned axis = 0; axis < launch_.workgroup.dimensions(); ++axis) {
            const std::string own = size_text(own_, axis), variants = size_text(variants_, axis);
            add_row(fmt::format("size {}", axes[axis]), &own, &variants,
                    needs_.local_size.at(axis) == launch_.workgroup.along(axis) ? fits : does_not_fit);
        }
    }

    void compare_bindings() {
        std::set<std::pair<std::uint32_t, std::uint32_t>> places;
        for (const KernelInterface* interface : {&own_, &variants_})
            for (const KernelInterface::Resource& one : interface->resources)
                places.emplace(one.set, one.binding);
        for (const auto& [set, binding] : places) {
            const auto own = at_binding(own_, set, binding);
            const auto variants = at_binding(variants_, set, binding);
            const bool is_bound = set == 0 && binding < launch_.bindings.size();
            const std::size_t before = reasons.size();
            if (is_bound) compare_binding(binding, own);
            const bool is_foreign = own && (!is_bound || !own->is_one_buffer);
            add_row(set == 0 ? fmt::format("binding {}", binding)
                             : fmt::format("set {}, binding {}", set, binding),
                    own ? &own->declaration : nullptr, variants ? &variants->declaration : nullptr,
                    is_foreign || reasons.size() > before                 ? does_not_fit
                    : own && variants && !has_scalars_of(*own, *variants) ? has_other_scalars
                                                                          : fits);
        }
    }

    void compare_binding(std::uint32_t number, const std::optional<KernelInterface::Resource>& own) {
        const auto& [buffer, access, is_result, is_filled] = launch_.bindings[number];
        if (!own) {
            // A buffer that the plan fills, such as a counter with 0, can be right without being written.
            if (is_result && !is_filled)
                reasons.push_back(fmt::format(
                    "Your kernel does not declare binding {}, where the launch expects its result {}.",
                    number, buffer));
            return;
        }
        if (!own->is_writable && (is_result || access == Access::write))
            reasons.push_back(fmt::format(
                "Your kernel declares binding {} readonly, but the launch expects {} to be written there.",
                number, buffer));
        if (!own->is_readable && access == Access::read)
            reasons.push_back(fmt::format(
                "Your kernel declares binding {} writeonly, but the launch binds {} there for reading.",
                number, buffer));
        if (own->has_padding)
            reasons.push_back(fmt::format(
                "The elements of your kernel's buffer at binding {} have unused bytes between them "
                "(as in std140), but those of {} have none. Declare it std430.",
                number, buffer));
        if (is_result && own->is_writable && !writes(number))
            if (const auto input = written_input())
                reasons.push_back(fmt::format(
                    "Your kernel writes to binding {}, which the launch binds for reading, and never to "
                    "binding {}, where {} is expected.",
                    *input, number, buffer));
    }

    bool writes(std::uint32_t binding) const {
        return std::ranges::any_of(needs_.bindings, [&](const shader::BindingNeed& need) {
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
        return constant.place < own_.size_ids.size() && own_.size_ids.at(constant.place) == constant.place &&
               (constant.declaration.starts_with("uint ") || constant.declaration.starts_with("int "));
    }

    void compare_values(const Values& own, const Values& variants, std::string_view short_name,
                        std::string_view name) {
        std::set<std::uint32_t> places;
        for (const Values* values : {&own, &variants})
            for (const KernelInterface::Value& value : *values)
                places.insert(value.place);
        std::size_t differ = 0;
        for (const std::uint32_t place : places) {
            const KernelInterface::Value* const mine = at_place(own, place);
            const KernelInterface::Value* const given = at_place(variants, place);
            const bool is_of_size = &own == &own_.constants && mine && is_size(*mine);
            const bool differs = mine && !is_of_size && (!given || *given != *mine);
            add_row(fmt::format("{} {}", short_name, place), mine ? &mine->declaration : nullptr,
                    given ? &given->declaration : nullptr, differs ? does_not_fit : fits);
            if (differs && differ++ == 0)
                reasons.push_back(fmt::format("At {} {} your kernel declares {}, but the launch passes {}.",
                                              name, place, mine->declaration,
                                              given ? given->declaration : std::string("nothing")));
        }
        if (differ > 1) reasons.back() += fmt::format(" {} more differ.", differ - 1);
    }

    const KernelInterface& own_;
    const KernelInterface& variants_;
    const std::string& file_;
    const shader::KernelNeeds& needs_;
    const LaunchInterface& launch_;
    std::vector<Row> rows_;
};

}  // namespace

LaunchInterface launch_interface(const Plan& plan, const Dispatch& launch) {
    LaunchInterface all{.kernel = launch.kernel,
                        .workgroup = launch.workgroup,
                        .constants = constants_of(launch),
                        .push_bytes = push_bytes_of(launch)};
    for (const Binding& binding : launch.bindings)
        all.bindings.push_back({plan.buffers[binding.buffer].name, binding.access,
                                is_result_of(plan, launch, binding), is_filled(plan, binding.buffer)});
    return all;
}

std::vector<std::string> interface_reasons(const Replacement& kernels, const shader::KernelNeeds& needs,
                                           const LaunchInterface& launch, bool refused) {
    InterfaceComparison comparison(kernels, needs, launch);
    std::vector<std::string> reasons = std::move(comparison.reasons);
    if (reasons.empty() && !refused) return reasons;
    reasons.push_back(fmt::format(
        "Declare what your kernel uses as the variant's kernel declares it ({} prints that kernel). "
        "Both interfaces; ✗ marks a mismatch, ? another number type:\n{}",
        kernels.print_command, comparison.side_by_side()));
    return reasons;
}

std::string literal_size_note(const Replacement& kernels, const LaunchInterface& launch) {
    for (unsigned axis = 0; axis < launch.workgroup.dimensions(); ++axis)
        if (!kernels.own.size_ids.at(axis) && kernels.variants.size_ids.at(axis))
            return fmt::format(
                "Your kernel has its workgroup size as a literal ({}), so the workgroup size of the settings "
                "has no effect on it. Write layout(local_size_{}_id = {}) in; to follow the settings.",
                size_text(kernels.own, axis), axes[axis], axis);
    return {};
}

std::vector<std::string> scalar_notes(const Replacement& kernels, const LaunchInterface& launch) {
    std::vector<std::string> notes;
    for (std::uint32_t binding = 0; binding < launch.bindings.size(); ++binding) {
        const auto own = at_binding(kernels.own, 0, binding),
                   variants = at_binding(kernels.variants, 0, binding);
        if (!own || !variants || has_scalars_of(*own, *variants)) continue;
        notes.push_back(
            fmt::format("Your kernel declares {} at binding {} ({}), but {} declares {} there: your kernel "
                        "reads the same "
                        "bytes as another type. That is right only if it converts them itself, as "
                        "floatBitsToUint() does; "
                        "otherwise declare {}.",
                        in_words(own->scalars), binding, launch.bindings[binding].name, kernels.file,
                        in_words(variants->scalars), in_words(variants->scalars)));
    }
    return notes;
}

}  // namespace gridstride::lab
