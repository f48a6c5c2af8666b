// The one judge of every output of every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "lesson/experiment.h"
#include "lesson/report.h"

namespace gridstride::lab {

struct Judgement {
    bool right = false;
    double max_abs_error =
        0;  ///< infinite where a number is missing, or is NaN or infinite against the reference
    double max_rel_error = 0;     ///< the same
    double max_scaled_error = 0;  ///< the same, in units of Expected::scale
    std::optional<Mismatch> first_mismatch;
};

/// NaN and infinity first: a NaN never passes, an infinity only where the reference is the same infinity.
/// Then every element against expected.tolerance; of a matrix that is judged by rows, the products of all
/// rows and the elements of some. A missing output or another length is a mismatch too. Where nobody knows
/// what is right, nothing is wrong.
Judgement judge(const Expected& expected, const Outputs& outputs);

/// The word that outputs are poisoned with before a run: a quiet NaN as f32, 4 290 829 997 as u32.
inline constexpr std::uint32_t poison_word = 0xFFC0DEADu;
/// The word that guard regions around outputs hold.
inline constexpr std::uint32_t guard_word = 0xA5C3E1F7u;
/// Bytes of guard on either side.
inline constexpr std::uint64_t guard_bytes = 256;

/// Whether a guard region still holds its pattern. It begins at a multiple of four bytes.
bool guard_intact(std::span<const std::byte> region);

}  // namespace gridstride::lab
