// What the lines of a program say, one after another.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "lesson/user_data.h"
#include "playground/playground.h"
#include "playground/words.h"
#include "tensor/expected.h"

namespace gridstride::lessons::playground {

using tensor::Place;
using tensor::Tensor;

namespace {

/// Of lines that belong to none.
constexpr const char* unknown_model = "model";

/// Of the language. A text says for which it is written, so that what changes later misleads nobody.
constexpr double version = 1;

Extent extent_of(const tensor::Shape& shape) {
    if (shape.size() > 3)
        throw Refusal(fmt::format("{} has {} extents; a workgroup and a grid have up to 3, x first.",
                                  tensor::text_of(shape), shape.size()));
    const auto along = [&](std::size_t i) { return i < shape.size() ? shape[i] : 0; };
    return {along(0), along(1), along(2)};
}

class Meaning {
 public:
    Meaning(const KernelSource& source, const Values& values)
        : source_(source), values_(values), wrong_(source.name) {}

    std::unique_ptr<Program> program() && {
        const std::vector<Line> lines = lines_of(source_.text, wrong_);
        if (begins_well(lines)) {
            for (std::size_t i = 1; i < lines.size(); ++i)
                take(lines[i]);
            end(lines.back().number);
        }
        if (wrong_.any()) throw WrongProgram(std::move(wrong_).by_line());
        return std::move(program_);
    }

 private:
    /// What begins otherwise is no program, and nothing more is said of it.
    bool begins_well(const std::vector<Line>& lines) {
        const auto is = [&](std::size_t word, std::string_view text) {
            return lines[0].words.size() > word && lines[0].words[word].text == text;
        };
        const std::string header = fmt::format("gridstride playground {}", version);
        std::string sentence;
        if (lines.empty() || !is(0, "gridstride") || !is(1, "playground"))
            sentence = fmt::format("A program begins with the line \"{}\". Write it first.", header);
        else if (lines[0].words.size() != 3 || lines[0].words[2].number != version)
            sentence = fmt::format(
                "Its first line asks for another version of the language than {}, which is the one that "
                "there is. Write \"{}\".",
                version, header);
        if (sentence.empty()) return true;
        wrong_ = Wrong(source_.name);
        wrong_.add(lines.empty() ? 1 : lines[0].number, std::move(sentence));
        return false;
    }

    void take(const Line& line) {
        if (line.is_wrong) return spoil(line);
        is_hopeless_ = false;
        try {
            Cursor words(line);
            statement(words, line);
            words.require_end();
            if (is_hopeless_) spoil(line);
        } catch (const std::runtime_error& refused) {  // Refusal, or FileError of a name
            wrong_.add(line.number, refused.what());
            spoil(line);
        }
    }

    /// It should have been made by a line that is wrong: what follows from that needs no sentence of its own.
    bool is_spoilt(const std::string& name) {
        const bool is = spoilt_.contains(name);
        is_hopeless_ = is_hopeless_ || is;
        return is;
    }

    /// The tensors that the line makes, or its model.
    void spoil(const Line& line) {
        const auto is = [&](std::size_t word, std::string_view text) {
            return line.words.size() > word && line.words[word].text == text;
        };
        if (is(1, "="))
            spoilt_.insert(full(line.words[0].text));
        else if (is(0, "tensor") && line.words.size() > 1)
            spoilt_.insert(full(line.words[1].text));
        else if (is(0, "kernel"))
            for (auto word = std::ranges::find(line.words, "writes", &Word::text);
                 word != line.words.end() && ++word != line.words.end();
                 word = std::ranges::find(word, line.words.end(), ",", &Word::text))
                spoilt_.insert(full(word->text));
        else if (is(0, "model"))
            begin_model_of(line);
    }

    /// As far as the line can be read, so that what follows belongs to one.
    void begin_model_of(const Line& line) {
        model_ = unknown_model;
        Cursor words(line);
        words.take("model");
        try {
            model(words);
        } catch (const Refusal&) {
        }
    }

