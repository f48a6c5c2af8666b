// Reads columns of numbers from .csv and .txt files, as spreadsheets, numpy.savetxt and pandas write them.
#pragma once

#include <string>
#include <string_view>

#include "base/input_file.h"
#include "readers/file_choice.h"

namespace gridstride {

/// Reads the numbers of a text as f64. The separator is ';', a tab, a comma or white space: the one in the
/// second line, or else in the first. Decimal commas are accepted unless commas separate fields. Line ends
/// can be LF, CRLF or CR, with or without a BOM. Blank lines are allowed only at the beginning and the end. A
/// line may end with a separator. nan and inf are numbers: see lesson/user_data.h.
///
/// The first line is a heading if none of its cells is a number in any form. A leading "# " is ignored. If
/// the line has numbers beside an empty cell, or text above a number, choice.header must decide.
///
/// A column is numeric if its cell in the first line of numbers is a number or empty. A single line of
/// numbers without a heading is read as a row of numbers. If there are several columns, choice.column selects
/// one by its heading or its number from 1, or all, in row-major order; Numbers::width is then their count.
/// Columns of text are left out with a remark; a number in one of them is an error.
///
/// Throws NeedsChoice, and FileError, which names the line, the column and what to do: no numbers, lines of
/// different lengths, a cell that is not a number or has another form, both decimal points and decimal
/// commas, more than max_numbers_in_file numbers.
Numbers read_number_text(ByteSource& text, const std::string& file_name, const FileChoice& choice = {});
Numbers parse_number_text(std::string_view text, const std::string& file_name, const FileChoice& choice = {});

}  // namespace gridstride
