// Tests schedules, memory and plans without a device.

#include "tensor/plan.h"
#include "launch/h200.h"
#include "tensor/arena.h"
#include "tensor/labels.h"
#include "tensor/random_graph.h"
#include "tensor/schedule.h"
#include "test_environment.h"
#include "test_includes.h"

namespace gridstride::tensor::plan_test {

constexpr std::size_t many = 16;

std::vector<std::string> labels(const Graph& graph, bool fuse, std::size_t max_bindings = many) {
    std::vector<std::string> all;
    for (const Group& group : schedule(graph, fuse, max_bindings))
        all.push_back(label_of(graph, group));
    return all;
}
std::vector<Dispatch> launches_of(const Plan& plan) {
    std::vector<Dispatch> all;
    for (const Step& step : plan.steps)
        if (const auto* dispatch = std::get_if<Dispatch>(&step)) all.push_back(*dispatch);
    return all;
}
std::size_t launches(const Plan& plan) {
    return launches_of(plan).size();
}
std::size_t submits(const Plan& plan) {
    return static_cast<std::size_t>(std::ranges::count_if(
        plan.steps, [](const Step& step) { return std::holds_alternative<SubmitEnd>(step); }));
}
Limits subgroups() {
    Limits limits;
    limits.subgroup_arithmetic = limits.subgroup_ballot = true;
    return limits;
}

TEST(Schedule, FusesAChainAndItsSumIntoTwoKernels) {
    Graph graph;
    const Tensor a = graph.input("a", {8, 4}), b = graph.input("b", {8, 4});
    graph.output("s", sum(tanh(((a + b) * 5 - a) / 2), 1));
    EXPECT_THAT(labels(graph, false), ElementsAre("t1 = a + b", "t2 = t1 * 5", "t3 = t2 - a", "t4 = t3 / 2",
                                                  "t5 = tanh(t4)", "s = sum(t5)"));
    EXPECT_THAT(labels(graph, true), ElementsAre("t1 to t5", "s = sum(t5)"));
}

TEST(Schedule, FusesOperationsAfterAReduction) {
    Graph graph;
    const Tensor a = graph.input("a", {8, 4}), b = graph.input("b", {8});
    graph.output("y", sqrt(sum(a, 1) + b));
    EXPECT_EQ(labels(graph, true).size(), 1U);
}

TEST(Schedule, FusesOperationsAfterAProduct) {
    Graph graph;
    const Tensor a = graph.input("a", {8, 4}), b = graph.input("b", {4, 3}), c = graph.input("c", {3});
    graph.output("y", maximum(matmul(a, b) + c, graph.number(0)));
    EXPECT_EQ(labels(graph, true).size(), 1U);
    // If the product itself is an output, it is not fused.
    Graph both;
    const Tensor x = both.input("x", {8, 8});
    const Tensor product = matmul(x, x);
    both.output("p", product);
    both.output("y", product + 1);
    EXPECT_EQ(labels(both, true).size(), 2U);
}

TEST(Schedule, StoresAResultThatSeveralGroupsRead) {
    Graph graph;
    const Tensor a = graph.input("a", {8, 4});
    const Tensor shared = exp(a);
    graph.output("x", sum(shared, 0));
    graph.output("y", shared * 2);
    EXPECT_EQ(labels(graph, true).size(), 3U);
    // Both sides of a diamond are in one group.
    Graph diamond;
    const Tensor top = exp(diamond.input("a", {8}));
    diamond.output("y", (top + 1) * (top - 1));
    EXPECT_EQ(labels(diamond, true).size(), 1U);
}

TEST(Schedule, DoesNotFuseAcrossATransposedView) {
    Graph graph;
    const Tensor a = exp(graph.input("a", {4, 4}));
    graph.output("y", a + a.transposed());
    EXPECT_EQ(labels(graph, true).size(), 2U);
}

TEST(Schedule, LimitsBindingsOfElementwiseKernels) {
    Graph graph;
    Tensor all = graph.input("x0", {8});
    for (int i = 1; i < 12; ++i)
        all = all + graph.input(fmt::format("x{}", i), {8});
    graph.output("y", all);
    EXPECT_EQ(labels(graph, true, 16).size(), 1U);
    for (const std::size_t most : {3, 4, 5, 7}) {
        Limits limits;
        limits.max_bindings = static_cast<std::uint32_t>(most);
        const Plan plan = make_plan(graph, limits, {});
        for (const Dispatch& dispatch : launches_of(plan))
            EXPECT_LE(dispatch.bindings.size(), most);
        EXPECT_EQ(labels(graph, true, most).size(), (11 + most - 3) / (most - 2)) << most;
    }
}

// The first operation of a group binds its factors or parts besides all inputs of its tail, even if the tail
// reads one of them.
TEST(Schedule, LimitsBindingsOfProductsAndSums) {
    for (const std::size_t most : {4, 5, 6}) {
        Limits limits;
        limits.max_bindings = static_cast<std::uint32_t>(most);
        Graph product;
        const Tensor a = product.input("a", {8, 8}), b = product.input("b", {8, 8});
        product.output("y", matmul(a, b) * a + product.input("c", {8, 8}));
        Graph graph_of_parts;
        const Tensor x = graph_of_parts.input("x", {100'000, 8});
        const Tensor sums = sum(x, 0);
        graph_of_parts.output("sums", sums);
        Tensor y = sums + x.slice(0, 3, 1).reshaped({8});
        for (int i = 0; i < 2; ++i)
            y = y + graph_of_parts.input(fmt::format("x{}", i), {8});
        graph_of_parts.output("y", y);
        for (const Graph* const graph : {&product, &graph_of_parts})
            for (const Dispatch& dispatch : launches_of(make_plan(*graph, limits, {})))
                EXPECT_LE(dispatch.bindings.size(), most) << dispatch.label;
        EXPECT_EQ(labels(product, true, most).size(), most < 5 ? 2U : 1U);
    }
}

TEST(MakePlan, RefusesNodesWithTooManyBindings) {
    Graph graph;
    const Tensor q = quantise(graph.input("x", {8, 8}), Scheme::per_row);
    graph.output("y", matmul(graph.input("v", {8, 8}), q.transposed()));
    Limits limits = subgroups();
    limits.max_bindings = 4;
    EXPECT_THAT(message_of<Refusal>([&] { make_plan(graph, limits, {}); }),
                Mentions(5, 4, "maxPerStageDescriptorStorageBuffers"));
}

TEST(MakePlan, UsesMatrixUnitsForF16ProductsIfAvailable) {
    const auto launch = [](const Limits& limits, bool has_tail) {
        Graph graph;
        graph.set_factor_type(ElementType::f16);
        const Tensor a = graph.input("a", {200, 64}, ElementType::f16),
                     b = graph.input("b", {300, 64}, ElementType::f16);
        const Tensor product = matmul(a, b.transposed());
        graph.output("y", has_tail ? tanh(product) : product);
        const Plan plan = make_plan(graph, limits, {});
        return *std::ranges::find_if(plan.steps,
                                     [](const auto& step) { return std::holds_alternative<Dispatch>(step); });
    };
    Limits limits;
    for (const bool has_units : {false, true})
        for (const bool has_tail : {false, true}) {
            limits.cooperative_matrix = has_units;
            const auto dispatch = std::get<Dispatch>(launch(limits, has_tail));
            EXPECT_THAT(dispatch.source, HasSubstr("matmul/halves.glsl"));
            EXPECT_EQ(dispatch.source.find("HAS_MATRIX_UNITS") != std::string::npos, has_units);
            EXPECT_EQ(dispatch.source.find("tanh") != std::string::npos, has_tail);
            EXPECT_EQ(dispatch.grid, (Extent{3, 2}));
            EXPECT_LE(dispatch.shared_bytes, limits.max_shared_bytes);
        }
    // A workgroup has four subgroups.
    limits.subgroup_size = 64;
    EXPECT_EQ(std::get<Dispatch>(launch(limits, false)).workgroup.x, 4 * 64);
}

TEST(MakePlan, MultipliesManyVectorsOfBytesByTiles) {
    const auto launch_of = [](const Limits& limits, std::uint64_t rows, std::uint64_t vectors) {
        Graph graph;
        const Tensor x = graph.input("x", {vectors, 1000}), w = graph.input("w", {rows, 1000});
        graph.output("y", matmul(quantise(x, Scheme::per_row), quantise(w, Scheme::per_row).transposed()));
        const Plan plan = make_plan(graph, limits, {});
        for (const Step& step : plan.steps)
            if (const auto* launch = std::get_if<Dispatch>(&step))
                if (launch->kernel.starts_with("quantise_int8/int8")) return *launch;
        return Dispatch{};
    };
    Limits limits = test::h200();
    limits.subgroup_arithmetic = limits.subgroup_ballot = true;
    EXPECT_EQ(launch_of(limits, 500, 8).kernel, "quantise_int8/int8.shifts");
    EXPECT_EQ(launch_of(limits, 500, 64).kernel, "quantise_int8/int8_tiles.shifts");
    limits.integer_dot = true;
    // Smaller tiles, so that more multiprocessors have one.
    const Dispatch small = launch_of(limits, 500, 100), large = launch_of(limits, 5000, 5000);
    EXPECT_EQ(small.kernel, "quantise_int8/int8_tiles.instruction");
    EXPECT_EQ(small.grid, (Extent{2, 8}));
    EXPECT_EQ(large.grid, (Extent{40, 40}));
    limits.byte_matrices = true;
    const Dispatch units_launch = launch_of(limits, 500, 100);
    EXPECT_EQ(units_launch.kernel, "quantise_int8/int8_tiles.matrix_units");
    EXPECT_EQ(units_launch.grid, (Extent{1, 4}));
    // Two tiles of 128 rows need more workgroup memory than Vulkan guarantees.
    limits.max_shared_bytes = 16384;
    EXPECT_EQ(launch_of(limits, 500, 100).kernel, "quantise_int8/int8.instruction");
}

// Only make_plan() knows which drivers end loops early, and how a product can be cut.
TEST(MakePlan, RefusesTooLongProductsWithAdvice) {
    constexpr const char* nothing = "(nothing was thrown)";
    Limits limits;
    limits.loop_iterations = 65'535;
    const auto refusal = [&](std::uint64_t k) {
        Graph graph;
        graph.output("y", matmul(graph.input("a", {16, k}), graph.input("b", {k, 24})));
        return message_of<Refusal>([&] { make_plan(graph, limits, {}); });
    };
    EXPECT_THAT(refusal(100'000),
                Mentions("\"y = matmul(a, b)\" needs 175017", 65023, 16, 100000, 100000, 24, 100000, 3));
    EXPECT_EQ(refusal(divide_up(100'000, 3)), nothing);
    EXPECT_THAT(refusal(divide_up(100'000, 2)), HasSubstr("into 2 parts"));
    limits.loop_iterations = 0;
    EXPECT_EQ(refusal(100'000), nothing);
    // Other limits are checked elsewhere, with their own messages.
    limits.max_binding_bytes = 1000;
    EXPECT_EQ(refusal(100'000), nothing);
}

TEST(Schedule, SkipsNodesWithoutAReader) {
    Graph graph;
    const Tensor a = graph.input("a", {8});
    exp(graph.input("unused", {8}));
    graph.output("y", a + 1);
    const Plan plan = make_plan(graph, Limits{}, {});
    EXPECT_EQ(launches(plan), 1U);
    EXPECT_EQ(plan.buffers.size(), 2U);
}

// Two buffers that are live at the same time share no byte; and if all have one size, the arena is no larger
// than necessary.
TEST(Arena, LiveBuffersDoNotOverlap) {
    std::mt19937 random(1);
    const auto draw = [&](std::uint64_t below) {
        return std::uniform_int_distribution<std::uint64_t>(0, below - 1)(random);
    };
    for (int trial = 0; trial < 200; ++trial) {
        const bool alike = trial % 2 == 0;
        std::vector<Lifetime> all(1 + draw(40));
        for (Lifetime& one : all) {
            one.first = draw(30);
            one.end = one.first + 1 + draw(8);
            one.bytes = alike ? 512 : 1 + draw(5000);
        }
        const std::vector<std::uint64_t> places = plan_arena(all);
        std::uint64_t end = 0, most = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            EXPECT_EQ(places[i] % arena_alignment, 0U);
            end = std::max(end, places[i] + all[i].bytes);
            std::uint64_t together = 0;
            for (std::size_t j = 0; j < all.size(); ++j) {
                if (all[j].first <= all[i].first && all[i].first < all[j].end) together += all[j].bytes;
                const bool meet = all[i].first < all[j].end && all[j].first < all[i].end;
                if (i != j && meet) {
                    EXPECT_TRUE(places[i] + all[i].bytes <= places[j] ||
                                places[j] + all[j].bytes <= places[i]);
                }
            }
            most = std::max(most, together);
        }
        if (alike) {
            EXPECT_EQ(end, most);
        }
    }
}

Plan chain_of(std::size_t operations, const Options& options, std::uint64_t elements = 1024) {
    Graph graph;
    Tensor x = graph.input("x", {elements});
    for (std::size_t i = 0; i < operations; ++i)
        x = i % 2 == 0 ? tanh(x) : -x;
    graph.output("y", x);
    return make_plan(graph, Limits{}, options);
}

TEST(MakePlan, ChainMemoryDoesNotDependOnItsLength) {
    constexpr std::uint64_t data = 1024 * sizeof(float);
    for (const std::size_t length : {2, 3, 8, 64, 1000, 10'000}) {
        const Plan planned = chain_of(length, {.execution = Execution::planned});
        EXPECT_EQ(device_bytes(planned), 3 * data) << length;
        EXPECT_EQ(launches(planned), length);
        EXPECT_EQ(submits(planned), 0U);
        EXPECT_EQ(device_bytes(chain_of(length, {.execution = Execution::planned, .is_in_place = true})),
                  2 * data);
        const Plan fused = chain_of(length, {});
        EXPECT_LE(device_bytes(fused), 3 * data);
        EXPECT_EQ(launches(fused), (length + max_group_nodes - 1) / max_group_nodes);
    }
    const Plan eager = chain_of(64, {.execution = Execution::eager});
    EXPECT_EQ(device_bytes(eager), 65 * data);
    EXPECT_EQ(launches(eager), 64U);
    EXPECT_EQ(submits(eager), 64U);
}

// The same computation uses the same kernel, whatever the values and the number of elements.
TEST(MakePlan, SharesKernelsOfEqualStructure) {
    std::set<std::string> kernels;
    for (const Plan& plan : {chain_of(64, {.execution = Execution::eager}),
                             chain_of(32, {.execution = Execution::planned}, 5000)})
        for (const Dispatch& dispatch : launches_of(plan))
            kernels.insert(dispatch.kernel);
    // The kernels are: tanh and neg, those that read x, those that write y, and those between.
    EXPECT_EQ(kernels.size(), 4U);
}

TEST(MakePlan, CopiesViewsOnlyWhereNecessary) {
    Graph graph;
    const Tensor a = graph.input("a", {4, 6});
    graph.output("y", a.transposed().slice(0, 1, 3).reshaped({3, 2, 2}) + 1);
    EXPECT_EQ(std::ranges::count(graph.nodes(), Op::copy, &Node::op), 0);
    graph.output("z", a.transposed().reshaped({24}) + 1);
    EXPECT_EQ(std::ranges::count(graph.nodes(), Op::copy, &Node::op), 1);
    graph.output("p", matmul(a, a.transposed()));
    EXPECT_EQ(std::ranges::count(graph.nodes(), Op::copy, &Node::op), 1);
    graph.output("v", a.transposed());
    EXPECT_EQ(std::ranges::count(graph.nodes(), Op::copy, &Node::op), 2);
}

TEST(MakePlan, OutputsKeepTheirShapeAndName) {
    Graph graph;
    const Tensor p = (graph.input("a", {4, 8}) + 1).named("p");
    graph.output("q", p.reshaped({8, 4}));
    graph.output("p", p);
    graph.output("r", p);
    std::vector<std::string> outputs;
    for (const std::size_t output : graph.outputs())
        outputs.push_back(graph.nodes()[output].name + " " + text_of(graph.nodes()[output].shape));
    EXPECT_THAT(outputs, ElementsAre("q 8 x 4", "p 4 x 8", "r 4 x 8"));
}

TEST(MakePlan, MultipliesAReshapedRowWithoutACopy) {
    Graph graph;
    const Tensor a = graph.input("a", {768}), w = graph.input("w", {768, 16});
    graph.output("y", matmul(a.reshaped({1, 768}), w));
    EXPECT_EQ(std::ranges::count(graph.nodes(), Op::copy, &Node::op), 0);
}

TEST(MakePlan, HostNodesHaveTransferSteps) {
    Graph graph;
    const Tensor a = graph.input("a", {8});
    const Tensor there = exp(a).named("there");
    const Tensor here = (there + 1).on(Processor::host).named("here");
    graph.output("y", here * 2);
    const Plan plan = make_plan(graph, Limits{}, {});
    EXPECT_EQ(find_plan_error(plan), "");
    std::vector<std::string> steps;
    for (const Step& step : plan.steps) {
        if (const auto* up = std::get_if<Upload>(&step)) steps.push_back("up " + up->input);
        if (const auto* down = std::get_if<Download>(&step))
            steps.push_back("down " + plan.buffers[down->buffer].name);
        if (const auto* host = std::get_if<HostStep>(&step)) steps.push_back("host " + host->output);
        if (const auto* launch = std::get_if<Dispatch>(&step)) steps.push_back(launch->label);
    }
    EXPECT_THAT(steps, ElementsAre("up a", "there = exp(a)", "down there", "host here", "up here",
                                   "y = here * 2", "down y"));
}

TEST(MakePlan, PlanningAndFusionSaveMemory) {
    std::size_t larger = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RandomGraph drawn(seed, 5 + seed % 36);
        const Plan eager = make_plan(drawn.graph, subgroups(), {.execution = Execution::eager}),
                   planned = make_plan(drawn.graph, subgroups(), {.execution = Execution::planned}),
                   fused = make_plan(drawn.graph, subgroups(), {});
        // For a small graph, alignment may cost more than sharing saves.
        const std::uint64_t rounding = arena_alignment * planned.buffers.size();
        EXPECT_LE(device_bytes(planned), device_bytes(eager) + rounding) << seed;
        // A group's inputs stay in memory until the whole group has run, which may need more than its
        // intermediate results would.
        larger += device_bytes(fused) > device_bytes(planned) + rounding;
        EXPECT_LE(launches(fused), launches(planned)) << seed;
    }
    EXPECT_LE(larger, 5U);
}

// Plans a graph that needs a and b at its beginning and at its end.
Plan round_trip(std::uint64_t memory_bytes, Execution execution = Execution::planned) {
    Graph graph;
    const Tensor a = graph.input("a", {1024}), b = graph.input("b", {1024});
    const Tensor first = (a + b).named("first");
    Tensor u = tanh(first), v = exp(first);
    for (int i = 0; i < 3; ++i)
        u = std::exchange(v, u + v);
    graph.output("y", (v + first) * a);
    return make_plan(graph, Limits{}, {.execution = execution, .memory_bytes = memory_bytes});
}
std::vector<std::string> moves(const Plan& plan) {
    std::vector<std::string> all;
    for (const Step& step : plan.steps) {
        if (const auto* up = std::get_if<Upload>(&step)) all.push_back(up->label);
        if (const auto* down = std::get_if<Download>(&step)) all.push_back(down->label);
    }
    std::erase(all, "");
    return all;
}

TEST(MakePlan, EvictsTheLeastRecentlyUsedTensor) {
    constexpr std::uint64_t each = 1024 * sizeof(float);
    EXPECT_EQ(device_bytes(round_trip(0)), 6 * each);
    EXPECT_THAT(moves(round_trip(5 * each)), IsEmpty());
    EXPECT_THAT(moves(round_trip(4 * each)), ElementsAre(Mentions("reload")));
    const Plan three = round_trip(3 * each);
    EXPECT_EQ(find_plan_error(three), "");
    EXPECT_EQ(device_bytes(three), 3 * each);
    // The host already has a, so a is evicted without a copy. The first result must be copied.
    EXPECT_THAT(moves(three), ElementsAre("evict first", "reload first", Mentions("reload")));
    EXPECT_THAT(message_of<Refusal>([] { round_trip(2 * each); }),
                HasSubstrs("first = a + b needs 12", "allowed 8"));
    // In eager execution, each tensor has a buffer of its own.
    EXPECT_EQ(device_bytes(round_trip(3 * each, Execution::eager)), 10 * each);
}

TEST(MakePlan, StaysWithinTheBudget) {
    std::size_t moved = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RandomGraph drawn(seed, 5 + seed % 36);
        const std::uint64_t all = device_bytes(make_plan(drawn.graph, subgroups(), {}));
        for (const std::uint64_t budget : {all / 2, all * 3 / 4, all})
            try {
                const Plan plan = make_plan(drawn.graph, subgroups(), {.memory_bytes = budget});
                EXPECT_EQ(find_plan_error(plan), "");
                EXPECT_LE(device_bytes(plan), budget) << seed;
                moved += moves(plan).size();
            } catch (const Refusal&) {
                EXPECT_LT(budget, all + arena_alignment * 40) << seed;
            }
    }
    EXPECT_GT(moved, 100U);
}

/// Returns the memory budget, in bytes, that a refusal offers.
std::uint64_t offered_memory(const std::string& refusal) {
    const std::size_t at = refusal.find("memory to ");
    return at == std::string::npos ? 0 : std::stoull(refusal.substr(at + 10));
}

TEST(MakePlan, RefusalNamesASufficientBudget) {
    std::size_t refused = 0, gap_count = 0;
    const std::uint64_t graphs = sample_of(60, 18);
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        const RandomGraph drawn(seed, 5 + seed % 36);
        for (const Execution execution : {Execution::planned, Execution::fused})
            for (const bool in_place : {false, true}) {
                const std::uint64_t all =
                    device_bytes(make_plan(drawn.graph, subgroups(), {.execution = execution}));
                for (std::uint64_t budget = all / 20 + 1; budget < all; budget = budget * 3 / 2 + 1) {
                    Options options{.execution = execution, .is_in_place = in_place, .memory_bytes = budget};
                    std::string refusal;
                    try {
                        make_plan(drawn.graph, subgroups(), options);
                        continue;
                    } catch (const Refusal& error) {
                        refusal = error.what();
                    }
                    ++refused;
                    gap_count += refusal.find("gaps") != std::string::npos;
                    options.memory_bytes = offered_memory(refusal);
                    ASSERT_GT(options.memory_bytes, budget) << refusal;
                    Plan plan;
                    ASSERT_NO_THROW(plan = make_plan(drawn.graph, subgroups(), options))
                        << seed << ' ' << refusal;
                    EXPECT_EQ(find_plan_error(plan), "");
                    EXPECT_LE(device_bytes(plan), options.memory_bytes);
                    EXPECT_LE(options.memory_bytes, 2 * all + 64 * arena_alignment)
                        << "the named budget is not arbitrarily large";
                }
            }
    }
    EXPECT_GT(refused, 5 * graphs);
    EXPECT_GT(gap_count, 0U);
}

/// Returns why such a small budget is refused on a device with this much memory.
std::string refusal_on(const Graph& graph, std::uint64_t device_memory) {
    Limits limits = subgroups();
    limits.memory_bytes = device_memory;
    return test::message_of<Refusal>([&] { make_plan(graph, limits, {.memory_bytes = 1}); });
}

TEST(MakePlan, RefusalNamesAllDeviceMemoryIfNecessary) {
    std::size_t skipped = 0;
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const RandomGraph drawn(seed, 5 + seed % 36);
        const std::uint64_t offered =
            offered_memory(refusal_on(drawn.graph, std::numeric_limits<std::uint32_t>::max()));
        ASSERT_GT(offered, 0U) << seed;
        for (std::uint64_t memory = offered - offered / 8; memory <= offered; memory += arena_alignment) {
            bool is_enough = true;
            try {
                make_plan(drawn.graph, subgroups(), {.memory_bytes = memory});
            } catch (const Refusal&) {
                is_enough = false;
            }
            const std::string refusal = refusal_on(drawn.graph, memory);
            const std::uint64_t now = offered_memory(refusal);
            EXPECT_LE(now, memory) << refusal;
            EXPECT_TRUE(!is_enough || now > 0) << memory << " are enough. " << refusal;
            skipped += is_enough && memory < offered;
        }
    }
    EXPECT_GT(skipped, 0U);
}

TEST(MakePlan, RefusalNamesNoBudgetBeyondTheDevice) {
    Graph graph;
    graph.output("y", exp(graph.input("a", {1 << 20})));
    Limits small;
    small.memory_bytes = 1 << 20;
    EXPECT_THAT(message_of<Refusal>([&] { make_plan(graph, small, {.memory_bytes = 1 << 16}); }),
                Mentions(1, "fewer"));
}

TEST(MakePlan, RefusesAGraphWithoutOutputs) {
    Graph graph;
    exp(graph.input("a", {8}));
    EXPECT_THAT(message_of<Refusal>([&] { make_plan(graph, Limits{}, {}); }), Mentions("output"));
}

}  // namespace gridstride::tensor::plan_test
