#include "base/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <regex>
#include <span>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {
namespace {

/// The separator that the first line with something on it holds outside quotes. A semicolon or a tab is there
/// on purpose; a comma beside them is a decimal comma.
char separator_of(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of("\r\n"), text.size()));
    bool tab = false;
    bool in_quotes = false;
    for (const char c : text) {
        if (c == '"') in_quotes = !in_quotes;
        if (in_quotes) continue;
        if (c == ';') return ';';
        if (c == '\t') tab = true;
        if (c == '\n' || c == '\r') break;
    }
    return tab ? '\t' : ',';
}

/// Walks through a text record by record. Lines end with LF, CRLF or CR. A quoted field may hold separators,
/// line ends and doubled quotes; a quote inside an unquoted field is a character like any other.
class RecordReader {
 public:
    /// separator: nullopt: the one that the text's beginning tells.
    RecordReader(ByteSource& source, std::optional<char> separator) : source_(source) {
        read_on();
        if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
            throw FileError("the text is UTF-16. Save it as UTF-8.");
        at_ = text_.size() - without_byte_order_mark(text_).size();
        separator_ = separator ? *separator : separator_of(text_.substr(at_));
    }

    /// Replaces fields by the next record's. False at the end. A blank line is a record of one empty field.
    bool next(std::vector<std::string>& fields) {
        if (at_ == text_.size() && !read_on()) return false;
        line_ = next_line_;
        std::size_t begin = at_;
        while (true) {
            read_record(fields);
            if (at_ - begin > most_record_bytes)
                throw FileError(
                    fmt::format("line {}: it is longer than {}, and no line of a table is. Look for a quote "
                                "that is opened there and never closed.",
                                line_, format_bytes(double{most_record_bytes}).text()));
            // What ends where the window does may go on behind it.
            if (at_ < text_.size() || ended_) return true;
            at_ = begin;
            next_line_ = line_;
            read_on();
            begin = at_;
        }
    }

    std::size_t line() const { return line_; }  ///< from 1, of the record that next() gave
    char separator() const { return separator_; }

 private:
    static constexpr std::size_t window_bytes = std::size_t{1} << 20;
    static constexpr std::uint32_t most_record_bytes = std::uint32_t{4} << 20;

    /// Moves the window: what stands before at_ is let go. False: there is nothing behind it.
    bool read_on() {
        if (ended_) return false;
        window_.erase(0, at_);
        at_ = 0;
        const std::size_t kept = window_.size();
        // Twice as many each time that a record does not fit, so that it is not gone through again and again.
        const std::size_t wanted = std::max(window_bytes, kept);
        window_.resize(kept + wanted);
        const std::size_t got = source_.read_at(read_, std::span(window_).subspan(kept));
        read_ += got;
        ended_ = got < wanted;
        window_.resize(kept + got);
        text_ = window_;
        return got > 0;
    }

    void read_record(std::vector<std::string>& fields) {
        std::size_t count = 0;
        do {
            // The strings of the record before are used again, so that a long file costs no allocation a
            // line.
            if (count == fields.size()) fields.emplace_back();
            read_field(fields[count++]);
        } while (skip(separator_));
        fields.resize(count);
        if (at_ < text_.size()) skip_line_end();
    }

    bool skip(char c) {
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }

    void skip_line_end() {
        skip('\r');
        skip('\n');
        ++next_line_;
    }

    void read_field(std::string& field) {
        field.clear();
        if (skip('"')) read_quoted(field);
        const std::size_t begin = at_;
        while (at_ < text_.size() && text_[at_] != separator_ && text_[at_] != '\r' && text_[at_] != '\n')
            ++at_;
        field += text_.substr(begin, at_ - begin);
    }

    void read_quoted(std::string& field) {
        const std::size_t opened_on = next_line_;
        while (true) {
            const std::size_t quote = text_.find('"', at_);
            if (quote == std::string_view::npos && !ended_) {
                at_ = text_.size();
                return;
            }
            if (quote == std::string_view::npos) {
                throw FileError(fmt::format(
                    "line {}: a quoted field is opened and never closed. Add the closing quote.", opened_on));
            }
            const std::string_view part = text_.substr(at_, quote - at_);
            next_line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
            field += part;
            at_ = quote + 1;
            if (!skip('"')) return;
            field += '"';
        }
    }

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

bool is_blank(const std::vector<std::string>& fields) {
    return fields.size() == 1 && trimmed(fields[0]).empty();
}

enum class Reading { number, out_of_range, text };

struct Number {
    Reading reading = Reading::text;
    double value = 0;
};

Number parse_number(std::string_view field, bool decimal_comma) {
    std::string_view text = trimmed(field);
    thread_local std::string with_point;  // a file has millions of fields
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return {};
    }
    if (decimal_comma) {
        const std::size_t comma = text.find(',');
        if (comma != std::string_view::npos) {
            if (text.find('.') != std::string_view::npos) return {};
            with_point = text;
            with_point[comma] = '.';
            text = with_point;
        }
    }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) return {};
    if (error == std::errc::result_out_of_range) return {Reading::out_of_range, 0};
    return {Reading::number, value};
}

