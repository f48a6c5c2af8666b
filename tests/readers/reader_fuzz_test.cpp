// For damaged files of every kind that users may open, a reader returns or throws FileError, nothing else.
#include <sndfile.h>

#include "base/mutations.h"
#include "base/png_bytes.h"
#include "readers/image_file.h"
#include "readers/npy.h"
#include "readers/number_text.h"
#include "readers/wav.h"
#include "test_includes.h"

namespace gridstride::reader_fuzz_test {

const int files_a_reader = sample_of(100'000, 4'000);

/// A message is one line of at most three sentences, with the file's name, the problem and what to do.
void expect_a_clear_sentence(const std::string& message) {
    EXPECT_NE(message.find('"'), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(message.back(), '.') << message;
    EXPECT_LT(message.size(), 400u) << message;
}

/// Both outcomes must occur; otherwise the damage is too small or too great for a test.
void fuzz(const std::vector<std::string>& seeds, const std::function<void(const std::string&)>& read,
          const std::function<void(std::string&)>& repair = {}) {
    std::mt19937 random(20240229);
    int whole = 0;
    for (int i = 0; i < files_a_reader; ++i) {
        std::string bytes = test::mutated(seeds[static_cast<std::size_t>(i) % seeds.size()], random);
        if (repair && i % 3 != 0) repair(bytes);
        try {
            read(bytes);
            ++whole;
        } catch (const FileError& error) {
            if (i % 1000 == 0) expect_a_clear_sentence(error.what());
        }
    }
    EXPECT_GT(whole, files_a_reader / 1000);
    EXPECT_LT(whole, files_a_reader * 99 / 100);
}

void expect_rows(const Numbers& read) {
    ASSERT_TRUE(read.width == 0 || read.array.count() % read.width == 0);
    ASSERT_FALSE(read.selection.empty());
}

TEST(ReaderFuzz, NpyNeverCrashes) {
    std::vector<std::string> seeds;
    for (const std::size_t width : {0, 1, 2}) {
        seeds.push_back(format_npy(Array::of<std::int16_t>(std::vector<std::int16_t>{1, -2, 3, 4}), width));
        seeds.push_back(format_npy(Array::of<double>(std::vector<double>{1.5, -2e300}), width));
    }
    seeds.push_back(format_npy(Array(ElementType::u8, 0)));
    for (const auto& [type, bytes] : {std::pair("<i8", 16), std::pair(">f4", 8), std::pair("<f2", 4),
                                      std::pair("|b1", 2), std::pair(">u8", 16)}) {
        const std::string header =
            fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': (2,), }}\n", type);
        seeds.push_back(std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' +
                        header + std::string(static_cast<std::size_t>(bytes), '\1'));
    }
    seeds.push_back(format_npy(Array::of<std::uint8_t>(std::vector<std::uint8_t>{1, 2, 3, 4, 5, 6}),
                               std::vector<std::uint64_t>{1, 3, 2}));
    for (const AcceptedShapes shapes : {AcceptedShapes::line_or_rows, AcceptedShapes::all})
        fuzz(seeds, [&](const std::string& bytes) { expect_rows(parse_npy(bytes, "fuzz.npy", shapes)); });
}

TEST(ReaderFuzz, CsvNeverCrashes) {
    for (const FileChoice& choice :
         {FileChoice(), FileChoice{.column = "all"}, FileChoice{.column = "1", .has_header = true}})
        fuzz({"x,y\r\n1,2\r\n3.5,-4e9\r\n", "1\n2\n3\n", "\xEF\xBB\xBFname;value\n\"a\";1,5\n\"b\";2,5\n",
              "a\tb\n1\t2\n", "# x y\n1 2\n3 4\n", "1,2,3\n", ",0\n0,(5)\n", "$1.234,56\n5%\n"},
             [&](const std::string& bytes) { expect_rows(parse_number_text(bytes, "fuzz.csv", choice)); });
}

/// A file that libsndfile writes in this format.
std::string sound(int format, int channels) {
    const ScratchFolder folder;
    const std::filesystem::path path = folder / "sound";
    SF_INFO info{};
    info.samplerate = 8000;
    info.channels = channels;
    info.format = format;
    SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
    if (file == nullptr) throw std::logic_error(sf_strerror(nullptr));
    std::vector<short> samples(static_cast<std::size_t>(40 * channels));
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<short>(i * 700);
    sf_writef_short(file, samples.data(), 40);
    sf_close(file);
    return read_file(path);
}

TEST(ReaderFuzz, WavNeverCrashes) {
    for (const FileChoice& choice : {FileChoice(), FileChoice{.channel = 2, .wav_counts = true}})
        fuzz({sound(SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1), sound(SF_FORMAT_WAV | SF_FORMAT_PCM_24, 2),
              sound(SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1), sound(SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, 1),
              sound(SF_FORMAT_WAVEX | SF_FORMAT_PCM_16, 2), sound(SF_FORMAT_WAV | SF_FORMAT_ULAW, 1),
              sound(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1), sound(SF_FORMAT_AIFF | SF_FORMAT_PCM_16, 1)},
             [&](const std::string& bytes) { expect_rows(parse_wav(bytes, "fuzz.wav", choice)); });
}

std::uint32_t crc_of(const std::string& bytes, std::size_t begin, std::size_t end) {
    static const std::vector<std::uint32_t> table = [] {
        std::vector<std::uint32_t> all(256);
        for (std::uint32_t i = 0; i < 256; ++i) {
            all[i] = i;
            for (int bit = 0; bit < 8; ++bit)
                all[i] = all[i] >> 1 ^ (all[i] & 1 ? 0xEDB88320u : 0);
        }
        return all;
    }();
    std::uint32_t crc = 0xFFFFFFFFu;
    for (std::size_t i = begin; i < end; ++i)
        crc = table[(crc ^ static_cast<std::uint8_t>(bytes[i])) & 0xFF] ^ crc >> 8;
    return ~crc;
}

/// Corrects the checksums of the chunks; otherwise libpng would reject every damaged file by its checksum.
void mend_checksums(std::string& bytes) {
    std::size_t at = 8;
    while (at + 12 <= bytes.size()) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < 4; ++i)
            size = size << 8 | static_cast<std::uint8_t>(bytes[at + i]);
        if (size > bytes.size() - at - 12) return;
        const std::uint32_t crc = crc_of(bytes, at + 4, at + 8 + size);
        for (std::size_t i = 0; i < 4; ++i)
            bytes[at + 8 + size + i] = static_cast<char>(crc >> (24 - 8 * i) & 0xFF);
        at += 12 + size;
    }
}

