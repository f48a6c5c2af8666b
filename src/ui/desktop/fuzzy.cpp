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

constexpr int match_score = 16, word_start_bonus = 8, consecutive_bonus = 4;
constexpr int first_letter_factor = 2;  ///< factor on the first letter's bonus
constexpr int gap_start_penalty = 3, gap_extension_penalty = 1;
/// Low enough that no sum of gaps or bonuses reaches a valid score.
constexpr int no_match = std::numeric_limits<int>::min() / 2;

bool is_word_start(std::string_view text, std::size_t at) {
    const auto is_letter = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])); };
    return is_letter(at) && (at == 0 || !is_letter(at - 1));
}

/// The best match in which the current letter is at a given position of the text.
struct Match {
    int score = no_match;
    int run_bonus = 0;  ///< each letter of a run gets at least the bonus of its first letter
};

std::optional<int> word_score(std::string_view word, std::string_view text) {
    std::vector<Match> before(text.size()), now(text.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
        int best_with_gap = no_match;  // best score of the previous letter further left, minus the gap
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (at >= 2)
                best_with_gap =
                    std::max(best_with_gap - gap_extension_penalty, before[at - 2].score - gap_start_penalty);
            now[at] = {};
            if (text[at] != word[i]) continue;
            const int bonus = is_word_start(text, at) ? word_start_bonus : 0;
            if (i == 0) {
                now[at] = {match_score + first_letter_factor * bonus, bonus};
                continue;
            }
            const Match left = at > 0 ? before[at - 1] : Match{};
            const int run_bonus = std::max({bonus, left.run_bonus, consecutive_bonus});
            now[at] = left.score + run_bonus >= best_with_gap + bonus
                          ? Match{left.score + match_score + run_bonus, run_bonus}
                          : Match{best_with_gap + match_score + bonus, bonus};
        }
        std::swap(before, now);
    }
    const auto best = std::ranges::max_element(before, {}, &Match::score);
    if (best == before.end() || best->score < no_match / 2) return std::nullopt;
    return best->score;
}

std::vector<std::string> folded_words(std::string_view query) {
    std::vector<std::string> words;
    for (const std::string_view word : split(query, ' '))
        if (!word.empty()) words.push_back(fold_letters(word));
    return words;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view query, std::string_view text) {
    const std::string in = fold_letters(text);
    int sum = 0;
    for (const std::string& word : folded_words(query)) {
        const std::optional<int> score = word_score(word, in);
        if (!score) return std::nullopt;
        sum += *score;
    }
    return sum;
}

std::optional<int> substring_score(std::string_view query, std::string_view text) {
    const std::string in = fold_letters(text);
    for (const std::string& word : folded_words(query))
        if (in.find(word) == std::string::npos) return std::nullopt;
    return fuzzy_score(query, text);
}

std::string excerpt(TextStyle type, std::string_view text, std::string_view query, float width) {
    std::vector<std::size_t> sources;
    const std::string in = fold_letters(text, &sources);
    sources.push_back(text.size());
    std::size_t begin = in.size(), end = 0;
    for (const std::string& word : folded_words(query))
        if (const std::size_t at = in.find(word); at < begin) begin = at, end = at + word.size();
    std::size_t from = 0;
    const auto is_word_hidden = [&] {
        const std::string shown = fmt::format("{}{}… …", from > 0 ? "… " : "",
                                              text.substr(sources[from], sources[end] - sources[from]));
        return text_size(type, shown).x > (from > 0 ? width / 2 : width);
    };
    if (text_size(type, text).x > width)
        while (from < begin && is_word_hidden())
            from = std::min(in.find(' ', from), begin - 1) + 1;
    return elide(type, (from > 0 ? "… " : "") + std::string(text.substr(sources[from])), width);
}

}  // namespace gridstride::ui
