// Sound files, read through libsndfile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/input_file.h"
#include "readers/file_choice.h"

namespace gridstride {

/// One channel of a sound file, one element a frame. WAV in its kinds, and AIFF, AU, CAF and FLAC, whatever
/// the file's name. As i16: of 16 bits as they stand, others scaled to that range and rounded to the nearest
/// (integers of 8, 24 or 32 bits, decoded A-law, µ-law and ADPCM; floats from -1 to 1, of which 1 becomes
/// 32767). With choice.wav_counts as they are stored: f64, integers in counts, floats in their own unit.
///
/// Throws NeedsChoice for several channels without choice.channel, and for floats beyond ±1; FileError: not a
/// sound file, damaged, cut off inside its sound, no frames, no such channel, more than 2^28, NaN or
/// infinity.
Numbers read_wav(ByteSource& bytes, const std::string& file_name, const FileChoice& choice = {});
Numbers parse_wav(std::string_view bytes, const std::string& file_name, const FileChoice& choice = {});

/// The same of a file of at most 1 GiB. Throws Cancelled too.
Numbers read_wav(const std::filesystem::path& path, const FileChoice& choice = {},
                 FileProgress* progress = nullptr);

}  // namespace gridstride
