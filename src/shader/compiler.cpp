#include "shader/compiler.h"

#include <fmt/format.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <glslang/SPIRV/GlslangToSpv.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <memory>
#include <optional>
#include <regex>
#include <set>
#include <spirv-tools/libspirv.hpp>
#include <spirv-tools/optimizer.hpp>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/find_in_folders.h"
#include "base/text.h"
#include "shader/array_lengths.h"
#include "shader/foreign_language.h"
#include "shader/spirv_module.h"

namespace gridstride::shader {

namespace {

namespace fs = std::filesystem;

constexpr int glsl_version = 450;  // for a source without #version

using IncludeResult = glslang::TShader::Includer::IncludeResult;

constexpr std::size_t max_include_depth = 32;
constexpr std::uintmax_t max_include_bytes = 1u << 20;

// The message is the same whether or not the outside file exists: a shader must not be able to find out.
constexpr const char* outside_roots_message =
    "includes must stay inside the shaders folder and the source's own folder";

/// Replaces characters in a file name that glslang cannot handle: it writes names between quotes into #line
/// directives, without escapes, and between colons into its messages.
std::string name_for_glslang(std::string name) {
    for (char& c : name)
        if (c == '"' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < ' ') c = '_';
    return name;
}

/// Resolves #include "x" and #include <x> alike: beside the including file, then below each root in order.
/// Users open shaders that others wrote, so no file outside the roots is read, whatever ".." or links a path
/// contains, and no message reveals whether such a file exists.
class RootedIncluder : public glslang::TShader::Includer {
 public:
    /// The absolute path of each included file, or that of a text, is added to `read`.
    RootedIncluder(const std::vector<fs::path>& roots, const TextFiles& texts, std::vector<std::string>& read)
        : roots_(canonical_folders(roots)), texts_(texts), read_(read) {}

    // glslang calls includeLocal first, whose default finds nothing, and then this for both forms.
    IncludeResult* includeSystem(const char* header, const char* includer, std::size_t depth) override {
        if (depth > max_include_depth)
            return failure(fmt::format("includes nest {} deep, and the limit is {}: remove a level", depth,
                                       max_include_depth));
        const fs::path header_path(header);
        if (header_path.is_absolute())
            return failure(fmt::format("{} is absolute: use a path relative to the shaders folder", header));

        const FolderSearchResult found = find_in_folders(roots_, candidates(header_path, includer));
        if (!found.file.empty()) return read_include(found.file);
        for (const fs::path& path : {fs::path(includer).parent_path() / header_path, header_path}) {
            const auto text = std::ranges::find(texts_, path.lexically_normal().generic_string(),
                                                [](const auto& one) { return one.first; });
            if (text != texts_.end())
                return include(name_for_glslang(text->first), text->first, text->second);
        }
        return failure(found.leads_outside
                           ? outside_roots_message
                           : "there is no such file beside the including file or in the shaders folder");
    }
    void releaseInclude(IncludeResult* result) override {
        if (!result) return;
        delete static_cast<std::string*>(result->userData);
        delete result;
    }

 private:
    static IncludeResult* make_result(const std::string& name, std::string content) {
        auto owned_content = std::make_unique<std::string>(std::move(content));
        auto* result =
            new IncludeResult(name, owned_content->data(), owned_content->size(), owned_content.get());
        owned_content.release();  // releaseInclude() deletes it
        return result;
    }
    /// An empty name marks the content as an error message for glslang.
    static IncludeResult* failure(std::string reason) { return make_result("", std::move(reason)); }

    std::vector<fs::path> candidates(const fs::path& header_path, const std::string& includer) const {
        std::vector<fs::path> found;
        if (const auto known = files_.find(includer); known != files_.end())
            found.push_back(known->second.parent_path() / header_path);
        else if (!roots_.empty())
            found.push_back(roots_.front() / fs::path(includer).parent_path() / header_path);
        for (const fs::path& root : roots_)
            found.push_back(root / header_path);
        return found;
    }

