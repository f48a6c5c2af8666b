// The lesson that these tests of programs use: tests/lessons/doubling.
#pragma once

#include "lesson/lesson.h"

#include "test_includes.h"

namespace gridstride::lessons::doubling {
const Lesson& lesson();
}

namespace gridstride::test {

/// Returns an experiment of its variant `twice`, or of the user's program in its place.
inline Experiment doubling() {
    return default_experiment(lessons::doubling::lesson());
}
inline Experiment doubling(std::string text, std::string folder = {}) {
    Experiment experiment = doubling();
    experiment.kernel = KernelSource{std::move(text), "mine.doubling", std::move(folder)};
    return experiment;
}

}  // namespace gridstride::test
