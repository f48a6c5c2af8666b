// Finds answers that are alike beyond what every answer has from the lesson.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gridstride {

/// Answers with no more differing tokens are too short to compare.
inline constexpr std::size_t min_differing_tokens = 40;

class SimilarityCheck {
 public:
    /// shipped: the texts that students start from or can read: starters, kernels and solutions.
    explicit SimilarityCheck(const std::vector<std::string>& shipped);

    /// Returns the tokens of an answer that are in no run of tokens of a shipped text. All names of variables
    /// are one token, so that neither names nor comments nor layout count.
    std::vector<std::string> find_differing_tokens(std::string_view text) const;

 private:
    std::set<std::string> shipped_runs_;
};

/// Returns true if both have more than min_differing_tokens, and nine in ten of their runs are the same.
bool are_alike(const std::vector<std::string>& a, const std::vector<std::string>& b);

}  // namespace gridstride
