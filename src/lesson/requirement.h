// What is required of a run, and whether it holds: "races = 0", "sectors_per_request < 5", "each_once = 1".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lesson/report.h"

namespace gridstride {

struct Requirement {
    enum class Relation { equal, below, at_most, above, at_least };

    std::string metric;  ///< see estimate(); of recorded ones with their lines: "barriers(34)"
    Relation relation = Relation::equal;
    double bound = 0;
};

/// METRIC and one of =, <, <=, >, >= and NUMBER. nullopt: it is none.
std::optional<Requirement> parse_requirement(std::string_view text);

struct Judgement {
    enum class Result { ok, failed, undecided };

    Result result = Result::undecided;
    std::optional<Estimate> value;
    std::string
        sentence;  ///< of a recorded metric what was found, with its first case, or why it is not known
};

/// Wherever in its interval the number lies, it holds, or nowhere; else it is undecided, as it is where the
/// report does not have the number.
Judgement judge(const Requirement& requirement, const Report& report);

}  // namespace gridstride
