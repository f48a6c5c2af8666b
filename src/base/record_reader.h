// The records of a text, one after another, whatever separates their fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"

namespace gridstride {

/// As separators: any run of spaces and tabs, where those at the ends of a line do not count; and none at
/// all.
inline constexpr char white_space = ' ', no_separator = '\0';

/// Finds the separator of a text by its beginning.
using FindSeparator = char (*)(std::string_view beginning);

/// Walks through a text record by record, and holds about a MiB of it. Lines end with LF, CRLF or CR. A
/// quoted field may hold separators, line ends and doubled quotes; a quote inside an unquoted field is a
/// character like any other. Throws FileError for UTF-16, a quote that is never closed, and a record of more
/// than 16 MiB.
class RecordReader {
 public:
    RecordReader(ByteSource& source, char separator);
    RecordReader(ByteSource& source, FindSeparator find_separator);

    /// Replaces fields by the next record's. False at the end. A blank line is a record of one empty field.
    bool next(std::vector<std::string>& fields);

    std::size_t line() const { return line_; }  ///< from 1, of the record that next() gave
    char separator() const { return separator_; }

 private:
    static constexpr std::uint64_t max_window_bytes = std::uint64_t{1} << 20;
    static constexpr std::uint32_t max_record_bytes = std::uint32_t{16} << 20;

    void open();
    bool read_on();
    void read_record(std::vector<std::string>& fields);
    bool skip(char c);
    bool skip_separator();
    void skip_line_end();
    void read_field(std::string& field);
    void read_quoted(std::string& field);

    ByteSource& source_;
    std::uint64_t read_ = 0;  ///< of the source, so far
    bool ended_ = false;      ///< so has the source
    std::string window_;
    std::string_view text_;  ///< of the window
    char separator_ = ',';
    std::size_t at_ = 0;  ///< in the window
    std::size_t line_ = 1;
    std::size_t next_line_ = 1;
};

}  // namespace gridstride
