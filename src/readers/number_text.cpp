#include "readers/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/format_exact.h"
#include "base/record_reader.h"
#include "base/text.h"
#include "base/units.h"
#include "readers/number_field.h"
#include "readers/separator.h"

namespace gridstride {
namespace {

using Kind = ParsedNumber::Kind;
using Fields = std::vector<std::string>;

bool is_blank(const Fields& fields) {
    return fields.size() == 1 && trim(fields[0]).empty();
}

/// Returns the field on one line, with at most `max_characters` characters.
std::string shortened(std::string_view field, std::size_t max_characters) {
    const std::string text = printable(trim(field));
    return characters(text) <= max_characters ? text
                                              : std::string(first_characters(text, max_characters)) + "…";
}

constexpr std::size_t max_name = 40;
std::string in_backticks(std::string_view name) {
    return fmt::format("`{}`", shortened(name, max_name));
}

std::string first_few(const std::vector<std::string>& names, std::size_t few) {
    std::vector<std::string> some(names.begin(),
                                  names.begin() + static_cast<std::ptrdiff_t>(std::min(few, names.size())));
    if (names.size() > few) some.push_back(fmt::format("and {} more", format_count(names.size() - few)));
    return join(some, ", ");
}

constexpr std::size_t max_rows_shown = 6;

class TableReader {
 public:
    TableReader(ByteSource& text, const std::string& file_name, const FileChoice& choice)
        : records_(text, &find_separator), file_name_(file_name), choice_(choice) {}

    Numbers read() {
        if (!next_with_content()) fail("the file is empty. Choose one with a column of numbers");
        first_line_ = line_;
        parse_first_line();
        find_columns();
        choose_columns();
        while (true) {
            read_row();
            if (!next_row()) break;
            if (++rows_ == 2) require_clear_heading();
        }
        return {Array::of<double>(values_), width(), describe_selection(), "", remarks()};
    }

 private:
    [[noreturn]] void fail(const std::string& what) const { throw_file_error(file_name_, what); }
    [[noreturn]] void fail_at(std::size_t line, const std::string& what) const {
        fail(fmt::format("line {}: {}", line, what));
    }
    [[noreturn]] void fail_here(const std::string& what) const { fail_at(line_, what); }
    [[noreturn]] void fail_in(std::size_t column, const std::string& what) const {
        fail(fmt::format("line {}, column {}: {}", line_, column + 1, what));
    }

    bool next_with_content() {
        while (records_.next(fields_)) {
            if (is_blank(fields_)) continue;
            line_ = records_.line();
            save_preview_row();
            return true;
        }
        return false;
    }

    /// Advances to the next line of numbers. Blank lines are allowed only at the end; elsewhere a number may
    /// be missing.
    bool next_row() {
        if (!records_.next(fields_)) return false;
        line_ = records_.line();
        if (is_blank(fields_)) {
            const std::size_t blank = line_;
            if (next_with_content())
                fail_at(blank, "this line is blank, but numbers follow. Remove the blank line");
            return false;
        }
        save_preview_row();
        return true;
    }

    void save_preview_row() {
        constexpr std::size_t max_cells = 12, max_characters = 24;
        if (first_rows_.size() == max_rows_shown) return;
        std::vector<std::string>& row = first_rows_.emplace_back();
        for (const std::string& field : fields_) {
            if (row.size() == max_cells) {
                row.emplace_back("…");
                return;
            }
            row.push_back(shortened(field, max_characters));
        }
    }

    FileQuestion question(std::string text, std::string flags) {
        while (first_rows_.size() < max_rows_shown && next_with_content()) {
        }
        return {std::move(text), std::move(flags), first_rows_, {}};
    }

    bool has_decimal_commas() const {
        return records_.separator() != ',' && records_.separator() != no_separator;
    }
    ParsedNumber parse_cell(std::size_t i) const { return parse_field(fields_[i], has_decimal_commas()); }
    bool is_empty(std::size_t i) const { return trim(fields_[i]).empty(); }
    bool is_numeric(std::size_t i) const {
        const Kind kind = parse_cell(i).kind;
        return kind == Kind::number || kind == Kind::out_of_range ||
               (kind == Kind::text && is_unsupported_number(fields_[i]));
    }

