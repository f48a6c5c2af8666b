// Tests how a question is decided and which feedback follows.

#include "story/story.h"

#include "test_includes.h"

namespace gridstride::predict_test {

using Result = Outcome::Result;

/// Returns ten samples around a median. Its 95 % interval spans the second to the ninth sample (binomial:
/// P(X < 2) of ten = 0.0107, P(X < 3) = 0.0547), so it extends one `spread` to either side.
std::vector<double> make_samples(double median, double spread) {
    std::vector<double> all = {median - 2 * spread, median + 2 * spread};
    for (int i = 0; i < 4; ++i) {
        all.push_back(median - spread);
        all.push_back(median + spread);
    }
    return all;
}

Report make_run(double kernel_ns, double spread = 0) {
    Report report;
    report.status = Status::ok;
    report.timings.kernel.samples = make_samples(kernel_ns, spread);
    return report;
}

PredictBlock parse_question(const std::string& lines) {
    const Story story =
        parse_story("# T\n## S\n```predict\nquestion: q\n" + lines + "\n```\n", "story.en.md");
    return std::get<PredictBlock>(story.steps.front().blocks.front());
}

Answer choose(std::size_t choice) {
    return {.choice = choice, .guess = {}, .order = {}, .marks = {}};
}
Answer guess(double number) {
    return {.choice = {}, .guess = number, .order = {}, .marks = {}};
}
Answer order(std::vector<std::size_t> items) {
    return {.choice = {}, .guess = {}, .order = std::move(items), .marks = {}};
}
Answer mark(std::vector<double> places) {
    return {.choice = {}, .guess = {}, .order = {}, .marks = std::move(places)};
}

const std::string two_runs = "run: variant = a\nrun: variant = b\nvalue: kernel_ns(2) / kernel_ns(1)\n";
const std::string three_choices = two_runs +
                                  "choice: fewer | below 0.8 | FASTER {pace}.\nwhy: WHY FASTER.\n"
                                  "choice: as many | below 1.25 | SAME {pace}.\nwhy: WHY SAME.\n"
                                  "choice: more | otherwise | SLOWER {pace}.\nwhy: WHY SLOWER.\n";

std::optional<Outcome> decide_times(double first, double second, const Answer& answer, double spread = 0) {
    const Report a = make_run(first, spread), b = make_run(second, spread);
    return decide(parse_question(three_choices), {&a, &b}, answer);
}

TEST(Predict, FirstChoiceWhoseConditionHoldsIsRight) {
    const auto right = decide_times(7200, 100, choose(0));
    ASSERT_TRUE(right);
    EXPECT_EQ(right->result, Result::right);
    EXPECT_EQ(right->right_choice, 0u);
    EXPECT_EQ(right->explanation, "FASTER ran 72 times as fast.");
    ASSERT_EQ(right->values.size(), 1u);
    EXPECT_DOUBLE_EQ(right->values[0].value, 100.0 / 7200);

    const auto wrong = decide_times(100, 140, choose(1));
    EXPECT_EQ(wrong->result, Result::wrong);
    EXPECT_EQ(wrong->right_choice, 2u);
    EXPECT_EQ(wrong->explanation, "SLOWER took 1.4 times as long.");
    EXPECT_EQ(wrong->why_wrong, "WHY SAME.") << "which is shown below the chosen answer";
    EXPECT_EQ(right->why_wrong, "");
    EXPECT_EQ(decide_times(100, 140, {})->result, Result::wrong) << "a missing answer is wrong";
    EXPECT_EQ(decide_times(100, 140, choose(17))->result, Result::wrong);
}

TEST(Predict, ChoiceIsDecidedAtItsBounds) {
    EXPECT_EQ(decide_times(1000, 799, choose(0))->result, Result::right);
    EXPECT_EQ(decide_times(1000, 800, choose(0))->result, Result::wrong) << "\"below\" excludes the bound";
    EXPECT_EQ(decide_times(1000, 800, choose(1))->result, Result::right);
    EXPECT_EQ(decide_times(1000, 1250, choose(2))->result, Result::right);
    const PredictBlock question = parse_question(
        "value: workgroup_count\nchoice: a | equals 8 | EIGHT\nchoice: b | otherwise | {value}");
    Report report = make_run(1);
    report.launch.grid = {8};
    EXPECT_EQ(decide(question, {&report}, choose(0))->explanation, "EIGHT");
    report.launch.grid = {1009};
    EXPECT_EQ(decide(question, {&report}, choose(1))->explanation, "1\u2009009");
}

TEST(Predict, AnIntervalThatStraddlesABoundIsUndecided) {
    // 1000 ± 50 over 1000 ± 50 ranges from 0.905 to 1.105, between the bounds.
    EXPECT_EQ(decide_times(1000, 1000, choose(1), 50)->result, Result::right);
    // 820 ± 50 over 1000 ± 50 ranges from 0.733 to 0.916, on both sides of 0.8.
    const auto outcome = decide_times(1000, 820, choose(1), 50);
    EXPECT_EQ(outcome->result, Result::undecided);
    EXPECT_THAT(outcome->explanation,
                AllOf(Mentions("decided"), HasSubstr("1.4 times as fast"), HasSubstr("1.1 times as fast"),
                      Not(HasSubstr("WHY")), Not(HasSubstr("SAME"))));
    EXPECT_EQ(decide_times(1000, 820, choose(1), 5)->result, Result::right);
}

TEST(Predict, AQuestionOfChanceIsDecidedByTheValueAlone) {
    const std::string lines =
        "value: area\nchoice: a | below 1 | LOW\nwhy: w\nchoice: b | otherwise | HIGH\nwhy: w";
    Report report = make_run(1);
    report.result = {{"area", "Area", 1.38, 0.4}};
    EXPECT_EQ(decide(parse_question(lines), {&report}, choose(1))->result, Result::undecided)
        << "the interval contains the bound";
    const auto outcome = decide(parse_question(lines + "\nchance: yes"), {&report}, choose(1));
    EXPECT_EQ(outcome->result, Result::right);
    EXPECT_EQ(outcome->explanation, "HIGH");
}

TEST(Predict, ANoisySeriesHasAWideInterval) {
    const PredictBlock block = parse_question(three_choices);
    Report calm = make_run(1000), noisy = make_run(850);
    noisy.timings.kernel.samples = {700, 850, 850, 850, 850, 850, 850, 850, 850, 1000};
    EXPECT_EQ(decide(block, {&calm, &noisy}, choose(1))->result, Result::right)
        << "the median has a narrow interval";
    noisy.timings.kernel.is_noisy = true;
    EXPECT_EQ(decide(block, {&calm, &noisy}, choose(1))->result, Result::undecided);
    for (double& sample : noisy.timings.kernel.samples)
        sample /= 70;
    EXPECT_EQ(decide(block, {&calm, &noisy}, choose(0))->result, Result::right)
        << "noise does not change a factor of 70";
}

TEST(Predict, FailedOrMissingRunsDecideNothing) {
    const PredictBlock block = parse_question(three_choices);
    const Report good = make_run(100);
    Report failed = make_run(100);
    failed.status = Status::failed;
    EXPECT_FALSE(decide(block, {&good, &failed}, choose(0)));
    EXPECT_FALSE(decide(block, {&good}, choose(0)));
    EXPECT_FALSE(decide(block, {&good, nullptr}, choose(0)));
    Report wrong = good;
    wrong.status = Status::mismatch;
    EXPECT_TRUE(decide(block, {&good, &wrong}, choose(0))) << "a run with a wrong result still has times";
    EXPECT_FALSE(decide(parse_question("value: upload_ns\nguess: ns | within 1"), {&good}, guess(1)));
}

TEST(Predict, GuessIsRightWithinItsTolerance) {
    const PredictBlock block = parse_question(
        "value: workgroup_count\nguess: workgroups | within 0.1\nnear: 128 | That is the size of one.\n"
        "after: There are {value}.");
    Report report = make_run(1);
    report.launch.grid = {100};
    const auto result_of_guess = [&](double number) { return *decide(block, {&report}, guess(number)); };
    for (const double right : {90.0, 100.0, 110.0})
        EXPECT_EQ(result_of_guess(right).result, Result::right) << right;
    for (const double wrong : {89.0, 111.0, -100.0})
        EXPECT_EQ(result_of_guess(wrong).result, Result::wrong) << wrong;
    EXPECT_EQ(result_of_guess(95).explanation, "There are 100.");
    EXPECT_EQ(result_of_guess(80).explanation, "There are 100.");
    for (const double near : {127.0, 128.0, 129.0})
        EXPECT_EQ(result_of_guess(near).why_wrong, "That is the size of one.") << near;
    EXPECT_EQ(result_of_guess(131).why_wrong, "");
    EXPECT_EQ(decide(block, {&report}, {})->result, Result::wrong);
}

TEST(Predict, NearNumberDoesNotOverrideTheCorrectOne) {
    const PredictBlock block =
        parse_question("value: workgroup_count\nguess: u | within 0\nnear: 100 | no\nafter: yes");
    Report report = make_run(1);
    report.launch.grid = {100};
    EXPECT_EQ(decide(block, {&report}, guess(100))->why_wrong, "");
}

TEST(Predict, GuessOfAMeasuredNumberMayBeUndecided) {
    const PredictBlock block =
        parse_question("value: kernel_ns\nguess: ns | within 0.1\nafter: It was {value}.");
    const Report report = make_run(1000, 50);
    // The value lies between 950 and 1050. A guess from 945 to 1045 is right for all of these values, and a
    // guess below 855 or above 1155 for none.
    EXPECT_EQ(decide(block, {&report}, guess(1000))->result, Result::right);
    EXPECT_EQ(decide(block, {&report}, guess(900))->result, Result::undecided);
    EXPECT_EQ(decide(block, {&report}, guess(1150))->result, Result::undecided);
    EXPECT_EQ(decide(block, {&report}, guess(850))->result, Result::wrong);
    EXPECT_EQ(decide(block, {&report}, guess(1160))->result, Result::wrong);
    EXPECT_THAT(decide(block, {&report}, guess(900))->explanation,
                HasSubstrs("between 950", "It was 1\u00A0µs"))
        << "the text of after: always follows";
}

/// Returns a run with these upload, kernel and download times, all with the same spread.
Report three_times(double up, double kernel, double down, double spread = 0) {
    Report report = make_run(kernel, spread);
    report.timings.upload.samples = make_samples(up, spread);
    report.timings.download.samples = make_samples(down, spread);
    return report;
}
const std::string three_items =
    "item: up | upload_ns\nitem: kernel | kernel_ns\nitem: down | download_ns\nafter: {1}, {2}, {3}";

TEST(Predict, ItemsAreOrderedByTheirValues) {
    const PredictBlock block = parse_question(three_items);
    const Report report = three_times(300, 100, 200);
    EXPECT_EQ(decide(block, {&report}, order({1, 2, 0}))->result, Result::right);
    EXPECT_EQ(decide(block, {&report}, order({1, 2, 0}))->explanation,
              "300\u00A0ns, 100\u00A0ns, 200\u00A0ns");
    EXPECT_EQ(decide(block, {&report}, order({1, 2, 0}))->values.size(), 3u);
    EXPECT_EQ(decide(block, {&report}, order({2, 1, 0}))->result, Result::wrong);
    EXPECT_EQ(decide(block, {&report}, order({0, 1, 2}))->result, Result::wrong);
    for (const Answer& none : {Answer{}, order({1, 2}), order({1, 2, 2}), order({1, 2, 3})})
        EXPECT_EQ(decide(block, {&report}, none)->result, Result::wrong);
}

TEST(Predict, OverlappingItemsMayStandInEitherOrder) {
    const PredictBlock block = parse_question(three_items);
    const auto result = [&](const Report& report, std::vector<std::size_t> answer) {
        return decide(block, {&report}, order(std::move(answer)))->result;
    };
    const Report overlapping = three_times(1000, 1040, 2000, 30);
    EXPECT_EQ(result(overlapping, {0, 1, 2}), Result::right);
    EXPECT_EQ(result(overlapping, {1, 0, 2}), Result::right);
    EXPECT_EQ(result(overlapping, {0, 2, 1}), Result::wrong);
    // 1000, 1050 and 1100, each ± 30: the outer two do not overlap.
    const Report chain = three_times(1000, 1050, 1100, 30);
    EXPECT_EQ(result(chain, {1, 0, 2}), Result::right);
    EXPECT_EQ(result(chain, {0, 2, 1}), Result::right);
    EXPECT_EQ(result(chain, {2, 1, 0}), Result::wrong);
    EXPECT_EQ(result(chain, {2, 0, 1}), Result::wrong);
    const Report ties = three_times(100, 100, 200);
    EXPECT_EQ(result(ties, {1, 0, 2}), Result::right) << "equal items may stand in either order";

    const Report all_similar = three_times(1000, 1010, 1020, 30);
    EXPECT_EQ(result(all_similar, {2, 0, 1}), Result::undecided) << "every order is right";
    EXPECT_EQ(decide(block, {&all_similar}, {})->result, Result::undecided);
    EXPECT_THAT(decide(block, {&all_similar}, order({0, 1, 2}))->explanation, Mentions("decided"));
}

TEST(Predict, MarksAreRightWithinAFactor) {
    const PredictBlock block = parse_question(
        "ruler: time | 100 to 1e6 | within 2\nmark: kernel | kernel_ns\nmark: up | upload_ns\n"
        "after: {1} and {2}");
    const Report report = three_times(50'000, 1000, 0);
    const auto result = [&](std::vector<double> places) {
        return decide(block, {&report}, mark(std::move(places)))->result;
    };
    EXPECT_EQ(result({1000, 50'000}), Result::right);
    EXPECT_EQ(result({500, 100'000}), Result::right) << "the factor itself counts";
    EXPECT_EQ(result({490, 50'000}), Result::wrong);
    EXPECT_EQ(result({1000, 110'000}), Result::wrong) << "all marks must be right";
    EXPECT_EQ(result({1000}), Result::wrong);
    EXPECT_EQ(result({1000, -1}), Result::wrong);
    EXPECT_EQ(decide(block, {&report}, mark({1000, 50'000}))->explanation, "1\u00A0µs and 50\u00A0µs");

    const Report uncertain = three_times(50'000, 1000, 0, 100);
    EXPECT_EQ(decide(block, {&uncertain}, mark({1000, 50'000}))->result, Result::right);
    EXPECT_EQ(decide(block, {&uncertain}, mark({500, 50'000}))->result, Result::undecided);
    EXPECT_EQ(decide(block, {&uncertain}, mark({400, 50'000}))->result, Result::wrong);

    const Report beyond = three_times(5e6, 3, 0);
    EXPECT_EQ(decide(block, {&beyond}, mark({150, 6e5}))->result, Result::right)
        << "a value beyond an end of the ruler counts as that end";
}

const std::string causes_question = two_runs +
                                    "choice: a | below 0.8 | FASTER.\nwhy: NO.\n"
                                    "only if: fraction_of_copy(2) > 0.6 | MEMORY.\n"
                                    "only if: kernel_ns(1) / kernel_ns(2) > 5 | FACTOR.\n"
                                    "else: NEUTRAL.\n"
                                    "choice: b | otherwise | SLOWER.\nwhy: NO WAY.\n"
                                    "after: ALL.\nonly if: is_cpu_device > 0 | PROCESSOR.";

TEST(Predict, CauseIsGivenOnlyIfItWasMeasured) {
    const PredictBlock block = parse_question(causes_question);
    const auto feedback_for = [&](const Report& a, const Report& b, std::size_t chosen) {
        return decide(block, {&a, &b}, choose(chosen))->explanation;
    };
    const Report slow = make_run(1000);
    Report fast = make_run(500);
    fast.bytes_moved = 500;
    EXPECT_EQ(feedback_for(slow, fast, 0), "FASTER. NEUTRAL. ALL. PROCESSOR.") << "the run has no ceiling";
    fast.ceilings = Ceilings{.copy_bytes_per_second = 1.25e9};  // 500 bytes in 500 ns are 0.8 of it
    EXPECT_EQ(feedback_for(slow, fast, 0), "FASTER. MEMORY. ALL. PROCESSOR.");
    fast.ceilings->copy_bytes_per_second = 2e9;
    EXPECT_EQ(feedback_for(slow, fast, 0), "FASTER. NEUTRAL. ALL. PROCESSOR.");
    // The fraction is 0.8, but its interval is 0.53 to 1.6, so it may be below 0.6.
    Report uncertain = make_run(500, 250);
    uncertain.bytes_moved = 500;
    uncertain.ceilings = Ceilings{.copy_bytes_per_second = 1.25e9};
    const Report very_slow = make_run(1'000'000);
    EXPECT_EQ(feedback_for(very_slow, uncertain, 0), "FASTER. FACTOR. ALL. PROCESSOR.");
    fast.ceilings->copy_bytes_per_second = 1.25e9;
    EXPECT_EQ(feedback_for(very_slow, fast, 0), "FASTER. MEMORY. FACTOR. ALL. PROCESSOR.")
        << "every cause that holds is given";
    EXPECT_EQ(feedback_for(very_slow, fast, 1), "FASTER. MEMORY. FACTOR. ALL. PROCESSOR.");
    EXPECT_EQ(feedback_for(fast, slow, 1), "SLOWER. ALL. PROCESSOR.");
    Report gpu_report = fast;
    gpu_report.device.is_cpu = false;
    EXPECT_EQ(feedback_for(gpu_report, slow, 1), "SLOWER. ALL.")
        << "a metric without a run is of the first run";
}

TEST(Predict, MarksHaveTheUnitOfTheirRuler) {
    const auto mark_of = [](const std::string& metric, double value) {
        return describe_mark(parse_question("value: " + metric + "\nguess: u | within 0").value, value);
    };
    EXPECT_EQ(mark_of("kernel_ns / kernel_ns", 1.42), "1.4\u00A0×") << "no words such as times as long";
    EXPECT_EQ(mark_of("kernel_ns / workgroup_count", 160), "160\u00A0ns") << "the time of one of several";
    EXPECT_EQ(mark_of("workgroup_count / subgroup_size", 25), "25\u00A0×");
    EXPECT_EQ(mark_of("kernel_ns", 1000), "1\u00A0µs");
}

TEST(Predict, RoundsNumbersForReaders) {
    const auto in_words = [](const std::string& metric, double value) {
        return describe_metric(parse_question("value: " + metric + "\nguess: u | within 0").value, value);
    };
    EXPECT_EQ(in_words("kernel_ns / kernel_ns", 1 / 72.4), "72 times as fast");
    EXPECT_EQ(in_words("kernel_ns / kernel_ns", 1.42), "1.4 times as long");
    EXPECT_EQ(in_words("kernel_ns / kernel_ns", 1.04), "equally fast");
    EXPECT_EQ(in_words("kernel_ns / kernel_ns", 1 / 1.04), "equally fast");
    EXPECT_EQ(in_words("kernel_ns / kernel_ns", 1.06), "1.1 times as long");
    EXPECT_EQ(in_words("kernel_ns / kernel_ns", 1234), "1\u2009200 times as long");
    EXPECT_THAT(in_words("upload_ns / kernel_ns", 5.04), Mentions(5, "long"));
    EXPECT_EQ(in_words("upload_ns / kernel_ns", 0.2), "0.2 times as long");
    EXPECT_EQ(in_words("upload_ns / kernel_ns", 1), "1 times as long");
    EXPECT_EQ(in_words("kernel_ns / cpu_ns", 0.00096), "1\u2009000 times as fast");
    EXPECT_EQ(in_words("kernel_ns", 3210), "3.21\u00A0µs");
    EXPECT_EQ(in_words("workgroup_count", 1024), "1\u2009024");
    EXPECT_EQ(in_words("bytes_per_second", 14.2e9), "14.2\u00A0GB/s");
    EXPECT_EQ(in_words("fraction_of_copy", 0.62), "62\u00A0%");
    EXPECT_EQ(in_words("bytes_moved / elements", 2.333), "2.33");
    EXPECT_EQ(describe_speed_ratio(0.5), "2 times as fast");
    EXPECT_EQ(in_words("active_share", 0.587), "58.7\u00A0%");
    EXPECT_EQ(in_words("active_share(34)", 1), "100\u00A0%");
    EXPECT_EQ(in_words("sectors_per_request(34)", 3.4), "3.4");
}

TEST(Predict, TraceMetricsAreCalledTraced) {
    const auto origin = [](const std::string& metric) {
        return metric_origin(parse_question("value: " + metric + "\nguess: u | within 0").value);
    };
    EXPECT_EQ(origin("races"), "traced");
    EXPECT_EQ(origin("barriers(34)"), "traced");
    EXPECT_EQ(origin("kernel_ns / atomics"), "traced");
    EXPECT_EQ(origin("kernel_ns"), "measured");
}

TEST(Predict, APartialTraceGivesALowerBound) {
    const PredictBlock block = parse_question(
        "value: races\nchoice: none | equals 0 | NONE.\nwhy: W\nchoice: few | below 600 | FEW {value}.\nwhy: "
        "W\n"
        "choice: many | otherwise | MANY {value}.\nwhy: W");
    const auto feedback_for = [&](std::optional<Estimate> races) {
        Report report = make_run(1);
        report.trace_metrics = {{"races", races, "A sentence."}};
        const auto outcome = decide(block, {&report}, choose(2));
        return outcome ? outcome->explanation : "nothing";
    };
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    EXPECT_EQ(feedback_for(Estimate{512, 512, 512}), "FEW 512.");
    EXPECT_EQ(feedback_for(Estimate{700, 700, unbounded}), "MANY at least 700.");
    EXPECT_THAT(feedback_for(Estimate{512, 512, unbounded}), Mentions(512));
    EXPECT_EQ(feedback_for(std::nullopt), "nothing");
}

TEST(Predict, AnAnswerMatchesTheKindOfItsQuestion) {
    const PredictBlock choices = parse_question(three_choices), items = parse_question(three_items);
    const PredictBlock number = parse_question("value: kernel_ns\nguess: u | within 0");
    const PredictBlock marks = parse_question("ruler: t | 1 to 9 | within 2\nmark: a | kernel_ns");
    EXPECT_TRUE(is_complete(choices, choose(2)));
    EXPECT_FALSE(is_complete(choices, choose(3)));
    EXPECT_FALSE(is_complete(choices, guess(1)));
    EXPECT_TRUE(is_complete(number, guess(1)));
    EXPECT_FALSE(is_complete(number, guess(std::numeric_limits<double>::infinity())));
    EXPECT_FALSE(is_complete(number, choose(0)));
    EXPECT_TRUE(is_complete(items, order({2, 0, 1})));
    EXPECT_FALSE(is_complete(items, order({2, 0})));
    EXPECT_FALSE(is_complete(items, order({2, 0, 0})));
    EXPECT_TRUE(is_complete(marks, mark({3})));
    EXPECT_FALSE(is_complete(marks, mark({3, 4})));
    EXPECT_FALSE(is_complete(marks, {}));
}

Report on_software(Report report) {
    report.device.is_cpu = true;
    return report;
}
GpuValues recorded(const char* device, std::vector<double> values) {
    GpuValues gpu{device, {}};
    for (const double value : values)
        gpu.values.push_back({value, value, value});
    return gpu;
}

TEST(Predict, ASoftwareDeviceThatDiffersFromAGpuDoesNotJudge) {
    const PredictBlock question = parse_question(three_choices + "after: AFTER {value}.");
    const Report a = on_software(make_run(1000)), b = on_software(make_run(1100));
    const auto decide_by = [&](std::size_t choice, const std::vector<GpuValues>& gpus) {
        return *decide(question, {&a, &b}, choose(choice), gpus);
    };
    const GpuValues h200 = recorded("NVIDIA H200", {0.25}), h100 = recorded("NVIDIA H100", {1.0});

    const Outcome right = decide_by(0, {h200});
    EXPECT_EQ(right.result, Result::right);
    EXPECT_EQ(right.right_choice, 0U);
    EXPECT_EQ(right.values.front().value, 1.1) << "the value of the user's run stays";
    EXPECT_EQ(describe_result(question, right), "Right on a GPU (recorded: NVIDIA H200, 4 times as fast)");
    EXPECT_EQ(right.explanation, "This software device took 1.1 times as long. AFTER 1.1 times as long.");

    const Outcome wrong = decide_by(1, {h200});
    EXPECT_EQ(wrong.result, Result::wrong) << "although the user's run shows it";
    EXPECT_EQ(describe_result(question, wrong), "Wrong on a GPU (recorded: NVIDIA H200, 4 times as fast)");
    EXPECT_EQ(wrong.explanation, "This software device took 1.1 times as long. AFTER 1.1 times as long.");
    EXPECT_EQ(wrong.why_wrong, "WHY SAME.");

    EXPECT_FALSE(decide_by(1, {}).judged_by) << "nothing is recorded";
    EXPECT_FALSE(decide_by(1, {h100}).judged_by) << "the GPU agrees";
    EXPECT_FALSE(decide_by(1, {h200, h100}).judged_by) << "one of the GPUs agrees";
    EXPECT_EQ(describe_result(question, decide_by(1, {h100})), "As you predicted");
    const GpuValues unclear = {"NVIDIA H100", {{0.8, 0.7, 0.9}}};
    EXPECT_EQ(decide_by(1, {unclear, h200}).judged_by->device, "NVIDIA H200") << "the first is undecided";
    EXPECT_FALSE(decide_by(1, {recorded("NVIDIA H200", {0.25, 1})}).judged_by)
        << "the answer belongs to another question";

    Report gpu_a = make_run(1000), gpu_b = make_run(1100);
    gpu_a.device.is_cpu = gpu_b.device.is_cpu = false;
    EXPECT_FALSE(decide(question, {&gpu_a, &gpu_b}, choose(0), {h200})->judged_by) << "runs on a GPU";
}

TEST(Predict, AGpuJudgesWhatASoftwareDeviceLeavesUndecided) {
    const Report a = on_software(make_run(1000)), b = on_software(make_run(1250, 20));
    const PredictBlock question = parse_question(three_choices);
    EXPECT_EQ(decide(question, {&a, &b}, choose(0))->result, Result::undecided);
    EXPECT_EQ(decide(question, {&a, &b}, choose(0), {recorded("NVIDIA H200", {0.25})})->result,
              Result::right);
}

TEST(Predict, AGpuJudgesEveryKindOfAnswerThatMeasuresTime) {
    const Report a = on_software(make_run(1000)), b = on_software(make_run(100)),
                 c = on_software(make_run(10));
    const std::string runs = "run: variant = a\nrun: variant = b\nrun: variant = c\n";
    const auto decide_by = [&](const std::string& lines, const Answer& answer, const GpuValues& gpu) {
        return *decide(parse_question(lines), {&a, &b, &c}, answer, {gpu});
    };
    const std::string items =
        runs + "item: A | kernel_ns(1)\nitem: B | kernel_ns(2)\nitem: C | kernel_ns(3)\n";
    const Outcome ordered = decide_by(items, order({0, 1, 2}), recorded("GPU", {10, 100, 1000}));
    EXPECT_EQ(ordered.result, Result::right);
    EXPECT_EQ(describe_result(parse_question(items), ordered), "Right on a GPU");
    EXPECT_EQ(ordered.explanation, "This software device measured another order.");

    const std::string time = runs + "value: kernel_ns(1)\nguess: on the device | within 0.1\n";
    const Outcome guessed = decide_by(time, guess(500), recorded("GPU", {500}));
    EXPECT_EQ(guessed.result, Result::right);
    EXPECT_EQ(guessed.explanation, "This software device took 1\u00A0µs on the device.");
    const std::string marks = runs + "ruler: time | 1 to 1e9 | within 2\nmark: A | kernel_ns(1)\n";
    EXPECT_EQ(decide_by(marks, mark({50}), recorded("GPU", {40})).result, Result::right);
    EXPECT_FALSE(decide_by(marks, mark({50}), recorded("GPU", {900})).judged_by);
}

TEST(Predict, CountsAreJudgedByTheUsersRun) {
    Report run = on_software(make_run(1000));
    run.result = {{"wrong", "Wrong", std::uint64_t{3}, 0}};
    const auto decide_by = [&](const std::string& lines) {
        return *decide(parse_question(lines), {&run}, guess(5), {recorded("NVIDIA H200", {5})});
    };
    EXPECT_EQ(decide_by("value: wrong\nguess: numbers | within 0").result, Result::wrong);
    EXPECT_EQ(decide_by("value: kernel_ns\nguess: ns | within 0").result, Result::right);
    EXPECT_EQ(decide_by("value: kernel_ns\nguess: ns | within 0\nchance: yes").result, Result::wrong);
}

}  // namespace gridstride::predict_test
