#include "readers/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "readers/number_text.h"

namespace gridstride {
namespace {

static_assert(std::endian::native == std::endian::little,
              "elements are copied from the file without conversion");

constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
};

/// Parses the part of Python's literal syntax that headers use.
class HeaderReader {
 public:
    HeaderReader(std::string_view text, const std::string& file_name) : rest_(text), file_name_(file_name) {}

    NpyHeader read() {
        std::optional<std::string> descr;
        std::optional<bool> fortran_order;
        std::optional<std::vector<std::uint64_t>> shape;
        expect('{');
        while (!skip('}')) {
            const std::string key = parse_string();
            expect(':');
            if (key == "descr" && !descr) {
                if (peek() == '[') {
                    throw_file_error(
                        file_name_,
                        "its elements are records of several fields. Save one field, as array[\"name\"]");
                }
                descr = parse_string();
            } else if (key == "fortran_order" && !fortran_order) {
                fortran_order = parse_boolean();
            } else if (key == "shape" && !shape) {
                shape = parse_tuple();
            } else {
                fail_damaged(fmt::format("the entry {}", quote_text(key)));
            }
            if (!skip(',') && peek() != '}') fail_damaged("an entry without a comma after it");
        }
        if (peek() != '\0') fail_damaged(fmt::format("{} after its end", quote_text(rest_)));
        if (!descr || !fortran_order || !shape) fail_damaged("no descr, fortran_order or shape");
        return {*descr, *fortran_order, *shape};
    }

 private:
    [[noreturn]] void fail_damaged(const std::string& what) const {
        throw_file_error(file_name_, "the header of this .npy file is damaged (" + what +
                                         "). Save it again with numpy.save");
    }

    /// Returns the next character that is not white space, or '\0' at the end.
    char peek() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n\t\r"), rest_.size()));
        return rest_.empty() ? '\0' : rest_[0];
    }
    bool skip(char c) {
        if (peek() != c || rest_.empty()) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!skip(c)) fail_damaged(fmt::format("a missing {}", c));
    }

    std::string parse_string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') fail_damaged("a missing text");
        rest_.remove_prefix(1);
        const std::size_t end = rest_.find(quote);
        if (end == std::string_view::npos) fail_damaged("a quote that is not closed");
        std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return text;
    }

    bool parse_boolean() {
        peek();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return value;
            }
        }
        fail_damaged(fmt::format("fortran_order is {}, neither True nor False", quote_text(rest_)));
    }

    std::vector<std::uint64_t> parse_tuple() {
        std::vector<std::uint64_t> numbers;
        expect('(');
        while (!skip(')')) {
            peek();
            std::uint64_t number = 0;
            const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            if (error != std::errc())
                fail_damaged(fmt::format("a shape that is not a tuple of numbers: {}", quote_text(rest_)));
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            if (rest_.starts_with('L')) rest_.remove_prefix(1);  // Python 2 wrote 3L
            numbers.push_back(number);
            if (!skip(',') && peek() != ')')
                fail_damaged(fmt::format("a shape that is not a tuple of numbers: {}", quote_text(rest_)));
        }
        return numbers;
    }

    std::string_view rest_;
    const std::string& file_name_;
};

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), bytes.size());
    return value;
}

struct Parts {
    std::string header;
    std::uint64_t data_at = 0;
};

/// The file consists of magic, version, header length (2 bytes in version 1, 4 later), header and data.
Parts split(ByteSource& file, const std::string& file_name) {
    // By default, NumPy limits headers to 10 000 bytes.
    constexpr std::uint64_t max_header_bytes = std::uint64_t{1} << 20;
    constexpr std::size_t length_at = npy_magic.size() + 2;
    std::array<char, length_at + 4> begin{};
    const std::string_view bytes(begin.data(), file.read_at(0, begin));
    if (!bytes.starts_with(npy_magic) || bytes.size() < length_at)
        throw_file_error(file_name, "this is not an .npy file. Save one with numpy.save");
    const int major = static_cast<std::uint8_t>(bytes[npy_magic.size()]);
    const int minor = static_cast<std::uint8_t>(bytes[npy_magic.size() + 1]);
    if (major < 1 || major > 3 || minor != 0) {
        throw_file_error(
            file_name,
            fmt::format("its .npy version is {}.{}; supported are 1.0, 2.0 and 3.0. Save it again with "
                        "numpy.save",
                        major, minor));
    }
    const std::size_t length_size = major == 1 ? 2 : 4;
    const std::size_t header_at = length_at + length_size;
    const std::uint64_t length = little_endian(bytes.substr(length_at, length_size));
    const auto require_complete = [&](bool is_there) {
        if (!is_there)
            throw_file_error(file_name, "the file ends inside its header. Save it again with numpy.save");
    };
    require_complete(bytes.size() >= header_at && length <= file.reported_size() - header_at);
    if (length > max_header_bytes)
        throw_file_error(file_name,
                         fmt::format("its header has {} bytes; at most {} are read. Save it again with "
                                     "numpy.save",
                                     length, max_header_bytes));
    Parts parts{std::string(length, '\0'), header_at + length};
    require_complete(file.read_at(header_at, parts.header) == length);
    return parts;
}

