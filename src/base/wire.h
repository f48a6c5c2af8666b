// Serialisation of values for another process of the same program. An aggregate is serialised member by
// member; a type with private members defines one function that both writes and reads it, so that the two
// cannot differ:
//
//     template <class Wire> void serialize(Wire& wire, Values& values);
//
// A Reader validates its input: it checks every length against the bytes left and every enumeration against
// last_enumerator(Enumeration), a constexpr function declared beside the type, before it allocates anything.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/array.h"
#include "base/members.h"

namespace gridstride::wire {

/// The bytes are not a valid message.
struct MalformedMessage : std::runtime_error {
    using std::runtime_error::runtime_error;
};
[[noreturn]] void throw_out_of_range(std::string_view what, std::uint64_t value, std::uint64_t last);

/// Numbers are copied as bytes: both ends run the same program on the same machine.
template <class T>
concept Plain = std::is_arithmetic_v<T> && !std::same_as<T, bool>;

template <class T>
concept Enumeration = std::is_enum_v<T>;

template <class Wire, class A, class B>
void serialize(Wire& wire, std::pair<A, B>& pair) {
    wire(pair.first, pair.second);
}

template <class Wire, class T>
void serialize(Wire& wire, std::optional<T>& value) {
    bool is_present = value.has_value();
    wire(is_present);
    if constexpr (!Wire::writes) {
        value.reset();
        if (is_present) value.emplace();
    }
    if (is_present) wire(*value);
}

/// Writes or reads a value of a class type.
template <class Wire, class T>
void serialize_members(Wire& wire, T& value) {
    if constexpr (requires { serialize(wire, value); })
        serialize(wire, value);
    else
        with_members(value, [&](auto&... members) { wire(members...); });
}

class Writer {
 public:
    static constexpr bool writes = true;

    template <class... T>
    void operator()(T&&... values) {
        (put(values), ...);
    }

    const std::vector<std::byte>& bytes() const { return bytes_; }
    /// The arrays of at least Array::shared_bytes, in message order; they are sent beside the message.
    const std::vector<ArrayRef>& arrays() const { return arrays_; }

 private:
    void raw(const void* data, std::size_t size);
    void count(std::size_t n) { put(static_cast<std::uint64_t>(n)); }

    template <Plain T>
    void put(const T& value) {
        raw(&value, sizeof value);
    }
    void put(const bool& value) { put(static_cast<std::uint8_t>(value ? 1 : 0)); }
    void put(const std::string& text) {
        count(text.size());
        raw(text.data(), text.size());
    }
    template <Enumeration E>
    void put(const E& value) {
        put(static_cast<std::uint32_t>(value));
    }
    template <class T>
    void put(const std::vector<T>& values) {
        count(values.size());
        if constexpr (Plain<T>)
            raw(values.data(), values.size() * sizeof(T));
        else
            for (const T& value : values)
                put(value);
    }
    template <class... T>
    void put(const std::variant<T...>& value) {
        put(static_cast<std::uint32_t>(value.index()));
        std::visit([this](const auto& alternative) { this->put(alternative); }, value);
    }
    void put(const ArrayRef& array);
    template <class T>
    requires std::is_class_v<T>
    void put(const T& value) {
        // serialize() takes non-const references because a Reader writes to them; a Writer does not.
        serialize_members(*this, const_cast<T&>(value));
    }

    std::vector<std::byte> bytes_;
    std::vector<ArrayRef> arrays_;
};

class Reader {
 public:
    static constexpr bool writes = false;

    /// `arrays` were sent beside the message. Both arguments must outlive the reader.
    explicit Reader(std::span<const std::byte> bytes, std::span<const ArrayRef> arrays = {})
        : rest_(bytes), arrays_(arrays) {}

    /// Throws MalformedMessage.
    template <class... T>
    void operator()(T&&... values) {
        (get(values), ...);
    }
    /// Throws MalformedMessage if bytes are left over.
    void end() const;

 private:
    void raw(void* data, std::size_t size);
    /// Reads the length of a sequence whose elements take at least min_bytes each; throws if the rest is
    /// shorter.
    std::size_t count(std::size_t min_bytes);

    template <Plain T>
    void get(T& value) {
        raw(&value, sizeof value);
    }
    void get(bool& value);
    void get(std::string& text);
    template <Enumeration E>
    void get(E& value) {
        std::uint32_t number = 0;
        get(number);
        if (number > static_cast<std::uint32_t>(last_enumerator(E{})))
            throw_out_of_range("an enumeration", number, static_cast<std::uint32_t>(last_enumerator(E{})));
        value = static_cast<E>(number);
    }
    template <class T>
    void get(std::vector<T>& values) {
        values.clear();
        if constexpr (Plain<T>) {
            values.resize(count(sizeof(T)));
            raw(values.data(), values.size() * sizeof(T));
        } else {
            // Each element takes at least a byte; memory grows with the bytes that really exist.
            const std::size_t n = count(1);
            for (std::size_t i = 0; i < n; ++i)
                get(values.emplace_back());
        }
    }
    template <class... T>
    void get(std::variant<T...>& value) {
        std::uint32_t index = 0;
        get(index);
        if (index >= sizeof...(T)) throw_out_of_range("the index of a variant", index, sizeof...(T) - 1);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
            ((I == index ? get(value.template emplace<I>()) : void()), ...);
        }
        (std::index_sequence_for<T...>());
    }
    void get(ArrayRef& array);
    template <class T>
    requires std::is_class_v<T>
    void get(T& value) { serialize_members(*this, value); }

    std::span<const std::byte> rest_;
    std::span<const ArrayRef> arrays_;
};

}  // namespace gridstride::wire
