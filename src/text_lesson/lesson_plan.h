// Plans the launches of a lesson that is a folder of text.
#pragma once

#include "graph/shape.h"
#include "lesson/lesson.h"
#include "text_lesson/lesson_scope.h"
#include "text_lesson/lesson_text.h"

namespace gridstride::text_lesson {

/// The facts of a variant are what lesson.toml says about it.
using Run = gridstride::Run<VariantText>;

/// Returns the extent of an array, x being the last extent of its shape.
Extent array_extent(const tensor::Shape& shape);

/// Returns the extent of an array's buffer; in one dimension if it is padded. Throws Refusal.
Extent padded_extent(LessonScope& scope, const ArrayText& array);

/// Adds the definitions of the run's variant, and launch_names for its first launch.
void add_launch(LessonScope& scope, const Run& run);
/// Does the same without a plan: the grid is what "auto" would become. Then evaluates the extents of a later
/// launch, if there is one. Throws Refusal.
void add_first_launch(LessonScope& scope, const VariantText& variant, const Values& values,
                      const Limits& limits, const LaunchText* later = nullptr);

/// Plans uploads, launches and downloads. Throws Refusal.
void make_plan(const LessonText& text, PlanBuilder& plan, const Run& run);

/// Adds a refusal if the device would have to divide a launch that must stay whole, and notes on settings of
/// the bench that the variant does not use.
void add_plan_remarks(Remarks& add, const Run& run);

}  // namespace gridstride::text_lesson
