#include "readers/image_file.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/input_file.h"
#include "base/text.h"

namespace gridstride {
namespace {

constexpr std::uintmax_t max_picture_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t signature_size = 8;
/// A deflate stream expands to at most about 1032 times its size (zlib's documentation). A small file whose
/// header declares a huge picture is therefore refused before memory is allocated.
constexpr std::uint64_t max_deflate_ratio = 1040;

/// The state of libpng's callbacks. libpng returns from errors with longjmp, which runs no destructors.
/// Objects in stack frames below setjmp, including this one, must therefore be plain data; frames above own
/// the memory.
struct Source {
    ByteSource* file;
    std::exception_ptr* thrown;  ///< by `file`, since an exception must not pass through libpng
    std::uint64_t at = 0;
    bool has_ended = false;  ///< libpng tried to read past the end
    char message[128] = {};

    /// Returns false if fewer than `count` bytes could be read.
    bool read(png_bytep to, std::size_t count) noexcept {
        try {
            const std::size_t bytes_read = file->read_at(at, {reinterpret_cast<char*>(to), count});
            at += bytes_read;
            has_ended = bytes_read < count;
            return !has_ended;
        } catch (...) {
            *thrown = std::current_exception();
            return false;
        }
    }
};

void read_bytes(png_structp png, png_bytep to, png_size_t count) {
    if (!static_cast<Source*>(png_get_io_ptr(png))->read(to, count)) png_error(png, "the file ends early");
}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    auto* const source = static_cast<Source*>(png_get_error_ptr(png));
    std::strncpy(source->message, message, sizeof source->message - 1);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {
    // Warnings concern things that do not change the grey levels, such as a wrong profile.
}

struct Reader {
    png_structp png = nullptr;
    png_infop info = nullptr;

    explicit Reader(Source* source)
        : png(png_create_read_struct(PNG_LIBPNG_VER_STRING, source, on_error, on_warning)) {
        if (png != nullptr) info = png_create_info_struct(png);
    }
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
    bool ok() const { return png != nullptr && info != nullptr; }
};

/// Calls the body. Returns false if libpng failed in it; Source::message then says why.
template <class Body>
bool run_guarded(png_structp png, const Body& body) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    body();
    return true;
}

std::uint8_t grey_level(const png_byte* pixel, int channels) {
    const bool color = channels >= 3;
    // 54 + 183 + 19 = 256: white stays white.
    unsigned level = color ? (54u * pixel[0] + 183u * pixel[1] + 19u * pixel[2] + 128u) >> 8 : pixel[0];
    if (channels == 2 || channels == 4) {
        const unsigned alpha = pixel[channels - 1];
        level = (level * alpha + 255u * (255u - alpha) + 127u) / 255u;
    }
    return static_cast<std::uint8_t>(level);
}

std::vector<std::string> format_remarks(png_structp png, png_infop info) {
    const int type = png_get_color_type(png, info);
    const bool is_transparent =
        (type & PNG_COLOR_MASK_ALPHA) != 0 || png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    std::vector<std::string> remarks;
    if (png_get_bit_depth(png, info) == 16) remarks.emplace_back("Its 16 bits a channel were rounded to 8.");
    if (type == PNG_COLOR_TYPE_PALETTE) remarks.emplace_back("Its colours were looked up in its palette.");
    if ((type & PNG_COLOR_MASK_COLOR) != 0)
        remarks.emplace_back("Its colours became grey levels by their luma (ITU-R BT.709).");
    if (is_transparent) remarks.emplace_back("Its transparent pixels were blended over white.");
    return remarks;
}

}  // namespace

