#include "present/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/csv.h"
#include "base/error.h"
#include "base/input_file.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/lesson.h"
#include "present/report_csv.h"

namespace gridstride {

namespace {

constexpr std::string_view known_schema = "1";

/// Returns the key by which rows are grouped. It omits the file name of a user's input, because the same
/// numbers may have another name on another machine; their checksum remains.
MeasurementKey key_without_input_name(MeasurementKey what) {
    const std::string name = fmt::format(";{}=", input_name_parameter);
    std::string parameters = ";" + what.parameters;
    if (const std::size_t begin = parameters.find(name); begin != std::string::npos)
        parameters.erase(begin, parameters.find(';', begin + 1) - begin);
    what.parameters = parameters.empty() ? "" : parameters.substr(1);
    return what;
}

class TimesReader {
 public:
    TimesReader(const std::string& name, const std::string& column) : column_(column) {
        file_.name = printable(name);
    }

    void read_record(std::size_t line, const std::vector<std::string>& fields) {
        line_ = line;
        if (fields.size() == 1 && fields[0].empty()) return;
        if (columns_.empty())
            read_heading(fields);
        else
            read_row(fields);
    }

    TimesFile finish() {
        if (columns_.empty()) throw FileError(tr("the file is empty. Choose a CSV that Gridstride wrote."));
        return std::move(file_);
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw FileError(tr("line {}: {}.", line_, what));
    }

    void read_heading(const std::vector<std::string>& fields) {
        for (std::size_t i = 0; i < fields.size(); ++i)
            columns_.emplace(fields[i], i);
        heading_ = fields;
        for (const char* column_name : {"schema_version", "run_id", "device_name", "driver_version",
                                        "is_cpu_device", "lesson", "variant", "elements", "workgroup_size",
                                        "workgroup_count", "parameters", "status", column_.c_str()})
            if (!columns_.contains(column_name))
                throw FileError(
                    tr("it has no column {}, so Gridstride did not write it. Choose a CSV that "
                       "\"gridstride run\", \"gridstride sweep\" or the window saved.",
                       column_name));
    }

    const std::string& field(const std::vector<std::string>& fields, const char* column) const {
        return fields[columns_.find(column)->second];
    }

    /// Undoes the CSV escaping and makes the text safe for terminals and JSON, even if the file was altered.
    std::string field_text(const std::vector<std::string>& fields, const char* column) const {
        return printable(unescape_csv_text(field(fields, column)));
    }

    std::uint64_t count(const std::vector<std::string>& fields, const char* column) const {
        const std::string& text = field(fields, column);
        const auto value = parse_number<std::uint64_t>(text);
        if (!value)
            fail(tr("{} in column {} is not a whole number. The file may have been edited by hand",
                    quote_text(text), column));
        return *value;
    }

    double time(const std::string& text) const {
        const auto value = parse_number<double>(text);
        if (!value || !std::isfinite(*value) || *value < 0)
            fail(
                tr("{} in column {} is not a time in nanoseconds. A spreadsheet may have saved it "
                   "with another decimal separator",
                   quote_text(text), column_));
        return *value;
    }

    void read_row(const std::vector<std::string>& fields) {
        if (fields == heading_) return;
        if (fields.size() != heading_.size())
            fail(tr("{} fields where the heading has {}. The file may be truncated", fields.size(),
                    heading_.size()));
        if (const std::string& schema = field(fields, "schema_version"); schema != known_schema)
            fail(
                tr("schema_version is {}, but this version of Gridstride reads {}. Use the version "
                   "that wrote the file, or a newer one",
                   quote_text(schema), known_schema));
        if (field(fields, "status") != "ok") {
            ++file_.rows_not_ok;
            return;
        }
        const std::string& text = field(fields, column_.c_str());
        if (text.empty()) {
            ++file_.rows_without_time;
            return;
        }
        const double nanoseconds = time(text);
        ++file_.rows;
        DeviceName device{field_text(fields, "device_name"), field_text(fields, "driver_version"),
                          field(fields, "is_cpu_device") == "true"};
        if (std::find(file_.devices.begin(), file_.devices.end(), device) == file_.devices.end())
            file_.devices.push_back(std::move(device));
        MeasurementKey what{field_text(fields, "lesson"),     field_text(fields, "variant"),
                            count(fields, "elements"),        count(fields, "workgroup_size"),
                            count(fields, "workgroup_count"), field_text(fields, "parameters")};
        const auto [known, is_new] =
            group_index_.try_emplace(key_without_input_name(what), file_.groups.size());
        if (is_new) file_.groups.push_back({std::move(what), {}});
        std::vector<std::vector<double>>& runs = file_.groups[known->second].runs;
        const std::string& run = field(fields, "run_id");
        if (is_new || run != last_run_[known->second]) runs.emplace_back();
        last_run_[known->second] = run;
        runs.back().push_back(nanoseconds);
    }

