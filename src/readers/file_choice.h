// The result of reading a user's file, and the question to ask if a file can be read in several ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/error.h"

namespace gridstride {

/// How to read a file that can be read in several ways. For members that are not set, the reader decides from
/// the contents, or throws NeedsChoice.
struct FileChoice {
    std::string column = {};              ///< of a text file: a heading, a number from 1, or "all"
    std::optional<bool> has_header = {};  ///< whether the first line of a text file names its columns
    std::uint32_t channel = 0;            ///< of a sound file, from 1; 0: not set
    bool wav_counts = false;              ///< read samples as stored, not as fractions of full scale

    bool operator==(const FileChoice&) const = default;
};

/// Asks how to read a file, with the possible answers.
struct FileQuestion {
    struct Answer {
        std::string label;
        FileChoice choice;
    };
    std::string text;                            ///< a sentence that says what is ambiguous
    std::string flags;                           ///< a sentence with the command-line options that decide
    std::vector<std::vector<std::string>> rows;  ///< the first rows of a text file, shortened
    std::vector<Answer> answers;
};

/// Thrown if a file can be read in several ways. Read it again with the choice of one of the answers. The
/// message names the command-line options.
struct NeedsChoice : FileError {
    NeedsChoice(const std::string& file_name, FileQuestion file_question);
    FileQuestion question;
};

/// The numbers of a file, in row-major order.
struct Numbers {
    Array array = {};
    std::uint32_t width = 0;     ///< numbers per row for two dimensions or more; 0: one dimension, or none
    std::string selection = {};  ///< the selection: "column `value`, 1 204 rows"
    /// The type in an .npy: "i64", "big-endian f32". Empty for other files.
    std::string stored_type = {};
    std::vector<std::string> remarks = {};  ///< sentences that say what was changed or left out
};

}  // namespace gridstride
