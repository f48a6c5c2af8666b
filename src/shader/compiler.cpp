#include "shader/compiler.h"

#include <fmt/format.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <new>
#include <optional>
#include <regex>
#include <spirv-tools/libspirv.hpp>

#include "base/error.h"
#include "base/file.h"

namespace gridstride::shader {

namespace {

namespace fs = std::filesystem;

constexpr int kGlslVersion = 450;  // for a source that names none
constexpr std::size_t kMaxIncludeDepth = 32;
constexpr std::uintmax_t kMaxIncludeBytes = 1u << 20;

/// glslang keeps process-wide tables, made once. They are never freed: other threads may still be compiling
/// when the process ends.
void start_glslang_once() {
    static const bool started = glslang::InitializeProcess();
    if (!started) throw std::runtime_error("glslang::InitializeProcess failed");
}

bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return in_folder == folder.end() && in_path != path.end();
}

/// Finds #include "x" and #include <x> alike: beside the including file, then below the root. People edit
/// shaders that other people wrote, so nothing outside the root may be read, whatever ".." or links a path
/// holds.
class RootedIncluder : public glslang::TShader::Includer {
 public:
    explicit RootedIncluder(const fs::path& root) {
        std::error_code error;
        root_ =
            fs::canonical(root, error);  // stays empty when there is no such folder: nothing is found then
    }

    // glslang asks includeLocal first and, as that finds nothing, here for both forms.
    IncludeResult* includeSystem(const char* header, const char* includer, std::size_t depth) override {
        if (depth > kMaxIncludeDepth)
            return failure(fmt::format("includes nest over {} deep", kMaxIncludeDepth));
        const fs::path wanted(header);
        if (wanted.is_absolute()) return failure("an include's path is relative to the shaders folder");

        const fs::path beside = fs::path(includer).parent_path() / wanted;
        bool seen_outside = false;
        for (const fs::path& candidate : {root_ / beside, root_ / wanted}) {
            std::error_code error;
            const fs::path file = fs::canonical(candidate, error);
            if (error) continue;
            if (root_.empty() || !is_inside(file, root_)) {
                seen_outside = true;
                continue;
            }
            if (fs::is_regular_file(file, error)) return contents_of(file);
        }
        // The same words whether or not the outside file exists: a shader must not be able to ask that.
        if (seen_outside || leads_outside(beside)) return failure("includes stay inside the shaders folder");
        return failure("no such file beside the including file nor in the shaders folder");
    }

    void releaseInclude(IncludeResult* result) override {
        if (!result) return;
        delete static_cast<std::string*>(result->userData);
        delete result;
    }

 private:
    static bool leads_outside(const fs::path& path) {
        const fs::path normal = path.lexically_normal();
        return !normal.empty() && *normal.begin() == "..";
    }

    // An empty name tells glslang that it is an error text.
    static IncludeResult* failure(std::string why) { return result("", std::move(why)); }

    static IncludeResult* result(const std::string& name, std::string content) {
        auto owned = std::make_unique<std::string>(std::move(content));
        auto* made = new IncludeResult(name, owned->data(), owned->size(), owned.get());
        owned.release();  // releaseInclude() deletes it
        return made;
    }

    IncludeResult* contents_of(const fs::path& file) const {
        try {
            // Named relative to the root: that is what diagnostics show, and what the next include is
            // relative to.
            return result(file.lexically_relative(root_).generic_string(), read_file(file, kMaxIncludeBytes));
        } catch (const FileError& error) {
            return failure(error.what());
        }
    }

    fs::path root_;
};

std::string preamble_of(const Defines& defines) {
    std::string preamble = "#extension GL_GOOGLE_include_directive : enable\n";
    for (const auto& [name, value] : defines)
        preamble += fmt::format("#define {} {}\n", name, value);
    return preamble;
}

/// glslang tells its findings as text: "ERROR: file:line: words", or "ERROR: words" where it has no place.
void read_log(std::string_view log, const std::string& source_name, std::vector<Diagnostic>& diagnostics) {
    static const std::regex placed(R"(^(ERROR|WARNING): (.*?):(\d+): (.*?)\s*$)");
    static const std::regex unplaced(R"(^(ERROR|WARNING): (.*?)\s*$)");
    // These say nothing of their own.
    static const std::regex closing(
        R"(^ERROR: (\d+ compilation errors\..*|.*'' : compilation terminated\s*)$)");

    const auto level_of = [](const std::string& word) {
        return word == "ERROR" ? DiagnosticLevel::error : DiagnosticLevel::warning;
    };
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        const std::string line(log.substr(0, end));
        log.remove_prefix(std::min(end + 1, log.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos || std::regex_match(line, closing)) continue;

        std::smatch match;
        if (std::regex_match(line, match, placed)) {
            Diagnostic diagnostic{level_of(match[1]), match[2], 0, match[4]};
            const std::string digits = match[3];
            std::from_chars(digits.data(), digits.data() + digits.size(), diagnostic.line);
            if (diagnostic.file.empty() || diagnostic.file == "0") diagnostic.file = source_name;
            diagnostics.push_back(std::move(diagnostic));
        } else if (std::regex_match(line, match, unplaced)) {
            diagnostics.push_back({level_of(match[1]), source_name, 0, match[2]});
        } else if (!diagnostics.empty()) {
            diagnostics.back().text += "\n" + line;  // a message may go on over several lines
        } else {
            diagnostics.push_back({DiagnosticLevel::warning, source_name, 0, line});
        }
    }
}

bool has_error(const std::vector<Diagnostic>& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.level == DiagnosticLevel::error; });
}

