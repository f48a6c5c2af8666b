// NumPy's .npy format, version 1.0 to 3.0: numpy.lib.format in NumPy's documentation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/array.h"
#include "base/input_file.h"

namespace gridstride {

/// What a file of numbers holds, row by row.
struct Numbers {
    Array array;
    std::uint32_t width = 0;  ///< of two dimensions: numbers a row; 0: they are one line, or there are none
};

/// One or two dimensions, in C order; little endian u1 i2 i4 i8 u4 u8 f4 f8 (i8 as f64 when exact, else
/// refused). Throws FileError naming what is wrong: not .npy, objects, Fortran order of two dimensions, a
/// type or shape that does not fit the bytes that are there, more than most_numbers_in_file. All of that is
/// known from the header, before the numbers have memory.
Numbers read_npy(ByteSource& file, const std::string& file_name);
Numbers parse_npy(std::string_view bytes, const std::string& file_name);

/// The bytes of an .npy file, version 1.0, of shape (count,) or, with a width, (count / width, width).
std::string format_npy(const Array& array, std::size_t width = 0);
/// Of several arrays of one type: its rows where all are equally long, else one line, one after another.
std::string format_npy(std::span<const ArrayRef> arrays);

/// A user's file of numbers, by its ending: .csv or .txt (f64) or .npy (its own type). Throws FileError,
/// Cancelled, std::bad_alloc.
Numbers read_numbers(const std::filesystem::path& path, FileProgress* progress = nullptr);

}  // namespace gridstride
