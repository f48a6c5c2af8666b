#include "gpu/processor_cache.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace gridstride::gpu {

namespace {

/// "32768K" as bytes; 0 when it is no size.
std::uint64_t bytes_of(const std::string& text) {
    std::uint64_t number = 0;
    std::size_t at = 0;
    // Ten digits are more than any cache has.
    for (; at < text.size() && at < 10 && text[at] >= '0' && text[at] <= '9'; ++at)
        number = number * 10 + static_cast<std::uint64_t>(text[at] - '0');
    if (at == 0) return 0;
    const char unit = at < text.size() ? text[at] : ' ';
    return number << (unit == 'G' ? 30 : unit == 'M' ? 20 : unit == 'K' ? 10 : 0);
}

std::string first_word(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string word;
    stream >> word;
    return word;
}

}  // namespace

std::uint64_t processor_cache_bytes(const std::filesystem::path& folder) {
    std::uint64_t largest = 0;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (first_word(entry->path() / "type") == "Instruction") continue;
        largest = std::max(largest, bytes_of(first_word(entry->path() / "size")));
    }
    return largest;
}

}  // namespace gridstride::gpu