/// A define with a line break or a backslash at its end would shift the source's line numbers.
std::optional<std::string> bad_define(const Defines& defines) {
    static const std::regex name_form("[A-Za-z_][A-Za-z0-9_]*");
    for (const auto& [name, value] : defines) {
        if (!std::regex_match(name, name_form) || value.find_first_of("\n\r\\") != std::string::npos)
            return fmt::format("#define {} {}: not a name and a value of one line", name, value);
    }
    return std::nullopt;
}

void compile_into(CompileResult& result, std::string_view source, const std::string& name,
                  const Defines& defines, const fs::path& include_root) {
    const auto fail = [&](std::string text) {
        result.diagnostics.push_back({DiagnosticLevel::error, name, 0, std::move(text)});
    };
    if (const auto reason = bad_define(defines)) return fail(*reason);
    if (source.find('\0') != std::string_view::npos) return fail("the source holds a zero byte");

    start_glslang_once();
    const std::string preamble = preamble_of(defines);
    const char* const text = source.data() ? source.data() : "";
    const int length = static_cast<int>(source.size());
    const char* const file_name = name.c_str();
    RootedIncluder includer(include_root);

    // The program refers to the shader, so it must die first: declared after it.
    glslang::TShader shader(EShLangCompute);
    glslang::TProgram program;
    shader.setStringsWithLengthsAndNames(&text, &length, &file_name, 1);
    // glslang puts the preamble behind the source's #version line and does not count its lines.
    shader.setPreamble(preamble.c_str());
    shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
    const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgDebugInfo);

    const bool parsed =
        shader.parse(GetDefaultResources(), kGlslVersion, ECoreProfile, false, false, messages, includer);
    read_log(shader.getInfoLog(), name, result.diagnostics);
    if (!parsed) {
        if (!has_error(result.diagnostics)) fail("glslang refused the source and gave no reason");
        return;
    }
    program.addShader(&shader);
    const bool linked = program.link(messages);
    read_log(program.getInfoLog(), name, result.diagnostics);
    const glslang::TIntermediate* const intermediate = program.getIntermediate(EShLangCompute);
    if (!linked || !intermediate) {
        if (!has_error(result.diagnostics))
            fail("there is no compute shader with a void main() in the source");
        return;
    }

    glslang::SpvOptions options;
    options.generateDebugInfo = true;  // validation messages and GPU-assisted checks then name file and line
    options.disableOptimizer = true;   // the driver optimises, and what people read is what runs
    spv::SpvBuildLogger build_log;
    std::vector<std::uint32_t> spirv;
    glslang::GlslangToSpv(*intermediate, spirv, &build_log, &options);
    read_log(build_log.getAllMessages(), name, result.diagnostics);
    if (const std::string invalid = validate(spirv); !invalid.empty()) return fail("spirv-val: " + invalid);
    if (!has_error(result.diagnostics)) result.spirv = std::move(spirv);
}

}  // namespace

std::string CompileResult::text() const {
    std::string all;
    for (const Diagnostic& d : diagnostics) {
        const std::string_view level = d.level == DiagnosticLevel::error ? "error" : "warning";
        if (!all.empty()) all += '\n';
        all += d.line ? fmt::format("{}:{}: {}: {}", d.file, d.line, level, d.text)
                      : fmt::format("{}: {}: {}", d.file, level, d.text);
    }
    return all;
}

CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::filesystem::path& include_root) {
    CompileResult result;
    try {
        compile_into(result, source, name, defines, include_root);
    } catch (const std::bad_alloc&) {
        // A macro that expands without end meets the memory limit of the process that compiles.
        result = {};
        result.diagnostics.push_back(
            {DiagnosticLevel::error, name, 0, "compiling it takes more memory than allowed"});
    }
    return result;
}

std::string validate(const std::vector<std::uint32_t>& spirv) {
    std::string messages;
    spvtools::SpirvTools tools(SPV_ENV_VULKAN_1_1);
    tools.SetMessageConsumer(
        [&](spv_message_level_t level, const char*, const spv_position_t& position, const char* message) {
            if (level > SPV_MSG_ERROR) return;
            if (!messages.empty()) messages += '\n';
            messages += fmt::format("word {}: {}", position.index, message);
        });
    if (tools.Validate(spirv)) return {};
    return messages.empty() ? "the module is not valid SPIR-V for Vulkan 1.1" : messages;
}

}  // namespace gridstride::shader