    void statement(Cursor& words, const Line& line) {
        if (words.is_next("=", 1)) return assignment(words, line);
        if (words.take_if("model")) return model(words);
        if (words.take_if("tensor")) return given(words, line);
        if (words.take_if("use"))
            return each_name(words, [&](const std::string& name) {
                if (!is_spoilt(name)) program_->all.use(owner(), name);
            });
        if (words.take_if("share")) return share(words, line);
        if (words.take_if("kernel")) return kernel(words, line);
        if (words.take_if("expect")) return expect(words, line);
        if (words.take_if("show"))
            return each_name(words, [&](const std::string& name) {
                if (!is_spoilt(name)) asked_for(name);
            });
        if (words.take_if("save")) return save(words, line);
        words.refuse_next(
            "model, tensor, use, share, kernel, expect, show, save or the name of a tensor and =");
    }

    void each_name(Cursor& words, const auto& what) {
        do
            what(full(words.take_name("the name of a tensor")));
        while (words.take_if(","));
    }

    /// What it makes, or the next version of.
    std::string new_name(Cursor& words) {
        std::string name = full(words.take_name("the name of a tensor"));
        if (name == full("n"))
            throw Refusal("n is the size that the bench sets. Give the tensor another name.");
        return name;
    }

    void model(Cursor& words) {
        const std::string name = words.take_name("the name of a model");
        tensor::require_tensor_name(name + ".a");
        models_.insert(model_ = name);
    }

    /// tensor e 128 x 768 fill random
    void given(Cursor& words, const Line& line) {
        Filled all{.name = new_name(words), .line = line.number};
        all.shape = shape(words, reading());
        words.take("fill");
        if (words.take_if("ramp"))
            all.fill = Fill::ramp;
        else if (words.take_if("file"))
            all = {all.name, all.shape, Fill::file, file_name(words, line, false), all.line};
        else if (!words.take_if("random"))
            words.refuse_next("ramp, random or file");
        constexpr std::uint64_t most_counted = std::uint64_t{1} << 24;
        if (all.fill == Fill::ramp && tensor::elements_of(all.shape) > most_counted)
            throw Refusal(
                fmt::format("A ramp of {} numbers cannot be counted in f32: up to {} can. Make it shorter.",
                            format_count(tensor::elements_of(all.shape)), format_count(most_counted)));
        program_->all.input(owner(), all.name, all.shape);
        last_ = all.name;
        program_->filled.push_back(std::move(all));
    }

    /// q = tanh(p) on cpu
    void assignment(Cursor& words, const Line& line) {
        const std::string name = new_name(words);
        words.take("=");
        const std::optional<Place> asked = place_asked_for(line);
        const Where where = values_[key::place];
        const Place place = where == Where::gpu   ? Place::device
                            : where == Where::cpu ? asked.value_or(Place::host)
                                                  : asked.value_or(Place::device);
        graph().compute_on(place);
        const std::size_t before = graph().nodes().size();
        std::optional<Tensor> value = expression(words, reading());
        // What is there already, asked for on a side: a copy on it.
        if (asked && value && graph().nodes().size() == before)
            value = combine(tensor::Op::copy, std::array{*value});
        graph().compute_on(Place::device);
        if (asked) words.take("on"), words.take_name("cpu or gpu");
        if (!value) is_hopeless_ = true;
        if (value && !is_spoilt(name)) program_->all.write(owner(), name, *value);
        last_ = name;
    }

    static std::optional<Place> place_asked_for(const Line& line) {
        const std::size_t count = line.words.size();
        if (count < 4 || line.words[count - 2].text != "on") return std::nullopt;
        const std::string_view place = line.words.back().text;
        if (place != "cpu" && place != "gpu")
            throw Refusal(fmt::format("There is no place {}. Write cpu or gpu.", place));
        return place == "cpu" ? Place::host : Place::device;
    }

    /// share p with pair, other to write
    void share(Cursor& words, const Line& line) {
        const std::string name = full(words.take_name("the name of a tensor"));
        words.take("with");
        std::vector<std::string> with;
        do
            with.push_back(words.take_name("the name of a model"));
        while (words.take_if(","));
        tensor::Right right = tensor::Right::read;
        if (words.take_if("to")) {
            words.take("write");
            right = tensor::Right::write;
        }
        for (std::string& other : with) {
            if (!is_spoilt(name)) program_->all.share(owner(), name, other, right);
            shared_with_.emplace(std::move(other), line.number);
        }
    }