TEST(ReaderFuzz, PngNeverCrashes) {
    std::vector<std::uint8_t> noise(12 * 9 * 8);
    for (std::size_t i = 0; i < noise.size(); ++i)
        noise[i] = static_cast<std::uint8_t>(i * i * 31 >> 3);
    const auto some = [&noise](std::size_t count) {
        return std::vector<std::uint8_t>(noise.begin(), noise.begin() + static_cast<std::ptrdiff_t>(count));
    };
    const std::vector<png_color> palette(256, png_color{10, 20, 30});
    fuzz(
        {test::png_bytes({12, 9}, some(12 * 9)),
         test::png_bytes({12, 9, 16, PNG_COLOR_TYPE_RGB_ALPHA, true}, some(12 * 9 * 8)),
         test::png_bytes({12, 9, 8, PNG_COLOR_TYPE_PALETTE, true, palette, {0, 128}}, some(12 * 9)),
         test::png_bytes({9, 9, 1}, some(2 * 9)),
         test::png_bytes({12, 9, 8, PNG_COLOR_TYPE_RGB}, some(12 * 9 * 3))},
        [](const std::string& bytes) { parse_grey_png(bytes, "fuzz.png"); }, mend_checksums);
}

// --- Named cases, each read from a file

class BadFiles : public testing::Test {
 protected:
    static void read(const std::filesystem::path& path) {
        const std::string ending = path.extension().string();
        if (ending == ".wav")
            read_wav(path);
        else if (ending == ".png")
            read_grey_png(path);
        else
            read_numbers(path);
    }
    static std::string complaint(const std::filesystem::path& path) {
        const std::string message = message_of<FileError>([&] { read(path); });
        expect_a_clear_sentence(message);
        EXPECT_THAT(message, HasSubstr(path.string()));
        return message;
    }
    std::string complaint_about(const std::string& name, const std::string& bytes) {
        write_file(folder_ / name, bytes);
        return complaint(folder_ / name);
    }
    ScratchFolder folder_;
};

TEST_F(BadFiles, RefuseTruncatedSound) {
    const std::string whole = sound(SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1);
    EXPECT_THAT(complaint_about("a.wav", whole.substr(0, whole.size() - 20)),
                HasSubstr("60 of the 80 bytes"));
    // A truncated file never counts as complete.
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THROW(parse_wav(whole.substr(0, size), "a.wav"), FileError) << size;
}

TEST_F(BadFiles, RefuseTruncatedPictures) {
    const std::string whole = test::png_bytes({16, 16}, std::vector<std::uint8_t>(256, 7));
    EXPECT_THAT(complaint_about("a.png", whole.substr(0, whole.size() - 25)), HasSubstr("ends before"));
}

TEST_F(BadFiles, RefuseNpyWithWrongShapeOrObjects) {
    const auto npy = [](const std::string& header, const std::string& data) {
        std::string out("\x93NUMPY\x01\x00", 8);
        out += static_cast<char>(header.size());
        out += '\0';
        return out + header + data;
    };
    EXPECT_THAT(
        complaint_about("a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,), }",
                                     std::string(16, '\0'))),
        HasSubstrs("1000000000000", "16 bytes"));
    EXPECT_THAT(complaint_about("b.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': "
                                             "(4294967296, 4294967296), }",
                                             "")),
                HasSubstr("does not fit"));
    EXPECT_THAT(
        complaint_about("c.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (2,), }", "\x80\x04")),
        HasSubstr("objects"));
}

TEST_F(BadFiles, RefuseCsvWithText) {
    EXPECT_THAT(complaint_about("a.csv", "height\n1.5\ntall\n"), HasSubstrs("line 3", "\"tall\""));
    EXPECT_THAT(complaint_about("b.csv", "once\nupon\na time\n"), HasSubstr("line 2"));
}

TEST_F(BadFiles, RefuseFoldersAndEmptyAndHugeFiles) {
    for (const std::string ending : {"csv", "txt", "npy", "wav", "png"}) {
        SCOPED_TRACE(ending);
        std::filesystem::create_directory(folder_ / ("folder." + ending));
        EXPECT_THAT(complaint(folder_ / ("folder." + ending)), Mentions("a folder"));
        complaint_about("empty." + ending, "");
    }
    // A sparse file uses no disk space, and reading it must use no memory.
    for (const std::string ending : {"wav", "png"}) {
        write_file(folder_ / ("sparse." + ending), "");
        std::filesystem::resize_file(folder_ / ("sparse." + ending), std::uintmax_t{3} << 30);
        EXPECT_THAT(complaint(folder_ / ("sparse." + ending)), HasSubstr("3\u00A0GiB"));
    }
}

}  // namespace gridstride::reader_fuzz_test
