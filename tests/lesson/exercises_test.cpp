// Tests the exercises without a GPU: their references against numbers computed here, and their plans.

#include "lesson/lesson_case.h"

namespace gridstride::exercises_test {

using namespace test;

/// Evaluates the reference of a lesson's exercise, at the lesson's defaults unless a setting is given.
class Judge {
 public:
    Judge(std::string_view lesson, std::string_view exercise)
        : lesson_(*find_lesson(lesson)),
          exercise_(*find_exercise(lesson_, exercise)),
          values_(lesson_.parameters) {}

    template <class T>
    Judge& set(std::string_view parameter, const T& value) {
        values_.set(parameter, value);
        return *this;
    }
    std::vector<Expected> of(const Input& input) {
        values_.set("elements", std::uint64_t{input.front().array->count()});
        const PreparedExperiment prepared = prepare_case(lesson_, values_, exercise_.id);
        require_valid(prepared);
        return prepared.task.reference(input, prepared);
    }
    Plan plan() const { return plan_of(lesson_, values_, exercise_.id); }

 private:
    const Lesson& lesson_;
    const Variant& exercise_;
    Values values_;
};

template <class T>
std::vector<T> numbers_of(const std::vector<Expected>& all, std::string_view output) {
    const Expected* const expected = expected_of(all, output);
    if (!expected) throw std::out_of_range("nothing is said of " + std::string(output));
    const auto numbers = expected->reference->as<T>();
    return {numbers.begin(), numbers.end()};
}

enum : std::uint32_t { as_u32 = 0, as_f32 = 1 };

TEST(Exercises, HaveValidPlansForOddLaunches) {
    // Exercises with workgroups of their own.
    const std::set<std::string_view> fixed = {"place_kept", "rescale", "pad", "fused"};
    for (const Lesson* lesson : all_lessons())
        for (const Variant& exercise : lesson->exercises)
            for (const Limits& limits : {software_device(), large_gpu()})
                for (const std::uint64_t elements : {1u, 2u, 33u, 1000u, 100003u})
                    for (const std::uint64_t size : {1u, 3u, 96u, 1024u})
                        for (const std::uint64_t grid : {0u, 1u, 3u}) {
                            SCOPED_TRACE(fmt::format("{}: {} elements, {} x {}, on a {}", exercise.id,
                                                     elements, grid, size,
                                                     limits.is_cpu ? "software device" : "GPU"));
                            const PreparedExperiment prepared = prepare_case(
                                *lesson, values_with(*lesson, {elements, size, grid}), exercise.id, limits);
                            EXPECT_NO_THROW(require_valid(prepared));
                            // A program sets its own launches' extents.
                            if (lesson->has_programs() || fixed.contains(exercise.id))
                                EXPECT_EQ(find_plan_error(prepared.plan), "");
                            else
                                expect_sound(prepared);
                        }
}

TEST(Exercises, AreNotListedAsVariants) {
    for (const Lesson* lesson : all_lessons())
        for (const Variant& exercise : lesson->exercises) {
            EXPECT_EQ(find_variant(*lesson, exercise.id), &exercise);
            for (const Variant& variant : lesson->variants) {
                EXPECT_NE(variant.id, exercise.id);
                EXPECT_NE(variant.kernel, exercise.solution);
            }
        }
}

TEST(Maximum, HasTheIndexOfItsFirstOccurrence) {
    Judge judge("reduction", "maximum_place");
    const auto expect = [&](const std::vector<std::uint32_t>& numbers, std::uint32_t maximum,
                            std::uint32_t place) {
        const std::vector<Expected> right = judge.of({{"numbers", array_of(numbers)}});
        EXPECT_THAT(numbers_of<std::uint32_t>(right, "maximum"), ElementsAre(maximum));
        EXPECT_THAT(numbers_of<std::uint32_t>(right, "place"), ElementsAre(place));
    };
    expect({7}, 7, 0);
    expect({0, 0, 0}, 0, 0);
    expect({3, 9, 1, 9, 9}, 9, 1);
    expect({1, 2, 3}, 3, 2);
    // These numbers are above 2^31 and differ by one, which an f32 could not represent.
    expect({0x7FFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFF}, 0xFFFFFFFF, 2);
}

TEST(Maximum, HandlesNegativeFloats) {
    Judge judge("reduction", "maximum_place");
    const std::vector<Expected> right = judge.set("element_type", ChoiceIndex{as_f32})
                                            .of({{"numbers", array_of<float>({-3, -0.5f, -0.5f, -8})}});
    EXPECT_THAT(numbers_of<float>(right, "maximum"), ElementsAre(-0.5f));
    EXPECT_THAT(numbers_of<std::uint32_t>(right, "place"), ElementsAre(1));
}

TEST(Maximum, HostStepCombinesTheResultsOfWorkgroups) {
    constexpr std::uint32_t nowhere = 0xFFFFFFFF;
    const auto best = [](const Plan& plan, const ArrayRef& largests,
                         const std::vector<std::uint32_t>& places) {
        std::vector<Array> outputs;
        for (const Step& step : plan.steps)
            if (const auto* host = std::get_if<HostStep>(&step))
                outputs.push_back(made_by(*host, {largests, array_of(places)}));
        EXPECT_EQ(outputs.size(), 2u);
        return std::pair(outputs.at(0).number(0), outputs.at(1).as<std::uint32_t>()[0]);
    };
    Judge judge("reduction", "maximum_place");
    const Plan whole = judge.plan();
    EXPECT_EQ(best(whole, array_of<std::uint32_t>({7, 9, 9, 0}), {3, 40, 20, nowhere}), std::pair(9.0, 20u));
    EXPECT_EQ(best(whole, array_of<std::uint32_t>({99, 0, 0}), {nowhere, 6, 2}), std::pair(0.0, 2u));
    const Plan real = judge.set("element_type", ChoiceIndex{as_f32}).plan();
    EXPECT_EQ(best(real, array_of<float>({0, -3, -2}), {nowhere, 4, 5}), std::pair(-2.0, 5u));
}

TEST(Squares, WrapAsIntegersButNotAsFloats) {
    Judge judge("reduction", "sum_of_squares");
    // 65 535^2 + 65 536^2 + 1 000^2 = 8 590 803 521, which wraps twice around 2^32 and leaves 868 929.
    EXPECT_THAT(numbers_of<std::uint32_t>(
                    judge.of({{"numbers", array_of<std::uint32_t>({65535, 65536, 1000})}}), "total"),
                ElementsAre(868929));
    judge.set("element_type", ChoiceIndex{as_f32});
    EXPECT_THAT(numbers_of<double>(judge.of({{"numbers", array_of<float>({0.5f, -2, 3})}}), "total"),
                ElementsAre(13.25));
    EXPECT_THAT(numbers_of<double>(judge.of({{"numbers", array_of<float>({65536, 0.125f})}}), "total"),
                ElementsAre(4294967296.015625));
}

TEST(MissingBarriers, AreJudgedOnlyByTheTotal) {
    // The sum of 1 … 1 024 is 1 024 * 1 025 / 2, whichever workgroup adds which number.
    std::vector<std::uint32_t> numbers(1024);
    std::iota(numbers.begin(), numbers.end(), 1U);
    Judge judge("reduction", "missing_barriers");
    const std::vector<Expected> right = judge.of({{"numbers", array_of(numbers)}});
    EXPECT_THAT(numbers_of<std::uint32_t>(right, "total"), ElementsAre(524800));
    EXPECT_EQ(expected_of(right, "partial_sums"), nullptr);
    judge.set("element_type", ChoiceIndex{as_f32});
    EXPECT_THAT(numbers_of<double>(judge.of({{"numbers", array_of<float>({0.5f, -2, 3})}}), "total"),
                ElementsAre(1.5));
}

TEST(Logistic, IsOneOverFourCoshSquared) {
    const std::vector<float> xs = {-3, -0.5f, 0, 0.25f, 1, 2.9999998f};
    for (const double mean : {0.0, 0.25})
        for (const double scale : {1.0, 0.5, 0.1, 7.0}) {
            const std::vector<double> right = numbers_of<double>(
                Judge("gaussian", "logistic").set("mean", mean).set("sigma", scale).of({{"x", array_of(xs)}}),
                "densities");
            for (std::size_t i = 0; i < xs.size(); ++i) {
                const long double c = std::cosh((xs[i] - static_cast<long double>(mean)) / (2 * scale));
                const auto density = static_cast<double>(1 / (4 * scale * c * c));
                EXPECT_NEAR(right[i] / density, 1, 1e-12) << xs[i] << ", " << mean << ", " << scale;
            }
        }
}

TEST(Pairs, CountColumnAndRowAndSkipALastOddNumber) {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    Judge judge("histogram", "pairs");
    // The bins cover -4 to 4, so each bin is half wide.
    const std::vector<Expected> right =
        judge.of({{"values", array_of<float>({-4, -4, 3.75f, -4, -4, 3.75f, 0, 0.5f, 0, 0.75f,  //
                                              4, 0, 0, nan, nan, -4.5f,                         //
                                              1})}});
    std::vector<std::uint32_t> counts(256);
    counts[0] = counts[15] = counts[15 * 16] = 1;
    counts[9 * 16 + 8] = 2;
    EXPECT_EQ(numbers_of<std::uint32_t>(right, "counts"), counts);
    EXPECT_THAT(numbers_of<std::uint32_t>(right, "ignored"), ElementsAre(3));

    const std::vector<Expected> none = judge.of({{"values", array_of<float>({1})}});
    EXPECT_THAT(numbers_of<std::uint32_t>(none, "counts"), Each(0u));
    EXPECT_THAT(numbers_of<std::uint32_t>(none, "ignored"), ElementsAre(0));
}

TEST(LayerAndMean, ComputesActivationsAndTheirMean) {
    const Input input = {{"greyscales", array_of<float>({255, 0, 127.5f, 255, 255, 63.75f})},
                         {"weights", array_of<float>({0.5f, 0.5f, 0.5f, 0.75f, -2, 0.5f})}};
    Judge judge("hidden_layer", "layer_and_mean");
    EXPECT_THAT(numbers_of<double>(judge.of(input), "activations"), ElementsAre(0.25, 0, 0, 0.5, 0, 0));
    EXPECT_THAT(numbers_of<double>(judge.of(input), "mean"), ElementsAre(0.125));
    judge.set("gain", 4.0);
    EXPECT_THAT(numbers_of<double>(judge.of(input), "activations"),
                ElementsAre(1.75, 0, 0.75, 2.75, 0, 0.25));
    EXPECT_THAT(numbers_of<double>(judge.of(input), "mean"), ElementsAre(5.5 / 6));
}

TEST(LayerAndMean, HostStepDividesTheSumsByTheNumberOfActivations) {
    const Plan plan = Judge("hidden_layer", "layer_and_mean").plan();
    for (const Step& step : plan.steps)
        if (const auto* host = std::get_if<HostStep>(&step)) {
            const Array mean = made_by(*host, {array_of<float>({1, 2.5f}), array_of<float>({1, 0, 0.5f, 2})});
            EXPECT_EQ(mean.number(0), 0.875);
            return;
        }
    ADD_FAILURE() << "no host step computes the mean";
}

TEST(Pack, PutsTheFirstSampleIntoTheLowerHalf) {
    // |1 + 0.5|, |-0.25 + 0.125| and |0 - 3| are 12 288, 1 024 and 24 576 steps of 1 / 8 192. Fractions of a
    // step are cut off.
    const float bit_more = 3 + 0x1p-16f;
    const std::vector<Expected> right = Judge("transfers", "pack")
                                            .of({{"pulses", array_of<float>({1, -0.25f, 0})},
                                                 {"noise", array_of<float>({0.5f, 0.125f, -bit_more})}});
    EXPECT_THAT(numbers_of<std::uint32_t>(right, "words"), ElementsAre(12288U | 1024U << 16, 24576U));
}

TEST(AnyLength, IsCorrectForHugeTinyAndZeroVectors) {
    const Input input = {{"x", array_of<float>({3e30f, 0, 0, -3e-30f, 5})},
                         {"y", array_of<float>({-4e30f, 0, -7, 4e-30f, 12})}};
    const std::vector<Expected> all = Judge("grid_stride", "any_length").of(input);
    const std::vector<double> right = numbers_of<double>(all, "lengths");
    const std::vector<double> lengths = {5e30, 0, 7, 5e-30, 13};
    for (std::size_t i = 0; i < lengths.size(); ++i)
        EXPECT_NEAR(right[i], lengths[i], lengths[i] * 1e-7);
}

TEST(AnyLength, InputHasZerosAndNumbersWhoseSquaresOverflow) {
    const Lesson& lesson = *find_lesson("grid_stride");
    Values values(lesson.parameters);
    values.set("elements", std::uint64_t{8195});
    values.set("magnitude", ChoiceIndex{2});
    const Input input = lesson.input(values);
    const auto x = get(input, "x").as<float>(), y = get(input, "y").as<float>();
    std::size_t zeros = 0, tiny = 0, huge = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        const float size = std::max(std::abs(x[i]), std::abs(y[i]));
        if (size == 0) ++zeros;
        if (size > 0 && size * size == 0) ++tiny;
        if (std::isinf(size * size)) ++huge;
    }
    // In 64 pairs, one zero, 8 tiny and 39 huge sizes are expected.
    EXPECT_GT(zeros, 50U);
    EXPECT_GT(tiny, 500U);
    EXPECT_GT(huge, 4000U);
}

TEST(CountBoth, SuppressesByMagnitudeAndCountsBothRules) {
    Judge judge("zero_suppression", "count_both");
    const auto expect = [&](std::uint64_t threshold, const std::vector<std::int16_t>& silenced,
                            std::uint32_t by_sign, std::uint32_t by_magnitude) {
        const std::vector<Expected> right =
            judge.set("threshold", threshold)
                .of({{"samples", array_of<std::int16_t>({14, 15, -14, -15, 0, 32767, -32768})}});
        EXPECT_EQ(numbers_of<std::int16_t>(right, "silenced"), silenced);
        EXPECT_THAT(numbers_of<std::uint32_t>(right, "removed"), ElementsAre(by_sign, by_magnitude));
    };
    expect(15, {0, 15, 0, -15, 0, 32767, -32768}, 5, 3);
    expect(0, {14, 15, -14, -15, 0, 32767, -32768}, 3, 0);
    expect(32767, {0, 0, 0, 0, 0, 32767, -32768}, 6, 5);
}

}  // namespace gridstride::exercises_test
