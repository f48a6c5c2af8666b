#include "client/doctor.h"

#include "test_includes.h"

namespace gridstride::lab::doctor_test {

using testing::HasSubstr;

TEST(LoopCap, ProbeFindsTheCapOfTheDriver) {
    gpu::Device device;
    EXPECT_EQ(probe_loop_cap(device, 1), 1U);
    EXPECT_EQ(probe_loop_cap(device, 1000), 1000U);
    const std::uint64_t assumed = device.limits().loop_iterations;
    const std::uint64_t found = probe_loop_cap(device, 1u << 20);
    EXPECT_EQ(found, assumed == 0 ? 1u << 20 : assumed) << "the driver does not do what Limits says";
}

TEST(LoopCap, LowerThanAssumedIsAProblem) {
    const Check unknown = evaluate_loop_cap(65535, 1 << 20, 0);
    EXPECT_EQ(unknown.status, CheckStatus::problem);
    EXPECT_THAT(unknown.advice, HasSubstr("wrong results"));
    const Check earlier = evaluate_loop_cap(1000, 1 << 20, 65535);
    EXPECT_EQ(earlier.status, CheckStatus::problem);
    EXPECT_FALSE(earlier.advice.empty());
}

TEST(LoopCap, HigherThanAssumedIsAWarning) {
    EXPECT_EQ(evaluate_loop_cap(1 << 20, 1 << 20, 65535).status, CheckStatus::warning);
    EXPECT_EQ(evaluate_loop_cap(70000, 1 << 20, 65535).status, CheckStatus::warning);
}

TEST(LoopCap, EqualToAssumedIsOk) {
    for (const Check& check :
         {evaluate_loop_cap(65535, 1 << 20, 65535), evaluate_loop_cap(1 << 20, 1 << 20, 0)}) {
        EXPECT_EQ(check.status, CheckStatus::ok) << check.value;
        EXPECT_EQ(check.advice, "");
    }
}

TEST(Doctor, ChecksHaveUniqueIdsAndAdvice) {
    const DeviceFindings nothing = check_devices("no such device");
    EXPECT_FALSE(nothing.is_usable);
    EXPECT_EQ(nothing.checks.back().status, CheckStatus::problem);
    EXPECT_THAT(nothing.checks.back().advice, HasSubstr("no such device"));

    const DeviceFindings found = check_devices("");
    EXPECT_TRUE(found.is_usable);
    EXPECT_FALSE(found.hangs);
    std::set<std::string> ids;
    for (const Check& check : found.checks) {
        EXPECT_TRUE(ids.insert(check.id).second) << check.id << " is listed twice";
        EXPECT_NE(check.value, "") << check.id;
        EXPECT_EQ(check.advice.empty(), check.status == CheckStatus::ok) << check.id;
        EXPECT_NE(check.status, CheckStatus::problem) << check.id << ": " << check.value;
    }
    for (const char* id : {"loader", "device_0", "loop_cap", "timestamps", "copy_ceiling"})
        EXPECT_TRUE(ids.contains(id)) << id;
}

}  // namespace gridstride::lab::doctor_test
