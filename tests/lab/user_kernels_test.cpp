// Tests users' kernels, including hostile ones, in this process: a kernel that the lab accepts must not end
// it.
#include "lab/user_kernels.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "base/units.h"
#include "gpu/device.h"
#include "lab/runner.h"
#include "lesson/kernel_file.h"
#include "present/report_json.h"
#include "shader/compile_isolated.h"
#include "test_includes.h"

namespace gridstride::lab::user_kernels_test {

/// The first lines of the reduction's kernels.
constexpr const char* shader_head =
    "#version 450\n"
    "#extension GL_GOOGLE_include_directive : require\n"
    "#include \"common/launch.glsl\"\n"
    "layout(std430, binding = 0) buffer Numbers { ELEMENT numbers[]; };\n"
    "layout(std430, binding = 1) buffer PartialSums { ELEMENT partial_sums[]; };\n";

class UserKernel : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        gpu::enable_validation();
        runner_ = new Runner({}, program());
    }
    static void TearDownTestSuite() {
        delete runner_;
        runner_ = nullptr;
    }
    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), IsEmpty()); }

    static Request request(std::optional<KernelSource> kernel,
                           const std::string& variant = "tree_sequential") {
        Request request;
        request.experiment = default_experiment(*find_lesson("reduction"));
        request.experiment.variant = variant;
        request.sampling.measure = false;
        request.experiment.kernel = std::move(kernel);
        return request;
    }
    static Report run(const Request& request, double seconds = never_seconds) {
        Control control;
        control.deadline =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<long>(seconds * 1e3));
        Report last;
        runner_->run(request, control, [&](Report report) { last = std::move(report); });
        return last;
    }
    static Report run_kernel(const std::string& text) {
        return run(request(KernelSource{text, "mine.comp", ""}));
    }
    /// Runs a kernel of the reduction with `body` in main() and `before` in front of main().
    static Report run_body(const std::string& body, const std::string& before = "") {
        return run_kernel(shader_head + before + "void main() {\n" + body + "\n}\n");
    }
    static void expect_lab_goes_on() {
        const Report report = run(request(std::nullopt));
        EXPECT_EQ(report.status, Status::ok) << report.message;
    }
    static std::string shipped(const std::string& file) { return read_shipped_kernel(file).text; }

    static Runner* runner_;
};
Runner* UserKernel::runner_ = nullptr;

TEST_F(UserKernel, ShippedSourceGivesTheShippedVerdict) {
    const Report report =
        run(request(KernelSource{shipped("reduction/tree_sequential.comp"), "mine.comp", ""}));
    ASSERT_EQ(report.status, Status::ok) << report.message;
    EXPECT_EQ(report.kernel_name(), "mine.comp");
    EXPECT_THAT(report.diagnostics, IsEmpty());
    ASSERT_EQ(report.notes.size(), 1u) << "its buffers have the declared size";
    EXPECT_THAT(report.notes.front(), HasSubstr("clamped"));
    EXPECT_EQ(std::get<std::uint64_t>(report.result.front().value), 524800u);
    EXPECT_THAT(run(request(std::nullopt)).notes, IsEmpty()) << "only a user kernel has this note";
}

/// Other tests register lessons from folders, which may be gone.
std::vector<const Lesson*> shipped_lessons() {
    std::vector<const Lesson*> all = all_lessons();
    std::erase_if(all, [](const Lesson* lesson) { return !lesson->version.empty(); });
    return all;
}

TEST_F(UserKernel, SourceOfEveryVariantIsCorrect) {
    GRIDSTRIDE_ONCE();
    int number = 0;
    const int every = sample_of(1, 6);
    for (const Lesson* lesson : shipped_lessons())
        for (const Variant& variant : lesson->variants) {
            if (number++ % every != 0) continue;
            Request ours = request({}, variant.id);
            ours.experiment = default_experiment(*lesson);
            ours.experiment.variant = variant.id;
            Request own = ours;
            // A kernel that the plan generates is text too, so a user can submit it.
            own.experiment.kernel = KernelSource{
                variant.kernel.empty() ? prepare(ours.experiment, runner_->limits()).plan.main().source
                                       : shipped(variant.kernel),
                "mine.comp", ""};
            const Report expected = run(ours);
            const Report report = run(own);
            // "race" may be correct by chance, and some devices have no float64.
            if (variant.wrong_on_purpose) {
                EXPECT_THAT(report.status, AnyOf(Status::ok, Status::mismatch))
                    << lesson->id << " " << variant.id << ": " << report.message;
            } else if (expected.status == Status::ok) {
                EXPECT_EQ(report.status, Status::ok)
                    << lesson->id << " " << variant.id << ": " << report.message;
            }
        }
}

