// Parses the statements of a program one after another into a graph.
#include "playground/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/units.h"
#include "expression/program_reader.h"
#include "graph/expected.h"
#include "lesson/user_data.h"
#include "tensor_lesson/parameters.h"

namespace gridstride::lessons::playground {

using expression::Statement, expression::Token, expression::TokenReader;
using tensor::Processor, tensor::AccessRight, tensor::Shape, tensor::Tensor, tensor::ToleranceUnit;

namespace {

constexpr const char* default_model_name = "model";  ///< owns the statements before the first model

Extent to_extent(const Shape& shape) {
    if (shape.size() > 3)
        throw Refusal("{} has {} extents, but a workgroup or a grid has at most 3, x first.",
                      tensor::text_of(shape), shape.size());
    const auto get_extent = [&](std::size_t i) { return i < shape.size() ? shape[i] : 0; };
    return {get_extent(0), get_extent(1), get_extent(2)};
}

class ProgramParser final : public expression::ProgramReader {
 public:
    ProgramParser(const PreparedExperiment& run, Program& program)
        : ProgramReader(program.workspace.graph(), run.program.name),
          run_(run),
          program_(program),
          workspace_(program.workspace) {}

 private:
    std::optional<double> number(std::string_view name) override {
        if (name != n.id) return std::nullopt;
        program_.uses_n = true;
        return static_cast<double>(run_[n]);
    }
    std::optional<Tensor> tensor(const std::string& name) override {
        const std::string full = full_name(name);
        if (is_unknown(full)) return std::nullopt;
        return workspace_.read(model_, full);
    }
    /// Adds an input, which is uploaded.
    Tensor generate(const expression::GeneratedNumbers& numbers) override {
        expression::require_generated(numbers);
        InputTensor input{.name = fmt::format("{}{}", name(numbers.kind), ++generated_count_),
                          .shape = {numbers.count},
                          .type = numbers.type(),
                          .fill = Fill::expression,
                          .generated = numbers};
        Tensor tensor = graph().input(input.name, input.shape, input.type);
        program_.inputs.push_back(std::move(input));
        return tensor;
    }
    bool has_tensor(const std::string& name) const override {
        const std::string full = full_name(name);
        return workspace_.has(full) || unknown_.contains(full);
    }

    void skip(const Statement& statement) override {
        const std::vector<Token>& tokens = statement.tokens;
        if (statement.has(1, "="))
            unknown_.insert(full_name(tokens[0].text));
        else if (statement.has(0, "tensor") && tokens.size() > 1)
            unknown_.insert(full_name(tokens[1].text));
        else if (statement.has(0, "kernel"))
            for (auto token = std::ranges::find(tokens, "writes", &Token::text);
                 token != tokens.end() && ++token != tokens.end();
                 token = std::ranges::find(token, tokens.end(), ",", &Token::text))
                unknown_.insert(full_name(token->text));
        else if (statement.has(0, "model") && statement.is_malformed)
            models_.insert(model_ = tokens.size() > 1 ? tokens[1].text : default_model_name);
    }

    // Statements.

    void read(TokenReader& tokens, const Statement& statement) override {
        if (tokens.is_next("=", 1)) return read_assignment(tokens, statement);
        if (tokens.take_if("model")) return read_model(tokens);
        if (tokens.take_if("tensor")) return read_input(tokens, statement.line);
        if (tokens.take_if("use"))
            return for_each_known_name(tokens,
                                       [&](const std::string& name) { workspace_.use(model_, name); });
        if (tokens.take_if("share")) return read_share(tokens, statement.line);
        if (tokens.take_if("kernel")) return read_kernel(tokens, statement);
        if (tokens.take_if("expect")) return read_expect(tokens, statement.line);
        if (tokens.take_if("show"))
            return for_each_known_name(tokens,
                                       [&](const std::string& name) { workspace_.output(model_, name); });
        if (tokens.take_if("save")) return read_save(tokens, statement.line);
        tokens.refuse_next(
            "model, tensor, use, share, kernel, expect, show, save or the name of a tensor and =");
    }

