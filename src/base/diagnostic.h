// What a compiler says about a source, as a value.
#pragma once

#include <cstdint>
#include <string>

namespace gridstride {

enum class DiagnosticLevel { warning, error };
constexpr DiagnosticLevel last_of(DiagnosticLevel) {
    return DiagnosticLevel::error;
}

struct Diagnostic {
    DiagnosticLevel level = DiagnosticLevel::error;
    std::string file;        ///< the file it stands in: the source's name or an include's
    std::uint32_t line = 0;  ///< from 1; 0 when the compiler names none
    std::string text;        ///< the compiler's own words
    bool operator==(const Diagnostic&) const = default;
};

}  // namespace gridstride
