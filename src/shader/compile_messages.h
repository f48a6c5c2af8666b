// What travels between compile_apart() and serve_compile(): see base/wire.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/wire.h"
#include "shader/compile_apart.h"

namespace gridstride::shader {

/// A job with the limits that its process sets itself.
struct CompileOrder {
    CompileJob job;
    std::uint32_t cpu_seconds = 0;
    std::uint64_t memory_bytes = 0;
};

/// Diagnostics as they travel: members of equal index belong together.
struct ToldDiagnostics {
    std::vector<std::uint32_t> levels, lines;
    std::vector<std::string> files, texts;
};

template <class Wire>
void carry(Wire& wire, CompileOrder& order) {
    CompileJob& job = order.job;
    wire(job.source, job.name, job.defines, job.include_roots, job.clamp_indices, order.cpu_seconds,
         order.memory_bytes);
}

template <class Wire>
void carry(Wire& wire, ToldDiagnostics& told) {
    wire(told.levels, told.lines, told.files, told.texts);
}

template <class Wire>
void carry(Wire& wire, CompileResult& result) {
    ToldDiagnostics told;
    if constexpr (Wire::writes) {
        for (const Diagnostic& d : result.diagnostics) {
            told.levels.push_back(static_cast<std::uint32_t>(d.level));
            told.lines.push_back(d.line);
            told.files.push_back(d.file);
            told.texts.push_back(d.text);
        }
    }
    wire(result.spirv, told, result.includes, result.out_of_memory);
    if constexpr (!Wire::writes) {
        const std::size_t count = told.levels.size();
        if (told.lines.size() != count || told.files.size() != count || told.texts.size() != count)
            throw wire::Malformed("diagnostics of different lengths");
        result.diagnostics.clear();
        for (std::size_t i = 0; i < count; ++i) {
            const auto level = told.levels[i] == 0 ? DiagnosticLevel::warning : DiagnosticLevel::error;
            result.diagnostics.push_back({level, told.files[i], told.lines[i], told.texts[i]});
        }
    }
}

}  // namespace gridstride::shader
