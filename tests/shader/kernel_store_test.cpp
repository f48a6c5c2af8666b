#include "shader/kernel_store.h"

#include "test_includes.h"

namespace gridstride::shader::kernel_store_test {

TEST(ParseBuilds, GivesOneUnnamedBuildByDefault) {
    const auto builds = parse_builds("#version 450\n// about builds\nvoid main() {}\n");
    ASSERT_THAT(builds, SizeIs(1));
    EXPECT_EQ(builds[0].name, "");
    EXPECT_TRUE(builds[0].defines.empty());
}

TEST(ParseBuilds, ReadsEveryBuildLine) {
    const auto builds = parse_builds(
        "// [build u32] ELEMENT=uint\r\n#version 450\n  //[build f32]  ELEMENT=float   IS_FLOAT=1\n// [build "
        "plain]");
    ASSERT_THAT(builds, SizeIs(3));
    EXPECT_EQ(builds[0].name, "u32");
    EXPECT_EQ(builds[0].defines, (Defines{{"ELEMENT", "uint"}}));
    EXPECT_EQ(builds[1].name, "f32");
    EXPECT_EQ(builds[1].defines, (Defines{{"ELEMENT", "float"}, {"IS_FLOAT", "1"}}));
    EXPECT_EQ(builds[2].name, "plain");
    EXPECT_EQ(parse_builds("\xEF\xBB\xBF// [build u32] A=1")[0].name, "u32");
}

TEST(ParseBuilds, AcceptsLongLines) {
    const std::string blanks(1 << 20, ' ');
    const auto builds =
        parse_builds(blanks + "\n" + blanks + "// [builder]\n//" + blanks + "[build u32] A=1\n//" + blanks);
    ASSERT_THAT(builds, SizeIs(1));
    EXPECT_EQ(builds[0].name, "u32");
}

TEST(ParseBuilds, RefusesMalformedLines) {
    EXPECT_THROW(parse_builds("// [build] A=1"), std::runtime_error);
    EXPECT_THROW(parse_builds("// [build a] A=" + std::string(1 << 20, 'x')), std::runtime_error);
    EXPECT_THROW(parse_builds("// [build u32 A=1"), std::runtime_error);
    EXPECT_THROW(parse_builds("// [build u/32] A=1"), std::runtime_error);
    EXPECT_THROW(parse_builds("// [build u32] A"), std::runtime_error);
    EXPECT_THROW(parse_builds("// [build u32] 1=A"), std::runtime_error);
    EXPECT_THROW(parse_builds("// [build u32] A=1\n// [build u32] A=2"), std::runtime_error);
}

TEST(KernelNames, ConsistOfFolderFileAndBuild) {
    EXPECT_EQ(parse_kernel_name("reduction/tree_sequential.u32").file, "reduction/tree_sequential.comp");
    EXPECT_EQ(parse_kernel_name("reduction/tree_sequential.u32").build, "u32");
    EXPECT_EQ(parse_kernel_name("reduction/tree").file, "reduction/tree.comp");
    EXPECT_EQ(parse_kernel_name("reduction/tree").build, "");
    for (const char* bad : {"", "/a", "a/", "../a", "a/../b", "a.b.c", "a/b.", "a b"})
        EXPECT_THROW(parse_kernel_name(bad), std::runtime_error) << bad;
}

TEST(CompileAll, WritesAFilePerKernelAndContinuesAfterAnError) {
    const fs::path top = fs::path(::testing::TempDir()) / "gridstride_compile_all";
    fs::remove_all(top);
    const auto write = [&](const fs::path& relative, const std::string& text) {
        fs::create_directories((top / relative).parent_path());
        std::ofstream(top / relative) << text;
    };
    write("in/common/shared.glsl", "layout(local_size_x_id = 0) in;\n");
    write("in/sums/tree.comp",
          "#version 450\n// [build u32] T=uint\n// [build f32] T=float\n#include \"common/shared.glsl\"\n"
          "layout(set = 0, binding = 0) buffer D { T d[]; };\nvoid main() { d[0] += T(1); }\n");
    write("in/sums/one.comp", "#version 450\n#include \"common/shared.glsl\"\nvoid main() {}\n");
    write("in/common/finish.comp", "#version 450\n#include \"shared.glsl\"\nvoid main() {}\n");
    EXPECT_TRUE(compile_all(top / "in", top / "out"));
    EXPECT_TRUE(fs::exists(top / "out/sums/tree.u32.spv"));
    EXPECT_TRUE(fs::exists(top / "out/sums/tree.f32.spv"));
    EXPECT_TRUE(fs::exists(top / "out/sums/one.spv"));
    EXPECT_TRUE(fs::exists(top / "out/common/finish.spv")) << "a kernel that lessons share is compiled too";
    EXPECT_FALSE(fs::exists(top / "out/common/shared.spv"));

    write("in/sums/one.comp", "#version 450\n#include \"common/shared.glsl\"\nvoid main() { wrong }\n");
    fs::remove(top / "out/sums/tree.u32.spv");
    ::testing::internal::CaptureStderr();
    EXPECT_FALSE(compile_all(top / "in", top / "out"));
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("sums/one.comp:3: error:"));
    EXPECT_FALSE(fs::exists(top / "out/sums/one.spv"));
    EXPECT_TRUE(fs::exists(top / "out/sums/tree.u32.spv"));
    fs::remove_all(top);
}

TEST(LoadKernel, ThrowsForAnUnknownKernel) {
    EXPECT_THROW(load_kernel("reduction/no_such_kernel"), std::runtime_error);
    EXPECT_THROW(load_kernel("../../secret"), std::runtime_error);
}

}  // namespace gridstride::shader::kernel_store_test