    std::string column_;
    TimesFile file_;
    std::size_t line_ = 0;
    std::vector<std::string> heading_;
    std::map<std::string, std::size_t, std::less<>> columns_;
    std::map<MeasurementKey, std::size_t> group_index_;  ///< by key_without_input_name()
    std::map<std::size_t, std::string> last_run_;        ///< by group: the run_id of its last row
};

TimesFile read_times_from(ByteSource& text, const std::string& name, const std::string& column) {
    if (std::find(time_columns.begin(), time_columns.end(), column) == time_columns.end())
        throw Refusal(
            tr("column = {} is not a column of times. Use one of {}.", column, join(time_columns, ", ")));
    TimesReader reader(name, column);
    try {
        for_each_csv_record(text, ',', [&](std::size_t line, const std::vector<std::string>& fields) {
            reader.read_record(line, fields);
        });
        return reader.finish();
    } catch (const ReadError&) {
        throw;
    } catch (const FileError& error) {
        throw FileError(fmt::format("{}: {}", quote_path(name), error.what()));
    }
}

Difference classify_difference(const Summary& b, const Summary& a) {
    if (a.confidence == 0 || b.confidence == 0) return Difference::unknown;
    if (are_overlapping(a, b)) return Difference::none;
    return b.median < a.median ? Difference::faster : Difference::slower;
}

std::vector<Summary> summarize_runs(const TimesFile::Group& group) {
    std::vector<Summary> runs;
    for (const std::vector<double>& times : group.runs)
        runs.push_back(summarize(times));
    return runs;
}

std::optional<double> estimate_drift(const TimesFile& a, const TimesFile& b) {
    constexpr double drift_quantile = 0.95;
    std::vector<double> drifts;
    for (const TimesFile* file : {&a, &b})
        for (const TimesFile::Group& group : file->groups)
            if (group.runs.size() > 1) drifts.push_back(estimate_drift(summarize_runs(group)));
    if (drifts.empty()) return std::nullopt;
    return quantile(drifts, drift_quantile);
}

Summary summarize_group(const TimesFile::Group& group, double drift) {
    // A run of one sample has no interval, so the samples of all runs are summarized as one series.
    if (std::ranges::any_of(group.runs, [](const auto& times) { return times.size() < 2; })) {
        std::vector<double> all;
        for (const std::vector<double>& times : group.runs)
            all.insert(all.end(), times.begin(), times.end());
        return summarize(all);
    }
    const Summary all = combine_runs(summarize_runs(group));
    return group.runs.size() > 1 ? all : widen_by_drift(all, drift);
}

ComparedGroup compare_groups(const TimesFile::Group& a, const TimesFile::Group& b, double drift) {
    ComparedGroup group{
        a.what, b.what.workgroup_count, summarize_group(a, drift), summarize_group(b, drift), {}, {}};
    if (!(group.a.low > 0) || !(group.b.low > 0)) return group;
    group.b_over_a = ratio(group.b, group.a);
    group.difference = classify_difference(group.b, group.a);
    return group;
}

MeasurementKey key_without_grid(MeasurementKey what) {
    what.workgroup_count = 0;
    return key_without_input_name(std::move(what));
}

using Matches = std::vector<std::optional<std::size_t>>;  ///< by group of a: the matching group of b

/// Matches the remaining groups whose keys, computed by `in`, are equal and unique in both files.
void match_groups(const TimesFile& a, const TimesFile& b, MeasurementKey (*in)(MeasurementKey),
                  Matches& matches, std::set<std::size_t>& unmatched_b) {
    std::map<MeasurementKey, std::vector<std::size_t>> candidates_a, candidates_b;
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (!matches[i]) candidates_a[in(a.groups[i].what)].push_back(i);
    for (const std::size_t j : unmatched_b)
        candidates_b[in(b.groups[j].what)].push_back(j);
    for (const auto& [what, groups_a] : candidates_a) {
        const auto groups_b = candidates_b.find(what);
        if (groups_a.size() != 1 || groups_b == candidates_b.end() || groups_b->second.size() != 1) continue;
        matches[groups_a.front()] = groups_b->second.front();
        unmatched_b.erase(groups_b->second.front());
    }
}

/// Two runs may differ in such a parameter and still do the same work.
bool is_launch_parameter(std::string_view parameter) {
    return parameter == key::workgroup_size.id || parameter == key::workgroup.id ||
           parameter == key::workgroup_count.id || parameter == key::grid.id;
}

std::string display_value(const Parameter& parameter, const Value& value) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    return count ? format_count(*count) : format(parameter, value);
}

std::string signed_percent(double part) {
    return (part < 0 ? "−" : "+") + format_significant(100 * std::fabs(part));
}

}  // namespace

