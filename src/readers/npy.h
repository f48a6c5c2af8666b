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
#include "readers/file_choice.h"

namespace gridstride {

/// Which shapes are read: one or two dimensions, as lessons are given them, or any, for whoever says
/// themselves which shape the numbers have.
enum class AcceptedShapes { line_or_rows, all };

/// The numbers of an .npy in C order, either byte order: integers of 8 to 64 bits, bool (as u8), f16 (as
/// f32), f32 and f64. 64-bit integers become f64 or u64, and have to be exact as f64, which holds whatever
/// any lesson's type does. Throws FileError naming what is wrong: not .npy, objects, Fortran order of several
/// dimensions, a type or shape that does not fit the bytes that are there, more than max_numbers_in_file.
/// All of that is known from the header, before the numbers have memory.
Numbers read_npy(ByteSource& file, const std::string& file_name,
                 AcceptedShapes shapes = AcceptedShapes::line_or_rows);
Numbers parse_npy(std::string_view bytes, const std::string& file_name,
                  AcceptedShapes shapes = AcceptedShapes::line_or_rows);

/// The bytes of an .npy file, version 1.0, of this shape: () is a single number.
std::string format_npy(const Array& array, std::span<const std::uint64_t> shape);
/// Of shape (count,) or, with a width, (count / width, width).
std::string format_npy(const Array& array, std::size_t width = 0);
/// Of several arrays of one type: its rows where all are equally long, else one line, one after another.
std::string format_npy(std::span<const ArrayRef> arrays);

/// A user's file of numbers, by its ending: .csv or .txt (f64) or .npy. Throws NeedsChoice, FileError,
/// Cancelled, std::bad_alloc.
Numbers read_numbers(const std::filesystem::path& path, const FileChoice& choice = {},
                     FileProgress* progress = nullptr, AcceptedShapes shapes = AcceptedShapes::line_or_rows);

}  // namespace gridstride
