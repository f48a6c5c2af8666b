#include "reduction/reference.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel_for.h"
#include "reduction/ways.h"

namespace gridstride::lessons::reduction {

namespace {

ArrayRef share(Array array) {
    return std::make_shared<const Array>(std::move(array));
}

template <class T>
Array zeros(std::size_t count) {
    Array array(ElementTypeOf<T>::value, count);
    std::fill(array.as<T>().begin(), array.as<T>().end(), T{0});
    return array;
}

/// Calls visit(g, tile) for every tile of every workgroup g, the workgroups side by side on all cores.
template <class T, class Visit>
void for_each_tile(std::span<const T> numbers, const Plan& plan, Visit visit) {
    const std::size_t tile = main_dispatch(plan).elements_per_workgroup;
    const std::size_t groups = plan.workgroup_count;
    const std::size_t grain =
        numbers.size() < (std::size_t{1} << 18) ? groups : 1;  // small: not worth a thread
    parallel_for(groups, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t g = begin; g < end; ++g)
            for (std::size_t start = g * tile; start < numbers.size(); start += groups * tile)
                visit(g, numbers.subspan(start, std::min(tile, numbers.size() - start)));
    });
}

bool keeps_partial_sums(const Plan& plan) {
    return plan.main_output == "partial_sums";
}

std::vector<Expected> reference_u32(std::span<const std::uint32_t> numbers, const Plan& plan) {
    Array partial_sums = zeros<std::uint32_t>(plan.workgroup_count);
    const auto sums = partial_sums.as<std::uint32_t>();
    for_each_tile(numbers, plan, [&](std::size_t g, std::span<const std::uint32_t> tile) {
        sums[g] = std::accumulate(tile.begin(), tile.end(), sums[g]);
    });

    Array total = zeros<std::uint32_t>(1);
    for (const std::uint32_t sum : sums)
        total.as<std::uint32_t>()[0] += sum;

    std::vector<Expected> expected;
    if (keeps_partial_sums(plan))
        expected.push_back({"partial_sums", share(std::move(partial_sums)), {}, nullptr});
    expected.push_back({"total", share(std::move(total)), {}, nullptr});
    return expected;
}

Tolerance tolerance_f32(std::uint64_t chain, std::uint64_t count) {
    // The double reference rounds too, and a device may take the smallest numbers (subnormal ones) for zero.
    const double reference_error = static_cast<double>(count) * 0x1p-53;
    const double flushed = static_cast<double>(count + 1) * std::numeric_limits<float>::min();
    return {flushed, rounding_bound(chain, count) + reference_error};
}

std::vector<Expected> reference_f32(std::span<const float> numbers, const Plan& plan) {
    Array partial_sums = zeros<double>(plan.workgroup_count);
    Array magnitudes = zeros<double>(plan.workgroup_count);
    const auto sums = partial_sums.as<double>();
    const auto sizes = magnitudes.as<double>();
    for_each_tile(numbers, plan, [&](std::size_t g, std::span<const float> tile) {
        double sum = 0, size = 0;
        for (const float number : tile) {
            sum += number;
            size += std::abs(number);
        }
        sums[g] += sum;
        sizes[g] += size;
    });

    Array total = zeros<double>(1);
    Array total_magnitude = zeros<double>(1);
    for (const double sum : sums)
        total.as<double>()[0] += sum;
    for (const double size : sizes)
        total_magnitude.as<double>()[0] += size;

    const Chains chains = longest_chains(plan);
    const std::uint64_t tile = main_dispatch(plan).elements_per_workgroup;
    const std::uint64_t passes = divide_up(numbers.size(), tile * plan.workgroup_count);
    const std::uint64_t in_a_group = std::min<std::uint64_t>(passes * tile, numbers.size());
    std::vector<Expected> expected;
    if (keeps_partial_sums(plan))
        expected.push_back({"partial_sums", share(std::move(partial_sums)),
                            tolerance_f32(chains.partial_sum, in_a_group), share(std::move(magnitudes))});
    expected.push_back({"total", share(std::move(total)), tolerance_f32(chains.total, numbers.size()),
                        share(std::move(total_magnitude))});
    return expected;
}

