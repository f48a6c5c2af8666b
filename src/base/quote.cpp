#include "base/quote.h"

#include <cstddef>
#include <cstdint>

namespace gridstride {
namespace {

/// The bytes of the UTF-8 character that starts at text[0]; 0 when there is none (RFC 3629: no overlong
/// forms, no surrogates, nothing above U+10FFFF).
std::size_t character_size(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t lead = byte(0);
    if (lead < 0x80) return 1;
    const std::size_t size = lead >= 0xC2 && lead <= 0xDF   ? 2
                             : (lead & 0xF0) == 0xE0        ? 3
                             : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                            : 0;
    if (size == 0 || text.size() < size) return 0;
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80) return 0;
    }
    if (lead == 0xE0 && byte(1) < 0xA0) return 0;
    if (lead == 0xED && byte(1) > 0x9F) return 0;
    if (lead == 0xF0 && byte(1) < 0x90) return 0;
    if (lead == 0xF4 && byte(1) > 0x8F) return 0;
    return size;
}

/// Appends characters until `out` holds about `limit` bytes; returns the bytes of text that were used.
std::size_t append_printable(std::string& out, std::string_view text, std::size_t limit) {
    std::size_t used = 0;
    while (used < text.size() && out.size() < limit) {
        const std::string_view rest = text.substr(used);
        const std::size_t size = character_size(rest);
        const auto first = static_cast<std::uint8_t>(rest[0]);
        if (size == 0 || first < 0x20 || first == 0x7F) {
            out += '?';
            used += 1;
        } else {
            out += rest.substr(0, size);
            used += size;
        }
    }
    return used;
}

}  // namespace

std::string printable(std::string_view text) {
    std::string out;
    append_printable(out, text, std::string::npos);
    return out;
}

std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    return text;
}

std::string quoted_text(std::string_view text) {
    std::string out = "\"";
    const std::size_t used = append_printable(out, text, 60);
    if (used < text.size()) out += "…";
    return out + '"';
}

std::string quoted_path(const std::filesystem::path& path) {
    return '"' + printable(path.native()) + '"';
}

}  // namespace gridstride
