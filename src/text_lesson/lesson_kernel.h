// Kernels of a lesson that is a folder of text. A kernel is GLSL without declarations: its arrays and
// parameters are declared in a generated head.
#pragma once

#include <string>
#include <vector>

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

struct LessonKernel {
    std::string head;                     ///< everything before the first line of the kernel's text
    KernelSource source;                  ///< the text, with empty lines in place of its #extension lines
    std::vector<std::string> arrays;      ///< by binding
    std::vector<std::string> parameters;  ///< in the order of the push constants
};

/// Declares all outputs, and the inputs and parameters that the text, or a file of the folder that it
/// includes, names. Throws Refusal if it names no output or more than 20 parameters, or begins with #version.
LessonKernel make_lesson_kernel(const LessonText& lesson, const KernelSource& source);

}  // namespace gridstride::text_lesson
