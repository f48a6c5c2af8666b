// The parameters that the files of this lesson share, and a program parsed from its text.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "expression/generators.h"
#include "lesson/lesson.h"
#include "tensor/plan.h"
#include "tensor/workspace.h"

namespace gridstride::lessons::playground {

enum class PlaceChoice { as_written, gpu, cpu };

constexpr Key<std::uint64_t> n{"n"};
constexpr Key<tensor::Execution> execution{"execution"};
constexpr Key<PlaceChoice> place{"place"};

enum class Fill { ramp, random, file, expression };
/// An input of the program.
struct InputTensor {
    std::string name;
    tensor::Shape shape;
    ElementType type = ElementType::f32;
    std::size_t line = 0;
    Fill fill = Fill::random;
    std::string file = {};                                       ///< relative to the program's folder
    std::optional<expression::GeneratedNumbers> generated = {};  ///< of Fill::expression
};

struct Program {
    tensor::Workspace workspace;  ///< the graph's outputs are what the program shows, saves and expects
    std::vector<InputTensor> inputs = {};
    std::vector<SavedArray> saved_arrays = {};
    bool uses_n = false;
};

/// Throws ProgramError with every faulty line.
std::unique_ptr<Program> parse_program(const PreparedExperiment& run);

}  // namespace gridstride::lessons::playground
