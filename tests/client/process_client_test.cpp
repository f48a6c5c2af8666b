// The lab is a process that may be stopped, killed or lost at any time. The caller gets one clear report, the
// next run succeeds, and nothing is left behind.
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "client/started_lab.h"
#include "gpu/device.h"
#include "test_includes.h"

namespace gridstride::lab::process_client_test {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LabProcess, EndsWithItsClient) {
    pid_t lab = 0;
    {
        const auto client = start();
        expect_ok(*client);
        ASSERT_EQ(children().size(), 1u);
        lab = *children().begin();
    }
    EXPECT_TRUE(children().empty());
    EXPECT_NE(kill(lab, 0), 0) << "it was reaped";
}

TEST(LabProcess, InheritsNoDescriptors) {
    const auto file = fs::temp_directory_path() / ("gridstride_open_" + std::to_string(getpid()));
    const std::ofstream open(file);  // this descriptor is not close-on-exec
    const auto client = start_ready();
    for (const pid_t lab : children())
        for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(lab) + "/fd")) {
            std::error_code gone;
            EXPECT_NE(fs::read_symlink(entry.path(), gone), file);
        }
    fs::remove(file);
}

TEST(LabProcess, IsKilledAtTheDeadlineIfItHangs) {
    const auto client = start_ready();
    const std::set<pid_t> labs = children();
    ASSERT_EQ(labs.size(), 1u);
    kill(*labs.begin(), SIGSTOP);  // acts like a driver call that never returns
    Request r = request();
    r.deadline_seconds = 0.4;
    const Report report = run(*client, r);
    EXPECT_EQ(report.status, Status::timed_out);
    EXPECT_THAT(report.message, AllOf(HasSubstr("deadline of 0.4 s"), HasSubstr("tree_sequential")));
    EXPECT_EQ(report.experiment, r.experiment);
    EXPECT_FALSE(report.run_id.empty());
    expect_ok(*client);
    EXPECT_FALSE(children().contains(*labs.begin()));
}

TEST(LabProcess, IsKilledOnCancelIfItDoesNotRespond) {
    const auto client = start();
    client->submit(long_request());
    wait_for_first_report(*client);
    kill(*children().begin(), SIGSTOP);
    client->cancel();
    const Report report = wait_for_last(*client);
    EXPECT_EQ(report.status, Status::stopped);
    EXPECT_FALSE(report.timings.kernel.samples.empty()) << "measured samples are kept";
    expect_ok(*client);
}

TEST(LabProcess, KilledLabRestartsAndRepeatsItsRun) {
    const auto client = start();
    Request r = request(1 << 18);
    r.sampling.samples = 30;
    r.sampling.quick_first_report = true;
    client->submit(r);
    wait_for_first_report(*client);
    kill(*children().begin(), SIGKILL);
    const Report report = wait_for_last(*client);
    EXPECT_EQ(report.status, Status::ok) << report.message;
    EXPECT_EQ(report.timings.kernel.samples.size(), 30u) << "no sample is lost or doubled";
}

/// Submits a run and sends the signal to its lab repeatedly.
Report lost_by(Client& client, int signal) {
    client.submit(long_request());
    for (int i = 0; i < 3; ++i) {
        wait_for_first_report(client);
        signal_labs(signal);
    }
    return wait_for_last(client);
}

TEST(LabProcess, RunIsLostAfterThreeCrashes) {
    const auto client = start();
    const Report report = lost_by(*client, SIGKILL);
    EXPECT_EQ(report.status, Status::lost);
    EXPECT_THAT(report.message, HasSubstr("3 times"));
    expect_ok(*client);
}

TEST(LabProcess, LostRunReportsOnlyTheKnownCause) {
    const auto client = start();
    const char* const kernels_do_this = "beyond its workgroup arrays";
    const std::string killed = lost_by(*client, SIGKILL).message;
    EXPECT_THAT(killed, AllOf(HasSubstr("signal 9"), HasSubstr("memory"), Not(HasSubstr(kernels_do_this))));
    const std::string message = lost_by(*client, SIGUSR1).message;
    EXPECT_THAT(message, AllOf(HasSubstr("signal 10"), Not(HasSubstr(kernels_do_this))));
#ifndef __SANITIZE_ADDRESS__  // the sanitizer turns a crash into a report and an exit code
    const std::string crashed = lost_by(*client, SIGBUS).message;
    EXPECT_THAT(crashed, HasSubstr("bus error"));
    EXPECT_EQ(crashed.find(kernels_do_this) != std::string::npos, client->limits().is_cpu);
#endif
}

