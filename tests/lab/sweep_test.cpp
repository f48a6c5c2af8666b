#include "lab/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <nlohmann/json.hpp>
#include <set>

#include "../base/message_of.h"
#include "base/error.h"
#include "lab/advice.h"
#include "lab/client.h"
#include "lab/sweep_json.h"
#include "lab/sweep_values.h"

namespace gridstride::lab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

const Lesson& reduction() {
    return *find_lesson("reduction");
}
const Parameter& parameter(std::string_view id) {
    return *find(reduction().parameters, id);
}
std::vector<std::uint64_t> counts(const std::vector<Value>& values) {
    std::vector<std::uint64_t> all;
    for (const Value& value : values)
        all.push_back(std::get<std::uint64_t>(value));
    return all;
}
std::vector<double> reals(std::string_view text) {
    const Lesson& gaussian = *find_lesson("gaussian");
    std::vector<double> all;
    for (const Value& value : parse_values(*find(gaussian.parameters, "mean"), text))
        all.push_back(std::get<double>(value));
    return all;
}
std::string complaint(std::string_view id, std::string_view text) {
    return test::message_of<Refusal>([&] { parse_values(parameter(id), text); });
}

SweepSpec spec_of(std::vector<WrittenValues> written,
                  std::vector<std::string> variants = {"tree_sequential"}) {
    SweepSpec spec = sweep_of(reduction(), std::move(variants), written, Limits());
    spec.sampling.samples = 10;
    return spec;
}
WrittenValues sizes(const char* text) {
    return {&parameter("workgroup_size"), text};
}
WrittenValues elements(const char* text) {
    return {&parameter("elements"), text};
}

/// A lab in which a run takes as many seconds of a made clock as seconds() says, and whose kernel takes
/// kernel_ns(request), give or take a nanosecond.
class FakeLab final : public Client {
 public:
    std::function<double(const Request&)> seconds = [](const Request&) { return 1.0; };
    std::function<double(const Request&)> kernel_ns = [](const Request&) { return 1000.0; };
    std::function<Status(const Request&)> status = [](const Request&) { return Status::ok; };
    double clock = 100;
    double spread = 1;
    std::vector<Request> asked;
    Limits device;

    Report answer(const Request& request) {
        Report report;
        report.request = request.id;
        report.lesson = request.lesson;
        report.variant = request.variant;
        report.values = request.values;
        report.device = device;
        report.status = status(request);
        if (report.status == Status::failed) report.message = "The device refused.";
        report.launch.workgroup_size = request.values[key::workgroup_size];
        report.launch.workgroup_count =
            request.values[key::elements] / request.values[key::workgroup_size] + 1;
        const std::uint32_t samples = request.sampling.samples;
        for (std::uint32_t i = 0; i < samples && report.status != Status::failed; ++i)
            report.timings.kernel.samples.push_back(
                kernel_ns(request) +
                spread * (static_cast<double>(i) / (samples > 1 ? samples - 1 : 1) - 0.5));
        return report;
    }

    void submit(Request request) override {
        clock += seconds(request);
        reports_.push_back(answer(request));
        asked.push_back(std::move(request));
    }
    std::optional<Report> poll() override {
        if (reports_.empty()) return std::nullopt;
        Report report = std::move(reports_.front());
        reports_.pop_front();
        return report;
    }
    std::optional<Report> wait(std::chrono::milliseconds) override { return poll(); }
    void cancel() override { reports_.clear(); }
    bool busy() const override { return !reports_.empty(); }
    const Limits& limits() override { return device; }
    const Limits* limits_if_ready() override { return &device; }

    Sweep start(SweepSpec spec) {
        return Sweep(std::move(spec), device, [this] { return clock; });
    }
    /// Carries out so many runs, or all.
    void drive(Sweep& sweep, std::size_t runs = most_sweep_cells) {
        for (; runs > 0; --runs) {
            std::optional<Request> request = sweep.next_request(++id_);
            if (!request) return;
            submit(std::move(*request));
            EXPECT_TRUE(sweep.take(*poll()));
        }
    }

 private:
    std::deque<Report> reports_;
    std::uint64_t id_ = 0;
};

