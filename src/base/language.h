// The language of stories, titles and labels.
#pragma once

#include <string>

namespace gridstride {

/// Returns the code of the language, such as "fr": that of the environment variable GRIDSTRIDE_LANG, else
/// "en". The lab inherits it from the window.
std::string text_language();
/// Sets GRIDSTRIDE_LANG. Call it before there are other threads.
void set_text_language(const std::string& code);

}  // namespace gridstride