GreyImage read_grey_png(ByteSource& file, const std::string& file_name) {
    std::array<png_byte, signature_size> signature{};
    const std::size_t there = file.read_at(0, {reinterpret_cast<char*>(signature.data()), signature.size()});
    if (there == 0) throw_file_error(file_name, "the file is empty. Choose a .png file with a picture in it");
    if (png_sig_cmp(signature.data(), 0, there) != 0)
        throw_file_error(file_name, "this is not a PNG file. Save the picture as PNG");
    std::exception_ptr thrown;
    Source source{&file, &thrown};
    const Reader reader(&source);
    if (!reader.ok())
        throw_file_error(file_name,
                         "there is not enough memory to read it. Close other programs and try again");
    const png_structp png = reader.png;
    const png_infop info = reader.info;
    const auto refuse_truncated = [&] {
        throw_file_error(file_name, "the file ends before the picture is complete. Copy or save it again");
    };
    const auto complete = [&](const auto& body) {
        if (run_guarded(png, body)) return;
        if (thrown) std::rethrow_exception(thrown);
        if (source.has_ended) refuse_truncated();
        throw_file_error(file_name, fmt::format("the picture is damaged ({}). Copy or save it again",
                                                printable(source.message)));
    };

    complete([&] {
        png_set_read_fn(png, &source, read_bytes);
        // libpng's own limit is a million a side; ours is on their product.
        png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
        png_read_info(png, info);
    });
    const std::uint64_t width = png_get_image_width(png, info), height = png_get_image_height(png, info);
    const std::uint64_t pixels = width * height;  // each below 2^31
    if (pixels > max_numbers_in_file) {
        throw_file_error(file_name,
                         fmt::format("it has {} x {} pixels; at most {} pixels in total can be read. Make it "
                                     "smaller",
                                     width, height, max_numbers_in_file));
    }
    const std::uint64_t bits = std::uint64_t{png_get_bit_depth(png, info)} * png_get_channels(png, info);
    if (pixels / 8 * bits > file.reported_size() * max_deflate_ratio) refuse_truncated();
    const bool interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;

    std::vector<std::string> remarks = format_remarks(png, info);
    // Convert to 8 bits per channel, without a palette, with tRNS as alpha.
    complete([&] {
        png_set_expand(png);
        png_set_scale_16(png);
        png_read_update_info(png, info);
    });
    const int channels = png_get_channels(png, info);  // 1 grey, 2 with alpha, 3 colours, 4 with alpha
    try {
        std::vector<png_byte> row(png_get_rowbytes(png, info));
        GreyImage image{Array(ElementType::u8, pixels), static_cast<std::uint32_t>(width),
                        static_cast<std::uint32_t>(height), std::move(remarks)};
        std::uint8_t* const levels = image.levels.as<std::uint8_t>().data();
        // An interlaced picture consists of seven smaller ones (Adam7). Their rows are distributed here, so
        // that no second picture is allocated.
        complete([&] {
            const int passes = interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1;
            for (int pass = 0; pass < passes; ++pass) {
                const std::uint64_t x0 = interlaced ? PNG_PASS_START_COL(pass) : 0;
                const std::uint64_t y0 = interlaced ? PNG_PASS_START_ROW(pass) : 0;
                const std::uint64_t dx = interlaced ? PNG_PASS_COL_OFFSET(pass) : 1;
                const std::uint64_t dy = interlaced ? PNG_PASS_ROW_OFFSET(pass) : 1;
                if (x0 >= width) continue;  // a pass without columns has no rows either
                for (std::uint64_t y = y0; y < height; y += dy) {
                    file.throw_if_cancelled();
                    png_read_row(png, row.data(), nullptr);
                    const png_byte* pixel = row.data();
                    for (std::uint64_t x = x0; x < width; x += dx, pixel += channels)
                        levels[y * width + x] = grey_level(pixel, channels);
                }
            }
        });
        return image;
    } catch (const std::bad_alloc&) {
        throw_file_error(file_name, "there is not enough free memory for the picture. Make it smaller");
    }
}

GreyImage parse_grey_png(std::string_view bytes, const std::string& file_name) {
    BytesInMemory file(bytes);
    return read_grey_png(file, file_name);
}

GreyImage read_grey_png(const std::filesystem::path& path, FileProgress* progress) {
    InputFile file(path, max_picture_bytes, progress);
    return read_grey_png(file, path.string());
}

}  // namespace gridstride
