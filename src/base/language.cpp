#include "base/language.h"

#include <cstdlib>

namespace gridstride {

std::string text_language() {
    const char* const code = std::getenv("GRIDSTRIDE_LANG");
    return code != nullptr && *code != '\0' ? code : "en";
}

void set_text_language(const std::string& code) {
    ::setenv("GRIDSTRIDE_LANG", code.c_str(), 1);
}

}  // namespace gridstride
