// What a reader gives of a file of the user's, and the question where a file can be read in several ways.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/array.h"
#include "base/error.h"

namespace gridstride {

/// How to read a file that can be read in several ways. What is not set is decided by the file alone, or
/// asked.
struct FileChoice {
    std::string column = {};          ///< of a text: a heading, a number from 1, or "all"
    std::optional<bool> header = {};  ///< whether the first line of a text names its columns
    std::uint32_t channel = 0;        ///< of sound, from 1
    bool wav_counts = false;          ///< samples of sound as they are stored, not as fractions of full scale

    bool operator==(const FileChoice&) const = default;
};

/// What a file holds that can be read in several ways, and the ways.
struct FileQuestion {
    /// Reads the file as its label says.
    struct Answer {
        std::string label;
        FileChoice choice;
    };
    std::string text;                            ///< a sentence: what is not clear
    std::string flags;                           ///< a sentence: how the command line says it
    std::vector<std::vector<std::string>> rows;  ///< the first ones of a text, shortened
    std::vector<Answer> answers;
};

/// The file can be read once one of the answers is given. As a FileError it names the flags.
struct NeedsChoice : FileError {
    NeedsChoice(const std::string& file_name, FileQuestion file_question);
    FileQuestion question;
};

/// What was read of a file, row by row.
struct Numbers {
    Array array = {};
    std::uint32_t width = 0;  ///< of two dimensions or more: numbers a row; 0: they are one line, or none
    std::string taken = {};   ///< what of the file: "column `value`, 1 204 rows"
    /// The type of an .npy: "i64", "big-endian f32". Empty of other files.
    std::string stored = {};
    std::vector<std::string> remarks = {};  ///< sentences: what was changed or left out
};

}  // namespace gridstride
