// What came out of the stories' questions on other devices: recordings that ship with the program, beside
// which a person's own answer stands.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/lesson.h"
#include "storage/saved_file.h"
#include "story/story.h"

namespace gridstride {

/// Of one device, as a file of `gridstride record`.
struct Recording {
    struct Question {
        std::string lesson;
        std::string id;
        std::string hash;              ///< of question_hash() when it was recorded
        std::vector<Estimate> values;  ///< as Outcome::values
    };
    std::string device, driver;
    bool is_cpu = false;
    std::string day;  ///< "2026-11-22"
    std::vector<Question> answers;
};

inline constexpr SavedFormat recording_format{"The recorded answers", 2, "; they are not shown",
                                              std::uintmax_t{16} << 20};

/// JSON.
std::string format_recording(const Recording& recording);
/// Of this file. Throws NewerVersion; std::exception for what format_recording() does not write.
Recording parse_recording(std::string_view text, const std::filesystem::path& file);

/// All *.json of a folder, by name. One that cannot be read is a warning in the log.
std::vector<Recording> read_recordings(const std::filesystem::path& folder);
/// Those of data_directory(), read once.
const std::vector<Recording>& shipped_recordings();

struct RecordedAnswer {
    std::string device;
    std::string sentence;  ///< "NVIDIA H200, recorded 2026-11-21: 4.8 times faster"
};
/// Of what decides a question of the story: its runs with all that the steps before set, the numbers that are
/// compared, and the choices' bounds. 16 hexadecimal digits (FNV-1a, 64 bits). Its words are no part of it.
std::string question_hash(const Story& story, const QuestionPlace& place);
/// Found by the question's id. What was recorded of other runs, values or choices is not shown.
std::vector<RecordedAnswer> recorded_answers(const Lesson& lesson, const Story& story,
                                             const QuestionPlace& place,
                                             const std::vector<Recording>& recordings = shipped_recordings());
/// A sentence for each recorded answer of the lesson that belongs to none of its story's questions as they
/// are.
std::vector<std::string> mistakes_of_recordings(
    const Lesson& lesson, const Story& story,
    const std::vector<Recording>& recordings = shipped_recordings());

}  // namespace gridstride
