#include <fmt/format.h>
#include <png.h>

#include "base/error.h"
#include "base/file.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

void save_png(const Image& image, const std::string& path) {
    const std::size_t bytes = std::size_t{4} * image.width * image.height;
    if (bytes == 0 || image.rgba.size() != bytes)
        throw FileError(fmt::format("\"{}\" is not written: there is no picture yet.", path));
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = image.width;
    header.height = image.height;
    header.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = 0;
    // Twice: the first call measures.
    if (!png_image_write_to_memory(&header, nullptr, &size, 0, image.rgba.data(), 0, nullptr))
        throw FileError(fmt::format("\"{}\" is not written: {}.", path, header.message));
    std::string encoded(size, '\0');
    if (!png_image_write_to_memory(&header, encoded.data(), &size, 0, image.rgba.data(), 0, nullptr))
        throw FileError(fmt::format("\"{}\" is not written: {}.", path, header.message));
    encoded.resize(size);
    write_file(path, encoded);
}

}  // namespace gridstride::ui
