// One number as people and programs write it in a text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gridstride {

struct ReadNumber {
    enum class Kind { number, out_of_range, text, empty };
    Kind kind = Kind::empty;
    double value = 0;            ///< of a number
    bool decimal_comma = false;  ///< it is written with one
    bool decimal_point = false;
    bool is_rounded = false;  ///< a whole number beyond 2^53, and value is another
};

/// Blanks around it do not count. nan and inf are numbers. decimal_comma: "1,5" is one and a half.
ReadNumber read_number(std::string_view field, bool decimal_comma);

/// A text that is a number to people, such as "1.234,56", "(5)", "5%", "0x10" or "$5"; dates and names are
/// none.
bool is_number_in_other_form(std::string_view field);

/// A line that may be one number although commas or blanks separate its fields.
struct DividedNumber {
    std::string text;   ///< the line: "1,5", "1.234,56", "1 234,56", "1,234.56"
    std::string plain;  ///< what to write for it, "1234.56"
    bool
        is_likely;  ///< to people it is nothing else: points or blanks between thousands, and a decimal comma
};
std::optional<DividedNumber> divided_number(std::string_view line);

/// What is wrong with a field that is neither empty nor a number, and what to write in its place, without the
/// last full stop.
std::string why_no_number(std::string_view field, ReadNumber::Kind kind);

}  // namespace gridstride