TEST_F(UserKernel, WrongKernelIsAMismatch) {
    const Report report =
        run_body("if (gl_LocalInvocationIndex == 0) partial_sums[workgroup()] = ELEMENT(7);");
    EXPECT_EQ(report.status, Status::mismatch);
    EXPECT_THAT(report.message, Mentions("differ"));
    EXPECT_FALSE(report.has_truncated_loops) << "there is no loop in it";
    const auto looping = [&](std::uint64_t turns) {
        return run_body(
            fmt::format("ELEMENT sum = ELEMENT(7);\n"
                        "for (uint i = 0; i < {}u; ++i) sum += numbers[i % 3u];\n"
                        "for (uint i = 0; i < {}u + workgroup(); ++i) sum += numbers[i % 7u];\n"
                        "if (gl_LocalInvocationIndex == 0) partial_sums[workgroup()] = sum;",
                        turns / 2, turns / 2));
    };
    const std::uint64_t most = report.device.loop_iterations;
    const Report few = looping(1000);
    EXPECT_EQ(few.status, Status::mismatch) << few.message;
    EXPECT_FALSE(few.has_truncated_loops) << "its own fault";
    if (most > 0) {
        const Report many = looping(most + 100);
        EXPECT_EQ(many.status, Status::mismatch) << many.message;
        EXPECT_TRUE(many.has_truncated_loops) << "all loops are counted together";
        EXPECT_THAT(many.notes, Contains(Mentions("silently")));
    }
    expect_lab_goes_on();
}

TEST_F(UserKernel, FailsIfLoopsExceedThePlansIterations) {
    const auto counted = [](std::uint64_t size, const std::string& before_it) {
        std::string text = shipped("reduction/tree_sequential.comp");
        text.insert(text.find("\n", text.find("void main()")) + 1, before_it);
        Request request = UserKernel::request(KernelSource{text, "mine.comp", ""});
        request.experiment.values.set(key::workgroup_size.id, size);
        request.count_loops = true;
        return run(request);
    };
    // With 12 invocations, some drivers give two subgroups the same number.
    for (const std::uint64_t size : {1, 12, 128}) {
        const Report stated = counted(size, "");
        EXPECT_EQ(stated.status, Status::ok) << stated.message;
        const Report more =
            counted(size, "for (uint i = 0; i < 5000u; ++i) if (numbers[i % 3u] == 77) return;\n");
        EXPECT_EQ(more.status, Status::failed);
        EXPECT_THAT(more.message, Mentions("sum of each workgroup", "iterations_per_pass", "at most"));
    }
}

TEST_F(UserKernel, ReportsTheCompileTimeOfTheSource) {
    const std::string text = shipped("reduction/tree_sequential.comp") + "\n// A text of its own.\n";
    const Report first = run_kernel(text);
    ASSERT_EQ(first.status, Status::ok) << first.message;
    EXPECT_GT(first.timings.compile_ns, 1e6) << "a process that compiles GLSL takes milliseconds";
    EXPECT_GE(run_kernel(text).timings.compile_ns, 1e6) << "the cached kernel keeps its compile time";
}

TEST_F(UserKernel, CompileErrorsNameFileAndLine) {
    const Report report = run_body("    partial_sums[0] = missing;\n    also = wrong;");
    EXPECT_EQ(report.status, Status::failed);
    EXPECT_THAT(report.message, HasSubstr("Line 7: 'missing'"));
    EXPECT_THAT(report.message, Mentions("errors"));
    ASSERT_GE(report.diagnostics.size(), 2u);
    EXPECT_EQ(report.diagnostics[0].line, 7u);
    EXPECT_EQ(report.diagnostics[0].file, "mine.comp");
}

