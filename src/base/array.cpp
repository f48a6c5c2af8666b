#include "base/array.h"

#include <limits>
#include <new>
#include <string>

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

}  // namespace

std::string_view name(ElementType type) {
    switch (type) {
        case ElementType::u8:
            return "u8";
        case ElementType::i16:
            return "i16";
        case ElementType::i32:
            return "i32";
        case ElementType::u32:
            return "u32";
        case ElementType::u64:
            return "u64";
        case ElementType::f32:
            return "f32";
        case ElementType::f64:
            return "f64";
    }
    throw std::logic_error("not an element type");
}

std::size_t byte_size(ElementType type) {
    switch (type) {
        case ElementType::u8:
            return 1;
        case ElementType::i16:
            return 2;
        case ElementType::i32:
        case ElementType::u32:
        case ElementType::f32:
            return 4;
        case ElementType::u64:
        case ElementType::f64:
            return 8;
    }
    throw std::logic_error("not an element type");
}

void Array::Free::operator()(std::byte* p) const {
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
        throw std::logic_error("The memory is smaller than the array.");
}

void Array::numbers(std::size_t first, std::span<double> into) const {
    if (first > count_ || into.size() > count_ - first)
        throw std::out_of_range("The array ends before these elements.");
    const auto convert = [&]<class T>(std::span<const T> elements) {
        const std::span<const T> wanted = elements.subspan(first, into.size());
        std::transform(wanted.begin(), wanted.end(), into.begin(),
                       [](T element) { return static_cast<double>(element); });
    };
    switch (type_) {
        case ElementType::u8:
            return convert(as<std::uint8_t>());
        case ElementType::i16:
            return convert(as<std::int16_t>());
        case ElementType::i32:
            return convert(as<std::int32_t>());
        case ElementType::u32:
            return convert(as<std::uint32_t>());
        case ElementType::u64:
            return convert(as<std::uint64_t>());
        case ElementType::f32:
            return convert(as<float>());
        case ElementType::f64:
            return convert(as<double>());
    }
    throw std::logic_error("not an element type");
}

double Array::number(std::size_t i) const {
    switch (type_) {
        case ElementType::u8:
            return as<std::uint8_t>()[i];
        case ElementType::i16:
            return as<std::int16_t>()[i];
        case ElementType::i32:
            return as<std::int32_t>()[i];
        case ElementType::u32:
            return as<std::uint32_t>()[i];
        case ElementType::u64:
            return static_cast<double>(as<std::uint64_t>()[i]);
        case ElementType::f32:
            return static_cast<double>(as<float>()[i]);
        case ElementType::f64:
            return as<double>()[i];
    }
    throw std::logic_error("not an element type");
}

void Array::require(ElementType wanted) const {
    if (wanted == type_) return;
    throw std::logic_error("This array holds " + std::string(name(type_)) + ", not " +
                           std::string(name(wanted)) + ".");
}

}  // namespace gridstride
