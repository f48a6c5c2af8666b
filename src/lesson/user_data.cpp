#include "lesson/user_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>

#include "base/array.h"
#include "base/error.h"
#include "base/image_file.h"
#include "base/npy.h"
#include "base/shared_memory.h"
#include "base/text.h"
#include "base/wav.h"

namespace gridstride {
namespace {

Numbers read_numbers_within_memory(const std::filesystem::path& path, FileProgress* progress) {
    try {
        return read_numbers(path, progress);
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

UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson, FileProgress* progress) {
    const std::string ending = in_lower_case(path.extension().string());
    if (std::find(lesson.input_files.begin(), lesson.input_files.end(), ending) == lesson.input_files.end())
        throw Refusal(lesson.input_files.empty()
                          ? fmt::format("{} takes no input of your own.", lesson.id)
                          : fmt::format("{} cannot use {}. It takes files that end in {}.", lesson.id,
                                        quoted_path(path), joined(lesson.input_files, ", ")));
    Numbers numbers;
    if (ending == ".wav") {
        numbers.array = read_wav(path, progress);
    } else if (ending == ".png") {
        GreyImage image = read_grey_png(path, progress);
        numbers = {std::move(image.levels), image.width};
    } else {
        numbers = read_numbers_within_memory(path, progress);
    }
    std::string checksum = fmt::format("{:08x}", checksum_of_numbers(numbers.array, progress));
    return {std::make_shared<Array>(std::move(numbers.array)), numbers.width,
            printable(path.filename().native()), std::move(checksum)};
}

}  // namespace gridstride
