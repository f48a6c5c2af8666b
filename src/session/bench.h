// The bench: variant, values and input of the open lesson, with the remarks of lesson and device about them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/remark.h"

namespace gridstride {

class Bench {
 public:
    /// Always uses the lesson's kernel; KernelEdits holds the user's.
    const Experiment& experiment() const { return experiment_; }
    const std::string& variant() const { return experiment_.variant; }
    const Values& values() const { return experiment_.values; }
    /// Returns the file of the input; empty if the lesson generates the input.
    const std::string& input_path() const { return input_path_; }
    /// Returns the experiment prepared for the device, valid or not; null while there is no device. In a
    /// lesson of programs, it contains the program that runs.
    const std::shared_ptr<const PreparedExperiment>& prepared() const { return prepared_; }
    /// Returns a remark about an unreadable text, if any, followed by the remarks about the values.
    const std::vector<Remark>& remarks() const { return remarks_; }
    bool is_valid() const { return !prepared_ || prepared_->is_valid(); }  ///< no value is refused
    /// Returns true if the source in the editor can be compiled: the values are valid, or the error is in the
    /// program.
    bool can_compile() const { return is_valid() || !prepared_->diagnostics.empty(); }

    // Call prepare() after these functions.
    void set(Experiment experiment);  ///< takes variant and values, keeps the input
    void set_variant(std::string_view id) { experiment_.variant = id; }
    void set_value(std::string_view id, Value value) { experiment_.values.set(id, value); }
    void set_input(const Lesson& lesson, UserData data, const std::string& path);
    void use_lesson_input();
    /// `kernel` is the program that runs, in a lesson of programs. `device` is null until it is open.
    void prepare(const Lesson& lesson, const Limits* device, const std::optional<KernelSource>& kernel);

    /// Adds a remark about a text that cannot be parsed. The next prepare() or clear_refused_text() removes
    /// it.
    void refuse_text(const std::string& parameter, const std::string& reason);
    void clear_refused_text();

 private:
    Experiment experiment_;
    std::string input_path_;
    std::shared_ptr<const PreparedExperiment> prepared_;
    std::vector<Remark> remarks_;
    bool is_text_refused_ = false;  ///< the first remark is about an unreadable text
};

}  // namespace gridstride
