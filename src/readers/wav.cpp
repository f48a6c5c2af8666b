#include "readers/wav.h"

#include <fmt/format.h>
#include <sndfile.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "base/error.h"
#include "base/format_exact.h"
#include "base/input_file.h"
#include "base/text.h"
#include "base/units.h"
#include "readers/sound_size.h"

namespace gridstride {
namespace {

constexpr std::uintmax_t max_sound_bytes = std::uintmax_t{1} << 30;
/// The number of samples of all channels to decode at a time. libsndfile supports up to 1024 channels.
constexpr std::size_t samples_at_a_time = 1 << 16;

/// Returns true for the containers that libsndfile may read, by their first bytes: all kinds of WAV, AIFF,
/// AU, CAF and FLAC. Some of libsndfile's other readers print to stdout or leak memory for damaged files.
bool is_known_container(ByteSource& file) {
    constexpr std::string_view known[] = {"RIFF", "RIFX", "RF64", "riff", "FORM", ".snd", "caff", "fLaC"};
    std::array<char, 4> begin{};
    const std::string_view bytes(begin.data(), file.read_at(0, begin));
    return std::any_of(std::begin(known), std::end(known),
                       [&](std::string_view magic) { return bytes.starts_with(magic); });
}

/// libsndfile's access to a file. Exceptions are stored, since they must not pass through its C code.
struct SoundSource {
    ByteSource& file;
    std::uint64_t at = 0;
    std::exception_ptr thrown = nullptr;

    /// Must be called after every call of libsndfile.
    void rethrow() const {
        if (thrown) std::rethrow_exception(thrown);
        file.throw_if_cancelled();
    }
};

SoundSource& source_of(void* user) {
    return *static_cast<SoundSource*>(user);
}

SF_VIRTUAL_IO make_virtual_io() {
    SF_VIRTUAL_IO io{};
    io.get_filelen = [](void* user) { return static_cast<sf_count_t>(source_of(user).file.reported_size()); };
    io.seek = [](sf_count_t offset, int whence, void* user) {
        SoundSource& v = source_of(user);
        const auto size = static_cast<sf_count_t>(v.file.reported_size());
        const auto here = static_cast<sf_count_t>(v.at);
        const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? here : size;
        // A damaged header can seek anywhere: the sum must not overflow.
        sf_count_t frames_to_read = 0;
        if (__builtin_add_overflow(from, offset, &frames_to_read)) frames_to_read = offset < 0 ? 0 : size;
        v.at = static_cast<std::uint64_t>(std::clamp<sf_count_t>(frames_to_read, 0, size));
        return static_cast<sf_count_t>(v.at);
    };
    io.read = [](void* to, sf_count_t count, void* user) {
        SoundSource& v = source_of(user);
        if (count <= 0 || v.thrown) return sf_count_t{0};
        try {
            const std::size_t frames_read =
                v.file.read_at(v.at, {static_cast<char*>(to), static_cast<std::size_t>(count)});
            v.at += frames_read;
            return static_cast<sf_count_t>(frames_read);
        } catch (...) {
            v.thrown = std::current_exception();
            return sf_count_t{0};
        }
    };
    io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
    io.tell = [](void* user) { return static_cast<sf_count_t>(source_of(user).at); };
    return io;
}

struct SoundFileCloser {
    void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, SoundFileCloser>;

/// Returns libsndfile's error message without its final full stop.
std::string sound_error(SNDFILE* file) {
    std::string text = printable(sf_strerror(file));
    text.erase(text.find_last_not_of(". ?") + 1);
    return text.empty() ? "damaged" : text;
}

struct Storage {
    int format;
    const char* name;
    int bits;        ///< of an integer; 0 for floats
    int bytes;       ///< per sample; 0 for codecs without a fixed size
    bool is_direct;  ///< samples are stored directly, not decoded by a codec
};
constexpr Storage storages[] = {
    {SF_FORMAT_PCM_16, "16 bits", 16, 2, true},      {SF_FORMAT_PCM_S8, "8 bits", 8, 1, true},
    {SF_FORMAT_PCM_U8, "8 bits", 8, 1, true},        {SF_FORMAT_PCM_24, "24 bits", 24, 3, true},
    {SF_FORMAT_PCM_32, "32 bits", 32, 4, true},      {SF_FORMAT_FLOAT, "32-bit floats", 0, 4, true},
    {SF_FORMAT_DOUBLE, "64-bit floats", 0, 8, true}, {SF_FORMAT_ALAW, "A-law", 16, 1, false},
    {SF_FORMAT_ULAW, "µ-law", 16, 1, false},         {SF_FORMAT_IMA_ADPCM, "IMA ADPCM", 16, 0, false},
    {SF_FORMAT_MS_ADPCM, "MS ADPCM", 16, 0, false},  {SF_FORMAT_GSM610, "GSM 6.10", 16, 0, false},
};

Storage find_storage(int format) {
    const auto* const found = std::ranges::find(storages, format & SF_FORMAT_SUBMASK, &Storage::format);
    return found == std::end(storages) ? Storage{format, "a codec", 16, 0, false} : *found;
}

[[noreturn]] void refuse_too_long(const std::string& file_name) {
    throw_file_error(file_name, fmt::format("it has more than {} samples per channel. Use a part of it",
                                            max_numbers_in_file));
}

class ChannelReader {
 public:
    ChannelReader(SNDFILE* file, const SoundSource& source, const SF_INFO& info,
                  std::optional<std::uint64_t> declared, const std::optional<SoundSize>& stored,
                  const std::string& file_name, const FileChoice& choice)
        : file_(file),
          source_(source),
          file_name_(file_name),
          choice_(choice),
          storage_(find_storage(info.format)),
          channels_(static_cast<std::size_t>(info.channels)),
          declared_(declared),
          stored_(stored) {}