/// A supported type: NumPy's letter and size, our name, and the type that its numbers are converted to. An
/// array is written with the entry that has the name of its type.
struct StoredType {
    std::string_view code, name;
    ElementType type;
    std::size_t bytes;
};
constexpr StoredType stored_types[] = {
    {"u1", "u8", ElementType::u8, 1},   {"i1", "i8", ElementType::i8, 1},
    {"i2", "i16", ElementType::i16, 2}, {"i4", "i32", ElementType::i32, 4},
    {"u4", "u32", ElementType::u32, 4}, {"u8", "u64", ElementType::u64, 8},
    {"f4", "f32", ElementType::f32, 4}, {"f8", "f64", ElementType::f64, 8},
    {"b1", "bool", ElementType::u8, 1}, {"u2", "u16", ElementType::u32, 2},
    {"i8", "i64", ElementType::f64, 8}, {"f2", "f16", ElementType::f32, 2},
};

struct Layout {
    StoredType type;
    bool is_big_endian = false;
    std::string name() const { return (is_big_endian ? "big-endian " : "") + std::string(type.name); }
};

Layout parse_descr(const std::string& descr, const std::string& file_name) {
    if (descr.find('O') != std::string::npos) {
        throw_file_error(
            file_name,
            "its elements are Python objects. Convert them first, for instance with .astype(\"float64\")");
    }
    for (const StoredType& candidate : stored_types) {
        if (descr.size() != 3 || descr.substr(1) != candidate.code) continue;
        if (candidate.bytes == 1 || descr[0] == '<' || descr[0] == '=') return {candidate, false};
        if (descr[0] == '>') return {candidate, true};
    }
    const char kind = descr.size() < 2 ? ' ' : descr[1];
    const bool is_complex = kind == 'c', is_text = kind == 'U' || kind == 'S',
               is_time = kind == 'M' || kind == 'm';
    throw_file_error(
        file_name,
        fmt::format(
            "its elements have the type {}; supported are bool, integers and floats of up to 64 bits. {}",
            quote_text(descr),
            is_complex ? "Save their real part, array.real, or their magnitude, abs(array)"
            : is_text  ? "Convert the texts to numbers, with .astype(\"float64\")"
            : is_time  ? "Convert the times to numbers, with .astype(\"int64\")"
                       : "Convert them, for instance with .astype(\"float64\")"));
}

/// Returns the number of elements of a shape, or nullopt if it exceeds 64 bits.
std::optional<std::uint64_t> product(std::span<const std::uint64_t> shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) {
        if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
    }
    return count;
}

std::string format_tuple(std::span<const std::uint64_t> shape) {
    return fmt::format("({}{})", join(shape, ", "), shape.size() == 1 ? "," : "");
}

template <class Integer>
double to_exact_double(Integer value, std::size_t i, const std::string& file_name) {
    const auto number = static_cast<double>(value);
    // The largest integer rounds to 2^63 or 2^64, which cannot be converted back.
    const double beyond = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
    if (number >= beyond || static_cast<Integer>(number) != value)
        throw_file_error(
            file_name,
            fmt::format("element {} is {}, which neither f32 nor f64 holds exactly. Scale the numbers down, "
                        "or, if rounding is acceptable, save array.astype(\"float64\")",
                        i, value));
    return number;
}

template <class Stored, class Of>
void convert(std::string_view bytes, std::span<std::byte> out, const Of& of) {
    using Number = decltype(of(Stored{}, std::size_t{}));
    for (std::size_t i = 0; i < bytes.size() / sizeof(Stored); ++i) {
        Stored stored;
        std::memcpy(&stored, bytes.data() + i * sizeof stored, sizeof stored);
        const Number number = of(stored, i);
        std::memcpy(out.data() + i * sizeof number, &number, sizeof number);
    }
}

