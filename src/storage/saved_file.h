// Files of JSON in which the program keeps something from one start to the next: settings, stored launches,
// ceilings, sessions.
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

/// One kind of these files.
struct SavedFormat {
    std::string_view what;         ///< "The settings"
    int version;                   ///< as "schema_version"; a file without that member is of version 1
    std::string_view consequence;  ///< of a damaged file: "; the defaults are used"
    std::uintmax_t max_bytes = max_json_bytes;
};

/// A newer version of the program wrote the file. It must not be written to.
struct NewerVersion : FileError {
    NewerVersion(const std::filesystem::path& file, int version, int known_version);
};

/// Throws NewerVersion; FileError where the version is none.
void require_known_version(const nlohmann::ordered_json& json, const SavedFormat& format,
                           const std::filesystem::path& file);

/// Before an explicit write: throws NewerVersion where there is JSON of this kind (an object with `member`)
/// of a newer version. Anything else may be replaced.
void require_not_newer(const std::filesystem::path& file, const SavedFormat& format, std::string_view member);

/// Hands over the file's JSON. False: there is no file, or it was damaged (no JSON, over a limit, or parse()
/// threw) and is set aside as <file>.damaged; the user is told. Throws NewerVersion, and CannotRead where
/// what is there may be whole or could not be set aside: then it must not be written to.
///
/// `held`: the lock beside the file, where the caller has it.
bool read_saved(const std::filesystem::path& file, const SavedFormat& format,
                const std::function<void(const nlohmann::ordered_json&)>& parse,
                const Descriptor* held = nullptr);

}  // namespace gridstride
