// GLSL that the app puts behind a kernel's own source.
#pragma once

#include <string>
#include <string_view>

namespace gridstride::shader {

/// The text, to be compiled behind a kernel. `$` in it stands for gridstride_, which people's own names will
/// hardly begin with. They may have macros of any other name, so the words of the language that such texts
/// use are made words again. file: what the compiler calls the text in a message. extensions: #extension
/// lines, besides subgroup basics.
std::string appended_code(std::string_view file, std::string_view extensions, std::string_view text);

}  // namespace gridstride::shader
