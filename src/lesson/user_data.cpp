#include "lesson/user_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/npy.h"

namespace gridstride {

UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    if (std::find(lesson.input_files.begin(), lesson.input_files.end(), ending) == lesson.input_files.end()) {
        std::string taken;
        for (const std::string& one : lesson.input_files)
            taken += (taken.empty() ? "" : ", ") + one;
        throw Refusal(lesson.input_files.empty()
                          ? fmt::format("{} takes no input of your own.", lesson.id)
                          : fmt::format("{} cannot use {}. It takes files that end in {}.", lesson.id,
                                        path.string(), taken));
    }
    return {std::make_shared<Array>(read_numbers(path)), 0, path.filename().string()};
}

}  // namespace gridstride
