// A one-dimensional array of numbers whose element type is chosen at run time.
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
#include "base/half.h"
#include "base/shared_memory.h"

namespace gridstride {

enum class ElementType { u8, i8, i16, i32, u32, u64, f16, f32, f64 };
constexpr ElementType last_enumerator(ElementType) {
    return ElementType::f64;
}

std::string_view name(ElementType type);  ///< "u32"
std::size_t byte_size(ElementType type);  ///< bytes of one element
constexpr bool is_float(ElementType type) {
    return type == ElementType::f16 || type == ElementType::f32 || type == ElementType::f64;
}

/// The C++ type of each ElementType, in the order of the enumerators.
using AnyElement = std::variant<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::uint32_t,
                                std::uint64_t, Half, float, double>;
inline constexpr std::array<AnyElement, 9> element_prototypes = {std::uint8_t{},
                                                                 std::int8_t{},
                                                                 std::int16_t{},
                                                                 std::int32_t{},
                                                                 std::uint32_t{},
                                                                 std::uint64_t{},
                                                                 Half{},
                                                                 0.0F,
                                                                 0.0};

template <class T>
struct ElementTypeOf {
    static constexpr auto value = static_cast<ElementType>(AnyElement(std::in_place_type<T>).index());
};

/// Owns 64-byte aligned storage, which is uninitialised, so that a gigabyte need not be written twice. An
/// Array is movable but not copyable; share one as an ArrayRef. A moved-from Array is empty.
class Array {
 public:
    /// Arrays of at least this many bytes are allocated in memory that can be shared with another process.
    static constexpr std::size_t shared_bytes = std::size_t{256} << 10;

    Array() = default;
    Array(ElementType type, std::size_t count);  ///< throws std::bad_alloc
    /// Wraps memory received from another process. Throws std::logic_error if it is smaller than the array.
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

    /// Returns the elements as T. Throws std::logic_error if T is not the array's element type.
    template <class T>
    std::span<T> as() {
        require_type(ElementTypeOf<T>::value);
        return {reinterpret_cast<T*>(data()), count_};
    }
    template <class T>
    std::span<const T> as() const {
        require_type(ElementTypeOf<T>::value);
        return {reinterpret_cast<const T*>(data()), count_};
    }

    /// Calls body with a span of the elements in their own type.
    template <class Body>
    decltype(auto) visit(Body&& body) const {
        return std::visit([&]<class T>(T) -> decltype(auto) { return body(as<T>()); },
                          element_prototypes.at(static_cast<std::size_t>(type_)));
    }

    /// Returns element i converted to double, which is exact except for large u64.
    double number(std::size_t i) const {
        return visit([i](auto elements) { return static_cast<double>(elements[i]); });
    }
    /// Converts elements first, first + 1, … to double, as many as `into` holds. One call for many elements
    /// is several times as fast as number(). Throws std::out_of_range if the array ends earlier.
    void numbers(std::size_t first, std::span<double> into) const;

 private:
    void require_type(ElementType required_type) const;
    std::byte* data() const { return shared_ ? shared_.mapped().data() : storage_.get(); }

    struct Deleter {
        void operator()(std::byte* p) const;
    };
    ElementType type_ = ElementType::u8;
    std::size_t count_ = 0;
    std::unique_ptr<std::byte[], Deleter> storage_;
    SharedMemory shared_;  ///< used instead of storage_ for large arrays
};

using ArrayRef = std::shared_ptr<const Array>;
inline ArrayRef share(Array array) {
    return std::make_shared<const Array>(std::move(array));
}
/// Copies the numbers into a shared array.
template <class T>
ArrayRef share(std::span<const T> numbers) {
    return share(Array::of(numbers));
}

template <class T>
ArrayRef share_scalar(T number) {
    return share<T>({&number, 1});
}

/// Identifies the content of an array: equal numbers give equal checksums, whatever their element type. The
/// checksum is the CRC-32 (zlib.crc32 in Python) of the numbers as little-endian f64. A number that is not
/// whole is first rounded to f32, the precision that lessons compute with, so that 0.1 in a text file and 0.1
/// as f32 are the same input. All NaNs count as the same, and -0 as 0. `progress` is used for cancellation
/// only; throws Cancelled.
std::uint32_t compute_checksum(const Array& numbers, FileProgress* progress = nullptr);

}  // namespace gridstride
