#include "base/error.h"

#include <fmt/format.h>

#include "base/text.h"

namespace gridstride {

void throw_file_error(const std::string& file_name, const std::string& what) {
    throw FileError(fmt::format("{}: {}.", quote_path(file_name), what));
}

Refusal::Refusal(std::vector<std::string> all)
    : std::runtime_error(join(all, " ")), reasons(std::move(all)) {}

}  // namespace gridstride
