#include "base/csv.h"

#include "base/record_reader.h"

namespace gridstride {
namespace {

/// Ignores leading apostrophes, so that text_of_csv() reverses csv_text() for texts that begin with one.
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

}  // namespace gridstride
