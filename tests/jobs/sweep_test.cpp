#include "jobs/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/message_of.h"
#include "jobs/sweep_case.h"

namespace gridstride::lab::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

TEST(Sweep, RunsEveryCellOnce) {
    TimedLab lab;
    Sweep sweep = lab.start(
        make_spec({elements("1000:8000:1000"), sizes("32:256:32")}, {"tree_sequential", "tree_first_add"}));
    EXPECT_FALSE(sweep.is_finished());
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    ASSERT_THAT(lab.requests, SizeIs(2 * 8 * 8 + repeat_rounds * max_repeated_cells));
    lab.requests.resize(2 * 8 * 8);
    std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>> places;
    for (const Request& request : lab.requests)
        places.insert({request.experiment.variant, request.experiment.values[key::elements],
                       request.experiment.values[key::workgroup_size]});
    EXPECT_THAT(places, SizeIs(lab.requests.size()));
    EXPECT_EQ(lab.requests[0].sampling.samples, 10u);
    const SweepCell& cell = sweep.cells()[sweep.index(1, 2, 3)];
    EXPECT_EQ(sweep.describe(cell), "tree_first_add, elements = 3000, workgroup_size = 128");
}

TEST(Sweep, GoesFromCoarseToFine) {
    TimedLab lab;
    Sweep sweep = lab.start(
        make_spec({elements("1000:9000:1000"), sizes("32:288:32")}, {"tree_sequential", "tree_first_add"}));
    lab.execute(sweep, 8);
    std::set<std::pair<std::uint64_t, std::uint64_t>> first_cells;
    for (const Request& request : lab.requests)
        first_cells.insert(
            {request.experiment.values[key::elements], request.experiment.values[key::workgroup_size]});
    EXPECT_THAT(first_cells, ElementsAre(std::pair(1000, 32), std::pair(1000, 288), std::pair(9000, 32),
                                         std::pair(9000, 288)))
        << "the sweep begins with both variants at every corner";
    lab.execute(sweep, 4 * 4);
    EXPECT_TRUE(std::any_of(lab.requests.begin(), lab.requests.end(), [](const Request& request) {
        return request.experiment.values[key::elements] == 5000 &&
               request.experiment.values[key::workgroup_size] == 160;
    })) << "the middle follows the corners";
    // The parameter that changes the input varies least often.
    std::size_t changes = 0;
    lab.execute(sweep);
    for (std::size_t i = 1; i < lab.requests.size(); ++i)
        changes += lab.requests[i].experiment.values[key::elements] !=
                           lab.requests[i - 1].experiment.values[key::elements]
                       ? 1
                       : 0;
    EXPECT_LE(changes, 4u * 9u);
}

TEST(Sweep, RefusedCombinationsAreCellsWithAReason) {
    TimedLab lab;
    Sweep sweep = lab.start(make_spec({sizes("128,512,4000")}));
    EXPECT_EQ(sweep.cells()[2].state, CellState::refused);
    EXPECT_THAT(sweep.cells()[2].reasons, ElementsAre(HasSubstr("4000")));
    EXPECT_EQ(sweep.cells()[2].report->status, Status::refused);
    EXPECT_EQ(sweep.progress().done, 1u);
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    EXPECT_EQ(lab.requests.size(), 2 + 2 * repeat_rounds);

    EXPECT_THAT(test::message_of<Refusal>([&] { lab.start(make_spec({sizes("3000,4000")})); }),
                testing::AllOf(HasSubstr("3000"), HasSubstr("4000")))
        << "a sweep without a valid cell is an error";
}

TEST(Sweep, FailedAndWrongCellsAreNeverBest) {
    TimedLab lab;
    lab.kernel_ns = [](const Request& request) {
        return static_cast<double>(request.experiment.values[key::workgroup_size]);
    };
    lab.status = [](const Request& request) {
        const std::uint64_t size = request.experiment.values[key::workgroup_size];
        return size == 32 ? Status::mismatch : size == 64 ? Status::failed : Status::ok;
    };
    Sweep sweep = lab.start(make_spec({sizes("32,64,128,256")}));
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    EXPECT_EQ(sweep.cells()[0].state, CellState::done);
    EXPECT_EQ(sweep.cells()[1].state, CellState::failed);
    EXPECT_THAT(sweep.cells()[1].reasons, ElementsAre("The device refused."));
    ASSERT_TRUE(sweep.best());
    EXPECT_EQ(sweep.best()->cell, 2u);
}

