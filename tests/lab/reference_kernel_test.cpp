// Tests references that kernels compute: what a run is judged by, and what becomes of a run without a
// reference.
#include "lab/reference_kernel.h"

#include <fstream>

#include "gpu/device.h"
#include "lab/runner.h"
#include "lesson/kernel_file.h"
#include "test_environment.h"
#include "test_includes.h"
#include "text_lesson/text_lesson.h"

namespace gridstride::lab::reference_kernel_test {

namespace fs = std::filesystem;

class ReferenceKernelTest : public ::testing::Test {
 protected:
    ReferenceKernelTest() {
        fs::copy(fs::path(GRIDSTRIDE_SOURCE_DIR) / "tests/text_lesson/folders/sides", folder());
        load();
    }
    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), IsEmpty()); }

    fs::path folder() const { return scratch_.path() / "sides"; }
    void load() { register_lesson(text_lesson::load_lesson(folder())); }

    /// Replaces a part of a file of the lesson, and loads it.
    void change(const std::string& file, const std::string& from, const std::string& to) {
        std::string text = read_file(folder() / file);
        const std::size_t at = text.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        std::ofstream(folder() / file) << text.replace(at, from.size(), to);
        load();
    }

    /// Removes the part of a file from one text up to another.
    void remove(const std::string& file, const std::string& from, const std::string& to) {
        const std::string text = read_file(folder() / file);
        const std::size_t at = text.find(from);
        change(file, text.substr(at, text.find(to, at) - at), "");
    }

    static Request request(const std::string& variant = "by_parity") {
        Request request{.experiment = default_experiment(*find_lesson("sides"))};
        request.experiment.variant = variant;
        request.sampling.measure = false;
        return request;
    }
    static Report run(Runner& runner, const Request& request, Control& control) {
        Report last;
        runner.run(request, control, [&](Report report) { last = std::move(report); });
        return last;
    }
    Report run(const Request& request) { return run(runner_, request, control_); }

    ScratchFolder scratch_;
    Control control_;
    Runner reference_runner_{"", program()};
    std::vector<Experiment> experiments_;                    ///< of the references that were computed
    std::function<void(Report&)> distort_ = [](Report&) {};  ///< changes what the other process reports
    Runner runner_{"", program(), [this](Request request, const Control&) {
                       experiments_.push_back(request.experiment);
                       Control control;
                       Report report = run(reference_runner_, request, control);
                       distort_(report);
                       return report;
                   }};
};

TEST_F(ReferenceKernelTest, JudgesTheRun) {
    Report report = run(request());
    EXPECT_EQ(report.status, Status::ok) << report.message;
    EXPECT_EQ(report.compare.outputs.size(), 2U);
    EXPECT_EQ(report.compare.outputs_without_reference, 0U);
    change("by_parity.comp", "results[i] = x;", "results[i] = i == 9 ? x ^ 1u : x;");
    report = run(request());
    EXPECT_EQ(report.status, Status::mismatch);
    EXPECT_EQ(report.compare.first_mismatch->index, 9U);
    EXPECT_THAT(report.message, HasSubstr("the reference kernel says"));
    EXPECT_NE(find(report.expected, "results"), nullptr) << "pictures need the expected values";
}

TEST_F(ReferenceKernelTest, IsCachedLikeOtherReferences) {
    // Without sums for each workgroup, no reference depends on the launch.
    remove("lesson.toml", "[[variant]]\nid = \"groups\"", "[[exercise]]");
    remove("lesson.toml", "[output.sums]", "[[variant]]");
    run(request());
    EXPECT_EQ(experiments_.size(), 2U) << "one reference run for each output";
    Request other = request();
    other.experiment.values.set("workgroup_size", std::uint64_t{64});
    EXPECT_EQ(run(other).status, Status::ok);
    EXPECT_EQ(experiments_.size(), 2U);
    other.experiment.values.set("rounds", std::uint64_t{9});
    EXPECT_EQ(run(other).status, Status::ok);
    ASSERT_EQ(experiments_.size(), 4U);
    EXPECT_EQ(experiments_[3].values.at("rounds"), Value(std::uint64_t{9}));
    EXPECT_EQ(experiments_[3].values[key::workgroup_size], 32U) << "the default, not that of the bench";
    change("by_parity_reference.comp", "? 5 : 7", "? 5 : 9");
    EXPECT_EQ(run(request()).status, Status::mismatch);
    EXPECT_EQ(experiments_.size(), 6U) << "a saved file is a new version";
}

TEST_F(ReferenceKernelTest, UsesTheResolvedAutomaticLaunch) {
    Request sums = request("groups");
    sums.experiment.values.set("workgroup_size", std::uint64_t{96});
    const Report report = run(sums);
    ASSERT_EQ(report.status, Status::ok) << report.message;
    ASSERT_EQ(experiments_.size(), 1U);
    EXPECT_EQ(experiments_[0].values[key::workgroup_size], 96U);
    EXPECT_EQ(experiments_[0].values[key::workgroup_count], report.launch.workgroup_count());
    EXPECT_EQ(report.compare.outputs.front().output, "sums");
}