    void parse_first_line() {
        bool any_number = false, any_plain = false;
        for (std::size_t i = 0; i < fields_.size(); ++i) {
            any_number = any_number || is_numeric(i);
            any_plain = any_plain || parse_cell(i).kind == Kind::number;
        }
        if (!choice_.has_header && !any_plain) require_no_split_form();
        // pandas gives the column of row numbers an empty name, and other columns the names 0, 1, 2.
        if (!choice_.has_header && any_number && is_empty(0))
            throw_header_question(fmt::format(
                "line {} has an empty cell before its numbers, so it may name the columns or contain data.",
                line_));
        // "1\xa0234" is a number in Latin-1, which this reader does not decode.
        const auto may_be_number = [](const std::string& field) {
            return !is_utf8(field) && field.find_first_of("0123456789") != std::string::npos;
        };
        if (!choice_.has_header && !any_number && std::ranges::any_of(fields_, may_be_number))
            throw_header_question(
                fmt::format("line {} has digits and characters that are not UTF-8, so it may name the "
                            "columns or contain data.",
                            line_));
        has_heading_ = choice_.has_header.value_or(!any_number);
        if (!has_heading_) return;
        headings_ = fields_;
        // numpy.savetxt and gnuplot write headings as "# x y".
        std::string& first = headings_.front();
        if (trim(first) == "#" && records_.separator() == white_space && headings_.size() > 1)
            headings_.erase(headings_.begin());
        else if (first.starts_with("# "))
            first.erase(0, 2);
        if (!next_with_content())
            fail("the file has a heading but no numbers. Choose one with a column of numbers");
    }

    /// Refuses "(1,234.5)", which commas divide into "(1" and "234.5)".
    void require_no_split_form() const {
        if (records_.separator() != ',' || fields_.size() < 2) return;
        const std::string line = join(fields_, ",");
        if (is_unsupported_number(line)) fail_in(0, describe_invalid_number(line, Kind::text));
    }

    [[noreturn]] void throw_header_question(const std::string& text) {
        FileQuestion file_question = question(text, "Give --header yes or --header no.");
        for (const bool header : {true, false}) {
            FileChoice choice = choice_;
            choice.has_header = header;
            file_question.answers.push_back(
                {header ? "The first line names the columns" : "The first line contains data", choice});
        }
        throw NeedsChoice(file_name_, std::move(file_question));
    }

    /// Asks whether there is a heading if text is above a number, because the text may name the column.
    void require_clear_heading() {
        if (choice_.has_header || has_heading_) return;
        for (const std::size_t i : text_columns_)
            if (i < fields_.size() && parse_cell(i).kind == Kind::number)
                throw_header_question(fmt::format(
                    "column {} has text in its first line and {} below it, so the first line may name the "
                    "columns or contain data.",
                    i + 1, quote_text(trim(fields_[i]))));
    }

    void find_columns() {
        const auto has_name = [&](std::size_t i) {
            return i < headings_.size() && !trim(headings_[i]).empty();
        };
        width_ = fields_.size();
        if (width_ > 1 && is_empty(width_ - 1) && !has_name(width_ - 1)) --width_;
        if (has_heading_ && headings_.size() == width_ + 1 && !has_name(width_)) headings_.pop_back();
        bool any_number = false;
        for (std::size_t i = 0; i < width_; ++i) {
            const bool is_number = is_numeric(i);
            any_number = any_number || is_number;
            (is_number || is_empty(i) ? numeric_columns_ : text_columns_).push_back(i);
        }
        if (!any_number) {
            const std::string text(trim(fields_[text_columns_.empty() ? 0 : text_columns_.front()]));
            fail_here(fmt::format("{}; the line has no number. {}",
                                  text.empty() ? "the cell is empty" : quote_text(text) + " is not a number",
                                  has_heading_ ? "Only one heading line may precede the numbers; remove the "
                                                 "others"
                                               : "Remove the line, or give --header yes if it is a heading"));
        }
        if (!has_heading_ || headings_.size() == width_) return;
        if (headings_.size() == 1) require_no_split_number();
        fail_here(
            fmt::format("it has {}, but the heading has {}. Give each column one name, in quotes if the name "
                        "contains the separator",
                        counted(width_, "column"), counted(headings_.size(), "name")));
    }