TEST_F(UserKernel, JsonHasKernelDiagnosticsAndNotes) {
    const nlohmann::ordered_json failed = to_json(run_body("partial_sums[0] = missing;"));
    EXPECT_EQ(failed["kernel"], "mine.comp");
    EXPECT_EQ(failed["diagnostics"][0]["level"], "error");
    EXPECT_EQ(failed["diagnostics"][0]["file"], "mine.comp");
    EXPECT_EQ(failed["diagnostics"][0]["line"], 7);
    EXPECT_THAT(failed["diagnostics"][0]["text"].get<std::string>(), HasSubstr("missing"));
    const nlohmann::ordered_json ours = to_json(run(request(std::nullopt)));
    EXPECT_TRUE(ours["kernel"].is_null());
    EXPECT_EQ(ours["diagnostics"].size() + ours["notes"].size(), 0u);
}

TEST_F(UserKernel, ReportsWarningsOfASuccessfulCompile) {
    const std::string text = shipped("reduction/tree_sequential.comp");
    const std::size_t line = text.find('\n') + 1;
    const Report report =
        run_kernel(text.substr(0, line) + "#extension GL_no_such_thing : enable\n" + text.substr(line));
    EXPECT_EQ(report.status, Status::ok) << report.message;
    ASSERT_FALSE(report.diagnostics.empty());
    EXPECT_EQ(report.diagnostics[0].level, DiagnosticLevel::warning);
}

TEST_F(UserKernel, FailsForSourceThatIsNotAKernel) {
    for (const std::string& text :
         {std::string(), std::string("#version 450\n"),
          std::string(
              "#version 450\nlayout(location = 0) in vec3 p;\nvoid main() { gl_Position = vec4(p, 1); }\n"),
          std::string("#version 450\n#include \"/etc/passwd\"\nvoid main() {}\n"),
          std::string("#version 450\n#include \"../../../../etc/passwd\"\nvoid main() {}\n"),
          std::string(shader_head) + "uint f(uint n) { return n < 2u ? 1u : n * f(n - 1u); }\n"
                                     "void main() { partial_sums[0] = ELEMENT(f(5)); }\n",
          std::string("// [build u32 ELEMENT\n") + shader_head + "void main() {}\n"}) {
        const Report report = run_kernel(text);
        EXPECT_EQ(report.status, Status::failed) << text;
        EXPECT_THAT(report.message, Not(IsEmpty())) << text;
        EXPECT_THAT(report.message, Not(HasSubstr("root:")));
    }
    expect_lab_goes_on();
}

TEST_F(UserKernel, IncludesFilesOfItsFolder) {
    const fs::path folder = fs::path(::testing::TempDir()) / "gridstride_own_kernel";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const auto write = [&](const char* value) {
        std::ofstream(folder / "value.glsl") << "const uint value = " << value << ";\n";
    };
    const std::string text = std::string(shader_head) + "#include \"value.glsl\"\n" +
                             "void main() { partial_sums[workgroup()] = ELEMENT(value); }\n";
    const KernelSource source{text, "mine.comp", folder.string()};
    write("7u");
    Report report = run(request(source));
    ASSERT_EQ(report.status, Status::mismatch) << report.message;
    ASSERT_TRUE(report.compare.first_mismatch);
    EXPECT_EQ(report.compare.first_mismatch->gpu, 7);

    write("8u");
    fs::last_write_time(folder / "value.glsl", fs::file_time_type::clock::now() + std::chrono::seconds(5));
    report = run(request(source));
    ASSERT_TRUE(report.compare.first_mismatch) << report.message;
    EXPECT_EQ(report.compare.first_mismatch->gpu, 8) << "an include that changed is read again";
    fs::remove_all(folder);
    EXPECT_EQ(run(request(source)).status, Status::failed);
}

TEST_F(UserKernel, UsesItsOwnBuildLines) {
    const std::string body =
        std::string(shader_head) + "void main() { partial_sums[workgroup()] = ELEMENT(VALUE); }\n";
    Report report =
        run_kernel("// [build u32] ELEMENT=uint VALUE=5\n// [build f32] ELEMENT=float VALUE=6\n" + body);
    ASSERT_TRUE(report.compare.first_mismatch) << report.message;
    EXPECT_EQ(report.compare.first_mismatch->gpu, 5);
    report = run_kernel("// [build f32] ELEMENT=float VALUE=6\n" + body);
    EXPECT_EQ(report.status, Status::failed);
    EXPECT_THAT(report.message, HasSubstr("build \"u32\""));
    EXPECT_THAT(report.message, HasSubstr("f32"));
}

struct Refused {
    const char* name;
    std::string before, body, words;
};

