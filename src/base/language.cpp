#include "base/language.h"

#include <libintl.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace gridstride {

namespace {

constexpr const char* catalogue = "gridstride";
bool translates = false;

}  // namespace

std::string text_language() {
    const char* const code = std::getenv("GRIDSTRIDE_LANG");
    return code != nullptr && *code != '\0' ? code : "en";
}

void set_text_language(const std::string& code) {
    ::setenv("GRIDSTRIDE_LANG", code.c_str(), 1);
    translates = code != "en";
    if (!translates) return;
    // gettext ignores LANGUAGE in the locale "C". "C.UTF-8" is built into glibc, so no locale need be
    // installed.
    ::setenv("LANGUAGE", code.c_str(), 1);
    std::setlocale(LC_MESSAGES, "C.UTF-8");
    // share/locale beside the bin/ of the running executable. base/file.h includes this room's units, which
    // include this file, so data_directory() cannot be used.
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    ::bindtextdomain(catalogue, (program.parent_path() / ".." / "share" / "locale").c_str());
    ::bind_textdomain_codeset(catalogue, "UTF-8");
}

const char* tr(const char* english) {
    // The translation of "" is the head of the catalogue.
    return translates && *english != '\0' ? ::dgettext(catalogue, english) : english;
}

const char* tr_plural(const char* one, const char* many, std::uint64_t count) {
    if (!translates) return count == 1 ? one : many;
    return ::dngettext(catalogue, one, many, count);
}

std::string format_translated(const char* translated, const char* english, fmt::format_args arguments) {
    try {
        return fmt::vformat(translated, arguments);
    } catch (const fmt::format_error&) {
        return fmt::vformat(english, arguments);
    }
}

}  // namespace gridstride
