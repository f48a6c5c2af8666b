#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "commands.h"
#include "csv_rows.h"
#include "lab/request.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "present/report_json.h"
#include "present/run_remarks.h"
#include "present/verdict_text.h"
#include "readers/npy.h"
#include "run_setup.h"
#include "standard_output.h"
#include "sweep/sweep_values.h"

namespace gridstride::app {

namespace {

void check_combination(const RunOptions& options) {
    if (options.variants.size() > 1 && !options.kernel.empty())
        throw Refusal("--kernel replaces the kernel of one variant. Name one variant.");
    if (options.variants.size() > 1 && !options.save_output.empty())
        throw Refusal("--save-output writes the output of one variant. Name one variant.");
    if (options.tuned && !options.kernel.empty())
        throw Refusal(
            "--tuned uses the launch that a sweep found for the lesson's own kernel, not for that of "
            "--kernel. "
            "Leave out one of them.");
}

/// Prints the kernel. A kernel that is generated for the plan depends on the values.
void print_kernel(const RunOptions& options) {
    const Variant& variant = *find_variant(*options.lesson, options.variants.front());
    if (options.variants.size() > 1)
        throw Refusal("--print-kernel prints the kernel of one variant. Name one variant.");
    if (options.json || !options.csv.empty() || !options.kernel.empty() || !options.save_input.empty() ||
        !options.save_output.empty())
        throw Refusal(
            "--print-kernel prints the variant's kernel and runs nothing. Leave out --kernel, --json, --csv, "
            "--save-input and --save-output.");
    if (!variant.kernel.empty())
        print("{}", read_shipped_kernel(variant.kernel).text);
    else if (const RunSetup setup = prepare_runs(options, options, options.tuned); setup.device)
        print("{}", setup.plan.main().source);
    else
        throw NoDevice(setup.no_device_reason);
}

std::set<std::string> inputs_of(const Plan& plan) {
    std::set<std::string> inputs;
    for (const Step& step : plan.steps) {
        if (const auto* upload = std::get_if<Upload>(&step)) inputs.insert(upload->input);
        if (const auto* host_step = std::get_if<HostStep>(&step))
            inputs.insert(host_step->reads.begin(), host_step->reads.end());
    }
    return inputs;
}

/// Returns the inputs of all variants, without those that only pictures and exercises have, of one type: that
/// of the lesson's first input, or if the variant has no such input, that of the variant's first one.
Input select_saved_input(const Input& input, const RunSetup& setup) {
    const std::set<std::string> own = inputs_of(setup.plan);
    std::set<std::string> input_names = own;
    for (const Variant& variant : find_lesson(setup.experiments.front())->variants) {
        Experiment experiment = setup.experiments.front();
        experiment.variant = variant.id;
        experiment.kernel.reset();
        input_names.merge(inputs_of(prepare(experiment, *setup.device).plan));
    }
    const auto is_own = [&](const NamedArray& one) { return own.contains(one.name); };
    ElementType type = input.front().array->type();
    const auto first = std::ranges::find_if(input, is_own);
    if (first != input.end() && std::ranges::none_of(input, [&](const NamedArray& one) {
            return is_own(one) && one.array->type() == type;
        }))
        type = first->array->type();
    Input selected;
    std::ranges::copy_if(input, std::back_inserter(selected), [&](const NamedArray& one) {
        return input_names.contains(one.name) && one.array->type() == type;
    });
    return selected.empty() ? input : selected;
}

std::string format_input_npy(const Input& input) {
    if (input.size() == 1) return format_npy(*input.front().array, input.front().width);
    std::vector<ArrayRef> arrays;
    for (const NamedArray& one : input)
        arrays.push_back(one.array);
    return format_npy(arrays);
}

/// Returns true if the array is present.
bool report_missing_array(bool is_present, const std::string& path, const char* what) {
    if (!is_present)
        print_status("{} is not written: the run ended before it had its {}.", quote_path(path), what);
    return is_present;
}

void save_input(const std::string& path, const Report& report, const RunSetup& setup) {
    if (!report_missing_array(!report.input.empty(), path, "input")) return;
    write_file(path, format_input_npy(select_saved_input(report.input, setup)));
}

void save_output(const std::string& path, const Report& report, const Plan& plan) {
    if (!report_missing_array(!report.outputs.empty(), path, "output")) return;
    const Array* const output = find(report.outputs, plan.main_output);
    if (!output) return;
    write_file(path,
               format_npy(*output, plan.main_output_rows > 1 ? output->count() / plan.main_output_rows : 0));
    if (std::ranges::any_of(report.compare.outputs, [&](const OutputVerdict& one) {
            return one.output == plan.main_output && one.unwritten > 0;
        }))
        print_status("{} has elements that were never written; their values are meaningless.",
                     quote_path(path));
}

Array remove_padding(const Array& array, const std::vector<std::uint64_t>& shape) {
    const std::uint64_t width = shape.empty() ? 1 : shape.back();
    std::uint64_t rows = 1;
    for (std::size_t i = 0; i + 1 < shape.size(); ++i)
        rows *= shape[i];
    Array all(array.type(), rows * width);
    const std::size_t bytes = all.bytes() / rows, padded_bytes = array.bytes() / rows;
    for (std::size_t row = 0; row < rows; ++row)
        std::ranges::copy(array.raw().subspan(row * padded_bytes, bytes),
                          all.raw().subspan(row * bytes).begin());
    return all;
}

/// Writes the files that a program saves. Reports nothing for a refused program, which never ran.
void save_files(const RunSetup& setup, const Report& report) {
    const std::vector<SavedArray>& files = setup.plan.files;
    if (report.outputs.empty() && !files.empty() && report.status != Status::refused)
        print_status("{} not written: the run ended before it had its outputs.",
                     files.size() == 1 ? quote_path(files.front().file) + " is"
                                       : counted(files.size(), "file") + " are");
    for (const SavedArray& saved : files) {
        const Array* const array = find(report.outputs, saved.array);
        if (!array) continue;
        const std::filesystem::path path =
            resolve_path_in_folder(setup.experiments.front().kernel->folder, saved.file);
        const bool may_be_padded = array->type() == ElementType::i8;
        const Array copy = may_be_padded ? remove_padding(*array, saved.shape) : Array();
        const Array& numbers = may_be_padded ? copy : *array;
        write_file(path, format_npy(numbers, saved.shape));
        print_status("Wrote {} of {} to {}.", counted(numbers.count(), "number"), saved.array,
                     quote_path(path));
    }
}

std::size_t row_label_width(const Report& report) {
    return std::max<std::size_t>(18, row_label(report.experiment).size());
}

void print_table_head(const Report& report) {
    print_heading(report);
    print("{:<{}} {:>9} {:>9} {:>11} {:>11} {:>12} {:>11} {:>11} {:>10} {:>9}  {}\n", "variant",
          row_label_width(report), "workgroup", "grid", "upload µs", "kernel µs", "download µs", "whole µs",
          "CPU µs", "GB/s", "of copy", "verdict");
}

std::string format_nonzero(std::uint64_t count) {
    return count > 0 ? format_count(count) : "";
}

std::string verdict_with_errors(const Report& report) {
    const std::string errors = describe_errors(report);
    return verdict_word(report) + (errors.empty() ? "" : ", " + errors);
}

void print_row(const Report& report) {
    const std::string& selection = report.experiment.input.selection;
    const auto fraction = report.fraction_of_copy_ceiling();
    print("{:<{}} {:>9} {:>9} {:>11} {:>11} {:>12} {:>11} {:>11} {:>10} {:>9}  {}{}{}\n",
          row_label(report.experiment), row_label_width(report),
          format_nonzero(report.launch.workgroup_size()), format_nonzero(report.launch.workgroup_count()),
          microseconds(report.timings.upload), microseconds(report.timings.kernel),
          microseconds(report.timings.download), microseconds(report.timings.wall),
          microseconds(report.timings.cpu),
          report.bytes_per_second() > 0 ? format_significant(report.bytes_per_second() / 1e9) : "",
          fraction ? format_percent(*fraction).text() : "", verdict_with_errors(report),
          report.timings.kernel.is_noisy ? " (noisy)" : "", selection.empty() ? "" : " · " + selection);
    flush_stdout();
}

void print_facts(const Report& report) {
    constexpr std::size_t max_numbers = 16;
    for (const Fact& fact : report.result) {
        std::string text;
        if (const auto* count = std::get_if<std::uint64_t>(&fact.value)) {
            text = format_count(*count);
        } else if (const auto* real = std::get_if<double>(&fact.value)) {
            text = format_significant(*real, 9);
            if (fact.uncertainty > 0) text += " ± " + format_significant(fact.uncertainty, 2);
        } else if (const auto& array = std::get<ArrayRef>(fact.value); array && !array->empty()) {
            for (std::size_t i = 0; i < std::min(array->count(), max_numbers); ++i)
                text += (i > 0 ? "  " : "") + format_significant(array->number(i), 12);
            if (array->count() > max_numbers)
                text += fmt::format("  … ({} in all)", format_count(array->count()));
        }
        if (!text.empty()) print("{}: {}\n", fact.label, text);
    }
    const Timings& timings = report.timings;
    if (timings.kernel.samples.empty()) return;
    if (const Summary kernel = timings.kernel.summary(); kernel.count > 1)
        print("kernel {}; 5th to 95th percentile {} to {}\n", describe_time(kernel),
              format_time(kernel.p5).text(), format_time(kernel.p95).text());
    print("{}; compile {}; {}\n", counted(timings.kernel.samples.size(), "sample"),
          format_time(timings.compile_ns).text(),
          counted(report.launch.dispatches, "dispatch", "dispatches"));
    for (const Remark& remark : measurement_remarks(report))
        print("{}\n", describe_remark(remark));
}

}  // namespace

int run_command(const RunOptions& options) {
    if (options.print_kernel) {
        print_kernel(options);
        return exit_success;
    }
    check_combination(options);
    lab::Sampling sampling = parse_sampling(options.samples);
    if (options.cache == "cold") sampling.cache = lab::Cache::cold;
    sampling.is_unbatched = options.is_unbatched;
    for (const std::string* path : {&options.save_input, &options.save_output}) {
        if (path->empty()) continue;
        require_writable(*path);
        report_partial_files(*path);
    }
    if (!options.csv.empty() && options.csv != "-") require_writable(options.csv);

    const std::vector<std::string>& variants = options.variants;
    RunSetup setup = prepare_runs(options, options, options.tuned);
    if (options.saves_files)
        for (const SavedArray& saved : setup.plan.files)
            require_writable(resolve_path_in_folder(setup.experiments.front().kernel->folder, saved.file));

    const bool table = !options.json && options.csv != "-";
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    CsvRowWriter rows(options.csv);
    bool all_saved = true;
    int code = exit_success;
    std::size_t measured_count = 0;
    bool input_saved = false;
    RunRemarks remarks;
    // The first variant is always run, so that an early stop has a report.
    for (std::size_t i = 0; i < variants.size() && (i == 0 || (setup.device && !is_interrupted())); ++i) {
        lab::Request request;
        request.sampling = sampling;
        const Report report = run_with_progress(setup, options, i, std::move(request));
        print_message(report);
        remarks.add(report);
        // A single run that launched nothing has no row; print_message() gave the reason.
        const bool has_row = table && (variants.size() > 1 || report.launch.workgroup_size() > 0);
        if (has_row && i == 0) print_table_head(report);
        if (has_row) print_row(report);
        if (has_row && variants.size() == 1) print_facts(report);
        if (options.json) all.push_back(to_json(report));
        rows.write(report);
        // The first variant may have ended before the input was generated.
        const bool is_last = i + 1 == variants.size();
        if (!options.save_input.empty() && !input_saved && (is_last || !report.input.empty())) {
            all_saved = try_save([&] { save_input(options.save_input, report, setup); }) && all_saved;
            input_saved = true;
        }
        if (!options.save_output.empty())
            all_saved = try_save([&] { save_output(options.save_output, report, setup.plan); }) && all_saved;
        if (options.saves_files) all_saved = try_save([&] { save_files(setup, report); }) && all_saved;
        // The first failure determines the exit code.
        if (code == exit_success) code = exit_code_for(report);
        ++measured_count;
    }
    all_saved = rows.finish() && all_saved;
    if (measured_count < variants.size()) {
        print_status("stopped after {} of {} variants.", measured_count, variants.size());
        if (code == exit_success) code = exit_lab_lost;
    }
    if (options.json) print("{}\n", variants.size() == 1 ? all.front().dump() : all.dump());
    remarks.print();
    return all_saved ? code : exit_file;
}

}  // namespace gridstride::app
