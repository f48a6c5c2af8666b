// Tests the metrics of a trace of a simulated tree, against counts computed by hand: 8 workgroups of 128,
// subgroups of 32. Line 28 of its kernel loads and stores, line 30 waits, 38 adds, 39 waits, and 43 and 47
// end it.
#include "lesson/trace_metrics.h"

#include "lesson/metrics.h"
#include "test_includes.h"
#include "ui/trace_case.h"

namespace gridstride::trace_metrics_test {

using ui::TraceCase;

constexpr double unbounded = std::numeric_limits<double>::infinity();

Report traced_report(const trace::Trace& trace) {
    Report report;
    report.status = Status::ok;
    const std::vector<trace::Record> records = trace::decode_records(trace);
    report.trace_metrics = compute_trace_metrics(trace, records, trace::compute_findings(trace, records));
    return report;
}
Report traced_report(TraceCase how) {
    return traced_report(how.make());
}
trace::Trace half_of_the_launch(TraceCase how) {
    trace::Trace trace = how.make();
    trace.grid = {16};
    return trace;
}

void expect(const Report& report, const std::string& name, double value) {
    const auto found = estimate(report, name);
    ASSERT_TRUE(found) << name;
    EXPECT_DOUBLE_EQ(found->value, value) << name;
    EXPECT_EQ(found->low, found->value) << name;
    EXPECT_EQ(found->high, found->value) << name;
}
void expect_at_least(const Report& report, const std::string& name, double value) {
    const auto found = estimate(report, name);
    ASSERT_TRUE(found) << name;
    EXPECT_EQ(found->value, value) << name;
    EXPECT_EQ(found->low, value) << name;
    EXPECT_EQ(found->high, unbounded) << name;
}
std::string sentence(const Report& report, const std::string& name) {
    const auto found = find_trace_metric(report, name);
    return found ? found->sentence : "not there";
}

TEST(TraceMetrics, MatchHandCountsOfACorrectTree) {
    const Report report = traced_report(TraceCase{});
    expect(report, "each_once", 1);  // 1 024 numbers are read once, 8 partial sums written once
    expect(report, "out_of_bounds", 0);
    expect(report, "races", 0);
    expect(report, "atomics", 0);
    expect(report, "loaded_per_stored", 1024 / 8.0);
    expect(report, "accessed_bytes", 4 * 1024 + 4 * 8);
    expect(report, "barriers", 8);  // one after the load, and one for each of 7 levels
    expect(report, "bank_turns", 1);
    // 32 requests for 128 consecutive bytes need 4 sectors each, and 8 requests for one number need one.
    expect(report, "sectors_per_request", (32 * 4 + 8 * 1) / 40.0);
    expect(report, "sectors_over_needed", 1);
    // A workgroup makes 8 requests of 32 lanes; then 64, 32 … 1 lanes in 2, 1, 1, 1, 1, 1, 1 requests, three
    // times; and two requests of one lane.
    expect(report, "active_share", (8 * 32 + 3 * 127 + 2) / (34 * 32.0));
}

TEST(TraceMetrics, CanBeRestrictedToALine) {
    const Report report = traced_report(TraceCase{});
    expect(report, "sectors_per_request(28)", 4);
    expect(report, "sectors_per_request(47)", 1);
    expect(report, "active_share(28)", 1);
    expect(report, "active_share(38)", 127 / (8 * 32.0));
    expect(report, "bank_turns(38)", 1);
    expect(report, "barriers(30)", 1);
    expect(report, "barriers(39)", 7);
    expect(report, "races(38)", 0);
    expect(report, "accessed_bytes(28)", 4 * 1024);
    expect(report, "accessed_bytes(47)", 4 * 8);
    for (const char* name :
         {"sectors_per_request(38)", "barriers(28)", "atomics(28)", "races(30)", "active_share(39)",
          "bank_turns(47)", "accessed_bytes(38)", "sectors_per_request(1)", "races(28, 99)"})
        EXPECT_FALSE(estimate(report, name)) << name;
}

TEST(TraceMetrics, CompareSectorsWithTheMinimum) {
    trace::Trace trace = TraceCase{}.make();
    // One of every four bytes is used: the 32 bytes would fit in one sector, but lie in four.
    trace.sites[TraceCase::load_numbers].bytes = 1;
    const Report report = traced_report(trace);
    expect(report, "sectors_over_needed(28)", 4);
    expect(report, "sectors_over_needed(47)", 1);
    // 32 requests need one sector each but fetch four, and 8 requests need one and fetch one.
    expect(report, "sectors_over_needed", (32 * 4 + 8 * 1) / 40.0);
    expect(report, "sectors_per_request", (32 * 4 + 8 * 1) / 40.0);

    // Each lane loads 16 bytes, 16 bytes apart: 32 lanes need 16 sectors and fetch 16.
    trace.sites[TraceCase::load_numbers].bytes = 16;
    std::vector<std::uint32_t> words(trace.words->as<std::uint32_t>().begin(),
                                     trace.words->as<std::uint32_t>().end());
    constexpr std::size_t site = 0, offset = 7;
    for (std::size_t at = trace::words::head; at < words.size(); at += trace::words::length)
        if (words[at + site] == TraceCase::load_numbers) words[at + offset] *= 4;
    trace.words = share(std::span<const std::uint32_t>(words));
    const Report wide_report = traced_report(trace);
    expect(wide_report, "sectors_per_request(28)", 16);
    expect(wide_report, "sectors_over_needed(28)", 1);
}

TEST(TraceMetrics, CanBeRestrictedToALineOfAnInclude) {
    trace::Trace trace = TraceCase{.first_barrier = false}.make();
    trace.sites[TraceCase::load_numbers].file = trace.sites[TraceCase::store_sums].file =
        "/shaders/common/items.glsl";
    const Report report = traced_report(trace);
    expect(report, "sectors_per_request(items.glsl:28)", 4);
    expect(report, "races(38, items.glsl:28)", 512);
    expect(report, "races(items.glsl:28)", 512);
    EXPECT_FALSE(find_trace_metric(report, "races(28)"));
    EXPECT_THAT(sentence(report, "races"), HasSubstr("Line items.glsl:28 writes"));
}

TEST(TraceMetrics, RacesCountForBothTheirLines) {
    const Report report = traced_report(TraceCase{.first_barrier = false});
    for (const char* name : {"races", "races(28)", "races(38)", "races(28, 38)"})
        expect(report, name, 512);  // the upper half of 8 * 128 values
    for (const char* name : {"races(43)", "races(28, 43)", "races(28, 28)"})
        expect(report, name, 0);
    expect(report, "barriers", 7);
    EXPECT_THAT(sentence(report, "races"), HasSubstr("line 38"));
    EXPECT_THAT(sentence(report, "races(28, 38)"), Mentions("between"));
    EXPECT_EQ(metric_name_with_lines("races", {{"", 38}, {"", 28}}), "races(28, 38)");
    EXPECT_THAT(find_counted_lines(report, "races"),
                ElementsAre(trace::SourceLine{"", 28}, trace::SourceLine{"", 38}));
    EXPECT_THAT(find_counted_lines(report, "out_of_bounds"), IsEmpty());
    EXPECT_THAT(find_counted_lines(report, "sectors_per_request"), IsEmpty());
    EXPECT_THAT(parse_metric_lines("races(28, scan.glsl:12)"),
                ElementsAre(trace::SourceLine{"", 28}, trace::SourceLine{"scan.glsl", 12}));
}

TEST(TraceMetrics, AreLowerBoundsOrUnknownIfRecordsAreMissing) {
    const Report right = traced_report(half_of_the_launch({}));
    for (const char* name : {"races", "races(28, 38)", "out_of_bounds", "each_once"}) {
        EXPECT_FALSE(estimate(right, name)) << name;
        EXPECT_THAT(sentence(right, name), HasSubstr("only workgroups 0 to 7 of 16")) << name;
    }
    expect(right, "atomics", 0);  // the kernel has none
    expect(right, "sectors_per_request(28)", 4);

    const Report wrong = traced_report(half_of_the_launch({.first_barrier = false}));
    expect_at_least(wrong, "races", 512);
    expect_at_least(wrong, "races(28, 38)", 512);
    EXPECT_FALSE(estimate(wrong, "races(28, 43)"));

    trace::Trace cut = TraceCase{}.make();
    cut.lost = 7;
    const Report lost = traced_report(cut);
    for (const char* name : {"active_share", "sectors_per_request", "bank_turns", "barriers", "races"})
        EXPECT_FALSE(estimate(lost, name)) << name;
    EXPECT_THAT(sentence(lost, "barriers"), Mentions(7, "records"));
}

TEST(TraceMetrics, ReportOutOfBoundsAndMissingAccesses) {
    trace::Trace trace = half_of_the_launch({.groups = 9});
    trace.buffers[0].elements = 1024;  // the last workgroup accesses elements outside it
    const Report outside = traced_report(trace);
    expect_at_least(outside, "out_of_bounds", 128);
    expect(outside, "each_once", 0);
    EXPECT_THAT(sentence(outside, "out_of_bounds"), HasSubstr("numbers[1024]"));
    expect_at_least(outside, "out_of_bounds(28)", 128);
    EXPECT_THAT(find_counted_lines(outside, "out_of_bounds"), ElementsAre(trace::SourceLine{"", 28}));

    trace = TraceCase{}.make();
    trace.buffers[0].elements = 2000;
    const Report gap = traced_report(trace);
    expect(gap, "each_once", 0);
    EXPECT_THAT(sentence(gap, "each_once"), HasSubstr("976 never"));
}

TEST(TraceMetrics, AreUnknownWithoutATrace) {
    Report report;
    EXPECT_FALSE(estimate(report, "races"));
    EXPECT_FALSE(find_trace_metric(report, "races"));
    report.trace_metrics = make_empty_trace_metrics("It cannot be traced.");
    EXPECT_FALSE(estimate(report, "races"));
    EXPECT_EQ(sentence(report, "races"), "It cannot be traced.");
    report.drop_arrays();
    EXPECT_FALSE(report.trace_metrics.empty()) << "tables keep these few numbers";
    trace::Trace unmodelled = TraceCase{}.make();
    unmodelled.banks = 0;
    unmodelled.banks_note = "No banks are known.";
    report = traced_report(unmodelled);
    EXPECT_FALSE(estimate(report, "bank_turns"));
    EXPECT_EQ(sentence(report, "bank_turns"), "No banks are known.");
}

TEST(TraceMetrics, AreParsedFromNameAndLines) {
    for (const std::string_view name : trace_metric_names)
        EXPECT_TRUE(is_trace_metric(name));
    EXPECT_TRUE(is_trace_metric("races(3, 4)"));
    EXPECT_FALSE(is_trace_metric("kernel_ns"));
    EXPECT_EQ(max_line_count("races"), 2U);
    EXPECT_EQ(max_line_count("barriers"), 1U);
    EXPECT_EQ(max_line_count("each_once"), 0U);
    EXPECT_EQ(max_line_count("kernel_ns"), 0U);
    EXPECT_THAT(parse_metric_lines("races"), IsEmpty());
}

}  // namespace gridstride::trace_metrics_test
