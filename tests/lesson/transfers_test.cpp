// Tests the lesson on transfers without a GPU: which plans are correct, which of their steps are redundant,
// and how much they transfer.

#include "base/units.h"
#include "lesson/compute_report.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::transfers_test {

using namespace test;

const Lesson& transfers() {
    return *find_lesson("transfers");
}

Values with(std::string_view parameter, const std::string& text, std::uint64_t elements = 1000) {
    return values_with(transfers(), {{"elements", std::to_string(elements)}, {parameter, text}});
}

PreparedExperiment prepare_here(const Values& values, const std::string& variant) {
    return prepare_case(transfers(), values, variant, Limits{});
}

/// Returns a row of the picture, one letter per step: "v" valid, "o" outdated, "x" computed from missing
/// data, "." no copy; in the first row "t" is a transfer, "l" a launch, and "!" redundant.
std::string row_of_copies(const std::string& steps, std::size_t row) {
    const PreparedExperiment chain = prepare_here(with("steps", steps), "chain");
    const std::map<std::string, char> letters = {{"", '.'},
                                                 {"valid copy", 'v'},
                                                 {"outdated copy", 'o'},
                                                 {"transfer", 't'},
                                                 {"launch", 'l'},
                                                 {"redundant", '!'},
                                                 {"computed from missing data", 'x'}};
    const auto cells = content_of<Cells>(make_plots({chain}), "copies");
    std::string all;
    for (const std::uint8_t kind : cells.rows.at(row).kinds)
        all += letters.at(cells.kinds.at(kind).label);
    return all;
}

TEST(Transfers, PictureShowsWhereTheValidCopyIs) {
    const std::string detour = "pulses_up+noise_up+add+down+up+rectify+down";
    EXPECT_EQ(row_of_copies(detour, 0), "ttl!!lt");
    EXPECT_EQ(row_of_copies(detour, 1), "vvvvvvv") << "the pulses on the host";
    EXPECT_EQ(row_of_copies(detour, 3), "...vvov") << "the samples on the host";
    EXPECT_EQ(row_of_copies(detour, 4), "vvvvvvv") << "the pulses on the device";
    EXPECT_EQ(row_of_copies(detour, 5), ".vvvvvv");
    EXPECT_EQ(row_of_copies(detour, 6), "..vvvvv");
}

TEST(Transfers, MarksStepsAsNeedlessIfNothingUsesTheirResult) {
    EXPECT_EQ(row_of_copies("pulses_up+noise_up+add+rectify+down", 0), "ttllt");
    EXPECT_EQ(row_of_copies("pulses_up+noise_up+add+down+noise_up+rectify+pulses_up+down", 0), "ttl!!l!t");
    EXPECT_EQ(row_of_copies("pulses_up+noise_up+add+rectify+down+down", 0), "ttllt!")
        << "the data is already on the host";
    EXPECT_EQ(row_of_copies("noise_up+pulses_up+add+add+rectify+down", 0), "tt!llt")
        << "the sum is computed again";
    EXPECT_EQ(row_of_copies("pulses_up+noise_up+add+down+rectify+up+rectify+down", 0), "ttlt!tlt")
        << "the older copy is uploaded again, so its download was needed and the first rectify was not";
    EXPECT_EQ(row_of_copies("pulses_up+noise_up+add+rectify+down+up", 0), "ttllt!");
}

TEST(Transfers, LaunchBeforeItsDataGivesInvalidResults) {
    EXPECT_EQ(row_of_copies("add+rectify+down", 6), "xxx");
    EXPECT_EQ(row_of_copies("pulses_up+add+noise_up+down", 6), ".xxx");
    EXPECT_EQ(row_of_copies("pulses_up+noise_up+rectify+add+down", 6), "..xvv")
        << "the addition overwrites it";
}

