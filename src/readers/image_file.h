// Reads PNG pictures as grey levels, with libpng.
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
    std::vector<std::string> remarks =
        {};  ///< sentences on the conversion of bit depth, colours and transparency
};

/// Reads any PNG as 8-bit grey levels. Palettes are looked up; 1, 2 and 4 bits are expanded and 16 bits are
/// rounded to 8; interlaced pictures are supported. Colours are converted to luma (ITU-R BT.709) in integers,
/// (54 R + 183 G + 19 B + 128) / 256, which does not change grey. Transparent pixels are blended over white:
/// (level * alpha + 255 * (255 - alpha) + 127) / 255. Gamma and colour profiles are not applied.
///
/// Throws FileError if the file is not a PNG, is damaged or truncated, or has more than 2^28 pixels. The size
/// is checked in the header, before memory is allocated.
GreyImage read_grey_png(ByteSource& file, const std::string& file_name);
GreyImage parse_grey_png(std::string_view bytes, const std::string& file_name);

/// Reads a file of at most 1 GiB. Throws FileError, Cancelled.
GreyImage read_grey_png(const std::filesystem::path& path, FileProgress* progress = nullptr);

}  // namespace gridstride
