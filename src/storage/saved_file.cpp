#include "storage/saved_file.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>

#include "base/shared_file.h"
#include "base/text.h"
#include "base/units.h"
#include "storage/json_error_text.h"
#include "storage/notices.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;
using SavedJson = nlohmann::ordered_json;

/// Writers hold the lock for a few milliseconds.
constexpr std::chrono::milliseconds lock_timeout{200};

/// Returns the version of a JSON object, or 0 if it is invalid.
int get_version(const SavedJson& json) {
    const auto found = json.find("schema_version");
    if (found == json.end()) return 1;
    // A number that does not fit an int is either newer than anything or invalid.
    if (!found->is_number_integer()) return 0;
    if (found->is_number_unsigned() && found->get<std::uint64_t>() > std::uint64_t{1'000'000})
        return 1'000'000;
    return found->get<std::int64_t>() < 0 ? 0 : found->get<int>();
}

/// Returns the reason why the file is damaged; empty if it is intact or missing. Throws NewerVersion,
/// ReadError.
std::string find_damage(const fs::path& file, const SavedFormat& format,
                        const std::function<void(const SavedJson&)>& parse, bool& found) {
    std::error_code ignored;
    found = fs::exists(file, ignored);
    if (!found) return {};
    if (fs::is_regular_file(file, ignored))
        if (const std::uintmax_t bytes = fs::file_size(file, ignored); !ignored && bytes > format.max_bytes)
            return fmt::format("it has {}, and the limit is {}", format_bytes_beside(bytes, format.max_bytes),
                               format_bytes_beside(format.max_bytes, bytes));
    try {
        const SavedJson json = read_json(file, format.max_bytes);
        require_known_version(json, format, file);
        parse(json);
    } catch (const ReadError&) {
        throw;
    } catch (const NewerVersion&) {
        throw;
    } catch (const std::exception& error) {
        return json_error_text(error);
    }
    return {};
}

}  // namespace

NewerVersion::NewerVersion(const fs::path& file, int version, int known_version)
    : FileError(fmt::format(
          "A newer version of Gridstride wrote {}: the file has version {}, and this program reads version "
          "{}. The file was not changed. Use the newer program, or move the file away.",
          quote_path(file), version, known_version)) {}

void require_known_version(const SavedJson& json, const SavedFormat& format, const fs::path& file) {
    if (!json.is_object()) throw FileError("it holds no JSON object");
    const int version = get_version(json);
    if (version > format.version) throw NewerVersion(file, version, format.version);
    if (version < 1) throw FileError("its schema_version is not a version number");
}

void require_not_newer(const fs::path& file, const SavedFormat& format, std::string_view member) {
    try {
        const SavedJson json = read_json(file, format.max_bytes);
        if (json.is_object() && json.contains(std::string(member))) require_known_version(json, format, file);
    } catch (const NewerVersion&) {
        throw;
    } catch (const FileError&) {
        // It is not a file of this kind.
    }
}

bool read_saved_file(const fs::path& file, const SavedFormat& format,
                     const std::function<void(const SavedJson&)>& parse, const Descriptor* held_lock) {
    bool found = false;
    std::string reason = find_damage(file, format, parse, found);
    if (reason.empty()) return found;
    std::optional<Descriptor> locked;
    if (!held_lock) {
        locked = lock_file(file, lock_timeout);
        if (!locked)
            throw ReadError(file, fmt::format("it is damaged ({}), and another process has locked it. Wait "
                                              "for that process, or end it.",
                                              reason));
        // Another process may have replaced it meanwhile.
        reason = find_damage(file, format, parse, found);
        if (reason.empty()) return found;
    }
    const std::optional<fs::path> renamed = rename_damaged(file);
    if (!renamed)
        throw ReadError(file, fmt::format("it is damaged ({}) and cannot be renamed to {}. Move it away.",
                                          reason, quote_path(file.string() + ".damaged")));
    notify_user(fmt::format("{} in {} cannot be read ({}). The file was renamed to {}{}.", format.subject,
                            printable(file.native()), reason, printable(renamed->native()),
                            format.consequence));
    return false;
}

}  // namespace gridstride
