#include "present/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"
#include "base/units.h"
#include "present/report_csv.h"

namespace gridstride {

namespace {

constexpr std::string_view known_schema = "1";

/// What groups are told apart by: not by the name of an input of the person's own, for the same numbers may
/// stand in another file on another machine. Their checksum stays.
Measured without_input_name(Measured what) {
    const std::string name = fmt::format(";{}=", input_name_parameter);
    std::string parameters = ";" + what.parameters;
    if (const std::size_t begin = parameters.find(name); begin != std::string::npos)
        parameters.erase(begin, parameters.find(';', begin + 1) - begin);
    what.parameters = parameters.empty() ? "" : parameters.substr(1);
    return what;
}

/// Reads record by record; every complaint names the file and the line.
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
        if (columns_.empty()) fail("it is empty. Choose a CSV that this program wrote");
        return std::move(file_);
    }

 private:
    [[noreturn]] void fail(const std::string& what) const {
        throw FileError(fmt::format("{}: {}.", quoted_path(file_.name), what));
    }
    [[noreturn]] void fail_here(const std::string& what) const {
        fail(fmt::format("line {}: {}", line_, what));
    }

    void read_heading(const std::vector<std::string>& fields) {
        for (std::size_t i = 0; i < fields.size(); ++i)
            columns_.emplace(fields[i], i);
        heading_ = fields;
        for (const char* wanted :
             {"schema_version", "device_name", "driver_version", "is_cpu_device", "lesson", "variant",
              "elements", "workgroup_size", "workgroup_count", "parameters", "status", column_.c_str()})
            if (!columns_.contains(wanted))
                fail(
                    fmt::format("it has no column {}, so this program did not write it. Choose a CSV of "
                                "\"gridstride run\", \"gridstride sweep\" or the window",
                                wanted));
    }

    const std::string& field(const std::vector<std::string>& fields, const char* column) const {
        return fields[columns_.find(column)->second];
    }

    /// As it was before it went into the CSV; for terminals and JSON, whatever was done to the file.
    std::string text_in(const std::vector<std::string>& fields, const char* column) const {
        return printable(text_of_csv(field(fields, column)));
    }

    std::uint64_t count(const std::vector<std::string>& fields, const char* column) const {
        const std::string& text = field(fields, column);
        const auto value = number_in<std::uint64_t>(text);
        if (!value)
            fail_here(fmt::format("{} in column {} is not a whole number. Was the file changed by hand",
                                  quoted_text(text), column));
        return *value;
    }

    double time(const std::string& text) const {
        const auto value = number_in<double>(text);
        if (!value || !std::isfinite(*value) || *value < 0)
            fail_here(
                fmt::format("{} in column {} is not a time in nanoseconds. A spreadsheet may have saved it "
                            "with another decimal sign",
                            quoted_text(text), column_));
        return *value;
    }