/// A device may add the numbers of a subgroup in any order, so a chain of width - 1 additions, twice, with
/// 1 024 / width^2 rounds between them: at most 270 whatever the width, 2 to 128. And never more than there
/// are additions.
std::uint64_t subgroup_chain(std::uint64_t workgroup_size) {
    return std::min<std::uint64_t>(workgroup_size - 1, 270);
}

/// Of the second launch: invocations step over the partial sums four at a time, add
/// each four as a tree of two levels, then the workgroup does its tree. Slices add one at most to each pass.
std::uint64_t finishing_chain(std::uint64_t partial_sums, std::uint64_t workgroup_size) {
    return divide_up(partial_sums, 4 * workgroup_size) + 2 + tree_levels(workgroup_size) + 1;
}

/// Sums fast with the compiler's vector instructions: independent sums, which f32 needs spelt out, because
/// the compiler must not change the order of its additions.
template <class T>
double fast_sum(std::span<const T> numbers) {
    constexpr std::size_t width = 32;
    std::array<T, width> sums{};
    std::size_t i = 0;
    for (; i + width <= numbers.size(); i += width)
        for (std::size_t k = 0; k < width; ++k)
            sums[k] += numbers[i + k];
    for (; i < numbers.size(); ++i)
        sums[0] += numbers[i];
    T total = 0;
    for (const T sum : sums)
        total += sum;
    return static_cast<double>(total);
}

}  // namespace

std::vector<Expected> reference(const Input& input, const Values&, const Plan& plan) {
    const Array& numbers = get(input, "numbers");
    return numbers.type() == ElementType::u32 ? reference_u32(numbers.as<std::uint32_t>(), plan)
                                              : reference_f32(numbers.as<float>(), plan);
}

Chains longest_chains(const Plan& plan) {
    const Dispatch& main = main_dispatch(plan);
    const Way way = way_of_kernel(main.kernel);
    const std::uint64_t size = main.workgroup_size;
    const std::uint64_t passes = divide_up(main.elements, main.elements_per_workgroup * main.workgroup_count);
    const std::uint64_t levels = tree_levels(size);
    Chains chains;
    switch (way) {
        case Way::atomic_global:
            // The order is the device's choice: the first number may go through all additions.
            return {main.elements, main.elements};
        case Way::tree_interleaved:
        case Way::tree_sequential:
            // The tree, then the running total once a pass; a slice's total joins the partial sum with one
            // more addition, and there are no more slices than passes.
            chains.partial_sum = levels + passes + 1;
            break;
        case Way::tree_first_add:
            chains.partial_sum = 1 + levels + passes + 1;
            break;
        case Way::grid_stride:
            // At most one addition a pass in one of four sums, two for the last one to three numbers and the
            // slices, two to join the sums, two for the four numbers of a quad, then the tree.
            chains.partial_sum = passes + 2 + 2 + 2 + levels;
            break;
        case Way::subgroup:
        case Way::single_pass:
            chains.partial_sum = passes + 2 + 2 + 2 + subgroup_chain(size);
            break;
    }
    chains.total = chains.partial_sum;
    if (way == Way::single_pass) {
        // The lanes of a subgroup, one at least, take sixteen partial sums at a time, each as a tree of four
        // levels.
        chains.total += divide_up(main.workgroup_count, 16) + 4 + subgroup_chain(size);
        return chains;
    }
    const Dispatch* finish = nullptr;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) finish = dispatch;
    chains.total += finish != &main ? finishing_chain(main.workgroup_count, finish->workgroup_size)
                                    : main.workgroup_count;  // the CPU adds one after another
    return chains;
}

double rounding_bound(std::uint64_t chain, std::uint64_t count) {
    constexpr double unit_roundoff = 0x1p-24;
    const double in_any_order = static_cast<double>(std::max<std::uint64_t>(count, 1) - 1) * unit_roundoff;
    const double along_the_chain = static_cast<double>(chain) * unit_roundoff;
    if (along_the_chain >= 0.5) return in_any_order;
    return std::min(along_the_chain / (1 - along_the_chain), in_any_order);
}

double one_thread(const Input& input, const Values&) {
    const Array& numbers = get(input, "numbers");
    return numbers.type() == ElementType::u32 ? fast_sum(numbers.as<std::uint32_t>())
                                              : fast_sum(numbers.as<float>());
}

}  // namespace gridstride::lessons::reduction
