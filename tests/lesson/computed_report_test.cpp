// Before the first run, the pictures show a correct result, for every lesson and variant.
#include "lesson/compute_report.h"

#include "figures/figures.h"
#include "lesson/metrics.h"
#include "test_includes.h"

namespace gridstride::computed_report_test {

Limits able_device() {
    Limits limits;
    limits.subgroup_arithmetic = limits.subgroup_ballot = limits.subgroup_shuffle = true;
    return limits;
}

TEST(ComputedReport, HasTheReferenceInTheTypesOfTheOutputs) {
    GRIDSTRIDE_ONCE();
    for (const Lesson* lesson : all_lessons())
        for (const Variant& variant : lesson->variants) {
            Experiment experiment = default_experiment(*lesson);
            experiment.variant = variant.id;
            const PreparedExperiment prepared = prepare(*lesson, experiment, able_device());
            if (!prepared.is_valid()) continue;
            const Report report = compute_report(prepared);
            EXPECT_TRUE(report.computed);
            EXPECT_TRUE(report.uploaded_bytes == 0 || !report.input.empty()) << lesson->id;
            // The result of a reference kernel needs a device.
            EXPECT_TRUE(!report.outputs.empty() || !lesson->references.empty())
                << lesson->id << " " << variant.id;
            EXPECT_TRUE(report.timings.kernel.samples.empty());
            EXPECT_TRUE(report.timeline.empty());
            for (const NamedArray& output : report.outputs) {
                const auto buffer = std::ranges::find(prepared.plan.buffers, output.name, &BufferSpec::name);
                if (buffer == prepared.plan.buffers.end()) continue;  // a host step writes this output
                EXPECT_EQ(output.array->type(), buffer->type) << lesson->id << " " << output.name;
            }
            EXPECT_NO_THROW(make_plots({prepared, &report, {}})) << lesson->id << " " << variant.id;
        }
}

TEST(ComputedReport, HasNoFactsWithoutOutputs) {
    const Lesson& lesson = *find_lesson("matmul");
    Experiment experiment = default_experiment(lesson);
    for (const char* const side : {"m", "n", "k"})  // large enough that the judge checks the product by rows
        experiment.values.set(side, std::uint64_t{700});
    const Report report = compute_report(prepare(lesson, experiment, able_device()));
    EXPECT_TRUE(report.outputs.empty());
    EXPECT_TRUE(report.result.empty());
}

TEST(ComputedReport, IsNotNeededForDrawings) {
    Experiment experiment = default_experiment(*find_lesson("scan"));
    experiment.values.set("elements", std::uint64_t{1} << 26);
    std::vector<std::string> ids;
    for (const Plot& plot :
         make_plots({prepare(*find_lesson("scan"), experiment, able_device()), nullptr, {}}))
        ids.push_back(plot.id);
    EXPECT_THAT(ids, testing::Contains("statuses"));
    EXPECT_THAT(ids, testing::Not(testing::Contains("numbers"))) << "it would need the whole input";
}

TEST(ComputedReport, MemoryPictureShowsScoresOnlyWhereTheyAreStored) {
    const Lesson& lesson = *find_lesson("attention");
    const auto bytes_of_boxes = [&](const char* variant, std::uint64_t words) {
        Experiment experiment = default_experiment(lesson);
        experiment.variant = variant;
        experiment.values.set("queries", words);
        experiment.values.set("keys", words);
        const auto plots = make_plots({prepare(lesson, experiment, able_device()), nullptr, {}});
        const auto plot = std::ranges::find(plots, "memory", &Plot::id);
        EXPECT_NE(plot, plots.end());
        double bytes = 0;
        if (plot != plots.end())
            for (const auto& box : std::get<Figure>(plot->content).boxes)
                bytes += box.y_to - box.y_from;
        return bytes;
    };
    constexpr double row_bytes = 64 * 4;
    for (const double words : {100, 200}) {
        const auto count = static_cast<std::uint64_t>(words);
        EXPECT_EQ(bytes_of_boxes("tiled", count), 4 * words * row_bytes);
        EXPECT_EQ(bytes_of_boxes("written_out", count), 4 * words * row_bytes + 4 * words * words);
    }
}

TEST(ComputedReport, PlotsUseTheAxisScaleOfTheLesson) {
    const Lesson& lesson = *find_lesson("roofline");
    const PreparedExperiment prepared = prepare(lesson, default_experiment(lesson), able_device());
    const Report report = compute_report(prepared);
    const auto plots = make_plots({prepared, &report, {}});
    const auto y_of = [&](const char* id) {
        const auto plot = std::ranges::find(plots, id, &Plot::id);
        EXPECT_NE(plot, plots.end()) << id;
        return plot == plots.end() ? Axis() : std::get<Figure>(plot->content).y;
    };
    for (const char* const id : {"by_tile", "both_by_tile"}) {
        EXPECT_EQ(y_of(id).scale, AxisScale::logarithmic) << id;
        EXPECT_EQ(y_of(id).label, "operations per byte");
    }
    EXPECT_EQ(y_of("results").scale, AxisScale::linear);
    EXPECT_EQ(y_of("results").label, "number") << "of two arrays";
}

TEST(ComputedReport, HasTheTotalOfTheReduction) {
    const Lesson& lesson = *find_lesson("reduction");
    Experiment experiment = default_experiment(lesson);
    experiment.values.set("elements", std::uint64_t{1000});
    const Report report = compute_report(prepare(lesson, experiment, able_device()));
    const Array& numbers = get(report.input, "numbers");
    double sum = 0;
    for (std::size_t i = 0; i < numbers.count(); ++i)
        sum += numbers.number(i);
    EXPECT_EQ(get(report.outputs, "total").number(0), sum);
    EXPECT_EQ(metric(report, "total"), sum);
    EXPECT_EQ(metric(report, "kernel_ns"), std::nullopt);
}

}  // namespace gridstride::computed_report_test