std::string MeasurementKey::text() const {
    return tr("{} {}: {}, {} of {}{}{}", lesson, variant, counted(elements, "element", "elements"),
              counted(workgroup_count, "workgroup", "workgroups"), format_count(workgroup_size),
              parameters.empty() ? "" : ", ", parameters);
}

TimesFile parse_times(std::string_view text, const std::string& name, const std::string& column) {
    BytesInMemory bytes(text);
    return read_times_from(bytes, name, column);
}

TimesFile read_times(const std::filesystem::path& path, const std::string& column, FileProgress* progress) {
    InputFile file(path, max_text_bytes, progress);
    return read_times_from(file, path.string(), column);
}

FileComparison compare(const TimesFile& a, const TimesFile& b) {
    std::set<std::size_t> unmatched_b;
    for (std::size_t j = 0; j < b.groups.size(); ++j)
        unmatched_b.insert(j);
    Matches matches(a.groups.size());
    for (const auto in : {key_without_input_name, key_without_grid})
        match_groups(a, b, in, matches, unmatched_b);

    FileComparison comparison{.drift = estimate_drift(a, b)};
    for (std::size_t i = 0; i < a.groups.size(); ++i) {
        if (matches[i])
            comparison.groups.push_back(
                compare_groups(a.groups[i], b.groups[*matches[i]], comparison.drift.value_or(1)));
        else
            comparison.only_a.push_back(a.groups[i].what);
    }
    for (const std::size_t j : unmatched_b)
        comparison.only_b.push_back(b.groups[j].what);
    return comparison;
}

std::string explain_no_common_groups(const TimesFile& a, const TimesFile& b) {
    std::string text =
        tr("{} and {} have nothing in common to compare: they have {} and {} groups, and no two of them have "
           "the same lesson, variant, elements, workgroup size and parameters. ",
           quote_path(a.name), quote_path(b.name), a.groups.size(), b.groups.size());
    for (const TimesFile* file : {&a, &b})
        if (file->rows_not_ok + file->rows_without_time > 0)
            text +=
                tr("In {}, {} rows were skipped because their status is not ok, and {} because "
                   "this column is empty. ",
                   quote_path(file->name), format_count(file->rows_not_ok),
                   format_count(file->rows_without_time));
    return text + tr("Measure the same settings in both.");
}

