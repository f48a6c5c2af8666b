#include "launch/slices.h"

#include "test_includes.h"

namespace gridstride::slices_test {

Dispatch launch(const Extent& domain, const Extent& grid, const Extent& tile, std::uint64_t per_pass = 1,
                std::uint64_t once = 0) {
    Dispatch dispatch;
    dispatch.label = "test";
    dispatch.workgroup = tile;
    dispatch.grid = grid;
    dispatch.domain = domain;
    dispatch.tile = tile;
    dispatch.iterations_per_pass = per_pass;
    dispatch.iterations_once = once;
    dispatch.bindings = {{0, Access::read, true}};
    return dispatch;
}
Dispatch launch(std::uint64_t elements, std::uint64_t count, std::uint64_t tile, std::uint64_t per_pass = 1,
                std::uint64_t once = 0) {
    return launch(Extent{elements}, Extent{count}, Extent{tile}, per_pass, once);
}

const std::vector<BufferSpec> buffers = {{"numbers", ElementType::u32, {1}, false}};

/// Checks the invariants of every slicing. A launch is cut between elements, rows or layers, by its number of
/// dimensions.
void expect_sound(const Dispatch& dispatch, const Slicing& slicing, const Limits& limits) {
    ASSERT_TRUE(slicing.refusal.empty()) << slicing.refusal;
    ASSERT_FALSE(slicing.slices.empty());
    const unsigned cut = dispatch.domain.dimensions() - 1;
    const std::uint64_t tile = dispatch.tile.along(cut), grid = dispatch.grid.along(cut);
    const std::uint64_t pass = grid * tile;
    std::uint64_t bytes = 4;   // per row or layer
    std::uint64_t beside = 1;  // passes in the other dimensions
    for (unsigned i = 0; i < cut; ++i) {
        bytes *= dispatch.domain.along(i);
        beside *=
            divide_up(divide_up(dispatch.domain.along(i), dispatch.tile.along(i)), dispatch.grid.along(i));
    }
    std::uint64_t next = 0;
    std::uint64_t fresh_workgroups = 0;
    for (const Slice& slice : slicing.slices) {
        if (slice.count > 0) {
            EXPECT_EQ(slice.first, next) << "consecutive, and nothing twice";
            EXPECT_EQ(slice.first * bytes % std::max<std::uint64_t>(limits.binding_alignment, 16), 0u);
        }
        next += slice.count;
        EXPECT_LE(slice.count * bytes, limits.max_binding_bytes);
        EXPECT_LE(slice.first_workgroup + slice.workgroups, grid);
        if (slice.is_first) fresh_workgroups += slice.workgroups;
        if (slice.count > 0) {
            EXPECT_EQ(slice.first % pass, slice.first_workgroup * tile)
                << "element e belongs to workgroup (e / tile) % count";
            EXPECT_EQ(slice.is_first, slice.first < pass);
        }
        const std::uint64_t passes = divide_up(slice.count, slice.workgroups * tile);
        if (limits.loop_iterations > 0) {
            EXPECT_LE(passes * beside * dispatch.iterations_per_pass + dispatch.iterations_once,
                      limits.loop_iterations);
        }
        if (slice.workgroups != grid) {
            EXPECT_LE(passes, 1u) << "a part of a pass is at most one pass for its workgroups";
        }
    }
    EXPECT_EQ(next, dispatch.domain.along(cut));
    EXPECT_EQ(fresh_workgroups, grid) << "every workgroup leaves a first result exactly once";
}

TEST(Slices, SmallLaunchIsOneSlice) {
    const Dispatch dispatch = launch(1024, 8, 128);
    const Slicing slicing = slice(dispatch, buffers, Limits{});
    expect_sound(dispatch, slicing, Limits{});
    EXPECT_EQ(slicing.slices.size(), 1u);
}

TEST(Slices, SplitsALongLoopAtTheLoopCap) {
    Limits limits;
    limits.loop_iterations = 65535;
    const Dispatch dispatch = launch(1'000'003, 1, 1, 2, 3);
    const Slicing slicing = slice(dispatch, buffers, limits);
    expect_sound(dispatch, slicing, limits);
    EXPECT_GT(slicing.slices.size(), 15u);
}

TEST(Slices, SplitsInputsLargerThanABinding) {
    Limits limits;  // the default binding limit is 128 MiB
    const Dispatch dispatch = launch(100'000'000, 65535, 128);
    const Slicing slicing = slice(dispatch, buffers, limits);
    expect_sound(dispatch, slicing, limits);
    EXPECT_GT(slicing.slices.size(), 2u);
}

TEST(Slices, SplitsPassesLargerThanABinding) {
    Limits limits;
    for (const std::uint64_t elements : {40'000'000u, 200'000'000u, 67'000'001u}) {
        const Dispatch dispatch = launch(elements, 65535, 1024);
        expect_sound(dispatch, slice(dispatch, buffers, limits), limits);
    }
}

TEST(Slices, RefusesAnUnslicedBindingThatIsTooLarge) {
    Dispatch dispatch = launch(8, 1, 8);
    dispatch.bindings.push_back({1, Access::write, false});
    const std::vector<BufferSpec> two = {{"numbers", ElementType::u32, {8}, false},
                                         {"huge", ElementType::f32, {1u << 26}, true}};
    const Slicing slicing = slice(dispatch, two, Limits{});
    EXPECT_NE(slicing.refusal.find("huge"), std::string::npos) << slicing.refusal;
    EXPECT_NE(slicing.refusal.find("maxStorageBufferRange"), std::string::npos);
}

TEST(Slices, RefusesPassesBeyondTheLoopCap) {
    Limits limits;
    limits.loop_iterations = 65535;
    EXPECT_FALSE(slice(launch(10, 1, 1, 70000), buffers, limits).refusal.empty());
}

TEST(Slices, RandomLaunchesHaveValidSlices) {
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
    EXPECT_LT(refused, 2500) << "most launches can be split";
}

/// A picture with 300 elements, or 1 200 bytes, per row.
Dispatch picture(const Extent& grid, std::uint64_t per_pass = 1) {
    return launch({300, 200}, grid, {16, 16}, per_pass);
}

/// Checks that the slices are these, each given as its first row and its number of rows.
void expect_rows(const Dispatch& dispatch, const Limits& limits,
                 const std::vector<std::pair<std::uint64_t, std::uint64_t>>& rows) {
    const Slicing slicing = slice(dispatch, buffers, limits);
    expect_sound(dispatch, slicing, limits);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    std::vector<int> times(200);
    for (const Slice& slice : slicing.slices) {
        found.emplace_back(slice.first, slice.count);
        for (std::uint64_t row = slice.first; row < slice.first + slice.count; ++row)
            ++times.at(row);
    }
    EXPECT_EQ(found, rows);
    EXPECT_EQ(times, std::vector<int>(200, 1)) << "every row once";
}

TEST(Slices, SmallPictureIsOneSlice) {
    expect_rows(picture({19, 13}), Limits{}, {{0, 200}});
}

TEST(Slices, SplitsLargePicturesByRows) {
    Limits limits;
    limits.max_binding_bytes = 100'000;  // 83 rows fit; every 16th begins at a multiple of 256 bytes
    // One pass covers the picture, so it is cut between workgroups.
    expect_rows(picture({19, 13}), limits, {{0, 80}, {80, 80}, {160, 40}});
    // One pass covers 32 rows, so the picture is cut between passes.
    expect_rows(picture({19, 2}), limits, {{0, 64}, {64, 64}, {128, 64}, {192, 8}});
    limits.max_binding_bytes = 1000;
    EXPECT_FALSE(slice(picture({19, 13}), buffers, limits).refusal.empty()) << "less than a row";
}

TEST(Slices, SplitsPicturesWithLongLoopsByRows) {
    Limits limits;
    limits.loop_iterations = 65535;
    // A band of rows takes seven passes of 3 000 iterations, and three such bands stay below the limit.
    expect_rows(picture({3, 2}, 3000), limits, {{0, 96}, {96, 96}, {192, 8}});
    EXPECT_FALSE(slice(picture({3, 2}, 10'000), buffers, limits).refusal.empty())
        << "the passes of one band exceed the loop limit";
}

TEST(Slices, RandomPicturesAndVolumesHaveValidSlices) {
    std::mt19937_64 random(20261121);
    const auto any = [&](std::uint64_t low, std::uint64_t high) { return low + random() % (high - low + 1); };
    int refused = 0, cut = 0;
    for (int i = 0; i < 5000; ++i) {
        Limits limits;
        limits.loop_iterations = any(0, 1) == 0 ? 0 : 65535;
        limits.binding_alignment = std::uint64_t{1} << any(2, 8);
        limits.max_binding_bytes = std::uint64_t{1} << any(12, 20);
        const bool volume = any(0, 1) == 1;
        const auto along = [&] { return any(1, std::uint64_t{1} << any(1, volume ? 7 : 11)); };
        const auto size = [&] { return std::uint64_t{1} << any(0, 4); };
        const Extent domain{along(), along(), volume ? along() : 0};
        const Extent tile{size() * size(), size(), volume ? size() : 0};
        const auto workgroups = [&](unsigned dimension) {
            return any(1, divide_up(domain.along(dimension), tile.along(dimension)) + 1);
        };
        const Dispatch dispatch = launch(domain, {workgroups(0), workgroups(1), volume ? workgroups(2) : 0},
                                         tile, any(1, 14), any(0, 200));
        const Slicing slicing = slice(dispatch, buffers, limits);
        if (!slicing.refusal.empty()) {
            ++refused;
            continue;
        }
        if (slicing.slices.size() > 1) ++cut;
        expect_sound(dispatch, slicing, limits);
        if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "launch " << i;
    }
    EXPECT_LT(refused, 2500) << "most launches can be split";
    EXPECT_GT(cut, 100) << "some launches must be split";
}

}  // namespace gridstride::slices_test
