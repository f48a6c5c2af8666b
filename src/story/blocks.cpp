#include "story/blocks.h"

#include <fmt/format.h>

namespace gridstride {

std::string format_story_error(const std::string& file, std::size_t line, const std::string& step,
                               std::string_view what) {
    return step.empty() ? fmt::format("{}:{}: {}", file, line, what)
                        : fmt::format("{}:{}: step \"{}\": {}", file, line, step, what);
}

}  // namespace gridstride
