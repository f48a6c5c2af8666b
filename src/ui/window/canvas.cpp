#include "ui/window/canvas.h"

#include <fmt/format.h>
#include <png.h>

#include <stdexcept>

#include "base/error.h"
#include "base/file.h"

namespace gridstride::ui {

std::string encode_png(const Image& image) {
    const std::size_t bytes = std::size_t{4} * image.width * image.height;
    if (bytes == 0 || image.rgba.size() != bytes) throw std::runtime_error("no frame has been drawn yet");
    png_image header{};
    header.version = PNG_IMAGE_VERSION;
    header.width = image.width;
    header.height = image.height;
    header.format = PNG_FORMAT_RGBA;
    std::string encoded(PNG_IMAGE_PNG_SIZE_MAX(header), '\0');
    png_alloc_size_t size = encoded.size();
    if (!png_image_write_to_memory(&header, encoded.data(), &size, 0, image.rgba.data(), 0, nullptr))
        throw std::runtime_error(header.message);
    encoded.resize(size);
    return encoded;
}

void save_png(const Image& image, const std::string& path) {
    std::string encoded;
    try {
        encoded = encode_png(image);
    } catch (const std::runtime_error& error) {
        throw FileError(fmt::format("\"{}\" cannot be written: {}.", path, error.what()));
    }
    write_file(path, encoded);
}

void CanvasLosses::add(const std::string& reason, Clock::time_point now) {
    ++count_;
    recent_.push_back(now);
    while (now - recent_.front() > loss_window)
        recent_.pop_front();
    if (recent_.size() < max_losses) return;
    throw NoDevice(
        fmt::format("The graphics device that draws the window was lost {} times within {} s ({}). Update "
                    "the graphics driver, or install mesa-vulkan-drivers and set VK_DRIVER_FILES to its "
                    "lvp_icd file to draw in software.",
                    recent_.size(), loss_window.count(), reason));
}

}  // namespace gridstride::ui
