#include "readers/file_choice.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"

namespace gridstride {

NeedsChoice::NeedsChoice(const std::string& file_name, FileQuestion file_question)
    : FileError(fmt::format("{}: {} {}", quote_path(file_name), file_question.text, file_question.flags)),
      question(std::move(file_question)) {}

}  // namespace gridstride
