#include "readers/wav.h"

#include <sndfile.h>

#include "base/units.h"
#include "test_includes.h"

namespace gridstride::wav_test {

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

std::string wav_complaint(const std::string& bytes, const FileChoice& choice = {}) {
    return message_of<FileError>([&] { parse_wav(bytes, "sound.wav", choice); });
}

/// A file that libsndfile writes in this format.
template <class Sample, class Write>
std::string file_of(int format, int channels, const std::vector<Sample>& samples, Write write) {
    const ScratchFolder folder;
    const std::filesystem::path path = folder / "sound.wav";
    SF_INFO info{};
    info.samplerate = 8000;
    info.channels = channels;
    info.format = format;
    SNDFILE* file = sf_open(path.c_str(), SFM_WRITE, &info);
    EXPECT_NE(file, nullptr) << sf_strerror(nullptr);
    if (file == nullptr) return {};
    write(file, samples.data(), static_cast<sf_count_t>(samples.size()));
    sf_close(file);
    return read_file(path);
}
/// Writes the samples with libsndfile and reads them back.
template <class Sample, class Write>
Numbers through_file(int format, int channels, const std::vector<Sample>& samples, Write write,
                     const FileChoice& choice = {}) {
    return parse_wav(file_of(format, channels, samples, write), "sound.wav", choice);
}

Numbers read_floats(const std::vector<float>& samples, const FileChoice& choice = {}) {
    return through_file(SF_FORMAT_WAV | SF_FORMAT_FLOAT, 1, samples, sf_write_float, choice);
}
std::string complaint_of_floats(const std::vector<float>& samples, const FileChoice& choice = {}) {
    return message_of<FileError>([&] { read_floats(samples, choice); });
}

std::vector<double> doubles_of(const Numbers& numbers) {
    const auto all = numbers.array.as<double>();
    return {all.begin(), all.end()};
}

TEST(ParseWav, Reads16BitSamplesUnchanged) {
    const std::vector<std::int16_t> samples = {0, 1, -1, 32767, -32768};
    EXPECT_EQ(samples_of(parse_wav(wav_of(samples), "sound.wav").array), samples);
}

TEST(ParseWav, ReadsTheChosenChannel) {
    const std::string stereo = wav_of({1, 100, 2, 200, 3, 300}, 2);
    EXPECT_THAT(samples_of(parse_wav(stereo, "sound.wav", {.channel = 1}).array), ElementsAre(1, 2, 3));
    EXPECT_THAT(samples_of(parse_wav(stereo, "sound.wav", {.channel = 2}).array), ElementsAre(100, 200, 300));
    EXPECT_EQ(parse_wav(stereo, "sound.wav", {.channel = 2}).selection,
              "channel 2 of 2, " + counted(3, "sample"));
    EXPECT_EQ(parse_wav(wav_of({5}), "sound.wav", {.channel = 1}).selection, counted(1, "sample"));
    EXPECT_THAT(wav_complaint(stereo, {.channel = 3}), Mentions(3, 2));
    EXPECT_THAT(wav_complaint(wav_of({5}), {.channel = 2}), HasSubstr("no channel 2; it has 1 channel"));
}

TEST(ParseWav, RequiresAChoiceOfChannels) {
    EXPECT_THAT(wav_complaint(wav_of({1, 2, 3, 4, 5, 6}, 3)),
                HasSubstrs("it has 3 channels", "--channel 1 to --channel 3"));
    try {
        parse_wav(wav_of({1, 100, 2, 200}, 2), "sound.wav");
        FAIL() << "no choice was required";
    } catch (const NeedsChoice& several) {
        ASSERT_EQ(several.question.answers.size(), 2u);
        EXPECT_EQ(several.question.answers[1].label, "Channel 2");
        EXPECT_EQ(several.question.answers[1].choice, (FileChoice{.channel = 2}));
    }
}

TEST(ParseWav, ReadsManyBlocks) {
    std::vector<std::int16_t> samples(300'001);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::int16_t>(i * 31);
    EXPECT_EQ(samples_of(parse_wav(wav_of(samples), "sound.wav").array), samples);
}

TEST(ReadWav, ScalesFloatsWithinOne) {
    const Numbers read = read_floats({0, 0.5f, -0.5f, 1, -1, 1.5f / 32768, 2.5f / 32768, -0.6f / 32768});
    EXPECT_THAT(samples_of(read.array), ElementsAre(0, 16384, -16384, 32767, -32768, 2, 2, -1));
    EXPECT_THAT(read.remarks, ElementsAre(Mentions(32, 32768, 16)));
    const std::vector<double> wide = {0.25, -1};
    EXPECT_THAT(samples_of(through_file(SF_FORMAT_WAV | SF_FORMAT_DOUBLE, 1, wide, sf_write_double).array),
                ElementsAre(8192, -32768));
}

TEST(ReadWav, RefusesFloatsBeyondOneAndNamesTheFirst) {
    EXPECT_THAT(complaint_of_floats({0, 1, -20, 100}), HasSubstrs("sample 3 is -20", "--wav-scale counts"));
    EXPECT_THAT(complaint_of_floats({0, std::nextafter(1.0f, 2.0f)}), HasSubstr("sample 2 is 1.000000"));
    try {
        read_floats({0, 5});
        FAIL() << "no choice was required";
    } catch (const NeedsChoice& several) {
        ASSERT_EQ(several.question.answers.size(), 1u);
        EXPECT_TRUE(several.question.answers[0].choice.wav_counts);
    }
    // The other channel is not read, so its values beyond the range do not matter.
    const std::vector<float> stereo = {0.5f, 20, -0.5f, 30};
    EXPECT_THAT(
        samples_of(
            through_file(SF_FORMAT_WAV | SF_FORMAT_FLOAT, 2, stereo, sf_write_float, {.channel = 1}).array),
        ElementsAre(16384, -16384));
}

TEST(ReadWav, ReadsCountsUnscaled) {
    const FileChoice counts{.wav_counts = true};
    const Numbers floats = read_floats({0, 5, 20, 100, -30, 0.25f}, counts);
    EXPECT_THAT(doubles_of(floats), ElementsAre(0, 5, 20, 100, -30, 0.25));
    EXPECT_EQ(floats.selection, counted(6, "sample") + " as stored");
    EXPECT_THAT(floats.remarks, IsEmpty());
    const std::vector<int> wide = {0x12345600, -0x12345600, 0x100};
    EXPECT_THAT(doubles_of(through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_24, 1, wide, sf_write_int, counts)),
                ElementsAre(0x123456, -0x123456, 1));
    const std::vector<short> narrow = {0x1200, -0x1200};
    EXPECT_THAT(doubles_of(through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 1, narrow, sf_write_short, counts)),
                ElementsAre(0x12, -0x12));
    EXPECT_THAT(doubles_of(through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_16, 1, narrow, sf_write_short, counts)),
                ElementsAre(0x1200, -0x1200));
}

