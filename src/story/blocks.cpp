#include "story/blocks.h"

#include <fmt/format.h>

namespace gridstride {

std::string mistake_in_story(const std::string& file, std::size_t line, const std::string& step,
                             std::string_view what) {
    return step.empty() ? fmt::format("{}:{}: {}", file, line, what)
                        : fmt::format("{}:{}: step \"{}\": {}", file, line, step, what);
}

}  // namespace gridstride