TEST_F(UserKernel, RefusesWhatDeviceOrLaunchDoNotProvide) {
    const std::vector<Refused> cases = {
        {"64 MiB of workgroup memory", "shared uint big[16777216];\n",
         "big[launch.count % 16777216] = 1; barrier(); partial_sums[0] = ELEMENT(big[launch.total % "
         "16777216]);",
         "workgroup memory"},
        {"workgroup memory by the workgroup size", "shared uint big[gl_WorkGroupSize.x * 65536];\n",
         "big[launch.count % 65536] = 1; barrier(); partial_sums[0] = ELEMENT(big[launch.total % 65536]);",
         "workgroup memory"},
        {"a binding of its own", "layout(binding = 9) buffer More { uint more[]; };\n", "more[0] = 1;",
         "binding 9"},
        {"another set", "layout(set = 2, binding = 0) buffer More { uint more[]; };\n", "more[0] = 1;",
         "set 2"},
        {"a uniform buffer", "layout(binding = 2) uniform More { uint more; };\n",
         "partial_sums[0] = ELEMENT(more);", "storage buffer"},
        {"64-bit integers", "#extension GL_ARB_gpu_shader_int64 : require\n",
         "partial_sums[0] = ELEMENT(uint(uint64_t(launch.count) * uint64_t(launch.total) >> 3));", "Int64"},
        {"a huge array of an invocation", "",
         "uint mine[1000000]; mine[launch.count % 1000000] = 1; partial_sums[0] = "
         "ELEMENT(mine[launch.total % 1000000]);",
         "each invocation"},
    };
    for (const Refused& refused : cases) {
        const Report report = run_body(refused.body, refused.before);
        EXPECT_EQ(report.status, Status::refused) << refused.name << ": " << report.message;
        EXPECT_THAT(report.message, HasSubstr(refused.words)) << refused.name;
    }
    const std::string bare =
        "#version 450\nlayout(local_size_x = 33) in;\nlayout(binding = 1) buffer P { uint p[]; };\n";
    Report report = run_kernel(bare + "void main() { p[0] = 1; }\n");
    EXPECT_EQ(report.status, Status::refused) << report.message;
    EXPECT_THAT(report.message, HasSubstr("33 x 1 x 1"));
    report = run_kernel(
        "#version 450\nlayout(local_size_x_id = 0) in;\nlayout(binding = 1) buffer P { uint p[]; };\n"
        "layout(push_constant) uniform L { uint words[20]; };\nvoid main() { p[0] = words[1]; }\n");
    EXPECT_EQ(report.status, Status::refused) << report.message;
    EXPECT_THAT(report.message, HasSubstr("80 bytes"));
    expect_lab_goes_on();
}

