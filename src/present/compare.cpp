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
#include "base/text.h"
#include "base/units.h"
#include "lesson/lesson.h"
#include "present/report_csv.h"

namespace gridstride {

namespace {

constexpr std::string_view known_schema = "1";

/// Returns the key by which rows are grouped. It omits the file name of a user's input, because the same
/// numbers may have another name on another machine; their checksum remains.
Measured without_input_name(Measured what) {
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

    void take(std::size_t line, const std::vector<std::string>& fields) {
        line_ = line;
        if (fields.size() == 1 && fields[0].empty()) return;
        if (columns_.empty())
            read_heading(fields);
        else
            read_row(fields);
    }

    TimesFile finish() {
        if (columns_.empty()) throw FileError("the file is empty. Choose a CSV that Gridstride wrote.");
        return std::move(file_);
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw FileError(fmt::format("line {}: {}.", line_, what));
    }

    void read_heading(const std::vector<std::string>& fields) {
        for (std::size_t i = 0; i < fields.size(); ++i)
            columns_.emplace(fields[i], i);
        heading_ = fields;
        for (const char* wanted : {"schema_version", "run_id", "device_name", "driver_version",
                                   "is_cpu_device", "lesson", "variant", "elements", "workgroup_size",
                                   "workgroup_count", "parameters", "status", column_.c_str()})
            if (!columns_.contains(wanted))
                throw FileError(
                    fmt::format("it has no column {}, so Gridstride did not write it. Choose a CSV that "
                                "\"gridstride run\", \"gridstride sweep\" or the window saved.",
                                wanted));
    }

    const std::string& field(const std::vector<std::string>& fields, const char* column) const {
        return fields[columns_.find(column)->second];
    }

    /// Undoes the CSV escaping and makes the text safe for terminals and JSON, even if the file was altered.
    std::string text_in(const std::vector<std::string>& fields, const char* column) const {
        return printable(text_of_csv(field(fields, column)));
    }

    std::uint64_t count(const std::vector<std::string>& fields, const char* column) const {
        const std::string& text = field(fields, column);
        const auto value = number_in<std::uint64_t>(text);
        if (!value)
            fail(fmt::format("{} in column {} is not a whole number. The file may have been edited by hand",
                             quoted_text(text), column));
        return *value;
    }

    double time(const std::string& text) const {
        const auto value = number_in<double>(text);
        if (!value || !std::isfinite(*value) || *value < 0)
            fail(
                fmt::format("{} in column {} is not a time in nanoseconds. A spreadsheet may have saved it "
                            "with another decimal separator",
                            quoted_text(text), column_));
        return *value;
    }

    void read_row(const std::vector<std::string>& fields) {
        if (fields == heading_) return;
        if (fields.size() != heading_.size())
            fail(fmt::format("{} fields where the heading has {}. The file may be truncated", fields.size(),
                             heading_.size()));
        if (const std::string& schema = field(fields, "schema_version"); schema != known_schema)
            fail(
                fmt::format("schema_version is {}, but this version of Gridstride reads {}. Use the version "
                            "that wrote the file, or a newer one",
                            quoted_text(schema), known_schema));
        if (field(fields, "status") != "ok") {
            ++file_.rows_not_ok;
            return;
        }
        const std::string& text = field(fields, column_.c_str());
        if (text.empty()) {
            ++file_.rows_without;
            return;
        }
        const double nanoseconds = time(text);
        ++file_.rows;
        DeviceName device{text_in(fields, "device_name"), text_in(fields, "driver_version"),
                          field(fields, "is_cpu_device") == "true"};
        if (std::find(file_.devices.begin(), file_.devices.end(), device) == file_.devices.end())
            file_.devices.push_back(std::move(device));
        Measured what{text_in(fields, "lesson"),        text_in(fields, "variant"),
                      count(fields, "elements"),        count(fields, "workgroup_size"),
                      count(fields, "workgroup_count"), text_in(fields, "parameters")};
        const auto [known, is_new] = group_of_.try_emplace(without_input_name(what), file_.groups.size());
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
    std::map<Measured, std::size_t> group_of_;     ///< by without_input_name()
    std::map<std::size_t, std::string> last_run_;  ///< by group: the run_id of its last row
};

TimesFile times_in(ByteSource& text, const std::string& name, const std::string& column) {
    if (std::find(time_columns.begin(), time_columns.end(), column) == time_columns.end())
        throw Refusal(fmt::format("column = {} is not a column of times. Use one of {}.", column,
                                  joined(time_columns, ", ")));
    TimesReader reader(name, column);
    try {
        for_each_csv_record(text, ',', [&](std::size_t line, const std::vector<std::string>& fields) {
            reader.take(line, fields);
        });
        return reader.finish();
    } catch (const CannotRead&) {
        throw;
    } catch (const FileError& error) {
        throw FileError(fmt::format("{}: {}", quoted_path(name), error.what()));
    }
}

Difference difference_of(const Summary& b, const Summary& a) {
    if (a.confidence == 0 || b.confidence == 0) return Difference::unknown;
    if (overlap(a, b)) return Difference::none;
    return b.median < a.median ? Difference::faster : Difference::slower;
}

std::vector<Summary> summaries_of(const TimesFile::Group& group) {
    std::vector<Summary> runs;
    for (const std::vector<double>& times : group.runs)
        runs.push_back(summarize(times));
    return runs;
}

std::optional<double> drift_within(const TimesFile& a, const TimesFile& b) {
    constexpr double nearly_all = 0.95;
    std::vector<double> drifts;
    for (const TimesFile* file : {&a, &b})
        for (const TimesFile::Group& group : file->groups)
            if (group.runs.size() > 1) drifts.push_back(drift_of(summaries_of(group)));
    if (drifts.empty()) return std::nullopt;
    return quantile(drifts, nearly_all);
}

Summary over_runs_of(const TimesFile::Group& group, double drift) {
    // A run of one sample has no interval, so the samples of all runs are summarized as one series.
    if (std::ranges::any_of(group.runs, [](const auto& times) { return times.size() < 2; })) {
        std::vector<double> all;
        for (const std::vector<double>& times : group.runs)
            all.insert(all.end(), times.begin(), times.end());
        return summarize(all);
    }
    const Summary all = over_runs(summaries_of(group));
    return group.runs.size() > 1 ? all : with_drift(all, drift);
}

ComparedGroup compare_groups(const TimesFile::Group& a, const TimesFile::Group& b, double drift) {
    ComparedGroup group{a.what, b.what.workgroup_count, over_runs_of(a, drift), over_runs_of(b, drift), {},
                        {}};
    if (!(group.a.low > 0) || !(group.b.low > 0)) return group;
    group.b_over_a = ratio(group.b, group.a);
    group.difference = difference_of(group.b, group.a);
    return group;
}

Measured without_grid(Measured what) {
    what.workgroup_count = 0;
    return without_input_name(std::move(what));
}

using Matches = std::vector<std::optional<std::size_t>>;  ///< by group of a: the matching group of b

/// Matches the remaining groups whose keys, computed by `in`, are equal and unique in both files.
void match(const TimesFile& a, const TimesFile& b, Measured (*in)(Measured), Matches& matches,
           std::set<std::size_t>& free_b) {
    std::map<Measured, std::vector<std::size_t>> left_a, left_b;
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (!matches[i]) left_a[in(a.groups[i].what)].push_back(i);
    for (const std::size_t j : free_b)
        left_b[in(b.groups[j].what)].push_back(j);
    for (const auto& [what, of_a] : left_a) {
        const auto of_b = left_b.find(what);
        if (of_a.size() != 1 || of_b == left_b.end() || of_b->second.size() != 1) continue;
        matches[of_a.front()] = of_b->second.front();
        free_b.erase(of_b->second.front());
    }
}

/// Two runs may differ in such a parameter and still do the same work.
bool is_of_launch(std::string_view parameter) {
    return parameter == key::workgroup_size.id || parameter == key::workgroup.id ||
           parameter == key::workgroup_count.id || parameter == key::grid.id;
}

std::string shown_value(const Parameter& parameter, const Value& value) {
    const auto* count = std::get_if<std::uint64_t>(&value);
    return count ? format_count(*count) : format(parameter, value);
}

std::string signed_percent(double part) {
    return (part < 0 ? "−" : "+") + format_significant(100 * std::fabs(part));
}

}  // namespace

std::string Measured::text() const {
    return fmt::format("{} {}: {} elements, {} of {}{}{}", lesson, variant, format_count(elements),
                       counted(workgroup_count, "workgroup"), format_count(workgroup_size),
                       parameters.empty() ? "" : ", ", parameters);
}

TimesFile parse_times(std::string_view text, const std::string& name, const std::string& column) {
    BytesInMemory bytes(text);
    return times_in(bytes, name, column);
}

TimesFile read_times(const std::filesystem::path& path, const std::string& column, FileProgress* progress) {
    InputFile file(path, max_text_bytes, progress);
    return times_in(file, path.string(), column);
}

FileComparison compare(const TimesFile& a, const TimesFile& b) {
    std::set<std::size_t> free_b;
    for (std::size_t j = 0; j < b.groups.size(); ++j)
        free_b.insert(j);
    Matches matches(a.groups.size());
    for (const auto in : {without_input_name, without_grid})
        match(a, b, in, matches, free_b);

    FileComparison comparison{.drift = drift_within(a, b)};
    for (std::size_t i = 0; i < a.groups.size(); ++i) {
        if (matches[i])
            comparison.groups.push_back(
                compare_groups(a.groups[i], b.groups[*matches[i]], comparison.drift.value_or(1)));
        else
            comparison.only_a.push_back(a.groups[i].what);
    }
    for (const std::size_t j : free_b)
        comparison.only_b.push_back(b.groups[j].what);
    return comparison;
}

std::string nothing_in_common(const TimesFile& a, const TimesFile& b) {
    std::string text = fmt::format(
        "{} and {} have nothing in common to compare: they have {} and {} groups, and no two of them have "
        "the same lesson, variant, elements, workgroup size and parameters. ",
        quoted_path(a.name), quoted_path(b.name), a.groups.size(), b.groups.size());
    for (const TimesFile* file : {&a, &b})
        if (file->rows_not_ok + file->rows_without > 0)
            text += fmt::format(
                "In {}, {} rows were skipped because their status is not ok, and {} because "
                "this column is empty. ",
                quoted_path(file->name), format_count(file->rows_not_ok), format_count(file->rows_without));
    return text + "Measure the same settings in both.";
}

DifferenceWords difference_words(const Ratio& r, Difference difference) {
    DifferenceWords words;
    if (r.value > 0 && difference != Difference::unknown)
        words.percent = fmt::format("{} % ({} … {})", signed_percent(r.value - 1), signed_percent(r.low - 1),
                                    signed_percent(r.high - 1));
    else if (r.value > 0)
        words.percent = fmt::format("{} %", signed_percent(r.value - 1));
    switch (difference) {
        case Difference::none:
            words.verdict = "cannot be told apart";
            break;
        case Difference::faster:
            words.verdict = "faster";
            words.ink = Ink::right;
            break;
        case Difference::slower:
            words.verdict = "slower";
            words.ink = Ink::wrong;
            break;
        case Difference::unknown:
            words.verdict = "too few samples";
            break;
    }
    return words;
}

std::string grids_in_words(const ComparedGroup& group) {
    std::string words = format_count(group.what.workgroup_count);
    if (group.workgroup_count_b != group.what.workgroup_count)
        words += " / " + format_count(group.workgroup_count_b);
    return words;
}

std::string rows_in_words(const TimesFile& file) {
    std::string words = counted(file.rows, "row");
    if (file.rows_not_ok > 0)
        words += fmt::format(", {} skipped because their status is not ok", format_count(file.rows_not_ok));
    if (file.rows_without > 0)
        words += fmt::format(", {} skipped because this column is empty", format_count(file.rows_without));
    return words;
}

std::string summary_in_words(const FileComparison& comparison) {
    const auto count = [&](Difference wanted) {
        return std::count_if(comparison.groups.begin(), comparison.groups.end(),
                             [&](const ComparedGroup& group) { return group.difference == wanted; });
    };
    std::string words = fmt::format("{}: b is faster in {} and slower in {}; {} cannot be told apart",
                                    counted(comparison.groups.size(), "group"), count(Difference::faster),
                                    count(Difference::slower), count(Difference::none));
    if (const auto unknown = count(Difference::unknown); unknown > 0)
        words += fmt::format(", {} have too few samples", unknown);
    words +=
        ". The range in brackets follows from the 95 % intervals of both medians; if those overlap, the two "
        "cannot be told apart. ";
    return words + (comparison.drift
                        ? fmt::format("The same work differed by up to {} between its runs; the ranges "
                                      "include this drift.",
                                      format_percent(*comparison.drift - 1).text())
                        : std::string("No group was measured in two runs, so the ranges do not include the "
                                      "machine's drift between runs. Before you call one faster, measure a "
                                      "and b again in turn and concatenate the files: cat a1.csv a2.csv > "
                                      "a.csv."));
}

std::optional<OtherWork> other_work(const Experiment& here, const Experiment& there) {
    const Lesson* lesson = find_lesson(here);
    if (here.lesson != there.lesson || !lesson)
        return OtherWork{"another lesson", "Not compared: that run belongs to another lesson."};
    UserData numbers = there.input;
    numbers.name = here.input.name;
    if (here.input != numbers) return OtherWork{"another input", "Not compared: that run had another input."};
    const bool same_program =
        here.kernel ? here.kernel == there.kernel : !there.kernel && here.variant == there.variant;
    if (lesson->has_programs() && !same_program)
        return OtherWork{"another program", "Not compared: that run used another program."};
    for (const Parameter& parameter : lesson->parameters) {
        if (is_of_launch(parameter.id) || !there.values.contains(parameter.id)) continue;
        const Value &now = here.values.at(parameter.id), &then = there.values.at(parameter.id);
        if (now == then) continue;
        std::string name = parameter.label;
        if (name.size() > 1 && name[1] >= 'a') name[0] = static_cast<char>(std::tolower(name[0]));
        return OtherWork{"other " + name,
                         fmt::format("Not compared: {} was {} in that run and is {} here.", parameter.label,
                                     shown_value(parameter, then), shown_value(parameter, now))};
    }
    return std::nullopt;
}

DifferenceWords difference_words(const Summary& b, const Summary& a) {
    if (!(a.median > 0) || !(b.median > 0)) return {"", "no time", Ink::quiet};
    return difference_words(ratio(b, a), difference_of(b, a));
}

}  // namespace gridstride
