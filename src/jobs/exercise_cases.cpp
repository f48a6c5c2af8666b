// The cases that an exercise's kernel must compute like the reference.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string_view>

#include "jobs/exercise_job.h"

namespace gridstride {

namespace {

constexpr std::uint64_t max_random_elements = 300'000;
constexpr std::uint64_t large_prime = 1'000'003;

struct CaseLaunches {
    std::string_view workgroup, grid;                   ///< parameter ids
    std::array<std::string_view, 3> workgroups, grids;  ///< in the syntax of parse()
};
constexpr std::array<CaseLaunches, 3> case_launches{
    {{key::workgroup_size.id, key::workgroup_count.id, {"32", "96", "256"}, {"auto", "1", "3"}},
     {key::workgroup.id, key::grid.id, {"8x4", "3x32", "16x16"}, {"auto", "1x1", "3x2"}},
     {key::workgroup.id, key::grid.id, {"4x4x2", "3x16x2", "8x8x4"}, {"auto", "1x1x1", "3x2x2"}}}};

const CaseLaunches& case_launches_for(const Experiment& one) {
    return case_launches[requested_workgroup(one.values).dimensions() - 1];
}

}  // namespace

std::string grid_parameter_id(const Experiment& one) {
    return std::string(case_launches_for(one).grid);
}

void set_domain(const Lesson& lesson, std::uint64_t elements, Values& values) {
    auto remaining = static_cast<double>(elements);
    for (std::size_t dimension = lesson.domain.size(); dimension-- > 0;) {
        const Parameter& parameter = *find(lesson.parameters, lesson.domain[dimension]);
        double side = std::round(std::pow(remaining, 1.0 / static_cast<double>(dimension + 1)));
        // The sides differ, so that no kernel can mistake one for another.
        if (dimension > 0 && side > 1) side += static_cast<double>(dimension + 1);
        side = std::clamp(side, parameter.minimum, parameter.maximum);
        values.set(parameter.id, static_cast<std::uint64_t>(side));
        remaining = std::max(remaining / side, 1.0);
    }
}

Experiment shrink_to_grid(const Lesson& lesson, const Experiment& one) {
    Experiment part = one;
    const Extent workgroup = requested_workgroup(one.values), grid = requested_grid(one.values);
    for (unsigned i = 0; i < lesson.domain.size(); ++i) {
        const auto all = std::get<std::uint64_t>(one.values.at(lesson.domain[i]));
        const std::uint64_t covered_elements = workgroup.along(i) * grid.along(i);
        if (grid.x > 0) part.values.set(lesson.domain[i], std::min(all, covered_elements));
    }
    return part;
}

std::vector<Experiment> make_cases(const Lesson& lesson, const Experiment& experiment,
                                   std::uint64_t random_seed) {
    const CaseLaunches& launches = case_launches_for(experiment);
    const Parameter& workgroup = *find(lesson.parameters, launches.workgroup);
    const Parameter& grid = *find(lesson.parameters, launches.grid);
    std::mt19937_64 generator(random_seed);
    std::vector<Experiment> cases;
    for (const std::string_view text : launches.workgroups) {
        Experiment sized = experiment;
        sized.values.set(launches.workgroup, parse(workgroup, text));
        const std::uint64_t width = requested_workgroup(sized.values).product();
        const std::array<std::uint64_t, 5> fixed = {1, width - 1, width, width + 1, large_prime};
        for (std::size_t i = 0; i < 3 * fixed.size(); ++i) {
            Experiment one = sized;
            const bool is_random = i >= 2 * fixed.size();
            set_domain(lesson, is_random ? 2 + generator() % max_random_elements : fixed[i % fixed.size()],
                       one.values);
            one.values.set(launches.grid, parse(grid, launches.grids[cases.size() % launches.grids.size()]));
            one.values.set(key::seed.id, generator() & 0xffffffffU);
            cases.push_back(std::move(one));
        }
    }
    return cases;
}

}  // namespace gridstride
