// Tests which branches of a kernel are traced, and which of their sides count as code without accesses.
// tests/gpu/instrumented_branches_test.cpp tests on the device which lanes take them.
#include <fmt/format.h>

#include "shader/compile_instrumented.h"
#include "test_includes.h"

namespace gridstride::shader::instrumented_branches_test {

/// Returns the branches of a kernel whose main has this body, from line 6: "6 true", "7 case 3 true false".
std::vector<std::string> branches_of(const std::string& body) {
    const InstrumentedKernel instrumented_kernel = compile_instrumented(
        "#version 450\n#extension GL_EXT_control_flow_attributes : enable\n"
        "layout(local_size_x_id = 0) in; layout(constant_id = 3) const uint fixed_number = 2;\n"
        "layout(set = 0, binding = 0) buffer Data { uint data[]; }; uint k; "
        "uint loaded(uint n) { return data[n]; } uint doubled(uint n) { return 2u * n; }\n"
        "void main() { uint i = data[9];\n" +
            body + "\ndata[0] = i; }\n",
        "test.comp", {}, {}, {.binding = 5, .constants = {8, 1, 1, 2}, .branches = true});
    EXPECT_TRUE(instrumented_kernel.compiled.ok()) << instrumented_kernel.compiled.text();
    EXPECT_EQ(validate(instrumented_kernel.compiled.spirv), "");
    std::vector<std::string> branches;
    bool is_after_branch = false;
    for (const trace::Site& site : instrumented_kernel.sites) {
        EXPECT_TRUE(site.kind == trace::SiteKind::branch || !is_after_branch) << "branches come last";
        if (site.kind != trace::SiteKind::branch) continue;
        is_after_branch = true;
        EXPECT_FALSE(trace::is_access(site));
        branches.push_back(fmt::format("{}{}{}{}{}", site.line, site.variable.empty() ? "" : " ",
                                       site.variable, site.counts_true ? " true" : "",
                                       site.counts_false ? " false" : ""));
    }
    return branches;
}

TEST(InstrumentedBranches, CountsTheSidesOfAnIf) {
    EXPECT_THAT(branches_of("if (i > 3u) i += 2u;"), ElementsAre("6 true"));
    EXPECT_THAT(branches_of("if (i > 3u) i += 2u;\nelse i *= 3u;"), ElementsAre("6 true false"));
    EXPECT_THAT(branches_of("if (i > 3u) {\n if (i > 5u) ++i;\n}"), ElementsAre("6 true", "7 true"));
}

TEST(InstrumentedBranches, CountsTheBodyOfALoop) {
    EXPECT_THAT(branches_of("for (uint k = 0u; k < i; ++k)\n i += k;"), ElementsAre("6 true"));
    EXPECT_THAT(branches_of("while (i < 7u)\n while (data[i] > i)\n ++i;"), ElementsAre("6 true", "7 true"));
    EXPECT_THAT(branches_of("do {\n ++i;\n} while (i < 7u);"), ElementsAre("8 true"));
}

TEST(InstrumentedBranches, CountsTheCodeAfterAnEarlyExit) {
    EXPECT_THAT(branches_of("if (i > 3u) return;\nfor (;;) {\n if (i > 9u) return;\n ++i;\n}"),
                ElementsAre("6 false", "8 false"));
    EXPECT_THAT(branches_of("for (;;) {\n if (i > 3u) break;\n i += 2u;\n}"), ElementsAre("7 false"));
    EXPECT_THAT(branches_of("if (i > 3u) {\n i = 7u * k;\n return;\n}"), ElementsAre("6 true"));
}

TEST(InstrumentedBranches, CountsEachCaseOfASwitch) {
    // Each has the line of its code.
    EXPECT_THAT(branches_of("switch (i) {\n case 1u: i = 5u; break;\n case 2u:\n case 3u: ++i; break;\n"
                            " default: --i; }"),
                ::testing::UnorderedElementsAre("7 case 1 true", "9 case 2, 3 true", "10 default true"));
    EXPECT_THAT(branches_of("switch (int(i)) {\n case -1: i = 5u; }"), ElementsAre("7 case -1 true"));
}

TEST(InstrumentedBranches, IgnoresConditionsOnSpecializationConstants) {
    EXPECT_THAT(branches_of("if (fixed_number > 1u) i += 2u;"), IsEmpty());
}

TEST(InstrumentedBranches, IgnoresUnrolledLoops) {
    EXPECT_THAT(branches_of("[[unroll]] for (uint k = 0u; k < 4u; ++k)\n if (data[k] > i) ++i;"),
                ElementsAre("7 true"));
}

TEST(InstrumentedBranches, DoesNotCountSidesWithMemoryAccesses) {
    EXPECT_THAT(branches_of("if (i > 3u) data[i] = 2u;\nelse i *= 3u;"), ElementsAre("6 false"));
    EXPECT_THAT(branches_of("for (uint k = 0u; k < i; ++k)\n i += data[k];"), ElementsAre("6"));
    EXPECT_THAT(branches_of("for (uint k = 0u; k < i; ++k) {\n i += k;\n if (k > 2u) data[k] = i;\n}"),
                ElementsAre("6 true", "8"))
        << "not all lanes of the loop reach the access";
    EXPECT_THAT(branches_of("if (i > 3u) return;\ni += data[2];"), ElementsAre("6"));
    EXPECT_THAT(branches_of("if (i > 3u) i = loaded(i);\nelse i = doubled(i);"),
                ::testing::Contains("6 false"));
}

TEST(InstrumentedBranches, RecordsNoBranchesByDefault) {
    const InstrumentedKernel instrumented_kernel = compile_instrumented(
        "#version 450\nlayout(set = 0, binding = 0) buffer Data { uint data[]; };\n"
        "void main() { if (data[0] > 1u) data[1] = 2u; }\n",
        "test.comp", {}, {}, {.binding = 5});
    EXPECT_THAT(instrumented_kernel.sites, SizeIs(2));
}

TEST(InstrumentedBranches, RefusesAKernelThatUsesTheReservedBinding) {
    EXPECT_THAT(message_of<std::runtime_error>([] {
                    compile_instrumented(
                        "#version 450\nlayout(set = 0, binding = 6) buffer Data { uint data[]; };\n"
                        "void main() { data[1] = 2u; }\n",
                        "test.comp", {}, {}, {.binding = 5, .branches = true});
                }),
                HasSubstr("binding 6"));
}

}  // namespace gridstride::shader::instrumented_branches_test
