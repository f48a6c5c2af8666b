#include "present/compare.h"

#include "lesson/lesson.h"
#include "present/report_csv.h"
#include "test_includes.h"

namespace gridstride::lab::compare_test {

Report make_report(std::vector<double> kernel_ns, std::uint64_t size = 128, std::uint64_t grid = 8) {
    Report report;
    report.run_id = "run";
    report.experiment.lesson = "reduction";
    report.experiment.variant = "tree_sequential";
    report.experiment.values = Values(find_lesson("reduction")->parameters);
    report.experiment.values.set(key::workgroup_size.id, size);
    report.status = Status::ok;
    report.device.device_name = "A device, with a comma";
    report.device.driver_version = "1.2";
    report.launch = {.workgroup = {size}, .grid = {grid}, .dispatches = 1};
    report.timings.kernel.samples = std::move(kernel_ns);
    return report;
}

TimesFile write_and_parse(const std::vector<Report>& reports, const std::string& column = "kernel_ns") {
    std::string text = csv_header();
    for (const Report& report : reports)
        text += csv_rows(report);
    return parse_times(text, "a.csv", column);
}

const std::vector<double> about_1000 = {1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1008, 1009};
std::vector<double> times_factor(double factor) {
    std::vector<double> samples = about_1000;
    for (double& sample : samples)
        sample *= factor;
    return samples;
}

TEST(ReadTimes, GroupsRowsOfTheSameMeasurement) {
    const TimesFile file = write_and_parse({make_report({1, 2}), make_report({5}, 256), make_report({3, 4})});
    ASSERT_THAT(file.groups, SizeIs(2));
    EXPECT_THAT(file.groups[0].runs, ElementsAre(ElementsAre(1, 2, 3, 4)));
    EXPECT_EQ(file.groups[0].what.workgroup_size, 128u);
    EXPECT_EQ(file.groups[0].what.parameters, "seed=1;element_type=u32;finish=gpu;barriers=all");
    EXPECT_EQ(file.rows, 5u);
    ASSERT_THAT(file.devices, SizeIs(1));
    EXPECT_EQ(file.devices[0].name, "A device, with a comma");
}

TEST(ReadTimes, SkipsRowsThatAreNotOk) {
    Report wrong = make_report({1, 2});
    wrong.status = Status::mismatch;
    Report refused = make_report({});
    refused.status = Status::refused;
    Report on_purpose = make_report({3, 4, 5});
    on_purpose.status = Status::wrong_on_purpose;
    Report stopped = make_report({6});
    stopped.status = Status::stopped;
    const TimesFile file = write_and_parse({wrong, refused, on_purpose, stopped, make_report({7})});
    EXPECT_EQ(file.rows_not_ok, 7u);
    EXPECT_EQ(file.rows, 1u);
    EXPECT_EQ(write_and_parse({make_report({7})}, "cpu_ns").rows_without_time, 1u);
}

std::string parse_error(const std::string& text, const std::string& column = "kernel_ns") {
    return message_of<FileError>([&] { parse_times(text, "b.csv", column); });
}

TEST(ReadTimes, ReadsConcatenatedFiles) {
    const std::string one = csv_header() + csv_rows(make_report({1, 2, 3}));
    const TimesFile concatenated = parse_times(one + one, "both.csv", "kernel_ns");
    EXPECT_EQ(concatenated.rows, 6u);
    EXPECT_EQ(concatenated.groups.size(), 1u);
}

TEST(ReadTimes, RemovesTheQuotingOfFormulas) {
    Report report = make_report({1});
    report.device.device_name = "=cmd";
    report.device.driver_version = "@1";
    const TimesFile file = write_and_parse({report});
    EXPECT_EQ(file.devices.at(0).name, "=cmd");
    EXPECT_EQ(file.devices.at(0).driver, "@1");
}

TEST(ReadTimes, ReplacesInvalidAndControlBytes) {
    Report report = make_report({1});
    report.device.device_name = "a\xFF\x1B[31m";
    const TimesFile file = parse_times(csv_header() + csv_rows(report), "b\xFF.csv", "kernel_ns");
    EXPECT_EQ(file.devices.at(0).name, "a??[31m") << "JSON and terminals accept only valid text";
    EXPECT_EQ(file.name, "b?.csv");
}

TEST(ReadTimes, RefusesOtherFiles) {
    EXPECT_THAT(parse_error(""), HasSubstr("b.csv"));
    EXPECT_THAT(parse_error("time,value\r\n1,2\r\n"), HasSubstr("no column schema_version"));
    std::string text = csv_header();
    const std::size_t at = text.find("kernel_ns");
    EXPECT_THAT(parse_error(text.replace(at, 9, "kernel_us")), HasSubstr("no column kernel_ns"));
    text = csv_header() + csv_rows(make_report({1, 2}));
    EXPECT_THAT(parse_error(text + "1,2,3\r\n"), HasSubstr("line 4: 3 fields where the heading has 23"));
    std::string comma = text;
    comma.replace(comma.find("2.000"), 5, "2;000");
    EXPECT_THAT(parse_error(comma), HasSubstrs("line 3", "2;000", "kernel_ns"));
    std::string newer = text;
    newer.replace(newer.find("\r\n1,") + 2, 1, "2");
    EXPECT_THAT(parse_error(newer), HasSubstrs("line 2", "schema_version"));
    EXPECT_THAT(parse_error(text + "\"open"), HasSubstrs("b.csv", "line 4"));
    EXPECT_THROW(parse_times(text, "b.csv", "elements"), Refusal);
    EXPECT_THROW(read_times("/nonexistent.csv", "kernel_ns"), FileError);
}

TEST(Compare, DistinguishesFasterSlowerAndNoDifference) {
    const TimesFile a = write_and_parse(
        {make_report(about_1000, 64), make_report(about_1000, 128), make_report(about_1000, 256)});
    const TimesFile b =
        write_and_parse({make_report(times_factor(0.5), 64), make_report(times_factor(1.002), 128),
                         make_report(times_factor(2), 256)});
    const FileComparison comparison = compare(a, b);
    ASSERT_THAT(comparison.groups, SizeIs(3));
    EXPECT_EQ(comparison.groups[0].difference, Difference::faster);
    EXPECT_EQ(comparison.groups[1].difference, Difference::none);
    EXPECT_EQ(comparison.groups[2].difference, Difference::slower);
    const Ratio& slower = comparison.groups[2].b_over_a;
    EXPECT_NEAR(slower.value, 2, 1e-9);
    EXPECT_LT(slower.low, 2);
    EXPECT_GT(slower.low, 1.98);
    EXPECT_GT(slower.high, 2);
    const Ratio& same = comparison.groups[1].b_over_a;
    EXPECT_TRUE(same.low <= 1 && 1 <= same.high) << "the ratio's interval agrees with the verdict";
}

TEST(Compare, RepeatedRunsGiveTheDriftOfTheMachine) {
    const auto run = [](const char* id, double factor, std::uint64_t size) {
        Report report = make_report(times_factor(factor), size);
        report.run_id = id;
        return report;
    };
    // The two runs of 64 differ by a tenth, so 128 at 1.05 may be equal, but 256 at 1.5 is not.
    const TimesFile a =
        write_and_parse({run("1", 1, 64), run("2", 1, 128), run("3", 1, 256), run("4", 1.1, 64)});
    const TimesFile b = write_and_parse({run("5", 1.05, 64), run("6", 1.05, 128), run("7", 1.5, 256)});
    EXPECT_THAT(a.groups[0].runs, SizeIs(2));
    const FileComparison comparison = compare(a, b);
    EXPECT_NEAR(comparison.drift.value(), 1.1, 1e-9);
    EXPECT_EQ(comparison.groups[0].difference, Difference::none) << "1.05 lies between the two runs of 64";
    EXPECT_EQ(comparison.groups[1].difference, Difference::none);
    EXPECT_EQ(comparison.groups[2].difference, Difference::slower);
    EXPECT_THAT(comparison_summary_text(comparison), HasSubstr("10\u00a0%"));
    const FileComparison single_run_comparison = compare(write_and_parse({run("2", 1, 128)}), b);
    EXPECT_FALSE(single_run_comparison.drift);
    EXPECT_NE(comparison_summary_text(single_run_comparison), comparison_summary_text(comparison))
        << "the summary says what to do";
}

TEST(Compare, RunsOfOneSampleFormOneSeries) {
    std::vector<Report> runs;
    for (const double sample : about_1000) {
        runs.push_back(make_report({sample}));
        runs.back().run_id = std::to_string(sample);
    }
    const FileComparison comparison =
        compare(write_and_parse(runs), write_and_parse({make_report(times_factor(2))}));
    EXPECT_EQ(comparison.groups.at(0).difference, Difference::slower);
}

TEST(Compare, OneSampleDecidesNothing) {
    const FileComparison comparison =
        compare(write_and_parse({make_report({1000})}), write_and_parse({make_report({2000})}));
    EXPECT_EQ(comparison.groups.at(0).difference, Difference::unknown);
    EXPECT_NEAR(comparison.groups.at(0).b_over_a.value, 2, 1e-9);
}

Report make_report_with_input(const std::string& name, const std::string& checksum,
                              std::vector<double> kernel_ns) {
    Report report = make_report(std::move(kernel_ns));
    report.experiment.input.name = name;
    report.experiment.input.checksum = checksum;
    return report;
}

TEST(Compare, UserInputsAreIdentifiedByTheirNumbers) {
    const TimesFile a = write_and_parse({make_report({1, 2}), make_report_with_input("x.csv", "01", {3}),
                                         make_report_with_input("x.npy", "01", {4}),
                                         make_report_with_input("x.csv", "02", {5})});
    ASSERT_THAT(a.groups, SizeIs(3)) << "the lesson's input and two others";
    EXPECT_THAT(a.groups[1].runs, ElementsAre(ElementsAre(3, 4))) << "the same numbers from two files";
    EXPECT_THAT(a.groups[1].what.parameters, HasSubstr("input=x.csv;input_crc32=01"));
    const TimesFile b = write_and_parse(
        {make_report_with_input("other name.csv", "01", {6}), make_report_with_input("x.csv", "03", {7})});
    const FileComparison comparison = compare(a, b);
    ASSERT_THAT(comparison.groups, SizeIs(1));
    EXPECT_EQ(comparison.groups[0].a.count, 2u);
    EXPECT_THAT(comparison.only_a, SizeIs(2));
    EXPECT_THAT(comparison.only_b, SizeIs(1));
}

TEST(Compare, ListsGroupsThatOnlyOneFileHas) {
    const FileComparison comparison =
        compare(write_and_parse({make_report({1}, 64), make_report({1}, 128)}),
                write_and_parse({make_report({1}, 128), make_report({1}, 512)}));
    EXPECT_THAT(comparison.groups, SizeIs(1));
    ASSERT_THAT(comparison.only_a, SizeIs(1));
    ASSERT_THAT(comparison.only_b, SizeIs(1));
    EXPECT_EQ(comparison.only_a[0].workgroup_size, 64u);
    EXPECT_EQ(comparison.only_b[0].workgroup_size, 512u);
}

TEST(Compare, ExplainsWhyNoGroupIsCommon) {
    Report wrong = make_report({1, 2});
    wrong.status = Status::mismatch;
    const std::string sentence =
        explain_no_common_groups(write_and_parse({make_report({7})}), write_and_parse({wrong}));
    EXPECT_THAT(sentence, HasSubstrs("1 and 0 groups", "2 rows were skipped"));
    EXPECT_THAT(explain_no_common_groups(write_and_parse({}), write_and_parse({})),
                Not(HasSubstr("skipped")));
}

TEST(Compare, AnAutomaticGridMayDifferBetweenDevices) {
    const FileComparison one =
        compare(write_and_parse({make_report({1}, 128, 8)}), write_and_parse({make_report({1}, 128, 264)}));
    ASSERT_THAT(one.groups, SizeIs(1));
    EXPECT_EQ(one.groups[0].what.workgroup_count, 8u);
    EXPECT_EQ(one.groups[0].workgroup_count_b, 264u);
    // If a file has several grids, only equal grids are compared.
    const FileComparison varied =
        compare(write_and_parse({make_report({1}, 128, 8), make_report({1}, 128, 16)}),
                write_and_parse({make_report({1}, 128, 264)}));
    EXPECT_THAT(varied.groups, SizeIs(0));
}

TEST(Compare, RunsOfTheSameWorkMayDifferInVariantAndLaunch) {
    const Experiment other = make_report({1}).experiment;
    Experiment current = other;
    current.variant = "grid_stride";
    current.values.set(key::workgroup_size.id, std::uint64_t{512});
    current.values.set(key::workgroup_count.id, std::uint64_t{3});
    current.kernel = KernelSource{"void main() {}", "mine.comp", ""};
    EXPECT_FALSE(find_work_mismatch(current, other));
}

TEST(Compare, NamesTheDifferenceOfRunsOfOtherWork) {
    const Experiment other = make_report({1}).experiment;
    const auto find_mismatch = [&](const char* id, std::uint64_t value) {
        Experiment current = other;
        current.values.set(id, value);
        return find_work_mismatch(current, other);
    };
    const auto elements = find_mismatch("elements", 4096);
    ASSERT_TRUE(elements);
    EXPECT_EQ(elements->label, "other elements");
    EXPECT_THAT(elements->sentence, HasSubstrs("Elements", "4\u2009096 here"));
    ASSERT_TRUE(find_mismatch("seed", 77));
    EXPECT_EQ(find_mismatch("seed", 77)->label, "other seed");

    Experiment current = other;
    current.lesson = "histogram";
    ASSERT_TRUE(find_work_mismatch(current, other));
    EXPECT_EQ(find_work_mismatch(current, other)->label, "another lesson");
}

TEST(Compare, InputsWithEqualNumbersAndOtherNamesAreEqual) {
    Experiment other = make_report({1}).experiment;
    other.input.checksum = "0123abcd";
    other.input.name = "a.csv";
    Experiment current = other;
    current.input.name = "b.csv";
    EXPECT_FALSE(find_work_mismatch(current, other));
    current.input.checksum = "ffff0000";
    ASSERT_TRUE(find_work_mismatch(current, other));
    EXPECT_EQ(find_work_mismatch(current, other)->label, "another input");
}

}  // namespace gridstride::lab::compare_test