TEST(Transfers, PlansWithAWrongResultAreWrongOnPurpose) {
    const auto wrong = [](const char* steps) {
        const PreparedExperiment chain = prepare_here(with("steps", steps), "chain");
        EXPECT_TRUE(chain.is_valid()) << steps;
        return is_wrong_on_purpose(transfers(), chain.experiment);
    };
    EXPECT_FALSE(wrong("pulses_up+noise_up+add+down+up+rectify+down"));
    EXPECT_FALSE(wrong("pulses_up+noise_up+add+rectify+rectify+down")) << "rectifying twice changes nothing";
    EXPECT_TRUE(wrong("pulses_up+noise_up+add+down")) << "not rectified";
    EXPECT_TRUE(wrong("pulses_up+noise_up+add+down+rectify")) << "downloaded too early";
    EXPECT_TRUE(wrong("pulses_up+add+rectify+down")) << "no noise";
    EXPECT_TRUE(wrong("pulses_up+noise_up+rectify+add+down"));
    EXPECT_FALSE(is_wrong_on_purpose(transfers(), prepare_here(with("steps", "add+down"), "add").experiment))
        << "only the variant chain uses the parameter";
}

TEST(Transfers, RefusesInvalidPlansWithAdvice) {
    const auto refusal_of = [](const char* steps) {
        return test::refusal_of(prepare_here(with("steps", steps), "chain"));
    };
    EXPECT_THAT(refusal_of("pulses_up+noise_up+up+add+down"), Mentions("before"));
    EXPECT_THAT(refusal_of("pulses_up+noise_up+down"), Mentions("launch"));
    EXPECT_THAT(refusal_of("pulses_up+noise_up+add+rectify"), HasSubstr("Insert down"));
    EXPECT_THAT(refusal_of("none"), Mentions("launch"));
    EXPECT_EQ(refusal_of("pulses_up+noise_up+add+down"), not_thrown);
    EXPECT_NO_THROW(require_valid(prepare_here(with("steps", "none"), "add")));
}

TEST(Transfers, NotesParametersThatTheVariantDoesNotUse) {
    const auto remarks_for = [](const Values& values, const char* variant) {
        std::string all;
        for (const Remark& remark : prepare_here(values, variant).remarks)
            if (remark.text.starts_with("Only")) all += remark.parameter + ": " + remark.text;
        return all;
    };
    EXPECT_EQ(remarks_for(with("rounds", "7"), "add"), "");
    EXPECT_EQ(remarks_for(with("rounds", "7"), "chain"), "rounds: Only the variant add uses this.");
    EXPECT_EQ(remarks_for(with("fetch", "counted"), "add"), "fetch: Only the variant loud uses this.");
    EXPECT_EQ(remarks_for(with("rounds", "1"), "loud"), "") << "the defaults need no remark";
}

TEST(Transfers, CountsOnlyTransfersAsNeedlessBytes) {
    const auto has_wasted_steps = [](const char* steps) {
        return number_of(facts_of(transfers(), with("steps", steps, 1000),
                                  {{"samples", share<float>(std::vector<float>(1000))}}),
                         "needless_bytes");
    };
    EXPECT_EQ(has_wasted_steps("pulses_up+noise_up+add+rectify+down"), 0);
    EXPECT_EQ(has_wasted_steps("pulses_up+noise_up+add+down+up+rectify+down"), 2 * 4000);
    EXPECT_EQ(has_wasted_steps("pulses_up+noise_up+add+add+rectify+down"), 0)
        << "a launch moves no bytes over the bus";
}

TEST(Transfers, InputSumsAreExactInF32) {
    const Input input = transfers().input(with("memory", "pageable", 100003));
    const auto pulses = get(input, "pulses").as<float>(), noise = get(input, "noise").as<float>();
    double highest = 0;
    for (std::size_t i = 0; i < pulses.size(); ++i) {
        ASSERT_EQ(static_cast<double>(pulses[i]) + noise[i], static_cast<double>(pulses[i] + noise[i])) << i;
        ASSERT_LT(std::abs(pulses[i]) + std::abs(noise[i]), 8) << i;
        highest = std::max<double>(highest, pulses[i]);
    }
    EXPECT_GT(highest, 2.5);
    EXPECT_LE(highest, 3);
}

