// Checks a lesson that is a folder of text without a device.
#pragma once

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// Evaluates every expression at the default values, with few elements, and makes every kernel. Adds each
/// mistake to the diagnostics, which may have those of lesson.toml already; what follows from one at the same
/// line is left out.
void check_lesson(const LessonText& text, Diagnostics& diagnostics);

}  // namespace gridstride::text_lesson
