#include "base/error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace gridstride {

void refuse_file(const std::string& file_name, const std::string& what) {
    throw FileError(fmt::format("{}: {}.", quoted_path(file_name), what));
}

Refusal::Refusal(std::vector<std::string> all)
    : std::runtime_error(joined(all, " ")), reasons(std::move(all)) {}

}  // namespace gridstride
