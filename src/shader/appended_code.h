// GLSL that the app appends to a kernel's source.
#pragma once

#include <string>
#include <string_view>

namespace gridstride::shader {

/// Returns the text, ready to be appended to a kernel. `$` in it is replaced by gridstride_, a prefix that
/// users' names are unlikely to have. A kernel may define macros of any other name, so an #undef is added for
/// each GLSL word that these texts use. file: the text's file name in compiler messages. extensions:
/// #extension lines in addition to subgroup basics.
std::string make_appended_code(std::string_view file, std::string_view extensions, std::string_view text);

}  // namespace gridstride::shader
