#include "lab/check.h"

#include <fmt/format.h>

#include <chrono>

#include "base/elapsed.h"

namespace gridstride::lab {

namespace {

const std::vector<std::uint64_t> quick_elements = {1, 2, 31, 32, 33, 1000, 100003};
const std::vector<std::uint64_t> full_elements = {1, 2, 31, 32, 33, 1000, 100003, 4000000};
const std::vector<std::uint64_t> workgroup_sizes = {1, 7, 32, 64, 96, 256, 1024};
const std::vector<std::uint64_t> workgroup_counts = {1, 3, 0};  // 0: auto

/// The lesson's own choices, every combination of them; counts and reals stay at their defaults. A choice
/// that makes the answer wrong on purpose is left at its default.
std::vector<Values> combinations(const Lesson& lesson) {
    std::vector<Values> all{Values(lesson.parameters)};
    for (const Parameter& parameter : lesson.parameters) {
        if (parameter.choices.empty() || parameter.may_be_wrong) continue;
        std::vector<Values> more;
        for (const Values& values : all) {
            for (std::uint32_t i = 0; i < parameter.choices.size(); ++i) {
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

std::vector<CheckRow> check_lesson(Client& client, const Lesson& lesson, CheckScope scope,
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
            Request request;
            request.id = next_id++;
            request.lesson = lesson.id;
            request.variant = variant.id;
            request.values = values;
            request.sampling.measure = false;
            const Report report = run_to_end(client, std::move(request), [&] { return !keep_going(); });
            if (report.status == Status::refused) {
                ++row.refused;
                return;
            }
            ++row.runs;
            if (report.status != Status::ok) {
                if (row.wrong++ == 0) row.first_wrong = describe(lesson, values) + ": " + report.message;
            }
        };
        for (const std::uint64_t size : workgroup_sizes)
            for (const Values& base : bases)
                for (const std::uint64_t elements : sizes)
                    for (const std::uint64_t count : workgroup_counts) {
                        if (!keep_going()) return rows;
                        Values values = base;
                        values.set(key::elements.id, elements);
                        values.set(key::workgroup_size.id, size);
                        values.set(key::workgroup_count.id, count);
                        run(values);
                    }
        row.seconds = seconds_since(started);
        on_row(row);
        rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace gridstride::lab