void swap_bytes(std::span<char> bytes, std::size_t size) {
    for (std::size_t i = 0; i + size <= bytes.size(); i += size)
        std::ranges::reverse(bytes.subspan(i, size));
}

/// Converts bytes of the file to elements of an array. `first` is the index of the first element. `bytes` and
/// `out` may be the same memory.
void convert(std::span<char> bytes, const Layout& layout, std::size_t first, std::span<std::byte> out,
             const std::string& file_name) {
    const StoredType& type = layout.type;
    if (layout.is_big_endian) swap_bytes(bytes, type.bytes);
    const std::string_view stored(bytes.data(), bytes.size());
    if (type.code == "b1")
        convert<std::uint8_t>(stored, out,
                              [](std::uint8_t b, std::size_t) -> std::uint8_t { return b != 0 ? 1 : 0; });
    else if (type.code == "u2")
        convert<std::uint16_t>(stored, out, [](std::uint16_t n, std::size_t) -> std::uint32_t { return n; });
    else if (type.code == "f2")
        convert<std::uint16_t>(
            stored, out, [](std::uint16_t h, std::size_t) { return static_cast<float>(Half::from_bits(h)); });
    else if (type.code == "i8")
        convert<std::int64_t>(stored, out, [&](std::int64_t n, std::size_t i) {
            return to_exact_double(n, first + i, file_name);
        });
    else if (type.code == "u8")
        convert<std::uint64_t>(stored, out, [&](std::uint64_t n, std::size_t i) {
            to_exact_double(n, first + i, file_name);
            return n;
        });
}

/// Reads the elements into the array, through a buffer if conversion makes them larger. Returns the number of
/// bytes read.
std::uint64_t read_elements(ByteSource& file, std::uint64_t at, const Layout& layout, Array& array,
                            const std::string& file_name) {
    const std::size_t size = layout.type.bytes, array_bytes = byte_size(array.type());
    const std::span<std::byte> out = array.raw();
    if (size == array_bytes) {
        const std::span<char> bytes(reinterpret_cast<char*>(out.data()), out.size());
        const std::size_t bytes_read = file.read_at(at, bytes);
        if (bytes_read == bytes.size()) convert(bytes, layout, 0, out, file_name);
        return bytes_read;
    }
    constexpr std::size_t chunk_elements = 1 << 16;
    std::vector<char> buffer(std::min(chunk_elements, array.count()) * size);
    for (std::size_t first = 0; first < array.count(); first += chunk_elements) {
        const std::size_t count = std::min(chunk_elements, array.count() - first);
        const std::span<char> bytes = std::span(buffer).first(count * size);
        const std::size_t bytes_read = file.read_at(at + first * size, bytes);
        if (bytes_read != bytes.size()) return first * size + bytes_read;
        convert(bytes, layout, first, out.subspan(first * array_bytes, count * array_bytes), file_name);
    }
    return array.count() * size;
}

std::string numpy_type(ElementType type) {
    const auto* const stored_type =
        std::find_if(std::begin(stored_types), std::end(stored_types),
                     [&](const StoredType& candidate) { return candidate.name == name(type); });
    return (byte_size(type) == 1 ? '|' : '<') + std::string(stored_type->code);
}

}  // namespace

