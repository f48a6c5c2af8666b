// A one-dimensional array of numbers whose element type is known at run time.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/file_progress.h"
#include "base/shared_memory.h"

namespace gridstride {

enum class ElementType { u8, i8, i16, i32, u32, u64, f32, f64 };
constexpr ElementType last_of(ElementType) {
    return ElementType::f64;
}

std::string_view name(ElementType type);  ///< "u32"
std::size_t byte_size(ElementType type);  ///< bytes of one element

/// Types and an element of each, in the order of ElementType.
using AnyElement = std::variant<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::uint32_t,
                                std::uint64_t, float, double>;
inline constexpr std::array<AnyElement, 8> zero_of_each = {
    std::uint8_t{},  std::int8_t{},   std::int16_t{}, std::int32_t{},
    std::uint32_t{}, std::uint64_t{}, 0.0F,           0.0};

template <class T>
struct ElementTypeOf {
    static constexpr auto value = static_cast<ElementType>(AnyElement(std::in_place_type<T>).index());
};

/// Owns its storage, 64-byte aligned, uninitialised when made (a gigabyte need not be written twice).
/// Moves, never copies by accident; share one as an ArrayRef. What was moved from is empty.
class Array {
 public:
    /// Arrays of at least so many bytes are in memory that another process can be given.
    static constexpr std::size_t shared_bytes = std::size_t{256} << 10;

    Array() = default;
    Array(ElementType type, std::size_t count);  ///< throws std::bad_alloc
    /// Over what another process sent. Throws std::logic_error when it is smaller than the array.
    Array(ElementType type, std::size_t count, SharedMemory memory);
    Array(Array&& other) noexcept { *this = std::move(other); }
    Array& operator=(Array&& other) noexcept {
        type_ = other.type_;
        count_ = std::exchange(other.count_, 0);
        storage_ = std::move(other.storage_);
        shared_ = std::move(other.shared_);
        return *this;
    }
    template <class T>
    static Array of(std::span<const T> values) {
        Array array(ElementTypeOf<T>::value, values.size());
        std::copy(values.begin(), values.end(), array.as<T>().begin());
        return array;
    }

    ElementType type() const { return type_; }
    std::size_t count() const { return count_; }
    std::size_t bytes() const { return count_ * byte_size(type_); }
    bool empty() const { return count_ == 0; }

    std::span<std::byte> raw() { return {data(), bytes()}; }
    std::span<const std::byte> raw() const { return {data(), bytes()}; }
    const SharedMemory& shared() const { return shared_; }  ///< empty for a small array

    /// The elements as T. Throws std::logic_error when T is not the array's element type.
    template <class T>
    std::span<T> as() {
        require(ElementTypeOf<T>::value);
        return {reinterpret_cast<T*>(data()), count_};
    }
    template <class T>
    std::span<const T> as() const {
        require(ElementTypeOf<T>::value);
        return {reinterpret_cast<const T*>(data()), count_};
    }

    /// body(the elements), a span of their own type.
    template <class Body>
    decltype(auto) visit(Body&& body) const {
        return std::visit([&]<class T>(T) -> decltype(auto) { return body(as<T>()); },
                          zero_of_each.at(static_cast<std::size_t>(type_)));
    }

    /// Element i converted to double, whatever the type (exact for all but large u64).
    double number(std::size_t i) const {
        return visit([i](auto elements) { return static_cast<double>(elements[i]); });
    }
    /// Elements first, first + 1 … so converted, as many as into has: many at once are several times as fast.
    /// Throws std::out_of_range when the array ends before that.
    void numbers(std::size_t first, std::span<double> into) const;

 private:
    void require(ElementType wanted) const;
    std::byte* data() const { return shared_ ? shared_.mapped().data() : storage_.get(); }

    struct Free {
        void operator()(std::byte* p) const;
    };
    ElementType type_ = ElementType::u8;
    std::size_t count_ = 0;
    std::unique_ptr<std::byte[], Free> storage_;
    SharedMemory shared_;  ///< in place of storage_
};

using ArrayRef = std::shared_ptr<const Array>;
inline ArrayRef share(Array array) {
    return std::make_shared<const Array>(std::move(array));
}
/// Of these numbers, shared.
template <class T>
ArrayRef share(std::span<const T> numbers) {
    return share(Array::of(numbers));
}

/// A shared array that holds this number alone.
template <class T>
ArrayRef share_number(T number) {
    return share<T>({&number, 1});
}

/// A short name for the content of an array, equal for equal numbers, whatever type they are stored as: the
/// CRC-32 (zlib.crc32 in Python) of the numbers as little endian f64. One that is not whole counts as the
/// nearest f32, which is what lessons compute with: 0.1 in a text and 0.1 as f32 are the same input. All NaN
/// are one, and -0 is 0. progress: for its end alone; throws Cancelled.
std::uint32_t checksum_of_numbers(const Array& numbers, FileProgress* progress = nullptr);

}  // namespace gridstride
