#include "base/wire.h"

#include <fmt/format.h>

namespace gridstride::wire {

namespace {

/// How an array is encoded: absent, inline in the message, or sent with it.
enum class ArrayEncoding : std::uint32_t { none, inlined, shared };
constexpr ArrayEncoding last_enumerator(ArrayEncoding) {
    return ArrayEncoding::shared;
}

}  // namespace

void throw_out_of_range(std::string_view what, std::uint64_t value, std::uint64_t last) {
    throw MalformedMessage(fmt::format("{} is {}, and the last is {}", what, value, last));
}

void Writer::raw(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
}

void Writer::put(const ArrayRef& array) {
    ArrayEncoding encoding = !array                                 ? ArrayEncoding::none
                             : array->bytes() < Array::shared_bytes ? ArrayEncoding::inlined
                                                                    : ArrayEncoding::shared;
    put(encoding);
    if (encoding == ArrayEncoding::none) return;
    if (encoding == ArrayEncoding::shared) {
        count(arrays_.size());
        arrays_.push_back(array);
        return;
    }
    ElementType type = array->type();
    put(type);
    count(array->count());
    raw(array->raw().data(), array->bytes());
}

void Reader::raw(void* data, std::size_t size) {
    if (size > rest_.size())
        throw MalformedMessage(
            fmt::format("{} more bytes are expected, but {} are left", size, rest_.size()));
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
}

std::size_t Reader::count(std::size_t min_bytes) {
    std::uint64_t number = 0;
    get(number);
    if (number > rest_.size() / min_bytes)
        throw MalformedMessage(
            fmt::format("a length of {} exceeds the {} bytes that are left", number, rest_.size()));
    return static_cast<std::size_t>(number);
}

void Reader::end() const {
    if (!rest_.empty()) throw MalformedMessage(fmt::format("{} bytes are left over", rest_.size()));
}

void Reader::get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) throw MalformedMessage(fmt::format("a bool is {}, neither 0 nor 1", byte));
    value = byte == 1;
}

void Reader::get(std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
}

void Reader::get(ArrayRef& array) {
    ArrayEncoding encoding = ArrayEncoding::none;
    get(encoding);
    array.reset();
    if (encoding == ArrayEncoding::none) return;
    if (encoding == ArrayEncoding::shared) {
        std::uint64_t index = 0;
        get(index);
        if (index >= arrays_.size())
            throw MalformedMessage(
                fmt::format("array {} is missing: {} were received", index, arrays_.size()));
        array = arrays_[index];
        return;
    }
    ElementType type = ElementType::u8;
    get(type);
    auto result = std::make_shared<Array>(type, count(byte_size(type)));
    raw(result->raw().data(), result->bytes());
    array = std::move(result);
}

}  // namespace gridstride::wire