    std::string take_tensor_name(TokenReader& tokens) {
        const std::string name = tokens.take_name("the name of a tensor");
        if (model_.empty()) {
            model_ = default_model_name;  // so that the error is reported once
            throw Refusal("This line belongs to no model. Write a line such as \"model a\" before it.");
        }
        return full_name(name);
    }
    /// Reads the name of a new tensor, or of a new version of one.
    std::string take_new_name(TokenReader& tokens) {
        std::string name = take_tensor_name(tokens);
        if (name == full_name(n.id))
            throw Refusal("n is the name of the parameter Size. Give the tensor another name.");
        return name;
    }
    void for_each_known_name(TokenReader& tokens, const auto& action) {
        do
            if (const std::string name = take_tensor_name(tokens); !is_unknown(name)) action(name);
        while (tokens.take_if(","));
    }

    void read_model(TokenReader& tokens) {
        model_ = default_model_name;
        const std::string name = tokens.take_name("the name of a model");
        tensor::require_tensor_name(name + ".a");
        models_.insert(model_ = name);
    }

    /// Reads the type behind a shape, such as u32; without one it is f32.
    static ElementType take_type(TokenReader& tokens) {
        for (const ElementType type :
             {ElementType::f32, ElementType::f16, ElementType::u32, ElementType::i32})
            if (tokens.take_if(name(type))) return type;
        return ElementType::f32;
    }

    /// Reads "tensor e 128 x 768 fill random".
    void read_input(TokenReader& tokens, std::size_t line) {
        InputTensor input{.name = take_new_name(tokens), .shape = parse_shape(tokens, *this), .line = line};
        input.type = take_type(tokens);
        tokens.take("fill");
        if (tokens.take_if("ramp"))
            input.fill = Fill::ramp;
        else if (tokens.take_if("file"))
            input.fill = Fill::file, input.file = take_file(tokens, line, /*is_written=*/false);
        else if (!tokens.take_if("random"))
            tokens.refuse_next("ramp, random or file");
        const std::uint64_t max_ramp = input.type == ElementType::f16 ? 1 << 11 : 1 << 24;
        if (input.fill == Fill::ramp && is_float(input.type) && tensor::element_count(input.shape) > max_ramp)
            throw Refusal(
                "A ramp of {} numbers is too long: {} can count only up to {}. Make it shorter, or fill u32.",
                format_count(tensor::element_count(input.shape)), name(input.type), format_count(max_ramp));
        workspace_.input(model_, input.name, input.shape, input.type);
        last_tensor_ = input.name;
        program_.inputs.push_back(std::move(input));
    }

    /// Reads "q = tanh(p) on cpu".
    void read_assignment(TokenReader& tokens, const Statement& statement) {
        const std::string name = take_new_name(tokens);
        tokens.take("=");
        const std::optional<Processor> requested_place = parse_place(statement.tokens);
        const Processor default_place = run_[place] == PlaceChoice::cpu ? Processor::host : Processor::device;
        graph().compute_on(run_[place] == PlaceChoice::gpu ? Processor::device
                                                           : requested_place.value_or(default_place));
        const std::size_t node_count = graph().nodes().size();
        std::optional<Tensor> value = parse_expression(tokens, *this);
        // A tensor that exists already is copied to the stated place.
        if (requested_place && value && graph().nodes().size() == node_count)
            value = apply_elementwise(tensor::Op::copy, std::array{*value});
        graph().compute_on(Processor::device);
        if (requested_place) tokens.take("on"), tokens.take_name("cpu or gpu");
        if (value && !is_unknown(name)) workspace_.write(model_, name, *value);
        last_tensor_ = name;
    }

    static std::optional<Processor> parse_place(const std::vector<Token>& tokens) {
        if (tokens.size() < 4 || tokens[tokens.size() - 2].text != "on") return std::nullopt;
        const std::string_view name = tokens.back().text;
        if (name != "cpu" && name != "gpu") throw Refusal("{} is not a place. Write cpu or gpu.", name);
        return name == "cpu" ? Processor::host : Processor::device;
    }

