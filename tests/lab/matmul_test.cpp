// Tests the matrix product on this machine's device: with sizes that are not multiples of a tile, and with
// large ones that the judge checks by rows.

#include "lab/reduction_lab.h"

namespace gridstride::lab::matmul_test {

struct Triple {
    std::uint64_t m, n, k;
};

class MatmulTest : public ReductionLab {
 protected:
    void SetUp() override { GRIDSTRIDE_ONCE(); }
    static const Lesson& matmul() { return *find_lesson("matmul"); }
    static Request product(const std::string& variant, const Triple& size,
                           const std::string& transposed = "none") {
        return request_of("matmul", variant,
                          {{"m", size.m}, {"n", size.n}, {"k", size.k}, {"transposed", transposed}});
    }
    static void expect_right(const Triple& size, const std::string& transposed) {
        for (const Variant& variant : matmul().variants) {
            Request request = product(variant.id, size, transposed);
            request.experiment.values.set("workgroup", Extent{8, 8});
            const Report report = run(std::move(request));
            EXPECT_EQ(report.status, Status::ok)
                << variant.id << " m = " << size.m << " n = " << size.n << " k = " << size.k << " transposed "
                << transposed << ": " << report.message;
        }
    }
};

/// These are 1 and the primes up to 70.
constexpr std::array<std::uint64_t, 20> sides{1,  2,  3,  5,  7,  11, 13, 17, 19, 23,
                                              29, 31, 37, 41, 43, 47, 53, 59, 61, 67};

std::vector<Triple> all_triples() {
    std::vector<Triple> all;
    for (const std::uint64_t m : sides)
        for (const std::uint64_t n : sides) {
            for (const std::uint64_t k : sides)
                all.push_back({m, n, k});
            constexpr std::uint64_t large = 1031;
            all.push_back({large, m, n});
            all.push_back({m, large, n});
            all.push_back({m, n, large});
        }
    return all;
}

TEST_F(MatmulTest, EveryVariantIsCorrectAtOddSizes) {
    constexpr std::array<const char*, 4> transposed{"none", "a", "b", "both"};
    std::vector<Triple> all = all_triples();
    std::ranges::shuffle(all, std::mt19937_64(20261125));
    all.resize(static_cast<std::size_t>(sample_of_runs(static_cast<int>(all.size()), 60)));
    for (std::size_t i = 0; i < all.size() && !HasFailure(); ++i)
        expect_right(all[i], transposed[i % 4]);
}

TEST_F(MatmulTest, EveryVariantIsCorrectAtMultiplesOfFour) {
    std::mt19937_64 random(7);
    const auto side = [&] { return random() % 3 == 0 ? 1 + random() % 70 : 4 * (1 + random() % 20); };
    constexpr std::array<const char*, 4> transposed{"none", "a", "b", "both"};
    for (int i = 0; i < sample_of_runs(500, 12) && !HasFailure(); ++i)
        expect_right({side(), side(), side()}, transposed[random() % 4]);
}

TEST_F(MatmulTest, LargeProductsAreComparedByRowsWithANote) {
    const Report report = run(product("prefetch", {700, 650, 600}));
    ASSERT_EQ(report.status, Status::ok) << report.message;
    EXPECT_THAT(report.notes, Contains(Mentions(700)));
    const Report small = run(product("prefetch", {64, 64, 64}));
    EXPECT_THAT(small.notes, IsEmpty());
}

TEST_F(MatmulTest, ReportsTheIndexOfAWrongElementInALargeProduct) {
    // All numbers except one are correct.
    Request request = product("coalesced", {700, 650, 600});
    request.experiment.kernel = KernelSource{R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"
void main() {
    for (uint row = gl_GlobalInvocationID.y; row < launch.count; row += grid_rows())
        for (uint column = gl_GlobalInvocationID.x; column < launch.columns; column += grid_columns()) {
            float sum = 0.0;
            for (uint p = 0; p < launch.k; ++p) sum += a_at(row, p) * b_at(p, column);
            leave(row, column, place_of(row) == 333 && column == 77 ? sum + 0.00390625 : sum);
        }
}
)",
                                             "one_wrong.comp", ""};
    const Report report = run(std::move(request));
    ASSERT_EQ(report.status, Status::mismatch) << report.message;
    ASSERT_TRUE(report.compare.first_mismatch);
    EXPECT_EQ(report.compare.first_mismatch->output, "c");
    EXPECT_EQ(report.compare.first_mismatch->index, 333u * 650 + 77);
    EXPECT_EQ(report.compare.first_mismatch->gpu - report.compare.first_mismatch->reference, 0x1p-8);
    EXPECT_TRUE(report.expected.empty()) << "the judge computes only some rows";
}