    /// Returns the current line as one number that a comma or a blank divides, if it can be one.
    std::optional<SplitNumber> as_one_number() const {
        const char separator = records_.separator();
        if ((separator != ',' && separator != white_space) || fields_.size() < 2 || headings_.size() > 1)
            return std::nullopt;
        return parse_split_number(join(fields_, std::string(1, separator)));
    }
    std::string one_number_sentence(const std::optional<SplitNumber>& one) const {
        if (!one) return {};
        return fmt::format("If line {}, column 1, {} is one number, write it as {}.", line_,
                           quote_text(one->text), one->plain);
    }
    /// Refuses a divided number in a file with one column.
    void require_no_split_number() const {
        if (const auto one = as_one_number())
            fail_in(0, fmt::format("{} is not a number in a supported form. Write it as {}",
                                   quote_text(one->text), one->plain));
    }

    std::string column_name(std::size_t column) const {
        return has_heading_ ? std::string(trim(headings_[column])) : std::string();
    }
    std::vector<std::size_t> find_columns_named(std::string_view name) const {
        std::vector<std::size_t> named;
        for (std::size_t i = 0; i < headings_.size(); ++i)
            if (trim(headings_[i]) == trim(name)) named.push_back(i);
        return named;
    }
    bool is_unique_name(std::size_t column) const {
        const std::string name = column_name(column);
        return !name.empty() && name != "all" && find_columns_named(name).size() == 1;
    }
    /// Returns the number and name of a column, "2 `value`".
    std::string format_column(std::size_t column) const {
        const std::string name = column_name(column);
        return name.empty() ? std::to_string(column + 1)
                            : fmt::format("{} {}", column + 1, in_backticks(name));
    }
    std::string format_columns(const std::vector<std::size_t>& columns) const {
        std::vector<std::string> names;
        for (const std::size_t column : columns)
            names.push_back(format_column(column));
        return first_few(names, 8);
    }

    void choose_columns() {
        if (choice_.column == "all") {
            require_no_column_named_all();
            columns_ = numeric_columns_;
        } else if (!choice_.column.empty()) {
            columns_ = {find_column(choice_.column)};
        } else if (numeric_columns_.size() == 1) {
            columns_ = numeric_columns_;
        } else {
            const std::optional<SplitNumber> one = as_one_number();
            detect_single_line();
            if (!is_one_line_ || (one && one->is_likely)) throw_column_question(one_number_sentence(one));
            one_line_remark_ = one_number_sentence(one);
            columns_ = numeric_columns_;
        }
    }

    void detect_single_line() {
        Fields first = std::move(fields_);
        fields_.clear();
        const std::size_t first_line = line_;
        const bool has_more = next_row();
        // Settle the heading before asking for a column, since the answers show names.
        if (has_more) require_clear_heading();
        fields_ = std::move(first);
        line_ = first_line;
        is_one_line_ = !has_more && !has_heading_;
    }

    void require_no_column_named_all() const {
        if (const auto named_columns = find_columns_named("all"); !named_columns.empty())
            fail(fmt::format("column {} is named `all`, which also selects all columns. Give its number",
                             named_columns.front() + 1));
    }

    /// Finds a column by its heading first, since a heading may be a number, then by its number.
    std::size_t find_column(const std::string& text) const {
        const std::vector<std::size_t> named = find_columns_named(text);
        const std::optional<std::size_t> number = parse_number<std::size_t>(text);
        const bool is_number = number && *number >= 1 && *number <= width_;
        if (named.size() > 1)
            fail(fmt::format("{} are named {}: {}. Give the number of one", counted(named.size(), "column"),
                             in_backticks(text), format_columns(named)));
        if (named.size() == 1) return named[0];
        if (is_number) return *number - 1;
        fail(fmt::format("it has no column {}. Choose one of its columns of numbers: {}", in_backticks(text),
                         format_columns(numeric_columns_)));
    }

