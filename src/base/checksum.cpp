#include "base/checksum.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel_for.h"

namespace gridstride {
namespace {

static_assert(std::endian::native == std::endian::little, "the checksum is of little endian numbers");

/// Blocks are always the same, so that cores can share the work; zlib joins their checksums.
constexpr std::size_t block = std::size_t{1} << 16, converted_at_once = 1024;

double as_lessons_see_it(double number) {
    if (std::isnan(number)) return std::numeric_limits<double>::quiet_NaN();
    const bool whole = number == std::trunc(number);
    return (whole ? number : double{static_cast<float>(number)}) + 0.0;  // -0 + 0 is 0
}

uLong checksum_of_block(const Array& numbers, std::size_t begin, std::size_t end) {
    std::array<double, converted_at_once> converted{};
    uLong checksum = crc32(0, nullptr, 0);
    for (std::size_t first = begin; first < end; first += converted_at_once) {
        const auto part = std::span(converted).first(std::min(converted_at_once, end - first));
        numbers.numbers(first, part);
        std::transform(part.begin(), part.end(), part.begin(), as_lessons_see_it);
        checksum = crc32(checksum, reinterpret_cast<const Bytef*>(part.data()),
                         static_cast<uInt>(part.size_bytes()));
    }
    return checksum;
}

}  // namespace

std::uint32_t checksum_of_numbers(const Array& numbers) {
    const auto end_of = [&](std::size_t b) { return std::min((b + 1) * block, numbers.count()); };
    std::vector<uLong> checksums((numbers.count() + block - 1) / block);
    parallel_for(checksums.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b)
            checksums[b] = checksum_of_block(numbers, b * block, end_of(b));
    });
    uLong all = crc32(0, nullptr, 0);
    for (std::size_t b = 0; b < checksums.size(); ++b)
        all =
            crc32_combine(all, checksums[b], static_cast<z_off_t>((end_of(b) - b * block) * sizeof(double)));
    return static_cast<std::uint32_t>(all);
}

}  // namespace gridstride
