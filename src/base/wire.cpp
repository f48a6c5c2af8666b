#include "base/wire.h"

namespace gridstride::wire {

namespace {

/// How an array is encoded: absent, inline in the message, or sent with it.
enum class Place : std::uint32_t { none, here, beside };
constexpr Place last_of(Place) {
    return Place::beside;
}

}  // namespace

void Writer::raw(const void* data, std::size_t size) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + size);
}

void Writer::put(const ArrayRef& array) {
    Place place = !array ? Place::none : array->bytes() < Array::shared_bytes ? Place::here : Place::beside;
    put(place);
    if (place == Place::none) return;
    if (place == Place::beside) {
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
    if (size > rest_.size()) throw Malformed("the message ends too early");
    if (size > 0) std::memcpy(data, rest_.data(), size);
    rest_ = rest_.subspan(size);
}

std::size_t Reader::count(std::size_t min_bytes) {
    std::uint64_t number = 0;
    get(number);
    if (number > rest_.size() / min_bytes) throw Malformed("a length exceeds the message");
    return static_cast<std::size_t>(number);
}

void Reader::end() const {
    if (!rest_.empty()) throw Malformed("the message has bytes left over");
}

void Reader::get(bool& value) {
    std::uint8_t byte = 0;
    get(byte);
    if (byte > 1) throw Malformed("a bool is neither 0 nor 1");
    value = byte == 1;
}

void Reader::get(std::string& text) {
    text.resize(count(1));
    raw(text.data(), text.size());
}

void Reader::get(ArrayRef& array) {
    Place place = Place::none;
    get(place);
    array.reset();
    if (place == Place::none) return;
    if (place == Place::beside) {
        std::uint64_t index = 0;
        get(index);
        if (index >= arrays_.size()) throw Malformed("an array was not sent along");
        array = arrays_[index];
        return;
    }
    ElementType type = ElementType::u8;
    get(type);
    auto made = std::make_shared<Array>(type, count(byte_size(type)));
    raw(made->raw().data(), made->bytes());
    array = std::move(made);
}

}  // namespace gridstride::wire