    std::string unreadable_cell_sentence() const {
        for (const std::size_t i : numeric_columns_)
            if (const Kind kind = parse_cell(i).kind; kind != Kind::number && kind != Kind::empty)
                return fmt::format(" In line {}, column {}, {}.", line_, i + 1,
                                   describe_invalid_number(fields_[i], kind));
        return {};
    }

    [[noreturn]] void throw_column_question(const std::string& about_line) {
        constexpr std::size_t max_answers = 500;
        FileQuestion file_question = question(
            fmt::format("it has {} of numbers.{}{}{}", counted(numeric_columns_.size(), "column"),
                        about_line.empty() ? "" : " ", about_line, unreadable_cell_sentence()),
            fmt::format(
                "Choose one with --column NAME or N, or all of them, row by row, with --column all: {}.",
                format_columns(numeric_columns_)));
        const auto answer = [&](std::string label, std::string column) {
            FileChoice choice = choice_;
            choice.column = std::move(column);
            file_question.answers.push_back({std::move(label), std::move(choice)});
        };
        answer("All of them, row by row", "all");
        for (const std::size_t column : numeric_columns_) {
            if (file_question.answers.size() == max_answers) break;
            const std::string number = std::to_string(column + 1);
            // pandas names columns 0, 1, 2 and gives its row numbers no name; that column's number would
            // select another column by name.
            if (!is_unique_name(column) && !find_columns_named(number).empty()) continue;
            const std::string name = column_name(column);
            answer(
                name.empty() ? "Column " + number : fmt::format("{}: {}", number, shortened(name, max_name)),
                is_unique_name(column) ? name : number);
        }
        throw NeedsChoice(file_name_, std::move(file_question));
    }

    /// Throws if the line has another number of cells, or a number in a column of text: no number is dropped
    /// silently.
    void require_width() {
        if (fields_.size() == width_ + 1 && is_empty(width_)) fields_.pop_back();
        if (width_ == 1) require_no_split_number();
        if (fields_.size() != width_)
            fail_here(fmt::format("it has {}, but the first line of numbers has {}. Make them equal",
                                  counted(fields_.size(), "column"), format_count(width_)));
        if (!choice_.column.empty() && choice_.column != "all") return;
        for (const std::size_t i : text_columns_)
            if (parse_cell(i).kind == Kind::number)
                fail_in(
                    i,
                    fmt::format(
                        "it has {} here but text in the first line of numbers, so this column is left out. "
                        "Write a number in each of its lines, or remove the column",
                        quote_text(trim(fields_[i]))));
    }

    void read_row() {
        require_width();
        for (const std::size_t column : columns_) {
            if (values_.size() == max_numbers_in_file)
                fail(fmt::format(
                    "it has more than {} numbers, the most that can be read. Use a part of the file",
                    max_numbers_in_file));
            const ParsedNumber number = parse_cell(column);
            if (number.kind == Kind::empty)
                fail_in(column,
                        "the cell is empty. Fill it in, write nan for a missing number, or remove the line");
            if (number.kind != Kind::number)
                fail_in(column, describe_invalid_number(fields_[column], number.kind));
            values_.push_back(number.value);
            if (number.decimal_comma || number.decimal_point) check_decimal_mark(number, column);
            if (number.is_rounded && ++rounded_ == 1)
                first_rounded_ = fmt::format("Line {}, column {}: {} became {:.0f}.", line_, column + 1,
                                             printable(trim(fields_[column])), number.value);
        }
    }

    /// Refuses a mix of decimal points and commas: beside "1,5", "1.234" may be 1234 or 1.234.
    void check_decimal_mark(const ParsedNumber& number, std::size_t column) {
        std::size_t& first_line = number.decimal_comma ? comma_line_ : point_line_;
        if (first_line > 0) return;
        first_line = line_;
        if (number.decimal_comma) first_comma_ = {std::string(trim(fields_[column])), number.value};
        if (comma_line_ > 0 && point_line_ > 0)
            fail_in(column,
                    fmt::format("{} has a decimal {}, but line {} has a decimal {}. Write all numbers alike",
                                quote_text(trim(fields_[column])), number.decimal_comma ? "comma" : "point",
                                number.decimal_comma ? point_line_ : comma_line_,
                                number.decimal_comma ? "point" : "comma"));
    }

