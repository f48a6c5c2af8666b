// Tests views; NumPy gives the same results.

#include "graph/graph.h"

#include "test_includes.h"

namespace gridstride::tensor::shape_test {

std::vector<std::uint64_t> places(const View& view) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t e = 0; e < element_count(view.shape); ++e)
        all.push_back(view.at(e));
    return all;
}

TEST(View, TransposesSlicesAndBroadcastsWithoutCopying) {
    const View whole = View::whole({2, 3});
    EXPECT_THAT(places(whole), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(places(whole.transposed(0, 1)), ElementsAre(0, 3, 1, 4, 2, 5));
    EXPECT_THAT(places(whole.slice(1, 1, 2)), ElementsAre(1, 2, 4, 5));
    EXPECT_THAT(places(whole.slice(0, 1, 1).broadcast_to({2, 3})), ElementsAre(3, 4, 5, 3, 4, 5));
    EXPECT_THAT(places(View::whole({}).broadcast_to({3})), ElementsAre(0, 0, 0));
}

TEST(View, IsWholeIfItsOrderIsThatOfMemory) {
    EXPECT_TRUE(View::whole({}).is_whole());
    EXPECT_TRUE(View::whole({4, 1, 5}).transposed(0, 1).is_whole());
    EXPECT_TRUE(View::whole({4, 5}).slice(0, 0, 2).is_whole());
    EXPECT_FALSE(View::whole({4, 5}).slice(0, 1, 2).is_whole());
    EXPECT_FALSE(View::whole({4, 5}).slice(1, 0, 2).is_whole());
    EXPECT_FALSE(View::whole({4, 5}).transposed(0, 1).is_whole());
    EXPECT_FALSE(View::whole({1}).broadcast_to({2}).is_whole());
}

TEST(View, ReshapesIfStridesCanExpressIt) {
    EXPECT_EQ(View::whole({4, 6}).reshaped({2, 2, 6}), View::whole({2, 2, 6}));
    EXPECT_EQ(View::whole({4, 6}).reshaped({24}), View::whole({24}));
    for (const Shape& shape : {Shape{1, 24}, {24, 1}, {1, 1, 4, 6}, {1, 24, 1}})
        EXPECT_EQ(View::whole({4, 6}).reshaped(shape), View::whole(shape)) << text_of(shape);
    EXPECT_EQ(View::whole({1}).reshaped({1, 1}), View::whole({1, 1}));
    const View turned = View::whole({4, 6}).transposed(0, 1);  // 6 x 4
    EXPECT_FALSE(turned.reshaped({24}));
    ASSERT_TRUE(turned.reshaped({2, 3, 4}));
    EXPECT_EQ(places(*turned.reshaped({2, 3, 4})), places(turned));
    // The view is every other column. numpy.arange(24).reshape(4, 6)[:, ::2] has no flat view, but it has a
    // view as rows of half their length.
    const View half = View::whole({4, 6}).slice(1, 0, 3);
    EXPECT_FALSE(half.reshaped({12}));
    EXPECT_EQ(places(*half.reshaped({2, 2, 3})), places(half));
    const View same = View::whole({1, 3}).broadcast_to({4, 3});
    EXPECT_EQ(places(*same.reshaped({2, 2, 3})), places(same));
}

TEST(Shape, RefusalsNameTheShapes) {
    Graph graph;
    const Tensor a = graph.input("a", {4, 3}), b = graph.input("b", {4, 2});
    const auto refused = [](auto what) { return message_of<Refusal>(what); };
    EXPECT_THAT(refused([&] { a + b; }), HasSubstrs("add of 4 x 3 and 4 x 2", "3 and 2"));
    EXPECT_THAT(refused([&] { matmul(a, b); }), HasSubstr("matmul of 4 x 3 and 4 x 2"));
    EXPECT_THAT(refused([&] { sum(a, 2); }), HasSubstrs("axis 2 of 4 x 3", "there are 2"));
    EXPECT_THAT(refused([&] { a.reshaped({5}); }), HasSubstrs("4 x 3", "5 elements"));
    EXPECT_THAT(refused([&] { a.slice(0, 3, 2); }), HasSubstrs("2 from 3", "has 4"));
    EXPECT_THAT(refused([&] { a.broadcast_to({3}); }), Mentions(4, 3, 3));
    EXPECT_THAT(refused([&] { graph.input("d", {1, 1, 1, 1, 1}); }), HasSubstr("5 extents"));
    EXPECT_THAT(refused([&] { graph.input("d", {3, 0}); }), HasSubstr("no elements"));
    EXPECT_THAT(refused([&] { graph.input("d", {65536, 65536}); }), Mentions(65536, max_elements));
    EXPECT_THAT(refused([&] { graph.input("a", {1}); }), HasSubstr("two tensors \"a\""));
    EXPECT_THAT(refused([&] { graph.input("1x", {1}); }), Mentions("1x", "cannot"));
    EXPECT_THAT(refused([&] { graph.input("t1", {1}); }), Mentions("t1", "cannot"));
    EXPECT_THAT(refused([&] { graph.number(1e39); }), HasSubstr("1e+39"));
    EXPECT_THAT(refused([&] { exp(graph.input("n", {2}, ElementType::i32)); }), HasSubstr("i32"));
    Graph other;
    EXPECT_THAT(refused([&] { a + other.input("a", {4, 3}); }), HasSubstr("two graphs"));
}

}  // namespace gridstride::tensor::shape_test
