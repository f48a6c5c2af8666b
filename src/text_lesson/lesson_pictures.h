// Draws the pictures of a lesson that is a folder of text.
#pragma once

#include "figures/figures.h"
#include "text_lesson/lesson_plan.h"

namespace gridstride::text_lesson {

void draw_pictures(const LessonText& text, Figures& add, const Run& run);

}  // namespace gridstride::text_lesson
