// JSON files that persist between sessions: settings, stored launches, ceilings, sessions.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/input_file.h"
#include "storage/json.h"

namespace gridstride {

/// A kind of saved file.
struct SavedFormat {
    std::string_view subject;      ///< "The settings"
    int version;                   ///< the current "schema_version"; a file without that member has version 1
    std::string_view consequence;  ///< of a damaged file: "; the defaults are used"
    std::uintmax_t max_bytes = max_json_bytes;
};

/// The file was written by a newer version of the program and must not be overwritten.
struct NewerVersion : FileError {
    NewerVersion(const std::filesystem::path& file, int version, int known_version);
};

/// Throws NewerVersion, or FileError if the version is invalid.
void require_known_version(const nlohmann::ordered_json& json, const SavedFormat& format,
                           const std::filesystem::path& file);

/// Call before an explicit write. Throws NewerVersion if the file has JSON of this kind (an object with
/// `member`) of a newer version. Anything else may be replaced.
void require_not_newer(const std::filesystem::path& file, const SavedFormat& format, std::string_view member);

/// Calls parse() with the file's JSON and returns true. Returns false if there is no file, or if it was
/// damaged (not JSON, over a limit, or parse() threw); a damaged file is renamed to <file>.damaged and the
/// user is notified. Throws NewerVersion, or ReadError if the file may be intact or could not be renamed; in
/// both cases it must not be overwritten.
///
/// Pass `held_lock` if the caller already holds the lock beside the file.
bool read_saved_file(const std::filesystem::path& file, const SavedFormat& format,
                     const std::function<void(const nlohmann::ordered_json&)>& parse,
                     const Descriptor* held_lock = nullptr);

}  // namespace gridstride
