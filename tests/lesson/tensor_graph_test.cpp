// Tests the lesson on tensor graphs without a GPU: the results of its graphs, their plans, and the inputs
// that it refuses.

#include "lesson/fast_math.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"

namespace gridstride::tensor_graph_test {

using namespace test;

const Lesson& graphs() {
    return *find_lesson("tensor_graph");
}

PreparedExperiment prepare_here(const Settings& settings, const std::string& variant = "fused",
                                const Limits& limits = software_device()) {
    return prepare_case(graphs(), values_with(graphs(), settings), variant, limits);
}

/// Returns the reference for these matrices of two rows of three.
std::vector<double> right(const char* graph, const Input& input, Settings settings = {}) {
    settings.insert(settings.end(), {{"columns", "3"}, {"rows", "2"}, {"graph", graph}});
    const PreparedExperiment of = prepare_here(settings);
    require_valid(of);
    return sample_numbers(*of.task.reference(input, of).front().reference);
}
const std::vector<float> a = {0, 1, 2, -1, 0.5F, 3};
Input only_a() {
    return {{"a", array_of(a)}};
}

TEST(TensorGraph, ExpressionMatchesItsFormula) {
    const std::vector<float> b = {1, 1, 0, 2, 0, -3}, c = {5, 9, 0, 1, 0.5F, 0}, w = {2, -1};
    std::vector<double> sums(2);
    for (std::size_t i = 0; i < 6; ++i)
        sums[i / 3] += std::tanh(((a[i] + b[i]) * 5.0 - c[i]) / 2) * w[i / 3];
    const Input input = {{"a", array_of(a)}, {"b", array_of(b)}, {"c", array_of(c)}, {"w", array_of(w)}};
    EXPECT_THAT(right("expression", input), Pointwise(DoubleNear(1e-12), sums));
}

// k rounds of exp, + 1 and log compute log(exp(x) + k).
TEST(TensorGraph, ChainComputesItsClosedForm) {
    for (const std::size_t rounds : {1, 2, 21, 333}) {
        std::vector<double> expected;
        for (const float x : a)
            expected.push_back(std::log(std::exp(double{x}) + static_cast<double>(rounds)));
        EXPECT_THAT(right("chain", only_a(), {{"operations", std::to_string(3 * rounds)}}),
                    Pointwise(DoubleNear(1e-9), expected));
    }
    EXPECT_THAT(right("chain", only_a(), {{"operations", "1"}}), Contains(DoubleNear(std::exp(3.0), 1e-9)));
}

TEST(TensorGraph, ViewsReorderTheInput) {
    const auto doubled = [&](const char* view) { return right("views", only_a(), {{"view", view}}); };
    EXPECT_THAT(doubled("whole"), ElementsAre(0, 2, 4, -2, 1, 6));
    EXPECT_THAT(doubled("transposed"), ElementsAre(0, -2, 2, 1, 4, 6));
    EXPECT_THAT(doubled("slice"), ElementsAre(2, 4, 1, 6));
    EXPECT_THAT(doubled("reshaped"), ElementsAre(0, 2, 4, -2, 1, 6));
    EXPECT_THAT(doubled("line"), ElementsAre(0, -2, 2, 1, 4, 6));
}

TEST(TensorGraph, DiamondRowsAddUpToOne) {
    const std::vector<double> shares = right("diamond", only_a());
    EXPECT_NEAR(shares[0] + shares[1] + shares[2], 1, 1e-12);
    EXPECT_NEAR(shares[1] / shares[0], std::exp(1.0), 1e-12);
}

TEST(TensorGraph, AllOrdersShareOneReference) {
    std::vector<double> sums(3);
    for (std::size_t i = 0; i < 6; ++i)
        sums[i % 3] += 5 * std::tanh(double{a[i]});
    for (const char* order :
         {"tanh+transpose+scale+sum", "transpose+tanh+sum+scale", "scale+transpose+tanh+sum"})
        EXPECT_THAT(right("order", only_a(), {{"order", order}}), Pointwise(DoubleNear(1e-12), sums))
            << order;
}

std::size_t launches(const Settings& settings, const char* variant) {
    return dispatches(prepare_here(settings, variant).plan).size();
}

TEST(TensorGraph, LaunchCountsMatchTheStory) {
    EXPECT_EQ(launches({}, "eager"), 7U);
    EXPECT_EQ(launches({}, "planned"), 7U);
    EXPECT_EQ(launches({}, "fused"), 2U);
    EXPECT_EQ(launches({{"graph", "chain"}, {"operations", "64"}}, "fused"), 1U);
    EXPECT_EQ(launches({{"graph", "diamond"}}, "fused"), 3U);
    for (const char* view : {"whole", "transposed", "slice", "reshaped"})
        EXPECT_EQ(launches({{"graph", "views"}, {"view", view}}, "planned"), 1U) << view;
    EXPECT_EQ(launches({{"graph", "views"}, {"view", "line"}}, "planned"), 2U);
    EXPECT_EQ(launches({{"graph", "views"}, {"view", "line"}}, "fused"), 1U);
}

TEST(TensorGraph, SomeOrdersNeedOneLaunchFewer) {
    const auto fused = [](const char* order) {
        return launches({{"graph", "order"}, {"order", order}}, "fused");
    };
    EXPECT_EQ(fused("tanh+transpose+scale+sum"), 3U);
    EXPECT_EQ(fused("transpose+tanh+scale+sum"), 2U);
    EXPECT_EQ(fused("tanh+transpose+sum+scale"), 2U);
    EXPECT_EQ(fused("tanh+scale+transpose+sum"), 2U);
}

TEST(TensorGraph, OrdersWithAnotherResultAreWrongOnPurpose) {
    const auto wrong = [](const char* order) {
        const PreparedExperiment of = prepare_here({{"graph", "order"}, {"order", order}});
        EXPECT_TRUE(of.is_valid()) << order;
        return is_wrong_on_purpose(graphs(), of.experiment);
    };
    for (const char* order :
         {"tanh+transpose+scale+sum", "transpose+tanh+scale+sum", "transpose+tanh+sum+scale",
          "tanh+transpose+sum+scale", "tanh+scale+transpose+sum"})
        EXPECT_FALSE(wrong(order)) << order;
    EXPECT_TRUE(wrong("scale+tanh+transpose+sum")) << "tanh is applied after the scaling";
    EXPECT_TRUE(wrong("transpose+scale+sum+tanh")) << "tanh of a sum";
    EXPECT_TRUE(wrong("transpose+sum+tanh+scale"));
    EXPECT_FALSE(
        is_wrong_on_purpose(graphs(), prepare_here({{"order", "scale+tanh+transpose+sum"}}).experiment))
        << "only the graph order uses the parameter";
}

TEST(TensorGraph, RefusesInvalidOrdersWithAdvice) {
    const auto refusal = [](const char* order) {
        return refusal_of(prepare_here({{"graph", "order"}, {"order", order}}));
    };
    EXPECT_THAT(refusal("tanh+sum"), HasSubstr("has 2 operations"));
    EXPECT_THAT(refusal("tanh+tanh+scale+sum"), Mentions("once"));
    EXPECT_THAT(refusal("none"), Mentions("missing"));
    EXPECT_THAT(refusal("tanh+sum+transpose+scale"), Mentions("transpose"));
    EXPECT_NO_THROW(require_valid(prepare_here({{"order", "none"}})));
}

TEST(TensorGraph, MemoryMatchesTheStory) {
    const auto matrices = [](const Settings& settings, const char* variant) {
        return static_cast<double>(device_bytes(prepare_here(settings, variant).plan)) / (256 * 256 * 4);
    };
    const Settings chain = {{"graph", "chain"}, {"operations", "64"}};
    EXPECT_EQ(matrices(chain, "eager"), 65);
    EXPECT_EQ(matrices(chain, "planned"), 3);
    EXPECT_EQ(matrices({{"graph", "chain"}, {"operations", "64"}, {"in_place", "yes"}}, "planned"), 2);
    EXPECT_EQ(matrices(chain, "fused"), 2);
    EXPECT_NEAR(matrices({}, "fused"), 4, 0.01);
}

TEST(TensorGraph, NotesParametersThatTheGraphDoesNotUse) {
    const auto remarks_for = [](const Settings& settings, const char* variant) {
        std::string all;
        for (const Remark& remark : prepare_here(settings, variant).remarks)
            if (remark.text.starts_with("Only") || remark.text.starts_with("Eager"))
                all += remark.parameter + ": " + remark.text;
        return all;
    };
    EXPECT_EQ(remarks_for({}, "eager"), "");
    EXPECT_EQ(remarks_for({{"operations", "9"}}, "fused"), "operations: Only the graph chain uses this.");
    EXPECT_THAT(remarks_for({{"in_place", "yes"}}, "eager"), Mentions("in_place", "planned"));
    EXPECT_EQ(remarks_for({{"in_place", "yes"}}, "planned"), "");
}

// The window prepares an experiment for any values of its sliders.
TEST(TensorGraph, RefusesTooLargeExtentsWithoutThrowing) {
    const PreparedExperiment of = prepare_here({{"rows", "1073741824"}});
    EXPECT_FALSE(of.is_valid());
    EXPECT_TRUE(of.plan.steps.empty());
}

TEST(TensorGraph, InputHasTheTensorsOfTheGraph) {
    const auto names = [](const char* graph) {
        std::string all;
        for (const NamedArray& array : graphs().input(values_with(graphs(), {{"graph", graph}})))
            all += array.name;
        return all;
    };
    EXPECT_EQ(names("expression"), "abcw");
    EXPECT_EQ(names("chain"), "a");
    const Input drawn = graphs().input(values_with(graphs(), Settings{}));
    EXPECT_NE(get(drawn, "a").number(0), get(drawn, "b").number(0));
    const Input uniform = graphs().input(values_with(graphs(), {{"numbers", "uniform"}}));
    for (const float number : get(uniform, "a").as<float>())
        ASSERT_LE(std::abs(number), 1);
}

TEST(TensorGraph, UserMatrixBecomesTensorA) {
    const std::vector<float> user_numbers = {0.5F, -50, 50, 1, 2, 3};
    const Values values = values_with(graphs(), {{"columns", "3"}, {"rows", "2"}});
    const Input input = graphs().input_from_user({.numbers = array_of(user_numbers), .width = 3}, values);
    EXPECT_EQ(get(input, "a").number(1), -50);
    EXPECT_EQ(get(input, "b").count(), 6U);
    const std::vector<float> too_large = {1, 2, 3, 4, 50.5F, 6};
    EXPECT_THAT(message_of<Refusal>(
                    [&] { graphs().input_from_user({.numbers = array_of(too_large), .width = 3}, values); }),
                Mentions("50.5", -50, 50));
}

// The baseline's results are private, so the test compares the sum of its first and last numbers.
TEST(TensorGraph, BaselineMatchesTheReference) {
    for (const char* graph : {"expression", "chain", "views", "diamond", "order"})
        for (const char* view : {"whole", "transposed", "slice", "reshaped", "line"}) {
            const PreparedExperiment of = prepare_here(
                {{"graph", graph}, {"view", view}, {"columns", "37"}, {"rows", "21"}, {"operations", "64"}});
            const Input input = graphs().input(of.values());
            const ArrayRef expected = of.task.reference(input, of).front().reference;
            const double both = expected->number(0) + expected->number(expected->count() - 1);
            EXPECT_NEAR(baselines_of(graphs(), input, of.values()).front(), both, 1e-4 * (1 + std::abs(both)))
                << graph << " " << view;
        }
}

TEST(FastMath, LogarithmMatchesTheLibrary) {
    for (float x = 1e-30F; x < 1e30F; x *= 1.37F)
        EXPECT_NEAR(fast_log(x), std::log(double{x}), 1e-6 * (1 + std::abs(std::log(x)))) << x;
}

TEST(TensorGraph, GraphPictureGroupsFusedNodes) {
    const auto drawn = [](const char* variant) {
        return content_of<Graph>(make_plots({prepare_here({}, variant)}), "graph");
    };
    const Graph fused = drawn("fused"), eager = drawn("eager");
    ASSERT_EQ(fused.nodes.size(), 11U) << "a, b, c, w and seven operations; numbers are not tensors";
    ASSERT_EQ(fused.groups.size(), 2U);
    EXPECT_THAT(fused.groups[0], HasSubstr("6 operations, 16"));
    EXPECT_THAT(fused.groups[1], HasSubstr("reduction: 1 operation, 4"));
    std::vector<std::size_t> fused_counts, eager_counts;
    for (std::size_t i = 0; i < fused.nodes.size(); ++i) {
        EXPECT_EQ(fused.nodes[i].kind == Graph::Kind::input, !fused.nodes[i].group);
        if (fused.nodes[i].group) fused_counts.push_back(*fused.nodes[i].group);
        if (eager.nodes[i].group) eager_counts.push_back(*eager.nodes[i].group);
    }
    EXPECT_THAT(fused_counts, ElementsAre(0, 0, 0, 0, 0, 0, 1));
    EXPECT_THAT(eager_counts, ElementsAre(0, 1, 2, 3, 4, 5, 6));
    EXPECT_EQ(fused.nodes.back().label, "s = sum(y)");
    const PreparedExperiment copied = prepare_here({{"graph", "views"}, {"view", "line"}});
    EXPECT_TRUE(std::ranges::any_of(content_of<Graph>(make_plots({copied}), "graph").nodes,
                                    [](const Graph::Node& node) { return node.kind == Graph::Kind::copy; }));
}

TEST(TensorGraph, MemoryBoxesDoNotOverlap) {
    for (const char* graph : {"expression", "chain", "views", "diamond", "order"})
        for (const Variant& variant : graphs().variants)
            for (const char* in_place : {"no", "yes"})
                for (const char* operations : {"9", "40"}) {
                    const PreparedExperiment of =
                        prepare_here({{"graph", graph}, {"in_place", in_place}, {"operations", operations}},
                                     variant.id.c_str());
                    const Figure figure = content_of<Figure>(make_plots({of}), "memory");
                    // If the steps have names, a box reaches to the end of its last step.
                    const double whole = figure.x.categories.empty() ? 0 : 1;
                    double top = 0;
                    for (const Figure::Box& one : figure.boxes) {
                        top = std::max(top, one.y_to);
                        for (const Figure::Box& other : figure.boxes) {
                            const bool together =
                                one.x_from < other.x_to + whole && other.x_from < one.x_to + whole;
                            const bool share = one.y_from < other.y_to && other.y_from < one.y_to;
                            EXPECT_TRUE(&one == &other || !together || !share)
                                << graph << " " << variant.id << ": " << one.label << ", " << other.label;
                        }
                    }
                    EXPECT_EQ(figure.boxes.size(), of.plan.buffers.size());
                    EXPECT_EQ(top, static_cast<double>(device_bytes(of.plan)));
                }
}

/// Makes the times of a run: each step takes a millisecond, the first step of a submission does not wait, and
/// the third step has two parts.
Plot commands_of(const char* variant) {
    const PreparedExperiment of = prepare_here({}, variant);
    Report report = finished_run(graphs(), of.values(), variant);
    std::uint64_t submission = 0, barriers = 0;
    for (std::size_t i = 0; i < of.plan.steps.size(); ++i) {
        if (std::holds_alternative<SubmitEnd>(of.plan.steps[i])) {
            ++submission;
            barriers = 0;
            continue;
        }
        for (int piece = 0; piece < (i == 2 ? 2 : 1); ++piece)
            report.timeline.push_back({Phase::kernel, "", 1e6 * static_cast<double>(i) + 5e5 * piece,
                                       i == 2 ? 4e5 : 9e5, i, submission, std::exchange(barriers, 1)});
    }
    report.launch.submissions = submission + 1;
    return *plot_of(make_plots({of, &report}), "commands");
}

TEST(TensorGraph, CommandPictureHasARowPerSubmissionWithBarriers) {
    const Plot plot = commands_of("planned");
    const Timeline planned = std::get<Timeline>(plot.content);
    ASSERT_EQ(planned.rows.size(), 1U);
    EXPECT_EQ(planned.rows[0].bars.size(), 12U) << "four uploads, seven launches, one download";
    EXPECT_EQ(planned.rows[0].bars[2].duration_ns, 9e5) << "the time of both pieces";
    EXPECT_EQ(planned.rows[0].barriers_ns.size(), 12U);
    EXPECT_EQ(planned.rows[0].barriers_ns[0], 1e6);
    EXPECT_THAT(plot.note, Mentions(1, 12));
    const Timeline eager = std::get<Timeline>(commands_of("eager").content);
    EXPECT_EQ(eager.rows.size(), 8U) << "the first includes the uploads, the last the download";
    EXPECT_EQ(eager.rows[1].label, "submit 2");
    EXPECT_THAT(eager.rows[1].barriers_ns, ElementsAre());
}

TEST(TensorGraph, PlansFitTheDeviceLimits) {
    for (const Limits& limits : {software_device(), large_gpu()})
        for (const Variant& variant : graphs().variants)
            for (const char* graph : {"expression", "chain", "views", "diamond", "order"})
                for (const char* columns : {"1", "37", "65001"})
                    for (const char* rows : {"1", "37", "1000"})
                        for (const char* workgroup : {"1x1", "7x1", "3x32", "256x1"})
                            for (const char* grid : {"auto", "1x1", "2x3"}) {
                                const PreparedExperiment of = prepare_here({{"graph", graph},
                                                                            {"columns", columns},
                                                                            {"rows", rows},
                                                                            {"workgroup", workgroup},
                                                                            {"grid", grid},
                                                                            {"view", "line"}},
                                                                           variant.id, limits);
                                ASSERT_EQ(find_plan_error(of.plan), "");
                                for (const Dispatch* dispatch : dispatches(of.plan)) {
                                    ASSERT_LE(dispatch->shared_bytes, limits.max_shared_bytes);
                                    ASSERT_EQ(dispatch->workgroup.product(),
                                              requested_workgroup(of.values()).product());
                                    if (of.is_valid()) {
                                        ASSERT_EQ(slice(*dispatch, of.plan.buffers, limits).refusal, "");
                                    }
                                }
                            }
}

}  // namespace gridstride::tensor_graph_test
