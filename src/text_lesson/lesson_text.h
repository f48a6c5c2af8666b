// A lesson that is a folder of text: what its lesson.toml declares. assets/manual/text_lessons.md describes
// the format.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lesson.h"
#include "text_lesson/toml_table.h"

namespace gridstride::text_lesson {

/// An array of the lesson. Shapes are expressions of n and the parameters, the outermost extent first.
struct ArrayText {
    std::string name;
    ElementType type = ElementType::f32;
    std::vector<TomlText> shape;
    std::size_t line = 1;
};

struct InputText : ArrayText {
    TomlText value = {};
    /// A choice parameter and an expression for each of its choices, in their order, in place of `value`.
    std::string by_parameter = {};
    std::vector<TomlText> choices = {};
};

struct OutputText : ArrayText {
    std::optional<std::uint32_t> fill = {};  ///< the word that it is filled with before each run
};

/// The unit of the allowed error of an Expectation.
enum class ErrorUnit {
    computed,  ///< the bound that follows from the expression (base/bounded.h); exact for whole numbers
    scaled,    ///< see tensor::ToleranceUnit
    ulp,       ///< 2^-23 of the expected magnitude
};

struct ExpectedText {
    std::string output;
    TomlText value;
    ErrorUnit unit = ErrorUnit::computed;
    double within = 0;  ///< in units of `unit`
};

/// A variant or an exercise.
struct VariantText : VariantName {
    std::string kernel = {};    ///< a file of the folder; for an exercise the starter
    std::string solution = {};  ///< of an exercise
    std::uint64_t per_invocation = 1;
    bool wrong_on_purpose = false;
    std::vector<ExpectedText> expected = {};
    std::size_t line = 1;
};

struct RemarkText {
    std::string parameter;
    Severity severity = Severity::note;
    TomlText when;
    std::string text;
};

struct FactText {
    std::string id, label;
    TomlText value;
};

enum class PictureKind { bars, line, histogram, image, time_by, access };

struct PictureText {
    std::string id, title;
    PictureKind kind = PictureKind::bars;
    std::string of;  ///< an array, or for `time_by` a parameter
    std::uint64_t first = 512;
    std::size_t line = 1;
};

struct LessonText {
    std::string id;
    std::filesystem::path folder;  ///< absolute
    std::string version;           ///< a hash of all texts of the folder
    std::string title, noun, default_variant;
    std::vector<std::string> domain;
    std::vector<Parameter> parameters;  ///< common_parameters() first
    std::vector<InputText> inputs;
    std::vector<OutputText> outputs;
    std::vector<VariantText> variants, exercises;
    std::map<std::string, KernelSource> kernels;  ///< by file
    std::vector<RemarkText> remarks;
    std::vector<FactText> facts;
    std::vector<PictureText> pictures;
};

/// Reads lesson.toml in the folder. Throws ProgramError with every mistake in it, and FileError if the file
/// cannot be read or is larger than 64 KiB.
LessonText read_lesson_text(const std::filesystem::path& folder);

/// Reads a file of the lesson. Throws FileError if it is outside the folder or cannot be read.
KernelSource read_lesson_kernel(const std::filesystem::path& folder, const std::string& file);

}  // namespace gridstride::text_lesson
