// Tests the process that runs reference kernels.
#include "client/reference_lab.h"

#include "base/error.h"
#include "client/started_lab.h"
#include "gpu/device.h"
#include "test_includes.h"
#include "text_lesson/text_lesson.h"

namespace gridstride::lab::reference_lab_test {

gpu::DeviceInfo make_device(std::size_t index, bool is_cpu, bool usable = true) {
    gpu::DeviceInfo device{.index = index, .is_usable = usable};
    device.limits.is_cpu = is_cpu;
    return device;
}

TEST(ReferenceLab, UsesTheFirstSoftwareDevice) {
    EXPECT_EQ(find_software_device({make_device(0, false), make_device(1, true, false), make_device(2, true),
                                    make_device(3, true)}),
              "2");
    for (const std::vector<gpu::DeviceInfo>& devices :
         {std::vector<gpu::DeviceInfo>{}, {make_device(0, false), make_device(1, true, false)}})
        EXPECT_THAT([&] { find_software_device(devices); },
                    testing::ThrowsMessage<NoDevice>(testing::AllOf(
                        HasSubstr("software driver"), HasSubstr("Install mesa-vulkan-drivers"))));
}

class ReferenceLabTest : public ::testing::Test {
 protected:
    ReferenceLabTest() {
        register_lesson(text_lesson::load_lesson(std::filesystem::path(GRIDSTRIDE_SOURCE_DIR) /
                                                 "tests/text_lesson/folders/sides"));
    }

    static Request request(std::uint64_t elements = 1000) {
        const Lesson& lesson = *find_lesson("sides");
        Request request{.experiment = default_experiment(lesson)};
        request.experiment.variant = lesson.references.front().id;
        request.experiment.values.set("elements", elements);
        request.sampling.measure = false;
        request.deadline_seconds = never_seconds;
        return request;
    }
    /// Returns a copy, because the arrays belong to the process.
    static std::vector<std::uint32_t> results(const Report& report) {
        const auto numbers = get(report.outputs, "results").as<std::uint32_t>();
        return {numbers.begin(), numbers.end()};
    }

    ReferenceLab lab_{program()};
    Control control_;
};

TEST_F(ReferenceLabTest, ComputesSeveralReferencesInOneProcess) {
    const Report first = lab_.run(request(), control_);
    ASSERT_EQ(first.status, Status::ok) << first.message;
    const auto trips = get(first.input, "trips").as<std::uint32_t>();
    for (std::uint32_t i = 0; i < 1000; ++i) {
        std::uint32_t x = i;
        for (std::uint32_t round = 0; round < trips[i]; ++round)
            x = i % 2 == 0 ? x * 5 + 1 : x * 7 + 3;
        ASSERT_EQ(results(first)[i], x) << i;
    }
    const std::set<pid_t> labs = children();
    EXPECT_EQ(labs.size(), 1U);
    EXPECT_EQ(results(lab_.run(request(77), control_)).size(), 77U);
    EXPECT_EQ(children(), labs);
    lab_.stop();
    EXPECT_EQ(children().size(), 0U);
    EXPECT_EQ(results(lab_.run(request(7), control_)).size(), 7U) << "in a new process";
}

TEST_F(ReferenceLabTest, StopEndsTheWaitButNotTheLab) {
    ASSERT_EQ(lab_.run(request(), control_).status, Status::ok);
    signal_labs(SIGSTOP);  // acts like a kernel that never ends
    std::thread stop([&] {
        std::this_thread::sleep_for(milliseconds(200));
        control_.is_cancelled = true;
    });
    EXPECT_THROW(lab_.run(request(), control_), RunAborted);
    stop.join();
    control_.is_cancelled = false;
    EXPECT_EQ(lab_.run(request(), control_).status, Status::ok);
}

TEST_F(ReferenceLabTest, ReplacesAHangingLabAfterTheDeadline) {
    ASSERT_EQ(lab_.run(request(), control_).status, Status::ok);
    signal_labs(SIGSTOP);
    Request hanging = request();
    hanging.deadline_seconds = 0.4;
    const Report report = lab_.run(hanging, control_);
    EXPECT_EQ(report.status, Status::timed_out);
    EXPECT_THAT(report.message, HasSubstr("deadline of 0.4 s"));
    EXPECT_EQ(lab_.run(request(), control_).status, Status::ok);
}

TEST_F(ReferenceLabTest, RunDeadlineEndsTheWait) {
    ASSERT_EQ(lab_.run(request(), control_).status, Status::ok);
    signal_labs(SIGSTOP);
    control_.deadline = std::chrono::steady_clock::now() + milliseconds(200);
    EXPECT_THROW(lab_.run(request(), control_), RunAborted);
    control_.deadline = std::chrono::steady_clock::time_point::max();
    EXPECT_EQ(lab_.run(request(), control_).status, Status::ok);
}

}  // namespace gridstride::lab::reference_lab_test