TEST(ReadWav, RefusesNonFiniteSamples) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()})
        for (const bool counts : {false, true})
            EXPECT_THAT(complaint_of_floats({0, 0.5f, value}, {.wav_counts = counts}),
                        HasSubstrs("sample 3", fmt::format("{}", value)));
}

TEST(ReadWav, RoundsWideIntegers) {
    // One step of 16 bits is 256 steps of 24 bits.
    const std::vector<int> wide = {0x12347F00,  0x12348100, -0x12347F00,
                                   -0x12348100, 0x7FFFFF00, -0x7FFFFF00 - 0x100};
    const Numbers read = through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_24, 1, wide, sf_write_int);
    EXPECT_THAT(samples_of(read.array), ElementsAre(0x1234, 0x1235, -0x1234, -0x1235, 32767, -32768));
    EXPECT_THAT(read.remarks, ElementsAre(Mentions(24, 16)));
    EXPECT_THAT(samples_of(through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_32, 1, wide, sf_write_int).array),
                ElementsAre(0x1234, 0x1235, -0x1234, -0x1235, 32767, -32768));
}

TEST(ReadWav, ReadsOtherWidthsAndContainers) {
    const std::vector<short> narrow = {0x1200, -0x1200};
    const Numbers bytes = through_file(SF_FORMAT_WAV | SF_FORMAT_PCM_U8, 1, narrow, sf_write_short);
    EXPECT_THAT(samples_of(bytes.array), ElementsAre(0x1200, -0x1200));
    EXPECT_THAT(bytes.remarks, ElementsAre(Mentions(8, 256)));
    const std::vector<short> stereo = {5, 6, -7, 8};
    const Numbers flac =
        through_file(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 2, stereo, sf_write_short, {.channel = 2});
    EXPECT_THAT(samples_of(flac.array), ElementsAre(6, 8));
    EXPECT_THAT(flac.remarks, IsEmpty());
    const Numbers law = through_file(SF_FORMAT_WAV | SF_FORMAT_ULAW, 1, narrow, sf_write_short);
    EXPECT_THAT(law.remarks, ElementsAre("The sound was decoded from µ-law."));
}