/// Whether two fields may be one number with a decimal comma: "-1" and "5", or "5e-3". There are no blanks
/// beside the comma.
bool may_be_decimal(const std::string& before, const std::string& after) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    return !before.empty() && is_digit(before.back()) && is_digit(after[0]) &&
           parse_number(before + ',' + after, true).reading != Reading::text;
}

/// "1 234", "1.234,5", "1,5", and "−1" with the minus sign of typography: numbers to people.
bool is_number_otherwise_written(std::string_view field) {
    constexpr std::size_t longest = 40;
    std::string text(trimmed(field));
    if (text.size() > longest) return false;
    constexpr std::pair<std::string_view, std::string_view> plain_signs[] = {
        {"\u00A0", " "}, {"\u202F", " "}, {"\u2009", " "}, {"’", " "}, {"'", " "}, {"−", "~"}};
    for (const auto& [sign, plain] : plain_signs)
        for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at))
            text.replace(at, sign.size(), plain);
    static const std::regex form(R"([-+~]?\d{1,3}([ .,]\d{3})+([.,]\d+)?|[-+~]?\d+,\d+|~\d+([.,]\d+)?)");
    return std::regex_match(text, form);
}

/// A whole file's column, or all of them; every failure names the line.
class ColumnReader {
 public:
    ColumnReader(ByteSource& text, Take take)
        : records_(text, std::nullopt), separator_(records_.separator()), take_(take) {}

    Numbers read() {
        if (!next_with_content()) fail("the file is empty. Choose one with a column of numbers");
        find_columns();
        std::vector<double> values;
        do {
            if (take_ == Take::all) require_row();
            for (const std::size_t column : columns_) {
                if (values.size() == most_numbers_in_file)
                    fail(fmt::format(
                        "it holds more than {} numbers, the most that are read. Take a part of them",
                        most_numbers_in_file));
                values.push_back(number_of(column));
            }
            look_for_decimal_commas();
        } while (next());
        refuse_decimal_commas();
        return {Array::of<double>(values),
                columns_.size() > 1 ? static_cast<std::uint32_t>(columns_.size()) : 0};
    }

 private:
    [[noreturn]] static void fail(const std::string& what) { throw FileError(what + '.'); }
    [[noreturn]] void fail_here(const std::string& what) const {
        fail(fmt::format("line {}: {}", records_.line(), what));
    }

    bool next_with_content() {
        while (records_.next(fields_)) {
            if (!is_blank(fields_)) return true;
        }
        return false;
    }

    /// The next data row. Blank lines may stand at the end only: elsewhere a number may be missing there.
    bool next() {
        if (!records_.next(fields_)) return false;
        if (!is_blank(fields_)) return true;
        const std::size_t blank = records_.line();
        if (next_with_content()) {
            fail(fmt::format("line {}: it is blank, and numbers follow. Remove the blank line", blank));
        }
        return false;
    }

    Number number_at(std::size_t i) { return parse_number(fields_[i], separator_ != ','); }

