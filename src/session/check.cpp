#include "session/check.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "base/elapsed.h"

namespace gridstride {

namespace {

const std::vector<std::uint64_t> quick_elements = {1, 2, 31, 32, 33, 1000, 100003};
const std::vector<std::uint64_t> full_elements = {1, 2, 31, 32, 33, 1000, 100003, 4000000};
const std::vector<std::uint64_t> workgroup_sizes = {1, 7, 32, 64, 96, 256, 1024};
const std::vector<std::uint64_t> workgroup_counts = {1, 3, 0};  // 0: auto
// Of two or three dimensions: about as many elements, of unequal sides.
const std::vector<Extent> workgroups = {{1, 1}, {7, 1}, {8, 4}, {3, 32}, {16, 16}, {32, 32}};
const std::vector<Extent> grids = {{1, 1}, {3, 2}, {0, 1}};

/// The domains, workgroups and grids that a lesson is tried with, on top of these values.
std::vector<Values> launches(const Lesson& lesson, const Values& base,
                             const std::vector<std::uint64_t>& elements) {
    std::vector<Values> all;
    const auto dimensions = lesson.domain.size();
    const auto add = [&](std::uint64_t count, const auto& set_launch) {
        Values values = base;
        // As near to a square or a cube as may be, and no multiple of anything.
        for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
            const auto side = static_cast<std::uint64_t>(
                std::llround(std::pow(static_cast<double>(count), 1.0 / static_cast<double>(dimensions))));
            values.set(lesson.domain[dimension], side + (dimension > 0 && side > 1 ? dimension + 1 : 0));
        }
        set_launch(values);
        all.push_back(std::move(values));
    };
    if (dimensions == 1) {
        for (const std::uint64_t size : workgroup_sizes)
            for (const std::uint64_t count : elements)
                for (const std::uint64_t grid : workgroup_counts)
                    add(count, [&](Values& values) {
                        values.set(key::workgroup_size.id, size);
                        values.set(key::workgroup_count.id, grid);
                    });
        return all;
    }
    const auto deep = [&](Extent extent) {
        if (dimensions == 3) extent.z = extent.x > 0 ? 2 : 1;
        return extent;
    };
    for (const Extent& workgroup : workgroups)
        for (const std::uint64_t count : elements)
            for (const Extent& grid : grids)
                add(count, [&](Values& values) {
                    values.set(key::workgroup.id, deep(workgroup));
                    values.set(key::grid.id, deep(grid));
                });
    return all;
}

/// The lesson's own choices, every combination of them; counts and reals stay at their defaults. A choice
/// that makes the answer wrong on purpose is left out.
std::vector<Values> combinations(const Lesson& lesson) {
    std::vector<Values> all{Values(lesson.parameters)};
    for (const Parameter& parameter : lesson.parameters) {
        if (parameter.choices.empty()) continue;
        std::vector<Values> more;
        for (const Values& values : all) {
            for (std::uint32_t i = 0; i < parameter.choices.size(); ++i) {
                if (parameter.choices[i].wrong_on_purpose) continue;
                more.push_back(values);
                more.back().set(parameter.id, ChoiceIndex{i});
            }
        }
        all = std::move(more);
    }
    return all;
}

std::string describe(const Lesson& lesson, const Values& values) {
    std::string text;
    for (const Parameter& parameter : lesson.parameters)
        text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", parameter.id,
                            format(parameter, values.at(parameter.id)));
    return text;
}

}  // namespace

std::vector<CheckRow> check_lesson(lab::Client& client, const Lesson& lesson, CheckScope scope,
                                   const std::function<void(const CheckRow&)>& on_row,
                                   const std::function<bool()>& keep_going) {
    const std::vector<Values> bases = combinations(lesson);
    const std::vector<std::uint64_t>& sizes = scope == CheckScope::full ? full_elements : quick_elements;
    std::vector<CheckRow> rows;
    std::uint64_t next_id = 1;
    for (const Variant& variant : lesson.variants) {
        const auto started = std::chrono::steady_clock::now();
        CheckRow row{lesson.id, variant.id};
        const auto run = [&](const Values& values) {
            lab::Request request;
            request.id = next_id++;
            request.experiment = default_experiment(lesson);
            request.experiment.variant = variant.id;
            request.experiment.values = values;
            request.sampling.measure = false;
            const Report report = lab::run_to_end(client, std::move(request), [&] { return !keep_going(); });
            if (report.status == Status::refused) {
                ++row.refused;
                return;
            }
            ++row.runs;
            if (report.status == Status::wrong_on_purpose)
                ++row.wrong_on_purpose;
            else if (report.status != Status::ok && row.wrong++ == 0)
                row.first_wrong = describe(lesson, values) + ": " + report.message;
        };
        for (const Values& base : bases)
            for (const Values& launch : launches(lesson, base, sizes)) {
                if (!keep_going()) return rows;
                run(launch);
            }
        row.seconds = seconds_since(started);
        on_row(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace gridstride
