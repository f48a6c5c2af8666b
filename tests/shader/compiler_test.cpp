#include "shader/compiler.h"

#include "shader/kernel_store.h"
#include "test_includes.h"

namespace gridstride::shader::compiler_test {

constexpr const char* good_kernel = R"(#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { data[gl_GlobalInvocationID.x] += STEP; }
)";

/// Makes a folder of shaders with a file outside it, and removes both at the end.
class CompilerTest : public ::testing::Test {
 protected:
    CompilerTest() {
        // ctest may run two of these tests at once, so each has its own folder.
        const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
        top_ = fs::path(::testing::TempDir()) / (std::string("gridstride_compiler_") + test->name());
        fs::remove_all(top_);
        write("secret.glsl", "uint secret;\n");
        fs::create_directories(root());
    }
    ~CompilerTest() override { fs::remove_all(top_); }

    fs::path root() const { return top_ / "shaders"; }
    void write(const fs::path& relative, const std::string& text) const {
        const fs::path path = top_ / relative;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
    }
    CompileResult compile_here(const std::string& source, const Defines& defines = {}) const {
        return compile(source, "sums/tree.comp", defines, {root()});
    }
    CompileResult including(const std::string& directive) const {
        return compile_here("#version 450\n" + directive +
                            "\nlayout(local_size_x = 1) in;\nvoid main() {}\n");
    }

    fs::path top_;
};

void expect_error(const CompileResult& result, const std::string& file, std::uint32_t line,
                  const std::string& words) {
    EXPECT_FALSE(result.ok());
    const bool found = std::ranges::any_of(result.diagnostics, [&](const Diagnostic& d) {
        return d.level == DiagnosticLevel::error && d.file == file && d.line == line &&
               d.text.find(words) != std::string::npos;
    });
    EXPECT_TRUE(found) << "wanted " << file << ":" << line << ": " << words << "\ngot\n" << result.text();
}

TEST_F(CompilerTest, CompilesAndValidates) {
    const CompileResult result = compile_here(good_kernel, {{"STEP", "3"}});
    ASSERT_TRUE(result.ok()) << result.text();
    EXPECT_THAT(result.diagnostics, IsEmpty());
    EXPECT_EQ(result.spirv[0], 0x07230203u);
    EXPECT_EQ(result.spirv[1], 0x00010300u);  // SPIR-V 1.3
    EXPECT_EQ(validate(result.spirv), "");
}

TEST_F(CompilerTest, KeepsLineInformation) {
    const CompileResult result = compile_here(good_kernel, {{"STEP", "3"}});
    ASSERT_TRUE(result.ok()) << result.text();
    const auto* const bytes = reinterpret_cast<const char*>(result.spirv.data());
    const std::string_view words(bytes, result.spirv.size() * sizeof(std::uint32_t));
    EXPECT_NE(words.find("sums/tree.comp"), std::string_view::npos);
}

TEST_F(CompilerTest, SkipsAByteOrderMark) {
    const std::string mark = "\xEF\xBB\xBF";
    write("shaders/common.glsl", mark + "uint two() { return 2; }\n");
    const std::string start = mark + "#version 450\n#include \"common.glsl\"\nlayout(local_size_x = 1) in;\n";
    EXPECT_EQ(compile_here(start + "void main() { uint x = two(); }\n").text(), "");
    expect_error(compile_here(start + "void main() { uint x = y; }\n"), "sums/tree.comp", 4, "'y'");
    EXPECT_EQ(compile_here(mark).ok(), false);
}

TEST_F(CompilerTest, AcceptsAnyFileName) {
    write("shaders/it\"s.glsl", "uint two() { return 2; }\n");
    for (const std::string name : {"a\"b.comp", "\"\"", "a\\", "a\nb", "a:3: b.comp", "ERROR: 1"}) {
        const auto compiled = [&](const std::string& value) {
            return compile(
                "#version 450\n#extension GL_GOOGLE_include_directive : enable\n#include <it\"s.glsl>\n"
                "layout(local_size_x = 1) in;\nvoid main() { uint x = " +
                    value + "; }\n",
                name, {}, {root()});
        };
        EXPECT_EQ(compiled("two()").text(), "") << name;
        expect_error(compiled("y"), name, 5, "'y'");
    }
}

TEST_F(CompilerTest, DefinesKeepLineNumbers) {
    const CompileResult result =
        compile_here("#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    uint a = missing;\n}\n",
                     {{"ONE", "1"}, {"TWO", "2"}, {"THREE", "3"}});
    expect_error(result, "sums/tree.comp", 4, "'missing' : undeclared identifier");
    EXPECT_THAT(result.text(), HasSubstr("sums/tree.comp:4: error: 'missing'"));
}

TEST_F(CompilerTest, RefusesDefinesThatAreNotOneLine) {
    EXPECT_FALSE(compile_here(good_kernel, {{"STEP", "3\n#error"}}).ok());
    EXPECT_FALSE(compile_here(good_kernel, {{"STEP", "3\\"}}).ok());
    EXPECT_FALSE(compile_here(good_kernel, {{"STEP 3", ""}}).ok());
}

