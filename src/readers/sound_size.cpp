#include "readers/sound_size.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <string_view>

namespace gridstride {
namespace {

/// A format with a list of chunks, each with an id, a size and its contents.
struct Container {
    std::string_view magic;
    std::uint64_t first_chunk;
    std::size_t id_bytes, size_bytes;
    bool is_big_endian;
    bool size_includes_head;
    std::uint64_t alignment;    ///< of the start of a chunk
    std::string_view sound[2];  ///< the first bytes of the ids of chunks with sound
};
constexpr Container containers[] = {
    {"RIFF", 12, 4, 4, false, false, 2, {"data", "data"}},
    {"RIFX", 12, 4, 4, true, false, 2, {"data", "data"}},
    {"RF64", 12, 4, 4, false, false, 2, {"data", "data"}},
    {"riff", 40, 16, 8, false, true, 8, {"data", "data"}},
    {"FORM", 12, 4, 4, true, false, 2, {"SSND", "BODY"}},
    {"caff", 8, 4, 8, true, false, 1, {"data", "data"}},
};

std::optional<std::uint64_t> read_integer(ByteSource& file, std::uint64_t at, std::size_t bytes,
                                          bool is_big_endian) {
    std::array<char, 8> raw{};
    if (file.read_at(at, std::span(raw).first(bytes)) < bytes) return std::nullopt;
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < bytes; ++i)
        number = number << 8 | static_cast<unsigned char>(raw[is_big_endian ? i : bytes - 1 - i]);
    return number;
}

/// Programs that do not know the length yet write 0 or about the largest number.
bool is_unknown(std::uint64_t size, std::size_t size_bytes) {
    return size == 0 || size >= (size_bytes == 4 ? std::uint64_t{0x7FFF'0000} : std::uint64_t{1} << 62);
}

SoundSize make_sound_size(std::uint64_t declared_bytes, bool unknown, std::uint64_t present,
                          std::uint64_t before = 0) {
    return {unknown ? std::nullopt : std::optional(declared_bytes), present, before};
}

std::optional<SoundSize> find_sound_chunk(ByteSource& file, const Container& container) {
    // A damaged file may hold millions of empty chunks.
    constexpr int max_chunks = 10'000;
    const std::uint64_t head = container.id_bytes + container.size_bytes;
    const std::uint64_t end = file.reported_size();
    std::optional<std::uint64_t> wide_size;  // of RF64, whose 32-bit size field is too small
    std::uint64_t at = container.first_chunk;
    for (int i = 0; i < max_chunks; ++i) {
        std::array<char, 4> id{};
        const auto size =
            read_integer(file, at + container.id_bytes, container.size_bytes, container.is_big_endian);
        if (!size || file.read_at(at, id) < id.size() || at + head > end) return std::nullopt;
        const std::uint64_t rest = end - (at + head);
        const std::uint64_t overhead = container.size_includes_head ? head : 0;
        const std::uint64_t content = *size - std::min(overhead, *size);
        const std::string_view name(id.data(), id.size());
        if (name == "ds64") wide_size = read_integer(file, at + head + 8, 8, false);
        if (std::ranges::find(container.sound, name) != std::end(container.sound)) {
            if (wide_size && *size == 0xFFFF'FFFF)
                return make_sound_size(*wide_size, is_unknown(*wide_size, 8), rest);
            // Skip AIFF's offset and block size, and CAF's edit count.
            const std::uint64_t before = name == "SSND" ? 8 : container.magic == "caff" ? 4 : 0;
            return make_sound_size(content, is_unknown(*size, container.size_bytes), rest, before);
        }
        if (content > rest) return std::nullopt;
        at += head + content;
        at += (container.alignment - at % container.alignment) % container.alignment;
    }
    return std::nullopt;
}

}  // namespace

std::optional<SoundSize> read_sound_size(ByteSource& file) {
    std::array<char, 4> begin{};
    const std::string_view magic(begin.data(), file.read_at(0, begin));
    if (magic == ".snd") {
        const auto where = read_integer(file, 4, 4, true), size = read_integer(file, 8, 4, true);
        if (!where || !size || *where > file.reported_size()) return std::nullopt;
        return make_sound_size(*size, is_unknown(*size, 4), file.reported_size() - *where);
    }
    const auto* const container = std::ranges::find(containers, magic, &Container::magic);
    return container == std::end(containers) ? std::nullopt : find_sound_chunk(file, *container);
}

}  // namespace gridstride
