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
    separator_ = find_separator(text_.substr(at_));
}

void RecordReader::open() {
    read_on();
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF"))
        throw FileError("the text is UTF-16. Save it as UTF-8.");
    at_ = text_.size() - without_byte_order_mark(text_).size();
}

bool RecordReader::next(std::vector<std::string>& fields) {
    if (at_ == text_.size() && !read_on()) return false;
    line_ = next_line_;
    std::size_t begin = at_;
    while (true) {
        read_record(fields);
        if (at_ - begin > max_record_bytes)
            throw FileError(
                fmt::format("line {}: it is longer than the limit of {}. Close a quote that is opened there, "
                            "or split the line.",
                            line_, format_bytes(double{max_record_bytes}).text()));
        // A record that ends with the window may continue behind it.
        if (at_ < text_.size() || ended_) return true;
        at_ = begin;
        next_line_ = line_;
        read_on();
        begin = at_;
    }
}

/// Moves the window forward and drops the text before at_. Returns false at the end of the source.
bool RecordReader::read_on() {
    if (ended_) return false;
    window_.erase(0, at_);
    at_ = 0;
    const std::size_t kept = window_.size();
    // Doubles the window whenever a record does not fit, so that rescans stay linear.
    const std::uint64_t stated = source_.stated_size();
    const std::uint64_t left = stated > read_ ? stated - read_ + 1 : max_window_bytes;
    const std::size_t wanted = std::max<std::size_t>(std::min(left, max_window_bytes), kept);
    window_.resize(kept + wanted);
    const std::size_t got = source_.read_at(read_, std::span(window_).subspan(kept));
    read_ += got;
    ended_ = got < wanted;
    window_.resize(kept + got);
    text_ = window_;
    return got > 0;
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
    if (at_ < text_.size()) skip_line_end();
}

bool RecordReader::skip(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
}

/// Returns false if no field follows.
bool RecordReader::skip_separator() {
    if (separator_ == no_separator) return false;
    if (separator_ != white_space) return skip(separator_);
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_space(text_[at_]))
        ++at_;
    return at_ > begin && at_ < text_.size() && text_[at_] != '\r' && text_[at_] != '\n';
}

void RecordReader::skip_line_end() {
    skip('\r');
    skip('\n');
    ++next_line_;
}

void RecordReader::read_field(std::string& field) {
    field.clear();
    if (skip('"')) read_quoted(field);
    const std::size_t begin = at_;
    const auto ends_field = [&](char c) {
        if (c == '\r' || c == '\n') return true;
        return separator_ == white_space ? is_space(c) : separator_ != no_separator && c == separator_;
    };
    while (at_ < text_.size() && !ends_field(text_[at_]))
        ++at_;
    field += text_.substr(begin, at_ - begin);
}

void RecordReader::read_quoted(std::string& field) {
    const std::size_t opened_on = next_line_;
    while (true) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos && !ended_) {
            at_ = text_.size();
            return;
        }
        if (quote == std::string_view::npos) {
            throw FileError(
                fmt::format("line {}: a quoted field is never closed. Add the closing quote.", opened_on));
        }
        const std::string_view part = text_.substr(at_, quote - at_);
        next_line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
        field += part;
        at_ = quote + 1;
        if (!skip('"')) return;
        field += '"';
    }
}

}  // namespace gridstride
