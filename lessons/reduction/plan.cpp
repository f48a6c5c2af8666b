#include "reduction/plan.h"

#include <fmt/format.h>

#include "reduction/ways.h"

namespace gridstride::lessons::reduction {

namespace {

/// u32 modulo 2^32; f32 one after another, rounded each time.
template <class T>
Array add_in_order(const Array& partial_sums) {
    T total = 0;
    for (const T sum : partial_sums.as<T>())
        total += sum;
    return Array::of<T>(std::span<const T>(&total, 1));
}

Array add_partial_sums(std::span<const Array* const> arrays) {
    const Array& partial_sums = *arrays[0];
    return partial_sums.type() == ElementType::u32 ? add_in_order<std::uint32_t>(partial_sums)
                                                   : add_in_order<float>(partial_sums);
}

class PlanWriter {
 public:
    PlanWriter(const Values& values, Way way, std::string_view variant, const Limits& limits)
        : way_(way),
          limits_(limits),
          type_(storage(values)),
          elements_(values[key::elements]),
          missing_barrier_(values[key::barriers] == Barriers::one_missing) {
        plan_.workgroup_size = values[key::workgroup_size];
        plan_.workgroup_count = values[key::workgroup_count];
        if (plan_.workgroup_count == 0)
            plan_.workgroup_count = natural_workgroup_count(way, elements_, plan_.workgroup_size, limits);
        plan_.least_bytes = elements_ * byte_size(type_);
        plan_.flops = elements_;  // an addition each, of u32 or f32 alike
        plan_.main_output = "partial_sums";
        variant_ = variant;
        numbers_ = add_buffer("numbers", elements_, false);
        plan_.steps.push_back(Upload{numbers_, "numbers"});
    }

    Plan all_to_one_total() && {
        plan_.main_output = "total";
        const std::size_t total = add_buffer("total", 1, true);
        plan_.steps.push_back(Fill{total, 0});
        add_main({{total, Access::read_write}}, "every number to the total");
        plan_.steps.push_back(Download{total});
        return std::move(plan_);
    }

    Plan partial_sums_then(Finish finish) && {
        const std::size_t partial_sums = add_buffer("partial_sums", plan_.workgroup_count, true);
        add_main({{partial_sums, Access::read_write}}, "sum of each workgroup");
        if (finish == Finish::cpu) {
            plan_.steps.push_back(Download{partial_sums});
            plan_.steps.push_back(
                HostStep{"CPU adds the partial sums", "total", &add_partial_sums, {"partial_sums"}});
            return std::move(plan_);
        }
        const std::size_t total = add_buffer("total", 1, true);
        add_finish(partial_sums, total);
        plan_.steps.push_back(Download{partial_sums});
        plan_.steps.push_back(Download{total});
        return std::move(plan_);
    }

    Plan in_a_single_pass() && {
        const std::size_t partial_sums = add_buffer("partial_sums", plan_.workgroup_count, true);
        const std::size_t total = add_buffer("total", 1, true);
        const std::size_t ticket = add_buffer("ticket", 1, true, ElementType::u32);
        // The kernel leaves the ticket at 0, so a program that sums often sets it once.
        plan_.steps.push_back(Fill{ticket, 0, true});
        add_main({{partial_sums, Access::read_write}, {total, Access::write}, {ticket, Access::read_write}},
                 "sums and total");
        plan_.steps.push_back(Download{partial_sums});
        plan_.steps.push_back(Download{total});
        return std::move(plan_);
    }

 private:
    std::size_t add_buffer(std::string name, std::uint64_t elements, bool output) {
        return add_buffer(std::move(name), elements, output, type_);
    }
    std::size_t add_buffer(std::string name, std::uint64_t elements, bool output, ElementType type) {
        plan_.buffers.push_back({std::move(name), type, elements, output});
        return plan_.buffers.size() - 1;
    }

    void add_main(std::vector<Binding> results, std::string label) {
        const bool compare_and_swap =
            way_ == Way::atomic_global && type_ == ElementType::f32 && !limits_.float32_atomic_add;
        std::string build(name(type_));
        if (way_ == Way::atomic_global && type_ == ElementType::f32 && !compare_and_swap)
            build = "f32_atomic";

        Dispatch main;
        main.label = std::move(label);
        main.kernel = fmt::format("reduction/{}.{}", variant_, build);
        main.workgroup_size = plan_.workgroup_size;
        main.workgroup_count = plan_.workgroup_count;
        main.bindings = {{numbers_, Access::read, true}};
        main.bindings.insert(main.bindings.end(), results.begin(), results.end());
        main.elements = elements_;
        main.elements_per_workgroup = plan_.workgroup_size * elements_an_invocation(way_);
        const Iterations most =
            iterations(way_, main.workgroup_size, main.workgroup_count, compare_and_swap, limits_);
        main.iterations_per_pass = most.a_pass;
        main.iterations_once = most.a_dispatch;
        if (way_ != Way::atomic_global) {
            main.constants = {missing_barrier_ ? 0u : 1u};
            main.shared_bytes = main.workgroup_size * byte_size(type_);
        }
        main.uses_subgroups = uses_subgroups(way_);
        plan_.steps.push_back(std::move(main));
    }

    void add_finish(std::size_t partial_sums, std::size_t total) {
        Dispatch finish;
        finish.label = "sum of the partial sums";
        finish.kernel = fmt::format("reduction/finish.{}", name(type_));
        finish.workgroup_size = finish_workgroup_size(plan_.workgroup_count, limits_);
        finish.workgroup_count = 1;
        finish.bindings = {{partial_sums, Access::read, true}, {total, Access::read_write}};
        finish.elements = plan_.workgroup_count;
        finish.elements_per_workgroup = 4 * finish.workgroup_size;
        finish.iterations_per_pass = 1;
        finish.iterations_once = 2 + tree_levels(finish.workgroup_size);
        finish.shared_bytes = finish.workgroup_size * byte_size(type_);
        plan_.steps.push_back(std::move(finish));
    }

    Way way_;
    const Limits& limits_;
    ElementType type_;
    std::uint64_t elements_;
    bool missing_barrier_;
    std::string variant_;
    std::size_t numbers_ = 0;
    Plan plan_;
};

}  // namespace

Plan plan(const Values& values, std::string_view variant, const Limits& limits) {
    const Way way = way_of(variant);
    PlanWriter writer(values, way, variant, limits);
    switch (way) {
        case Way::atomic_global:
            return std::move(writer).all_to_one_total();
        case Way::single_pass:
            return std::move(writer).in_a_single_pass();
        default:
            return std::move(writer).partial_sums_then(values[key::finish]);
    }
}

}  // namespace gridstride::lessons::reduction
