// Tests the compiler in its own process, with sources that make it crash, hang or exhaust memory.
#include "shader/compile_isolated.h"

#include "base/wire.h"
#include "test_includes.h"

namespace gridstride::shader::compile_isolated_test {

constexpr const char* small_kernel =
    "#version 450\nlayout(local_size_x_id = 0) in;\nlayout(binding = 0) buffer D { uint d[]; };\n"
    "void main() { d[gl_GlobalInvocationID.x] = STEP; }\n";

class CompileIsolated : public ::testing::Test {
 protected:
    CompileResult compile_it(const std::string& source, const CompileLimits& limits = {}) const {
        return compile_isolated({source, "mine.comp", {{"STEP", "3"}}, {shaders()}}, limits, program());
    }
    static std::string shaders() { return std::string(GRIDSTRIDE_SOURCE_DIR) + "/shaders"; }
};

std::string main_with(const std::string& body) {
    return "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer D { uint d[]; };\n"
           "void main() {\n" +
           body + "\n}\n";
}

TEST_F(CompileIsolated, GivesTheResultOfCompilingInProcess) {
    const CompileJob job{small_kernel, "mine.comp", {{"STEP", "3"}}, {shaders()}};
    const CompileResult apart = compile_isolated(job, {}, program());
    ASSERT_TRUE(apart.ok()) << apart.text();
    EXPECT_EQ(apart.spirv,
              clamp_indices(compile(small_kernel, "mine.comp", {{"STEP", "3"}}, {shaders()}).spirv));
    EXPECT_THAT(apart.diagnostics, IsEmpty());
}

TEST_F(CompileIsolated, InstrumentsAsInProcessAndThenClamps) {
    const CompileJob job{small_kernel, "mine.comp", {{"STEP", "3"}}, {shaders()}};
    const std::vector<std::uint32_t> constants{64, 1, 1};
    const InstrumentedKernel apart = compile_instrumented_isolated(job, {3, constants}, {}, program());
    ASSERT_TRUE(apart.compiled.ok()) << apart.compiled.text();
    const InstrumentedKernel here =
        compile_instrumented(small_kernel, "mine.comp", job.defines, {shaders()}, {3, constants});
    EXPECT_EQ(apart.compiled.spirv, clamp_indices(here.compiled.spirv));
    ASSERT_EQ(apart.sites.size(), 1u);
    EXPECT_EQ(apart.sites[0].kind, trace::SiteKind::store);
    EXPECT_EQ(apart.sites[0].file, "mine.comp");
    EXPECT_EQ(apart.sites[0].line, 4u);
    EXPECT_EQ(apart.sites[0].variable, "d");
    EXPECT_EQ(apart.sites[0].element_bytes, 4u);
}

TEST_F(CompileIsolated, ReportsFailedInstrumentationAsADiagnostic) {
    const CompileJob job{small_kernel, "mine.comp", {{"STEP", "3"}}, {shaders()}};
    const InstrumentedKernel own_binding = compile_instrumented_isolated(job, {0, {64, 1, 1}}, {}, program());
    EXPECT_FALSE(own_binding.compiled.ok());
    EXPECT_TRUE(own_binding.sites.empty());
    EXPECT_THAT(own_binding.compiled.text(), Mentions("mine.comp", "traced"));
    const CompileJob faulty_job{main_with("    d[0] = missing;"), "mine.comp", {}, {}};
    EXPECT_THAT(compile_instrumented_isolated(faulty_job, {3, {1, 1, 1}}, {}, program()).compiled.text(),
                HasSubstr("mine.comp:5: error: 'missing'"));
}

TEST_F(CompileIsolated, ReportsErrorsWithFileAndLine) {
    const CompileResult result = compile_it(main_with("    d[0] = missing;"));
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.diagnostics.front().line, 5u);
    EXPECT_EQ(result.diagnostics.front().file, "mine.comp");
    EXPECT_THAT(result.diagnostics.front().text, HasSubstr("'missing'"));
}