TEST_F(ReferenceKernelTest, RunIsUnjudgedIfTheReferenceFails) {
    struct Case {
        const char* what;
        std::function<void(Report&)> distort;
        const char* reason;
    };
    for (const Case& one : std::initializer_list<Case>{
             {"lost", [](Report& report) { report.status = Status::lost, report.message = "It crashed."; },
              "It crashed."},
             {"wrong",
              [](Report& report) { report.status = Status::mismatch, report.message = "Out of bounds."; },
              "Out of bounds."},
             {"no device", [](Report&) { throw NoDevice("There is no software driver."); },
              "There is no software driver."},
             {"no array", [](Report& report) { report.outputs.clear(); }, "does not have the output results"},
             {"too few",
              [](Report& report) {
                  for (NamedArray& array : report.outputs)
                      array.array = share(Array(array.array->type(), 3));
              },
              "3 numbers, but results has 1\u2009000"},
             {"unwritten",
              [](Report& report) {
                  std::vector<std::uint32_t> numbers(1000);
                  numbers[7] = 0x7FA5DEAD;
                  report.outputs = {
                      {.name = "results", .array = share(Array::of(std::span(std::as_const(numbers))))}};
              },
              "never writes results[7]"}}) {
        distort_ = one.distort;
        change("lesson.toml", "title = \"", fmt::format("title = \"{}, ", one.what));  // nothing is cached
        Request timed = request("side_by_side");
        timed.experiment.kernel = read_kernel(folder() / "side_by_side.comp");
        const Report report = run(timed);
        EXPECT_EQ(report.status, Status::unjudged) << one.what;
        EXPECT_TRUE(report.is_measured());
        EXPECT_FALSE(report.is_wrong());
        EXPECT_EQ(report.compare.outputs_without_reference, 1U) << one.what;
        EXPECT_THAT(report.message, AllOf(StartsWith("results is not judged, because its reference kernel "
                                                     "by_parity_reference.comp gave no result: "),
                                          HasSubstr(one.reason)));
        const std::size_t computed = experiments_.size();
        EXPECT_EQ(run(timed).status, Status::unjudged);
        EXPECT_EQ(experiments_.size(), computed) << "the failure is cached";
    }
}

TEST_F(ReferenceKernelTest, WrongOutputIsAMismatchEvenIfAnotherIsUnjudged) {
    change("roots_reference.comp", "sqrt(float(trips[i]))", "-1.0");
    distort_ = [](Report& report) {
        if (!find(report.outputs, "results")) return;
        report.status = Status::lost;
        report.message = "It crashed.";
    };
    const Report report = run(request());
    EXPECT_EQ(report.status, Status::mismatch);
    EXPECT_THAT(report.message, AllOf(HasSubstr("roots[0]"), HasSubstr("results is not judged")));
}

TEST_F(ReferenceKernelTest, RunIsUnjudgedIfReferenceLoopsNearTheCap) {
    const std::uint64_t cap = runner_.limits().loop_iterations;
    if (cap == 0) GTEST_SKIP() << "this driver does not end loops";
    std::string before = "uint x = i;";
    for (const auto& [iterations, is_judged] : {std::pair{50'000, true}, {61'000, false}, {70'000, false}}) {
        // The result stays the same: rounds >> 31 is 0, which no compiler knows.
        const std::string loop = fmt::format(
            "uint y = i;\nfor (uint k = 0; k < {}; ++k) y = y * 3 + trips[i];\nuint x = i + y * (rounds >> "
            "31);",
            iterations);
        change("by_parity_reference.comp", before, loop);
        before = loop;
        const Report report = run(request());
        EXPECT_EQ(report.status, is_judged ? Status::ok : Status::unjudged) << iterations << report.message;
        if (is_judged) continue;
        EXPECT_THAT(report.message, AllOf(HasSubstr("An invocation has "), HasSubstr("after 65\u2009535")));
    }
}

TEST_F(ReferenceKernelTest, UsesAtMostHalfOfTheRemainingTime) {
    double deadline = 0;
    Runner runner("", program(), [&](const Request& request, const Control&) -> Report {
        deadline = request.deadline_seconds;
        throw NoDevice("None.");
    });
    control_.deadline = std::chrono::steady_clock::now() + std::chrono::seconds(100);
    EXPECT_EQ(run(runner, request(), control_).status, Status::unjudged);
    EXPECT_GT(deadline, 45);
    EXPECT_LE(deadline, 50);
}

TEST_F(ReferenceKernelTest, StopEndsTheRunAndIsNotCached) {
    bool stops = true;
    Runner runner("", program(), [&](Request request, const Control& control) {
        if (stops) {
            control_.is_cancelled = true;
            control.check();
        }
        Control other;
        return run(reference_runner_, request, other);
    });
    EXPECT_EQ(run(runner, request(), control_).status, Status::stopped);
    control_.is_cancelled = stops = false;
    EXPECT_EQ(run(runner, request(), control_).status, Status::ok);
}

}  // namespace gridstride::lab::reference_kernel_test
