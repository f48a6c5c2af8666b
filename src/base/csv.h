// Comma-separated values, RFC 4180: UTF-8 without BOM, a point as the decimal sign whatever the locale.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/array.h"
#include "base/input_file.h"

namespace gridstride {

/// A hundred million numbers as text. What is larger is no table that somebody made.
inline constexpr std::uintmax_t max_text_bytes = std::uintmax_t{1} << 30;

/// One record with its line end "\r\n"; fields with a comma, quote or line break are quoted.
std::string csv_record(const std::vector<std::string>& fields);

/// A field that is text, such that no spreadsheet takes it for a formula and runs it: one that begins with =
/// + -
/// @, a tab or a line end has an apostrophe put before it, which spreadsheets read as "this is text". Numbers
/// are no such fields.
std::string csv_text(std::string_view text);
/// What csv_text() was given.
std::string text_of_csv(std::string_view field);

/// The line is counted from 1. A blank line is a record of one empty field.
using TakeRecord = std::function<void(std::size_t line, const std::vector<std::string>& fields)>;

/// Goes through a whole text record by record, and holds one at a time. Throws FileError on an unclosed quote
/// and on a record of more than 16 MiB.
void for_each_csv_record(ByteSource& text, char separator, const TakeRecord& take);
void for_each_csv_record(std::string_view text, char separator, const TakeRecord& take);

}  // namespace gridstride
