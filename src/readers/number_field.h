// Parses single numbers in the forms that people and programs write.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridstride {

struct ParsedNumber {
    enum class Kind { number, out_of_range, text, empty };
    Kind kind = Kind::empty;
    double value = 0;            ///< if `kind` is number
    bool decimal_comma = false;  ///< the field has a decimal comma
    bool decimal_point = false;
    bool is_rounded = false;  ///< a whole number beyond 2^53 that f64 does not hold exactly
};

/// Parses a field, ignoring white space around it. nan and inf are numbers. If `decimal_comma` is true, "1,5"
/// is 1.5.
ParsedNumber parse_field(std::string_view field, bool decimal_comma);

/// Returns true for a text that a reader would call a number but that is not supported, such as "1.234,56",
/// "(5)", "5%", "0x10" or "$5". Returns false for dates and names.
bool is_unsupported_number(std::string_view field);

/// A line that may be one number, although commas or blanks divide it into fields.
struct SplitNumber {
    std::string text;   ///< the line: "1,5", "1.234,56", "1 234,56", "1,234.56"
    std::string plain;  ///< the supported form, "1234.56"
    bool is_likely;     ///< unambiguous: points or blanks between thousands, and a decimal comma
};
/// Returns nullopt if the line cannot be one number.
std::optional<SplitNumber> parse_split_number(std::string_view line);

/// Returns an error message for a field that is neither empty nor a number, with what to write instead. It
/// has no final full stop.
std::string describe_invalid_number(std::string_view field, ParsedNumber::Kind kind);

}  // namespace gridstride