/// Compares with softmax's three_passes: buffers x and y, 12 words of the launch, constants 3 to 5.
TEST_F(UserKernel, RefusesAnotherInterfaceAndShowsBoth) {
    const std::string size = "layout(local_size_x_id = 0, local_size_y_id = 1) in;\n";
    const std::string in = "layout(binding = 0) readonly buffer A { float x[]; };\n";
    const std::string out = "layout(binding = 1) buffer O { float y[]; };\n";
    const std::string launch = "layout(push_constant) uniform P { uint count; uint workgroup_count; } p;\n";
    struct Foreign {
        const char* name;
        std::string declarations, body;
        std::vector<const char*> words;  ///< empty: the interface fits, and it runs
    };
    const std::string works = "y[p.count - 1] = x[0];";
    const std::vector<Foreign> cases = {
        {"as it is", size + in + out + launch, works, {}},
        {"less of the push constants, and named blocks",
         size + in + out + "layout(push_constant) uniform Q { layout(offset = 8) uint columns; } q;\n",
         "y[q.columns] = x[0];",
         {}},
        {"elements of other types",
         size + "layout(binding = 0) buffer A { vec4 x[]; };\nlayout(binding = 1) buffer O { uvec2 y[]; };\n",
         "y[0] = uvec2(x[0].xy);",
         {}},
        {"a buffer declared twice",
         size + in + out + "layout(binding = 1) readonly buffer Q { vec4 quads[]; };\n",
         "y[0] = x[0] + quads[1].x;",
         {}},
        {"no input", size + out, "y[0] = 1;", {}},
        {"names for the workgroup's size",
         size + "layout(constant_id = 0) const uint size_x = 64;\n" + in + out,
         "y[size_x] = x[0];",
         {}},
        {"push constants of its own",
         size + in + out + "layout(push_constant) uniform P { float scale; uint columns; uint rows; } p;\n",
         "y[p.rows] = x[p.columns] * p.scale;",
         {"push constant byte 0 your kernel declares float scale, but the launch passes uint count",
          "2 more differ", "✗ push 0 ", "✗ push 4 ", "✗ push 8 ", "  push 12 ", "  binding 0 "}},
        {"another name at the same place",
         size + in + out + "layout(push_constant) uniform P { uint n; } p;\n",
         "y[p.n] = x[0];",
         {"✗ push 0 ", "uint n", "uint count"}},
        {"another type",
         size + in + out + "layout(push_constant) uniform P { int count; } p;\n",
         "y[p.count] = x[0];",
         {"int count, but the launch passes uint count"}},
        {"an array over them",
         size + in + out + "layout(push_constant) uniform P { uint words[4]; } p;\n",
         "y[p.words[2]] = x[0];",
         {"uint words[4]"}},
        {"more than there are",
         size + in + out + "layout(push_constant) uniform P { layout(offset = 48) float scale; } p;\n",
         "y[0] = x[0] * p.scale;",
         {"52 bytes", "float scale, but the launch passes nothing"}},
        {"a constant of its own",
         size + "layout(constant_id = 4) const uint tile = 32;\n" + in + out,
         "y[tile] = x[0];",
         {"specialisation constant 4 your kernel declares uint tile, but the launch passes uint quads_each",
          "✗ constant 4 ", "  constant 5 "}},
        {"a constant that nobody gives",
         size + "layout(constant_id = 40) const uint tile = 32;\n" + in + out,
         "y[tile] = x[0];",
         {"✗ constant 40 "}},
        {"a constant that is the workgroup's size",
         "layout(local_size_x = 64) in;\nlayout(constant_id = 0) const uint tile = 32;\n" + in + out,
         "y[tile] = x[0];",
         {"✗ constant 0 ", "uint tile"}},
        {"no result", size + in, "float a = x[0];", {"does not declare binding 1", "✗ binding 1 ", "–"}},
        {"a result that it may not write",
         size + in + "layout(binding = 1) readonly buffer O { float y[]; };\n",
         "float a = x[0] + y[0];",
         {"binding 1 readonly", "✗ binding 1 "}},
        {"an input that it may not read",
         size + out + "layout(binding = 0) writeonly buffer A { float x[]; };\n",
         "y[0] = 1; x[0] = 2;",
         {"binding 0 writeonly"}},
        {"bindings the other way round",
         size +
             "layout(binding = 1) buffer A { float x[]; };\nlayout(binding = 0) buffer O { float y[]; };\n",
         "y[0] = x[0];",
         {"writes to binding 0", "never to binding 1"}},
        {"another set",
         size + in + "layout(set = 1, binding = 1) buffer O { float y[]; };\n",
         "y[0] = x[0];",
         {"set 1, binding 1", "✗ set 1, binding 1 ", "✗ binding 1 "}},
        {"a binding more",
         size + in + out + "layout(binding = 2) buffer Q { float z[]; };\n",
         "y[0] = x[0] + z[0];",
         {"binding 2", "✗ binding 2 "}},
        {"a uniform buffer",
         size + "layout(binding = 0) uniform A { vec4 x[16]; };\n" + out,
         "y[0] = x[0].x;",
         {"other than a single storage buffer", "✗ binding 0 "}},
        {"std140",
         size + "layout(std140, binding = 0) readonly buffer A { float x[]; };\n" + out,
         "y[0] = x[0];",
         {"std140", "✗ binding 0 "}},
        {"a workgroup size of its own and other numbers",
         "layout(local_size_x = 33) in;\n" + out + "layout(binding = 0) readonly buffer A { uvec4 x[]; };\n",
         "y[0] = float(x[0].x);",
         {"33 x 1 x 1", "? binding 0 "}},
        {"a workgroup size of its own",
         "layout(local_size_x = 33) in;\n" + in + out,
         "y[0] = x[0];",
         {"33 x 1 x 1", "✗ size x ", "local_size_x = 33", "local_size_x_id = 0"}},
    };
    for (const Foreign& foreign : cases) {
        Request edited_request = request(
            KernelSource{"#version 450\n" + foreign.declarations + "void main() {\n" + foreign.body + "\n}\n",
                         "mine.comp", ""},
            "three_passes");
        const Experiment own = edited_request.experiment;
        edited_request.experiment = default_experiment(*find_lesson("softmax"));
        edited_request.experiment.variant = "three_passes";
        edited_request.experiment.kernel = own.kernel;
        const Report report = run(edited_request);
        EXPECT_EQ(report.status == Status::refused, !foreign.words.empty())
            << foreign.name << ": " << report.message;
        for (const char* words : foreign.words)
            EXPECT_THAT(report.message, HasSubstr(words)) << foreign.name;
        if (foreign.words.empty()) {
            const bool has_other_types = foreign.name == std::string_view("elements of other types");
            EXPECT_EQ(report.notes.size(), has_other_types ? 2u : 1u) << foreign.name;
            if (has_other_types) {
                EXPECT_THAT(report.notes.front(), HasSubstrs("declares uint at binding 1 (shares)",
                                                             "three_passes.comp declares float there"));
            }
            continue;
        }
        EXPECT_THAT(report.message, HasSubstr("gridstride run softmax --variant three_passes --print-kernel"))
            << foreign.name;
        // The columns start at the same position in each line.
        const std::vector<std::string_view> lines = split(report.message, '\n');
        ASSERT_GT(lines.size(), 4u) << foreign.name;
        const std::size_t column = lines[1].find("your kernel");
        EXPECT_THAT(std::string(lines[1]), HasSubstr("softmax/three_passes.comp"));
        for (std::size_t i = 2; i < lines.size(); ++i)
            EXPECT_EQ(first_characters(lines[i], column).back(), ' ') << foreign.name << ": " << lines[i];
        EXPECT_EQ(to_json(report)["message"], report.message);
    }
    expect_lab_goes_on();
}

