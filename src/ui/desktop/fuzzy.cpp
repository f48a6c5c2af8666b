#include "ui/desktop/fuzzy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

constexpr int letter_found = 16, word_begins = 8, stands_behind_another = 4;
constexpr int first_letter_counts = 2;  ///< factor on the first letter's bonus
constexpr int gap_begins = 3, gap_goes_on = 1;
/// Low enough that no sum of gaps or bonuses reaches a valid score.
constexpr int not_found = std::numeric_limits<int>::min() / 2;

bool begins_word(std::string_view text, std::size_t at) {
    const auto is_letter = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])); };
    return is_letter(at) && (at == 0 || !is_letter(at - 1));
}

/// The best match in which the current letter is at a given position of the text.
struct Match {
    int score = not_found;
    int run_bonus = 0;  ///< each letter of a run gets at least the bonus of its first letter
};

std::optional<int> word_score(std::string_view word, std::string_view text) {
    std::vector<Match> before(text.size()), now(text.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
        int apart = not_found;  // best score of the previous letter further left, minus the gap
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (at >= 2) apart = std::max(apart - gap_goes_on, before[at - 2].score - gap_begins);
            now[at] = {};
            if (text[at] != word[i]) continue;
            const int bonus = begins_word(text, at) ? word_begins : 0;
            if (i == 0) {
                now[at] = {letter_found + first_letter_counts * bonus, bonus};
                continue;
            }
            const Match left = at > 0 ? before[at - 1] : Match{};
            const int run_bonus = std::max({bonus, left.run_bonus, stands_behind_another});
            now[at] = left.score + run_bonus >= apart + bonus
                          ? Match{left.score + letter_found + run_bonus, run_bonus}
                          : Match{apart + letter_found + bonus, bonus};
        }
        std::swap(before, now);
    }
    const auto best = std::ranges::max_element(before, {}, &Match::score);
    if (best == before.end() || best->score < not_found / 2) return std::nullopt;
    return best->score;
}

std::vector<std::string> words_of(std::string_view typed) {
    std::vector<std::string> words;
    for (const std::string_view word : split(typed, ' '))
        if (!word.empty()) words.push_back(in_lower_case(std::string(word)));
    return words;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view typed, std::string_view text) {
    const std::string in = in_lower_case(std::string(text));
    int sum = 0;
    for (const std::string& word : words_of(typed)) {
        const std::optional<int> score = word_score(word, in);
        if (!score) return std::nullopt;
        sum += *score;
    }
    return sum;
}

std::optional<int> substring_score(std::string_view typed, std::string_view text) {
    const std::string in = in_lower_case(std::string(text));
    for (const std::string& word : words_of(typed))
        if (in.find(word) == std::string::npos) return std::nullopt;
    return fuzzy_score(typed, text);
}

std::string excerpt(Type type, std::string_view text, std::string_view typed, float width) {
    const std::string in = in_lower_case(std::string(text));
    std::size_t begin = in.size(), end = 0;
    for (const std::string& word : words_of(typed))
        if (const std::size_t at = in.find(word); at < begin) begin = at, end = at + word.size();
    std::size_t from = 0;
    const auto hides = [&] {
        const std::string shown = fmt::format("{}{}… …", from > 0 ? "… " : "", text.substr(from, end - from));
        return text_size(type, shown).x > (from > 0 ? width / 2 : width);
    };
    if (text_size(type, text).x > width)
        while (from < begin && hides())
            from = std::min(in.find(' ', from), begin - 1) + 1;
    return elide(type, (from > 0 ? "… " : "") + std::string(text.substr(from)), width);
}

}  // namespace gridstride::ui
