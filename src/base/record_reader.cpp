#include "base/record_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {
namespace {

constexpr bool is_space(char c) {
    return c == ' ' || c == '\t';
}

}  // namespace

RecordReader::RecordReader(ByteSource& source, char separator) : source_(source), separator_(separator) {
    open();
}

RecordReader::RecordReader(ByteSource& source, FindSeparator find_separator) : source_(source) {
    open();
    separator_ = find_separator(text_.substr(position_));
}

void RecordReader::open() {
    advance_window();
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
        throw FileError("the text is UTF-16. Save it as UTF-8.");
    position_ = text_.size() - remove_byte_order_mark(text_).size();
}

bool RecordReader::next(std::vector<std::string>& fields) {
    if (position_ == text_.size() && !advance_window()) return false;
    line_ = next_line_;
    std::size_t begin = position_;
    while (true) {
        read_record(fields);
        if (position_ - begin > max_record_bytes)
            throw FileError(
                fmt::format("line {}: it is longer than the limit of {}. Close a quote that is opened there, "
                            "or split the line.",
                            line_, format_bytes(double{max_record_bytes}).text()));
        // A record that ends with the window may continue behind it.
        if (position_ < text_.size() || is_at_end_) return true;
        position_ = begin;
        next_line_ = line_;
        advance_window();
        begin = position_;
    }
}

/// Moves the window forward and drops the text before position_. Returns false at the end of the source.
bool RecordReader::advance_window() {
    if (is_at_end_) return false;
    window_.erase(0, position_);
    position_ = 0;
    const std::size_t unread_bytes = window_.size();
    // Doubles the window whenever a record does not fit, so that rescans stay linear.
    const std::uint64_t size = source_.reported_size();
    const std::uint64_t unread = size > bytes_read_ ? size - bytes_read_ + 1 : max_window_bytes;
    const std::size_t requested = std::max<std::size_t>(std::min(unread, max_window_bytes), unread_bytes);
    window_.resize(unread_bytes + requested);
    const std::size_t bytes_read = source_.read_at(bytes_read_, std::span(window_).subspan(unread_bytes));
    bytes_read_ += bytes_read;
    is_at_end_ = bytes_read < requested;
    window_.resize(unread_bytes + bytes_read);
    text_ = window_;
    return bytes_read > 0;
}

void RecordReader::read_record(std::vector<std::string>& fields) {
    std::size_t count = 0;
    if (separator_ == white_space) skip_separator();
    do {
        // Reuses the strings of the previous record to avoid an allocation per line.
        if (count == fields.size()) fields.emplace_back();
        read_field(fields[count++]);
    } while (skip_separator());
    fields.resize(count);
    if (position_ < text_.size()) skip_line_end();
}

bool RecordReader::skip(char c) {
    if (position_ == text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
}

/// Returns false if no field follows.
bool RecordReader::skip_separator() {
    if (separator_ == no_separator) return false;
    if (separator_ != white_space) return skip(separator_);
    const std::size_t begin = position_;
    while (position_ < text_.size() && is_space(text_[position_]))
        ++position_;
    return position_ > begin && position_ < text_.size() && text_[position_] != '\r' &&
           text_[position_] != '\n';
}

void RecordReader::skip_line_end() {
    skip('\r');
    skip('\n');
    ++next_line_;
}

void RecordReader::read_field(std::string& field) {
    field.clear();
    if (skip('"')) read_quoted(field);
    const std::size_t begin = position_;
    const auto ends_field = [&](char c) {
        if (c == '\r' || c == '\n') return true;
        return separator_ == white_space ? is_space(c) : separator_ != no_separator && c == separator_;
    };
    while (position_ < text_.size() && !ends_field(text_[position_]))
        ++position_;
    field += text_.substr(begin, position_ - begin);
}

void RecordReader::read_quoted(std::string& field) {
    const std::size_t opening_line = next_line_;
    while (true) {
        const std::size_t quote = text_.find('"', position_);
        if (quote == std::string_view::npos && !is_at_end_) {
            position_ = text_.size();
            return;
        }
        if (quote == std::string_view::npos) {
            throw FileError(
                fmt::format("line {}: a quoted field is never closed. Add the closing quote.", opening_line));
        }
        const std::string_view part = text_.substr(position_, quote - position_);
        next_line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
        field += part;
        position_ = quote + 1;
        if (!skip('"')) return;
        field += '"';
    }
}

}  // namespace gridstride
