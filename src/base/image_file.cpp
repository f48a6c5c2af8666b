#include "base/image_file.h"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"

namespace gridstride {
namespace {

constexpr std::uint64_t most_pixels = std::uint64_t{1} << 28;
constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t signature_size = 8;
/// No deflate stream unpacks to more than about 1032 times its size (zlib's documentation): a small file
/// that announces a huge picture is known to lie before its picture is allocated.
constexpr std::uint64_t most_unpacked = 1040;

/// What libpng's callbacks work on. libpng leaves its functions through longjmp, which runs no destructors:
/// everything that lives in a frame below setjmp, this included, is plain data, and what owns memory stands
/// in the frames above.
struct Source {
    const char* bytes = nullptr;
    std::size_t size = 0;
    std::size_t at = 0;
    bool ended = false;  ///< libpng wanted more than there is
    char message[128] = {};
};

void read_bytes(png_structp png, png_bytep to, png_size_t count) {
    auto* const source = static_cast<Source*>(png_get_io_ptr(png));
    if (count > source->size - source->at) {
        source->ended = true;
        png_error(png, "the file ends early");
    }
    std::memcpy(to, source->bytes + source->at, count);
    source->at += count;
}

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
    auto* const source = static_cast<Source*>(png_get_error_ptr(png));
    std::strncpy(source->message, message, sizeof source->message - 1);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {
    // About things that do not change the grey levels: a wrong profile, a chunk out of place.
}

/// libpng's two structures, freed however decoding ends.
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

struct PictureHeader {
    std::uint64_t width = 0, height = 0;
    std::uint64_t bits = 0;  ///< a pixel, as stored
    bool interlaced = false;
    int channels = 0;  ///< after the conversions: 1 grey, 2 with alpha, 3 colours, 4 with alpha
};

/// False, with source->message, when libpng gave up.
bool read_header(png_structp png, png_infop info, Source* source, PictureHeader* header) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_read_fn(png, source, read_bytes);
    // libpng's own limit is a million a side; ours is on their product.
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    png_read_info(png, info);
    header->width = png_get_image_width(png, info);
    header->height = png_get_image_height(png, info);
    header->bits = static_cast<std::uint64_t>(png_get_bit_depth(png, info)) * png_get_channels(png, info);
    header->interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    return true;
}

/// Asks for 8 bits a channel, without a palette and with tRNS as alpha.
bool start_rows(png_structp png, png_infop info, PictureHeader* header) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_set_expand(png);
    png_set_scale_16(png);
    png_read_update_info(png, info);
    header->channels = png_get_channels(png, info);
    return true;
}

std::uint8_t grey_level(const png_byte* pixel, int channels) {
    const bool colour = channels >= 3;
    // 54 + 183 + 19 = 256: white stays white.
    unsigned level = colour ? (54u * pixel[0] + 183u * pixel[1] + 19u * pixel[2] + 128u) >> 8 : pixel[0];
    if (channels == 2 || channels == 4) {
        const unsigned alpha = pixel[channels - 1];
        level = (level * alpha + 255u * (255u - alpha) + 127u) / 255u;
    }
    return static_cast<std::uint8_t>(level);
}

/// Decodes row by row into levels. An interlaced picture comes as seven smaller ones (Adam7), whose rows are
/// spread here, so that no second picture is held.
bool read_rows(png_structp png, const PictureHeader* header, png_bytep row, std::uint8_t* levels) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    const int passes = header->interlaced ? PNG_INTERLACE_ADAM7_PASSES : 1;
    for (int pass = 0; pass < passes; ++pass) {
        const std::uint64_t x0 = header->interlaced ? PNG_PASS_START_COL(pass) : 0;
        const std::uint64_t y0 = header->interlaced ? PNG_PASS_START_ROW(pass) : 0;
        const std::uint64_t dx = header->interlaced ? PNG_PASS_COL_OFFSET(pass) : 1;
        const std::uint64_t dy = header->interlaced ? PNG_PASS_ROW_OFFSET(pass) : 1;
        if (x0 >= header->width) continue;  // a pass without columns has no rows either
        for (std::uint64_t y = y0; y < header->height; y += dy) {
            png_read_row(png, row, nullptr);
            const png_byte* pixel = row;
            for (std::uint64_t x = x0; x < header->width; x += dx, pixel += header->channels)
                levels[y * header->width + x] = grey_level(pixel, header->channels);
        }
    }
    return true;
}

[[noreturn]] void report(const Source& source, const std::string& file_name) {
    if (source.ended) refuse_file(file_name, "it ends before its picture is complete. Copy or save it again");
    refuse_file(file_name,
                fmt::format("the picture is damaged ({}). Copy or save it again", printable(source.message)));
}

}  // namespace

GreyImage parse_grey_png(std::string_view bytes, const std::string& file_name) {
    if (bytes.empty()) refuse_file(file_name, "the file is empty. Choose a .png file with a picture in it");
    if (png_sig_cmp(reinterpret_cast<png_const_bytep>(bytes.data()), 0,
                    std::min(bytes.size(), signature_size)) != 0) {
        refuse_file(file_name, "this is no PNG file. Save the picture as PNG");
    }
    Source source{bytes.data(), bytes.size()};
    const Reader reader(&source);
    if (!reader.ok())
        refuse_file(file_name, "there is too little memory to read it. Close something and try again");

    PictureHeader header;
    if (!read_header(reader.png, reader.info, &source, &header)) report(source, file_name);
    const std::uint64_t pixels = header.width * header.height;  // each below 2^31
    if (pixels > most_pixels) {
        refuse_file(file_name,
                    fmt::format("it is {} x {} pixels, and {} in all are the most that are read. Make it "
                                "smaller",
                                header.width, header.height, most_pixels));
    }
    if (pixels / 8 * header.bits > bytes.size() * most_unpacked) {
        source.ended = true;
        report(source, file_name);
    }
    if (!start_rows(reader.png, reader.info, &header)) report(source, file_name);
    try {
        std::vector<png_byte> row(png_get_rowbytes(reader.png, reader.info));
        GreyImage image{Array(ElementType::u8, pixels), static_cast<std::uint32_t>(header.width),
                        static_cast<std::uint32_t>(header.height)};
        if (!read_rows(reader.png, &header, row.data(), image.levels.as<std::uint8_t>().data()))
            report(source, file_name);
        return image;
    } catch (const std::bad_alloc&) {
        refuse_file(file_name, "the picture does not fit into the memory that is free. Make it smaller");
    }
}

GreyImage read_grey_png(const std::filesystem::path& path) {
    return parse_grey_png(read_file(path, most_bytes), path.string());
}

}  // namespace gridstride
