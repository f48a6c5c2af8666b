// Checks a lesson that is a folder of text without a device.
#pragma once

#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// Evaluates every expression at the default values, with few elements, and makes every kernel. Throws
/// ProgramError with every mistake.
void check_lesson(const LessonText& text);

}  // namespace gridstride::text_lesson
