// Reads the parameters and the domain of a lesson.toml.
#pragma once

#include "text_lesson/lesson_text.h"
#include "text_lesson/toml_names.h"

namespace gridstride::text_lesson {

/// Sets LessonText::domain and LessonText::parameters from [[parameter]], domain, elements and workgroup.
void read_parameters(TomlTable& root, Identifiers& identifiers, LessonText& lesson);

}  // namespace gridstride::text_lesson
