// Kernels of a lesson that is a folder of text. A kernel is GLSL without declarations: its arrays and
// parameters are declared in a generated head.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

struct LessonKernel {
    std::string head;                     ///< everything before the first line of the kernel's text
    KernelSource source;                  ///< the text, with empty lines in place of its #extension lines
    std::vector<std::string> arrays;      ///< by binding
    std::vector<std::string> parameters;  ///< in the order of the push constants
    bool names_repetition = false;        ///< the last push constant is the launch's number among its repeats
};

/// Returns the files of a lesson that a file of this path and text includes.
std::vector<std::string> find_includes(const LessonFiles& files, const std::string& path,
                                       const std::string& text);

/// Returns the kernel with the files of the lesson that it includes, directly or indirectly, as lesson_files.
KernelSource add_includes(const LessonText& lesson, KernelSource source);

/// Returns the words of a kernel and of its lesson_files, without comments and names of members.
std::set<std::string> list_words(const KernelSource& source);

/// Declares the inputs, scratch arrays and parameters that the text, or a file of the folder that it
/// includes, names, and the outputs of the variant: all of them if it has one launch. A kernel that begins
/// with #version declares them itself, and its buffers and PARAMETERS are found by name. Throws Refusal if
/// the text names no array that it can write, more than 20 parameters, or what the lesson does not have, and
/// if that of a reference kernel does not name its output.
LessonKernel make_lesson_kernel(const LessonText& lesson, const VariantText& variant,
                                const LaunchText& launch, const KernelSource& source, const Limits& device);

}  // namespace gridstride::text_lesson
