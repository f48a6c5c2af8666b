#include "sweep/tuned_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/shared_file.h"
#include "base/text.h"
#include "base/units.h"
#include "storage/notices.h"
#include "storage/saved_file.h"

namespace gridstride {

namespace {

namespace fs = std::filesystem;
using TunedJson = nlohmann::ordered_json;

constexpr SavedFormat tuned_format{"The best launches", 1, ": sweep again", std::uintmax_t{16} << 20};
/// A process that changes the file holds its lock for a few milliseconds.
constexpr std::chrono::seconds lock_timeout{10};

TunedJson estimate_json(const Estimate& estimate) {
    return {{"value", estimate.value}, {"low", estimate.low}, {"high", estimate.high}};
}

Estimate parse_estimate(const TunedJson& json) {
    const Estimate estimate{json.at("value").get<double>(), json.at("low").get<double>(),
                            json.at("high").get<double>()};
    if (!(estimate.low > 0 && estimate.low <= estimate.value && estimate.value <= estimate.high))
        throw FileError(fmt::format("the value {} is outside its interval, {} to {}", estimate.value,
                                    estimate.low, estimate.high));
    return estimate;
}

TunedJson tuned_json(const TunedLaunch& tuned) {
    const Experiment& experiment = tuned.experiment;
    TunedJson values = TunedJson::object();
    for (const Parameter& parameter : find_lesson(experiment)->parameters)
        values[parameter.id] = format(parameter, experiment.values.at(parameter.id));
    return {{"lesson", experiment.lesson},
            {"variant", experiment.variant},
            {"device", tuned.device},
            {"size_class", size_class(domain_extent(experiment).product())},
            {"driver", tuned.driver},
            {"when", tuned.when},
            {"tuned", tuned.parameters},
            {"values", std::move(values)},
            {"input", experiment.input.name},
            {"kernel_ns", estimate_json(tuned.kernel_ns)},
            {"ties", tuned.ties},
            {"default_over_best",
             tuned.default_over_best ? estimate_json(*tuned.default_over_best) : TunedJson(nullptr)}};
}

/// Compares the key of two entries as JSON, because this version may not know their lesson or values.
bool has_same_key(const TunedJson& a, const TunedJson& b) {
    return std::ranges::all_of(
        std::initializer_list<const char*>{"lesson", "variant", "device", "size_class"},
        [&](const char* member) { return a.value(member, TunedJson()) == b.at(member); });
}

/// Returns nullopt if this version lacks the lesson, the variant, a parameter or its value.
std::optional<TunedLaunch> parse_entry(const TunedJson& json) {
    TunedLaunch tuned;
    const Lesson* const lesson = find_lesson(json.at("lesson").get<std::string>());
    if (!lesson) return std::nullopt;
    tuned.experiment = default_experiment(*lesson);
    tuned.experiment.variant = json.at("variant").get<std::string>();
    if (!find_variant(*lesson, tuned.experiment.variant)) return std::nullopt;
    for (const auto& [id, text] : json.at("values").items()) {
        const Parameter* const parameter = find(lesson->parameters, id);
        if (!parameter) return std::nullopt;
        try {
            tuned.experiment.values.set(id, parse(*parameter, text.get<std::string>()));
        } catch (const Refusal&) {
            return std::nullopt;
        }
    }
    tuned.parameters = json.at("tuned").get<std::vector<std::string>>();
    for (const std::string& id : tuned.parameters) {
        const Parameter* const parameter = find(lesson->parameters, id);
        if (!parameter || parameter->invalidates != Invalidates::launch) return std::nullopt;
    }
    tuned.experiment.input.name = printable(json.at("input").get<std::string>());
    tuned.device = printable(json.at("device").get<std::string>());
    tuned.driver = printable(json.at("driver").get<std::string>());
    tuned.when = printable(json.at("when").get<std::string>());
    tuned.kernel_ns = parse_estimate(json.at("kernel_ns"));
    tuned.ties = json.at("ties").get<std::size_t>();
    if (const TunedJson& times = json.at("default_over_best"); !times.is_null())
        tuned.default_over_best = parse_estimate(times);
    return tuned;
}

struct Entries {
    TunedJson json = TunedJson::array();
    std::vector<TunedLaunch> tuned;  ///< the entries that this version can use
};

/// Throws FileError if the file cannot be read, and NewerVersion.
Entries read_entries(const fs::path& file, const Descriptor* lock = nullptr) {
    Entries entries;
    const bool is_whole = read_saved_file(
        file, tuned_format,
        [&](const TunedJson& json) {
            entries = {.json = json.at("tuned"), .tuned = {}};
            if (!entries.json.is_array()) throw FileError("its \"tuned\" is not a list");
            for (const TunedJson& entry : entries.json)
                if (std::optional<TunedLaunch> tuned = parse_entry(entry))
                    entries.tuned.push_back(std::move(*tuned));
        },
        lock);
    return is_whole ? std::move(entries) : Entries();
}

Descriptor lock_tuned_file(const fs::path& file) {
    create_folders(file.parent_path());
    std::optional<Descriptor> lock = lock_file(file, lock_timeout);
    if (!lock)
        throw FileError(
            fmt::format("{} has been locked by another process for {} s. End that process and sweep again.",
                        printable(file.native()), lock_timeout.count()));
    return std::move(*lock);
}

}  // namespace

fs::path tuned_file() {
    return config_directory() / "tuned.json";
}

std::vector<TunedLaunch> read_tuned(const fs::path& file) {
    Entries entries = read_entries(file);
    if (const std::size_t unknown_count = entries.json.size() - entries.tuned.size(); unknown_count > 0)
        notify_user(fmt::format("{} in {} cannot be used: this version has no such lesson, variant or value. "
                                "The file keeps {}.",
                                counted(unknown_count, "stored launch", "stored launches"),
                                printable(file.native()), unknown_count == 1 ? "it" : "them"),
                    /*once=*/true);
    return std::move(entries.tuned);
}

void write_tuned(const fs::path& file, const std::vector<TunedLaunch>& newer) {
    if (newer.empty()) return;
    const Descriptor lock = lock_tuned_file(file);
    TunedJson all = read_entries(file, &lock).json;
    for (const TunedLaunch& tuned : newer) {
        const TunedJson entry = tuned_json(tuned);
        TunedJson others = TunedJson::array();
        for (TunedJson& one : all)
            if (!has_same_key(one, entry)) others.push_back(std::move(one));
        others.push_back(entry);
        all = std::move(others);
    }
    const TunedJson json = {{"kind", "gridstride tuned"},
                            {"schema_version", tuned_format.version},
                            {"app_version", std::string(app_version())},
                            {"tuned", std::move(all)}};
    write_file(file, json.dump(1) + "\n");
}

}  // namespace gridstride
