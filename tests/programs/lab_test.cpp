// Programs in the lab: run and judged, on this machine's device, and never taken for a kernel.

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

    Report run(Experiment experiment, std::optional<TraceOptions> recorded = {}) {
        Request request;
        request.experiment = std::move(experiment);
        request.sampling.measure = false;
        request.trace_options = recorded;
        Control control;
        Report last;
        runner_.run(request, control, [&](Report report) { last = std::move(report); });
        return last;
    }
    std::string folder() const { return scratch_.path().string(); }
    Experiment reading() const { return test::doubling("read a.csv 3\ndouble\n", folder()); }
    static double last_enumerator(const Report& report) { return test::number_of(report.result, "last"); }

    ScratchFolder scratch_;
    Runner runner_{"", program()};
};

TEST_F(ProgramLab, RunsWhatShipsAndWhatAPersonWrites) {
    const Report shipped = run(test::doubling());
    ASSERT_EQ(shipped.status, Status::ok) << shipped.message;
    EXPECT_EQ(last_enumerator(shipped), 12);
    const Report own = run(test::doubling("take 3\ndouble\n"));
    ASSERT_EQ(own.status, Status::ok) << own.message;
    EXPECT_EQ(last_enumerator(own), 4);
    EXPECT_EQ(own.kernel_name(), "mine.doubling");
    EXPECT_TRUE(own.notes.empty()) << own.notes.front() << ": that is said of a kernel";
    EXPECT_EQ(last_enumerator(run(test::doubling())), 12);
}

TEST_F(ProgramLab, ItsKernelsAreRecorded) {
    const Report report = run(test::doubling("take 3\ndouble\n"), TraceOptions{});
    ASSERT_TRUE(report.trace) << report.message;
    EXPECT_EQ(report.trace->reason, "");
    EXPECT_EQ(report.trace->launches, 1u);
    EXPECT_GT(report.trace->words->count(), 0u);
}

TEST_F(ProgramLab, WhatIsWrongIsToldLineByLine) {
    const Report report = run(test::doubling("take 3\nhalve\ndouble\ntriple\n"));
    EXPECT_EQ(report.status, Status::refused);
    EXPECT_THAT(report.diagnostics, ElementsAre(Field(&Diagnostic::line, 2), Field(&Diagnostic::line, 4)));
    EXPECT_THAT(report.message, HasSubstrs("Line 2: ", "Line 4: "));
}

TEST_F(ProgramLab, FilesAreReadInTheProgramsFolderAlone) {
    EXPECT_EQ(last_enumerator(run(reading())), 6);
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

TEST_F(ProgramLab, AFileThatChangesIsReadAgain) {
    RunCache kept;
    const auto input_of = [&](const Experiment& experiment) {
        return kept.input(prepare(experiment, test::software_device())).front().array;
    };
    const ArrayRef before = input_of(reading());
    EXPECT_EQ(input_of(reading()), before) << "nothing has changed";
    Experiment wider = reading();
    wider.values.set("workgroup_size", std::uint64_t{32});
    EXPECT_EQ(input_of(wider), before) << "a launch changes no input";

    write_file(scratch_ / "a.csv", "4\n5\n6\n");
    // Whatever the clock of the files shows.
    std::filesystem::last_write_time(
        scratch_ / "a.csv", std::filesystem::last_write_time(scratch_ / "a.csv") + std::chrono::seconds(2));
    EXPECT_EQ(input_of(reading())->number(0), 4);
    const std::vector<Expected>& expected = kept.reference(prepare(reading(), test::software_device()));
    EXPECT_EQ(expected.front().reference->number(0), 8);

    EXPECT_EQ(input_of(test::doubling("take 2\ndouble\n", folder()))->count(), 2u);
    std::filesystem::remove(scratch_ / "a.csv");
    EXPECT_THROW(input_of(reading()), ProgramError);
}

}  // namespace gridstride::lab::lab_test
