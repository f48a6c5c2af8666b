#include "base/error.h"

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

Refusal::Refusal(std::vector<std::string> all)
    : std::runtime_error(sentences(all)), reasons(std::move(all)) {}

}  // namespace gridstride
