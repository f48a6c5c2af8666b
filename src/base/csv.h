// Comma-separated values (RFC 4180): UTF-8 without BOM, decimal point in every locale.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/input_file.h"

namespace gridstride {

/// About a hundred million numbers as text, more than a hand-made table holds.
inline constexpr std::uintmax_t max_text_bytes = std::uintmax_t{1} << 30;

/// Returns a record with its line end "\r\n". Fields with a comma, quote or line break are quoted.
std::string format_csv_record(const std::vector<std::string>& fields);

/// Protects a text field against formula injection: a text that begins with =, +, -, @, a tab or a line end
/// gets a leading apostrophe, which spreadsheets read as "this is text". Do not use it for numbers.
std::string escape_csv_text(std::string_view text);
/// Reverses escape_csv_text().
std::string unescape_csv_text(std::string_view field);

/// Called with the line, counted from 1. A blank line is a record of one empty field.
using RecordHandler = std::function<void(std::size_t line, const std::vector<std::string>& fields)>;

/// Calls `handle` for each record; holds one record in memory at a time. Throws FileError on an unclosed
/// quote and on a record of more than 16 MiB.
void for_each_csv_record(ByteSource& text, char separator, const RecordHandler& handle);
void for_each_csv_record(std::string_view text, char separator, const RecordHandler& handle);

}  // namespace gridstride
