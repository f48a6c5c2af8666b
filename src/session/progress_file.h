// What a person did, in one file: for a teacher to read, and to be taken over on another machine. Predictions
// with their questions in words, and kernels.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "session/kernel_edit.h"
#include "session/session.h"

namespace gridstride {

using Predictions = std::map<PredictionKey, Prediction>;

/// A prediction as all files of the program hold one; step and block counted from 0.
nlohmann::ordered_json prediction_json(const PredictionKey& key, const Prediction& prediction);
/// Throws std::exception.
std::pair<PredictionKey, Prediction> parse_prediction(const nlohmann::ordered_json& json);

struct Progress {
    Predictions predictions;
    std::map<KernelKey, KernelEdit> kernels;
    std::size_t left_out = 0;  ///< of the file: this program has no such lesson, question or variant
};

/// JSON. `when`: ISO 8601.
std::string format_progress(const Progress& progress, std::string_view when);
/// Throws FileError for anything that format_progress() does not write.
Progress read_progress(const std::string& path);

/// What is there and decided stays; else the file's takes its place where it is decided, or nothing is there.
/// How many did.
std::size_t merge_predictions(Predictions& mine, const Predictions& theirs);

/// The kernels that are not among mine, text for text.
std::map<KernelKey, KernelEdit> new_kernels(const std::map<KernelKey, KernelEdit>& mine,
                                            const std::map<KernelKey, KernelEdit>& theirs);

/// "Wrote 12 predictions and 2 kernels to FILE."
std::string written_in_words(const Progress& progress, const std::string& path);
/// "Took 3 predictions and 1 kernel from FILE. …"
std::string taken_in_words(std::size_t predictions, std::size_t kernels, std::size_t left_out,
                           const std::string& path);

}  // namespace gridstride