    /// Reads "share p with pair, other to write".
    void read_share(TokenReader& tokens, std::size_t line) {
        const std::string name = take_tensor_name(tokens);
        tokens.take("with");
        std::vector<std::string> others;
        do
            others.push_back(tokens.take_name("the name of a model"));
        while (tokens.take_if(","));
        const AccessRight right =
            tokens.take_if("to") ? (tokens.take("write"), AccessRight::write) : AccessRight::read;
        for (std::string& other : others) {
            if (!is_unknown(name)) workspace_.share(model_, name, other, right);
            share_targets_.emplace(std::move(other), line);
        }
    }

    /// Reads "kernel cosine reads text.p, vision.p writes similarity 128 x 197 workgroup 16 x 16 { … }".
    void read_kernel(TokenReader& tokens, const Statement& statement) {
        tensor::UserKernel kernel{.name = tokens.take_name("the name of a kernel"),
                                  .first_line = statement.first_kernel_line};
        const auto add_alias = [&](const std::string& name, const std::string& node) {
            if (!kernel.aliases.emplace(name, node).second && kernel.aliases.at(name) != node)
                throw Refusal(
                    "The kernel {} uses the name {} twice. Its outputs are new tensors: give the output "
                    "another name.",
                    kernel.name, name);
            if (name.starts_with(model_ + ".")) kernel.aliases.emplace(name.substr(model_.size() + 1), node);
        };
        std::vector<Tensor> reads;
        if (tokens.take_if("reads"))
            for_each_known_name(tokens, [&](const std::string& name) {
                reads.push_back(workspace_.read(model_, name));
                add_alias(name, graph().nodes()[reads.back().source().node].name);
            });
        tokens.take("writes");
        std::vector<std::string> writes;
        std::vector<tensor::KernelOutput> results;
        do {
            writes.push_back(take_new_name(tokens));
            results.push_back(
                {.name = workspace_.next_version_name(writes.back()), .shape = parse_shape(tokens, *this)});
            results.back().type = take_type(tokens);
            add_alias(writes.back(), results.back().name);
        } while (tokens.take_if(","));
        if (tokens.take_if("workgroup")) {
            kernel.workgroup = to_extent(parse_shape(tokens, *this));
        } else {
            // Uses the current workgroup size, along one axis if the result has one axis.
            const auto along_axes = [&](const Extent& extent) {
                return results.front().shape.size() > 1 ? extent : Extent{extent.product()};
            };
            kernel.workgroup = along_axes(requested_workgroup(run_.values()));
            kernel.grid = along_axes(requested_grid(run_.values()));
        }
        if (tokens.take_if("grid"))
            kernel.grid = tokens.take_if("auto") ? Extent{0} : to_extent(parse_shape(tokens, *this));
        if (!statement.has_kernel) tokens.refuse_next("the kernel in { and }");
        kernel.source = {std::string(statement.kernel), run_.program.name, run_.program.folder};
        last_tensor_ = writes.front();
        for (const std::string& name : writes)
            is_unknown(name);
        if (depends_on_unknown()) return;
        const std::vector<Tensor> created = graph().run(std::move(kernel), reads, results);
        for (std::size_t i = 0; i < created.size(); ++i)
            workspace_.write(model_, writes[i], created[i]);
    }

    /// Reads "expect q = (a + b) * 5 within 1e-4 absolute".
    void read_expect(TokenReader& tokens, std::size_t line) {
        const std::string name = take_tensor_name(tokens);
        tokens.take("=");
        const ElementType number_type =
            is_unknown(name) ? ElementType::f32 : workspace_.read(model_, name).type();
        const std::optional<Tensor> definition =
            parse_expression(tokens, *this, tensor::is_integer(number_type) ? number_type : ElementType::f32);
        tokens.take("within");
        const double tolerance = tokens.take_number("a number");
        const ToleranceUnit tolerance_kind =
            tokens.take_if("absolute") ? ToleranceUnit::absolute : ToleranceUnit::scaled;
        if (is_unknown(name) || !definition) return;
        const Tensor result = workspace_.output(model_, name);
        const std::size_t node = result.source().node;
        for (const Expectation& other : expectations_)
            if (other.name == name && other.node == node)
                throw Refusal("{} already has an expect in line {}. Remove one of the two.", name,
                              other.line);
        graph().expect(result, *definition, tolerance, tolerance_kind);
        tensor::require_acyclic_definitions(graph());
        expectations_.push_back({name, node, definition->source().node, line});
    }

