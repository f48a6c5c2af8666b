// The input, the references and the facts of a lesson that is a folder of text.
#pragma once

#include <memory>
#include <vector>

#include "lesson/building_blocks.h"
#include "text_lesson/lesson_plan.h"

namespace gridstride::text_lesson {

/// Returns the values of an input at a choice of its parameter. Throws Refusal.
Array evaluate_input(LessonScope& scope, const InputText& input, const TomlText& value,
                     const tensor::Shape& shape);

/// own: the numbers of the user's file, in place of the first input; may be null. Throws Refusal.
Input make_input(const LessonText& text, const Values& values, ArrayRef own = nullptr);

/// Returns an input that does not depend on the launch's elements, such as one for a drawing; else null.
ArrayRef make_constant_input(const LessonText& text, const Values& values, const std::string& name);

/// Adds the inputs to the scope.
void add_inputs(LessonScope& scope, const LessonText& text, const Input& input);

/// Returns what an output must be. The scope knows the inputs and the launch; it is used up. Throws Refusal.
Expected make_expected(LessonScope& scope, const LessonText& text, ExpectedText expected);

std::vector<Expected> make_reference(const LessonText& text, const Input& input, const Run& run);

/// Adds the outputs to the scope, with the padding of their buffers. Returns false if the fact names one that
/// is missing: then it is left out.
bool add_outputs(LessonScope& scope, const LessonText& text, const VariantText& variant, const FactText& fact,
                 const Outputs& outputs);

std::vector<Fact> make_facts(const LessonText& text, const Run& run, const Outputs& outputs);

}  // namespace gridstride::text_lesson
