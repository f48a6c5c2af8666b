// What a person asks for: a value that travels whole, from the bench to the lab and back inside the report.
#pragma once

#include <optional>
#include <string>

#include "lesson/data.h"
#include "lesson/param.h"

namespace gridstride {

/// A kernel of the person's own, in place of the one that the variant shows.
struct KernelSource {
    std::string text;  ///< GLSL
    std::string name;  ///< the file's, for messages
    std::string
        folder;  ///< absolute: includes resolve there and in the shaders that ship; empty: there alone
    bool operator==(const KernelSource&) const = default;
};

struct Experiment {
    std::string lesson;                  ///< its id
    std::string variant;                 ///< its id
    Values values;                       ///< of all the lesson's parameters, the seed among them
    UserData input;                      ///< the user's own; without numbers: the lesson's
    std::optional<KernelSource> kernel;  ///< nullopt: the lesson's own
    bool operator==(const Experiment&) const = default;
};

}  // namespace gridstride
