// Reads and writes NumPy's .npy format, versions 1.0 to 3.0: see numpy.lib.format in NumPy's documentation.
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

/// The shapes that are accepted: one or two dimensions, for the input of lessons, or all, for callers that
/// know the shape.
enum class AcceptedShapes { line_or_rows, all };

/// Reads an .npy in C order and either byte order. Elements can be integers of 8 to 64 bits, bool (read as
/// u8), f16 (read as f32), f32 and f64. Signed 64-bit integers become f64; all 64-bit integers must be exact
/// as f64, since no lesson's type holds more.
///
/// Throws FileError if the file is not an .npy, has Python objects, several dimensions in Fortran order, a
/// type or shape that does not match its size, or more than max_numbers_in_file numbers. All of this is
/// checked in the header, before memory is allocated.
Numbers read_npy(ByteSource& file, const std::string& file_name,
                 AcceptedShapes shapes = AcceptedShapes::line_or_rows);
Numbers parse_npy(std::string_view bytes, const std::string& file_name,
                  AcceptedShapes shapes = AcceptedShapes::line_or_rows);

/// Returns the bytes of an .npy file, version 1.0, with this shape. An empty shape is a scalar.
std::string format_npy(const Array& array, std::span<const std::uint64_t> shape);
/// The shape is (count,) or, if `width` is not 0, (count / width, width).
std::string format_npy(const Array& array, std::size_t width = 0);
/// Writes several arrays of one type: as rows if they have equal lengths, otherwise concatenated.
std::string format_npy(std::span<const ArrayRef> arrays);

/// Reads a .csv or .txt (as f64) or an .npy, according to its extension. Throws NeedsChoice, FileError,
/// Cancelled, std::bad_alloc.
Numbers read_numbers(const std::filesystem::path& path, const FileChoice& choice = {},
                     FileProgress* progress = nullptr, AcceptedShapes shapes = AcceptedShapes::line_or_rows);

}  // namespace gridstride
