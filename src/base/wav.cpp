#include "base/wav.h"

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
#include "base/input_file.h"
#include "base/text.h"

namespace gridstride {
namespace {

constexpr std::uintmax_t most_sound_bytes = std::uintmax_t{1} << 30;
/// Of all channels together, decoded at a time. libsndfile takes up to 1024 channels.
constexpr std::size_t samples_at_a_time = 1 << 16;

/// The containers of PCM that libsndfile is asked to read, by their first bytes: WAV in its kinds, AIFF, AU,
/// CAF and FLAC. It knows others, some of whose readers print what they find or lose memory on damaged files.
bool known_container(ByteSource& file) {
    constexpr std::string_view known[] = {"RIFF", "RIFX", "RF64", "riff", "FORM", ".snd", "caff", "fLaC"};
    std::array<char, 4> begin{};
    const std::string_view bytes(begin.data(), file.read_at(0, begin));
    return std::any_of(std::begin(known), std::end(known),
                       [&](std::string_view magic) { return bytes.starts_with(magic); });
}

/// Sound that a RIFF file announces and does not hold. libsndfile plays what is there and says nothing; a
/// lesson would then measure half of a recording.
struct Missing {
    std::uint64_t announced, there;
};
std::optional<Missing> missing_sound(ByteSource& file) {
    std::array<char, 12> begin{};
    const std::string_view bytes(begin.data(), file.read_at(0, begin));
    if (!bytes.starts_with("RIFF") || bytes.size() < 12 || bytes.substr(8, 4) != "WAVE") return std::nullopt;
    // A damaged file may hold millions of empty chunks.
    constexpr int most_chunks = 10'000;
    std::uint64_t at = 12;
    for (int i = 0; i < most_chunks; ++i) {
        std::array<char, 8> chunk{};
        if (file.read_at(at, chunk) < chunk.size()) break;
        std::uint32_t size = 0;
        std::memcpy(&size, chunk.data() + 4, sizeof size);
        const std::uint64_t rest = std::max(file.stated_size(), at + 8) - (at + 8);
        if (std::string_view(chunk.data(), 4) == "data") {
            // Who writes into a pipe does not know the length and announces the greatest there is.
            const bool unknown = size >= 0x7FFF0000u;
            if (size > rest && !unknown) return Missing{size, rest};
            return std::nullopt;
        }
        if (size > rest) return std::nullopt;
        at += std::uint64_t{8} + size + size % 2;  // chunks begin at even places
    }
    return std::nullopt;
}

/// libsndfile's view of a file. No exception may go through its C code.
struct View {
    ByteSource& file;
    std::uint64_t at = 0;
    std::exception_ptr thrown = nullptr;

