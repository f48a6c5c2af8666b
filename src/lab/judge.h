// The one judge of every output of every run.
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

struct Judgement {
    bool right = false;
    double max_abs_error =
        0;  ///< infinite where a number is missing, or is NaN or infinite against the reference
    double max_rel_error = 0;      ///< the same
    double max_scaled_error = 0;   ///< the same, in units of Expected::scale
    double allowed_abs_error = 0;  ///< as in Comparison
    double allowed_rel_error = 0;
    OutputVerdict output;
    std::optional<Mismatch> first_mismatch;  ///< output.first()
};

/// NaN and infinity first: a NaN passes only where Expected::nan_allowed says so, an infinity only where the
/// reference is the same infinity, or is with its tolerance beyond the largest f32.
/// Then every element against expected.tolerance; of a matrix that is judged by rows, the products of all
/// rows and the elements of some. A missing output or another length is a mismatch too. Where nobody knows
/// what is right, nothing is wrong.
Judgement judge(const Expected& expected, const Outputs& outputs);

/// Sets errors, outputs and first mismatch of a comparison to those of one run of the plan.
void set_outputs(Comparison& compare, std::span<const Judgement> judgements, const Plan& plan);

/// The word that outputs are filled with before a run: as f32 a signalling NaN, which no operation returns (a
/// NaN that a kernel computes is quiet); its halves and bytes are no usual i16 or i8 either.
inline constexpr std::uint32_t poison_word = 0x7FA5DEADu;
/// The word that guard regions around outputs hold.
inline constexpr std::uint32_t guard_word = 0xA5C3E1F7u;
/// Bytes of guard on either side.
inline constexpr std::uint64_t guard_bytes = 256;

/// Whether a guard region still holds its pattern. It begins at a multiple of four bytes.
bool guard_intact(std::span<const std::byte> region);

}  // namespace gridstride::lab
