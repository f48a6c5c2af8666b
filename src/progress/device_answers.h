// Recorded answers: the outcomes of the stories' questions on other devices. They ship with the program and
// are shown beside the user's own answer.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/lesson.h"
#include "storage/saved_file.h"
#include "story/story.h"

namespace gridstride {

/// The recorded answers of one device, a file of `gridstride record`.
struct DeviceAnswers {
    struct Question {
        std::string lesson;
        std::string id;
        std::string hash;              ///< hash_question() at the time of recording
        std::vector<Estimate> values;  ///< like Outcome::values
    };
    std::string device, driver;
    bool is_cpu = false;
    std::string day;  ///< "2026-11-22"
    std::vector<Question> answers;
};

inline constexpr SavedFormat device_answers_format{"The recorded answers", 2, "; they are not shown",
                                                   std::uintmax_t{16} << 20};

/// Returns the text of a JSON file.
std::string format_device_answers(const DeviceAnswers& answers_file);
/// Parses the text of `file`. Throws NewerVersion, or std::exception if format_device_answers() would not
/// write it.
DeviceAnswers parse_device_answers(std::string_view text, const std::filesystem::path& file);

/// Reads all *.json files of a folder, sorted by name. Notifies the user of files that cannot be read.
std::vector<DeviceAnswers> read_device_answers(const std::filesystem::path& folder);
/// Returns the recorded answers in data_directory(), which are read once.
const std::vector<DeviceAnswers>& shipped_device_answers();

/// A recorded answer to one question, for display.
struct RecordedAnswer {
    std::string device;
    std::string sentence;               ///< "NVIDIA H200, recorded 2026-11-21: 4.8 times as fast"
    std::optional<std::size_t> choice;  ///< the right one there; nullopt: undecided, or not of choices
};
/// Hashes what decides a question: the settings of its runs, including those of earlier steps, the metrics
/// that are compared, and the bounds of the choices; not its wording. Returns 16 hexadecimal digits (FNV-1a,
/// 64 bits).
std::string hash_question(const Story& story, const QuestionPlace& place);
/// Returns the recorded answers with the question's id and current hash.
std::vector<RecordedAnswer> find_recorded_answers(
    const Lesson& lesson, const Story& story, const QuestionPlace& place,
    const std::vector<DeviceAnswers>& device_answers = shipped_device_answers());
/// Returns the values recorded on GPUs, of those answers.
std::vector<GpuValues> find_gpu_values(
    const Lesson& lesson, const Story& story, const QuestionPlace& place,
    const std::vector<DeviceAnswers>& device_answers = shipped_device_answers());
/// Returns a sentence for each recorded answer that matches no question of the entry's story, and is not to
/// another story of the lesson.
std::vector<std::string> find_device_answer_errors(
    const CourseEntry& entry, const Story& story,
    const std::vector<DeviceAnswers>& device_answers = shipped_device_answers());

}  // namespace gridstride
