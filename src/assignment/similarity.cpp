#include "assignment/similarity.h"

#include <algorithm>
#include <cctype>
#include <iterator>

namespace gridstride {

namespace {

constexpr std::size_t run_length = 6;  ///< tokens

/// Splits a text into words, numbers and other characters, without comments and spaces. A word becomes "name"
/// unless "(" follows it, as behind a function or a keyword.
std::vector<std::string> tokenize(std::string_view text) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    std::vector<std::string> tokens;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        if (rest.starts_with("//")) {
            at = std::min(text.find('\n', at), text.size());
        } else if (rest.starts_with("/*")) {
            const std::size_t end = text.find("*/", at + 2);
            at = end == std::string_view::npos ? text.size() : end + 2;
        } else if (std::isspace(static_cast<unsigned char>(rest[0])) != 0) {
            ++at;
        } else {
            const auto end = std::ranges::find_if_not(rest, is_word);
            const std::string_view token =
                rest.substr(0, std::max<std::size_t>(static_cast<std::size_t>(end - rest.begin()), 1));
            const std::size_t next = std::min(rest.find_first_not_of(" \t\n", token.size()), rest.size());
            const bool is_name = is_word(token[0]) && std::isdigit(static_cast<unsigned char>(token[0])) == 0;
            tokens.emplace_back(is_name && !rest.substr(next).starts_with("(") ? "name" : token);
            at += token.size();
        }
    }
    return tokens;
}

/// Returns each run of tokens, in the order of its first token.
std::vector<std::string> join_runs(const std::vector<std::string>& tokens) {
    std::vector<std::string> runs;
    for (std::size_t first = 0; first + run_length <= tokens.size(); ++first) {
        runs.emplace_back();
        for (std::size_t i = 0; i < run_length; ++i)
            runs.back() += tokens[first + i] + ' ';
    }
    return runs;
}

std::set<std::string> make_run_set(const std::vector<std::string>& tokens) {
    const std::vector<std::string> runs = join_runs(tokens);
    return {runs.begin(), runs.end()};
}

}  // namespace

SimilarityCheck::SimilarityCheck(const std::vector<std::string>& shipped) {
    for (const std::string& text : shipped)
        shipped_runs_.merge(make_run_set(tokenize(text)));
}

std::vector<std::string> SimilarityCheck::find_differing_tokens(std::string_view text) const {
    const std::vector<std::string> tokens = tokenize(text), runs = join_runs(tokens);
    std::vector<std::string> differing;
    std::size_t shipped_end = 0;  // of the last shipped run
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i < runs.size() && shipped_runs_.contains(runs[i])) shipped_end = i + run_length;
        if (i >= shipped_end) differing.push_back(tokens[i]);
    }
    return differing;
}

bool are_alike(const std::vector<std::string>& a, const std::vector<std::string>& b) {
    if (std::min(a.size(), b.size()) <= min_differing_tokens) return false;
    const std::set<std::string> runs_of_a = make_run_set(a), runs_of_b = make_run_set(b);
    std::vector<std::string> same;
    std::ranges::set_intersection(runs_of_a, runs_of_b, std::back_inserter(same));
    return 10 * same.size() >= 9 * std::max(runs_of_a.size(), runs_of_b.size());
}

}  // namespace gridstride
