#include "story/blocks.h"

#include <fmt/format.h>

#include "base/text.h"

namespace gridstride {

StoryError::StoryError(std::vector<std::string> all)
    : std::runtime_error(join(all, "\n")), errors(std::move(all)) {}

std::string format_story_error(const std::string& file, std::size_t line, const std::string& step,
                               std::string_view what) {
    return step.empty() ? fmt::format("{}:{}: {}", file, line, what)
                        : fmt::format("{}:{}: step \"{}\": {}", file, line, step, what);
}

}  // namespace gridstride
