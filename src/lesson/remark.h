// Remarks on a run or a control: a note, a caution, or the reason why a run is refused.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gridstride {

enum class Severity { note, caution, refusal };
constexpr Severity last_enumerator(Severity) {
    return Severity::refusal;
}
std::string_view name(Severity severity);

struct Remark {
    Severity severity = Severity::note;
    std::string parameter;  ///< the id of its control; empty: the run as a whole
    std::string text;       ///< a sentence
    bool operator==(const Remark&) const = default;
};

/// Collects remarks. With a key, a remark belongs to that control, otherwise to the run as a whole. Further
/// arguments are formatted into the text by fmt::format().
class Remarks {
 public:
    void note(std::string text) { add(Severity::note, {}, std::move(text)); }
    void caution(std::string text) { add(Severity::caution, {}, std::move(text)); }
    void refuse(std::string text) { add(Severity::refusal, {}, std::move(text)); }
    void note(const auto& key, std::string text) { add(Severity::note, key.id, std::move(text)); }
    void caution(const auto& key, std::string text) { add(Severity::caution, key.id, std::move(text)); }
    void refuse(const auto& key, std::string text) { add(Severity::refusal, key.id, std::move(text)); }
    template <class... Values>
    requires(sizeof...(Values) > 0) void note(const auto& key, fmt::format_string<const Values&...> text,
                                              const Values&... values) {
        add(Severity::note, key.id, fmt::format(text, values...));
    }
    template <class... Values>
    requires(sizeof...(Values) > 0) void caution(const auto& key, fmt::format_string<const Values&...> text,
                                                 const Values&... values) {
        add(Severity::caution, key.id, fmt::format(text, values...));
    }
    template <class... Values>
    requires(sizeof...(Values) > 0) void refuse(const auto& key, fmt::format_string<const Values&...> text,
                                                const Values&... values) {
        add(Severity::refusal, key.id, fmt::format(text, values...));
    }
    void add(Severity severity, std::string_view parameter, std::string text) {
        all_.push_back({severity, std::string(parameter), std::move(text)});
    }
    const std::vector<Remark>& all() const { return all_; }
    std::vector<Remark> take() && { return std::move(all_); }

 private:
    std::vector<Remark> all_;
};

inline bool any_refusal(const std::vector<Remark>& remarks) {
    return std::any_of(remarks.begin(), remarks.end(),
                       [](const Remark& remark) { return remark.severity == Severity::refusal; });
}

}  // namespace gridstride