TEST_F(UserKernel, LiteralWorkgroupSizeRunsWithANote) {
    const Report report = run_kernel(
        "#version 450\nlayout(local_size_x = 128) in;\nlayout(binding = 1) buffer P { uint p[]; };\n"
        "void main() { p[gl_WorkGroupID.x] = 1; }\n");
    EXPECT_EQ(report.status, Status::mismatch) << report.message;
    EXPECT_THAT(report.notes, Contains(HasSubstrs("local_size_x = 128", "layout(local_size_x_id = 0) in;")));
}

/// For every variant and exercise, the lab accepts the shipped kernel.
TEST_F(UserKernel, ShippedKernelsFitTheInterfaceOfTheirVariant) {
    GRIDSTRIDE_ONCE();
    gpu::Device device;
    UserKernels own(device, program());
    Control control;
    const auto try_one = [&](const Lesson& lesson, const Variant& variant, const std::string& file) {
        Experiment experiment = default_experiment(lesson);
        experiment.variant = variant.id;
        const PreparedExperiment ours = prepare(experiment, device.limits());
        if (!ours.is_valid()) return;
        experiment.kernel = {file.empty() ? ours.plan.main().source : shipped(file), "mine.comp", ""};
        const PreparedExperiment prepared = prepare(experiment, device.limits());
        Plan plan = prepared.plan;
        Report report;
        EXPECT_NO_THROW(own.substitute_kernels(plan, prepared, /*is_graded=*/false, control, report))
            << lesson.id << " " << variant.id;
    };
    // The test takes every second kernel, which includes some of each lesson.
    int number = 0;
    const auto is_left_out = [&] { return number++ % sample_of(1, 2) != 0; };
    for (const Lesson* lesson : shipped_lessons()) {
        if (lesson->has_programs()) continue;
        for (const Variant& variant : lesson->variants)
            if (!is_left_out()) try_one(*lesson, variant, variant.kernel);
        for (const Variant& exercise : lesson->exercises)
            if (!is_left_out()) try_one(*lesson, exercise, exercise.solution);
    }
}

TEST_F(UserKernel, ReportsAllRefusalsTogether) {
    const Report report =
        run_body("big[launch.count] = 1; more[0] = big[launch.total];",
                 "shared uint big[16777216];\nlayout(binding = 9) buffer More { uint more[]; };\n");
    EXPECT_EQ(report.status, Status::refused);
    EXPECT_THAT(report.message, HasSubstr("workgroup memory"));
    EXPECT_THAT(report.message, HasSubstr("binding 9"));
}