    /// kernel cosine reads text.p, vision.p writes similarity 128 x 197 workgroup 16 x 16 grid auto { }
    void kernel(Cursor& words, const Line& line) {
        tensor::OwnKernel own{.name = words.take_name("the name of a kernel"),
                              .first_line = line.first_kernel_line};
        const auto is_called = [&](const std::string& name, const std::string& node) {
            if (!own.called.emplace(name, node).second && own.called.at(name) != node)
                throw Refusal(
                    fmt::format("The kernel {} names {} twice. What it writes is a tensor of its own: "
                                "give it another name.",
                                own.name, name));
            if (name.starts_with(owner() + ".")) own.called.emplace(name.substr(owner().size() + 1), node);
        };
        std::vector<Tensor> reads;
        if (words.take_if("reads"))
            each_name(words, [&](const std::string& name) {
                if (is_spoilt(name)) return;
                reads.push_back(program_->all.read(owner(), name));
                is_called(name, graph().nodes()[reads.back().source().node].name);
            });
        words.take("writes");
        std::vector<std::string> writes;
        std::vector<tensor::Left> leaves;
        do {
            const std::string name = new_name(words);
            writes.push_back(name);
            leaves.push_back({.name = program_->all.name_of_next(name), .shape = shape(words, reading())});
            is_called(name, leaves.back().name);
        } while (words.take_if(","));
        if (words.take_if("workgroup")) {
            own.workgroup = extent_of(shape(words, reading()));
        } else {
            // The bench's: of what has rows and columns along both, else along one line.
            const auto as_there_are = [&](const Extent& extent) {
                return leaves.front().shape.size() > 1 ? extent : Extent{extent.product()};
            };
            own.workgroup = as_there_are(workgroup_of(values_));
            own.grid = as_there_are(grid_of(values_));
        }
        if (words.take_if("grid"))
            own.grid = words.take_if("auto") ? Extent{0} : extent_of(shape(words, reading()));
        if (!line.has_kernel) words.refuse_next("the kernel in { and }");
        own.source = {std::string(line.kernel), source_.name, source_.folder};
        last_ = writes.front();
        for (const std::string& name : writes)
            is_spoilt(name);
        if (is_hopeless_) return;
        const std::vector<Tensor> made = graph().run(std::move(own), reads, leaves);
        for (std::size_t i = 0; i < made.size(); ++i)
            program_->all.write(owner(), writes[i], made[i]);
    }

    /// expect q = (a + b) * 5 within 1e-4 absolute
    void expect(Cursor& words, const Line& line) {
        const std::string name = full(words.take_name("the name of a tensor"));
        words.take("=");
        const std::optional<Tensor> definition = expression(words, reading());
        words.take("within");
        const double within = words.take_number("a number");
        const tensor::Within how =
            words.take_if("absolute") ? tensor::Within::absolute : tensor::Within::scaled;
        if (is_spoilt(name) || !definition) return;
        const Tensor result = asked_for(name);
        const std::size_t node = result.source().node;
        const auto known = std::ranges::find_if(
            expected_, [&](const Expectation& one) { return one.name == name && one.of == node; });
        if (known != expected_.end())
            throw Refusal(fmt::format("{} has an expect in line {} already. Remove one of the two.", name,
                                      known->line));
        graph().expect(result, *definition, within, how);
        tensor::require_definitions(graph());
        expected_.push_back({name, node, definition->source().node, line.number});
    }

    /// save q as "q.npy"
    void save(Cursor& words, const Line& line) {
        const std::string name = full(words.take_name("the name of a tensor"));
        words.take("as");
        const std::string file = file_name(words, line, true);
        if (!file.ends_with(".npy"))
            throw Refusal(
                fmt::format("\"{}\" is no name that ends with .npy, which is how tensors are saved. "
                            "Give it that ending.",
                            file));
        if (is_spoilt(name)) return;
        const Tensor saved = asked_for(name);
        program_->saved.push_back(
            {name_of(saved), file, saved.shape(), static_cast<std::uint32_t>(line.number)});
    }

