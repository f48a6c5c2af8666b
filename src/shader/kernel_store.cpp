#include "shader/kernel_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <regex>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace gridstride::shader {

namespace fs = std::filesystem;

namespace {

constexpr std::uint32_t spirv_magic = 0x07230203;

/// Returns the text after the slashes of a line "// [build …", or an empty string for any other line. Parsed
/// by hand, because std::regex uses stack for every character, and a source may have lines of a mebibyte.
std::string build_line(std::string_view line) {
    line = trim(line);
    if (!line.starts_with("//")) return {};
    line = trim(line.substr(2));
    constexpr std::string_view word = "[build";
    if (!line.starts_with(word)) return {};
    const char next = line.size() > word.size() ? line[word.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(next)) || next == '_') return {};
    constexpr std::size_t max_length = 1000;
    if (line.size() > max_length)
        throw std::runtime_error(
            fmt::format("\"{} …\": a build line has at most {} characters", line.substr(0, 40), max_length));
    return std::string(line);
}

/// Parses "[build u32] ELEMENT=uint", without its "//".
Build parse_build(const std::string& line) {
    static const std::regex pattern(R"(^\[build\s+([A-Za-z0-9_]+)\]\s*(.*?)\s*$)");
    static const std::regex define_pattern(R"(^([A-Za-z_][A-Za-z0-9_]*)=(\S+)$)");
    std::smatch match;
    if (!std::regex_match(line, match, pattern))
        throw std::runtime_error(
            fmt::format("\"{}\": a build line reads // [build NAME] DEFINE=VALUE …", line));
    Build build{match[1], {}};
    std::istringstream words(match[2]);
    for (std::string word; words >> word;) {
        std::smatch define;
        if (!std::regex_match(word, define, define_pattern))
            throw std::runtime_error(fmt::format("\"{}\": \"{}\" is not DEFINE=VALUE", line, word));
        build.defines.emplace_back(define[1], define[2]);
    }
    return build;
}

std::string kernel_name(const std::string& file, const Build& build) {
    const std::string stem = fs::path(file).replace_extension().generic_string();
    return build.name.empty() ? stem : stem + "." + build.name;
}

/// Returns every *.comp below the root as a relative path, sorted so that the order is the same on every
/// machine.
std::vector<std::string> shader_files(const fs::path& root) {
    std::vector<std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
        if (entry.is_regular_file() && entry.path().extension() == ".comp")
            files.push_back(entry.path().lexically_relative(root).generic_string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

bool compile_one(const fs::path& source_root, const fs::path& output_root, const std::string& file) {
    const std::string source = read_file(source_root / file);
    bool succeeded = true;
    for (const Build& build : parse_builds(source)) {
        const std::string kernel = kernel_name(file, build);
        if (parse_kernel_name(kernel).file != file)
            throw std::runtime_error(fmt::format(
                "{} is not a valid file name of a kernel: use folder/file.comp, without further points",
                file));
        const fs::path target = output_root / (kernel + ".spv");
        const CompileResult result = compile(source, file, build.defines, {source_root});
        if (!result.diagnostics.empty()) fmt::print(stderr, "{}\n", escape_controls(result.text()));
        if (result.ok()) {
            fs::create_directories(target.parent_path());
            write_file(target, {reinterpret_cast<const char*>(result.spirv.data()),
                                result.spirv.size() * sizeof(std::uint32_t)});
        } else {
            fs::remove(target);  // an outdated module would be taken for this source's
            succeeded = false;
        }
    }
    return succeeded;
}

}  // namespace

std::vector<Build> parse_builds(std::string_view source) {
    std::vector<Build> builds;
    std::set<std::string> names;
    for (const std::string_view line_text : split(remove_byte_order_mark(source), '\n')) {
        const std::string line = build_line(line_text);
        if (line.empty()) continue;
        builds.push_back(parse_build(line));
        if (!names.insert(builds.back().name).second)
            throw std::runtime_error(fmt::format("\"{}\": there are two builds with this name", line));
    }
    if (builds.empty()) builds.emplace_back();
    return builds;
}

KernelName parse_kernel_name(const std::string& kernel) {
    static const std::regex pattern(R"(^((?:[A-Za-z0-9_]+/)*[A-Za-z0-9_]+)(?:\.([A-Za-z0-9_]+))?$)");
    std::smatch match;
    if (!std::regex_match(kernel, match, pattern))
        throw std::runtime_error(
            fmt::format("\"{}\" is not a kernel name: folder/file or folder/file.build", kernel));
    return {match[1].str() + ".comp", match[2]};
}

bool compile_all(const std::filesystem::path& source_root, const std::filesystem::path& output_root) {
    bool succeeded = true;
    for (const std::string& file : shader_files(source_root)) {
        try {
            if (!compile_one(source_root, output_root, file)) succeeded = false;
        } catch (const std::exception& error) {
            fmt::print(stderr, "{}: error: {}\n", escape_controls(file), escape_controls(error.what()));
            succeeded = false;
        }
    }
    return succeeded;
}

std::vector<std::uint32_t> load_kernel(const std::string& kernel) {
    parse_kernel_name(kernel);  // rejects names that lead out of the folder
    const fs::path path = data_directory() / "kernels" / (kernel + ".spv");
    const std::string bytes = read_file(path);
    std::vector<std::uint32_t> spirv(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(spirv.data(), bytes.data(), spirv.size() * sizeof(std::uint32_t));
    if (spirv.empty() || bytes.size() % sizeof(std::uint32_t) != 0 || spirv.front() != spirv_magic)
        throw FileError(fmt::format("{} is not SPIR-V. Install Gridstride again.", printable(path.native())));
    return spirv;
}

}  // namespace gridstride::shader
