// The lessons that ship as folders of text.
#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "text_lesson/text_lesson.h"

namespace gridstride::lessons {

/// Appends the lessons in data_directory(). One that cannot be read is left out, so that the others are still
/// there.
void add_texts(std::vector<std::shared_ptr<const Lesson>>& all) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(data_directory() / "lessons", error), end;
         !error && entry != end; entry.increment(error))
        try {
            if (std::filesystem::exists(entry->path() / "lesson.toml"))
                all.push_back(text_lesson::load_lesson(entry->path()));
        } catch (const std::exception& fault) {
            spdlog::error("The lesson in {} is left out: {}", quote_path(entry->path()), fault.what());
        }
}

}  // namespace gridstride::lessons