    std::uint32_t width() const {
        return columns_.size() > 1 && !is_one_line_ ? static_cast<std::uint32_t>(columns_.size()) : 0;
    }

    std::string describe_selection() const {
        if (is_one_line_) return fmt::format("{} of one row", counted(values_.size(), "number"));
        const std::string rows = counted(rows_, "row");
        if (columns_.size() > 1)
            return columns_.size() == width_
                       ? fmt::format("all {} columns, {}", format_count(width_), rows)
                       : fmt::format("{} of {} columns, {}", format_count(columns_.size()),
                                     format_count(width_), rows);
        const std::string name = column_name(columns_[0]);
        return fmt::format("column {}, {}",
                           name.empty() ? std::to_string(columns_[0] + 1) : in_backticks(name), rows);
    }

    std::vector<std::string> remarks() const {
        std::vector<std::string> all;
        const bool is_chosen = !choice_.column.empty() && choice_.column != "all";
        if (!text_columns_.empty() && !is_chosen)
            all.push_back(
                fmt::format("{} of text left out: {}.",
                            text_columns_.size() == 1 ? "1 column" : counted(text_columns_.size(), "column"),
                            format_columns(text_columns_)));
        if (!choice_.has_header && !has_heading_ && !text_columns_.empty() && rows_ > 1)
            all.push_back(fmt::format(
                "Line {} has text and numbers and was read as data. If it names the columns, give --header "
                "yes, or give names to all of them.",
                first_line_));
        if (!one_line_remark_.empty()) all.push_back(one_line_remark_);
        if (rounded_ > 0)
            all.push_back(fmt::format("{} beyond 2^53 {} rounded to 64-bit floating point. {}",
                                      counted(rounded_, "whole number"), rounded_ == 1 ? "was" : "were",
                                      first_rounded_));
        if (comma_line_ > 0)
            all.push_back(fmt::format("Commas were read as decimal commas: {} is {}.",
                                      quote_text(first_comma_.first), format_exact(first_comma_.second)));
        return all;
    }

    RecordReader records_;
    const std::string& file_name_;
    const FileChoice& choice_;
    Fields fields_;                                     ///< of the current line
    std::size_t line_ = 0;                              ///< its number
    std::vector<std::vector<std::string>> first_rows_;  ///< for a question

    std::size_t first_line_ = 0;  ///< the number of the first line that is not blank
    bool has_heading_ = false;
    Fields headings_;
    std::size_t width_ = 0;  ///< fields per line, without an empty one at the end
    std::vector<std::size_t> numeric_columns_, text_columns_;  ///< columns from 0
    std::vector<std::size_t> columns_;                         ///< the selected columns
    bool is_one_line_ = false;
    std::string one_line_remark_;  ///< a remark on that line

    std::vector<double> values_;
    std::size_t rows_ = 1;
    std::size_t comma_line_ = 0, point_line_ = 0;  ///< the first line with such a decimal mark; 0: none
    std::pair<std::string, double> first_comma_;
    std::uint64_t rounded_ = 0;  ///< whole numbers
    std::string first_rounded_;  ///< a sentence
};

}  // namespace

Numbers read_number_text(ByteSource& text, const std::string& file_name, const FileChoice& choice) {
    try {
        return TableReader(text, file_name, choice).read();
    } catch (const ReadError&) {
        throw;
    } catch (const FileError& wrong) {
        // RecordReader does not know the file's name.
        const std::string begin = quote_path(file_name) + ": ";
        if (std::string_view(wrong.what()).starts_with(begin)) throw;
        throw FileError(begin + wrong.what());
    }
}

Numbers parse_number_text(std::string_view text, const std::string& file_name, const FileChoice& choice) {
    BytesInMemory bytes(text);
    return read_number_text(bytes, file_name, choice);
}

}  // namespace gridstride