    /// Reads the channel. `expected` is only a hint for the number of samples, since headers can be wrong.
    Numbers read(std::size_t expected) {
        const std::size_t channel = select_channel();
        Numbers numbers;
        if (choice_.wav_counts)
            numbers.array =
                read_samples<double>(channel, expected, [&](double sample) { return sample * counts(); });
        else
            numbers.array =
                read_samples<std::int16_t>(channel, expected, [&](double sample) { return to_i16(sample); });
        numbers.selection = fmt::format(
            "{}{}{}",
            channels_ == 1 ? "" : fmt::format("channel {} of {}, ", channel + 1, format_count(channels_)),
            counted(numbers.array.count(), "sample"), choice_.wav_counts ? " as stored" : "");
        if (!declared_)
            numbers.remarks.push_back(
                fmt::format("Its header does not state the length of the sound, so all of it was read: {}.",
                            counted(numbers.array.count(), "sample")));
        for (std::string text : {remark(), truncation_remark(numbers.array.count())})
            if (!text.empty()) numbers.remarks.push_back(std::move(text));
        return numbers;
    }

 private:
    std::size_t select_channel() const {
        if (choice_.channel > channels_)
            throw_file_error(file_name_, fmt::format("it has no channel {}; it has {}. Choose one of them",
                                                     choice_.channel, counted(channels_, "channel")));
        if (choice_.channel > 0) return choice_.channel - 1;
        if (channels_ == 1) return 0;
        FileQuestion question{
            fmt::format("it has {} channels; only one can be read.", format_count(channels_)),
            fmt::format("Give --channel 1 to --channel {}.", channels_),
            {},
            {}};
        for (std::uint32_t channel = 1; channel <= channels_; ++channel) {
            FileChoice choice = choice_;
            choice.channel = channel;
            question.answers.push_back({fmt::format("Channel {}", channel), choice});
        }
        throw NeedsChoice(file_name_, std::move(question));
    }

    /// Returns the factor from libsndfile's samples, -1 to 1, to stored ones.
    double counts() const { return storage_.bits == 0 ? 1 : std::ldexp(1, storage_.bits - 1); }

    std::int16_t to_i16(double sample) {
        if (storage_.bits == 0 && std::abs(sample) > 1) throw_scale_question(sample);
        // A lossy codec can overshoot.
        if (std::abs(sample) > 1) ++clipped_;
        return static_cast<std::int16_t>(std::clamp(std::nearbyint(sample * 32768), -32768.0, 32767.0));
    }

    [[noreturn]] void throw_scale_question(double sample) const {
        FileChoice counts = choice_;
        counts.wav_counts = true;
        throw NeedsChoice(file_name_,
                          {fmt::format("sample {} is {}, beyond full scale, which is -1 to 1 for floats.",
                                       sample_index_ + 1, format_exact(sample)),
                           "Scale the samples down, or give --wav-scale counts to read them as stored.",
                           {},
                           {{"Read the samples as stored, as counts", counts}}});
    }

    template <class T, class Of>
    Array read_samples(std::size_t channel, std::size_t expected, const Of& of) {
        const std::size_t frames = std::max<std::size_t>(1, samples_at_a_time / channels_);
        // f64 holds integers exactly too, as fractions of their range.
        std::vector<double> samples(frames * channels_);
        std::vector<T> all;
        all.reserve(expected);
        while (true) {
            const sf_count_t frames_read =
                sf_readf_double(file_, samples.data(), static_cast<sf_count_t>(frames));
            source_.rethrow();
            // The next read would clear the error.
            if (sf_error(file_) != SF_ERR_NO_ERROR)
                throw_file_error(
                    file_name_,
                    fmt::format("it cannot be read after sample {} ({}). Copy or record "
                                "it again",
                                all.size() + static_cast<std::size_t>(std::max<sf_count_t>(frames_read, 0)),
                                sound_error(file_)));
            if (frames_read <= 0) break;
            if (static_cast<std::size_t>(frames_read) > max_numbers_in_file - all.size())
                refuse_too_long(file_name_);
            for (std::size_t i = 0; i < static_cast<std::size_t>(frames_read); ++i) {
                const double sample = samples[i * channels_ + channel];
                sample_index_ = all.size();
                if (!std::isfinite(sample))
                    throw_file_error(file_name_,
                                     fmt::format("sample {} of channel {} is {}, which is not a valid "
                                                 "sample. Remove or replace it",
                                                 sample_index_ + 1, channel + 1, sample));
                all.push_back(of(sample));
            }
        }
        if (all.size() < declared_.value_or(0))
            throw_file_error(
                file_name_,
                fmt::format("it ends after {} of the {} samples that its header declares. Copy or "
                            "record it again",
                            all.size(), *declared_));
        if (all.empty()) throw_file_error(file_name_, "it has no sound. Choose a file with samples in it");
        return Array::of<T>(all);
    }

