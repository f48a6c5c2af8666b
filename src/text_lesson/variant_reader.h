// Reads the variants and the exercises of a lesson.toml.
#pragma once

#include "text_lesson/lesson_text.h"
#include "text_lesson/toml_names.h"

namespace gridstride::text_lesson {

/// Sets LessonText::variants and LessonText::exercises, and adds their files to LessonText::kernels. The
/// arrays and parameters of the lesson are known. withheld: the expectations in withheld.toml, if there is
/// one.
void read_variants(TomlTable& root, std::optional<TomlTable>& withheld, LessonText& lesson);

}  // namespace gridstride::text_lesson
