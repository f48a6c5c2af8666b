#include "shader/rooted_includer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/file.h"
#include "base/find_inside.h"
#include "base/quote.h"

namespace gridstride::shader {

namespace {

namespace fs = std::filesystem;
using IncludeResult = glslang::TShader::Includer::IncludeResult;

constexpr std::size_t kMaxIncludeDepth = 32;
constexpr std::uintmax_t kMaxIncludeBytes = 1u << 20;

// The same words whether or not the outside file exists: a shader must not be able to ask that.
constexpr const char* kOutside = "includes stay inside the shaders folder and the source's own folder";

IncludeResult* make_result(const std::string& name, std::string content) {
    auto owned = std::make_unique<std::string>(std::move(content));
    auto* made = new IncludeResult(name, owned->data(), owned->size(), owned.get());
    owned.release();  // releaseInclude() deletes it
    return made;
}

/// An empty name tells glslang that it is an error text.
IncludeResult* failure(std::string why) {
    return make_result("", std::move(why));
}

}  // namespace

std::string name_for_glslang(std::string name) {
    for (char& c : name)
        if (c == '"' || c == '\\' || c == ':' || static_cast<unsigned char>(c) < ' ') c = '_';
    return name;
}

RootedIncluder::RootedIncluder(const std::vector<fs::path>& roots, std::vector<std::string>& read)
    : roots_(real_folders(roots)), read_(read) {}

std::vector<fs::path> RootedIncluder::candidates(const fs::path& wanted, const std::string& includer) const {
    std::vector<fs::path> found;
    if (const auto known = files_.find(includer); known != files_.end())
        found.push_back(known->second.parent_path() / wanted);
    else if (!roots_.empty())
        found.push_back(roots_.front() / fs::path(includer).parent_path() / wanted);
    for (const fs::path& root : roots_)
        found.push_back(root / wanted);
    return found;
}

IncludeResult* RootedIncluder::includeSystem(const char* header, const char* includer, std::size_t depth) {
    if (depth > kMaxIncludeDepth) return failure(fmt::format("includes nest over {} deep", kMaxIncludeDepth));
    const fs::path wanted(header);
    if (wanted.is_absolute()) return failure("an include's path is relative to the shaders folder");

    const FoundInside found = find_inside(roots_, candidates(wanted, includer));
    if (!found.file.empty()) return contents_of(found.file);
    return failure(found.leads_outside ? kOutside
                                       : "no such file beside the including file nor in the shaders folder");
}

void RootedIncluder::releaseInclude(IncludeResult* result) {
    if (!result) return;
    delete static_cast<std::string*>(result->userData);
    delete result;
}

/// Named relative to the root that holds it: that is what diagnostics show.
std::string RootedIncluder::name_of(const fs::path& file) {
    std::string name;
    for (const fs::path& root : roots_)
        if (is_inside(file, root)) name = file.lexically_relative(root).generic_string();
    name = name_for_glslang(std::move(name));
    const auto known = files_.find(name);
    // Two roots may each have a file of that name.
    if (known != files_.end() && known->second != file) name = name_for_glslang(file.generic_string());
    files_[name] = file;
    return name;
}

IncludeResult* RootedIncluder::contents_of(const fs::path& file) {
    try {
        std::string content = read_file(file, kMaxIncludeBytes);
        if (std::find(read_.begin(), read_.end(), file.string()) == read_.end())
            read_.push_back(file.string());
        return make_result(name_of(file), std::string(without_byte_order_mark(content)));
    } catch (const FileError& error) {
        return failure(error.what());
    }
}

}  // namespace gridstride::shader