Numbers read_npy(ByteSource& file, const std::string& file_name, AcceptedShapes shapes) {
    const Parts parts = split(file, file_name);
    const NpyHeader header = HeaderReader(parts.header, file_name).read();
    const Layout layout = parse_descr(header.descr, file_name);

    if (shapes == AcceptedShapes::line_or_rows && (header.shape.empty() || header.shape.size() > 2)) {
        throw_file_error(
            file_name,
            fmt::format("it has {} dimensions; only one or two can be read. Save array.reshape(-1)",
                        header.shape.size()));
    }
    const bool has_order = std::ranges::count_if(header.shape, [](std::uint64_t n) { return n > 1; }) > 1 &&
                           std::ranges::find(header.shape, 0) == header.shape.end();
    if (header.fortran_order && has_order)
        throw_file_error(file_name,
                         "its dimensions are in Fortran order. Save numpy.ascontiguousarray(array)");

    const std::size_t size = layout.type.bytes;
    const std::optional<std::uint64_t> count = product(header.shape);
    const auto require_fit = [&](std::uint64_t bytes_there) {
        if (count && bytes_there % size == 0 && bytes_there / size == *count) return;
        throw_file_error(file_name,
                         fmt::format("its shape {} of {} does not fit its {} bytes of numbers. Save it again "
                                     "with numpy.save",
                                     format_tuple(header.shape), layout.type.code, bytes_there));
    };
    require_fit(std::max(file.reported_size(), parts.data_at) - parts.data_at);
    if (*count > max_numbers_in_file)
        throw_file_error(file_name, fmt::format("it has {} numbers; at most {} can be read. Save a part of "
                                                "it, for instance array.reshape(-1)[:{}]",
                                                *count, max_numbers_in_file, max_numbers_in_file));
    Array array(layout.type.type, *count);
    require_fit(read_elements(file, parts.data_at, layout, array, file_name));
    // A row has at most 2^28 numbers, so its width fits 32 bits, unless the array is empty.
    const bool has_rows = header.shape.size() >= 2 && !array.empty();
    return {std::move(array), has_rows ? static_cast<std::uint32_t>(header.shape.back()) : 0,
            header.shape.size() < 2 ? counted(*count, "number")
                                    : fmt::format("{} numbers", join(header.shape, " × ")),
            layout.name()};
}

Numbers parse_npy(std::string_view bytes, const std::string& file_name, AcceptedShapes shapes) {
    BytesInMemory file(bytes);
    return read_npy(file, file_name, shapes);
}

std::string format_npy(const Array& array, std::span<const std::uint64_t> shape) {
    const std::string shape_text = format_tuple(shape);
    if (product(shape) != array.count())
        throw std::logic_error(
            fmt::format("{} elements do not have the shape {}", array.count(), shape_text));
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                     numpy_type(array.type()), shape_text);
    // The data must start at a multiple of 64 bytes, and the header must end with a line feed.
    const std::size_t before = npy_magic.size() + 4;
    header.append(63 - (before + header.size()) % 64, ' ');
    header += '\n';

    std::string out(npy_magic);
    out += '\x01';
    out += '\x00';
    out += static_cast<char>(header.size() & 0xFF);
    out += static_cast<char>(header.size() >> 8);
    out += header;
    const std::span<const std::byte> raw = array.raw();
    out.reserve(out.size() + raw.size());
    if (!raw.empty()) out.append(reinterpret_cast<const char*>(raw.data()), raw.size());
    return out;
}

std::string format_npy(const Array& array, std::size_t width) {
    if (width == 0) return format_npy(array, std::array<std::uint64_t, 1>{array.count()});
    return format_npy(array, std::array<std::uint64_t, 2>{array.count() / width, width});
}

std::string format_npy(std::span<const ArrayRef> arrays) {
    const Array& first = *arrays.front();
    std::size_t count = 0;
    for (const ArrayRef& array : arrays) {
        if (array->type() != first.type())
            throw std::logic_error("arrays of different types are not the numbers of one file");
        count += array->count();
    }
    Array all(first.type(), count);
    std::byte* at = all.raw().data();
    for (const ArrayRef& array : arrays)
        at = std::ranges::copy(array->raw(), at).out;
    const bool are_rows =
        std::ranges::all_of(arrays, [&](const ArrayRef& array) { return array->count() == first.count(); });
    return format_npy(all, are_rows ? first.count() : 0);
}

Numbers read_numbers(const std::filesystem::path& path, const FileChoice& choice, FileProgress* progress,
                     AcceptedShapes shapes) {
    const std::string ending = to_lower(path.extension().string());
    if (ending != ".csv" && ending != ".txt" && ending != ".npy") {
        throw FileError(fmt::format(
            "{} does not end in .csv, .txt or .npy. Choose a file of one of these kinds.", quote_path(path)));
    }
    const bool is_text = ending != ".npy";
    // read_npy() checks the size of an .npy by its header.
    InputFile file(path, is_text ? max_text_bytes : std::numeric_limits<std::uintmax_t>::max(), progress);
    if (is_text) return read_number_text(file, path.string(), choice);
    Numbers numbers = read_npy(file, path.string(), shapes);
    if (numbers.array.empty())
        throw_file_error(path.string(), "it has no numbers. Choose a file that has some");
    return numbers;
}

}  // namespace gridstride