TEST(Sweep, CellsWrongOnPurposeAreMeasuredButNeverBest) {
    for (const Status status : {Status::wrong_on_purpose, Status::ok}) {
        TimedLab lab;
        const auto is_wrong = [](const Request& request) {
            return request.experiment.values.at("barriers") == Value(ChoiceIndex{1});
        };
        lab.kernel_ns = [&](const Request& request) { return is_wrong(request) ? 900.0 : 1000.0; };
        lab.status = [&](const Request& request) { return is_wrong(request) ? status : Status::ok; };
        Sweep sweep = lab.start(make_spec({ParameterText{&parameter("barriers"), "one_missing,all"}}));
        lab.execute(sweep);
        ASSERT_TRUE(sweep.is_finished());
        EXPECT_EQ(sweep.cells()[0].state, CellState::done);
        EXPECT_EQ(sweep.cells()[0].kernel.count, 10u);
        EXPECT_TRUE(sweep.cells()[0].wrong_on_purpose);
        EXPECT_EQ(sweep.cells()[0].is_correct(), status == Status::ok);
        EXPECT_FALSE(sweep.cells()[0].may_be_best()) << "a right result may be luck";
        EXPECT_TRUE(sweep.cells()[1].is_correct());
        ASSERT_TRUE(sweep.best());
        EXPECT_EQ(sweep.best()->cell, 1u);
    }
}

TEST(Sweep, OverlappingIntervalsAreTies) {
    TimedLab lab;
    lab.spread_ns = 10;
    lab.kernel_ns = [](const Request& request) {
        switch (request.experiment.values[key::workgroup_size]) {
            case 128:
                return 1000.0;
            case 256:
                return 1003.0;  // the intervals of about ± 4 overlap
            default:
                return 1100.0;
        }
    };
    Sweep sweep = lab.start(make_spec({sizes("64,128,256,512")}));
    lab.execute(sweep);
    EXPECT_EQ(sweep.best()->cell, 1u);
    EXPECT_THAT(sweep.best()->ties, ElementsAre(2u));
    EXPECT_GE(sweep.best()->confidence, 0.95);
}

TEST(Sweep, MeasuresTheBestCellsAgainInTurn) {
    TimedLab lab;
    // The machine warms up after two runs, and then every run takes longer.
    lab.kernel_ns = [&lab](const Request& request) {
        const std::map<std::uint64_t, double> warm = {
            {64, 1000}, {128, 950}, {256, 1200}, {512, 1300}, {1024, 1600}};
        return warm.at(request.experiment.values[key::workgroup_size]) * (lab.requests.size() <= 2 ? 0.9 : 1);
    };
    Sweep sweep = lab.start(make_spec({sizes("64,128,256,512,1024")}));
    lab.execute(sweep, 5);
    ASSERT_EQ(sweep.progress().done, 5U);
    EXPECT_FALSE(sweep.is_finished());
    EXPECT_FALSE(sweep.drift());
    EXPECT_EQ(sweep.best()->cell, 0U) << "64 took 900 ns on the cold machine";
    EXPECT_EQ(sweep.sweep_progress().repeats, repeat_rounds * max_repeated_cells);
    EXPECT_EQ(sweep.progress().total, 5 + repeat_rounds * max_repeated_cells);
    EXPECT_EQ(sweep.progress().seconds_left, 8) << "each run takes a second";
    lab.execute(sweep, 3);
    EXPECT_EQ(sweep.progress().done, 8U);
    EXPECT_EQ(sweep.sweep_progress().repeats_done, 3U);
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    std::vector<std::uint64_t> repeats;
    for (std::size_t i = 5; i < lab.requests.size(); ++i)
        repeats.push_back(lab.requests[i].experiment.values[key::workgroup_size]);
    EXPECT_THAT(repeats, ElementsAre(64, 128, 256, 512, 64, 128, 256, 512));
    EXPECT_EQ(sweep.best()->cell, 1U);
    EXPECT_THAT(sweep.best()->ties, ElementsAre(0U)) << "its runs range from 900 to 1000";
    EXPECT_EQ(sweep.cells()[0].runs.size(), 3U);
    EXPECT_EQ(sweep.cells()[0].kernel.median, 1000);
    EXPECT_NEAR(sweep.drift().value(), 1000 / 900.0, 1e-9);
    // The interval of a cell that ran once includes the drift.
    const Summary single_run = sweep.comparable_time(sweep.cells()[4]);
    EXPECT_NEAR(single_run.high / sweep.cells()[4].kernel.high, sweep.drift().value(), 1e-9);
    EXPECT_EQ(sweep.cells()[4].runs.size(), 1U);
}

