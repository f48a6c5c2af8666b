// Texts of numbers in columns: .csv and .txt, as spreadsheets, numpy.savetxt and pandas write them.
#pragma once

#include <string>
#include <string_view>

#include "base/input_file.h"
#include "readers/file_choice.h"

namespace gridstride {

/// The numbers of a text, f64, separated by ';', tabs, commas or white space, whichever its second line
/// holds, or else its first. Except between commas, a decimal comma is understood. LF, CRLF or CR; with or
/// without a BOM; blank lines only at the beginning and the end; one separator may end each line. nan and inf
/// are numbers: see lesson/user_data.h.
///
/// The first line is a heading if no cell of it is a number, in whatever form; "# " before it does not count.
/// Where it holds numbers beside an empty cell, or a text above a number, whether it is a heading is for
/// choice.header to say.
///
/// A column is one of numbers where the first line of numbers has a number, or nothing, in it. One line of
/// numbers without a heading is as many numbers. Of several columns choice.column takes one, by its heading
/// or its number from 1, or all, row by row: Numbers::width is then how many there are. Columns of text are
/// left out, which is remarked; a number in one of them is an error.
///
/// Throws NeedsChoice; FileError that names the line, the column and what to do: no numbers, lines of
/// different lengths, a cell that is no number or is written in another form, decimal points beside decimal
/// commas, more than max_numbers_in_file.
Numbers read_number_text(ByteSource& text, const std::string& file_name, const FileChoice& choice = {});
Numbers parse_number_text(std::string_view text, const std::string& file_name, const FileChoice& choice = {});

}  // namespace gridstride
