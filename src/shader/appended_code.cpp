#include "shader/appended_code.h"

#include "base/text.h"

namespace gridstride::shader {

namespace {

constexpr std::string_view glsl_keywords =
    "const in void bool uint uvec2 uvec4 float struct layout set binding std430 coherent "
    "buffer if else atomicAdd min mix true subgroupElect subgroupBallot "
    "subgroupBallotBitCount subgroupBallotExclusiveBitCount subgroupBroadcastFirst "
    "clockRealtime2x32EXT x atomicMax y z length yzw zw";

}  // namespace

std::string make_appended_code(std::string_view file, std::string_view extensions, std::string_view text) {
    // The kernel's last line may end in a backslash, which would continue on the first line here.
    std::string source =
        "\n\n#extension GL_GOOGLE_cpp_style_line_directive : enable\n"
        "#extension GL_KHR_shader_subgroup_basic : enable\n";
    source.append(extensions).append("#line 1 \"").append(file).append("\"\n");
    for (const std::string_view word : split(glsl_keywords, ' '))
        source.append("#undef ").append(word).append("\n");
    for (const char c : text) {
        if (c == '$')
            source += "gridstride_";
        else
            source += c;
    }
    return source;
}

}  // namespace gridstride::shader