TEST(ParseWav, ReadsASoundOfUnknownLengthWithARemark) {
    constexpr const char* remark =
        "Its header does not state the length of the sound, so all of it was read: 2 samples.";
    // A recorder that writes to a pipe announces this length, because it does not know the real one.
    const Numbers read = parse_wav(wav(little_endian(7, 2) + little_endian(8, 2), 0xFFFFFFFFu), "s.wav");
    EXPECT_THAT(samples_of(read.array), ElementsAre(7, 8));
    EXPECT_THAT(read.remarks, ElementsAre(remark));
    // The number of samples has 36 bits in STREAMINFO, after "fLaC" and the block's header.
    std::string flac =
        file_of(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, std::vector<short>{7, 8}, sf_write_short);
    EXPECT_THAT(parse_wav(flac, "s.wav").remarks, IsEmpty());
    flac[21] = static_cast<char>(flac[21] & 0xF0);
    flac.replace(22, 4, 4, '\0');
    EXPECT_THAT(samples_of(parse_wav(flac, "s.wav").array), ElementsAre(7, 8));
    EXPECT_THAT(parse_wav(flac, "s.wav").remarks, ElementsAre(remark));
}

/// The sound ends within a sample, or within a sample of both channels.
TEST(ParseWav, RemarksOnATruncatedLastSample) {
    const std::vector<short> samples = {7, 8, 9, 10};
    const auto make_file = [&](int format) { return file_of(format, 1, samples, sf_write_short); };
    const auto remarks = [](const std::string& bytes, const FileChoice& choice = {}) {
        return parse_wav(bytes, "s.wav", choice).remarks;
    };
    const std::string data = little_endian(7, 2) + little_endian(8, 2);
    for (const std::uint32_t announced : {5u, 0xFFFFFFFFu}) {
        const std::string odd = wav(data + "x", announced);
        EXPECT_THAT(samples_of(parse_wav(odd, "s.wav").array), ElementsAre(7, 8));
        EXPECT_THAT(remarks(odd), Contains(Mentions("cut off", 1, 2)));
    }
    EXPECT_THAT(remarks(wav(data + "xyz", 7, 2), {.channel = 1}), ElementsAre(Mentions(2, 3, 4)));
    // The samples have 24 bits. AIFF and CAF have further bytes between the chunk's header and the samples.
    for (const int container : {SF_FORMAT_WAV, SF_FORMAT_AIFF, SF_FORMAT_CAF}) {
        std::string whole = make_file(container | SF_FORMAT_PCM_24);
        EXPECT_THAT(remarks(whole), ElementsAre(Mentions(24, 16))) << container;
        const std::size_t size_at = whole.find(container == SF_FORMAT_AIFF ? "SSND" : "data") + 4;
        whole[size_at + (container == SF_FORMAT_WAV ? 0 : container == SF_FORMAT_AIFF ? 3 : 7)] += 2;
        EXPECT_THAT(remarks(whole + "xyz"), Contains(Mentions("cut off", 2, 3))) << container;
    }
}