DifferenceText describe_difference(const Ratio& r, Difference difference) {
    DifferenceText words;
    if (r.value > 0 && difference != Difference::unknown)
        words.percent = fmt::format("{} % ({} … {})", signed_percent(r.value - 1), signed_percent(r.low - 1),
                                    signed_percent(r.high - 1));
    else if (r.value > 0)
        words.percent = fmt::format("{} %", signed_percent(r.value - 1));
    switch (difference) {
        case Difference::none:
            words.verdict = tr("cannot be told apart");
            break;
        case Difference::faster:
            words.verdict = tr("faster");
            words.color_role = ColorRole::right;
            break;
        case Difference::slower:
            words.verdict = tr("slower");
            words.color_role = ColorRole::wrong;
            break;
        case Difference::unknown:
            words.verdict = tr("too few samples");
            break;
    }
    return words;
}

std::string grids_text(const ComparedGroup& group) {
    std::string words = format_count(group.what.workgroup_count);
    if (group.workgroup_count_b != group.what.workgroup_count)
        words += " / " + format_count(group.workgroup_count_b);
    return words;
}

std::string row_counts_text(const TimesFile& file) {
    std::string words = counted(file.rows, "row", "rows");
    if (file.rows_not_ok > 0)
        words += tr(", {} skipped because their status is not ok", format_count(file.rows_not_ok));
    if (file.rows_without_time > 0)
        words += tr(", {} skipped because this column is empty", format_count(file.rows_without_time));
    return words;
}

std::string comparison_summary_text(const FileComparison& comparison) {
    const auto count = [&](Difference difference) {
        return std::count_if(comparison.groups.begin(), comparison.groups.end(),
                             [&](const ComparedGroup& group) { return group.difference == difference; });
    };
    std::string words = tr("{}: b is faster in {} and slower in {}; {} cannot be told apart",
                           counted(comparison.groups.size(), "group", "groups"), count(Difference::faster),
                           count(Difference::slower), count(Difference::none));
    if (const auto unknown_count = count(Difference::unknown); unknown_count > 0)
        words += tr(", {} have too few samples", unknown_count);
    words += tr(
        ". The range in brackets follows from the 95 % intervals of both medians; if those overlap, the two "
        "cannot be told apart. ");
    return words +
           (comparison.drift
                ? tr("The same work differed by up to {} between its runs; the ranges "
                     "include this drift.",
                     format_percent(*comparison.drift - 1).text())
                : std::string(tr("No group was measured in two runs, so the ranges do not include the "
                                 "machine's drift between runs. Before you call one faster, measure a "
                                 "and b again in turn and concatenate the files: cat a1.csv a2.csv > "
                                 "a.csv.")));
}

std::optional<WorkMismatch> find_work_mismatch(const Experiment& here, const Experiment& there) {
    const Lesson* lesson = find_lesson(here);
    if (here.lesson != there.lesson || !lesson)
        return WorkMismatch{tr("another lesson"), tr("Not compared: that run belongs to another lesson.")};
    UserData numbers = there.input;
    numbers.name = here.input.name;
    if (here.input != numbers)
        return WorkMismatch{tr("another input"), tr("Not compared: that run had another input.")};
    const bool same_program =
        here.kernel ? here.kernel == there.kernel : !there.kernel && here.variant == there.variant;
    if (lesson->has_programs() && !same_program)
        return WorkMismatch{tr("another program"), tr("Not compared: that run used another program.")};
    for (const Parameter& parameter : lesson->parameters) {
        if (is_launch_parameter(parameter.id) || !there.values.contains(parameter.id)) continue;
        const Value &now = here.values.at(parameter.id), &then = there.values.at(parameter.id);
        if (now == then) continue;
        std::string name = parameter.label;
        if (name.size() > 1 && name[1] >= 'a') name[0] = static_cast<char>(std::tolower(name[0]));
        return WorkMismatch{tr("other {}", name),
                            tr("Not compared: {} was {} in that run and is {} here.", parameter.label,
                               display_value(parameter, then), display_value(parameter, now))};
    }
    return std::nullopt;
}

DifferenceText describe_difference(const Summary& b, const Summary& a) {
    if (!(a.median > 0) || !(b.median > 0)) return {"", tr("no time"), ColorRole::quiet};
    return describe_difference(ratio(b, a), classify_difference(b, a));
}

}  // namespace gridstride
