#include "lesson/comparison_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/language.h"
#include "base/text.h"
#include "base/units.h"

namespace gridstride {

namespace {

/// Formats whole numbers without a fraction and others with 9 digits, which distinguish all values of f32.
/// NaN is formatted here because fmt would print its sign.
std::string format_value(double number) {
    if (std::isnan(number)) return "NaN";
    return number == std::trunc(number) ? fmt::format("{}", number) : fmt::format("{:.9g}", number);
}

constexpr std::size_t max_named = 3;

/// Returns, for example, "a[1] is 2, the reference says 3. 7 more of its elements differ."
std::string describe_wrong(const OutputVerdict& one) {
    std::string text = describe_mismatch(*one.first_wrong) + ".";
    if (std::isnan(one.first_wrong->reference) && std::isnan(one.first_wrong->gpu))
        text +=
            tr(" NaN never counts as right. Change the input or the definition so that no NaN is expected.");
    const std::string more = (one.all_compared ? "" : tr("At least ")) + format_count(one.wrong - 1);
    if (one.wrong == 2) text += tr(" {} more of its elements differs.", more);
    if (one.wrong > 2) text += tr(" {} more of its elements differ.", more);
    return text;
}

std::string describe_wrong(const std::vector<const OutputVerdict*>& wrong) {
    std::vector<std::string> sentences;
    for (std::size_t i = 0; i < std::min(wrong.size(), max_named); ++i)
        sentences.push_back(describe_wrong(*wrong[i]));
    if (wrong.size() > max_named)
        sentences.push_back(tr("{} more of the results differ.", format_count(wrong.size() - max_named)));
    return join(sentences, " ");
}

/// Returns, for example, "a[5] was never written (and 3 more)."
std::string describe_unwritten(const OutputVerdict& one) {
    const std::uint64_t more = one.unwritten - 1;
    return describe_mismatch(*one.first_unwritten) +
           (more > 0 ? tr(" (and {} more).", format_count(more)) : ".");
}

/// One output may have several verdicts, because it may be compared with several definitions.
bool is_output_right(const Comparison& compare, const std::string& output) {
    return std::ranges::all_of(
        compare.outputs, [&](const OutputVerdict& one) { return one.output != output || one.is_right(); });
}

std::string describe_right(const std::vector<std::string>& names) {
    if (names.empty()) return "";
    if (names.size() > max_named) return tr(" {} other results are right.", format_count(names.size()));
    return names.size() == 1 ? tr(" {} is right.", names.front())
                             : tr(" {} are right.", join(names, tr(" and ")));
}

std::string format_error_digits(double error, int digits) {
    std::string text = fmt::format("{:.{}g}", error, digits);
    if (const std::size_t exponent = text.find('e'); exponent != std::string::npos) {
        const std::size_t after_sign = exponent + 2;
        const std::size_t first = std::min(text.find_first_not_of('0', after_sign), text.size() - 1);
        text.erase(after_sign, first - after_sign);
        if (text[exponent + 1] == '+') text.erase(exponent + 1, 1);
    }
    return text;
}

}  // namespace

std::string format_error(double error, double other) {
    int digits = 3;
    while (error != other && digits < std::numeric_limits<double>::max_digits10 &&
           format_error_digits(error, digits) == format_error_digits(other, digits))
        ++digits;
    return format_error_digits(error, digits);
}

std::string describe_mismatch(const Mismatch& mismatch) {
    const std::string place = fmt::format("{}[{}]", mismatch.output, mismatch.index);
    if (mismatch.is_unwritten) return tr("{} was never written", place);
    const double error = std::abs(mismatch.gpu - mismatch.reference);
    const std::string source = mismatch.source.empty() ? tr("the reference") : mismatch.source;
    return tr("{} is {}, {} says {}{}", place, format_value(mismatch.gpu), source,
              format_value(mismatch.reference),
              mismatch.allowed.value_or(0) > 0 ? " ± " + format_error(*mismatch.allowed, error) : "");
}

std::string describe_wrong_result(const Comparison& compare) {
    std::vector<std::string> sentences;
    if (!compare.out_of_bounds_output.empty())
        sentences.push_back(
            tr("The kernel wrote outside the bounds of {}. Check its indices against the element count.",
               compare.out_of_bounds_output));
    std::vector<const OutputVerdict*> wrong;
    std::vector<std::string> right;
    for (const OutputVerdict& one : compare.outputs) {
        if (one.first_unwritten) sentences.push_back(describe_unwritten(one));
        if (one.first_wrong && one.unwritten_source.empty()) wrong.push_back(&one);
        if (is_output_right(compare, one.output) && std::ranges::find(right, one.output) == right.end())
            right.push_back(one.output);
    }
    for (const OutputVerdict& one : compare.outputs)
        if (!one.unwritten_source.empty())
            sentences.push_back(tr("{} is computed from {}.", one.output, one.unwritten_source));
    // A reference of NaN is the less useful message, so it comes last.
    std::ranges::stable_sort(
        wrong, {}, [](const OutputVerdict* one) { return std::isnan(one->first_wrong->reference); });
    if (!wrong.empty()) {
        if (sentences.empty())
            sentences.push_back(tr("{} of {} runs differ from the reference. First:",
                                   format_count(compare.wrong_runs), format_count(compare.judged_runs)));
        sentences.push_back(describe_wrong(wrong));
    }
    const bool any_is_wrong = !std::ranges::all_of(compare.outputs, &OutputVerdict::is_right);
    return join(sentences, " ") + (any_is_wrong ? describe_right(right) : "");
}

}  // namespace gridstride
