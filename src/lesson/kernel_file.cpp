#include "lesson/kernel_file.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace gridstride {

std::string normalize_kernel_text(std::string_view text) {
    return normalize_line_ends(remove_byte_order_mark(text));
}

KernelSource make_kernel_source(const std::filesystem::path& file, std::string text) {
    const std::filesystem::path whole = std::filesystem::absolute(file).lexically_normal();
    return {std::move(text), printable(whole.filename().native()), whole.parent_path().string()};
}

KernelSource read_kernel(const std::filesystem::path& file, FileProgress* progress) {
    constexpr std::uintmax_t max_bytes = std::uintmax_t{4} << 20;
    const std::string text = read_file(file, max_bytes, progress);
    if (text.find('\0') != std::string::npos)
        throw FileError(fmt::format(
            "Cannot use {}: it contains zero bytes, so it is not a text file. Choose a text file.",
            quote_path(file)));
    return make_kernel_source(file, normalize_kernel_text(text));
}

std::filesystem::path kernel_path(const std::string& file) {
    const std::filesystem::path shader = data_directory() / "shaders" / file,
                                lesson_path = data_directory() / "lessons" / file;
    std::error_code error;
    return !std::filesystem::exists(shader, error) && std::filesystem::exists(lesson_path, error)
               ? lesson_path
               : shader;
}

KernelSource read_shipped_kernel(const std::string& file) {
    return read_kernel(kernel_path(file));
}

}  // namespace gridstride
