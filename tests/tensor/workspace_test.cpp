// Tests models that share tensors: names, write access, versions, and memory that all models share.

#include "tensor/workspace.h"
#include "graph/expected.h"
#include "tensor/plan.h"
#include "test_includes.h"

namespace gridstride::tensor::workspace_test {

std::string refusal(const auto& of) {
    return message_of<Refusal>(of);
}

class WorkspaceTest : public ::testing::Test {
 protected:
    WorkspaceTest() { all_.write("text", "text.p", tanh(all_.input("text", "text.e", {2, 3}))); }
    Workspace all_;
};

TEST_F(WorkspaceTest, ModelReadsASharedTensor) {
    all_.share("text", "text.p", "pair", AccessRight::read);
    all_.use("pair", "text.p");
    all_.write("pair", "pair.s", sum(all_.read("pair", "text.p"), 1));
    all_.graph().output("result", all_.read("pair", "pair.s"));
    EXPECT_EQ(all_.graph().nodes()[all_.read("pair", "text.p").source().node].name, "text.p");
    const std::vector<float> e = {0, 0, 0, 20, 20, -20};
    const std::vector<Expected> expected = tensor::expected(all_.graph(), {{"text.e", array_of(e)}});
    const auto numbers = expected.at(0).reference->as<double>();
    EXPECT_THAT(std::vector(numbers.begin(), numbers.end()), ElementsAre(0, 1));
}

TEST_F(WorkspaceTest, RefusesAccessWithoutASharedRight) {
    EXPECT_THAT(refusal([&] { all_.read("pair", "text.p"); }), Mentions("text.p", "pair"));
    EXPECT_THAT(refusal([&] { all_.use("pair", "text.p"); }), HasSubstr("Let text share it with pair"));
    all_.share("text", "text.p", "pair", AccessRight::read);
    EXPECT_THAT(refusal([&] { all_.read("pair", "text.p"); }), Mentions("first"));
    all_.use("pair", "text.p");
    const Tensor p = all_.read("pair", "text.p");
    EXPECT_THAT(refusal([&] { all_.write("pair", "text.p", p + 1); }), Mentions("text.p", "pair"));
    EXPECT_THAT(refusal([&] { all_.write("pair", "text.q", p + 1); }), HasSubstr("Call it pair.q"));
    EXPECT_THAT(refusal([&] { all_.share("pair", "text.p", "other", AccessRight::read); }),
                HasSubstr("pair cannot share text.p"));
    EXPECT_THAT(refusal([&] { all_.read("text", "text.z"); }), Mentions("text.z", "tensor"));
    EXPECT_EQ(all_.next_version_name("text.p"), "text.p_v2");
}

TEST_F(WorkspaceTest, RefusesReadingAnOutdatedVersion) {
    all_.share("text", "text.p", "pair", AccessRight::write);
    all_.use("pair", "text.p");
    all_.write("text", "text.p", all_.read("text", "text.p") * 2);
    EXPECT_THAT(refusal([&] { all_.read("pair", "text.p"); }), Mentions(1, 2));
    all_.use("pair", "text.p");
    // The model that writes a version can read it.
    all_.write("pair", "text.p", -all_.read("pair", "text.p"));
    EXPECT_EQ(all_.next_version_name("text.p"), "text.p_v4");
    all_.graph().output("result", all_.read("pair", "text.p"));
    EXPECT_EQ(all_.read("text", "text.p").source().node, all_.read("pair", "text.p").source().node);
    EXPECT_THAT(refusal([&] { all_.input("text", "text.p_v7", {2}); }), Mentions("text.p_v7", "cannot"));
    EXPECT_THAT(refusal([&] { all_.next_version_name("text.p_v7"); }), HasSubstr("text.p_v7 cannot be"));
    EXPECT_THAT(refusal([&] { all_.write("text", "text.p", sum(all_.read("text", "text.p"), 0)); }),
                Mentions("text.p", 2, 3, 3));
}

// Eight models share one weight matrix, or have one each.
TEST(Workspace, SharedTensorsUseMemoryOnce) {
    constexpr std::uint64_t rows = 64, weights_bytes = rows * rows * sizeof(float);
    const auto plan_of = [](bool shares) {
        Workspace all;
        all.input("m0", "m0.w", {rows, rows});
        for (int i = 0; i < 8; ++i) {
            const std::string model = "m" + std::to_string(i);
            const std::string weights = shares ? "m0.w" : model + ".w";
            if (shares && i > 0) {
                all.share("m0", weights, model, AccessRight::read);
                all.use(model, weights);
            }
            if (!shares && i > 0) all.input(model, weights, {rows, rows});
            const Tensor x = all.input(model, model + ".x", {1, rows});
            all.write(model, model + ".y", matmul(x, all.read(model, weights)));
            all.graph().output("result" + std::to_string(i), all.read(model, model + ".y"));
        }
        return make_plan(all.graph(), Limits{}, {});
    };
    EXPECT_EQ(device_bytes(plan_of(false)) - device_bytes(plan_of(true)), 7 * weights_bytes);
    EXPECT_EQ(uploaded_bytes(plan_of(false)) - uploaded_bytes(plan_of(true)), 7 * weights_bytes);
}

}  // namespace gridstride::tensor::workspace_test
