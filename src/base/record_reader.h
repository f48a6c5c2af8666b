#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_file.h"

namespace gridstride {

/// Special separators: any run of spaces and tabs (ignored at the ends of a line), and none at all.
inline constexpr char white_space = ' ', no_separator = '\0';

/// Detects the separator from the beginning of a text.
using FindSeparator = char (*)(std::string_view beginning);

/// Reads a text record by record in a window of about 1 MiB. Lines end with LF, CRLF or CR. A quoted field
/// may contain separators, line ends and doubled quotes; a quote inside an unquoted field is an ordinary
/// character. Throws FileError for UTF-16, an unclosed quote, and a record of more than 16 MiB.
class RecordReader {
 public:
    RecordReader(ByteSource& source, char separator);
    RecordReader(ByteSource& source, FindSeparator find_separator);

    /// Stores the next record in `fields`; returns false at the end. A blank line is a record of one empty
    /// field.
    bool next(std::vector<std::string>& fields);

    std::size_t line() const { return line_; }  ///< of the last record, from 1
    char separator() const { return separator_; }

 private:
    static constexpr std::uint64_t max_window_bytes = std::uint64_t{1} << 20;
    static constexpr std::uint32_t max_record_bytes = std::uint32_t{16} << 20;

    void open();
    bool advance_window();
    void read_record(std::vector<std::string>& fields);
    bool skip(char c);
    bool skip_separator();
    void skip_line_end();
    void read_field(std::string& field);
    void read_quoted(std::string& field);

    ByteSource& source_;
    std::uint64_t bytes_read_ = 0;  ///< bytes read from the source
    bool is_at_end_ = false;        ///< the source has no more bytes
    std::string window_;
    std::string_view text_;  ///< view of window_
    char separator_ = ',';
    std::size_t position_ = 0;  ///< offset in text_
    std::size_t line_ = 1;
    std::size_t next_line_ = 1;
};

}  // namespace gridstride