    std::optional<std::size_t> first_number() {
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            if (number_at(i).reading != Reading::text) return i;
        }
        return std::nullopt;
    }

    /// Leaves the reader on the first data row.
    void find_columns() {
        std::optional<std::size_t> column = first_number();
        std::vector<std::string> headings;
        if (!column) {  // a heading line
            headings = fields_;
            if (!next_with_content())
                fail("it holds a heading and no numbers. Choose one with a column of numbers");
            column = first_number();
            if (!column) {
                fail_here(
                    fmt::format("{} is not a number, nor is anything else on the line. One heading line may "
                                "stand above the numbers; remove what else does",
                                quoted_text(trimmed(fields_[0]))));
            }
            headings_ = headings.size();
        }
        columns_ = {*column};
        if (take_ == Take::all) find_other_columns();
        // Taken for a heading, the first number would be lost without a word.
        for (const std::size_t i : columns_)
            if (i < headings.size() && is_number_otherwise_written(headings[i]))
                fail(
                    fmt::format("{} stands above the numbers and is one too, written in another way. "
                                "Write it as 1234.5 or -1234.5",
                                quoted_text(trimmed(headings[i]))));
    }

    bool is_empty(std::size_t i) const { return trimmed(fields_[i]).empty(); }

    /// An empty field among the numbers is one that is missing.
    void find_other_columns() {
        width_ = fields_.size();
        if (width_ > 1 && is_empty(width_ - 1)) --width_;
        for (std::size_t i = columns_.front() + 1; i < width_; ++i)
            if (is_empty(i) || number_at(i).reading != Reading::text) columns_.push_back(i);
    }

    /// No number is left out without a word.
    void require_row() {
        if (fields_.size() == width_ + 1 && is_empty(width_)) fields_.pop_back();
        if (fields_.size() != width_)
            fail_here(fmt::format("it has {}, and the first line of numbers has {}. Give it as many",
                                  counted(fields_.size(), "column"), format_count(width_)));
        for (std::size_t i = 0; i < width_; ++i)
            if (!std::ranges::binary_search(columns_, i) && number_at(i).reading == Reading::number)
                fail_here(
                    fmt::format("column {} holds {}, and text in the first line of numbers, so it is "
                                "not read. Write numbers in all of its lines, or take it out",
                                i + 1, quoted_text(trimmed(fields_[i]))));
    }

    /// "1,5" is one number to many people and two columns to this format, and every line of a file may be so.
    void look_for_decimal_commas() {
        if (two_columns_ || fields_.size() == 1 || separator_ != ',') return;
        if (fields_.size() != 2 || !may_be_decimal(fields_[0], fields_[1])) {
            two_columns_ = true;
        } else if (comma_line_ == 0) {
            comma_line_ = records_.line();
            comma_text_ = fields_[0] + ',' + fields_[1];
        }
    }

    /// Two headings, or a line that is no number with a decimal comma, show that there are columns.
    void refuse_decimal_commas() const {
        if (comma_line_ == 0 || two_columns_ || headings_ > 1) return;
        fail(fmt::format(
            "line {}: {} may be one number with a decimal comma or two columns, and no line tells which. "
            "Write decimal points; for two columns, write a heading line such as x,y above them",
            comma_line_, quoted_text(comma_text_)));
    }

    double number_of(std::size_t column) {
        if (column >= fields_.size()) {
            fail_here(fmt::format(
                "there is no column {}, from which the numbers are read. Complete the line or remove it",
                column + 1));
        }
        const Number number = number_at(column);
        if (number.reading == Reading::number) return number.value;
        const std::string_view text = trimmed(fields_[column]);
        if (text.empty())
            fail_here(fmt::format("column {} is empty. Fill it in or remove the line", column + 1));
        if (number.reading == Reading::out_of_range) {
            fail_here(
                fmt::format("{} is outside the range of 64-bit numbers, about 1e-308 to 1e308. Replace it or "
                            "remove the line",
                            quoted_text(text)));
        }
        fail_here(fmt::format("{} is not a number. Correct it or remove the line", quoted_text(text)));
    }

    RecordReader records_;
    char separator_;
    std::vector<std::string> fields_;
    Take take_;
    std::vector<std::size_t> columns_;  ///< that are read, from 0
    std::size_t width_ = 0;             ///< of each row, where all is taken
    std::size_t headings_ = 0;
    std::size_t comma_line_ = 0;  ///< the first that may hold a decimal comma; 0: none does
    std::string comma_text_;
    bool two_columns_ = false;  ///< a line holds what is no number with a decimal comma
};

/// The apostrophes of a text that is one already do not count: they are what comes off again.
bool reads_as_formula(std::string_view text) {
    const std::size_t first = text.find_first_not_of('\'');
    return first != std::string_view::npos &&
           std::string_view("=+-@\t\r\n").find(text[first]) != std::string_view::npos;
}

}  // namespace

std::string csv_text(std::string_view text) {
    return std::string(reads_as_formula(text) ? "'" : "") + std::string(text);
}

std::string text_of_csv(std::string_view field) {
    if (field.starts_with('\'') && reads_as_formula(field)) field.remove_prefix(1);
    return std::string(field);
}

std::string csv_record(const std::vector<std::string>& fields) {
    std::string record;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) record += ',';
        // An empty field that is alone would read as a blank line.
        const bool empty_line = fields.size() == 1 && fields[i].empty();
        if (!empty_line && fields[i].find_first_of(",\"\r\n") == std::string::npos) {
            record += fields[i];
            continue;
        }
        record += '"';
        for (const char c : fields[i])
            record.append(c == '"' ? 2 : 1, c);
        record += '"';
    }
    return record + "\r\n";
}

void for_each_csv_record(ByteSource& text, char separator, const TakeRecord& take) {
    RecordReader reader(text, separator);
    std::vector<std::string> fields;
    while (reader.next(fields))
        take(reader.line(), fields);
}

void for_each_csv_record(std::string_view text, char separator, const TakeRecord& take) {
    BytesInMemory bytes(text);
    for_each_csv_record(bytes, separator, take);
}

Numbers read_number_text(ByteSource& text, const std::string& file_name, Take take) {
    try {
        return ColumnReader(text, take).read();
    } catch (const CannotRead&) {
        throw;
    } catch (const FileError& wrong) {
        throw FileError(fmt::format("{}: {}", quoted_path(file_name), wrong.what()));
    }
}

Numbers parse_number_text(std::string_view text, const std::string& file_name, Take take) {
    BytesInMemory bytes(text);
    return read_number_text(bytes, file_name, take);
}

Array parse_number_column(std::string_view text, const std::string& file_name) {
    return parse_number_text(text, file_name, Take::line_or_rows).array;
}

}  // namespace gridstride
