#include "base/wav.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sndfile.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/message_of.h"
#include "base/scratch_folder.h"

namespace gridstride {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string little_endian(std::uint32_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i)
        out += static_cast<char>(value >> 8 * i & 0xFF);
    return out;
}

/// A WAV file of 16-bit PCM whose data chunk announces `announced` bytes.
std::string wav(const std::string& data, std::uint32_t announced, std::uint32_t channels = 1) {
    const std::string format = little_endian(1, 2) + little_endian(channels, 2) + little_endian(48000, 4) +
                               little_endian(48000 * 2 * channels, 4) + little_endian(2 * channels, 2) +
                               little_endian(16, 2);
    return "RIFF" + little_endian(36 + announced, 4) + "WAVEfmt " + little_endian(16, 4) + format + "data" +
           little_endian(announced, 4) + data;
}
std::string wav_of(const std::vector<std::int16_t>& samples, std::uint32_t channels = 1) {
    const std::string data(reinterpret_cast<const char*>(samples.data()), 2 * samples.size());
    return wav(data, static_cast<std::uint32_t>(data.size()), channels);
}

std::vector<std::int16_t> samples_of(const Array& array) {
    const auto all = array.as<std::int16_t>();
    return {all.begin(), all.end()};
}

std::string wav_complaint(const std::string& bytes) {
    return test::message_of<FileError>([&] { parse_wav(bytes, "sound.wav"); });
}

/// What libsndfile itself writes in another format, read back.
template <class Sample, class Write>
std::vector<std::int16_t> through_file(int format, int channels, const std::vector<Sample>& samples,
                                       Write write) {
    const test::ScratchFolder folder;
    const std::filesystem::path path = folder / "sound.wav";
    SF_INFO info{};
    info.samplerate = 48000;
    info.channels = channels;
    info.format = format;
    SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
    EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
    if (file == nullptr) return {};
    write(file, samples.data(), static_cast<sf_count_t>(samples.size()));
    sf_close(file);
    return samples_of(read_wav(path));
}

TEST(ParseWav, ReadsSixteenBitsAsTheyStand) {
    const std::vector<std::int16_t> samples = {0, 1, -1, 32767, -32768};
    EXPECT_EQ(samples_of(parse_wav(wav_of(samples), "sound.wav")), samples);
}

TEST(ParseWav, TakesTheFirstChannel) {
    EXPECT_THAT(samples_of(parse_wav(wav_of({1, 100, 2, 200, 3, 300}, 2), "sound.wav")),
                ElementsAre(1, 2, 3));
}

TEST(ParseWav, ReadsManyBlocks) {
    std::vector<std::int16_t> samples(300'001);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::int16_t>(i * 31);
    EXPECT_EQ(samples_of(parse_wav(wav_of(samples), "sound.wav")), samples);
}

TEST(ReadWav, ScalesFloatsAndSaturates) {
    const std::vector<float> samples = {0, 0.5f, -0.5f, 1, -1, 7, -7};
    EXPECT_THAT(through_file(SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1, samples, sf_write_float),
                ElementsAre(0, 16384, -16384, 32767, -32768, 32767, -32768));
    const std::vector<double> wide = {1e300, -1e300, 0.25, 1.5 / 32768};
    EXPECT_THAT(through_file(SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 1, wide, sf_write_double),
                ElementsAre(32767, -32768, 8192, 2));
}

TEST(ReadWav, RefusesWhatNoSampleCanBe) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
        const std::string message = test::message_of<FileError>([&] {
            through_file(SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1, std::vector<float>{0, 0.5f, value},
                         sf_write_float);
        });
        EXPECT_THAT(message, testing::AllOf(HasSubstr("sample 3"), HasSubstr(fmt::format("{}", value))));
    }
}

TEST(ReadWav, ReadsOtherWidthsAndContainers) {
    const std::vector<int> wide = {0x12345678, -0x12345678};
    EXPECT_THAT(through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_24, 1, wide, sf_write_int),
                ElementsAre(0x1234, -0x1235));
    const std::vector<short> narrow = {0x1200, -0x1200};
    EXPECT_THAT(through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 1, narrow, sf_write_short),
                ElementsAre(0x1200, -0x1200));
    const std::vector<short> stereo = {5, 6, -7, 8};
    EXPECT_THAT(through_file(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2, stereo, sf_write_short),
                ElementsAre(5, -7));
}

TEST(ParseWav, AnUnknownLengthIsWhatIsThere) {
    // As a recorder writes into a pipe.
    EXPECT_THAT(samples_of(parse_wav(wav(little_endian(7, 2) + little_endian(8, 2), 0xFFFFFFFFu), "s.wav")),
                ElementsAre(7, 8));
}

TEST(ParseWav, NamesTheFileAndWhatIsWrong) {
    const std::string whole = wav_of(std::vector<std::int16_t>(1000, 5));
    EXPECT_EQ(
        wav_complaint(whole.substr(0, 1044)),
        "\"sound.wav\": it ends after 1000 of the 2000 bytes of sound that its header announces. Copy or "
        "record it again.");
    EXPECT_THAT(wav_complaint(whole.substr(0, 30)),
                AllOf(HasSubstr("\"sound.wav\""), HasSubstr("16-bit PCM")));
    EXPECT_THAT(wav_complaint(wav("", 0)), HasSubstr("no sound"));
    EXPECT_THAT(wav_complaint(""), HasSubstr("empty"));
    EXPECT_THAT(wav_complaint("just some words\n"), HasSubstr("no WAV file"));
    for (const std::string& bytes :
         {whole.substr(0, 1044), whole.substr(0, 30), wav("", 0), std::string("x")}) {
        const std::string sentence = wav_complaint(bytes);
        EXPECT_EQ(sentence.back(), '.') << sentence;
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    }
}

TEST(ReadWav, SaysWhyItCannot) {
    const test::ScratchFolder folder;
    const auto complaint_about = [&](const std::filesystem::path& path) {
        return test::message_of<FileError>([&] { read_wav(path); });
    };
    EXPECT_THAT(complaint_about(folder / "missing.wav"), HasSubstr("no such file"));
    EXPECT_THAT(complaint_about(folder.path()), HasSubstr("it is a folder"));
    write_file(folder / "empty.wav", "");
    EXPECT_THAT(complaint_about(folder / "empty.wav"), HasSubstr("empty"));
    write_file(folder / "sparse.wav", "RIFF");
    std::filesystem::resize_file(folder / "sparse.wav", std::uintmax_t{3} << 30);  // a hole: takes no room
    EXPECT_THAT(complaint_about(folder / "sparse.wav"),
                AllOf(HasSubstr("3\u00A0GiB"), HasSubstr("1\u00A0GiB")));
}

}  // namespace
}  // namespace gridstride