/// A truncated file is refused, unless the cut is after its sound.
TEST(ParseWav, RefusesTruncatedSoundOfAnyContainer) {
    std::vector<short> samples(1001);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<short>(7919 * i);
    for (const int format :
         {SF_FORMAT_WAV | SF_FORMAT_PCM_16, SF_FORMAT_WAV | SF_ENDIAN_BIG | SF_FORMAT_PCM_16,
          SF_FORMAT_WAVEX | SF_FORMAT_PCM_24, SF_FORMAT_RF64 | SF_FORMAT_PCM_16,
          SF_FORMAT_W64 | SF_FORMAT_PCM_16, SF_FORMAT_AIFF | SF_FORMAT_PCM_16,
          SF_FORMAT_AIFF | SF_FORMAT_PCM_24, SF_FORMAT_AU | SF_FORMAT_PCM_16,
          SF_FORMAT_CAF | SF_FORMAT_PCM_16, SF_FORMAT_CAF | SF_FORMAT_ALAC_16,
          SF_FORMAT_FLAC | SF_FORMAT_PCM_16, SF_FORMAT_SVX | SF_FORMAT_PCM_S8,
          SF_FORMAT_WAV | SF_FORMAT_IMA_ADPCM, SF_FORMAT_WAV | SF_FORMAT_MS_ADPCM,
          SF_FORMAT_WAV | SF_FORMAT_GSM610, SF_FORMAT_AU | SF_FORMAT_ULAW,
          SF_FORMAT_AIFF | SF_FORMAT_IMA_ADPCM}) {
        const std::string whole = file_of(format, 1, samples, sf_write_short);
        const std::vector<std::int16_t> right = samples_of(parse_wav(whole, "sound.wav").array);
        ASSERT_GE(right.size(), samples.size()) << fmt::format("{:x}", format);
        std::size_t refused = 0;
        for (std::size_t size = 0; size < whole.size(); ++size) {
            try {
                EXPECT_EQ(samples_of(parse_wav(whole.substr(0, size), "sound.wav").array), right)
                    << fmt::format("{:x}, {} of {} bytes", format, size, whole.size());
            } catch (const FileError&) {
                ++refused;
            }
        }
        EXPECT_GE(refused, whole.size() / 4) << fmt::format("{:x}", format);
    }
    const std::string flac = file_of(SF_FORMAT_FLAC | SF_FORMAT_PCM_16, 1, samples, sf_write_short);
    EXPECT_THAT(wav_complaint(flac.substr(0, flac.size() - 20)), Mentions("Copy"));
}

TEST(ParseWav, ErrorsNameTheFileAndTheReason) {
    const std::string whole = wav_of(std::vector<std::int16_t>(1000, 5));
    EXPECT_THAT(wav_complaint(whole.substr(0, 1044)), Mentions("sound.wav", 1000, 2000));
    EXPECT_THAT(wav_complaint(whole.substr(0, 30)), HasSubstrs("\"sound.wav\"", "16-bit PCM"));
    EXPECT_THAT(wav_complaint(wav("", 0)), HasSubstr("no sound"));
    EXPECT_THAT(wav_complaint(""), HasSubstr("empty"));
    EXPECT_THAT(wav_complaint("just some words\n"), Mentions("WAV"));
    for (const std::string& bytes :
         {whole.substr(0, 1044), whole.substr(0, 30), wav("", 0), std::string("x")}) {
        const std::string sentence = wav_complaint(bytes);
        EXPECT_EQ(sentence.back(), '.') << sentence;
        EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
    }
}

TEST(ReadWav, ReportsUnreadableAndTooLargeFiles) {
    const ScratchFolder folder;
    const auto complaint_about = [&](const std::filesystem::path& path) {
        return message_of<FileError>([&] { read_wav(path); });
    };
    EXPECT_THAT(complaint_about(folder / "missing.wav"), Mentions("no such"));
    EXPECT_THAT(complaint_about(folder.path()), Mentions("a folder"));
    write_file(folder / "empty.wav", "");
    EXPECT_THAT(complaint_about(folder / "empty.wav"), HasSubstr("empty"));
    write_file(folder / "sparse.wav", "RIFF");
    std::filesystem::resize_file(folder / "sparse.wav", std::uintmax_t{3} << 30);  // a sparse file
    EXPECT_THAT(complaint_about(folder / "sparse.wav"), HasSubstrs("3\u00A0GiB", "1\u00A0GiB"));
}

}  // namespace gridstride::wav_test
