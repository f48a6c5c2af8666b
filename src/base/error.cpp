#include "base/error.h"

#include <fmt/format.h>

#include "base/quote.h"

namespace gridstride {
namespace {

std::string sentences(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& reason : all) {
        if (!text.empty()) text += ' ';
        text += reason;
    }
    return text;
}

}  // namespace

void refuse_file(const std::string& file_name, const std::string& what) {
    throw FileError(fmt::format("{}: {}.", quoted_path(file_name), what));
}

Refusal::Refusal(std::vector<std::string> all)
    : std::runtime_error(sentences(all)), reasons(std::move(all)) {}

}  // namespace gridstride