TEST(SweepValues, AreListsAndRanges) {
    EXPECT_THAT(counts(parse_values(parameter("workgroup_size"), "32,64,96")), ElementsAre(32, 64, 96));
    for (const char* text : {"1000:1000000:×10", "1000:1000000:x10", "1000:1000000:*10"})
        EXPECT_THAT(counts(parse_values(parameter("elements"), text)),
                    ElementsAre(1000, 10000, 100000, 1000000));
    EXPECT_THAT(counts(parse_values(parameter("elements"), "0:100:25")), ElementsAre(0, 25, 50, 75, 100));
    EXPECT_THAT(counts(parse_values(parameter("elements"), "1:100:40")), ElementsAre(1, 41, 81))
        << "not beyond the end";
    EXPECT_THAT(counts(parse_values(parameter("elements"), "7,1:4:x2,4")), ElementsAre(7, 1, 2, 4))
        << "equal ones once";
    EXPECT_THAT(counts(parse_values(parameter("elements"), "1:5:x1.5")), ElementsAre(1, 2, 3)) << "rounded";
    EXPECT_THAT(counts(parse_values(parameter("workgroup_count"), "auto,64")), ElementsAre(0, 64));
    EXPECT_THAT(parse_values(parameter("element_type"), "u32,f32"),
                ElementsAre(Value(ChoiceIndex{0}), Value(ChoiceIndex{1})));
    EXPECT_THAT(reals("-1:1:0.5"), ElementsAre(-1, -0.5, 0, 0.5, 1));
    EXPECT_THAT(reals("0:0.5:0.1"), ElementsAre(0, 0.1, 0.2, 0.3, 0.4, 0.5)) << "as a person writes them";
    EXPECT_THAT(counts(parse_values(parameter("elements"), "1:1073741824:x2")), SizeIs(31));
}

TEST(SweepValues, RefusalsNameTheTextAndWhatToWrite) {
    EXPECT_THAT(complaint("elements", "1,x"), HasSubstr("elements = x: this is not a whole number"));
    EXPECT_THAT(complaint("elements", "1,,2"), HasSubstr("1,,2: a value is missing"));
    EXPECT_THAT(complaint("elements", ""), HasSubstr("a value is missing"));
    EXPECT_THAT(complaint("elements", "1:10"), HasSubstr("first:last:step"));
    EXPECT_THAT(complaint("elements", "1:10:2:3"), HasSubstr("first:last:step"));
    EXPECT_THAT(complaint("elements", "10:1:1"), HasSubstr("goes down"));
    EXPECT_THAT(complaint("elements", "1:10:0"), HasSubstr("above 0"));
    EXPECT_THAT(complaint("elements", "1:10:-1"), HasSubstr("above 0"));
    EXPECT_THAT(complaint("elements", "1:10:x1"), HasSubstr("above 1"));
    EXPECT_THAT(complaint("elements", "1:10:xnan"), HasSubstr("above 1"));
    EXPECT_THAT(complaint("elements", "0:10:x2"), HasSubstr("start above 0"));
    EXPECT_THAT(complaint("elements", "1:10:1.5"), HasSubstr("whole number"));
    EXPECT_THAT(complaint("elements", "1:1000000:1"), HasSubstr("1000000 values; a sweep has at most 4096"));
    EXPECT_THAT(complaint("workgroup_count", "auto:64:2"), HasSubstr("auto cannot be an end"));
    EXPECT_THAT(complaint("element_type", "u32:f32:1"), HasSubstr("u32 or f32"));
    EXPECT_THAT(complaint("element_type", "u32,f64"), HasSubstr("element_type = f64"));
}

TEST(SweepValues, AtMostTwoAxesAndSoManyCells) {
    const SweepSpec two = spec_of({elements("1,2"), sizes("32,64"), {&parameter("seed"), "7"}});
    ASSERT_THAT(two.axes, SizeIs(2));
    EXPECT_EQ(two.axes[1].parameter, "workgroup_size");
    EXPECT_EQ(two.base[key::seed], 7u) << "one value is no axis";

    const std::string three = test::message_of<Refusal>([] {
        spec_of({elements("1,2"), sizes("32,64"), {&parameter("seed"), "1,2"}});
    });
    EXPECT_THAT(three, HasSubstr("elements, workgroup_size, seed"));
    EXPECT_NO_THROW(spec_of({elements("1:64:1"), sizes("1:64:1")}));
    EXPECT_THAT(test::message_of<Refusal>([] {
                    spec_of({elements("1:64:1"), sizes("1:65:1")});
                }),
                HasSubstr("4160 cells"));
    EXPECT_THAT(test::message_of<Refusal>([] {
                    spec_of({elements("1,x"), sizes("1:2")});
                }),
                testing::AllOf(HasSubstr("elements = x"), HasSubstr("workgroup_size = 1:2")))
        << "all complaints at once";
}