TEST_F(CompilerTest, FindsIncludesBelowTheRootAndBesideTheFile) {
    write("shaders/common/launch.glsl", "#include \"detail.glsl\"\nlayout(local_size_x = 1) in;\n");
    write("shaders/common/detail.glsl", "const uint seven = 7;\n");
    write("shaders/sums/local.glsl", "const uint eight = seven + 1;\n");
    for (const char* form : {"#include \"common/launch.glsl\"\n#include \"local.glsl\"\n",
                             "#include <common/launch.glsl>\n#include <../sums/local.glsl>\n"}) {
        const CompileResult result = compile_here(std::string("#version 450\n") + form +
                                                  "layout(set = 0, binding = 0) buffer D { uint d[]; };\n"
                                                  "void main() { d[0] = eight; }\n");
        EXPECT_TRUE(result.ok()) << form << result.text();
    }
}

TEST_F(CompilerTest, NamesFileAndLineInsideAnIncludeAndAfterIt) {
    write("shaders/common/wrong.glsl", "uint right;\n\nuint wrong = missing;\n");
    expect_error(including("#include \"common/wrong.glsl\""), "common/wrong.glsl", 3, "missing");

    write("shaders/common/well.glsl", "uint a;\nuint b;\nuint c;\n");
    expect_error(
        compile_here("#version 450\n#include \"common/well.glsl\"\nuint d = missing;\nvoid main() {}\n"),
        "sums/tree.comp", 3, "missing");
}

TEST_F(CompilerTest, RefusesIncludesOutsideTheRoot) {
    fs::create_directories(root() / "sums");
    fs::create_symlink(top_ / "secret.glsl", root() / "link.glsl");
    for (const std::string& header :
         {std::string("../../secret.glsl"), std::string("../secret.glsl"), std::string("link.glsl"),
          std::string("../../../../../../../../../../etc/passwd"), std::string("../../not_there.glsl")}) {
        const CompileResult result = including("#include \"" + header + "\"");
        expect_error(result, "sums/tree.comp", 2, "inside");
        EXPECT_THAT(result.text(), Not(HasSubstr("root:")));
    }
    expect_error(including("#include \"" + (top_ / "secret.glsl").string() + "\""), "sums/tree.comp", 2,
                 "relative");
    expect_error(including("#include \"/etc/passwd\""), "sums/tree.comp", 2, "relative");
    // A folder whose name starts with the root's name is not inside the root.
    write("shaders_of_others/a.glsl", "uint a;\n");
    expect_error(including("#include \"../shaders_of_others/a.glsl\""), "sums/tree.comp", 2, "stay inside");
}

TEST_F(CompilerTest, SearchesTextsAfterFiles) {
    const auto compile_with = [&](const std::string& header, const TextFiles& texts) {
        return compile("#version 450\n#include \"" + header + "\"\nuint four = two() * 2;\nvoid main() {}\n",
                       "inner/four.comp", {}, {root()}, texts);
    };
    const TextFiles texts = {{"inner/two.glsl", "#include \"one.glsl\"\nuint two() { return one() * 2; }\n"},
                             {"inner/one.glsl", "uint one() { return 1; }\n"},
                             {"twice.glsl", "#include \"inner/two.glsl\"\n"}};
    EXPECT_THAT(compile_with("two.glsl", texts).includes, ElementsAre("inner/two.glsl", "inner/one.glsl"));
    EXPECT_TRUE(compile_with("two.glsl", texts).ok());
    EXPECT_TRUE(compile_with("../twice.glsl", texts).ok());
    EXPECT_FALSE(compile_with("one.glsl", texts).ok());
    write("shaders/two.glsl", "uint two() { return missing; }\n");
    expect_error(compile_with("two.glsl", texts), "two.glsl", 1, "missing");
}

TEST_F(CompilerTest, ReportsImpossibleIncludes) {
    expect_error(including("#include \"nothing.glsl\""), "sums/tree.comp", 2, "no such file");
    fs::create_directories(root() / "sums");
    expect_error(including("#include \"sums\""), "sums/tree.comp", 2, "no such file");
    write("shaders/own.glsl", "#include \"own.glsl\"\n");
    EXPECT_THAT(including("#include \"own.glsl\"").text(), Mentions(33, 32));
    const CompileResult no_root =
        compile("#version 450\n#include \"a.glsl\"\nvoid main() {}\n", "a.comp", {}, {"/no/such"});
    expect_error(no_root, "a.comp", 2, "");
}

TEST_F(CompilerTest, RefusesSourceThatIsNotAComputeShader) {
    for (const char* source :
         {"", "\n\n", "#version 450\n", "not a shader", "#version 450\nuint f() { return 1u; }\n",
          "#version 450\nlayout(location = 0) in vec3 position;\nvoid main() { gl_Position = vec4(position, "
          "1); }\n",
          "#version 450\nlayout(location = 0) out vec4 colour;\nvoid main() { colour = vec4(1); }\n",
          "#version 450\n#pragma shader_stage(vertex)\nvoid main() { gl_Position = vec4(0); }\n"}) {
        const CompileResult result = compile_here(source);
        EXPECT_FALSE(result.ok()) << source;
        EXPECT_THAT(result.diagnostics, Not(IsEmpty())) << source;
        EXPECT_THAT(result.text(), HasSubstr("error")) << source;
    }
    EXPECT_FALSE(compile_here(std::string("#version 450\nvoid main() {}\0", 28)).ok());
}

