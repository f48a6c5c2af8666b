// Pictures as lessons take them: grey levels, read through libpng.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/input_file.h"

namespace gridstride {

struct GreyImage {
    Array levels;  ///< u8, width x height, the first row at the top; 0 is black
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::vector<std::string> remarks = {};  ///< sentences: what became of bits, colours and transparency
};

/// Any PNG as 8-bit grey: palettes are looked up, 1, 2 and 4 bits stretched to 8, 16 bits rounded to 8,
/// interlaced ones put together. Colours become luma after ITU-R BT.709 in integers,
/// (54 R + 183 G + 19 B + 128) / 256, which leaves grey as it is. Transparent pixels are blended over white:
/// (level * alpha + 255 * (255 - alpha) + 127) / 255. Levels are taken as they stand in the file; gamma and
/// colour profiles are not applied.
/// Throws FileError: not a PNG, damaged or cut off, more than 2^28 pixels (known from its first bytes, before
/// anything is allocated).
GreyImage read_grey_png(ByteSource& file, const std::string& file_name);
GreyImage parse_grey_png(std::string_view bytes, const std::string& file_name);

/// The same of a file of at most 1 GiB. Throws FileError, Cancelled.
GreyImage read_grey_png(const std::filesystem::path& path, FileProgress* progress = nullptr);

}  // namespace gridstride