TEST(SweepValues, SamplesAreACountOrAuto) {
    EXPECT_EQ(parse_sampling("auto").samples, 0u);
    EXPECT_EQ(parse_sampling("10").samples, 10u);
    for (const char* text : {"0", "-1", "x", "100001", "1.5", ""})
        EXPECT_THROW(parse_sampling(text), Refusal) << text;
}

TEST(Sweep, RunsEveryCellOnce) {
    FakeLab lab;
    Sweep sweep = lab.start(
        spec_of({elements("1000:8000:1000"), sizes("32:256:32")}, {"tree_sequential", "tree_first_add"}));
    EXPECT_FALSE(sweep.finished());
    lab.drive(sweep);
    EXPECT_TRUE(sweep.finished());
    ASSERT_THAT(lab.asked, SizeIs(2 * 8 * 8));
    std::set<std::tuple<std::string, std::uint64_t, std::uint64_t>> places;
    for (const Request& request : lab.asked)
        places.insert({request.variant, request.values[key::elements], request.values[key::workgroup_size]});
    EXPECT_THAT(places, SizeIs(lab.asked.size()));
    EXPECT_EQ(lab.asked[0].sampling.samples, 10u);
    const SweepCell& cell = sweep.cells()[sweep.index(1, 2, 3)];
    EXPECT_EQ(sweep.describe(cell), "tree_first_add, elements = 3000, workgroup_size = 128");
}

TEST(Sweep, GoesFromCoarseToFine) {
    FakeLab lab;
    Sweep sweep = lab.start(
        spec_of({elements("1000:9000:1000"), sizes("32:288:32")}, {"tree_sequential", "tree_first_add"}));
    lab.drive(sweep, 8);
    std::set<std::pair<std::uint64_t, std::uint64_t>> corners;
    for (const Request& request : lab.asked)
        corners.insert({request.values[key::elements], request.values[key::workgroup_size]});
    EXPECT_THAT(corners, ElementsAre(std::pair(1000, 32), std::pair(1000, 288), std::pair(9000, 32),
                                     std::pair(9000, 288)))
        << "both variants at every corner";
    lab.drive(sweep, 4 * 4);
    EXPECT_TRUE(std::any_of(lab.asked.begin(), lab.asked.end(), [](const Request& request) {
        return request.values[key::elements] == 5000 && request.values[key::workgroup_size] == 160;
    })) << "then the middle";
    // What makes a new input changes least often.
    std::size_t changes = 0;
    lab.drive(sweep);
    for (std::size_t i = 1; i < lab.asked.size(); ++i)
        changes += lab.asked[i].values[key::elements] != lab.asked[i - 1].values[key::elements] ? 1 : 0;
    EXPECT_LE(changes, 4u * 9u);
}

TEST(Sweep, RefusedCombinationsAreCellsWithAReason) {
    FakeLab lab;
    Sweep sweep = lab.start(spec_of({sizes("128,512,4000")}));
    EXPECT_EQ(sweep.cells()[2].state, CellState::refused);
    EXPECT_THAT(sweep.cells()[2].reasons, ElementsAre(HasSubstr("4000")));
    EXPECT_EQ(sweep.cells()[2].report->status, Status::refused);
    EXPECT_EQ(sweep.progress().done, 1u);
    lab.drive(sweep);
    EXPECT_TRUE(sweep.finished());
    EXPECT_THAT(lab.asked, SizeIs(2));

    EXPECT_THAT(test::message_of<Refusal>([&] { lab.start(spec_of({sizes("3000,4000")})); }),
                testing::AllOf(HasSubstr("3000"), HasSubstr("4000")))
        << "with nothing left to run it is an error";
}

