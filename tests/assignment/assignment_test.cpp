// Assignments: what a file says, and every mistake in it with its line.
#include "assignment/assignment.h"

#include "test_includes.h"

namespace gridstride {
namespace {

constexpr const char* whole_text = R"(format = 1
title = "Week 3"
closes = 2026-12-04T18:00:00+01:00
solutions_locked = true
answers = "participation"
answer_points = 2
timed_on = "gpu"
received = ["b.json", "a.json"]

[[lesson]]
id = "race_condition"
exercises = { smallest = 5 }

[[lesson]]
id = "thread_index"
steps = [1, 2]
)";

TEST(Assignment, IsReadFromAFileOrItsFolder) {
    const ScratchFolder folder;
    write_file(folder / "assignment.toml", whole_text);
    const Assignment assignment = read_assignment(folder / "assignment.toml");
    EXPECT_EQ(assignment.title, "Week 3");
    EXPECT_EQ(assignment.closes, "2026-12-04T18:00:00+01:00");
    EXPECT_TRUE(assignment.are_solutions_locked);
    EXPECT_EQ(assignment.answer_points, 2u);
    EXPECT_EQ(assignment.timed_device, TimedDevice::gpu);
    EXPECT_THAT(assignment.received, ElementsAre("b.json", "a.json"));
    ASSERT_THAT(assignment.exercises, SizeIs(1));
    EXPECT_EQ(assignment.exercises.front().experiment.variant, "smallest");
    EXPECT_EQ(assignment.count_points(), 5u + 2u);
    ASSERT_THAT(assignment.lessons, SizeIs(2));
    EXPECT_GT(assignment.lessons[0].steps.size(), 2u) << "without steps, all are assigned";
    EXPECT_THAT(assignment.lessons[1].steps, ElementsAre(0, 1));
    EXPECT_EQ(read_assignment(folder.path()).version, assignment.version);
    write_file(folder / "assignment.toml", std::string(whole_text) + "# changed\n");
    EXPECT_NE(read_assignment(folder.path()).version, assignment.version);
}

TEST(Assignment, ReportsEachMistakeWithItsLine) {
    const ScratchFolder folder;
    write_file(folder / "assignment.toml", R"(format = 1
titel = "Week 3"
closes = 2026-12-04T18:00:00
answer_points = 2
timed_on = "tpu"
[[lesson]]
id = "race_condition"
steps = ["nowhere"]
exercises = { two_queues = 3, smallest = "many" }
[[lesson]]
id = "reductoin"
[[lesson]]
id = "race_condition"
)");
    const std::string message = message_of<Refusal>([&] { read_assignment(folder.path()); });
    for (const char* const mistake : {"toml:1: ", "toml:2: ", "toml:3: ", "toml:4: ", "toml:5: ", "toml:8: ",
                                      "toml:9: ", "toml:11: ", "toml:13: "})
        EXPECT_THAT(message, HasSubstr(mistake));
    EXPECT_THAT(message, HasSubstrs("title", "offset", "answers", "cpu", "two_queues", "many", "reductoin"));
}

TEST(Assignment, LoadsLessonsFromItsFolder) {
    const ScratchFolder folder;
    fs::copy(fs::path(GRIDSTRIDE_SOURCE_DIR) / "assets/examples/multiples", folder / "our_own");
    write_file(folder / "assignment.toml", "format = 1\ntitle = \"Own\"\n[[lesson]]\nid = \"our_own\"\n");
    const Assignment assignment = read_assignment(folder.path());
    EXPECT_EQ(assignment.lessons.front().entry->lesson, find_lesson("our_own"));
    EXPECT_THAT(message_of<FileError>([&] { read_assignment(folder / "none.toml"); }),
                HasSubstr("none.toml"));
}

}  // namespace
}  // namespace gridstride
