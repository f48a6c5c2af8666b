// How many bytes of sound a file's header announces, and how many are there. libsndfile plays what is there
// and says nothing; a lesson would then measure half of a recording.
#pragma once

#include <cstdint>
#include <optional>

#include "base/input_file.h"

namespace gridstride {

struct AnnouncedSound {
    /// nullopt: the header was written before the length was known, into a pipe or by a recorder that was
    /// stopped.
    std::optional<std::uint64_t> bytes;
    std::uint64_t present = 0;
    std::uint64_t before = 0;  ///< of these bytes, those before the first sample
};

/// Of WAV (RIFF, RIFX, RF64, Wave64), AIFF, CAF and AU. nullopt: another container, which says how many
/// samples it holds, or none with sound in it.
std::optional<AnnouncedSound> announced_sound(ByteSource& file);

}  // namespace gridstride
