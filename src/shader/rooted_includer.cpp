#include "shader/rooted_includer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/file.h"

namespace gridstride::shader {

namespace {

namespace fs = std::filesystem;
using IncludeResult = glslang::TShader::Includer::IncludeResult;

constexpr std::size_t kMaxIncludeDepth = 32;
constexpr std::uintmax_t kMaxIncludeBytes = 1u << 20;

// The same words whether or not the outside file exists: a shader must not be able to ask that.
constexpr const char* kOutside = "includes stay inside the shaders folder and the source's own folder";

/// Both normal: without "." and "..".
bool is_inside(const fs::path& path, const fs::path& folder) {
    const auto [in_folder, in_path] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return in_folder == folder.end() && in_path != path.end();
}

/// Whether a path leads over a link on its way, the last part included.
bool goes_over_a_link(const fs::path& path) {
    fs::path so_far;
    std::error_code error;
    for (const fs::path& part : path) {
        so_far /= part;
        if (fs::is_symlink(fs::symlink_status(so_far, error))) return true;
    }
    return false;
}

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

RootedIncluder::RootedIncluder(const std::vector<fs::path>& roots, std::vector<std::string>& read)
    : read_(read) {
    for (const fs::path& root : roots) {
        std::error_code error;
        fs::path real = fs::canonical(root, error);
        // All files are inside of "/": that would allow everything.
        if (!error && real.has_relative_path()) roots_.push_back(std::move(real));
    }
}

bool RootedIncluder::is_inside_a_root(const fs::path& path) const {
    return std::any_of(roots_.begin(), roots_.end(),
                       [&](const fs::path& root) { return is_inside(path, root); });
}

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

    bool leads_outside = false;
    for (const fs::path& candidate : candidates(wanted, includer)) {
        // Outside by its words alone: it is not even looked at.
        if (!is_inside_a_root(candidate.lexically_normal())) {
            leads_outside = true;
            continue;
        }
        std::error_code error;
        const fs::path file = fs::canonical(candidate, error);
        if (error) {
            // A link may lead outside, to where nothing is.
            leads_outside |= goes_over_a_link(candidate);
            continue;
        }
        if (!is_inside_a_root(file)) {
            leads_outside = true;
            continue;
        }
        if (fs::is_regular_file(file, error)) return contents_of(file);
    }
    return failure(leads_outside ? kOutside
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
    const auto known = files_.find(name);
    // Two roots may each have a file of that name.
    if (known != files_.end() && known->second != file) name = file.generic_string();
    files_[name] = file;
    return name;
}

IncludeResult* RootedIncluder::contents_of(const fs::path& file) {
    try {
        std::string content = read_file(file, kMaxIncludeBytes);
        if (std::find(read_.begin(), read_.end(), file.string()) == read_.end())
            read_.push_back(file.string());
        return make_result(name_of(file), std::move(content));
    } catch (const FileError& error) {
        return failure(error.what());
    }
}

}  // namespace gridstride::shader
