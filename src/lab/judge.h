// Judges every output of every run against its reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "launch/plan.h"
#include "lesson/experiment.h"
#include "lesson/report.h"

namespace gridstride::lab {

struct OutputComparison {
    bool is_right = false;
    /// Infinite if an output is missing, or a value is NaN or infinite where the reference is not.
    double max_abs_error = 0;
    double max_rel_error = 0;      ///< the same
    double max_scaled_error = 0;   ///< the same, in units of Expected::scale
    double allowed_abs_error = 0;  ///< as in Comparison
    double allowed_rel_error = 0;
    OutputVerdict output;
    std::optional<Mismatch> first_mismatch;  ///< output.first()
};

/// Judges one output. A NaN passes only where Expected::nan_allowed permits it, an infinity only if the
/// reference is the same infinity, or exceeds the largest f32 together with its tolerance. All other elements
/// are compared with expected.tolerance; for a matrix judged by rows, the products of all rows and the
/// elements of some. A missing output or one of another length is a mismatch. Without a reference everything
/// passes.
OutputComparison judge(const Expected& expected, const Outputs& outputs);

/// Returns the index of the first element that still holds the fill word; nullopt if there is none.
std::optional<std::size_t> find_unwritten(const Array& array);

/// Sets the errors, outputs and first mismatch of a comparison from one run of the plan.
void set_outputs(Comparison& compare, std::span<const OutputComparison> comparisons, const Plan& plan);

/// The word that outputs are filled with before a run. As f32 it is a signalling NaN, which no operation
/// returns (a NaN that a kernel computes is quiet); its halves and bytes are uncommon i16 and i8 values.
inline constexpr std::uint32_t poison_word = 0x7FA5DEADu;
inline constexpr std::uint32_t guard_word = 0xA5C3E1F7u;
/// Size of the guard on either side.
inline constexpr std::uint64_t guard_bytes = 256;

/// Returns true if a guard region still holds its pattern. It must begin at a multiple of four bytes.
bool is_guard_intact(std::span<const std::byte> region);

}  // namespace gridstride::lab
