#include "story/story_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

#include "base/error.h"
#include "base/file.h"
#include "base/suggest_name.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/kernel_file.h"
#include "lesson/metrics.h"
#include "lesson/trace_metrics.h"
#include "story/feedback.h"
#include "story/front_matter.h"
#include "story/glossary.h"

namespace gridstride {

namespace {

/// A typical device: what it allows, most devices allow. On GPUs, bindings may have 4 GiB less one byte.
Limits typical_device(bool is_cpu = true) {
    Limits limits;
    limits.is_cpu = is_cpu;
    if (!is_cpu) {
        limits.max_binding_bytes = (std::uint64_t{4} << 30) - 1;
        limits.memory_bytes = std::uint64_t{8} << 30;
    }
    limits.storage16 = true;
    limits.subgroup_arithmetic = true;
    limits.subgroup_ballot = true;
    limits.float64 = true;
    return limits;
}

template <class T>
bool has(const T& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Returns true for a label that only compares, such as "less time" or "about as fast", and gives no reason
/// to think so.
bool is_bare_comparison(std::string_view label) {
    static const std::set<std::string_view> comparing = {
        "less",    "more",    "same",    "fewer",   "faster", "slower", "longer",
        "shorter", "higher",  "lower",   "larger",  "equal",  "bigger", "better",
        "worse",   "smaller", "equally", "quicker", "as",     "greater"};
    static const std::set<std::string_view> filling = {
        "the",    "a",    "an",      "about",  "it",      "is",   "takes",  "time",
        "times",  "work", "much",    "lot",    "long",    "fast", "slow",   "bit",
        "little", "very", "nearly",  "of",     "roughly", "well", "than",   "that",
        "before", "or",   "exactly", "almost", "and",     "far",  "clearly"};
    std::string words = to_lower(std::string(label));
    std::replace_if(
        words.begin(), words.end(), [](unsigned char c) { return c < 0x80 && std::isalnum(c) == 0; }, ' ');
    bool compares = false;
    for (const std::string_view word : split(words, ' ')) {
        if (word.empty() || filling.contains(word)) continue;
        if (!comparing.contains(word)) return false;
        compares = true;
    }
    return compares;
}

/// Walks through a story's steps and collects errors with their place, and the experiments that a reader
/// runs.
class StoryChecker {
 public:
    StoryChecker(const Lesson& lesson, const Story& story)
        : lesson_(lesson), story_(story), experiment_(default_experiment(lesson)) {
        if (const auto missing_names = missing_fields(story.head); !missing_names.empty())
            errors.push_back(format_story_error(story.file, 1, "",
                                                fmt::format("front matter: it lacks {}: write lines such as "
                                                            "place: 2 between two lines of --- at the top",
                                                            join(missing_names, ", "))));
        for (const StoryStep& step : story_.steps) {
            step_ = &step;
            if (step.id.starts_with(missing_id_prefix))
                errors.push_back(format_story_error(
                    story.file, step.line, step.title,
                    "it has no id: write a line such as <!-- id: who_adds --> below its heading"));
            else if (!step_ids_.insert(step.id).second)
                errors.push_back(format_story_error(
                    story.file, step.line, step.title,
                    fmt::format("an earlier step already has the id {}", quote_text(step.id))));
            // A step's settings apply as a whole, wherever they are in the step.
            for (const Block& block : step.blocks)
                if (const auto* set = std::get_if<SetBlock>(&block))
                    settings("set", set->settings, experiment_);
            experiments.push_back(experiment_);
            for (const Block& block : step.blocks)
                check_block(block);
            for (const TermLink& use : step.terms)
                term(use.name, use.line);
        }
    }

    std::vector<std::string> errors;
    std::vector<Experiment> experiments;

 private:
    void check_block(const Block& block) {
        if (const auto* set = std::get_if<SetBlock>(&block))
            check_set(*set);
        else if (const auto* predict = std::get_if<PredictBlock>(&block))
            check_predict(*predict);
        else if (const auto* make = std::get_if<MakeBlock>(&block))
            check_make(*make);
        else if (const auto* kernel = std::get_if<KernelBlock>(&block))
            check_region(*kernel);
        else if (const auto* inside = std::get_if<InsideBlock>(&block))
            kernel_line("inside", inside->line, experiment_.variant, inside->kernel_line);
        else if (const auto* code = std::get_if<CodeBlock>(&block); code && !code->word.empty())
            add_error(
                code->line, code->word,
                "there is no such block: use set, kernel, plot, inside, predict or make, or no word after "
                "the fence for plain code");
    }

    void check_set(const SetBlock& set) {
        values("set", set.settings.empty() ? set.line : set.settings.front().line, experiment_);
        for (const std::string& name : set.show.value_or(std::vector<std::string>{}))
            if (name != "variant" && !find(lesson_.parameters, name))
                add_error(set.line, "set",
                          fmt::format("show: {} has no parameter named {}.", lesson_.id, quote_text(name)));
    }

    void check_id(std::string_view block, const std::string& id, std::size_t line) {
        if (id.starts_with(missing_id_prefix))
            add_error(line, block, "it has no id: write a line such as id: who_adds");
        else if (!ids_.insert(id).second)
            add_error(line, block,
                      fmt::format("an earlier question or exercise already has the id {}", quote_text(id)));
    }

    void check_predict(const PredictBlock& predict) {
        check_id("predict", predict.id, predict.line);
        runs(predict);
        for (const PredictChoice& choice : predict.choices) {
            if (is_bare_comparison(choice.label))
                add_error(
                    choice.line, "predict",
                    fmt::format("the choice {} gives no reason: write why it might be so, such as \"the "
                                "same: both do 1 023 additions\"",
                                quote_text(choice.label)));
            if (choice.why.empty() && predict.choices.size() > 1 && !predict.is_by_chance)
                add_error(
                    choice.line, "predict",
                    fmt::format("the choice {} has no why: …; write below it what the choice overlooks, for "
                                "users who chose it wrongly",
                                quote_text(choice.label)));
        }
        for (const auto& [text, line] : feedback_texts(predict)) {
            for (const std::string& complaint : find_placeholder_errors(text, predict))
                add_error(line, "predict", complaint);
            terms_in(text, line);
        }
        terms_in(predict.question, predict.line);
    }

    void check_make(const MakeBlock& make) {
        const auto complain = [&](const std::string& reason) { add_error(make.line, "make", reason); };
        check_id("make", make.id, make.line);
        if (find_make_block(*step_) != &make || !question_blocks(*step_).empty())
            complain(
                "a step has at most one exercise, and no question beside it: give the exercise a step of its "
                "own");
        if (make.hints.size() != 3)
            complain(fmt::format("it has {}: write three, the last of which nearly gives the solution away",
                                 counted(make.hints.size(), "hint")));
        Experiment step_experiment = experiment_;
        if (!make.exercise.empty()) {
            if (!find_exercise(lesson_, make.exercise))
                complain(fmt::format("{} has no exercise named {}", lesson_.id, quote_text(make.exercise)));
            else
                step_experiment.variant = make.exercise;
        }
        for (const std::string& name : make.parameters_to_find)
            if (name != "variant" && !find(lesson_.parameters, name))
                complain(fmt::format("find: {} has no parameter named {}.", lesson_.id, quote_text(name)));
        for (const std::string& hint : make.hints)
            terms_in(hint, make.line);
        for (const MakeRequirement& one : make.requirements) {
            Experiment run = step_experiment;
            settings("make", one.settings, run);
            values("make", one.line, run);
            experiments.push_back(run);
            if (one.against.empty()) continue;
            settings("make", one.against, run);
            values("make", one.line, run);
            experiments.push_back(std::move(run));
        }
    }

    struct Text {
        std::string_view text;
        std::size_t line;
    };
    static std::vector<Text> feedback_texts(const PredictBlock& predict) {
        std::vector<Text> texts;
        const auto add = [&](const Feedback& feedback, std::size_t line) {
            texts.push_back({feedback.sentence, line});
            for (const Cause& cause : feedback.causes)
                texts.push_back({cause.sentence, cause.what.value.line});
            texts.push_back({feedback.neutral, line});
        };
        for (const PredictChoice& choice : predict.choices) {
            add(choice.feedback, choice.line);
            texts.push_back({choice.why, choice.line});
        }
        if (predict.guess)
            for (const PredictGuess::CommonGuess& near : predict.guess->common_guesses)
                texts.push_back({near.sentence, predict.line});
        add(predict.after, predict.line);
        return texts;
    }

    void terms_in(std::string_view text, std::size_t line) {
        for (const Span& span : parse_inline(text))
            if (const std::string_view name = linked_term(span); !name.empty()) term(name, line);
    }
    void term(std::string_view name, std::size_t line) {
        if (!find_term(glossary(), name))
            add_error(
                line, "term",
                fmt::format("the glossary has no entry {}: write one in assets/glossary.md, or name one that "
                            "it has, such as [they](term:invocation)",
                            quote_text(name)));
    }

    void runs(const PredictBlock& predict) {
        const auto check = [&](const std::vector<std::vector<Setting>>& runs, bool is_cpu) {
            std::vector<Experiment> deciding(predict.run_count(), experiment_);
            for (std::size_t i = 0; i < runs.size(); ++i) {
                settings("predict", runs[i], deciding[i]);
                values("predict", runs[i].front().line, deciding[i], is_cpu);
            }
            for_each_metric(predict, [&](const RunMetric& metric) {
                for (const trace::SourceLine& line : parse_metric_lines(metric.metric))
                    kernel_line("predict", metric.line, deciding[metric.run - 1].variant, line);
            });
            return deciding;
        };
        // Those for a GPU may take minutes on a software device.
        if (!predict.gpu_runs.empty()) check(predict.gpu_runs, false);
        const std::vector<Experiment> deciding = check(predict.runs, true);
        if (!predict.runs.empty()) experiments.insert(experiments.end(), deciding.begin(), deciding.end());
    }

    /// Returns the kernel itself, or the file of this name that it includes, directly or indirectly; empty if
    /// there is none.
    static std::string find_included_file(const std::string& kernel, std::string_view name) {
        std::vector<std::string> files{kernel};
        for (std::size_t i = 0; i < files.size(); ++i) {
            const std::filesystem::path file = files[i];
            if (name.empty() || file.filename() == name) return files[i];
            const std::string source = read_file(kernel_path(file));
            for (const std::string_view line : split(source, '\n')) {
                if (!line.starts_with("#include \"")) continue;
                const std::string_view included =
                    line.substr(line.find('"') + 1, line.rfind('"') - line.find('"') - 1);
                // Search as the compiler does: beside the including file, then below shaders/.
                std::string beside = (file.parent_path() / included).generic_string();
                if (!std::filesystem::exists(kernel_path(beside))) beside = included;
                if (std::ranges::find(files, beside) == files.end()) files.push_back(std::move(beside));
            }
        }
        return {};
    }

    void kernel_line(std::string_view block, std::size_t story_line, const std::string& variant,
                     const trace::SourceLine& at) {
        const Variant* const row = find_variant(lesson_, variant);
        if (!row) return;
        try {
            const std::string file = find_included_file(row->kernel, at.file);
            if (file.empty())
                return add_error(
                    story_line, block,
                    fmt::format("{} includes no {}: name one of its files", row->kernel, at.file));
            const std::string source = read_file(kernel_path(file));
            const std::vector<std::string_view> lines = split(source, '\n');
            const std::string_view text = at.line <= lines.size() ? trim(lines[at.line - 1]) : "";
            if (text.empty() || text.starts_with("//") || text.starts_with('#'))
                add_error(
                    story_line, block,
                    fmt::format("there is no statement at line {} of {}, which has {}: name a line that "
                                "accesses memory or waits at a barrier",
                                at.line, file, counted(lines.size(), "line")));
        } catch (const FileError& error) {
            add_error(story_line, block, error.what());
        }
    }

    void settings(std::string_view block, const std::vector<Setting>& all, Experiment& experiment) {
        for (const Setting& setting : all)
            if (const auto reason = apply(lesson_, setting, experiment))
                add_error(setting.line, block, *reason);
    }

    /// Checks values together: a combination may be refused although each value is allowed.
    void values(std::string_view block, std::size_t line, const Experiment& experiment, bool is_cpu = true) {
        for (const Remark& remark : prepare(lesson_, experiment, typical_device(is_cpu)).remarks)
            if (remark.severity == Severity::refusal) add_error(line, block, remark.text);
    }

    void check_region(const KernelBlock& kernel) {
        // A kernel that a lesson's folder lacks is one error, of its lesson.toml.
        const bool is_missing = lesson_.files && !lesson_.files->find_text(kernel.file);
        const std::filesystem::path path = std::filesystem::path(lesson_.folder) / kernel.file;
        if (is_missing && list_kernel_files(lesson_).contains(path.string())) return;
        try {
            kernel_excerpt(lesson_, story_, *step_, kernel);
        } catch (const StoryError& error) {
            errors.emplace_back(error.what());
        }
    }

    void add_error(std::size_t line, std::string_view block, std::string_view reason) {
        errors.push_back(
            format_story_error(story_.file, line, step_->title, fmt::format("{}: {}", block, reason)));
    }

    const Lesson& lesson_;
    const Story& story_;
    Experiment experiment_;
    const StoryStep* step_ = nullptr;
    std::set<std::string> step_ids_, ids_;
};

}  // namespace

std::vector<std::string> find_story_errors(const Lesson& lesson, const Story& story) {
    return StoryChecker(lesson, story).errors;
}

std::vector<std::string> find_missing_stories(const Lesson& lesson) {
    std::set<std::string> names = {""}, english;
    for (const StoryFile& file : story_files(lesson)) {
        names.insert(file.name);
        if (file.language == "en") english.insert(file.name);
    }
    std::vector<std::string> errors;
    for (const std::string& name : names)
        if (!english.contains(name)) {
            const std::string file = name.empty() ? "story.en.md" : fmt::format("story.{}.en.md", name);
            errors.push_back(fmt::format(
                "{}:1: {} has no {}: every story needs an English file, which is shown for languages without "
                "one. Add it.",
                printable((story_folder(lesson) / file).string()), lesson.id, file));
        }
    return errors;
}

namespace {

/// Returns the ids of each step: its own, then those of its questions and its exercise.
std::vector<std::vector<std::string>> collect_ids(const Story& story) {
    std::vector<std::vector<std::string>> ids;
    for (const StoryStep& step : story.steps) {
        std::vector<std::string>& step_ids = ids.emplace_back();
        step_ids.push_back(step.id);
        for (const std::size_t block : question_blocks(step))
            step_ids.push_back(get_question(step, block).id);
        if (const MakeBlock* const make = find_make_block(step)) step_ids.push_back(make->id);
    }
    return ids;
}

}  // namespace

std::vector<std::string> find_shared_ids(const Lesson& lesson) {
    std::map<std::string, std::string> file_of_id;
    std::vector<std::string> errors;
    for (const StoryFile& file : story_files(lesson)) {
        if (file.language != "en") continue;
        Story story;
        try {
            story = read_story_file(file.path);
        } catch (const std::runtime_error&) {
            continue;  // reported where the story is checked
        }
        const std::vector<std::vector<std::string>> ids = collect_ids(story);
        for (std::size_t i = 0; i < ids.size(); ++i)
            for (const std::string& id : ids[i]) {
                const auto [first, is_new] = file_of_id.try_emplace(id, story.file);
                if (is_new || first->second == story.file) continue;
                errors.push_back(format_story_error(
                    story.file, story.steps[i].line, story.steps[i].title,
                    fmt::format("{} has the id {}, too: all stories of a lesson need different ids",
                                first->second, quote_text(id))));
            }
    }
    return errors;
}

std::vector<std::string> find_id_differences(const Story& story, const Story& english) {
    const auto here = collect_ids(story), there = collect_ids(english);
    std::vector<std::string> errors;
    for (std::size_t i = 0; i < std::max(here.size(), there.size()); ++i) {
        if (i < here.size() && i < there.size() && here[i] == there[i]) continue;
        errors.push_back(format_story_error(
            story.file, i < here.size() ? story.steps[i].line : 1,
            i < here.size() ? story.steps[i].title : "",
            fmt::format(
                "step {} has {}, but the English story has {}: the ids must be the same in all languages",
                i + 1, i < here.size() ? "the ids " + join(here[i], ", ") : "no ids",
                i < there.size() ? join(there[i], ", ") : "none")));
    }
    return errors;
}

std::vector<std::string> find_unknown_names(const Story& story, const RunNames& known) {
    std::vector<std::string> errors;
    std::vector<std::string> plots(known.plots.begin(), known.plots.end()),
        metrics(known.facts.begin(), known.facts.end());
    plots.insert(plots.end(), std::begin(common_plots), std::end(common_plots));
    metrics.insert(metrics.end(), std::begin(common_metrics), std::end(common_metrics));
    metrics.insert(metrics.end(), std::begin(trace_metric_names), std::end(trace_metric_names));
    const auto has_plot = [&](const std::string& plot) {
        return has(common_plots, plot) || known.plots.contains(plot);
    };
    const auto no_plot = [&](const std::string& plot) {
        return fmt::format(
            "no run of this lesson draws a plot named {}: {}.{}", plot,
            known.plots.empty() ? "it draws none of its own" : "there are " + join(known.plots, ", "),
            suggest_name(plot, plots));
    };
    if (!story.head.picture.empty() && !has_plot(story.head.picture))
        errors.push_back(
            format_story_error(story.file, 1, "", "front matter: " + no_plot(story.head.picture)));
    for (const StoryStep& step : story.steps) {
        const auto add_error = [&](std::size_t line, const std::string& reason) {
            errors.push_back(format_story_error(story.file, line, step.title, reason));
        };
        const auto need = [&](const RunMetric& metric) {
            if (!has(common_metrics, metric.metric) && !is_trace_metric(metric.metric) &&
                !known.facts.contains(metric.metric))
                add_error(metric.line,
                          fmt::format("no run of this lesson has a metric named {}: {}.{}", metric.metric,
                                      known.facts.empty()
                                          ? "its result has no facts"
                                          : "the facts of its result are " + join(known.facts, ", "),
                                      suggest_name(metric.metric, metrics)));
        };
        for (const Block& block : step.blocks) {
            if (const auto* shown = std::get_if<PlotBlock>(&block)) {
                for (const std::string& plot : shown->plots)
                    if (!has_plot(plot)) add_error(shown->line, "plot: " + no_plot(plot));
            } else if (const auto* predict = std::get_if<PredictBlock>(&block)) {
                for_each_metric(*predict, need);
            } else if (const auto* make = std::get_if<MakeBlock>(&block)) {
                for (const MakeRequirement& one : make->requirements) {
                    if (one.what) need(one.what->value);
                    if (one.what && one.what->divided_by) need(*one.what->divided_by);
                }
            }
        }
    }
    return errors;
}

std::vector<Experiment> collect_experiments(const Lesson& lesson, const Story& story) {
    return StoryChecker(lesson, story).experiments;
}

}  // namespace gridstride
