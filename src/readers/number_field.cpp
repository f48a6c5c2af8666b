#include "readers/number_field.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <regex>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace gridstride {
namespace {

using Kind = ParsedNumber::Kind;

/// Returns a leading full-width, Arabic or Devanagari digit as an ASCII digit, with its length in bytes.
std::optional<std::pair<char, std::size_t>> parse_unicode_digit(std::string_view text) {
    static constexpr std::string_view zeros[] = {"\uFF10", "\u0660", "\u06F0", "\u0966"};
    for (const std::string_view zero : zeros) {
        const std::size_t last = zero.size() - 1;
        if (text.size() < zero.size() || text.substr(0, last) != zero.substr(0, last)) continue;
        const int digit = static_cast<unsigned char>(text[last]) - static_cast<unsigned char>(zero[last]);
        if (digit >= 0 && digit <= 9) return {{static_cast<char>('0' + digit), zero.size()}};
    }
    return std::nullopt;
}

/// Normalizes characters for the patterns below: "~" replaces typographic minus signs, "$" currency signs,
/// "%" other signs beside numbers, "_" blanks and apostrophes between groups of digits.
std::string normalize_characters(std::string_view field) {
    static constexpr std::pair<std::string_view, char> plain[] = {
        {"\u00A0", '_'}, {"\u202F", '_'}, {"\u2009", '_'}, {"’", '_'}, {"'", '_'}, {" ", '_'},
        {"−", '~'},      {"–", '~'},      {"€", '$'},      {"£", '$'}, {"¥", '$'}, {"‰", '%'},
        {"°", '%'},      {"±", '%'},      {"≈", '%'},      {"≤", '%'}, {"≥", '%'}, {"“", '_'},
        {"”", '_'},      {"„", '_'},      {"×", '*'},      {"·", '*'}};
    static constexpr std::pair<std::string_view, std::string_view> fractions[] = {
        {"½", "1/2"}, {"⅓", "1/3"}, {"⅔", "2/3"}, {"¼", "1/4"}, {"¾", "3/4"}};
    std::string text;
    while (!field.empty()) {
        if (const auto digit = parse_unicode_digit(field)) {
            text += digit->first;
            field.remove_prefix(digit->second);
            continue;
        }
        if (const auto* const fraction = std::ranges::find_if(
                fractions, [&](const auto& one) { return field.starts_with(one.first); });
            fraction != std::end(fractions)) {
            text += fraction->second;
            field.remove_prefix(fraction->first.size());
            continue;
        }
        const auto* const sign =
            std::ranges::find_if(plain, [&](const auto& one) { return field.starts_with(one.first); });
        const bool is_sign = sign != std::end(plain);
        text += is_sign ? sign->second : field.front();
        field.remove_prefix(is_sign ? sign->first.size() : 1);
    }
    return text;
}

struct Form {
    std::regex pattern;
    const char* advice;
};
/// Units directly after a number, more units after a blank, and suffixes of literals in C. "5A", "2b" and
/// "2nd" are names.
constexpr std::string_view units =
    R"(f|F|u|U|ul|UL|lf|[pnumck]?[gms]|[kMGT]?(Hz|Pa|eV|W|V|J|N|bit)|[kKMGT]i?B|min|h|dB|px|rpm|%[CFK]|)"
    R"(_+([pnumckMGT]|µ|μ)?(g|m|s|A|B|C|F|J|K|N|V|W|T|l|Hz|Pa|eV|mol|rad|bits?|bytes?|Ω)|)"
    R"(_+(min|h|d|rpm|dB|px|[kKMGT]iB|%[CFK]))";
/// Patterns for texts from normalize_characters(). The first match counts. Dates, times and names with
/// digits match none.
const std::array<Form, 10>& unsupported_forms() {
    constexpr auto flags = std::regex::icase | std::regex::optimize;
    static const std::array<Form, 10> all = {{
        {std::regex(R"([-+~]?0x[0-9a-f]+|[-+~]?0b[01]+|[-+~]?0o[0-7]+)", flags),
         "Write it in decimal digits, 16 for 0x10"},
        // Also matches "-(5)", and "(5", which a comma between thousands leaves.
        {std::regex(R"([-+~]?_*[(\[{<]_*[$]?_*[-+~]?[\d.,_]*\d[\d.,_]*_*[$%]?_*[)\]}>]|)"
                    R"([-+~]?_*[(\[{][-+~]?[\d.,]*\d[\d.,]*|[-+~]?[\d.,]*\d[\d.,]*[)\]}])",
                    flags),
         "Write it without brackets; a negative number has a minus sign, -5"},
        {std::regex(R"([-+~]?_*([$]|usd|eur|gbp|chf|jpy)_*[-+~]?_*[\d.,_]*\d[\d.,_]*|)"
                    R"([-+~]?[\d.,_]*\d[\d.,_]*_*[-~]?([$]|usd|eur|gbp|chf|jpy))",
                    flags),
         "Write it without the currency"},
        {std::regex(R"([-+~]?[\d.,_]*\d[\d.,_]*%+)", flags), "Write it without the sign: 5, or 0.05 for 5 %"},
        {std::regex(R"([\d.,]*\d[\d.,]*_*[-~])", flags), "Write the minus sign before it, -5"},
        {std::regex(
             R"([-+~]?[\d.,]*\d[\d.,]*(d_?[-+~]?\d+|_?[*x]_?10(\^|\*\*)_?[-+~]?\d+|e_+[-+~]?\d+)|10(\^|\*\*)_?[-+~]?\d+)",
             flags),
         "Write the exponent as in 1.5e3"},
        {std::regex(R"([-+~]?[\d.,_]*\d_*([%]|[+]/?-)_*\d[\d.,]*)", flags),
         "Write one number, without its uncertainty"},
        {std::regex(R"([-+~]?[\d.,_]*\d(e[-+~]?\d+)?()" + std::string(units) + ")"),
         "Write the number without its unit or type; a heading can name the unit"},
        {std::regex(R"([-+~]?\d+/\d+)", flags), "Write it as a decimal number, 0.5 for 1/2"},
        // Also matches "1.234,56", "1 234", "--1" and "=5".
        {std::regex(R"([-+~%<>=*_]*[\d.,_]*\d[\d.,_]*(e[-+~]?\d+)?[*_]*)", flags),
         "Write it as 1234.5 or -1234.5, without separators of thousands"},
    }};
    return all;
}

bool is_date(std::string_view text) {
    static const std::regex date(R"(\d{1,2}\.\d{1,2}\.(\d{2}|\d{4})?)");
    return std::regex_match(text.begin(), text.end(), date);
}

const Form* find_unsupported_form(std::string_view field) {
    constexpr std::size_t longest = 60;
    if (field.size() > longest || is_date(field)) return nullptr;
    const std::string text = normalize_characters(field);
    if (text.find_first_of("0123456789") == std::string::npos) return nullptr;
    const auto form = std::ranges::find_if(
        unsupported_forms(), [&](const Form& one) { return std::regex_match(text, one.pattern); });
    return form == unsupported_forms().end() ? nullptr : &*form;
}

/// Returns true if the text is a whole number in digits that differs from `value`, which was parsed from it.
bool is_inexact_integer(std::string_view text, double value) {
    constexpr double all_are_exact_below = 9007199254740992;  // 2^53
    if (!(std::abs(value) >= all_are_exact_below) || !std::isfinite(value)) return false;
    if (text.starts_with('-')) text.remove_prefix(1);
    if (const std::size_t point = text.find('.'); point != std::string_view::npos) {
        if (text.find_first_not_of('0', point + 1) != std::string_view::npos) return false;
        text = text.substr(0, point);
    }
    if (text.find_first_not_of("0123456789") != std::string_view::npos) return false;
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size()));
    return text != fmt::format("{:.0f}", std::abs(value));
}

}  // namespace

