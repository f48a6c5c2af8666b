#include "session/saved_session_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ranges>

#include "base/error.h"
#include "base/file.h"
#include "base/journal.h"
#include "base/text.h"
#include "base/units.h"
#include "base/wire.h"
#include "client/messages.h"
#include "progress/legacy_ids.h"

namespace gridstride {

namespace {

using Json = nlohmann::ordered_json;

enum RecordKind : std::uint32_t { record_run = 1, record_cell = 2 };

/// JSON holds only UTF-8, but a kernel's file or a path may have other bytes. Then each byte is encoded as
/// the character with its number (Latin-1).
Json text_json(const std::string& text) {
    try {
        static_cast<void>(Json(text).dump());
        return text;
    } catch (const Json::type_error&) {
        std::string characters_of_bytes;
        for (const char sign : text) {
            const auto byte = static_cast<unsigned char>(sign);
            if (byte >= 0x80) characters_of_bytes += static_cast<char>(0xC0 | byte >> 6);
            characters_of_bytes += static_cast<char>(byte >= 0x80 ? 0x80 | (byte & 0x3F) : byte);
        }
        return {{"bytes", characters_of_bytes}};
    }
}

std::string parse_text(const Json& json) {
    if (!json.is_object()) return json.get<std::string>();
    std::string text;
    const auto base64_text = json.at("bytes").get<std::string>();
    for (std::size_t i = 0; i < base64_text.size(); ++i) {
        auto byte = static_cast<unsigned char>(base64_text[i]);
        if (byte >= 0x80) {
            if ((byte != 0xC2 && byte != 0xC3) || ++i == base64_text.size())
                throw FileError(
                    fmt::format("byte {} of a text is {:#x}, and texts are Latin-1 here", i, byte));
            byte =
                static_cast<unsigned char>(byte << 6 | (static_cast<unsigned char>(base64_text[i]) & 0x3F));
        }
        text += static_cast<char>(byte);
    }
    return text;
}

Json source_json(const KernelSource& source) {
    return {{"name", text_json(source.name)},
            {"folder", text_json(source.folder)},
            {"text", text_json(source.text)}};
}

KernelSource parse_source(const Json& json) {
    KernelSource source{parse_text(json.at("text")), parse_text(json.at("name")),
                        parse_text(json.at("folder"))};
    if (!source.folder.empty() && !source.folder.starts_with('/'))
        throw FileError(fmt::format("the folder {} of a kernel is not absolute", quote_text(source.folder)));
    if (source.text.find('\0') != std::string::npos)
        throw FileError(fmt::format("the kernel {} contains zero bytes", quote_text(source.name)));
    return source;
}

/// Parses the values of the bench; missing ones keep the lesson's defaults.
void parse_values(const Json& json, const Lesson& lesson, SavedSession& session) {
    session.bench.values = Values(lesson.parameters);
    for (const auto& [id, text] : json.items()) {
        const Parameter* const parameter = find(lesson.parameters, id);
        try {
            if (!parameter) throw Refusal(fmt::format("{} has no parameter {}.", lesson.id, quote_text(id)));
            session.bench.values.set(id, parse(*parameter, text.get<std::string>()));
        } catch (const Refusal& refused) {
            session.notes.push_back(fmt::format("A value was left out: {}", refused.what()));
        }
    }
}

void parse_bench(const Json& json, SavedSession& session) {
    const auto id = json.at("lesson").get<std::string>();
    const Lesson* const lesson = find_lesson(id);
    if (!lesson) {
        session.notes.push_back(
            fmt::format("The bench was left out: there is no lesson {}.", quote_text(id)));
        return;
    }
    session.bench.lesson = id;
    session.bench.lesson_version = lesson->version;
    const Json& step = json.at("step");
    // Version 1 stored the step's number, counted from 0.
    session.step = step.is_string() ? step.get<std::string>() : legacy_step_id(id, step.get<std::size_t>());
    session.bench.variant = json.at("variant").get<std::string>();
    if (!find_variant(*lesson, session.bench.variant)) {
        session.notes.push_back(unknown_variant_reason({id, session.bench.variant}));
        session.bench.variant = lesson->default_variant;
    }
    parse_values(json.at("values"), *lesson, session);
    session.input_path = parse_text(json.at("input"));
}

/// Returns why this version cannot show a run, or an empty string if it can. Checks everything that a lesson
/// assumes about its values.
std::string unusable_reason(const Report& report) {
    const Experiment& experiment = report.experiment;
    const Lesson* const lesson = find_lesson(experiment);
    if (!lesson && find_lesson(experiment.lesson))
        return fmt::format("{} has changed since", quote_text(experiment.lesson));
    if (!lesson) return fmt::format("there is no lesson {}", quote_text(experiment.lesson));
    if (!find_variant(*lesson, experiment.variant))
        return fmt::format("{} has no variant {}", lesson->id, quote_text(experiment.variant));
    for (const Parameter& parameter : lesson->parameters) {
        if (!experiment.values.contains(parameter.id) ||
            !matches_type(parameter, experiment.values.at(parameter.id)))
            return fmt::format("their {} is not a value of {}", parameter.id, lesson->id);
    }
    const Timings& timings = report.timings;
    const auto finite = [](const Timing& timing) {
        return std::ranges::all_of(timing.samples, [](double ns) { return std::isfinite(ns); });
    };
    for (const Timing* timing : {&timings.upload, &timings.kernel, &timings.kernel_in_wall, &timings.host,
                                 &timings.download, &timings.waiting, &timings.wall, &timings.cpu})
        if (!finite(*timing)) return "a time is infinite or NaN";
    if (!std::ranges::all_of(timings.more_cpu, finite)) return "a time is infinite or NaN";
    return {};
}

Report decode_report(std::string_view bytes) {
    wire::Reader reader(std::as_bytes(std::span(bytes)));
    Report report;
    reader(report);
    reader.end();
    if (const std::string reason = unusable_reason(report); !reason.empty())
        throw wire::MalformedMessage(reason);
    report.request = 0;
    return report;
}

std::string encode_record(RecordKind kind, const Report& report) {
    Report stored = report;
    stored.drop_arrays();
    std::erase_if(stored.result,
                  [](const Fact& fact) { return std::holds_alternative<ArrayRef>(fact.value); });
    wire::Writer writer;
    writer(stored);
    const auto* const bytes = reinterpret_cast<const char*>(writer.bytes().data());
    return journal_record(kind, {bytes, writer.bytes().size()});
}

}  // namespace

Json kernel_json(const KernelKey& key, const KernelEdit& edit) {
    Json json = {{"lesson", key.first}, {"variant", key.second}};
    json.update(source_json(edit.source));
    json["path"] = text_json(edit.file.path);
    json["saved_text"] = text_json(edit.file.saved.text);
    json["last_good"] = edit.last_good ? source_json(*edit.last_good) : Json(nullptr);
    return json;
}

std::pair<KernelKey, KernelEdit> parse_kernel(const Json& json) {
    const KernelKey key{json.at("lesson").get<std::string>(), json.at("variant").get<std::string>()};
    KernelEdit edit;
    edit.source = parse_source(json);
    edit.file.path = parse_text(json.at("path"));
    edit.file.saved = edit.source;
    edit.file.saved.text = parse_text(json.at("saved_text"));
    if (const Json& good = json.at("last_good"); !good.is_null()) edit.last_good = parse_source(good);
    return {key, std::move(edit)};
}

std::string unknown_variant_reason(const KernelKey& key) {
    const Lesson* const lesson = find_lesson(key.first);
    if (!lesson) return fmt::format("There is no lesson {}.", quote_text(key.first));
    if (!find_variant(*lesson, key.second))
        return fmt::format("{} has no variant {}.", lesson->id, quote_text(key.second));
    return {};
}

std::string format_session(const SavedSession& session) {
    Json json = {{"schema_version", session_format.version},
                 {"app_version", std::string(app_version())},
                 {"order", session.order}};
    if (const Lesson* const lesson = find_lesson(session.bench)) {
        json["lesson"] = lesson->id;
        json["step"] = session.step;
        json["variant"] = session.bench.variant;
        json["values"] = Json::object();
        for (const Parameter& parameter : lesson->parameters)
            json["values"][parameter.id] = format(parameter, session.bench.values.at(parameter.id));
        json["input"] = text_json(session.input_path);
        json["pinned"] = session.pinned;
    }
    json["kernels"] = Json::array();
    for (const auto& [key, edit] : session.kernels)
        json["kernels"].push_back(kernel_json(key, edit));
    return json.dump(1) + "\n";
}

void parse_session(const Json& json, SavedSession& session) {
    SavedSession read = session;
    if (json.contains("lesson")) parse_bench(json, read);
    read.pinned = json.value("pinned", "");
    const Json& kernels = json.at("kernels");
    if (!kernels.is_array()) throw FileError("its \"kernels\" is not a list");
    if (kernels.size() > max_saved_kernels)
        throw FileError(
            fmt::format("it has {} kernels, and the limit is {}", kernels.size(), max_saved_kernels));
    for (const Json& entry : kernels) {
        auto [key, edit] = parse_kernel(entry);
        if (const std::string reason = unknown_variant_reason(key); !reason.empty())
            read.notes.push_back("A kernel was left out: " + reason);
        else
            read.kernels[key] = std::move(edit);
    }
    session = std::move(read);
}

std::string journal_header() {
    return fmt::format("gridstride runs 1 {} {}\n", app_version(), lab::protocol_version);
}

std::string encode_run(const Report& report) {
    return encode_record(record_run, report);
}

std::string encode_cell(const Report& report) {
    return encode_record(record_cell, report);
}

void parse_journal(std::string_view journal, SavedSession& session) {
    const std::string head = journal_header();
    if (!journal.starts_with(head)) {
        // A journal that was cut off in its first line holds no runs.
        if (!head.starts_with(journal)) session.unread_runs = "Its runs cannot be read by this version";
        return;
    }
    std::map<std::string, std::size_t> left_out;  // number of runs by reason
    const auto read_record = [&](std::uint32_t kind, std::string_view bytes) {
        try {
            if (kind == record_run) session.runs.push_back(decode_report(bytes));
            if (kind == record_cell)
                session.sweep_cells.push_back(std::make_shared<const Report>(decode_report(bytes)));
        } catch (const wire::MalformedMessage& reason) {
            ++left_out[reason.what()];
        }
    };
    const UnreadRecords unread = read_journal(journal.substr(head.size()), read_record);
    if (unread.damaged > 0) left_out["wrong checksum"] += unread.damaged;
    std::vector<std::string> sentences;
    for (const auto& [why, count] : left_out)
        sentences.push_back(fmt::format(
            "{} left out: {}",
            count == 1 ? std::string("1 run was") : counted(count, "run", "runs") + " were", why));
    if (unread.bytes_at_end > 0)
        sentences.push_back(
            fmt::format("At least 1 run at the end was left out: the last {} bytes are damaged or cut off",
                        format_count(unread.bytes_at_end)));
    session.unread_runs = join(sentences, ". ");
}

}  // namespace gridstride
