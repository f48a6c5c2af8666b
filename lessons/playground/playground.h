// What the files of this lesson share: its parameters, a program as it is understood, and its pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lesson.h"
#include "tensor/plan.h"
#include "tensor/workspace.h"

namespace gridstride::lessons::playground {

enum class Where { as_written, gpu, cpu };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> n{"n"};
inline constexpr Key<tensor::Execution> execution{"execution"};
inline constexpr Key<Where> place{"place"};
}  // namespace key

enum class Fill { ramp, random, file };
/// A tensor that the program is given, and what it holds.
struct Filled {
    std::string name;
    tensor::Shape shape;
    Fill fill = Fill::random;
    std::string file = {};  ///< within the program's folder
    std::size_t line = 0;   ///< that asks for it
};

/// What a text says with these values. Its tensors are in one graph, whose
/// outputs are those that it shows, saves and expects something of.
struct Program {
    tensor::Workspace all;
    std::vector<Filled> filled = {};
    std::vector<SavedArray> saved = {};
    bool uses_n = false;
};

/// Throws WrongProgram with every line that is wrong.
std::unique_ptr<Program> program_of(const Prepared& asked);

/// What stands behind a = : an expression in the order and with the precedence of Python's, written into the
/// program's graph as the model reads it. nullopt: it is made of what a wrong line should have made. Throws
/// Refusal.
class Cursor;
using Names = std::set<std::string, std::less<>>;
struct Reading {
    Program& program;
    const std::string& model;
    const Names& spoilt;  ///< tensors that wrong lines should have made
    std::uint64_t n = 1;  ///< what the text calls so
};
std::optional<tensor::Tensor> expression(Cursor& words, const Reading& by);
/// "128 x n".
tensor::Shape shape(Cursor& words, const Reading& by);
/// Of the model's own "p" it is "text.p".
std::string full_name(std::string_view name, std::string_view model);

/// The outputs as heat maps, the graph, its memory, and what the last run asked of the device.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::playground
