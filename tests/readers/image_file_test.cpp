#include "readers/image_file.h"

#include "base/png_bytes.h"
#include "test_includes.h"

namespace gridstride::image_file_test {

using test::png_bytes;
using test::PngKind;
using testing::ElementsAreArray;

std::vector<int> levels(const std::string& bytes) {
    const GreyImage image = parse_grey_png(bytes, "picture.png");
    EXPECT_EQ(image.levels.count(), std::size_t{image.width} * image.height);
    const auto all = image.levels.as<std::uint8_t>();
    return {all.begin(), all.end()};
}

std::string png_complaint(const std::string& bytes) {
    return message_of<FileError>([&] { parse_grey_png(bytes, "picture.png"); });
}

TEST(ParseGreyPng, KeepsGreyLevels) {
    std::vector<std::uint8_t> all(256);
    for (int i = 0; i < 256; ++i)
        all[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    const std::string bytes = png_bytes({32, 8}, all);
    EXPECT_THAT(levels(bytes), ElementsAreArray(all));
    const GreyImage image = parse_grey_png(bytes, "picture.png");
    EXPECT_EQ(image.width, 32u);
    EXPECT_EQ(image.height, 8u);
}

TEST(ParseGreyPng, ConvertsColoursToLuma) {
    // A grey level is (54 R + 183 G + 19 B + 128) / 256.
    EXPECT_THAT(levels(png_bytes({5, 1, 8, PNG_COLOR_TYPE_RGB},
                                 {255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 10, 20, 30})),
                ElementsAre(54, 182, 19, 255, 19));
}

TEST(ParseGreyPng, ScalesOtherBitDepthsTo8Bits) {
    EXPECT_THAT(levels(png_bytes({8, 1, 1}, {0xA5})), ElementsAre(255, 0, 255, 0, 0, 255, 0, 255));
    EXPECT_THAT(levels(png_bytes({4, 1, 2}, {0x1B})), ElementsAre(0, 85, 170, 255));
    EXPECT_THAT(levels(png_bytes({2, 1, 4}, {0x8F})), ElementsAre(136, 255));
    EXPECT_THAT(levels(png_bytes({4, 1, 16}, {0xFF, 0xFF, 0x80, 0x00, 0x12, 0xF0, 0x00, 0x01})),
                ElementsAre(255, 128, 19, 0));
    EXPECT_THAT(levels(png_bytes({1, 1, 16, PNG_COLOR_TYPE_RGB}, {0xFF, 0xFF, 0, 0, 0, 0})), ElementsAre(54));
}

TEST(ParseGreyPng, LooksUpPalettes) {
    const PngKind kind{4, 1, 8, PNG_COLOR_TYPE_PALETTE, false, {{0, 0, 0}, {255, 0, 0}, {255, 255, 255}}};
    EXPECT_THAT(levels(png_bytes(kind, {2, 1, 0, 1})), ElementsAre(255, 54, 0, 54));
    const PngKind four{4, 1, 2, PNG_COLOR_TYPE_PALETTE, false, {{0, 0, 0}, {255, 0, 0}, {255, 255, 255}}};
    EXPECT_THAT(levels(png_bytes(four, {0x91})), ElementsAre(255, 54, 0, 54));
}

TEST(ParseGreyPng, BlendsOverWhite) {
    EXPECT_THAT(levels(png_bytes({3, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA}, {0, 0, 0, 128, 100, 255})),
                ElementsAre(255, 127, 100));
    EXPECT_THAT(levels(png_bytes({2, 1, 8, PNG_COLOR_TYPE_RGB_ALPHA}, {255, 0, 0, 255, 0, 0, 0, 0})),
                ElementsAre(54, 255));
    const PngKind kind{2, 1, 8, PNG_COLOR_TYPE_PALETTE, false, {{0, 0, 0}, {0, 0, 0}}, {0, 255}};
    EXPECT_THAT(levels(png_bytes(kind, {0, 1})), ElementsAre(255, 0));
}

TEST(ParseGreyPng, RemarksDescribeConversions) {
    const auto remarks = [](const PngKind& kind, const std::vector<std::uint8_t>& pixels) {
        return parse_grey_png(png_bytes(kind, pixels), "picture.png").remarks;
    };
    EXPECT_THAT(remarks({1, 1}, {7}), IsEmpty());
    EXPECT_THAT(remarks({1, 1, 16}, {7, 7}), ElementsAre(Mentions(16, 8)));
    EXPECT_THAT(remarks({1, 1, 8, PNG_COLOR_TYPE_GRAY_ALPHA}, {7, 7}), ElementsAre(Mentions("transparent")));
    EXPECT_THAT(remarks({1, 1, 8, PNG_COLOR_TYPE_RGB}, {7, 7, 7}), ElementsAre(Mentions("BT.709", "luma")));
    EXPECT_THAT(remarks({1, 1, 8, PNG_COLOR_TYPE_PALETTE, false, {{0, 0, 0}}, {128}}, {0}),
                ElementsAre(HasSubstr("palette"), HasSubstr("luma"), Mentions("blended")));
    EXPECT_THAT(remarks({1, 1, 16, PNG_COLOR_TYPE_RGB_ALPHA}, {7, 7, 7, 7, 7, 7, 7, 7}),
                ElementsAre(HasSubstr("16 bits"), HasSubstr("luma"), Mentions("blended")));
}

TEST(ParseGreyPng, ReadsInterlacedPictures) {
    // At some of these sizes, some of the seven passes of Adam7 have no rows or no columns.
    for (const std::uint32_t width : {1u, 2u, 3u, 4u, 5u, 8u, 9u, 33u})
        for (const std::uint32_t height : {1u, 2u, 3u, 4u, 5u, 8u, 17u}) {
            SCOPED_TRACE(testing::Message() << width << " x " << height);
            std::vector<std::uint8_t> pixels(std::size_t{width} * height);
            for (std::size_t i = 0; i < pixels.size(); ++i)
                pixels[i] = static_cast<std::uint8_t>(i * 37 + 1);
            EXPECT_THAT(levels(png_bytes({width, height, 8, PNG_COLOR_TYPE_GRAY, true}, pixels)),
                        ElementsAreArray(pixels));
        }
}

/// The 8-byte signature and a valid IHDR chunk of this size, with its CRC from zlib.
std::string header_only(std::uint32_t width, std::uint32_t height) {
    std::string bytes = png_bytes({1, 1}, {0}).substr(0, 33);
    const auto put = [&bytes](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i)
            bytes[at + i] = static_cast<char>(value >> (24 - 8 * i) & 0xFF);
    };
    put(16, width);
    put(20, height);
    std::uint32_t crc = 0xFFFFFFFFu;
    for (std::size_t i = 12; i < 29; ++i) {
        crc ^= static_cast<std::uint8_t>(bytes[i]);
        for (int bit = 0; bit < 8; ++bit)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
    }
    put(29, ~crc);
    return bytes;
}

TEST(ParseGreyPng, RefusesHugePicturesFromTheHeader) {
    EXPECT_THAT(png_complaint(header_only(1u << 15, 1u << 14)), HasSubstr("ends before"));
    // libpng reports the size only after it has reached the image data.
    const std::string picture = png_bytes({1, 1}, {0}).substr(33);
    EXPECT_THAT(png_complaint(header_only(1u << 15, (1u << 13) + 1) + picture),
                HasSubstrs("32768 x 8193", "268435456"));
    EXPECT_THAT(png_complaint(header_only(0x7FFFFFFF, 0x7FFFFFFF) + picture), HasSubstr("2147483647 x"));
    EXPECT_THAT(png_complaint(header_only(1u << 14, 1u << 14) + picture), HasSubstr("ends before"));
    EXPECT_THAT(png_complaint(header_only(0, 5) + picture), HasSubstr("damaged"));
}

TEST(ParseGreyPng, ErrorsNameTheFileAndTheReason) {
    const std::string whole = png_bytes({64, 64}, std::vector<std::uint8_t>(64 * 64, 9));
    EXPECT_THAT(png_complaint(whole.substr(0, whole.size() - 40)), Mentions("picture.png", "complete"));
    EXPECT_THAT(png_complaint(""), Mentions("picture.png", "empty"));
    EXPECT_THAT(png_complaint("GIF89a, or so"), Mentions("picture.png", "Save"));
    EXPECT_THAT(png_complaint(whole.substr(0, 5)), HasSubstr("ends before"));
    std::string damaged = whole;
    damaged[20] = static_cast<char>(damaged[20] ^ 1);
    EXPECT_THAT(png_complaint(damaged), HasSubstrs("damaged", "CRC"));
}

TEST(ReadGreyPng, ReportsUnreadableAndTooLargeFiles) {
    const ScratchFolder folder;
    const auto complaint_about = [&](const std::filesystem::path& path) {
        return message_of<FileError>([&] { read_grey_png(path); });
    };
    EXPECT_THAT(complaint_about(folder / "missing.png"), Mentions("no such"));
    EXPECT_THAT(complaint_about(folder.path()), Mentions("a folder"));
    write_file(folder / "sparse.png", "\x89PNG");
    std::filesystem::resize_file(folder / "sparse.png", std::uintmax_t{3} << 30);  // a sparse file
    EXPECT_THAT(complaint_about(folder / "sparse.png"), HasSubstrs("3\u00A0GiB", "1\u00A0GiB"));
    write_file(folder / "right.png", png_bytes({2, 1}, {3, 4}));
    EXPECT_EQ(read_grey_png(folder / "right.png").levels.number(1), 4);
}

}  // namespace gridstride::image_file_test
