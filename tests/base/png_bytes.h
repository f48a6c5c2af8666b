// Writes PNG files of every kind for tests of the PNG reader.
#pragma once

#include <png.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gridstride::test {

struct PngKind {
    std::uint32_t width = 0, height = 0;
    int depth = 8;
    int color = PNG_COLOR_TYPE_GRAY;
    bool interlaced = false;
    std::vector<png_color> palette = {};
    std::vector<std::uint8_t> palette_alpha = {};
};

/// pixels holds the rows one after another, as PNG stores them.
inline std::string png_bytes(PngKind kind, std::vector<std::uint8_t> pixels) {
    std::string out;
    png_structp png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING, nullptr,
        [](png_structp, png_const_charp message) { throw std::logic_error(message); }, nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(
        png, &out,
        [](png_structp to, png_bytep bytes, png_size_t size) {
            static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<const char*>(bytes), size);
        },
        nullptr);
    png_set_IHDR(png, info, kind.width, kind.height, kind.depth, kind.color,
                 kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (!kind.palette.empty())
        png_set_PLTE(png, info, kind.palette.data(), static_cast<int>(kind.palette.size()));
    if (!kind.palette_alpha.empty())
        png_set_tRNS(png, info, kind.palette_alpha.data(), static_cast<int>(kind.palette_alpha.size()),
                     nullptr);
    png_write_info(png, info);
    const std::size_t row_bytes = png_get_rowbytes(png, info);
    if (pixels.size() != row_bytes * kind.height)
        throw std::logic_error("not as many bytes as the rows have");
    std::vector<png_bytep> rows;
    for (std::uint32_t y = 0; y < kind.height; ++y)
        rows.push_back(pixels.data() + y * row_bytes);
    png_write_image(png, rows.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
    return out;
}

}  // namespace gridstride::test
