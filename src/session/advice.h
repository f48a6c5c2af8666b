// The usual advice on how to launch, set against what a sweep measured.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/sweep.h"

namespace gridstride {

/// One piece of advice. It is judged within each variant and each set of the values that are not about the
/// launch, because a launch can be compared only with another launch of the same work. Such a set can tell
/// when it holds measured cells that follow the advice and cells that do not.
struct Advice {
    std::string
        id;  ///< subgroup_multiple, size_128_to_512, groups_2_to_4_per_multiprocessor, groups_20_to_100
    std::string title;  ///< "Workgroup sizes that are multiples of the subgroup's width (32)"
    /// Whether, wherever it can be told, the best cell that follows the advice cannot be told apart from the
    /// best of all; nullopt where it cannot be said here.
    std::optional<bool> holds;
    std::string sentence;        ///< what was found, or why it cannot be said
    std::size_t told = 0;        ///< sets that can tell
    std::size_t held = 0;        ///< of them
    std::optional<Ratio> worst;  ///< the most that the best following cell takes, over the best of all
};

/// The four, in the order in which a course gives them. With few cells measured the answers may still change.
std::vector<Advice> weigh_advice(const Sweep& sweep);

}  // namespace gridstride
