#include "lesson/slices.h"

#include <gtest/gtest.h>

#include <random>

namespace gridstride {
namespace {

Dispatch launch(std::uint64_t elements, std::uint64_t count, std::uint64_t tile, std::uint64_t per_pass = 1,
                std::uint64_t once = 0) {
    Dispatch dispatch;
    dispatch.label = "test";
    dispatch.workgroup_count = count;
    dispatch.elements = elements;
    dispatch.elements_per_workgroup = tile;
    dispatch.iterations_per_pass = per_pass;
    dispatch.iterations_once = once;
    dispatch.bindings = {{0, Access::read, true}};
    return dispatch;
}

const std::vector<BufferSpec> buffers = {{"numbers", ElementType::u32, 1, false}};

/// What every slicing must keep, whatever the launch.
void expect_sound(const Dispatch& dispatch, const Slicing& slicing, const Limits& limits) {
    ASSERT_TRUE(slicing.refusal.empty()) << slicing.refusal;
    ASSERT_FALSE(slicing.slices.empty());
    const std::uint64_t pass = dispatch.workgroup_count * dispatch.elements_per_workgroup;
    std::uint64_t next = 0;
    std::uint64_t fresh_workgroups = 0;
    for (const Slice& slice : slicing.slices) {
        if (slice.count > 0) {
            EXPECT_EQ(slice.first, next) << "consecutive, and nothing twice";
            EXPECT_EQ(slice.first * 4 % std::max<std::uint64_t>(limits.binding_alignment, 16), 0u);
        }
        next += slice.count;
        EXPECT_LE(slice.count * 4, limits.max_binding_bytes);
        EXPECT_LE(slice.first_workgroup + slice.workgroups, dispatch.workgroup_count);
        if (slice.fresh) fresh_workgroups += slice.workgroups;
        if (slice.count > 0) {
            EXPECT_EQ(slice.first % pass, slice.first_workgroup * dispatch.elements_per_workgroup)
                << "element e belongs to workgroup (e / tile) % count";
            EXPECT_EQ(slice.fresh, slice.first < pass);
        }
        const std::uint64_t slice_pass = slice.workgroups * dispatch.elements_per_workgroup;
        const std::uint64_t passes = (slice.count + slice_pass - 1) / slice_pass;
        if (limits.loop_iterations > 0) {
            EXPECT_LE(passes * dispatch.iterations_per_pass + dispatch.iterations_once,
                      limits.loop_iterations);
        }
        if (slice.workgroups != dispatch.workgroup_count) {
            EXPECT_LE(passes, 1u) << "a part of a pass is at most one pass for its workgroups";
        }
    }
    EXPECT_EQ(next, dispatch.elements);
    EXPECT_EQ(fresh_workgroups, dispatch.workgroup_count)
        << "every workgroup leaves a first result exactly once";
}

TEST(Slices, ASmallLaunchIsOneSlice) {
    const Dispatch dispatch = launch(1024, 8, 128);
    const Slicing slicing = slice(dispatch, buffers, Limits{});
    expect_sound(dispatch, slicing, Limits{});
    EXPECT_EQ(slicing.slices.size(), 1u);
}

TEST(Slices, OneInvocationOverAMillionIsCutForTheLoopCap) {
    Limits limits;
    limits.loop_iterations = 65535;
    const Dispatch dispatch = launch(1'000'003, 1, 1, 2, 3);
    const Slicing slicing = slice(dispatch, buffers, limits);
    expect_sound(dispatch, slicing, limits);
    EXPECT_GT(slicing.slices.size(), 15u);
}

TEST(Slices, AnInputLargerThanABindingIsCut) {
    Limits limits;  // 128 MiB
    const Dispatch dispatch = launch(100'000'000, 65535, 128);
    const Slicing slicing = slice(dispatch, buffers, limits);
    expect_sound(dispatch, slicing, limits);
    EXPECT_GT(slicing.slices.size(), 2u);
}

TEST(Slices, APassLargerThanABindingIsCutInside) {
    Limits limits;
    for (const std::uint64_t elements : {40'000'000u, 200'000'000u, 67'000'001u}) {
        const Dispatch dispatch = launch(elements, 65535, 1024);
        expect_sound(dispatch, slice(dispatch, buffers, limits), limits);
    }
}

TEST(Slices, AnUnslicedBindingTooLargeIsRefusedByName) {
    Dispatch dispatch = launch(8, 1, 8);
    dispatch.bindings.push_back({1, Access::write, false});
    const std::vector<BufferSpec> two = {{"numbers", ElementType::u32, 8, false},
                                         {"huge", ElementType::f32, 1u << 26, true}};
    const Slicing slicing = slice(dispatch, two, Limits{});
    EXPECT_NE(slicing.refusal.find("huge"), std::string::npos) << slicing.refusal;
    EXPECT_NE(slicing.refusal.find("maxStorageBufferRange"), std::string::npos);
}

TEST(Slices, APassThatNeedsMoreIterationsThanTheCapIsRefused) {
    Limits limits;
    limits.loop_iterations = 65535;
    EXPECT_FALSE(slice(launch(10, 1, 1, 70000), buffers, limits).refusal.empty());
}

TEST(Slices, ThousandsOfRandomLaunchesAreSound) {
    std::mt19937_64 random(20261121);
    const auto any = [&](std::uint64_t low, std::uint64_t high) { return low + random() % (high - low + 1); };
    int refused = 0;
    for (int i = 0; i < 5000; ++i) {
        Limits limits;
        limits.loop_iterations = any(0, 1) == 0 ? 0 : 65535;
        limits.binding_alignment = std::uint64_t{1} << any(2, 8);
        limits.max_binding_bytes = std::uint64_t{1} << any(20, 27);
        const std::uint64_t size = any(1, 1024);
        const Dispatch dispatch = launch(any(1, 1u << any(1, 27)), any(1, 65535),
                                         size * (std::uint64_t{1} << any(0, 2)), any(1, 14), any(0, 200));
        const Slicing slicing = slice(dispatch, buffers, limits);
        if (!slicing.refusal.empty()) {
            ++refused;
            continue;
        }
        expect_sound(dispatch, slicing, limits);
        if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "launch " << i;
    }
    EXPECT_LT(refused, 2500) << "most launches can be cut";
}

}  // namespace
}  // namespace gridstride