TEST_F(CompileIsolated, ACompilerCrashDoesNotAffectOtherKernels) {
    const auto compile_all = [&](const std::string& second) {
        std::vector<CompileJob> jobs;
        for (const std::string& source : {std::string(small_kernel), second, std::string(small_kernel)})
            jobs.push_back({source, "mine.comp", {{"STEP", "3"}}, {shaders()}});
        return compile_all_isolated(jobs, {}, program());
    };
    for (const std::string& second :
         {main_with("    d[0] = missing;"),
          main_with("d[0] = " + std::string(200'000, '(') + "1u" + std::string(200'000, ')') + ";")}) {
        const std::vector<CompileResult> results = compile_all(second);
        ASSERT_EQ(results.size(), 3u);
        EXPECT_FALSE(results[1].ok());
        EXPECT_TRUE(results[0].ok() && results[2].ok());
        EXPECT_EQ(results[0].spirv, compile_it(small_kernel).spirv);
    }
}

TEST_F(CompileIsolated, ListsIncludedFiles) {
    const CompileResult result =
        compile_it("#version 450\n#include \"common/launch.glsl\"\nvoid main() {}\n");
    ASSERT_TRUE(result.ok()) << result.text();
    ASSERT_EQ(result.includes.size(), 1u);
    EXPECT_EQ(result.includes.front(), fs::canonical(shaders() + "/common/launch.glsl").string());
}

TEST_F(CompileIsolated, EndsAMacroBombWithinTheLimits) {
    std::string source = "#version 450\n#define A0 d[0] += 1u;\n";
    for (int i = 1; i <= 30; ++i)
        source += fmt::format("#define A{} A{} A{}\n", i, i - 1, i - 1);
    source +=
        "layout(local_size_x = 1) in;\nlayout(binding = 0) buffer D { uint d[]; };\nvoid main() { A30 }\n";
    CompileLimits limits;
    limits.cpu_seconds = 2;
    limits.memory_bytes = std::uint64_t{256} << 20;
    const CompileResult result = compile_it(source, limits);
    EXPECT_FALSE(result.ok());
    EXPECT_THAT(result.text(), AnyOf(Mentions(2, "processor"), HasSubstr("more than 0.25 GiB")));
    EXPECT_THAT(result.text(), HasSubstr("macro"));
}

TEST_F(CompileIsolated, EndsAtTheTimeoutOrOnCancel) {
    std::string bomb = "#version 450\n#define A0 d[0] += 1u;\n";
    for (int i = 1; i <= 30; ++i)
        bomb += fmt::format("#define A{} A{} A{}\n", i, i - 1, i - 1);
    bomb +=
        "layout(local_size_x = 1) in;\nlayout(binding = 0) buffer D { uint d[]; };\nvoid main() { A30 }\n";
    CompileLimits limits;
    limits.timeout = std::chrono::milliseconds(100);
    EXPECT_THAT(compile_it(bomb, limits).text(), Mentions("0.1", "running"));
    limits.timeout = std::chrono::minutes(1);
    limits.is_cancelled = [] { return true; };
    EXPECT_THAT(compile_it(bomb, limits).text(), HasSubstr("stopped"));
}

TEST_F(CompileIsolated, ReportsDeepNestingAsADiagnostic) {
    const CompileResult result =
        compile_it(main_with("d[0] = " + std::string(200'000, '(') + "1u" + std::string(200'000, ')') + ";"));
    EXPECT_FALSE(result.ok());
    EXPECT_THAT(result.text(), HasSubstr("deep"));
    // The next compilation must succeed.
    EXPECT_TRUE(compile_it(small_kernel).ok());
}

TEST_F(CompileIsolated, CompilesTwentyThousandLines) {
    std::string body;
    for (int i = 0; i < 20'000; ++i)
        body += fmt::format("d[{}] += {}u;\n", i % 7, i);
    CompileLimits limits;
    limits.cpu_seconds = 100;  // on a busy machine, the work takes more seconds
    limits.timeout = patience;
    const CompileResult result = compile_it(main_with(body), limits);
    EXPECT_TRUE(result.ok()) << result.text();
}

TEST_F(CompileIsolated, RefusesSourceThatIsNotAComputeShader) {
    for (const char* source :
         {"", "\n", "not a shader", "#version 450\nuint f() { return 1u; }\n",
          "#version 450\nlayout(location = 0) in vec3 p;\nvoid main() { gl_Position = vec4(p, 1); }\n",
          "#version 450\nlayout(local_size_x = 1) in;\nuint f(uint n) { return n < 2u ? 1u : n * f(n - 1u); "
          "}\n"
          "layout(binding = 0) buffer D { uint d[]; };\nvoid main() { d[0] = f(5u); }\n"}) {
        const CompileResult result = compile_it(source);
        EXPECT_FALSE(result.ok()) << source;
        EXPECT_THAT(result.text(), HasSubstr("error")) << source;
    }
}

TEST_F(CompileIsolated, ReportsAMissingMain) {
    EXPECT_THAT(compile_it("").text(), Mentions("mine.comp", "void"));
}

TEST_F(CompileIsolated, RemovesControlBytesFromMessages) {
    const CompileResult result = compile_it("#version 450\n#error \xff\xfe\x01 no\nvoid main() {}\n");
    EXPECT_FALSE(result.ok());
    for (const Diagnostic& d : result.diagnostics)
        for (const char c : d.text)
            EXPECT_GE(static_cast<unsigned char>(c), 0x20);
}

TEST_F(CompileIsolated, LimitsTheNumberOfDiagnostics) {
    std::string source = "#version 450\n";
    for (int i = 0; i < 5000; ++i)
        source += "#extension GL_no_such_thing_" + std::to_string(i) + " : enable\n";
    EXPECT_LE(compile_it(source).diagnostics.size(), 200u);
}

TEST_F(CompileIsolated, FailsIfTheCompilerCannotRun) {
    EXPECT_THROW(compile_isolated({small_kernel, "mine.comp", {}, {}}, {}, "/no/such/program"),
                 std::runtime_error);
    EXPECT_THAT(compile_isolated({small_kernel, "mine.comp", {}, {}}, {}, "/bin/false").text(),
                Mentions("ended"));
    EXPECT_THAT(compile_isolated({small_kernel, "mine.comp", {}, {}}, {}, "/bin/echo").text(),
                Mentions("read"));
}

TEST_F(CompileIsolated, ReportsWhyTheCompilerEnded) {
    const fs::path script = fs::path(::testing::TempDir()) / "gridstride_dying_compiler";
    const auto words_of = [&](const std::string& line) {
        std::ofstream(script) << "#!/bin/sh\n" << line << "\n";
        fs::permissions(script, fs::perms::owner_all);
        return compile_isolated({small_kernel, "mine.comp", {}, {}}, {}, script).text();
    };
    EXPECT_THAT(words_of("kill -SEGV $$"), HasSubstr("crashed on this source (segmentation fault)"));
    EXPECT_THAT(words_of("kill -XCPU $$"), Mentions(10));
    EXPECT_THAT(words_of("kill -ABRT $$"), Mentions(1, "GiB"));
    EXPECT_THAT(words_of("exec cat /dev/zero"), Mentions(64, "MiB"));
    fs::remove(script);
}

TEST(CompileMessages, RefuseATruncatedResult) {
    CompileResult result = compile(small_kernel, "mine.comp", {{"STEP", "3"}}, {"/"});
    result.diagnostics.push_back({DiagnosticLevel::warning, "a", 3, "text"});
    wire::Writer writer;
    writer(result);
    CompileResult back;
    wire::Reader whole(writer.bytes());
    whole(back);
    whole.end();
    EXPECT_EQ(back.spirv, result.spirv);
    EXPECT_EQ(back.diagnostics, result.diagnostics);
    for (std::size_t length = 0; length < writer.bytes().size(); length += 7) {
        CompileResult part;
        wire::Reader reader(std::span(writer.bytes()).first(length));
        EXPECT_THROW(reader(part), wire::MalformedMessage) << length;
    }
}

/// Makes two roots, as for a user's kernel: the folder of the kernel, and the folder of the shaders.
class IncludeFolders : public ::testing::Test {
 protected:
    IncludeFolders() {
        top_ = fs::path(::testing::TempDir()) /
               (std::string("gridstride_roots_") +
                ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(top_);
        write("shaders/common/shared.glsl", "const uint shipped = 1u;\n");
        write("mine/own.glsl", "const uint own = 2u;\n");
        write("mine/common/shared.glsl", "const uint mine = 3u;\n#include \"../own.glsl\"\n");
        write("secret.glsl", "const uint secret = 4u;\n");
    }
    ~IncludeFolders() override { fs::remove_all(top_); }
    void write(const fs::path& relative, const std::string& text) const {
        fs::create_directories((top_ / relative).parent_path());
        std::ofstream(top_ / relative) << text;
    }
    CompileResult including(const std::string& header) const {
        return compile(
            "#version 450\n#include \"" + header + "\"\nlayout(local_size_x = 1) in;\nvoid main() {}\n",
            "mine.comp", {}, {top_ / "mine", top_ / "shaders"});
    }
    fs::path top_;
};

TEST_F(IncludeFolders, AreSearchedFromTheKernelsFolderFirst) {
    const CompileResult result = including("common/shared.glsl");
    ASSERT_TRUE(result.ok()) << result.text();
    EXPECT_THAT(result.includes,
                ElementsAre((top_ / "mine/common/shared.glsl").string(), (top_ / "mine/own.glsl").string()));
    fs::remove(top_ / "mine/common/shared.glsl");
    EXPECT_THAT(including("common/shared.glsl").includes,
                ElementsAre((top_ / "shaders/common/shared.glsl").string()));
}

TEST_F(IncludeFolders, DoNotReadOrRevealFilesOutside) {
    fs::create_symlink(top_ / "secret.glsl", top_ / "mine/link.glsl");
    fs::create_symlink(top_ / "nothing.glsl", top_ / "mine/dangling.glsl");
    fs::create_directory_symlink("/etc", top_ / "mine/etc");
    std::string first;
    for (const std::string header :
         {"../secret.glsl", "../nothing.glsl", "link.glsl", "dangling.glsl", "etc/passwd", "etc/no_such_file",
          "../../../../../../../etc/passwd", "../../../../../../../etc/no_such_file"}) {
        const CompileResult result = including(header);
        EXPECT_FALSE(result.ok()) << header;
        ASSERT_FALSE(result.diagnostics.empty());
        // The compiler adds the path of the source; without the path, all messages are equal.
        std::string text = result.diagnostics.front().text;
        for (std::size_t at; (at = text.find(header)) != std::string::npos;)
            text.erase(at, header.size());
        if (first.empty()) first = text;
        EXPECT_EQ(text, first) << header;
        EXPECT_THAT(text, Mentions("includes"));
        EXPECT_THAT(text, Not(HasSubstr("root:")));
    }
    EXPECT_THAT(including("/etc/passwd").text(), HasSubstr("relative"));
}

TEST_F(IncludeFolders, ExcludeTheRootOfTheFileSystem) {
    const CompileResult result = compile("#version 450\n#include \"etc/passwd\"\nvoid main() {}\n",
                                         "mine.comp", {}, {"/", top_ / "shaders"});
    EXPECT_FALSE(result.ok());
    EXPECT_THAT(result.text(), Not(HasSubstr("root:")));
}

}  // namespace gridstride::shader::compile_isolated_test