TEST(LabProcess, RestartsIfItEndsWhileIdle) {
    const auto client = start();
    for (int i = 0; i < 3; ++i) {
        client->limits();
        signal_labs(SIGKILL);
        expect_ok(*client);
    }
}

TEST(LabProcess, AnswersARequestCancelledBeforeItStarts) {
    const auto client = start();
    const Request r = request();
    client->submit(r);
    client->cancel();
    const std::optional<Report> report = client->wait(patience);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->request, r.id);
    EXPECT_TRUE(report->is_final);
    EXPECT_THAT(report->status, AnyOf(Status::stopped, Status::ok)) << "it may have ended before the stop";
}

TEST(LabProcess, ThrowsNoDeviceIfTheProgramIsNotALab) {
    const auto client = start_lab({.program = "/bin/true"});
    EXPECT_THROW(client->limits(), NoDevice);
    const auto missing = start_lab({.program = "/nonexistent/gridstride"});
    EXPECT_THROW(missing->limits(), NoDevice);
}

TEST(LabProcess, ReportsProgressOfLongLaunches) {
    const auto client = start();
    Request r = request(1 << 24);
    r.experiment.values.set("workgroup_size", std::uint64_t{1});
    r.experiment.values.set("workgroup_count", std::uint64_t{1});
    r.sampling.measure = false;
    std::vector<RunProgress> heard;
    const Report report = run_and_wait(*client, r, [&] {
        const std::optional<RunProgress> progress = client->progress();
        if (progress && (heard.empty() || heard.back().slices_done != progress->slices_done))
            heard.push_back(*progress);
        return false;
    });
    EXPECT_EQ(report.status, Status::ok) << report.message;
    ASSERT_FALSE(heard.empty());
    for (const RunProgress& progress : heard) {
        EXPECT_LT(progress.slices_done, progress.slices);
        EXPECT_GT(progress.seconds_left, 0);
    }
}

/// A kernel that takes practically forever: the software driver ends loops after 65 535 iterations, but does
/// not limit the number of workgroups. The input is small, so nearly all time is spent in the kernel.
Request hang() {
    Request r = request();
    r.experiment.values.set("workgroup_size", std::uint64_t{1024});
    r.experiment.values.set("workgroup_count", std::uint64_t{65535});
    r.experiment.kernel = KernelSource{R"(#version 450
// [build u32] ELEMENT=uint
#extension GL_GOOGLE_include_directive : require
#include "common/launch.glsl"
layout(local_size_x_id = 0) in;
layout(binding = 0) readonly buffer Numbers { uint numbers[]; };
layout(binding = 1) buffer Sums { uint sums[]; };
void main() {
    uint x = gl_GlobalInvocationID.x;
    while (true) {
        x = x * 1664525u + 1013904223u;
        if (x == 7u) sums[0] = x;
    }
}
)",
                                       "hang.comp", ""};
    r.deadline_seconds = 0.3;
    r.sampling.measure = false;
    return r;
}

/// A user who reverts a hanging kernel or moves a slider does not wait for the old run's deadline.
TEST(LabProcess, NewerRequestReplacesAHangingRun) {
    const auto client = start_ready();
    Request endless = hang();
    endless.deadline_seconds = never_seconds;
    const pid_t lab = *children().begin();
    const long before = processor_ticks(lab);
    client->submit(endless);
    // Compiling takes less processor time than this, so the kernel itself is running.
    EXPECT_TRUE(comes_true([&] { return processor_ticks(lab) > before + 300 || client->poll(); }));
    EXPECT_GT(processor_ticks(lab), before + 300) << "the kernel must hang";
    expect_ok(*client);
}

TEST(LabProcess, HangsLeakNoProcessesDescriptorsOrMappings) {
    const auto client = start();
    expect_ok(*client, request(1 << 18));
    const std::size_t descriptors = open_descriptors(), mappings = shared_mappings();
    const int hangs = sample_of(50, 5);
    for (int i = 0; i < hangs; ++i) {
        const Report lost = run(*client, hang());
        ASSERT_EQ(lost.status, Status::timed_out) << i << ": " << lost.message;
        const Report next = run(*client, request(1 << 18));
        ASSERT_EQ(next.status, Status::ok) << i << ": " << next.message;
    }
    EXPECT_EQ(children().size(), 1u);
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_LE(shared_mappings(), mappings + 1);
}

}  // namespace gridstride::lab::process_client_test