    /// Returns the name relative to the root that contains the file; diagnostics show it.
    std::string name_for(const fs::path& file) {
        std::string name;
        for (const fs::path& root : roots_)
            if (is_inside(file, root)) name = file.lexically_relative(root).generic_string();
        name = name_for_glslang(std::move(name));
        const auto known = files_.find(name);
        // Two roots may each have a file with this name.
        if (known != files_.end() && known->second != file) name = name_for_glslang(file.generic_string());
        files_[name] = file;
        return name;
    }

    IncludeResult* read_include(const fs::path& file) {
        try {
            const std::string content = read_file(file, max_include_bytes);
            return include(name_for(file), file.string(), std::string(remove_byte_order_mark(content)));
        } catch (const FileError& error) {
            return failure(error.what());
        }
    }

    IncludeResult* include(const std::string& name, const std::string& path, std::string content) {
        if (std::ranges::find(read_, path) == read_.end()) read_.push_back(path);
        // A kernel may include another kernel, whose #version line would be an error here.
        if (content.starts_with("#version")) content.replace(0, 2, "//");
        return make_result(name, std::move(content));
    }

    std::vector<fs::path> roots_;  ///< canonical; missing folders are left out
    const TextFiles& texts_;
    std::map<std::string, fs::path> files_;  ///< included files, by the name that glslang knows
    std::vector<std::string>& read_;
};

/// Creates glslang's process-wide tables once. They are never freed, because other threads may still be
/// compiling when the process ends.
void initialize_glslang_once() {
    static const bool started = glslang::InitializeProcess();
    if (!started) throw std::runtime_error("glslang::InitializeProcess failed");
}

std::string make_preamble(const Defines& defines) {
    std::string preamble = "#extension GL_GOOGLE_include_directive : enable\n";
    for (const auto& [name, value] : defines)
        preamble += fmt::format("#define {} {}\n", name, value);
    return preamble;
}

/// Longer messages are cut: an #error may quote a line of any length.
constexpr std::size_t max_message_length = 2000;

/// Parses glslang's log: "ERROR: file:line: words", or "ERROR: words" without a location.
void parse_log(std::string_view log, const std::string& source_name, std::vector<Diagnostic>& diagnostics) {
    static const std::regex located_message(R"(^(ERROR|WARNING): (.*?):(\d+): (.*?)\s*$)");
    static const std::regex plain_message(R"(^(ERROR|WARNING): (.*?)\s*$)");
    // Summary lines, which add no information.
    static const std::regex summary(
        R"(^ERROR: (\d+ compilation errors\..*|.*'' : compilation terminated\s*)$)");

    const std::string glslang_name = name_for_glslang(source_name);
    const auto level_of = [](const std::string& word) {
        return word == "ERROR" ? DiagnosticLevel::error : DiagnosticLevel::warning;
    };
    while (!log.empty()) {
        const std::size_t end = std::min(log.find('\n'), log.size());
        // std::regex uses stack for every character, so the line is cut first.
        const std::string line(log.substr(0, std::min(end, max_message_length)));
        log.remove_prefix(std::min(end + 1, log.size()));
        if (line.find_first_not_of(" \t\r") == std::string::npos || std::regex_match(line, summary)) continue;

        std::smatch match;
        if (std::regex_match(line, match, located_message)) {
            Diagnostic diagnostic{level_of(match[1]), match[2], 0, match[4]};
            const std::string digits = match[3];
            std::from_chars(digits.data(), digits.data() + digits.size(), diagnostic.line);
            if (diagnostic.file.empty() || diagnostic.file == "0" || diagnostic.file == glslang_name)
                diagnostic.file = source_name;
            diagnostics.push_back(std::move(diagnostic));
        } else if (std::regex_match(line, match, plain_message)) {
            diagnostics.push_back({level_of(match[1]), source_name, 0, match[2]});
        } else if (!diagnostics.empty()) {
            diagnostics.back().text += "\n" + line;  // a message may span several lines
        } else {
            diagnostics.push_back({DiagnosticLevel::warning, source_name, 0, line});
        }
    }
}

/// Replaces messages about glslang's internals by what they mean for the source.
void reword(std::vector<Diagnostic>& diagnostics) {
    for (Diagnostic& d : diagnostics) {
        if (d.text.find("Missing entry point") != std::string::npos)
            d.text = "there is no void main() in the source. Write one: the kernel begins there";
        if (d.text == "'' :  memory exhausted" || d.text == "'' : memory exhausted")  // its parser's stack
            d.text = "brackets or blocks are nested too deeply here for the compiler";
    }
}

/// Removes all errors of a line but the first, from which the others of the same line often follow.
void keep_first_error_of_each_line(std::vector<Diagnostic>& diagnostics) {
    std::set<std::pair<std::string, std::uint32_t>> lines;
    std::erase_if(diagnostics, [&](const Diagnostic& d) {
        return d.level == DiagnosticLevel::error && d.line > 0 && !lines.emplace(d.file, d.line).second;
    });
}

bool has_error(const std::vector<Diagnostic>& diagnostics) {
    return std::any_of(diagnostics.begin(), diagnostics.end(),
                       [](const Diagnostic& d) { return d.level == DiagnosticLevel::error; });
}

/// If the source is in another language, inserts a diagnostic that says so before all other errors.
void add_language_hint(std::string_view source, const std::string& name,
                       std::vector<Diagnostic>& diagnostics) {
    const auto first = std::ranges::find(diagnostics, DiagnosticLevel::error, &Diagnostic::level);
    const bool is_in_source = first != diagnostics.end() && first->file == name;
    if (auto foreign = is_in_source ? detect_foreign_language(source, name, first->line, first->text)
                                    : detect_foreign_language(source, name, 0))
        diagnostics.insert(first, std::move(*foreign));
}

/// A define with a line break or a backslash at its end would shift the source's line numbers.
std::optional<std::string> find_bad_define(const Defines& defines) {
    static const std::regex name_form("[A-Za-z_][A-Za-z0-9_]*");
    for (const auto& [name, value] : defines) {
        if (!std::regex_match(name, name_form) || value.find_first_of("\n\r\\") != std::string::npos)
            return fmt::format("#define {} {}: must be a name and a value on one line", name, value);
    }
    return std::nullopt;
}

bool declares_cooperative_matrices(const std::vector<std::uint32_t>& spirv) {
    constexpr std::uint32_t nv = spv::CapabilityCooperativeMatrixNV;
    constexpr std::uint32_t khr = 6022;  // Debian 12's spirv.hpp does not name the second
    const SpirvModule module(spirv, {});
    return std::ranges::any_of(module.instructions(), [](const Instruction& i) {
        return opcode_of(i) == spv::OpCapability && (word_at(i, 1) == nv || word_at(i, 1) == khr);
    });
}

}  // namespace

std::string CompileResult::text() const {
    std::string all;
    for (const Diagnostic& d : diagnostics) {
        const std::string place = d.line ? fmt::format("{}:{}", d.file, d.line) : d.file;
        all += fmt::format("{}{}: {}: {}", all.empty() ? "" : "\n", place,
                           d.level == DiagnosticLevel::error ? "error" : "warning", d.text);
    }
    return all;
}

CompileResult compile(std::string_view source, const std::string& name, const Defines& defines,
                      const std::vector<fs::path>& include_roots, const TextFiles& files,
                      std::string_view appended) {
    CompileResult result;
    const auto fail = [&](std::string text) {
        result.diagnostics.push_back({DiagnosticLevel::error, name, 0, std::move(text)});
        return result;
    };
    if (const auto reason = find_bad_define(defines)) return fail(*reason);
    if (source.find('\0') != std::string_view::npos) return fail("the source contains a zero byte");

    initialize_glslang_once();
    const std::string preamble = make_preamble(defines);
    source = remove_byte_order_mark(source);
    const std::array texts{source.data() ? source.data() : "", appended.data()};
    const std::array lengths{static_cast<int>(source.size()), static_cast<int>(appended.size())};
    const std::string glslang_name = name_for_glslang(name);
    const std::array file_names{glslang_name.c_str(), glslang_name.c_str()};
    RootedIncluder includer(include_roots, files, result.includes);

    // The program refers to the shader, so it must be destroyed first: it is declared after it.
    glslang::TShader shader(EShLangCompute);
    glslang::TProgram program;
    shader.setStringsWithLengthsAndNames(texts.data(), lengths.data(), file_names.data(),
                                         appended.empty() ? 1 : 2);
    // glslang inserts the preamble after the source's #version line and does not count its lines.
    shader.setPreamble(preamble.c_str());
    shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
    shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_1);
    shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_3);
    // With cascading errors, glslang goes on after the first one.
    const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules | EShMsgDebugInfo |
                                                   EShMsgCascadingErrors |
                                                   (appended.empty() ? EShMsgDefault : EShMsgKeepUncalled));

    const bool parsed =
        shader.parse(GetDefaultResources(), glsl_version, ECoreProfile, false, false, messages, includer);
    parse_log(shader.getInfoLog(), name, result.diagnostics);
    reword(result.diagnostics);
    if (!parsed) {
        keep_first_error_of_each_line(result.diagnostics);
        add_language_hint(source, name, result.diagnostics);
        if (has_error(result.diagnostics)) return result;
        return fail("glslang rejected the source without a message");
    }
    program.addShader(&shader);
    const bool linked = program.link(messages);
    parse_log(program.getInfoLog(), name, result.diagnostics);
    reword(result.diagnostics);
    const glslang::TIntermediate* const intermediate = program.getIntermediate(EShLangCompute);
    if (!linked || !intermediate) {
        add_language_hint(source, name, result.diagnostics);
        if (has_error(result.diagnostics)) return result;
        return fail("glslang could not link the source as a compute shader and gave no message");
    }

    glslang::SpvOptions options;
    options.generateDebugInfo = true;  // for file and line in validation messages and GPU-assisted checks
    options.disableOptimizer = true;   // the driver optimises, and disassembly shows what runs
    spv::SpvBuildLogger build_log;
    std::vector<std::uint32_t> spirv;
    glslang::GlslangToSpv(*intermediate, spirv, &build_log, &options);
    parse_log(build_log.getAllMessages(), name, result.diagnostics);
    if (const std::string invalid = validate(spirv); !invalid.empty()) return fail("spirv-val: " + invalid);
    if (!has_error(result.diagnostics)) result.spirv = std::move(spirv);
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

std::vector<std::uint32_t> clamp_indices(const std::vector<std::uint32_t>& spirv) {
    std::string messages;
    spvtools::Optimizer optimizer(SPV_ENV_VULKAN_1_1);
    optimizer.SetMessageConsumer(
        [&](spv_message_level_t level, const char*, const spv_position_t&, const char* message) {
            if (level <= SPV_MSG_ERROR) messages += (messages.empty() ? "" : "; ") + std::string(message);
        });
    optimizer.RegisterPass(spvtools::CreateGraphicsRobustAccessPass());
    std::vector<std::uint32_t> clamped;
    if (!optimizer.Run(spirv.data(), spirv.size(), &clamped)) {
        // The pass does not know the elements of a cooperative matrix.
        if (declares_cooperative_matrices(spirv)) return spirv;
        throw std::runtime_error(
            fmt::format("its indices cannot be clamped to the bounds of its arrays: {}", messages));
    }
    clamped = hoist_array_lengths(clamped);
    if (const std::string invalid = validate(clamped); !invalid.empty())
        throw std::runtime_error(
            fmt::format("its indices cannot be clamped to the bounds of its arrays: {}", invalid));
    return clamped;
}

}  // namespace gridstride::shader
