#include "story/story_blocks.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace gridstride {

namespace {

std::vector<std::string_view> trimmed_parts(std::string_view text, char separator) {
    std::vector<std::string_view> parts = split(text, separator);
    for (std::string_view& part : parts)
        part = trimmed(part);
    return parts;
}

/// Reads one live block; every complaint names the block and the line that is read.
class BlockReader {
 public:
    BlockReader(std::string block, const FencePlace& place)
        : block_(std::move(block)), place_(place), line_(place.line) {}

    SetBlock set(std::string_view content) {
        SetBlock set;
        for (const std::string_view line : trimmed_parts(content, '\n')) {
            ++line_;
            if (!line.empty()) set.settings.push_back(setting(line));
        }
        line_ = place_.line;
        if (set.settings.empty()) fail("it sets nothing: write lines such as workgroup_size = 128");
        return set;
    }

    PredictBlock predict(std::string_view content) {
        PredictBlock predict;
        bool has_value = false;
        for (const std::string_view line : trimmed_parts(content, '\n')) {
            ++line_;
            if (line.empty()) continue;
            const std::size_t colon = line.find(':');
            if (colon == std::string_view::npos)
                fail(fmt::format("\"{}\" is not of the form keyword: text", line));
            const std::string_view keyword = trimmed(line.substr(0, colon));
            const std::string_view text = trimmed(line.substr(colon + 1));
            if (keyword == "question") {
                predict.question = text;
            } else if (keyword == "run") {
                predict.runs.emplace_back();
                for (const std::string_view part : trimmed_parts(text, ','))
                    predict.runs.back().push_back(setting(part));
            } else if (keyword == "value") {
                const auto terms = trimmed_parts(text, '/');
                if (terms.size() > 2) fail("a value is one metric, or one divided by another");
                predict.value = metric(terms[0]);
                if (terms.size() == 2) predict.divided_by = metric(terms[1]);
                has_value = true;
            } else if (keyword == "choice") {
                predict.choices.push_back(choice(text));
            } else if (keyword == "guess") {
                predict.guess = guess(text);
            } else {
                fail(fmt::format("\"{}\" is none of question, run, value, choice, guess", keyword));
            }
        }
        line_ = place_.line;
        if (predict.question.empty()) fail("it asks nothing: write question: …");
        if (!has_value) fail("no run decides it: write value: METRIC");
        if (predict.choices.empty() == !predict.guess) fail("give choices, or a guess, and not both");
        if (!predict.choices.empty() && predict.choices.back().when != PredictChoice::When::otherwise)
            fail("the last choice's condition is \"otherwise\", so that every result has an answer");
        const std::size_t runs = std::max<std::size_t>(predict.runs.size(), 1);
        if (predict.value.run > runs || (predict.divided_by && predict.divided_by->run > runs))
            fail(fmt::format("its value names a run that is not there: it has {}", runs));
        return predict;
    }

    [[noreturn]] void fail(const std::string& reason) const {
        throw StoryError(mistake_in_story(place_.file, line_, place_.step, block_ + ": " + reason));
    }

 private:
    Setting setting(std::string_view line) const {
        const std::size_t equals = line.find('=');
        if (equals == std::string_view::npos)
            fail(fmt::format("\"{}\" is not of the form name = value", line));
        return {std::string(trimmed(line.substr(0, equals))), std::string(trimmed(line.substr(equals + 1))),
                line_};
    }

    double number(std::string_view text) const {
        const auto value = number_in<double>(text);
        if (!value || !std::isfinite(*value)) fail(fmt::format("\"{}\" is not a finite number", text));
        return *value;
    }

    /// "kernel_ns" or "kernel_ns(2)".
    RunMetric metric(std::string_view text) const {
        const std::size_t open = text.find('(');
        if (open == std::string_view::npos) return {std::string(text), 1, line_};
        if (!text.ends_with(')')) fail(fmt::format("\"{}\" lacks a closing parenthesis", text));
        const double run = number(text.substr(open + 1, text.size() - open - 2));
        constexpr double most_runs = 1000;
        if (!(run >= 1 && run <= most_runs && run == std::floor(run)))
            fail(fmt::format("\"{}\" names no run: they are counted from 1", text));
        return {std::string(trimmed(text.substr(0, open))), static_cast<std::size_t>(run), line_};
    }

    /// "LABEL | CONDITION | AFTERWARDS"
    PredictChoice choice(std::string_view text) const {
        const auto parts = trimmed_parts(text, '|');
        if (parts.size() != 3) fail("a choice is LABEL | CONDITION | WHAT TO SAY AFTERWARDS");
        PredictChoice choice{std::string(parts[0]), {}, 0, std::string(parts[2])};
        if (parts[1] == "otherwise") {
            choice.when = PredictChoice::When::otherwise;
        } else if (parts[1].starts_with("below ")) {
            choice.when = PredictChoice::When::below;
            choice.bound = number(trimmed(parts[1].substr(6)));
        } else if (parts[1].starts_with("equals ")) {
            choice.when = PredictChoice::When::equals;
            choice.bound = number(trimmed(parts[1].substr(7)));
        } else {
            fail(fmt::format("\"{}\" is none of: below X, equals X, otherwise", parts[1]));
        }
        return choice;
    }

    /// "UNIT | within TOLERANCE | AFTERWARDS"
    PredictGuess guess(std::string_view text) const {
        const auto parts = trimmed_parts(text, '|');
        if (parts.size() != 3 || !parts[1].starts_with("within "))
            fail("a guess is UNIT | within TOLERANCE | WHAT TO SAY AFTERWARDS");
        return {std::string(parts[0]), number(trimmed(parts[1].substr(7))), std::string(parts[2])};
    }

    std::string block_;
    const FencePlace& place_;
    std::size_t line_;  ///< that is read; the fence's for what the whole block lacks
};

}  // namespace

Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place) {
    const std::string_view words = trimmed(info);
    const std::size_t space = words.find(' ');
    const std::string_view keyword = words.substr(0, space);
    const std::string_view argument =
        space == std::string_view::npos ? std::string_view{} : trimmed(words.substr(space));
    BlockReader reader(std::string(keyword), place);
    if (keyword == "set") return reader.set(content);
    if (keyword == "predict") return reader.predict(content);
    if (keyword == "kernel") {
        if (argument.empty()) reader.fail("name a shader: ```kernel reduction/tree_sequential.comp#tree");
        const std::size_t hash = argument.find('#');
        return KernelBlock{std::string(argument.substr(0, hash)),
                           hash == std::string_view::npos ? "" : std::string(argument.substr(hash + 1)),
                           place.line};
    }
    if (keyword == "plot") {
        if (argument.empty()) reader.fail("name a plot: ```plot partial_sums");
        return PlotBlock{std::string(argument), place.line};
    }
    return CodeBlock{std::string(content), std::string(keyword), place.line};
}

}  // namespace gridstride
