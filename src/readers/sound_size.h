// Compares the number of sound bytes that a file's header declares with those in the file. libsndfile reads a
// truncated file without an error, so a lesson would get half of the sound.
#pragma once

#include <cstdint>
#include <optional>

#include "base/input_file.h"

namespace gridstride {

struct SoundSize {
    /// The declared size. nullopt if the header was written before the length was known, such as to a pipe.
    std::optional<std::uint64_t> bytes;
    std::uint64_t present = 0;  ///< bytes in the file
    std::uint64_t before = 0;   ///< how many of these are before the first sample
};

/// Reads the sizes in a WAV (RIFF, RIFX, RF64, Wave64), AIFF, CAF or AU. Returns nullopt for other
/// containers, which state their number of samples, and for files without sound.
std::optional<SoundSize> read_sound_size(ByteSource& file);

}  // namespace gridstride