    /// A file that is written is nothing else besides.
    std::string file_name(Cursor& words, const Line& line, bool is_written) {
        std::string file = words.take_quoted("the name of a file in quotes");
        const auto [known, is_new] =
            files_.emplace(name_within(source_.folder, file), UsedFile{line.number, is_written});
        if (!is_new && (is_written || known->second.is_written))
            throw Refusal(fmt::format("\"{}\" is {} in line {} already, and this line {} it. Name another.",
                                      file, known->second.is_written ? "written" : "read", known->second.line,
                                      is_written ? "writes" : "reads"));
        return file;
    }

    /// Its version of now comes back, once. Returns what does: the tensor, or a copy.
    Tensor asked_for(const std::string& name) {
        Tensor value = program_->all.read(owner(), name);
        const tensor::View& view = value.source().view;
        const tensor::Node& node = graph().nodes()[value.source().node];
        if (node.is_made() && view == tensor::View::whole(node.shape)) {
            if (std::ranges::find(graph().outputs(), value.source().node) == graph().outputs().end())
                graph().output(std::string(node.name), value);
            return value;
        }
        // What is seen otherwise, or what the program was given, is copied to come back.
        const std::size_t state = program_->all.version(name);
        const std::string numbered = fmt::format("{}_v{}", name, state);
        if (const auto copied = copied_.find(numbered); copied != copied_.end()) return copied->second;
        std::string shown = state > 1 ? numbered : name;
        if (std::ranges::find(graph().nodes(), shown, &tensor::Node::name) != graph().nodes().end())
            shown += "_shown";
        return copied_.emplace(numbered, graph().output(std::move(shown), value)).first->second;
    }
    const std::string& name_of(const Tensor& tensor) { return graph().nodes()[tensor.source().node].name; }

    void end(std::size_t last_line) {
        for (const auto& [model, line] : shared_with_)
            if (!models_.contains(model))
                wrong_.add(line,
                           fmt::format("There is no model {} in this program. Write the name of one, or "
                                       "begin it with \"model {}\".",
                                       model, model));
        for (const auto& [name, of, definition, line] : expected_)
            if (const auto unknown = tensor::unknown_result(graph(), definition)) {
                const tensor::Node& result = graph().nodes()[*unknown];
                wrong_.add(line,
                           fmt::format("What is expected of {0} is made of {1}, the output of kernel {2}, "
                                       "which no expect checks. Expect something of {1}, too, or define "
                                       "{0} by what the kernel reads.",
                                       name, result.name, result.kernel->name));
            }
        if (wrong_.any()) return;
        if (last_.empty())
            wrong_.add(last_line, fmt::format("The program makes no tensor. Make one, with {}lines such as "
                                              "\"tensor e 4 x 3 fill random\" and \"q = e * 2\".",
                                              models_.empty() ? "\"model a\" and " : ""));
        else if (graph().outputs().empty())
            asked_for(last_);
    }

    const std::string& owner() {
        if (model_.empty()) {
            model_ = unknown_model;  // to say it once
            throw Refusal("This belongs to no model yet. Write a line such as \"model a\" before it.");
        }
        return model_;
    }
    std::string full(std::string_view name) const { return full_name(name, model_); }
    Reading reading() { return {*program_, owner(), spoilt_, values_[key::n]}; }
    tensor::Graph& graph() { return program_->all.graph(); }

    const KernelSource& source_;
    const Values& values_;
    Wrong wrong_;
    std::unique_ptr<Program> program_ = std::make_unique<Program>();
    std::string model_, last_;  ///< that the lines belong to, and what was made last
    Names models_, spoilt_;
    bool is_hopeless_ = false;  ///< the line says something of what is spoilt
    struct UsedFile {
        std::size_t line;  ///< the first that names it
        bool is_written;
    };
    std::map<std::string, UsedFile> files_;           ///< by name_within()
    std::map<std::string, std::size_t> shared_with_;  ///< models, and the first line that says so
    std::map<std::string, Tensor> copied_;            ///< outputs, by tensor and version
    struct Expectation {
        std::string name;
        std::size_t of, definition;  ///< nodes
        std::size_t line;
    };
    std::vector<Expectation> expected_;
};

}  // namespace

std::unique_ptr<Program> program_of(const Prepared& asked) {
    return Meaning(asked.program, asked.values()).program();
}

}  // namespace gridstride::lessons::playground
