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

/// One or two dimensions, or any number of them where all is taken, in C order; little endian u1 i2 i4 i8 u4
/// u8 f4 f8 (i8 as f64 when exact, else refused). Throws FileError naming what is wrong: not .npy, objects,
/// Fortran order of several dimensions, a type or shape that does not fit the bytes that are there, more than
/// most_numbers_in_file. All of that is known from the header, before the numbers have memory.
Numbers read_npy(ByteSource& file, const std::string& file_name, Take take = Take::line_or_rows);
Numbers parse_npy(std::string_view bytes, const std::string& file_name, Take take = Take::line_or_rows);

/// The bytes of an .npy file, version 1.0, of this shape: () is a single number.
std::string format_npy(const Array& array, std::span<const std::uint64_t> shape);
/// Of shape (count,) or, with a width, (count / width, width).
std::string format_npy(const Array& array, std::size_t width = 0);
/// Of several arrays of one type: its rows where all are equally long, else one line, one after another.
std::string format_npy(std::span<const ArrayRef> arrays);

/// A user's file of numbers, by its ending: .csv or .txt (f64) or .npy (its own type). Throws FileError,
/// Cancelled, std::bad_alloc.
Numbers read_numbers(const std::filesystem::path& path, FileProgress* progress = nullptr,
                     Take take = Take::line_or_rows);

}  // namespace gridstride
