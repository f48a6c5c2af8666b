// What is on the bench: variant, values and input of the lesson that is open, and what the lesson and the
// device say of them.
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
    /// With the lesson's own kernel: OwnKernels has the person's.
    const Experiment& experiment() const { return experiment_; }
    const std::string& variant() const { return experiment_.variant; }
    const Values& values() const { return experiment_.values; }
    /// The file that is the input; empty: the lesson's own input.
    const std::string& input_path() const { return input_path_; }
    /// Made ready on the device, whether it can be run or not; null while there is no device. In a lesson of
    /// programs, with the program that runs.
    const std::shared_ptr<const Prepared>& prepared() const { return prepared_; }
    /// All there is to say about the values, after what there is to say about a text that could not be read.
    const std::vector<Remark>& remarks() const { return remarks_; }
    bool valid() const { return !prepared_ || prepared_->valid(); }  ///< no value is refused
    /// Whether a text in the editor can be compiled: the values are fine, or it is the program that is not.
    bool can_compile() const { return valid() || !prepared_->diagnostics.empty(); }

    // Call prepare() after these.
    void put(Experiment experiment);  ///< its variant and values; the input stays
    void set_variant(std::string_view id) { experiment_.variant = id; }
    void set_value(std::string_view id, Value value) { experiment_.values.set(id, value); }
    void set_input(const Lesson& lesson, UserData data, const std::string& path);
    void use_lesson_input();
    /// `kernel`: the program that runs, in a lesson of programs. Null `device`: it is not open yet.
    void prepare(const Lesson& lesson, const Limits* device, const std::optional<KernelSource>& kernel);

    /// Adds a remark on a text that cannot be read, until the next prepare() or forget_refused_text().
    void refuse_text(const std::string& parameter, const std::string& why);
    void forget_refused_text();

 private:
    Experiment experiment_;
    std::string input_path_;
    std::shared_ptr<const Prepared> prepared_;
    std::vector<Remark> remarks_;
    bool text_refused_ = false;  ///< the first remark is of a text, not of the values
};

}  // namespace gridstride