    std::string remark() const {
        if (!storage_.is_direct)
            return fmt::format(
                "The sound was decoded from {}{}.", storage_.name,
                clipped_ == 0 ? ""
                              : fmt::format("; {} beyond full scale clipped", counted(clipped_, "sample")));
        if (choice_.wav_counts || storage_.bits == 16) return {};
        if (storage_.bits == 0)
            return fmt::format("Its {} were multiplied by 32768 and rounded to 16 bits.", storage_.name);
        return storage_.bits < 16 ? fmt::format("Its samples of {} were multiplied by 256.", storage_.name)
                                  : fmt::format("Its samples of {} were rounded to 16 bits.", storage_.name);
    }

    /// Returns a remark if the sound ends within a sample or a frame, or an empty string.
    std::string truncation_remark(std::uint64_t samples) const {
        if (!stored_) return {};
        const std::uint64_t each = static_cast<std::uint64_t>(storage_.bytes) * channels_;
        const std::uint64_t read = stored_->before + samples * each;
        const std::uint64_t bytes = stored_->bytes.value_or(stored_->present);
        if (bytes <= read || bytes - read >= each) return {};
        return fmt::format("Its last sample{} is cut off after {} of {} bytes and was left out.",
                           channels_ == 1 ? "" : fmt::format(" of {} channels", channels_), bytes - read,
                           each);
    }

    SNDFILE* file_;
    const SoundSource& source_;
    const std::string& file_name_;
    const FileChoice& choice_;
    Storage storage_;
    std::size_t channels_;
    std::optional<std::uint64_t> declared_;  ///< samples a channel; nullopt: the header does not say
    const std::optional<SoundSize>& stored_;
    std::size_t sample_index_ = 0;  ///< the index of the current sample
    std::uint64_t clipped_ = 0;     ///< samples of a codec beyond full scale
};

}  // namespace

Numbers read_wav(ByteSource& bytes, const std::string& file_name, const FileChoice& choice) {
    if (bytes.reported_size() == 0)
        throw_file_error(file_name, "the file is empty. Choose a .wav file with sound in it");
    if (!is_known_container(bytes))
        throw_file_error(file_name, "this is not a WAV file. Save the sound as WAV, 16-bit PCM");
    const std::optional<SoundSize> sound = read_sound_size(bytes);
    if (sound && sound->bytes && *sound->bytes > sound->present) {
        throw_file_error(
            file_name, fmt::format("it ends after {} of the {} bytes of sound that its header declares. Copy "
                                   "or record it again",
                                   sound->present, *sound->bytes));
    }
    SF_VIRTUAL_IO io = make_virtual_io();
    SoundSource source{bytes};
    SF_INFO info{};
    const SoundFile file(sf_open_virtual(&io, SFM_READ, &info, &source));
    source.rethrow();
    if (!file) {
        throw_file_error(file_name,
                         fmt::format("it cannot be read as sound ({}). Save it as a WAV file of 16-bit PCM",
                                     sound_error(nullptr)));
    }
    if (info.channels < 1)
        throw_file_error(file_name, "it has no channel. Save it as a WAV file of 16-bit PCM");
    std::optional<std::uint64_t> declared;
    // libsndfile reports SF_COUNT_MAX for a FLAC that does not state its length.
    if (info.frames != SF_COUNT_MAX && (!sound || sound->bytes))
        declared = static_cast<std::uint64_t>(std::max<sf_count_t>(info.frames, 0));
    if (declared.value_or(0) > max_numbers_in_file) refuse_too_long(file_name);
    try {
        // No format in a .wav packs more than 8 samples into a byte.
        const std::uint64_t expected = std::min(declared.value_or(0), 8 * bytes.reported_size());
        return ChannelReader(file.get(), source, info, declared, sound, file_name, choice)
            .read(static_cast<std::size_t>(expected));
    } catch (const std::bad_alloc&) {
        throw_file_error(file_name, "there is not enough free memory for its sound. Use a part of it");
    }
}

Numbers parse_wav(std::string_view bytes, const std::string& file_name, const FileChoice& choice) {
    BytesInMemory source(bytes);
    return read_wav(source, file_name, choice);
}

Numbers read_wav(const std::filesystem::path& path, const FileChoice& choice, FileProgress* progress) {
    InputFile file(path, max_sound_bytes, progress);
    return read_wav(file, path.string(), choice);
}

}  // namespace gridstride