    /// Reads "save q as "q.npy"".
    void read_save(TokenReader& tokens, std::size_t line) {
        const std::string name = take_tensor_name(tokens);
        tokens.take("as");
        const std::string file = take_file(tokens, line, /*is_written=*/true);
        if (!file.ends_with(".npy")) throw Refusal("\"{}\" must end in .npy.", file);
        if (is_unknown(name)) return;
        const Tensor saved = workspace_.output(model_, name);
        program_.saved_arrays.push_back({graph().nodes()[saved.source().node].name, file, saved.shape(),
                                         static_cast<std::uint32_t>(line)});
    }

    /// Reads a file name. A file that is written may be used only once.
    std::string take_file(TokenReader& tokens, std::size_t line, bool is_written) {
        std::string file = tokens.take_string("the name of a file in quotes");
        const auto [known, is_new] =
            files_.emplace(normalize_name_in_folder(run_.program.folder, file), FileUse{line, is_written});
        if (!is_new && (is_written || known->second.is_written))
            throw Refusal("\"{}\" is already {} in line {}, and this line {} it. Use another file.", file,
                          known->second.is_written ? "written" : "read", known->second.line,
                          is_written ? "writes" : "reads");
        return file;
    }

    void finish(std::size_t last_line) override {
        for (const auto& [model, line] : share_targets_)
            if (!models_.contains(model))
                diagnostics_.add(line, fmt::format("There is no model {} in this program. Use the name of "
                                                   "one, or add the line \"model {}\".",
                                                   model, model));
        for (const Expectation& expectation : expectations_)
            if (const auto node = tensor::find_unknown_result(graph(), expectation.definition)) {
                const tensor::Node& result = graph().nodes()[*node];
                diagnostics_.add(
                    expectation.line,
                    fmt::format("The expect of {0} depends on {1}, the output of kernel {2}, which no expect "
                                "checks. Add an expect for {1}, or define {0} by what the kernel reads.",
                                expectation.name, result.name, result.kernel->name));
            }
        if (diagnostics_.has_errors()) return;
        if (last_tensor_.empty())
            diagnostics_.add(last_line, fmt::format("The program defines no tensor. Add {}lines such as "
                                                    "\"tensor e 4 x 3 fill random\" and \"q = e * 2\".",
                                                    models_.empty() ? "\"model a\" and " : ""));
        else if (graph().outputs().empty())
            workspace_.output(model_, last_tensor_);
    }

    std::string full_name(std::string_view name) const {
        return name.find('.') == std::string_view::npos ? fmt::format("{}.{}", model_, name)
                                                        : std::string(name);
    }

    const PreparedExperiment& run_;
    Program& program_;
    tensor::Workspace& workspace_;
    std::string model_, last_tensor_;
    std::size_t generated_count_ = 0;
    std::set<std::string> models_;
    struct FileUse {
        std::size_t line;  ///< of the first use
        bool is_written;
    };
    std::map<std::string, FileUse> files_;              ///< by normalize_name_in_folder()
    std::map<std::string, std::size_t> share_targets_;  ///< models, and the first line that names each
    struct Expectation {
        std::string name;
        std::size_t node, definition, line;
    };
    std::vector<Expectation> expectations_;
};

}  // namespace

std::unique_ptr<Program> parse_program(const PreparedExperiment& run) {
    auto program = std::make_unique<Program>();
    if (run[tensor_lesson::key::precision] == tensor_lesson::Precision::f16)
        program->workspace.graph().set_factor_type(ElementType::f16);
    ProgramParser(run, *program).read_program(run.program.text, "gridstride playground", /*version=*/1);
    return program;
}

}  // namespace gridstride::lessons::playground
