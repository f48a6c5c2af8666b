#include "base/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "base/csv.h"
#include "base/error.h"
#include "base/text.h"

namespace gridstride {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they stand in the file");

constexpr std::string_view npy_magic = "\x93NUMPY";

/// What a header says: a Python dictionary in text, with these three keys.
struct NpyHeader {
    std::string descr;
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
};

/// Reads the part of Python's literal syntax that headers use.
class HeaderReader {
 public:
    HeaderReader(std::string_view text, const std::string& file_name) : rest_(text), file_name_(file_name) {}

    NpyHeader read() {
        std::optional<std::string> descr;
        std::optional<bool> fortran_order;
        std::optional<std::vector<std::uint64_t>> shape;
        expect('{');
        while (!skip('}')) {
            const std::string key = string();
            expect(':');
            if (key == "descr" && !descr) {
                if (peek() == '[') {
                    refuse_file(
                        file_name_,
                        "its elements are records of several fields. Save one field, as array[\"name\"]");
                }
                descr = string();
            } else if (key == "fortran_order" && !fortran_order) {
                fortran_order = boolean();
            } else if (key == "shape" && !shape) {
                shape = tuple();
            } else {
                broken(fmt::format("the entry {}", quoted_text(key)));
            }
            if (!skip(',') && peek() != '}') broken("an entry without a comma behind it");
        }
        if (peek() != '\0') broken("text behind its end");
        if (!descr || !fortran_order || !shape) broken("no descr, fortran_order or shape");
        return {*descr, *fortran_order, *shape};
    }

 private:
    [[noreturn]] void broken(const std::string& what) const {
        refuse_file(file_name_,
                    "the header of this .npy file is damaged (" + what + "). Save it again with numpy.save");
    }

    /// The next character that is no blank; '\0' at the end.
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
        if (!skip(c)) broken(fmt::format("no {} where one belongs", c));
    }

    std::string string() {
        const char quote = peek();
        if (quote != '\'' && quote != '"') broken("no text where one belongs");
        rest_.remove_prefix(1);
        const std::size_t end = rest_.find(quote);
        if (end == std::string_view::npos) broken("a quote that is not closed");
        std::string text(rest_.substr(0, end));
        rest_.remove_prefix(end + 1);
        return text;
    }

    bool boolean() {
        peek();
        for (const bool value : {true, false}) {
            const std::string_view word = value ? "True" : "False";
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return value;
            }
        }
        broken("fortran_order is neither True nor False");
    }

    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> numbers;
        expect('(');
        while (!skip(')')) {
            peek();
            std::uint64_t number = 0;
            const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
            if (error != std::errc()) broken("a shape that is no list of counts");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            if (rest_.starts_with('L')) rest_.remove_prefix(1);  // as Python 2 wrote it
            numbers.push_back(number);
            if (!skip(',') && peek() != ')') broken("a shape that is no list of counts");
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

/// Magic, version, header length (2 bytes in version 1, 4 later), header, data.
Parts split(ByteSource& file, const std::string& file_name) {
    // NumPy reads no header of more than 10 000 bytes unasked.
    constexpr std::uint64_t most_header_bytes = std::uint64_t{1} << 20;
    constexpr std::size_t length_at = npy_magic.size() + 2;
    std::array<char, length_at + 4> begin{};
    const std::string_view bytes(begin.data(), file.read_at(0, begin));
    if (!bytes.starts_with(npy_magic) || bytes.size() < length_at)
        refuse_file(file_name, "this is no .npy file. Save one with numpy.save");
    const int major = static_cast<std::uint8_t>(bytes[npy_magic.size()]);
    const int minor = static_cast<std::uint8_t>(bytes[npy_magic.size() + 1]);
    if (major < 1 || major > 3 || minor != 0) {
        refuse_file(
            file_name,
            fmt::format("it is .npy version {}.{}, and 1.0, 2.0 and 3.0 are known. Save it again with "
                        "numpy.save",
                        major, minor));
    }
    const std::size_t length_size = major == 1 ? 2 : 4;
    const std::size_t header_at = length_at + length_size;
    const std::uint64_t length = little_endian(bytes.substr(length_at, length_size));
    const auto require_there = [&](bool is_there) {
        if (!is_there) refuse_file(file_name, "it ends inside its header. Save it again with numpy.save");
    };
    require_there(bytes.size() >= header_at && length <= file.stated_size() - header_at);
    if (length > most_header_bytes)
        refuse_file(file_name,
                    fmt::format("its header is of {} bytes, and {} are the most that are read. Save it "
                                "again with numpy.save",
                                length, most_header_bytes));
    Parts parts{std::string(length, '\0'), header_at + length};
    require_there(file.read_at(header_at, parts.header) == length);
    return parts;
}

/// numpy's letter and size of each type that is read, and first of those that are written; numpy's i8
/// has 8 bytes, and no ElementType of its own.
struct StoredType {
    std::string_view code;
    ElementType type;
};
constexpr StoredType stored_types[] = {
    {"u1", ElementType::u8},  {"i1", ElementType::i8},  {"i2", ElementType::i16},
    {"i4", ElementType::i32}, {"u4", ElementType::u32}, {"u8", ElementType::u64},
    {"f4", ElementType::f32}, {"f8", ElementType::f64}, {"i8", ElementType::f64},
};

const StoredType& stored_type(const std::string& descr, const std::string& file_name) {
    if (descr.find('O') != std::string::npos) {
        refuse_file(
            file_name,
            "its elements are Python objects. Convert them first, for instance with .astype(\"float64\")");
    }
    const char order = descr.empty() ? ' ' : descr[0];
    for (const StoredType& candidate : stored_types) {
        if (descr.size() != 3 || descr.substr(1) != candidate.code) continue;
        if (order == '<' || order == '=' || byte_size(candidate.type) == 1) return candidate;
        if (order == '>') {
            refuse_file(file_name,
                        fmt::format("its numbers are big endian. Convert them with .astype(\"<{}\")",
                                    candidate.code));
        }
    }
    refuse_file(
        file_name,
        fmt::format(
            "its elements are {}, and u1, i1, i2, i4, i8, u4, u8, f4 and f8 are read. Convert them, for "
            "instance with .astype(\"<f4\")",
            quoted_text(descr)));
}

/// The elements that a shape has.
std::optional<std::uint64_t> product(std::span<const std::uint64_t> shape) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) {
        if (__builtin_mul_overflow(count, size, &count)) return std::nullopt;
    }
    return count;
}

