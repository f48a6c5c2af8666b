#include "softmax/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/error.h"
#include "base/parallel_for.h"
#include "base/units.h"
#include "lesson/stock.h"

namespace gridstride::lessons::softmax {

namespace {

// u, one ulp relative to the smallest number of its binade. The Vulkan specification allows ("Precision and
// Operation of SPIR-V Instructions"): an addition or multiplication u / 2, a division 2.5 u, inversesqrt 2 u,
// exp(x) (3 + 2 |x|) u.
constexpr double u = 0x1p-23, smallest_normal = std::numeric_limits<float>::min();

/// As in shaders/softmax/online.glsl: how far below a number of the row what is subtracted may be.
constexpr double slack = 8;

/// Of a sum over a row: the additions that a number goes through. A lane adds up what it holds, then the
/// rounds, then the lanes of a subgroup are added up, and of the workgroup's subgroups each lane's, and
/// these.
double rounding_of_sum(const Values& values, const Team& team, std::uint64_t lanes) {
    const std::uint64_t chain = team.quads_each + 2 + team.rounds + 2 * lanes + team.merges;
    return tolerance_of_f32_sum(chain, values[key::columns]).relative;
}

/// work(number of a row, its numbers) for each of the rows, on all cores.
template <class Work>
void for_each_row(const Input& input, const Values& values, Work work) {
    const auto x = get(input, "x").as<float>();
    const std::uint64_t columns = values[key::columns];
    parallel_for(values[key::rows], divide_up(std::uint64_t{1} << 14, columns),
                 [&](std::size_t begin, std::size_t end) {
                     for (std::size_t row = begin; row < end; ++row)
                         work(row, x.subspan(row * columns, columns));
                 });
}

struct RowOfShares {
    double maximum = 0, sum = 0, mean_depth = 0;
};
/// mean_depth: how far the numbers lie below the maximum, as a mean in which each counts by its share.
RowOfShares look_at(std::span<const float> row) {
    RowOfShares found{.maximum = *std::ranges::max_element(row)};
    for (const float number : row) {
        const double depth = found.maximum - number, e = std::exp(-depth);
        found.sum += e;
        if (e > 0) found.mean_depth += depth * e;
    }
    found.mean_depth /= found.sum;
    return found;
}

/// Of the share of a number d below its row's maximum, relative to it, in u. What a kernel subtracts, m, is
/// at most `slack` below the row's maximum, and so is every m of a part that it has merged on the way. From a
/// number over those to the last m it is d + 2 slack at most, and along that way:
///
///   each difference x - m is rounded, which e^(x - m) has as an error of |x - m| / 2   0.5 (d + 2 slack)
///   what exp() allows for its argument                                                  2 (d + 2 slack)
///   and for each call: the number's own; one each time that m rises by `slack` or more, (d + 2 slack) /
///   slack; one for each merge; 3.5 with the product
///
/// The numerator goes along it in two calls at most, of which the last is by the row's own m. In the sum a
/// number of depth d counts by its share, so there it is mean_depth. Division and last product 3.5, and the
/// reference's rounding 0.5.
double allowance(double depth, const RowOfShares& row, const Team& team) {
    const double numerator = 2.5 * (depth + 2 * slack) + 2 * 3.5;
    const double way = row.mean_depth + 2 * slack, merges = static_cast<double>(team.merges) + 2;
    return numerator + 2.5 * way + 3.5 * (1 + way / slack + merges) + 4;
}

/// exponent: of the numbers themselves beside that of their depth, where no maximum is subtracted; 0 or 1.
std::vector<Expected> shares(const Input& input, const Values& values, const Team& team, double exponent) {
    const std::size_t count = get(input, "x").count(), columns = values[key::columns];
    Array shares(ElementType::f32, count), allowed(ElementType::f64, count);
    const auto right = shares.as<float>();
    const auto scale = allowed.as<double>();
    const double of_sum = rounding_of_sum(values, team, 128);
    for_each_row(input, values, [&](std::size_t number, std::span<const float> row) {
        const RowOfShares found = look_at(row);
        const double more = of_sum / u + exponent * 5 * std::abs(found.maximum);
        for (std::size_t i = 0; i < columns; ++i) {
            const double depth = found.maximum - row[i], share = std::exp(-depth) / found.sum;
            right[number * columns + i] = static_cast<float>(share);
            scale[number * columns + i] = share > 0 ? share * (allowance(depth, found, team) + more) : 0;
        }
    });
    // A factor that underflows is lost where a number may be e^slack times larger than what it is multiplied
    // with.
    return {{"shares",
             share(std::move(shares)),
             {2 * smallest_normal * std::exp(slack), u},
             share(std::move(allowed))}};
}

}  // namespace

std::vector<Expected> shares_of_rows(const Input& input, const Values& values, const Team& team) {
    return shares(input, values, team, 0);
}
std::vector<Expected> shares_without_maximum(const Input& input, const Values& values, const Team& team) {
    return shares(input, values, team, 1);
}

namespace {

[[noreturn]] void refuse_number(std::span<const float> x, const float& number, std::size_t columns,
                                std::string_view why) {
    throw Refusal(fmt::format("{}: {:g}, and {}. Choose a variant of softmax, or replace the number.",
                              place_in_matrix(static_cast<std::size_t>(&number - x.data()), columns), number,
                              why));
}

void require_squarable(const Input& input, std::size_t columns) {
    for (const auto x = get(input, "x").as<float>(); const float& number : x)
        if (std::isfinite(number) && std::abs(number) > largest_squarable)
            refuse_number(x, number, columns,
                          fmt::format("the squares of numbers beyond {:g} may add up to more than f32 holds",
                                      largest_squarable));
}

}  // namespace

/// A square is rounded once, the root keeps half of the sum's relative error, sqrt is 1 / inversesqrt, and
/// squares below the smallest normal number may be taken for 0.
std::vector<Expected> norms_of_rows(const Input& input, const Values& values, const Team& team) {
    require_squarable(input, values[key::columns]);
    Array norms(ElementType::f64, values[key::rows]);
    const auto right = norms.as<double>();
    for_each_row(input, values, [&](std::size_t number, std::span<const float> row) {
        double sum = 0;
        for (const float one : row)
            sum += double{one} * one;
        right[number] = std::sqrt(sum);
    });
    const auto columns = static_cast<double>(values[key::columns]);
    return {
        {"norms",
         share(std::move(norms)),
         {std::sqrt((columns + 1) * smallest_normal), (rounding_of_sum(values, team, 128) + u) / 2 + 5 * u}}};
}

/// With X the row's largest magnitude and s the root of variance and epsilon: a mean is a sum, and each merge
/// of two means rounds to 5 u of the larger of them, so the mean is off by e = (sum + 5 u merges) X. The
/// squared distances are off by the sum's rounding, by 10 u for each merge, and by what e makes of them:
/// relative to the variance v that is 4 e sqrt(v) + 4 e^2 at most. Half of it is in the root, with 3 u for
/// that and the last product.
std::vector<Expected> layer_norms(const Input& input, const Values& values, const Team& team) {
    const std::size_t count = get(input, "x").count(), columns = values[key::columns];
    Array normed(ElementType::f64, count), allowed(ElementType::f64, count);
    const auto right = normed.as<double>(), scale = allowed.as<double>();
    const double of_sum = rounding_of_sum(values, team, 128),
                 merges = static_cast<double>(team.rounds + team.merges) + 3;
    require_squarable(input, columns);
    for (const auto x = get(input, "x").as<float>(); const float& number : x)
        if (!std::isfinite(number)) refuse_number(x, number, columns, "a row with it has no mean");
    for_each_row(input, values, [&](std::size_t number, std::span<const float> row) {
        double sum = 0, squares = 0, largest = 0;
        for (const float one : row) {
            sum += one;
            largest = std::max(largest, std::abs(double{one}));
        }
        const double mean = sum / static_cast<double>(columns);
        for (const float one : row)
            squares += (one - mean) * (one - mean);
        const double variance = squares / static_cast<double>(columns),
                     deviation = std::sqrt(variance + layer_norm_epsilon);
        const double of_mean = (of_sum + 5 * u * merges) * largest;
        const double of_variance =
            variance * (of_sum + 10 * u * merges) + 4 * of_mean * (std::sqrt(variance) + of_mean);
        for (std::size_t i = 0; i < columns; ++i) {
            const double y = (row[i] - mean) / deviation;
            right[number * columns + i] = y;
            scale[number * columns + i] = (of_mean + u * std::abs(row[i] - mean)) / deviation +
                                          std::abs(y) * (of_variance / 2 / (deviation * deviation) + 4 * u);
        }
    });
    return {{"normed", share(std::move(normed)), {smallest_normal, 1}, share(std::move(allowed))}};
}

/// With L the answer, M the row's maximum and S = e^(L - M): S is off by what its sum rounds to in any order,
/// by what exp() and the differences allow as above, and by 64 times that a larger maximum scales it down, as
/// where numbers come one by one: of n numbers in random order about ln n are larger than all before. What S
/// is off, relative, log(S) is off, absolute; log itself by 3 ulp outside 0.5 to 2, and 2^-21 there, and the
/// sum by half an ulp.
std::vector<Expected> log_sums_of_rows(const Input& input, const Values& values) {
    Array sums(ElementType::f64, values[key::rows]), allowed(ElementType::f64, values[key::rows]);
    const auto right = sums.as<double>(), scale = allowed.as<double>();
    const std::uint64_t columns = values[key::columns];
    const double of_sum = tolerance_of_f32_sum(columns, columns).relative;
    for_each_row(input, values, [&](std::size_t number, std::span<const float> row) {
        const RowOfShares found = look_at(row);
        right[number] = found.maximum + std::log(found.sum);
        const double of_exponentials = (3.5 * (64 + 2) + 3 * found.mean_depth) * u;
        scale[number] =
            of_sum + of_exponentials + 4 * u * std::log(found.sum) + 4 * u + u * std::abs(right[number]);
    });
    return {{"log_sums", share(std::move(sums)), {0, 1}, share(std::move(allowed))}};
}

}  // namespace gridstride::lessons::softmax