TEST(Transfers, MoreRoundsStayWithinTheirTolerance) {
    // Computes in f32 and rounds after each operation: a device's error may be as large, in either direction.
    const Input input = transfers().input(with("rounds", "1000", 5000));
    const auto pulses = get(input, "pulses").as<float>(), noise = get(input, "noise").as<float>();
    for (const int rounds : {2, 7, 1000}) {
        const std::vector<Expected> expected = transfers().task.reference(
            input, prepare_here(with("rounds", std::to_string(rounds), 5000), "add"));
        for (std::size_t i = 0; i < pulses.size(); ++i) {
            float all = pulses[i] + noise[i];
            for (int round = 1; round < rounds; ++round)
                all = all * 0.5F + noise[i];
            const double allowed = expected.front().scale->number(i);
            ASSERT_LE(std::abs(all - expected.front().reference->number(i)), allowed) << i;
            ASSERT_LE(allowed, 0x1p-19) << i << ": a round more or less is wrong";
        }
    }
    const std::vector<Expected> once =
        transfers().task.reference(input, prepare_here(with("rounds", "1", 5000), "add"));
    EXPECT_EQ(once.front().tolerance.absolute, 0) << "one sum is exact";
    EXPECT_EQ(once.front().tolerance.relative, 0);
}

TEST(Transfers, PlanUsesMemoryPiecesAndWaiting) {
    Values values = with("memory", "pinned", 1000);
    values.set("pieces", std::uint64_t{10});
    values.set("waiting", ChoiceIndex{1});
    const Plan plan = prepare_here(values, "add").plan;
    EXPECT_EQ(plan.waiting, WaitMode::poll);
    std::size_t uploads = 0;
    for (const Step& step : plan.steps) {
        const auto* const upload = std::get_if<Upload>(&step);
        uploads += upload ? 1 : 0;
        EXPECT_TRUE(!upload || upload->memory == HostMemory::pinned);
    }
    EXPECT_EQ(uploads, 20u);
    EXPECT_EQ(uploaded_bytes(plan), 8000u);
    EXPECT_EQ(uploaded_bytes(prepare_here(with("memory", "mapped"), "add").plan), 0u);
    EXPECT_EQ(downloaded_bytes(prepare_here(with("fetch", "counted"), "loud").plan,
                               [](const std::string&) { return 7; }),
              4u + 7 * 4);
    EXPECT_EQ(downloaded_bytes(prepare_here(with("fetch", "all"), "loud").plan), 4u + 4000);
}

TEST(Transfers, PictureStripesNeedlessTransfers) {
    const PreparedExperiment chain =
        prepare_here(with("steps", "pulses_up+noise_up+add+down+up+rectify+down+down"), "chain");
    Report report = compute_report(chain);
    report.timeline = {{Phase::upload, "pulses", 0, 10, 0},    {Phase::upload, "noise", 10, 4, 1},
                       {Phase::upload, "noise", 14, 6, 1},  // a second piece of the staging buffer
                       {Phase::kernel, "add", 20, 5, 2},       {Phase::download, "samples", 25, 10, 3},
                       {Phase::upload, "samples", 35, 10, 4},  {Phase::kernel, "rectify", 45, 5, 5},
                       {Phase::download, "samples", 50, 5, 6}, {Phase::download, "samples", 55, 5, 7}};
    const auto plots = make_plots({chain, &report});
    std::string drawn;
    for (const Timeline::Row& row : content_of<Timeline>(plots, "trips").rows)
        for (const Timeline::Bar& bar : row.bars)
            drawn += fmt::format("{}{} ", bar.is_striped ? "!" : "", bar.start_ns);
    EXPECT_EQ(drawn, "0 10 14 !35 20 45 !25 50 !55 ") << "the same again is needless";
    EXPECT_THAT(plot_of(plots, "trips")->note,
                HasSubstr(format_time(25).text() + " of " + format_time(60).text()));
}

}  // namespace gridstride::transfers_test