TEST(Sweep, FailuresAndWrongAnswersAreNeverBest) {
    FakeLab lab;
    lab.kernel_ns = [](const Request& request) {
        return static_cast<double>(request.values[key::workgroup_size]);
    };
    lab.status = [](const Request& request) {
        const std::uint64_t size = request.values[key::workgroup_size];
        return size == 32 ? Status::mismatch : size == 64 ? Status::failed : Status::ok;
    };
    Sweep sweep = lab.start(spec_of({sizes("32,64,128,256")}));
    lab.drive(sweep);
    EXPECT_TRUE(sweep.finished());
    EXPECT_EQ(sweep.cells()[0].state, CellState::done);
    EXPECT_EQ(sweep.cells()[1].state, CellState::failed);
    EXPECT_THAT(sweep.cells()[1].reasons, ElementsAre("The device refused."));
    ASSERT_TRUE(sweep.best());
    EXPECT_EQ(sweep.best()->cell, 2u);
}

TEST(Sweep, OverlappingIntervalsAreTies) {
    FakeLab lab;
    lab.spread = 10;
    lab.kernel_ns = [](const Request& request) {
        switch (request.values[key::workgroup_size]) {
            case 128:
                return 1000.0;
            case 256:
                return 1003.0;  // intervals of about +- 4 overlap
            default:
                return 1100.0;
        }
    };
    Sweep sweep = lab.start(spec_of({sizes("64,128,256,512")}));
    lab.drive(sweep);
    EXPECT_EQ(sweep.best()->cell, 1u);
    EXPECT_THAT(sweep.best()->ties, ElementsAre(2u));
    EXPECT_GE(sweep.best()->confidence, 0.95);
}

TEST(Sweep, ComparesByElementWhereElementsAreSwept) {
    FakeLab lab;
    lab.kernel_ns = [](const Request& request) {
        return 1000 + static_cast<double>(request.values[key::elements]);
    };
    Sweep sweep = lab.start(spec_of({elements("10,1000,100000")}));
    lab.drive(sweep);
    EXPECT_EQ(sweep.objective(), Objective::kernel_ns_per_element);
    EXPECT_EQ(sweep.best()->cell, 2u) << "the smallest job is not the best because it is small";
}

TEST(Sweep, StopsAndResumes) {
    FakeLab lab;
    Sweep sweep = lab.start(spec_of({sizes("32,64,128,256")}));
    lab.drive(sweep, 1);
    const std::optional<Request> request = sweep.next_request(500);
    ASSERT_TRUE(request);
    EXPECT_FALSE(sweep.next_request(501)) << "one in the air at a time";
    sweep.stop();
    Report stopped = lab.answer(*request);
    stopped.status = Status::timed_out;
    EXPECT_TRUE(sweep.take(stopped));
    EXPECT_FALSE(sweep.in_flight());
    EXPECT_FALSE(sweep.next_request(502));
    EXPECT_EQ(sweep.progress().done, 1u);
    sweep.resume();
    lab.drive(sweep);
    EXPECT_TRUE(sweep.finished());
    for (const SweepCell& cell : sweep.cells())
        EXPECT_EQ(cell.state, CellState::done);
}

TEST(Sweep, ADeadlineThatPassesIsAFailureAndNotAStop) {
    FakeLab lab;
    Sweep sweep = lab.start(spec_of({sizes("32,64")}));
    const std::optional<Request> request = sweep.next_request(1);
    Report late = lab.answer(*request);
    late.status = Status::timed_out;
    late.message = "The run did not finish before its deadline.";
    sweep.take(late);
    EXPECT_EQ(sweep.progress().done, 1u);
}

TEST(Sweep, LivesWithLiveRunsInBetween) {
    FakeLab lab;
    Sweep sweep = lab.start(spec_of({sizes("32,64")}));
    std::optional<Request> request = sweep.next_request(1);
    // A newer request ended the sampling early: the cell is measured again.
    Report early = lab.answer(*request);
    early.timings.kernel.samples.resize(3);
    EXPECT_TRUE(sweep.take(early));
    EXPECT_EQ(sweep.progress().done, 0u);
    // A newer request replaced it before it began.
    request = sweep.next_request(2);
    ASSERT_TRUE(request);
    sweep.put_back();
    EXPECT_FALSE(sweep.take(lab.answer(*request))) << "an old answer";
    Request other = *request;
    other.id = 99;
    request = sweep.next_request(3);
    EXPECT_FALSE(sweep.take(lab.answer(other))) << "somebody else's";
    Report half = lab.answer(*request);
    half.final = false;
    EXPECT_FALSE(sweep.take(half));
    EXPECT_TRUE(sweep.take(lab.answer(*request)));
    EXPECT_EQ(sweep.progress().done, 1u);
}

