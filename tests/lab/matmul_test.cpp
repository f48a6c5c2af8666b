// Tests the matrix product on this machine's device: with sizes that are not multiples of a tile, and with
// large ones that the judge checks by rows.

#include "lab/device_case.h"
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

TEST_F(MatmulTest, WrongLargeProductIsReportedWithoutItsReference) {
    Request request = product("coalesced", {700, 650, 600});
    request.experiment.kernel = KernelSource{R"(#version 450
#extension GL_GOOGLE_include_directive : require
#include "matmul/matrices.glsl"
void main() {
    for (uint row = gl_GlobalInvocationID.y; row < launch.count; row += grid_rows())
        for (uint column = gl_GlobalInvocationID.x; column < launch.columns; column += grid_columns())
            leave(row, column, 77.0);
}
)",
                                             "wrong.comp", ""};
    const Report report = run(std::move(request));
    ASSERT_EQ(report.status, Status::mismatch) << report.message;
    EXPECT_TRUE(report.expected.empty()) << "the judge computes only some rows";
}

/// Products that are checked by rows. A kernel computes one at most; what is wrong is changed on the host,
/// since a user's kernel of so many loops takes a software driver half a minute.
class LargeProduct : public DeviceTest {
 protected:
    void SetUp() override { GRIDSTRIDE_ONCE(); }

    void compute(const Triple& size, UserData user_data = {}) {
        const Lesson& lesson = *find_lesson("matmul");
        Experiment experiment = default_experiment(lesson);
        experiment.variant = "warp_tile";
        experiment.input = std::move(user_data);
        for (const auto& [id, extent] : {std::pair{"m", size.m}, {"n", size.n}, {"k", size.k}})
            experiment.values.set(id, extent);
        const PreparedExperiment prepared = prepare(lesson, experiment, device_.limits());
        require_valid(prepared);
        input_ = prepared.make_input();
        expected_ = prepared.task.reference(input_, prepared);
        const Outputs outputs = run(prepared.plan, input_);
        const auto numbers = get(outputs, "c").as<float>();
        c_.assign(numbers.begin(), numbers.end());
    }
    OutputComparison judged(const std::vector<float>& c) const {
        return judge(expected_.front(), {{"c", array_of(c)}});
    }

    Input input_;  ///< which the judge reads again
    std::vector<Expected> expected_;
    std::vector<float> c_;
};

TEST_F(LargeProduct, IndexOfAWrongElementIsReported) {
    compute({700, 650, 600});
    EXPECT_TRUE(judged(c_).is_right);
    constexpr std::size_t wrong = 333 * 650 + 77;
    const float right = c_[wrong];
    c_[wrong] += 0x1p-8F;
    const OutputComparison comparison = judged(c_);
    ASSERT_FALSE(comparison.is_right);
    EXPECT_EQ(comparison.first_mismatch->index, wrong);
    EXPECT_EQ(comparison.first_mismatch->reference, right);
    EXPECT_EQ(comparison.first_mismatch->gpu - comparison.first_mismatch->reference, 0x1p-8);
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

TEST_F(LargeProduct, MissingRowsOfUserNumbersAreFound) {
    constexpr std::size_t columns = 600;
    compute({1, columns, 1}, normal_numbers(32, 16384));
    EXPECT_TRUE(judged(c_).is_right);
    EXPECT_THAT(expected_.front().note, Mentions("expected rounding error"));
    std::vector<float> missing = c_;
    for (std::size_t i = 0; i < missing.size(); ++i)
        if (i / columns % 4 != 0) missing[i] = 0;
    EXPECT_FALSE(judged(missing).is_right);
    c_[13 * columns + 77] += 1000;
    EXPECT_FALSE(judged(c_).is_right);
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
