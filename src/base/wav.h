// Sound files, read through libsndfile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/input_file.h"

namespace gridstride {

/// The first channel of a sound file as i16, one element a frame. WAV in its kinds, and
/// AIFF, AU, CAF and FLAC, whatever the file's name. Of PCM with more than 16 bits the upper 16 are kept, 8
/// bits become the upper ones; samples stored as floats (and lossy formats, which decode to them) are
/// multiplied by 32768, rounded to the nearest and held to -32768 … 32767, NaN as 0. Throws FileError: not a
/// sound file, damaged, cut off inside its sound, no frames, more than 2^28.
Array read_wav(ByteSource& bytes, const std::string& file_name);
Array parse_wav(std::string_view bytes, const std::string& file_name);

/// The same of a file of at most 1 GiB. Throws FileError, Cancelled.
Array read_wav(const std::filesystem::path& path, FileProgress* progress = nullptr);

}  // namespace gridstride
