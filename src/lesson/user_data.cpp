#include "lesson/user_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <system_error>

#include "base/array.h"
#include "base/error.h"
#include "base/image_file.h"
#include "base/npy.h"
#include "base/shared_memory.h"
#include "base/text.h"
#include "base/units.h"
#include "base/wav.h"

namespace gridstride {
namespace {

/// A hundred million numbers as text. What is larger is no table that somebody made, and reading it costs a
/// multiple of its size.
constexpr std::uintmax_t most_text_bytes = std::uintmax_t{1} << 30;

Array read_numbers_within_reason(const std::filesystem::path& path, bool text) {
    std::error_code unknown;  // read_numbers() says what is wrong with a file that has no size
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (text && !unknown && size > most_text_bytes) {
        throw FileError(fmt::format(
            "Cannot read {}: it holds {}, and {} of text is the most that is read. Save the numbers as .npy.",
            quoted_path(path), format_bytes(static_cast<double>(size)).text(),
            format_bytes(static_cast<double>(most_text_bytes)).text()));
    }
    try {
        return read_numbers(path);
    } catch (const NoSharedMemory& none) {
        throw FileError(fmt::format("Cannot read {}: {}", quoted_path(path), none.what()));
    } catch (const std::bad_alloc&) {
        throw FileError(
            fmt::format("Cannot read {}: its numbers do not fit into the memory that is free. Choose a "
                        "smaller file.",
                        quoted_path(path)));
    }
}

}  // namespace

UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson) {
    const std::string ending = in_lower_case(path.extension().string());
    if (std::find(lesson.input_files.begin(), lesson.input_files.end(), ending) == lesson.input_files.end())
        throw Refusal(lesson.input_files.empty()
                          ? fmt::format("{} takes no input of your own.", lesson.id)
                          : fmt::format("{} cannot use {}. It takes files that end in {}.", lesson.id,
                                        quoted_path(path), joined(lesson.input_files, ", ")));
    // A pipe would be waited for without end, and some devices give bytes without end.
    std::error_code none;
    const std::filesystem::file_status status = std::filesystem::status(path, none);
    if (std::filesystem::is_other(status))
        throw FileError(fmt::format(
            "Cannot read {}: it is a pipe or a device. Write its numbers into a file, and choose that.",
            quoted_path(path)));
    std::uint32_t width = 0;
    Array numbers;
    if (ending == ".wav") {
        numbers = read_wav(path);
    } else if (ending == ".png") {
        GreyImage image = read_grey_png(path);
        numbers = std::move(image.levels);
        width = image.width;
    } else {
        numbers = read_numbers_within_reason(path, ending != ".npy");
    }
    std::string checksum = fmt::format("{:08x}", checksum_of_numbers(numbers));
    return {std::make_shared<Array>(std::move(numbers)), width, printable(path.filename().native()),
            std::move(checksum)};
}

}  // namespace gridstride