TEST(Sweep, IgnoresAFailedRepeatOfABestCell) {
    TimedLab lab;
    Sweep sweep = lab.start(make_spec({sizes("64,128")}));
    lab.execute(sweep, 2);
    lab.status = [](const Request&) { return Status::mismatch; };
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    for (const SweepCell& cell : sweep.cells()) {
        EXPECT_EQ(cell.runs.size(), 1U);
        EXPECT_TRUE(cell.is_correct());
    }
}

TEST(Sweep, DoesNotRepeatCellsWithTooFewSamples) {
    TimedLab lab;
    SweepSpec spec = make_spec({sizes("64,128")});
    spec.sampling.samples = 1;
    Sweep sweep = lab.start(spec);
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    EXPECT_THAT(lab.requests, SizeIs(2)) << "more runs of one sample would not decide it";
}

TEST(Sweep, ComparesTimesPerElementWhenElementsVary) {
    TimedLab lab;
    lab.kernel_ns = [](const Request& request) {
        return 1000 + static_cast<double>(request.experiment.values[key::elements]);
    };
    Sweep sweep = lab.start(make_spec({elements("10,1000,100000")}));
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_per_element());
    EXPECT_EQ(sweep.best()->cell, 2u) << "the time per element decides";
}

TEST(Sweep, RepeatsAStoppedCell) {
    TimedLab lab;
    Sweep sweep = lab.start(make_spec({sizes("32,64,128,256")}));
    lab.execute(sweep, 1);
    const std::optional<Request> request = sweep.next();
    ASSERT_TRUE(request);
    Report half = lab.answer(*request);
    half.is_final = false;
    sweep.on_report(half, 1);
    Report stopped = lab.answer(*request);
    stopped.status = Status::stopped;
    sweep.on_report(stopped, 1);
    EXPECT_EQ(sweep.progress().done, 1u);
    EXPECT_EQ(sweep.next()->experiment, request->experiment);
    sweep.on_report(stopped, 1);
    lab.execute(sweep);
    EXPECT_TRUE(sweep.is_finished());
    for (const SweepCell& cell : sweep.cells())
        EXPECT_EQ(cell.state, CellState::done);
}

TEST(Sweep, TimeoutIsAFailureNotAStop) {
    TimedLab lab;
    Sweep sweep = lab.start(make_spec({sizes("32,64")}));
    Report late = lab.answer(*sweep.next());
    late.status = Status::timed_out;
    late.message = "The run did not finish before its deadline.";
    sweep.on_report(late, 1);
    EXPECT_EQ(sweep.progress().done, 1u);
}

TEST(Sweep, EstimatesTheRemainingTimeWhenCellsDiffer) {
    TimedLab lab;
    lab.seconds = [](const Request& request) {
        return static_cast<double>(request.experiment.values[key::elements]) * 1e-4;
    };
    Sweep sweep = lab.start(make_spec({elements("1024:1048576:x2"), sizes("32,64,128,256")}));
    EXPECT_FALSE(sweep.sweep_progress().seconds_left) << "no run has ended";
    double total = 0;
    for (const SweepCell& cell : sweep.cells())
        total += static_cast<double>(cell.experiment.values[key::elements]) * 1e-4;
    lab.execute(sweep, 16);
    const SweepProgress progress = sweep.sweep_progress();
    ASSERT_TRUE(progress.seconds_left);
    const double left = total - progress.seconds_spent;
    EXPECT_GT(*progress.seconds_left, left / 2);
    EXPECT_LT(*progress.seconds_left, left * 2);
    lab.execute(sweep);
    double total_with_repeats = 0;
    for (const Request& request : lab.requests)
        total_with_repeats += lab.seconds(request);
    EXPECT_NEAR(sweep.sweep_progress().seconds_spent, total_with_repeats, 1e-6);
    EXPECT_EQ(sweep.sweep_progress().seconds_left, 0);
}

TEST(Sweep, StoresReportsWithoutArrays) {
    TimedLab lab;
    SweepSpec spec = make_spec({sizes("32,64")});
    for (const bool keeps_samples : {true, false}) {
        spec.keeps_samples = keeps_samples;
        Sweep sweep = lab.start(spec);
        Report report = lab.answer(*sweep.next());
        const auto array = std::make_shared<const Array>(Array::of<double>(std::vector<double>{1, 2, 3}));
        report.outputs.push_back({"sums", array});
        report.expected.push_back({"sums", array});
        report.result.push_back({"sums", "Sums", ArrayRef(array)});
        sweep.on_report(report, 1);
        EXPECT_EQ(array.use_count(), 4) << "only this test and this report hold the array";
        EXPECT_EQ(sweep.cells()[0].report->timings.kernel.samples.empty(), !keeps_samples);
        EXPECT_EQ(sweep.cells()[0].kernel.count, 10u);
    }
}

}  // namespace
}  // namespace gridstride::lab::tests
