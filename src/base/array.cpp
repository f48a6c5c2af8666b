#include "base/array.h"

#include <fmt/format.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/parallel_for.h"

namespace gridstride {
namespace {

// A cache line: more than the 16 bytes that vector loads need.
constexpr std::align_val_t alignment{64};

std::size_t checked_bytes(std::size_t count, std::size_t element_bytes) {
    if (count > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) / element_bytes) {
        throw std::bad_alloc();
    }
    return count * element_bytes;
}

static_assert(std::endian::native == std::endian::little, "the checksum is of little endian numbers");

/// Blocks are always the same, so that cores can share the work; zlib joins their checksums.
constexpr std::size_t checksum_block = std::size_t{1} << 16, conversion_chunk = 1024;

double normalize_number(double number) {
    if (std::isnan(number)) return std::numeric_limits<double>::quiet_NaN();
    const bool whole = number == std::trunc(number);
    return (whole ? number : double{static_cast<float>(number)}) + 0.0;  // -0 + 0 is 0
}

uLong compute_block_checksum(const Array& numbers, std::size_t begin, std::size_t end) {
    std::array<double, conversion_chunk> converted{};
    uLong checksum = crc32(0, nullptr, 0);
    for (std::size_t first = begin; first < end; first += conversion_chunk) {
        const auto part = std::span(converted).first(std::min(conversion_chunk, end - first));
        numbers.numbers(first, part);
        std::transform(part.begin(), part.end(), part.begin(), normalize_number);
        checksum = crc32(checksum, reinterpret_cast<const Bytef*>(part.data()),
                         static_cast<uInt>(part.size_bytes()));
    }
    return checksum;
}

}  // namespace

std::string_view name(ElementType type) {
    static constexpr std::array<std::string_view, 9> names = {"u8",  "i8",  "i16", "i32", "u32",
                                                              "u64", "f16", "f32", "f64"};
    return names.at(static_cast<std::size_t>(type));
}

std::size_t byte_size(ElementType type) {
    return std::visit([](auto element) { return sizeof element; },
                      element_prototypes.at(static_cast<std::size_t>(type)));
}

void Array::Deleter::operator()(std::byte* p) const {
    ::operator delete[](p, alignment);
}

Array::Array(ElementType type, std::size_t count) : type_(type), count_(count) {
    const std::size_t bytes = checked_bytes(count, byte_size(type));
    if (bytes >= shared_bytes)
        shared_ = SharedMemory(bytes);
    else if (bytes > 0)
        storage_.reset(static_cast<std::byte*>(::operator new[](bytes, alignment)));
}

Array::Array(ElementType type, std::size_t count, SharedMemory memory)
    : type_(type), count_(count), shared_(std::move(memory)) {
    if (shared_.mapped().size() < checked_bytes(count, byte_size(type)))
        throw std::logic_error(fmt::format("The memory has {} bytes; the array needs {}.",
                                           shared_.mapped().size(), count * byte_size(type)));
}

void Array::numbers(std::size_t first, std::span<double> into) const {
    if (first > count_ || into.size() > count_ - first)
        throw std::out_of_range(fmt::format("Elements {} to {} do not exist: the array has {}.", first,
                                            first + into.size() - 1, count_));
    visit([&](auto elements) {
        const auto slice = elements.subspan(first, into.size());
        std::transform(slice.begin(), slice.end(), into.begin(),
                       [](auto element) { return static_cast<double>(element); });
    });
}

void Array::require_type(ElementType required_type) const {
    if (required_type == type_) return;
    throw std::logic_error("This array holds " + std::string(name(type_)) + ", not " +
                           std::string(name(required_type)) + ".");
}

std::uint32_t compute_checksum(const Array& numbers, FileProgress* progress) {
    const auto block_end = [&](std::size_t b) { return std::min((b + 1) * checksum_block, numbers.count()); };
    std::vector<uLong> checksums((numbers.count() + checksum_block - 1) / checksum_block);
    parallel_for(checksums.size(), 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t b = begin; b < end; ++b) {
            if (progress) progress->advance(0);
            checksums[b] = compute_block_checksum(numbers, b * checksum_block, block_end(b));
        }
    });
    uLong all = crc32(0, nullptr, 0);
    for (std::size_t b = 0; b < checksums.size(); ++b)
        all = crc32_combine(all, checksums[b],
                            static_cast<z_off_t>((block_end(b) - b * checksum_block) * sizeof(double)));
    return static_cast<std::uint32_t>(all);
}

}  // namespace gridstride
