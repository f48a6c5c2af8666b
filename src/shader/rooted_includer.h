// Finds the files that a shader includes, and nothing outside the folders that it may read.
#pragma once

#include <glslang/Public/ShaderLang.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace gridstride::shader {

/// A file's name as glslang can handle it: it writes names between quotes into #line directives, where no
/// character can be escaped, and between colons into its messages.
std::string name_for_glslang(std::string name);

/// Finds #include "x" and #include <x> alike: beside the including file, then below each root in turn. People
/// edit shaders that other people wrote, so nothing outside the roots may be read, whatever ".." or links a
/// path holds, and no message may tell whether a file is there.
class RootedIncluder : public glslang::TShader::Includer {
 public:
    /// read: every file that was included is added to it, absolute.
    RootedIncluder(const std::vector<std::filesystem::path>& roots, std::vector<std::string>& read);

    // glslang asks includeLocal first and, as that finds nothing, here for both forms.
    IncludeResult* includeSystem(const char* header, const char* includer, std::size_t depth) override;
    void releaseInclude(IncludeResult* result) override;

 private:
    std::vector<std::filesystem::path> candidates(const std::filesystem::path& wanted,
                                                  const std::string& includer) const;
    std::string name_of(const std::filesystem::path& file);
    IncludeResult* contents_of(const std::filesystem::path& file);

    std::vector<std::filesystem::path> roots_;  ///< canonical; those that are not there are left out
    std::map<std::string, std::filesystem::path>
        files_;  ///< what was included, by the name that glslang knows
    std::vector<std::string>& read_;
};

}  // namespace gridstride::shader
