// Shared by the tests of the zero suppression lesson: its settings and expected outputs.
#pragma once

#include "lesson/lesson_case.h"

namespace gridstride::test::zero_suppression {

inline const Lesson& suppression() {
    return *find_lesson("zero_suppression");
}

enum : std::uint32_t { signed_value = 0, magnitude = 1 };

struct Setting {
    std::uint64_t elements = 100000;
    std::uint64_t size = 256;
    std::uint64_t grid = 0;
    std::uint64_t threshold = 15;
    std::uint32_t rule = signed_value;
    std::uint64_t seed = 1;
};

inline Values values_of(const Setting& setting) {
    Values values = values_with(suppression(), {setting.elements, setting.size, setting.grid});
    values.set("threshold", setting.threshold);
    values.set("rule", ChoiceIndex{setting.rule});
    values.set("seed", setting.seed);
    return values;
}

inline Input samples_of(const std::vector<std::int16_t>& samples) {
    return {{"samples", array_of(samples)}};
}

/// Returns the reference of an output; every output of this lesson is exact.
inline const Array& exactly(const std::vector<Expected>& all, std::string_view output) {
    for (const Expected& expected : all) {
        EXPECT_EQ(expected.tolerance.absolute, 0);
        EXPECT_EQ(expected.tolerance.relative, 0);
    }
    const Expected* found = expected_of(all, output);
    if (!found) throw std::out_of_range(std::string(output));
    return *found->reference;
}

inline std::vector<Expected> reference_of(const std::vector<std::int16_t>& samples, std::uint64_t threshold,
                                          std::uint32_t rule, const char* variant) {
    const Values values = values_of({.elements = samples.size(), .threshold = threshold, .rule = rule});
    const PreparedExperiment run = prepare_case(suppression(), values, variant, large_gpu());
    return run.task.reference(samples_of(samples), run);
}

}  // namespace gridstride::test::zero_suppression