    void read_row(const std::vector<std::string>& fields) {
        if (fields == heading_) return;
        if (fields.size() != heading_.size())
            fail_here(fmt::format("{} fields where the heading has {}. Was the file cut off", fields.size(),
                                  heading_.size()));
        if (const std::string& schema = field(fields, "schema_version"); schema != known_schema)
            fail_here(
                fmt::format("schema_version is {}, and this program reads {}. Use the program that wrote "
                            "it, or a newer one",
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
        file_.groups[known->second].times.push_back(nanoseconds);
    }

    std::string column_;
    TimesFile file_;
    std::size_t line_ = 0;
    std::vector<std::string> heading_;
    std::map<std::string, std::size_t, std::less<>> columns_;
    std::map<Measured, std::size_t> group_of_;  ///< without_input_name()
};

ComparedGroup compare_groups(const TimesFile::Group& a, const TimesFile::Group& b) {
    ComparedGroup group{
        a.what, b.what.workgroup_count, median_interval(a.times), median_interval(b.times), {}, {}};
    if (!(group.a.low > 0) || !(group.b.low > 0)) return group;
    group.b_over_a = ratio(group.b, group.a);
    if (group.a.confidence == 0 || group.b.confidence == 0)
        group.difference = Difference::unknown;
    else if (overlap(group.a, group.b))
        group.difference = Difference::none;
    else
        group.difference = group.b.median < group.a.median ? Difference::faster : Difference::slower;
    return group;
}

Measured without_grid(const Measured& measured) {
    Measured what = without_input_name(measured);
    what.workgroup_count = 0;
    return what;
}

using Matches = std::vector<std::optional<std::size_t>>;  ///< by a's group: b's

void match_by_grid_alone(const TimesFile& a, const TimesFile& b, Matches& matches,
                         std::set<std::size_t>& free_b) {
    std::map<Measured, std::vector<std::size_t>> left_a, left_b;
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (!matches[i]) left_a[without_grid(a.groups[i].what)].push_back(i);
    for (const std::size_t j : free_b)
        left_b[without_grid(b.groups[j].what)].push_back(j);
    for (const auto& [what, of_a] : left_a) {
        const auto of_b = left_b.find(what);
        if (of_a.size() != 1 || of_b == left_b.end() || of_b->second.size() != 1) continue;
        matches[of_a.front()] = of_b->second.front();
        free_b.erase(of_b->second.front());
    }
}

}  // namespace

std::string Measured::text() const {
    return fmt::format("{} {}: {} elements, {} of {}{}{}", lesson, variant, format_count(elements),
                       counted(workgroup_count, "workgroup"), format_count(workgroup_size),
                       parameters.empty() ? "" : ", ", parameters);
}

const std::vector<std::string>& time_columns() {
    static const std::vector<std::string> columns = {"upload_ns", "kernel_ns", "download_ns", "wall_ns",
                                                     "cpu_ns"};
    return columns;
}

TimesFile parse_times(std::string_view text, const std::string& name, const std::string& column) {
    const std::vector<std::string>& columns = time_columns();
    if (std::find(columns.begin(), columns.end(), column) == columns.end())
        throw Refusal(fmt::format("column = {}: this is no column of times. Give {}.", column,
                                  fmt::join(columns, ", ")));
    TimesReader reader(name, column);
    try {
        for_each_csv_record(text, ',', [&](std::size_t line, const std::vector<std::string>& fields) {
            reader.take(line, fields);
        });
    } catch (const FileError& error) {
        const std::string_view said = error.what();
        if (!said.starts_with("line ")) throw;
        throw FileError(fmt::format("{}: {}", quoted_path(name), said));
    }
    return reader.finish();
}

TimesFile read_times(const std::filesystem::path& path, const std::string& column) {
    return parse_times(read_file(path), path.string(), column);
}

FileComparison compare(const TimesFile& a, const TimesFile& b) {
    std::map<Measured, std::size_t> b_groups;
    std::set<std::size_t> free_b;
    for (std::size_t j = 0; j < b.groups.size(); ++j) {
        b_groups.emplace(without_input_name(b.groups[j].what), j);
        free_b.insert(j);
    }
    Matches matches(a.groups.size());
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (const auto same = b_groups.find(without_input_name(a.groups[i].what)); same != b_groups.end()) {
            matches[i] = same->second;
            free_b.erase(same->second);
        }
    match_by_grid_alone(a, b, matches, free_b);

    FileComparison comparison;
    for (std::size_t i = 0; i < a.groups.size(); ++i) {
        if (matches[i])
            comparison.groups.push_back(compare_groups(a.groups[i], b.groups[*matches[i]]));
        else
            comparison.only_a.push_back(a.groups[i].what);
    }
    for (const std::size_t j : free_b)
        comparison.only_b.push_back(b.groups[j].what);
    return comparison;
}

std::string nothing_in_common(const TimesFile& a, const TimesFile& b) {
    std::string text = fmt::format(
        "{} and {} have nothing in common to compare: {} and {} groups, none with "
        "the same lesson, variant, elements, workgroup size and parameters. ",
        quoted_path(a.name), quoted_path(b.name), a.groups.size(), b.groups.size());
    for (const TimesFile* file : {&a, &b})
        if (file->rows_not_ok + file->rows_without > 0)
            text += fmt::format(
                "Of {}, {} rows were left out because their status is not ok, and {} because "
                "they hold no such time. ",
                quoted_path(file->name), format_count(file->rows_not_ok), format_count(file->rows_without));
    return text + "Measure the same in both.";
}

}  // namespace gridstride
