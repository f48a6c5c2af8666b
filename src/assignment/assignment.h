// An assignment of a class, read from assignment.toml: lessons, steps, and exercises with points.
// assets/manual/assignments.md describes the format.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "lesson/experiment.h"
#include "story/story.h"

namespace gridstride {

inline constexpr const char* assignment_file = "assignment.toml";
/// Beside it: the files that programs of students read.
inline constexpr const char* data_folder = "data";

/// An exercise for which students write a kernel or a program.
struct AssignedExercise {
    const CourseEntry* entry = nullptr;
    MakeBlock block;
    Experiment experiment;  ///< of the exercise's step, without an answer
    std::uint32_t points = 0;

    /// Returns the key of the student's kernel among those of the window: lesson, variant.
    std::pair<std::string, std::string> key() const { return {experiment.lesson, experiment.variant}; }
};

struct AssignedLesson {
    const CourseEntry* entry = nullptr;
    std::vector<std::size_t> steps;  ///< indices into the story, ascending
    std::vector<std::string> question_ids;
};

/// The device on which requirements on measured times count.
enum class TimedDevice { none, cpu, gpu };

struct Assignment {
    std::string title;
    std::string closes;  ///< RFC 3339, for display; may be empty
    bool are_solutions_locked = false;
    /// For answering all questions of the steps, right or wrong; 0: answers give no points.
    std::uint32_t answer_points = 0;
    TimedDevice timed_device = TimedDevice::none;
    /// File names of hand-ins in the order in which they arrived; may be empty.
    std::vector<std::string> received;
    std::vector<AssignedLesson> lessons;
    std::vector<AssignedExercise> exercises;
    std::filesystem::path folder;  ///< of the file, absolute
    /// A hash of the file, of the lessons that are folders of text, and of the program's version.
    std::string version;

    std::size_t count_questions() const;
    std::size_t count_points() const;
};

/// Reads a file, or the assignment.toml of a folder, and registers the lessons beside it. Throws FileError,
/// and Refusal with "FILE:LINE: ERROR" for each mistake.
Assignment read_assignment(const std::filesystem::path& path);

}  // namespace gridstride
