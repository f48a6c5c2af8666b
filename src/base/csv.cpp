#include "base/csv.h"

#include "base/record_reader.h"

namespace gridstride {
namespace {

/// Ignores leading apostrophes, so that unescape_csv_text() reverses escape_csv_text() for texts that begin
/// with one.
bool is_formula(std::string_view text) {
    const std::size_t first = text.find_first_not_of('\'');
    return first != std::string_view::npos &&
           std::string_view("=+-@\t\r\n").find(text[first]) != std::string_view::npos;
}

}  // namespace

std::string escape_csv_text(std::string_view text) {
    return std::string(is_formula(text) ? "'" : "") + std::string(text);
}

std::string unescape_csv_text(std::string_view field) {
    if (field.starts_with('\'') && is_formula(field)) field.remove_prefix(1);
    return std::string(field);
}

std::string format_csv_record(const std::vector<std::string>& fields) {
    std::string record;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        if (i > 0) record += ',';
        // A single empty field would read as a blank line.
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

void for_each_csv_record(ByteSource& text, char separator, const RecordHandler& handle) {
    RecordReader reader(text, separator);
    std::vector<std::string> fields;
    while (reader.next(fields))
        handle(reader.line(), fields);
}

void for_each_csv_record(std::string_view text, char separator, const RecordHandler& handle) {
    BytesInMemory bytes(text);
    for_each_csv_record(bytes, separator, handle);
}

}  // namespace gridstride