TEST(Sweep, EstimatesTheTimeLeftWhereCellsDiffer) {
    FakeLab lab;
    lab.seconds = [](const Request& request) {
        return static_cast<double>(request.values[key::elements]) * 1e-4;
    };
    Sweep sweep = lab.start(spec_of({elements("1024:1048576:x2"), sizes("32,64,128,256")}));
    EXPECT_FALSE(sweep.progress().seconds_left) << "nothing is known yet";
    double total = 0;
    for (const SweepCell& cell : sweep.cells())
        total += static_cast<double>(cell.values[key::elements]) * 1e-4;
    lab.drive(sweep, 16);
    const SweepProgress progress = sweep.progress();
    ASSERT_TRUE(progress.seconds_left);
    const double left = total - progress.seconds_spent;
    EXPECT_GT(*progress.seconds_left, left / 2);
    EXPECT_LT(*progress.seconds_left, left * 2);
    lab.drive(sweep);
    EXPECT_NEAR(sweep.progress().seconds_spent, total, 1e-6);
    EXPECT_EQ(sweep.progress().seconds_left, 0);
}

TEST(Sweep, KeepsReportsWithoutArrays) {
    FakeLab lab;
    SweepSpec spec = spec_of({sizes("32,64")});
    for (const bool keep : {true, false}) {
        spec.keep_samples = keep;
        Sweep sweep = lab.start(spec);
        const std::optional<Request> request = sweep.next_request(1);
        Report report = lab.answer(*request);
        const auto array = std::make_shared<const Array>(Array::of<double>(std::vector<double>{1, 2, 3}));
        report.outputs.push_back({"sums", array});
        report.result.push_back({"sums", "Sums", ArrayRef(array)});
        sweep.take(report);
        EXPECT_EQ(array.use_count(), 3) << "here and in this report alone";
        EXPECT_EQ(sweep.cells()[0].report->timings.kernel.samples.empty(), !keep);
        EXPECT_EQ(sweep.cells()[0].summary.count, 10u);
    }
}

const Advice& advice(const std::vector<Advice>& all, std::string_view id) {
    return *std::find_if(all.begin(), all.end(), [&](const Advice& one) { return one.id == id; });
}

TEST(AdviceTest, HoldsWhereTheBestCellFollowsIt) {
    FakeLab lab;
    lab.device.subgroup_size = 32;
    lab.kernel_ns = [](const Request& request) {
        return request.values[key::workgroup_size] == 256 ? 900.0 : 1000.0;
    };
    Sweep sweep = lab.start(spec_of({sizes("48,64,256,1024")}));
    EXPECT_THAT(advice(weigh_advice(sweep), "size_128_to_512").sentence, HasSubstr("no cell is measured"));
    lab.drive(sweep);
    const auto all = weigh_advice(sweep);
    ASSERT_THAT(all, SizeIs(4));
    EXPECT_EQ(advice(all, "subgroup_multiple").holds, true);
    EXPECT_EQ(advice(all, "size_128_to_512").holds, true);
    EXPECT_THAT(advice(all, "size_128_to_512").sentence,
                HasSubstr("the best cell (5 workgroups of 256) follows it"));
    EXPECT_EQ(advice(all, "groups_2_to_4_per_multiprocessor").holds, std::nullopt);
    EXPECT_THAT(advice(all, "groups_2_to_4_per_multiprocessor").sentence,
                HasSubstr("how many multiprocessors"));
    // 1024 elements in groups of 48 are 22 workgroups, the others fewer.
    EXPECT_EQ(advice(all, "groups_20_to_100").holds, false);
}

