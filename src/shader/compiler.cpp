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

#include "base/quote.h"
#include "shader/rooted_includer.h"

namespace gridstride::shader {

namespace {

namespace fs = std::filesystem;

constexpr int kGlslVersion = 450;  // for a source that names none

/// glslang keeps process-wide tables, made once. They are never freed: other threads may still be compiling
/// when the process ends.
void start_glslang_once() {
    static const bool started = glslang::InitializeProcess();
    if (!started) throw std::runtime_error("glslang::InitializeProcess failed");
}

std::string preamble_of(const Defines& defines) {
    std::string preamble = "#extension GL_GOOGLE_include_directive : enable\n";
    for (const auto& [name, value] : defines)
        preamble += fmt::format("#define {} {}\n", name, value);
    return preamble;
}

/// More than anyone reads of one: an #error may quote a line of any length.
constexpr std::size_t longest_finding = 2000;

/// glslang tells its findings as text: "ERROR: file:line: words", or "ERROR: words" where it has no place.
void read_log(std::string_view log, const std::string& source_name, std::vector<Diagnostic>& diagnostics) {
    static const std::regex placed(R"(^(ERROR|WARNING): (.*?):(\d+): (.*?)\s*$)");
    static const std::regex unplaced(R"(^(ERROR|WARNING): (.*?)\s*$)");
    // These say nothing of their own.
    static const std::regex closing(
        R"(^ERROR: (\d+ compilation errors\..*|.*'' : compilation terminated\s*)$)");

    const std::string told_name = name_for_glslang(source_name);
    const auto level_of = [](const std::string& word) {
        return word == "ERROR" ? DiagnosticLevel::error : DiagnosticLevel::warning;
    };
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        // A regular expression takes stack for every character.
        const std::string line(log.substr(0, std::min(end, longest_finding)));
        log.remove_prefix(std::min(end + 1, log.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos || std::regex_match(line, closing)) continue;

        std::smatch match;
        if (std::regex_match(line, match, placed)) {
            Diagnostic diagnostic{level_of(match[1]), match[2], 0, match[4]};
            const std::string digits = match[3];
            std::from_chars(digits.data(), digits.data() + digits.size(), diagnostic.line);
            if (diagnostic.file.empty() || diagnostic.file == "0" || diagnostic.file == told_name)
                diagnostic.file = source_name;
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

/// Where glslang's words are about itself, what they mean for the source.
void reword(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& d : diagnostics) {
        if (d.text.find("Missing entry point") != std::string::npos)
            d.text = "there is no void main() in the source";
        if (d.text == "'' :  memory exhausted" || d.text == "'' : memory exhausted")  // its parser's stack
            d.text = "brackets or blocks nest too deep here for the compiler";
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
                  const Defines& defines, const std::vector<fs::path>& include_roots) {
    const auto fail = [&](std::string text) {
        result.diagnostics.push_back({DiagnosticLevel::error, name, 0, std::move(text)});
    };
    if (const auto reason = bad_define(defines)) return fail(*reason);
    if (source.find('\0') != std::string_view::npos) return fail("the source holds a zero byte");

    start_glslang_once();
    const std::string preamble = preamble_of(defines);
    source = without_byte_order_mark(source);
    const char* const text = source.data() ? source.data() : "";
    const int length = static_cast<int>(source.size());
    const std::string told_name = name_for_glslang(name);
    const char* const file_name = told_name.c_str();
    RootedIncluder includer(include_roots, result.includes);

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
    reword(result.diagnostics);
    if (!parsed) {
        if (!has_error(result.diagnostics)) fail("glslang refused the source and gave no reason");
        return;
    }
    program.addShader(&shader);
    const bool linked = program.link(messages);
    read_log(program.getInfoLog(), name, result.diagnostics);
    reword(result.diagnostics);
    const glslang::TIntermediate* const intermediate = program.getIntermediate(EShLangCompute);
    if (!linked || !intermediate) {
        if (!has_error(result.diagnostics))
            fail("glslang could not make a compute shader of the source and gave no reason");
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

std::string line_of(const Diagnostic& d) {
    const std::string_view level = d.level == DiagnosticLevel::error ? "error" : "warning";
    return d.line ? fmt::format("{}:{}: {}: {}", d.file, d.line, level, d.text)
                  : fmt::format("{}: {}: {}", d.file, level, d.text);
}

std::string CompileResult::text() const {
    std::string all;
    for (const Diagnostic& d : diagnostics)
        all += (all.empty() ? "" : "\n") + line_of(d);
    return all;
}

CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::vector<std::filesystem::path>& include_roots) {
    CompileResult result;
    try {
        compile_into(result, source, name, defines, include_roots);
    } catch (const std::bad_alloc&) {
        // A macro that expands without end meets the memory limit of the process that compiles.
        result = {};
        result.out_of_memory = true;
        result.diagnostics.push_back(
            {DiagnosticLevel::error, name, 0, "compiling it takes more memory than allowed"});
    }
    return result;
}

CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::filesystem::path& include_root) {
    return compile(source, name, defines, std::vector<std::filesystem::path>{include_root});
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