/// A kind of memory: its name, its declaration before main() and in it, and the array's name.
struct Memory {
    const char* name;
    const char* global;
    const char* local;
    const char* array;
};
constexpr Memory memory_cases[] = {
    {"storage", "", "", "partial_sums"},
    {"shared", "shared uint own[64];\n", "", "own"},
    {"private", "", "uint own[64]; for (int k = 0; k < 64; ++k) own[k] = k;\n", "own"},
};

TEST_F(UserKernel, SurvivesOutOfBoundsIndices) {
    const std::string indices =
        "const int indices[10] = int[](-1, 64, 65, 1000, -1000, 65536, 1 << 20, 1 << 30, 0x7fffffff, "
        "int(0x80000000));\n";
    for (const Memory& memory : memory_cases) {
        for (const std::string access : {"sum += %[index];", "%[index] = 1u;",
                                         "sum += atomicAdd(%[index], 1u);", "atomicMin(%[index], 3u);"}) {
            if (access.find("atomic") != std::string::npos && std::string(memory.name) == "private") continue;
            std::string statement = access;
            statement.replace(statement.find('%'), 1, memory.array);
            const Report report = run_body(
                fmt::format("{}uint sum = 0;\nfor (uint i = 0; i < 10; ++i) {{ int index = indices[i] + "
                            "int(launch.first); {} }}\n{}partial_sums[workgroup()] = sum;",
                            memory.local, statement,
                            std::string(memory.name) == "private" ? "sum += own[launch.count % 64];\n" : ""),
                memory.global + indices);
            EXPECT_EQ(report.status, Status::mismatch)
                << memory.name << ": " << access << ": " << report.message;
            EXPECT_EQ(report.compare.out_of_bounds_output, "") << memory.name << ": " << access;
        }
        expect_lab_goes_on();
    }
}

