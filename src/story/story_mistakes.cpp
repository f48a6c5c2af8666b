#include "story/story_mistakes.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace gridstride {

namespace {

/// A device of the usual kind: what it allows, most allow.
Limits usual_device() {
    Limits limits;
    limits.subgroup_arithmetic = true;
    limits.subgroup_ballot = true;
    limits.float64 = true;
    return limits;
}

template <class T>
bool has(const T& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Walks a story's steps and gathers what is wrong, each with its place, and what a reader runs.
class Examination {
 public:
    Examination(const Lesson& lesson, const Story& story)
        : lesson_(lesson), story_(story), experiment_(default_experiment(lesson)) {
        for (const StoryStep& step : story_.steps) {
            step_ = &step;
            // A step's settings count as a whole, wherever in it they stand.
            for (const Block& block : step.blocks)
                if (const auto* set = std::get_if<SetBlock>(&block))
                    settings("set", set->settings, experiment_);
            experiments.push_back(experiment_);
            for (const Block& block : step.blocks)
                examine_block(block);
        }
    }

    std::vector<std::string> mistakes;
    std::vector<Experiment> experiments;

 private:
    void examine_block(const Block& block) {
        if (const auto* set = std::get_if<SetBlock>(&block))
            values("set", set->settings.front().line, experiment_);
        else if (const auto* predict = std::get_if<PredictBlock>(&block))
            runs(*predict);
        else if (const auto* kernel = std::get_if<KernelBlock>(&block))
            region(*kernel);
        else if (const auto* code = std::get_if<CodeBlock>(&block); code && !code->word.empty())
            say(code->line, code->word,
                "there is no such block: set, kernel, plot and predict are live, and plain code has no word "
                "behind its fence");
    }

    void runs(const PredictBlock& predict) {
        for (const std::vector<Setting>& run : predict.runs) {
            Experiment experiment = experiment_;
            settings("predict", run, experiment);
            values("predict", run.front().line, experiment);
            experiments.push_back(std::move(experiment));
        }
    }

    void settings(std::string_view block, const std::vector<Setting>& all, Experiment& experiment) {
        for (const Setting& setting : all)
            if (const auto reason = apply(lesson_, setting, experiment)) say(setting.line, block, *reason);
    }

    /// Together they may be refused where each alone is fine.
    void values(std::string_view block, std::size_t line, const Experiment& experiment) {
        for (const Remark& remark : prepare(lesson_, experiment, usual_device()).remarks)
            if (remark.severity == Severity::refusal) say(line, block, remark.text);
    }

    void region(const KernelBlock& kernel) {
        try {
            shown_kernel(story_, *step_, kernel);
        } catch (const StoryError& error) {
            mistakes.emplace_back(error.what());
        }
    }

    void say(std::size_t line, std::string_view block, std::string_view reason) {
        mistakes.push_back(
            mistake_in_story(story_.file, line, step_->title, fmt::format("{}: {}", block, reason)));
    }

    const Lesson& lesson_;
    const Story& story_;
    Experiment experiment_;
    const StoryStep* step_ = nullptr;
};

}  // namespace

std::vector<std::filesystem::path> story_files(const Lesson& lesson) {
    std::vector<std::filesystem::path> files;
    std::error_code none;
    for (const auto& entry :
         std::filesystem::directory_iterator(data_directory() / "lessons" / lesson.id, none)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with("story.") && name.ends_with(".md")) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

Story read_story_file(const std::filesystem::path& path) {
    return parse_story(without_byte_order_mark(read_file(path)),
                       path.lexically_relative(data_directory()).generic_string());
}

std::vector<std::string> mistakes_of(const Lesson& lesson, const Story& story) {
    return Examination(lesson, story).mistakes;
}

std::vector<std::string> unknown_names(const Story& story, const RunNames& known) {
    std::vector<std::string> mistakes;
    for (const StoryStep& step : story.steps) {
        const auto say = [&](std::size_t line, const std::string& reason) {
            mistakes.push_back(mistake_in_story(story.file, line, step.title, reason));
        };
        const auto need = [&](const RunMetric& metric) {
            if (!has(common_metrics, metric.metric) && !known.facts.contains(metric.metric))
                say(metric.line,
                    fmt::format("predict: no run of this lesson has a metric named {}: the facts "
                                "of its result are {}",
                                metric.metric, joined(known.facts, ", ")));
        };
        for (const Block& block : step.blocks) {
            if (const auto* plot = std::get_if<PlotBlock>(&block)) {
                if (!has(common_plots, plot->plot) && !known.plots.contains(plot->plot))
                    say(plot->line, fmt::format("plot: no run of this lesson draws a plot named {}: there "
                                                "are {}",
                                                plot->plot, joined(known.plots, ", ")));
            } else if (const auto* predict = std::get_if<PredictBlock>(&block)) {
                need(predict->value);
                if (predict->divided_by) need(*predict->divided_by);
            }
        }
    }
    return mistakes;
}

std::vector<Experiment> experiments_of(const Lesson& lesson, const Story& story) {
    return Examination(lesson, story).experiments;
}

}  // namespace gridstride