TEST(AdviceTest, SaysHowMuchItCostsWhereItDidNotHold) {
    FakeLab lab;
    lab.device.subgroup_size = 32;
    lab.kernel_ns = [](const Request& request) {
        return request.values[key::workgroup_size] == 64 ? 1000.0 : 1120.0;
    };
    Sweep sweep = lab.start(spec_of({sizes("64,128,256")}));
    lab.drive(sweep);
    const auto all = weigh_advice(sweep);
    const Advice& size = advice(all, "size_128_to_512");
    EXPECT_EQ(size.holds, false);
    EXPECT_THAT(size.sentence, HasSubstr("12\u00A0% slower"));
    ASSERT_TRUE(size.worst);
    EXPECT_NEAR(size.worst->value, 1.12, 1e-9);
    EXPECT_LT(size.worst->low, 1.12);
    EXPECT_GT(size.worst->high, 1.12);
    EXPECT_EQ(advice(all, "subgroup_multiple").holds, std::nullopt);
    EXPECT_THAT(advice(all, "subgroup_multiple").sentence, HasSubstr("every cell of this sweep follows it"));
}

TEST(AdviceTest, ATieIsNoRefutationAndOneSampleNoProof) {
    FakeLab lab;
    lab.spread = 10;
    lab.kernel_ns = [](const Request& request) {
        return request.values[key::workgroup_size] == 64 ? 1000.0 : 1002.0;
    };
    Sweep tied = lab.start(spec_of({sizes("64,128")}));
    lab.drive(tied);
    EXPECT_EQ(advice(weigh_advice(tied), "size_128_to_512").holds, true);
    SweepSpec single = spec_of({sizes("64,128")});
    single.sampling.samples = 1;
    Sweep unsure = lab.start(single);
    lab.drive(unsure);
    EXPECT_EQ(advice(weigh_advice(unsure), "size_128_to_512").holds, std::nullopt);
    EXPECT_EQ(unsure.best()->confidence, 0);
}

TEST(AdviceTest, JudgesEachSizeOfTheWorkByItself) {
    FakeLab lab;
    // 64 is best for the small work, 128 for the large: pooled, the large work's best would speak for all.
    lab.kernel_ns = [](const Request& request) {
        const bool small = request.values[key::elements] == 1000;
        const bool narrow = request.values[key::workgroup_size] == 64;
        return (small ? 1e3 : 1e6) * (small == narrow ? 1 : 1.2);
    };
    Sweep sweep = lab.start(spec_of({elements("1000,1000000"), sizes("64,128")}));
    lab.drive(sweep);
    const auto all = weigh_advice(sweep);
    const Advice& size = advice(all, "size_128_to_512");
    EXPECT_EQ(size.told, 2u);
    EXPECT_EQ(size.held, 1u);
    EXPECT_EQ(size.holds, false);
    EXPECT_THAT(size.sentence, HasSubstr("elements = 1000"));
}

TEST(SweepJson, HasTheDocumentedShape) {
    FakeLab lab;
    Sweep sweep = lab.start(spec_of({elements("1000,2000"), sizes("64,4000")}));
    lab.drive(sweep, 1);
    const auto json = to_json(sweep);
    EXPECT_EQ(json.at("schema_version"), 1);
    EXPECT_EQ(json.at("lesson"), "reduction");
    EXPECT_EQ(json.at("axes").at(1).at("parameter"), "workgroup_size");
    EXPECT_EQ(json.at("axes").at(1).at("unit"), "invocations");
    EXPECT_EQ(json.at("axes").at(0).at("values").at(1), 2000);
    ASSERT_EQ(json.at("cells").size(), 4u);
    const auto& cell = json.at("cells").at(0);
    EXPECT_EQ(cell.at("status"), "ok");
    EXPECT_EQ(cell.at("values").at("elements"), 1000);
    EXPECT_EQ(cell.at("kernel_ns").at("samples"), 10);
    EXPECT_GT(cell.at("kernel_ns").at("median_error").get<double>(), 0);
    EXPECT_EQ(json.at("cells").at(1).at("status"), "refused");
    EXPECT_EQ(json.at("cells").at(2).at("status"), "pending");
    EXPECT_TRUE(json.at("cells").at(2).at("kernel_ns").is_null());
    EXPECT_EQ(json.at("best").at("values").at("workgroup_size"), 64);
    EXPECT_TRUE(json.at("best").at("ties").empty());
    EXPECT_EQ(json.at("advice").size(), 4u);
    EXPECT_TRUE(json.at("advice").at(2).at("holds").is_null());
    EXPECT_EQ(json.at("complete"), false);
}

}  // namespace
}  // namespace gridstride::lab