    /// To be called whenever libsndfile has come back.
    void rethrow() const {
        if (thrown) std::rethrow_exception(thrown);
        file.throw_if_cancelled();
    }
};

View& view(void* user) {
    return *static_cast<View*>(user);
}

SF_VIRTUAL_IO view_io() {
    SF_VIRTUAL_IO io{};
    io.get_filelen = [](void* user) { return static_cast<sf_count_t>(view(user).file.stated_size()); };
    io.seek = [](sf_count_t offset, int whence, void* user) {
        View& v = view(user);
        const auto size = static_cast<sf_count_t>(v.file.stated_size());
        const auto here = static_cast<sf_count_t>(v.at);
        const sf_count_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? here : size;
        // A damaged header can ask for any place: the sum must not overflow.
        sf_count_t wanted = 0;
        if (__builtin_add_overflow(from, offset, &wanted)) wanted = offset < 0 ? 0 : size;
        v.at = static_cast<std::uint64_t>(std::clamp<sf_count_t>(wanted, 0, size));
        return static_cast<sf_count_t>(v.at);
    };
    io.read = [](void* to, sf_count_t count, void* user) {
        View& v = view(user);
        if (count <= 0 || v.thrown) return sf_count_t{0};
        try {
            const std::size_t got =
                v.file.read_at(v.at, {static_cast<char*>(to), static_cast<std::size_t>(count)});
            v.at += got;
            return static_cast<sf_count_t>(got);
        } catch (...) {
            v.thrown = std::current_exception();
            return sf_count_t{0};
        }
    };
    io.write = [](const void*, sf_count_t, void*) { return sf_count_t{0}; };
    io.tell = [](void* user) { return static_cast<sf_count_t>(view(user).at); };
    return io;
}

struct Close {
    void operator()(SNDFILE* file) const { sf_close(file); }
};
using SoundFile = std::unique_ptr<SNDFILE, Close>;

/// libsndfile's words, without a full stop of its own.
std::string reason_of(SNDFILE* file) {
    std::string text = printable(sf_strerror(file));
    text.erase(text.find_last_not_of(". ?") + 1);
    return text.empty() ? "damaged" : text;
}

/// Whether samples are stored as fractions of one, which are rounded; of integers the upper 16 bits are kept.
bool holds_fractions(int format) {
    constexpr int fractions[] = {SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE, SF_FORMAT_MPEG_LAYER_I,
                                 SF_FORMAT_MPEG_LAYER_II, SF_FORMAT_MPEG_LAYER_III};
    return std::find(std::begin(fractions), std::end(fractions), format & SF_FORMAT_SUBMASK) !=
           std::end(fractions);
}

[[noreturn]] void too_long(const std::string& file_name) {
    refuse_file(file_name, fmt::format("it holds more than {} samples a channel. Cut out a part of it",
                                       most_numbers_in_file));
}

/// Grows with what was decoded: a header may announce anything, `expected` is a hint.
std::vector<std::int16_t> first_channel(SNDFILE* file, const View& source, const SF_INFO& info,
                                        std::size_t expected, const std::string& file_name) {
    const auto channels = static_cast<std::size_t>(info.channels);
    const bool fractions = holds_fractions(info.format);
    const std::size_t frames = std::max<std::size_t>(1, samples_at_a_time / channels);
    std::vector<double> samples(frames * channels);  // of integers too: exact, as fractions of their range
    std::vector<std::int16_t> channel;
    channel.reserve(expected);
    while (true) {
        const sf_count_t got = sf_readf_double(file, samples.data(), static_cast<sf_count_t>(frames));
        source.rethrow();
        if (got <= 0) return channel;
        if (static_cast<std::size_t>(got) > most_numbers_in_file - channel.size()) too_long(file_name);
        for (std::size_t i = 0; i < static_cast<std::size_t>(got); ++i) {
            const double sample = samples[i * channels];
            if (!std::isfinite(sample))
                refuse_file(file_name,
                            fmt::format("sample {} of its first channel is {}, which 16 bits cannot hold. "
                                        "Remove or replace it",
                                        channel.size() + 1, sample));
            const double scaled = std::clamp(sample * 32768.0, -32768.0, 32767.0);
            channel.push_back(
                static_cast<std::int16_t>(fractions ? std::nearbyint(scaled) : std::floor(scaled)));
        }
    }
}

}  // namespace

Array read_wav(ByteSource& bytes, const std::string& file_name) {
    if (bytes.stated_size() == 0)
        refuse_file(file_name, "the file is empty. Choose a .wav file with sound in it");
    if (!known_container(bytes))
        refuse_file(file_name, "this is no WAV file. Save the sound as WAV, 16-bit PCM");
    if (const std::optional<Missing> missing = missing_sound(bytes)) {
        refuse_file(file_name,
                    fmt::format("it ends after {} of the {} bytes of sound that its header announces. Copy "
                                "or record it again",
                                missing->there, missing->announced));
    }
    SF_VIRTUAL_IO io = view_io();
    View source{bytes};
    SF_INFO info{};
    const SoundFile file(sf_open_virtual(&io, SFM_READ, &info, &source));
    source.rethrow();
    if (!file) {
        refuse_file(file_name,
                    fmt::format("it cannot be read as sound ({}). Save it as a WAV file of 16-bit PCM",
                                reason_of(nullptr)));
    }
    if (info.channels < 1) refuse_file(file_name, "it has no channel. Save it as a WAV file of 16-bit PCM");
    if (info.frames > static_cast<sf_count_t>(most_numbers_in_file)) too_long(file_name);
    try {
        // No format that is stored in a .wav packs more than 8 samples into a byte.
        const std::size_t expected = std::min(static_cast<std::size_t>(std::max<sf_count_t>(info.frames, 0)),
                                              static_cast<std::size_t>(8 * bytes.stated_size()));
        const std::vector<std::int16_t> samples =
            first_channel(file.get(), source, info, expected, file_name);
        if (samples.empty())
            refuse_file(file_name, "it holds no sound. Choose a recording with samples in it");
        return Array::of<std::int16_t>(samples);
    } catch (const std::bad_alloc&) {
        refuse_file(file_name, "its sound does not fit into the memory that is free. Cut out a part of it");
    }
}

Array parse_wav(std::string_view bytes, const std::string& file_name) {
    BytesInMemory source(bytes);
    return read_wav(source, file_name);
}

Array read_wav(const std::filesystem::path& path, FileProgress* progress) {
    InputFile file(path, most_sound_bytes, progress);
    return read_wav(file, path.string());
}

}  // namespace gridstride
