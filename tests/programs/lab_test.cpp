// Tests that the lab runs and judges programs on this machine's device, and does not treat them as kernels.

#include "gpu/device.h"
#include "lab/run_cache.h"
#include "lab/runner.h"
#include "lesson/lesson_case.h"
#include "programs/doubling.h"
#include "test_includes.h"

namespace gridstride::lab::lab_test {

using testing::Field;

class ProgramLab : public testing::Test {
 protected:
    static void SetUpTestSuite() { gpu::enable_validation(); }
    void SetUp() override { write_file(scratch_ / "a.csv", "1\n2\n3\n"); }
    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), IsEmpty()); }

    Report run(Experiment experiment, std::optional<TraceOptions> trace_options = {}) {
        Request request;
        request.experiment = std::move(experiment);
        request.sampling.measure = false;
        request.trace_options = trace_options;
        Control control;
        Report last;
        runner_.run(request, control, [&](Report report) { last = std::move(report); });
        return last;
    }
    std::string folder() const { return scratch_.path().string(); }
    Experiment experiment_with_file() const { return test::doubling("read a.csv 3\ndouble\n", folder()); }
    static double get_last(const Report& report) { return test::number_of(report.result, "last"); }

    ScratchFolder scratch_;
    Runner runner_{"", program()};
};

TEST_F(ProgramLab, RunsShippedAndUserPrograms) {
    const Report shipped = run(test::doubling());
    ASSERT_EQ(shipped.status, Status::ok) << shipped.message;
    EXPECT_EQ(get_last(shipped), 12);
    const Report user = run(test::doubling("take 3\ndouble\n"));
    ASSERT_EQ(user.status, Status::ok) << user.message;
    EXPECT_EQ(get_last(user), 4);
    EXPECT_EQ(user.kernel_name(), "mine.doubling");
    EXPECT_TRUE(user.notes.empty()) << user.notes.front() << ": this note is for kernels";
    EXPECT_EQ(get_last(run(test::doubling())), 12);
}

TEST_F(ProgramLab, RecordsTracesOfItsKernels) {
    const Report report = run(test::doubling("take 3\ndouble\n"), TraceOptions{});
    ASSERT_TRUE(report.trace) << report.message;
    EXPECT_EQ(report.trace->reason, "");
    EXPECT_EQ(report.trace->launches, 1u);
    EXPECT_GT(report.trace->words->count(), 0u);
}

TEST_F(ProgramLab, ReportsEachWrongLine) {
    const Report report = run(test::doubling("take 3\nhalve\ndouble\ntriple\n"));
    EXPECT_EQ(report.status, Status::refused);
    EXPECT_THAT(report.diagnostics, ElementsAre(Field(&Diagnostic::line, 2), Field(&Diagnostic::line, 4)));
    EXPECT_THAT(report.message, HasSubstrs("Line 2: ", "Line 4: "));
}

TEST_F(ProgramLab, ReadsFilesOnlyInTheProgramsFolder) {
    EXPECT_EQ(get_last(run(experiment_with_file())), 6);
    const auto refusal = [&](const std::string& file, const std::string& in) {
        const Report report = run(test::doubling("take 1\nread " + file + " 3\ndouble\n", in));
        EXPECT_EQ(report.status, Status::refused) << file;
        EXPECT_THAT(report.diagnostics, ElementsAre(Field(&Diagnostic::line, 2))) << file;
        return report.message;
    };
    EXPECT_THAT(refusal("a.csv", ""), Mentions("Save"));
    EXPECT_THAT(refusal("gone.csv", folder()), Mentions("no such"));
    EXPECT_THAT(refusal("../a.csv", folder()), HasSubstr("is outside"));
    EXPECT_THAT(refusal("/etc/hostname", folder()), HasSubstr("is outside"));
    write_file(scratch_ / "two.csv", "1\n2\n");
    EXPECT_THAT(refusal("two.csv", folder()), HasSubstr("holds 2 numbers"));
}

TEST_F(ProgramLab, ReadsAChangedFileAgain) {
    RunCache run_cache;
    const auto get_input = [&](const Experiment& experiment) {
        return run_cache.input(prepare(experiment, test::software_device())).front().array;
    };
    const ArrayRef before = get_input(experiment_with_file());
    EXPECT_EQ(get_input(experiment_with_file()), before) << "the file has not changed";
    Experiment wider = experiment_with_file();
    wider.values.set("workgroup_size", std::uint64_t{32});
    EXPECT_EQ(get_input(wider), before) << "a launch changes no input";

    write_file(scratch_ / "a.csv", "4\n5\n6\n");
    // The file's time changes even if the file system's clock is coarse.
    std::filesystem::last_write_time(
        scratch_ / "a.csv", std::filesystem::last_write_time(scratch_ / "a.csv") + std::chrono::seconds(2));
    EXPECT_EQ(get_input(experiment_with_file())->number(0), 4);
    const std::vector<Expected>& expected =
        run_cache.reference(prepare(experiment_with_file(), test::software_device()));
    EXPECT_EQ(expected.front().reference->number(0), 8);

    EXPECT_EQ(get_input(test::doubling("take 2\ndouble\n", folder()))->count(), 2u);
    std::filesystem::remove(scratch_ / "a.csv");
    EXPECT_THROW(get_input(experiment_with_file()), ProgramError);
}

}  // namespace gridstride::lab::lab_test