/// As Python writes it.
std::string tuple_of(std::span<const std::uint64_t> shape) {
    return fmt::format("({}{})", joined(shape, ", "), shape.size() == 1 ? "," : "");
}

/// The bytes of 64-bit integers become the floats that are equal to them.
void make_exact_doubles(Array& array, const std::string& file_name) {
    const std::span<double> numbers = array.as<double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto value = std::bit_cast<std::int64_t>(numbers[i]);
        numbers[i] = static_cast<double>(value);
        // 2^63 itself does not fit back into an int64.
        if (numbers[i] >= 0x1p63 || static_cast<std::int64_t>(numbers[i]) != value) {
            refuse_file(
                file_name,
                fmt::format("element {} is {}, which no 64-bit float holds exactly. Convert the numbers, for "
                            "instance with .astype(\"uint64\")",
                            i, value));
        }
    }
}

std::string numpy_type(ElementType type) {
    const auto* const stored =
        std::find_if(std::begin(stored_types), std::end(stored_types),
                     [&](const StoredType& candidate) { return candidate.type == type; });
    return (byte_size(type) == 1 ? '|' : '<') + std::string(stored->code);
}

}  // namespace

Numbers read_npy(ByteSource& file, const std::string& file_name, Take take) {
    const Parts parts = split(file, file_name);
    const NpyHeader header = HeaderReader(parts.header, file_name).read();
    const StoredType& stored = stored_type(header.descr, file_name);

    if (take == Take::line_or_rows && (header.shape.empty() || header.shape.size() > 2)) {
        refuse_file(file_name,
                    fmt::format("it has {} dimensions, and one or two are read. Save array.reshape(-1)",
                                header.shape.size()));
    }
    const bool has_order = std::ranges::count_if(header.shape, [](std::uint64_t n) { return n > 1; }) > 1 &&
                           std::ranges::find(header.shape, 0) == header.shape.end();
    if (header.fortran_order && has_order)
        refuse_file(file_name, "its dimensions are in Fortran order. Save numpy.ascontiguousarray(array)");

    const std::size_t size = byte_size(stored.type);
    const std::optional<std::uint64_t> count = product(header.shape);
    const auto require_fit = [&](std::uint64_t bytes_there) {
        if (count && bytes_there % size == 0 && bytes_there / size == *count) return;
        refuse_file(
            file_name,
            fmt::format(
                "its shape {} of {} does not fit the {} bytes of numbers that are there. Save it again "
                "with numpy.save",
                tuple_of(header.shape), stored.code, bytes_there));
    };
    require_fit(std::max(file.stated_size(), parts.data_at) - parts.data_at);
    if (*count > most_numbers_in_file)
        refuse_file(file_name,
                    fmt::format("it holds {} numbers, and {} are the most that are read. Save a part of "
                                "it, for instance array.reshape(-1)[:{}]",
                                *count, most_numbers_in_file, most_numbers_in_file));
    Array array(stored.type, *count);
    const std::span<char> data(reinterpret_cast<char*>(array.raw().data()), array.bytes());
    require_fit(file.read_at(parts.data_at, data));
    if (stored.code == "i8") make_exact_doubles(array, file_name);
    // Of so few numbers as are read: a row of none may be as long as it likes.
    const bool has_rows = header.shape.size() >= 2 && !array.empty();
    return {std::move(array), has_rows ? static_cast<std::uint32_t>(header.shape.back()) : 0};
}

Numbers parse_npy(std::string_view bytes, const std::string& file_name, Take take) {
    BytesInMemory file(bytes);
    return read_npy(file, file_name, take);
}

std::string format_npy(const Array& array, std::span<const std::uint64_t> shape) {
    const std::string in_words = tuple_of(shape);
    if (product(shape) != array.count())
        throw std::logic_error(fmt::format("{} elements are not of shape {}", array.count(), in_words));
    std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}",
                                     numpy_type(array.type()), in_words);
    // The data starts at a multiple of 64 bytes, and a line feed ends the header.
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

Numbers read_numbers(const std::filesystem::path& path, FileProgress* progress, Take take) {
    const std::string ending = in_lower_case(path.extension().string());
    if (ending != ".csv" && ending != ".txt" && ending != ".npy") {
        throw FileError(
            fmt::format("{} ends neither in .csv, nor .txt, nor .npy. Choose a file of one of these kinds.",
                        quoted_path(path)));
    }
    const bool is_text = ending != ".npy";
    // How much of a .npy is read, its header decides.
    InputFile file(path, is_text ? most_text_bytes : std::numeric_limits<std::uintmax_t>::max(), progress);
    if (is_text) return read_number_text(file, path.string(), take);
    Numbers numbers = read_npy(file, path.string(), take);
    if (numbers.array.empty()) refuse_file(path.string(), "it holds no numbers. Choose one that does");
    return numbers;
}

}  // namespace gridstride