TEST_F(UserKernel, ClampsArraysDeclaredLongerThanTheirBufferWithANote) {
    Request own =
        request(KernelSource{"#version 450\n"
                             "#extension GL_GOOGLE_include_directive : require\n"
                             "#include \"common/launch.glsl\"\n"
                             "layout(binding = 0) buffer E { uint e[100000000]; };\n"
                             "layout(binding = 1) buffer Sums { uint sums[100000000]; };\n"
                             "void main() {\n"
                             "    for (uint i = 1; i <= 100; ++i) e[50000 * i] = 1u;\n"
                             "    sums[50000 + gl_GlobalInvocationID.x] = 1u;\n"
                             "    sums[workgroup()] = e[60000];\n"
                             "}\n",
                             "mine.comp", ""});
    own.experiment.values.set(key::elements.id, std::uint64_t{4096});
    Report report;
    Control control;
    runner_->run(own, control, [&](Report progress) { report = std::move(progress); });
    EXPECT_EQ(report.status, Status::mismatch) << report.message;
    EXPECT_EQ(report.compare.out_of_bounds_output, "");
    EXPECT_THAT(report.notes, Contains(Mentions("clamped")));
    EXPECT_THAT(report.notes,
                Contains(AllOf(HasSubstr("declares " + format_count(400'000'000) + " bytes at binding 0"),
                               HasSubstr("has " + format_count(16'384)), Mentions("buffer"))));
    EXPECT_THAT(report.notes, Contains(Mentions(1, "binding")));
    own.experiment.kernel.reset();
    runner_->run(own, control, [&](Report progress) { report = std::move(progress); });
    EXPECT_EQ(report.status, Status::ok) << report.message;
}

TEST_F(UserKernel, ClampsAnIndexToTheLastElement) {
    const Report report = run_body(
        "own[gl_LocalInvocationIndex % 4] = gl_LocalInvocationIndex % 4;\nbarrier();\n"
        "partial_sums[workgroup()] = 100 + own[4 + launch.first];",
        "shared uint own[4];\n");
    ASSERT_TRUE(report.compare.first_mismatch) << report.message;
    EXPECT_EQ(report.compare.first_mismatch->gpu, 103);
}

TEST_F(UserKernel, SurvivesAnyIndexIntoVectorsAndMatrices) {
    const Report report = run_body(
        "vec4 v = vec4(1); mat4 m = mat4(1); v[launch.count] = 3; m[launch.count][launch.total] = 2;\n"
        "partial_sums[workgroup()] = ELEMENT(v[launch.total] + m[launch.total][launch.count] + "
        "vec4(launch.first)[launch.count]);");
    EXPECT_EQ(report.status, Status::mismatch) << report.message;
    expect_lab_goes_on();
}

TEST_F(UserKernel, DivisionByZeroHasAVerdict) {
    const Report report = run_body(
        "int lowest = int(0x80000000u) + int(launch.first);\nint minus = -1 - int(launch.first);\n"
        "uint a = launch.count / launch.first + launch.count % launch.first;\n"
        "int b = int(launch.count) / int(launch.first) + int(launch.count) % int(launch.first);\n"
        "int c = lowest / minus + lowest % minus;\n"
        "partial_sums[workgroup()] = ELEMENT(a + uint(b) + uint(c)) + 1;");
    EXPECT_NE(report.status, Status::failed) << report.message;
    EXPECT_NE(report.status, Status::refused) << report.message;
    expect_lab_goes_on();
}

TEST_F(UserKernel, ADivergentBarrierHasAVerdict) {
    const Report report = run_body(
        "if (gl_LocalInvocationIndex % 2 == 0) { own[0] = 1; barrier(); } else own[1] = 2;\n"
        "partial_sums[workgroup()] = own[0];",
        "shared uint own[2];\n");
    EXPECT_EQ(report.status, Status::mismatch) << report.message;
    expect_lab_goes_on();
}

TEST_F(UserKernel, EndlessCompilationEndsAtTheDeadline) {
    std::string bomb = std::string(shader_head) + "#define A0 partial_sums[0] += 1;\n";
    for (int i = 1; i <= 30; ++i)
        bomb += fmt::format("#define A{} A{} A{}\n", i, i - 1, i - 1);
    const Report report = run(request(KernelSource{bomb + "void main() { A30 }\n", "bomb.comp", ""}), 0.5);
    EXPECT_EQ(report.status, Status::timed_out) << report.message;
    expect_lab_goes_on();
}

TEST_F(UserKernel, IsCheckedForEachLaunchSeparately) {
    const KernelSource fixed{
        "#version 450\nlayout(local_size_x = 128) in;\nlayout(binding = 1) buffer P { uint p[]; };\n"
        "layout(binding = 2) buffer T { uint t[]; };\nvoid main() { p[gl_WorkGroupID.x] = t[0] = 1; }\n",
        "mine.comp", ""};
    const auto run_with = [&](std::uint64_t workgroup, const std::string& variant) {
        Request edited_request = request(fixed, variant);
        edited_request.experiment.values.set("workgroup_size", workgroup);
        return run(edited_request);
    };
    const auto is_note = HasSubstrs("local_size_x = 128", "layout(local_size_x_id = 0) in;");
    for (const char* time : {"first", "again"}) {
        const Report fits = run_with(128, "single_pass"), larger = run_with(256, "single_pass"),
                     second_run = run_with(128, "tree_sequential");
        EXPECT_EQ(fits.status, Status::mismatch) << fits.message << time;
        EXPECT_THAT(fits.notes, Contains(is_note)) << time;
        EXPECT_EQ(larger.status, Status::refused) << time;
        EXPECT_THAT(larger.message, HasSubstrs("128 x 1 x 1", "256")) << time;
        EXPECT_EQ(second_run.status, Status::refused) << time;
        EXPECT_THAT(second_run.message, HasSubstr("binding 2")) << time;
    }
}

TEST_F(UserKernel, CompilesTheSameSourceOnce) {
    gpu::Device device;
    UserKernels own(device, program());
    const Lesson& lesson = *find_lesson("reduction");
    Experiment experiment = default_experiment(lesson);
    experiment.variant = "tree_sequential";
    Control control;
    const auto put = [&](const std::string& text) {
        experiment.kernel = {text, "mine.comp", ""};
        const PreparedExperiment edited_request = prepare(experiment, device.limits());
        Plan plan = edited_request.plan;
        Report report;
        own.substitute_kernels(plan, edited_request, /*is_graded=*/false, control, report);
        return plan.main().kernel;
    };
    const std::string text = shipped("reduction/tree_sequential.comp");
    const std::string first = put(text);
    EXPECT_EQ(put(text), first) << "each compilation has its own name";
    const std::string second = put(text + "\n");
    EXPECT_NE(second, first);
    EXPECT_TRUE(own.kernels().device().is_robust()) << "these kernels are untrusted";
    EXPECT_EQ(put(text), first);
    EXPECT_EQ(put(text + "\n"), second);
}

}  // namespace gridstride::lab::user_kernels_test