ParsedNumber parse_field(std::string_view field, bool decimal_comma) {
    const std::string_view whole = trim(field);
    if (whole.empty()) return {};
    std::string_view text = whole;
    thread_local std::string dotted_text;  // a file has millions of fields
    constexpr ParsedNumber none{Kind::text};
    if (text.starts_with('+')) {
        text.remove_prefix(1);
        if (text.starts_with('-')) return none;
    }
    ParsedNumber read{Kind::number};
    read.decimal_point = text.find('.') != std::string_view::npos;
    const std::size_t comma = decimal_comma ? text.find(',') : std::string_view::npos;
    if (comma != std::string_view::npos) {
        if (read.decimal_point) return none;
        dotted_text = text;
        dotted_text[comma] = '.';
        text = dotted_text;
        read.decimal_comma = true;
    }
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read.value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size()) return none;
    if (error == std::errc::result_out_of_range)
        read.kind = Kind::out_of_range;
    else
        read.is_rounded = is_inexact_integer(text, read.value);
    return read;
}

bool is_unsupported_number(std::string_view field) {
    return find_unsupported_form(trim(field)) != nullptr;
}

std::optional<SplitNumber> parse_split_number(std::string_view line) {
    // Patterns for normalize_characters(), each with its separators of thousands and its decimal sign.
    struct Division {
        std::regex pattern;
        std::string_view between;
        char decimal_sign;
        bool is_likely;
    };
    static const std::array<Division, 3> divisions = {{
        {std::regex(R"([-+~]?\d+,\d+([eE][-+~]?\d+)?)"), "", ',', false},
        {std::regex(R"([-+~]?\d{1,3}([._]\d{3})+,\d+)"), "._", ',', true},
        {std::regex(R"([-+~]?\d{1,3}([,_]\d{3})+(\.\d+)?)"), ",_", '.', false},
    }};
    constexpr std::size_t longest = 60;
    if (line.size() > longest) return std::nullopt;
    const std::string text = normalize_characters(line);
    SplitNumber number{std::string(line)};
    for (const Division& division : divisions) {
        if (!std::regex_match(text, division.pattern)) continue;
        if (!number.plain.empty()) number.plain += " or ";
        for (const char c : text)
            if (division.between.find(c) == std::string_view::npos)
                number.plain += c == division.decimal_sign ? '.' : c == '~' ? '-' : c;
        number.is_likely = number.is_likely || division.is_likely;
    }
    return number.plain.empty() ? std::nullopt : std::optional(std::move(number));
}

std::string describe_invalid_number(std::string_view field, Kind kind) {
    const std::string_view text = trim(field);
    if (kind == Kind::out_of_range)
        return fmt::format(
            "{} is outside the range of 64-bit floating point, about 1e-308 to 1e308. Replace it or remove "
            "the line",
            quote_text(text));
    const Form* const form = find_unsupported_form(text);
    return fmt::format(
        "{} is not a number{}. {}", quote_text(text), form ? " in a supported form" : "",
        form ? form->advice : "Correct it, write nan for a missing number, or remove the line");
}

}  // namespace gridstride
