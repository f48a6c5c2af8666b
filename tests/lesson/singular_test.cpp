// "1 element", not "1 elements": nouns given as text, and every lesson's remarks on the smallest settings.
#include <map>
#include <regex>
#include <set>

#include "lesson/lesson_case.h"
#include "lesson/nouns.h"

namespace gridstride::singular_test {

using namespace test;

TEST(Nouns, HaveASingular) {
    EXPECT_EQ(counted_plural(1, "numbers"), "1 number");
    EXPECT_EQ(counted_plural(2, "numbers"), "2 numbers");
    EXPECT_EQ(with_unit("1", "barriers"), "1 barrier");
    EXPECT_EQ(with_unit("1.5", "numbers"), "1.5 numbers");
    for (const auto& [plural, one] :
         std::map<std::string, std::string>{{"entries", "entry"},
                                            {"launches", "launch"},
                                            {"passes", "pass"},
                                            {"matrices", "matrix"},
                                            {"slices", "slice"},
                                            {"partial sums", "partial sum"},
                                            {"bytes loaded per byte stored", "byte loaded per byte stored"},
                                            {"on average", "on average"},
                                            {"", ""}})
        EXPECT_EQ(singular(plural), one);
}

/// Returns the lesson's defaults with these counts at their minimum, at least 1.
Values smallest_values(const Lesson& lesson, const std::set<std::string_view>& counts) {
    Values values(lesson.parameters);
    for (const Parameter& parameter : lesson.parameters)
        if (std::holds_alternative<std::uint64_t>(parameter.default_value) &&
            (counts.empty() || counts.contains(parameter.id)))
            values.set(parameter.id, static_cast<std::uint64_t>(std::max(parameter.minimum, 1.0)));
    return values;
}

TEST(Remarks, UseTheSingularForOne) {
    const std::regex plural_of_one("(^|[ (])1 (?!is |has |less )[a-z]*[a-rt-z]s\\b");
    EXPECT_TRUE(std::regex_search("It has 1 elements.", plural_of_one));
    EXPECT_FALSE(std::regex_search("1 pass of 11 elements, 1 element", plural_of_one));
    std::size_t remarks = 0;
    for (const Lesson* lesson : all_lessons())
        for (const Variant& variant : lesson->variants)
            for (const Limits& limits : {software_device(), large_gpu()})
                for (const std::set<std::string_view>& counts :
                     {std::set<std::string_view>{}, {"elements"}, {"workgroup_size"}, {"workgroup_count"}}) {
                    const PreparedExperiment prepared =
                        prepare_case(*lesson, smallest_values(*lesson, counts), variant.id, limits);
                    for (const Remark& remark : prepared.remarks) {
                        ++remarks;
                        EXPECT_FALSE(std::regex_search(remark.text, plural_of_one))
                            << lesson->id << " " << variant.id << ": " << remark.text;
                    }
                }
    EXPECT_GT(remarks, 1000U);
}

}  // namespace gridstride::singular_test
