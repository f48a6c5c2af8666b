#include "readers/file_choice.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace gridstride {

NeedsChoice::NeedsChoice(const std::string& file_name, FileQuestion asked)
    : FileError(fmt::format("{}: {} {}", quoted_path(file_name), asked.text, asked.flags)),
      question(std::move(asked)) {}

}  // namespace gridstride
