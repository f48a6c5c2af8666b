// Reads sound files with libsndfile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/input_file.h"
#include "readers/file_choice.h"

namespace gridstride {

/// Reads one channel of a sound file, one element per frame: all kinds of WAV, and AIFF, AU, CAF and FLAC,
/// whatever the file's name. The elements are i16. Samples of 16 bits are not changed; others are scaled to
/// that range and rounded to the nearest (integers of 8, 24 or 32 bits, decoded A-law, µ-law and ADPCM;
/// floats from -1 to 1, where 1 becomes 32767). With choice.wav_counts the elements are f64 as stored:
/// integers in counts, floats in their own unit.
///
/// Throws NeedsChoice for several channels without choice.channel, and for floats beyond ±1. Throws FileError
/// if the file is not a sound file, is damaged or truncated, has no frames, more than 2^28 frames, NaN or
/// infinity, or does not have the channel.
Numbers read_wav(ByteSource& bytes, const std::string& file_name, const FileChoice& choice = {});
Numbers parse_wav(std::string_view bytes, const std::string& file_name, const FileChoice& choice = {});

/// Reads a file of at most 1 GiB. Also throws Cancelled.
Numbers read_wav(const std::filesystem::path& path, const FileChoice& choice = {},
                 FileProgress* progress = nullptr);

}  // namespace gridstride