TEST_F(CompilerTest, ReportsErrorsInSourceOrder) {
    const CompileResult result = compile_here(
        "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    uint a = one;\n    uint b = "
        "two;\n}\n");
    ASSERT_FALSE(result.diagnostics.empty());
    EXPECT_EQ(result.diagnostics[0].line, 4u);
    EXPECT_THAT(result.diagnostics[0].text, HasSubstr("'one'"));
    EXPECT_THAT(result.text(), Not(HasSubstr("terminated")));
}

TEST_F(CompilerTest, ReportsOneErrorPerLine) {
    const CompileResult result = compile_here(
        "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    uint a = one + three;\n"
        "    nothing();\n    uint b = a;\n    vec2 c = vec3(1);\n}\n");
    std::vector<std::uint32_t> lines;
    for (const Diagnostic& d : result.diagnostics)
        lines.push_back(d.line);
    EXPECT_THAT(lines, ElementsAre(4, 5, 7)) << result.text();
}

TEST_F(CompilerTest, WarningsAreNotErrors) {
    const CompileResult result = compile_here(
        "#version 450\n#extension GL_no_such_extension : enable\nlayout(local_size_x = 1) in;\nvoid main() "
        "{}\n");
    EXPECT_TRUE(result.ok()) << result.text();
    EXPECT_THAT(result.text(), HasSubstr("sums/tree.comp:2: warning:"));
}

TEST_F(CompilerTest, CompilesOnSeveralThreads) {
    std::vector<std::thread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int k = 0; k < 5; ++k)
                good += compile_here(good_kernel, {{"STEP", std::to_string(k)}}).ok();
        });
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(good, 20);
}

TEST_F(CompilerTest, ValidationRefusesDamagedModules) {
    const std::vector<std::uint32_t> good = compile_here(good_kernel, {{"STEP", "3"}}).spirv;
    ASSERT_FALSE(good.empty());
    EXPECT_NE(validate({}), "");
    EXPECT_NE(validate({1, 2, 3}), "");

    std::vector<std::uint32_t> cut(good.begin(), good.end() - 3);
    EXPECT_NE(validate(cut), "");
    std::vector<std::uint32_t> bad_magic = good;
    bad_magic[0] ^= 1;
    EXPECT_NE(validate(bad_magic), "");
    std::vector<std::uint32_t> small_bound = good;
    small_bound[3] = 2;  // the module's ids exceed the header's bound
    EXPECT_NE(validate(small_bound), "");
    std::vector<std::uint32_t> too_new = good;
    too_new[1] = 0x00010600;  // Vulkan 1.1 accepts SPIR-V up to 1.3
    EXPECT_NE(validate(too_new), "");
}

TEST(Shaders, CompileWithoutDiagnostics) {
    const fs::path root = fs::path(GRIDSTRIDE_SOURCE_DIR) / "shaders";
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.path().extension() != ".comp") continue;
        const std::string file = entry.path().lexically_relative(root).generic_string();
        const std::string source = read_file(entry.path());
        for (const Build& build : parse_builds(source)) {
            const CompileResult result = compile(source, file, build.defines, {root});
            EXPECT_TRUE(result.ok()) << file << " [" << build.name << "]\n" << result.text();
            EXPECT_THAT(result.diagnostics, IsEmpty()) << result.text();
        }
    }
}

TEST(Shaders, StartersFitTheEditorInA1366PixelWindow) {
    constexpr std::size_t max_columns = 98;
    for (const char* const folder : {"shaders", "lessons"})
        for (const auto& entry : fs::recursive_directory_iterator(fs::path(GRIDSTRIDE_SOURCE_DIR) / folder)) {
            if (!entry.path().filename().string().ends_with("_start.comp")) continue;
            const std::string source = read_file(entry.path());
            for (const std::string_view line : split(source, '\n'))
                EXPECT_LE(line.size(), max_columns) << entry.path() << ": " << line;
        }
}

TEST(Shaders, LaunchIncludeCompilesAlone) {
    const fs::path root = fs::path(GRIDSTRIDE_SOURCE_DIR) / "shaders";
    const CompileResult result = compile(
        "#version 450\n#define PARAMETERS float mean;\n#include \"common/launch.glsl\"\n"
        "layout(set = 0, binding = 0) buffer D { float d[]; };\n"
        "void main() { if (launch.last == 1) d[workgroup()] = launch.mean * float(place_of(launch.count)); "
        "}\n",
        "a/b.comp", {}, {root});
    EXPECT_TRUE(result.ok()) << result.text();
}

}  // namespace gridstride::shader::compiler_test