/// Returns a two-dimensional array of normally distributed numbers.
UserData normal_numbers(std::size_t rows, std::uint32_t columns) {
    std::vector<float> numbers(rows * columns);
    std::mt19937 random(3);
    std::normal_distribution<float> normal(0, 10);
    for (float& number : numbers)
        number = normal(random);
    UserData data;
    data.numbers = share(Array::of(std::span<const float>(numbers)));
    data.width = columns;
    return data;
}

TEST_F(MatmulTest, FindsMissingRowsOfALargeProductOfUserNumbers) {
    const auto product_of = [](const char* leaves) {
        Request request = product("coalesced", {1, 600, 1});
        request.experiment.input = normal_numbers(32, 16384);
        request.experiment.kernel = KernelSource{fmt::format(R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"
void main() {{
    for (uint row = gl_GlobalInvocationID.y; row < launch.count; row += grid_rows())
        for (uint column = gl_GlobalInvocationID.x; column < launch.columns; column += grid_columns()) {{
            float sum = 0.0;
            for (uint p = 0; p < launch.k; ++p) sum += a_at(row, p) * b_at(p, column);
            leave(row, column, {});
        }}
}}
)",
                                                             leaves),
                                                 "own.comp", ""};
        return run(std::move(request));
    };
    const Report right = product_of("sum");
    EXPECT_EQ(right.status, Status::ok) << right.message;
    EXPECT_THAT(right.notes, Contains(Mentions("expected rounding error")));
    EXPECT_EQ(product_of("place_of(row) % 4 == 0 ? sum : 0.0").status, Status::mismatch);
    EXPECT_EQ(product_of("place_of(row) == 13 && column == 77 ? sum + 1000.0 : sum").status,
              Status::mismatch);
}

TEST_F(MatmulTest, EveryVariantIsCorrectForAnyLaunch) {
    struct Launch {
        const char *workgroup, *grid, *results, *depth, *transposed;
    };
    for (const Launch& launch : {Launch{"7x1", "1x1", "4x8", "4", "none"},
                                 {"3x5", "2x3", "8x4", "12", "both"},
                                 {"16x16", "1x2", "4x4", "8", "a"}})
        for (const Variant& variant : matmul().variants) {
            Request request = product(variant.id, {61, 83, 50}, launch.transposed);
            for (const auto& [id, text] : {std::pair{"workgroup", launch.workgroup},
                                           {"grid", launch.grid},
                                           {"results", launch.results},
                                           {"depth", launch.depth}})
                request.experiment.values.set(id, parse(*find(matmul().parameters, id), text));
            const Report report = run(std::move(request));
            EXPECT_EQ(report.status, Status::ok)
                << variant.id << " " << launch.workgroup << ": " << report.message;
        }
}

TEST_F(MatmulTest, RoundedProductsAreWithinTheirBound) {
    for (const Variant& variant : matmul().variants) {
        Request request = product(variant.id, {1, 128, 1});
        request.experiment.input = normal_numbers(200, 300);
        const Report report = run(std::move(request));
        EXPECT_EQ(report.status, Status::ok) << variant.id << ": " << report.message;
        EXPECT_GT(report.compare.max_abs_error, 0) << "f32 must round these products";
        EXPECT_EQ(report.experiment.values[Key<std::uint64_t>{"k"}], 300u);
        EXPECT_EQ(report.experiment.values[Key<std::uint64_t>{"m"}], 200u);
    }
}

}  // namespace gridstride::lab::matmul_test
