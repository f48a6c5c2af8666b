// Tests random programs of the playground with an `expect` on names of every kind: the judge decides each
// `expect`, passes correct outputs, and fails any wrong one.

#include "client/client.h"
#include "client/start_lab.h"
#include "gpu/device.h"
#include "gpu/instance.h"
#include "lab/judge.h"
#include "lesson/lesson.h"
#include "test_includes.h"

namespace gridstride::lab::random_programs_test {

/// Generates programs in which each `expect` defines its name again, from the program's inputs.
class RandomProgram {
 public:
    explicit RandomProgram(std::uint64_t seed) : random_(seed) {
        for (int i = 0; i < 2; ++i)
            add_given();
        // The program has at least one launch, and an output without an `expect`.
        lines_.emplace_back("shown = x0 + 1");
        lines_.emplace_back("show shown");
        all_.push_back({"shown", "x0 + 1", "shown", all_.front().shape});
        const std::size_t lines = 4 + pick(10);
        for (std::size_t i = 0; i < lines; ++i)
            add_line();
        for (std::size_t i = 0; i < all_.size(); ++i)
            if (pick(2) == 0) expect(all_[i], "");
        if (expects_.empty()) expect(all_.front(), "");
        share_one();
    }

    std::size_t expects() const { return expects_.size(); }
    bool has_kernel() const { return !kernels_.empty(); }
    /// Returns the kinds of names that have an `expect`.
    const std::set<std::string>& kinds() const { return kinds_; }

    std::string right() const { return text(SIZE_MAX, SIZE_MAX); }
    std::string with_wrong_expect(std::size_t which) const { return text(which, SIZE_MAX); }
    std::string with_wrong_kernel() const { return text(SIZE_MAX, 0); }

 private:
    struct Named {
        std::string name, definition, kind;
        std::vector<std::uint64_t> shape;
        bool is_whole = true;      ///< a kernel can read it
        std::string same_as = "";  ///< the name of the same tensor
        bool is_bytes = false;
    };
    struct Expect {
        std::size_t line;  ///< the line in the program text
        std::string name, definition, within;
        bool is_bytes;
    };
    struct Kernel {
        std::size_t line;
        std::string head;
    };

    std::size_t pick(std::size_t below) {
        return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
    }
    std::string next_name() { return fmt::format("x{}", all_.size()); }

    static std::string view_kind(const Named& of, const char* kind) {
        return of.is_whole ? kind : "view of a view";
    }

    static std::string text_of(const std::vector<std::uint64_t>& shape) {
        std::string all;
        for (const std::uint64_t extent : shape)
            all += fmt::format("{}{}", all.empty() ? "" : " x ", extent);
        return all;
    }

    void add_given() {
        const std::string name = next_name();
        std::vector<std::uint64_t> shape = {3 + pick(3), 4 + pick(4)};
        if (!all_.empty()) shape = all_.front().shape;
        lines_.push_back(
            fmt::format("tensor {} {} fill {}", name, text_of(shape), pick(6) == 0 ? "ramp" : "random"));
        all_.push_back({name, name, "given", shape});
    }

    /// Returns a name whose definition is short enough to repeat; with two extents if `is_matrix`.
    const Named* operand(bool is_matrix) {
        for (int tries = 0; tries < 20; ++tries) {
            const Named& one = all_[pick(all_.size())];
            if (!one.is_bytes && one.definition.size() < 300 && (!is_matrix || one.shape.size() == 2))
                return &one;
        }
        return &all_.front();
    }

    void add(const std::string& kind, std::vector<std::uint64_t> shape, const std::string& shape_names,
             const std::string& definition, bool is_whole = true, const std::string& same_as = "") {
        const std::string name = next_name();
        const bool on_cpu = is_whole && same_as.empty() && pick(6) == 0;
        lines_.push_back(fmt::format("{} = {}{}", name, shape_names, on_cpu ? " on cpu" : ""));
        all_.push_back({name, definition, on_cpu ? "on the CPU" : kind, std::move(shape), is_whole, same_as});
    }

    /// form contains {} for the operand.
    void add_of(const Named& x, const std::string& kind, std::vector<std::uint64_t> shape, const char* form,
                bool is_whole = true, const std::string& same_as = "") {
        const std::string name = x.name, definition = x.definition;
        add(kind, std::move(shape), fmt::format(fmt::runtime(form), name),
            fmt::format(fmt::runtime(form), "(" + definition + ")"), is_whole, same_as);
    }

    void add_line() {
        const Named x = *operand(false), m = *operand(true);
        const std::vector<std::uint64_t>& shape = m.shape;
        switch (pick(14)) {
            case 0:
                return add_of(x, "made", x.shape, "tanh({}) * 2");
            case 1:
                return add_of(x, "made", x.shape, "maximum({0}, 0.1) + sqrt(hypot({0}, 1))");
            case 2:
                for (const Named& y : all_)
                    if (y.shape == x.shape && !y.is_bytes && y.definition.size() < 300 && pick(2) == 0)
                        return add("made", x.shape, fmt::format("tanh({} - {})", x.name, y.name),
                                   fmt::format("tanh(({}) - ({}))", x.definition, y.definition));
                return add_of(x, "made", x.shape, "exp(0 - {0} * {0} / 10)");
            case 3: {
                const bool is_of_given = x.kind == "given" || x.kind == "alias of what is given";
                return add_of(x, is_of_given ? "alias of what is given" : "alias", x.shape, "{}", x.is_whole,
                              x.same_as.empty() ? x.name : x.same_as);
            }
            case 4:
                return add_of(m, view_kind(m, "transposed"), {shape[1], shape[0]}, "{}'", false);
            case 5:
                if (shape[1] == 2)
                    return add_of(m, view_kind(m, "transposed"), {shape[1], shape[0]}, "{}'", false);
                return add_of(m, view_kind(m, "slice"), {shape[0], 2},
                              fmt::format("slice({{}}, 1, {}, 2)", pick(shape[1] - 1)).c_str(), false);
            case 6:
                return add_of(m, view_kind(m, "reshaped"), {shape[0] * shape[1]},
                              fmt::format("reshape({{}}, {})", shape[0] * shape[1]).c_str(), false);
            case 7:
                return add_of(m, "sum", {shape[0]}, "sum({}, 1)");
            case 8:
                return add_of(m, "largest", {shape[1]}, "largest({}, 0)");
            case 9:
                return add_of(m, "softmax", shape, "softmax({})");
            case 10:
                return add_of(m, "product", {shape[0], shape[0]}, "{0} @ ({0} * 0.1)'");
            case 11:
                return add("number", {}, "1.5 + 1", "2.5", false);
            case 12:
                return add_bytes();
            default:
                return add_kernel();
        }
    }

    void add_bytes() {
        const Named& operand = all_[pick(2)];
        const std::string name = next_name(),
                          definition = fmt::format("quantise({} * 1, by_row)", operand.name);
        lines_.push_back(fmt::format("{} = quantise({}, by_row)", name, operand.name));
        all_.push_back({.name = name,
                        .definition = definition,
                        .kind = "bytes",
                        .shape = operand.shape,
                        .is_bytes = true});
    }

    void add_kernel() {
        const Named* x = operand(true);
        for (int tries = 0; !x->is_whole && tries < 20; ++tries)
            x = operand(true);
        if (!x->is_whole) x = &all_.front();
        Named matrix{.name = next_name(),
                     .definition = fmt::format("({}) * 2 + 1", x->definition),
                     .kind = "left by a kernel",
                     .shape = x->shape};
        kernels_.push_back(
            {lines_.size(), fmt::format("kernel k{} reads {} writes {} {} workgroup 64 {{\n"
                                        "    void main() {{\n"
                                        "        for (uint i = gl_GlobalInvocationID.x; i < launch.count; "
                                        "i += launch.workgroup_count * gl_WorkGroupSize.x)\n"
                                        "            {}[i] = {}[i] * ",
                                        kernels_.size(), x->name, matrix.name, text_of(matrix.shape),
                                        matrix.name, x->name)});
        lines_.emplace_back();
        all_.push_back(std::move(matrix));
        expect(all_.back(), "");
    }

    void expect(Named& named, const std::string& model) {
        if (!expected_.insert(named.name).second) return;
        const std::string& same = named.same_as.empty() ? named.name : named.same_as;
        if (!expected_tensors_.insert(same).second) kinds_.insert("second name of a tensor");
        kinds_.insert(model.empty() ? named.kind : "of another model");
        const std::uint64_t columns = named.shape.empty() ? 1 : named.shape.back();
        // Products may be so large that f32 has no third decimal place there.
        const bool is_absolute =
            named.definition.find('@') == std::string::npos && (columns < 3 || pick(4) == 0);
        const std::string within = named.is_bytes ? "0" : is_absolute ? "1e-3 absolute" : "1e-3";
        expects_.push_back({lines_.size(), model + named.name, named.definition, within, named.is_bytes});
        lines_.emplace_back();
    }

    /// Shares a tensor with another model. Only the tensor's own model can read its operands, so the tensor
    /// has given numbers.
    void share_one() {
        if (pick(2) == 0) return;
        lines_.push_back("share x1 with pair");
        lines_.push_back("model pair");
        lines_.push_back("use m.x1");
        lines_.push_back("y = m.x1 * 2");
        Named shared = all_[1];
        shared.definition = "y / 2";
        expect(shared, "m.");
    }

    std::string text(std::size_t wrong_expect, std::size_t wrong_kernel) const {
        std::vector<std::string> lines = lines_;
        for (std::size_t i = 0; i < kernels_.size(); ++i)
            lines[kernels_[i].line] =
                kernels_[i].head + (i == wrong_kernel ? "2.05 + 1.1;\n    }\n}" : "2.0 + 1.0;\n    }\n}");
        for (std::size_t i = 0; i < expects_.size(); ++i) {
            const Expect& one = expects_[i];
            std::string definition = one.definition;
            if (i == wrong_expect && one.is_bytes)
                definition.replace(definition.find(" * 1"), 4, " * 1 - 0.3");
            else if (i == wrong_expect)
                definition = fmt::format("({}) * 1.01 + 0.1", definition);
            lines[one.line] = fmt::format("expect {} = {} within {}", one.name, definition, one.within);
        }
        std::string all = "gridstride playground 1\nmodel m\n";
        for (const std::string& line : lines)
            all += line + "\n";
        return all;
    }

    std::mt19937_64 random_;
    std::vector<std::string> lines_;
    std::vector<Named> all_;
    std::vector<Expect> expects_;
    std::vector<Kernel> kernels_;
    std::set<std::string> expected_, expected_tensors_, kinds_;
};

Experiment experiment_of(const std::string& text) {
    Experiment experiment = default_experiment(*find_lesson("playground"));
    experiment.kernel = KernelSource{text, "random.playground", ""};
    return experiment;
}

struct Defined {
    std::vector<Expected> expected;
    std::string problems;
};
Defined defined_by(const std::string& text, const Limits& limits) {
    const PreparedExperiment prepared = prepare(experiment_of(text), limits);
    for (const Remark& remark : prepared.remarks)
        if (remark.severity == Severity::refusal) return {{}, remark.text};
    return {prepared.task.reference(prepared.make_input(), prepared), ""};
}

/// Returns the outputs of a device that computes without error.
Outputs exact_outputs(const std::vector<Expected>& expected) {
    Outputs outputs;
    for (const Expected& one : expected) {
        if (!one.reference || find(outputs, one.output)) continue;
        Array array(one.reference->type() == ElementType::f64 ? ElementType::f32 : one.reference->type(),
                    one.reference->count());
        for (std::size_t i = 0; i < array.count(); ++i)
            if (array.type() == ElementType::f32)
                array.as<float>()[i] = static_cast<float>(one.reference->number(i));
            else
                array.as<std::int8_t>()[i] = one.reference->as<std::int8_t>()[i];
        outputs.push_back({one.output, share(std::move(array))});
    }
    return outputs;
}

bool all_right(const std::vector<Expected>& expected, const Outputs& outputs) {
    return std::ranges::all_of(expected, [&](const Expected& one) { return judge(one, outputs).is_right; });
}
std::size_t decided(const std::vector<Expected>& expected) {
    return static_cast<std::size_t>(std::ranges::count_if(
        expected, [](const Expected& one) { return one.reference && !one.source.empty(); }));
}

/// Makes one element wrong by more than its `expect` allows.
Outputs with_wrong_element(Outputs outputs, const Expected& expected, std::size_t element) {
    for (NamedArray& one : outputs) {
        if (one.name != expected.output) continue;
        Array array(one.array->type(), one.array->count());
        std::ranges::copy(one.array->raw(), array.raw().begin());
        const double allowed = expected.tolerance.relative * expected.scale->number(element);
        if (array.type() == ElementType::f32)
            array.as<float>()[element] += static_cast<float>(2 * allowed + 1e-3);
        else
            array.as<std::int8_t>()[element] ^= 1;
        one.array = share(std::move(array));
    }
    return outputs;
}

TEST(RandomPrograms, CorrectExpectsPassAndWrongOnesFail) {
    const auto count = static_cast<std::uint64_t>(sample_of_runs(10'000, 150));
    const Limits limits = gpu::Device().limits();
    std::set<std::string> kinds;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        const RandomProgram program(seed);
        kinds.insert(program.kinds().begin(), program.kinds().end());
        const Defined right = defined_by(program.right(), limits);
        ASSERT_EQ(right.problems, "") << program.right();
        ASSERT_EQ(decided(right.expected), program.expects()) << program.right();
        const Outputs outputs = exact_outputs(right.expected);
        for (const Expected& one : right.expected) {
            const OutputComparison comparison = judge(one, outputs);
            ASSERT_TRUE(comparison.is_right) << one.output << " by " << one.source << "\n" << program.right();
        }
        for (std::size_t i = 0; i < program.expects(); ++i) {
            const Defined wrong = defined_by(program.with_wrong_expect(i), limits);
            ASSERT_EQ(wrong.problems, "") << program.with_wrong_expect(i);
            ASSERT_FALSE(all_right(wrong.expected, outputs)) << program.with_wrong_expect(i);
        }
        for (const Expected& one : right.expected) {
            const std::size_t element = seed % one.reference->count();
            ASSERT_FALSE(judge(one, with_wrong_element(outputs, one, element)).is_right)
                << one.output << " by " << one.source << "\n"
                << program.right();
        }
    }
    EXPECT_THAT(
        kinds, ::testing::IsSupersetOf({"given", "made", "alias", "alias of what is given", "transposed",
                                        "view of a view", "second name of a tensor", "shown", "slice",
                                        "reshaped", "sum", "largest", "softmax", "product", "number", "bytes",
                                        "left by a kernel", "on the CPU", "of another model"}));
}

TEST(RandomPrograms, CorrectExpectsPassAndWrongOnesFailOnTheDevice) {
    gpu::enable_validation();
    const std::unique_ptr<Client> client = start_lab({.program = program()});
    std::uint64_t id = 0;
    const auto run = [&](const std::string& text) {
        Request request;
        request.id = ++id;
        request.experiment = experiment_of(text);
        request.sampling.measure = false;
        request.deadline_seconds = never_seconds;
        return run_and_wait(*client, std::move(request), [] { return false; });
    };
    const auto count = static_cast<std::uint64_t>(sample_of_runs(200, 8));
    for (std::uint64_t seed = 100'000; seed < 100'000 + count; ++seed) {
        const RandomProgram program(seed);
        const Report right = run(program.right());
        ASSERT_EQ(right.status, Status::ok) << right.message << "\n" << program.right();
        ASSERT_EQ(right.compare.outputs_without_reference, 0U) << program.right();
        const std::string wrong = program.with_wrong_expect(seed % program.expects());
        ASSERT_EQ(run(wrong).status, Status::mismatch) << wrong;
        if (!program.has_kernel()) continue;
        ASSERT_EQ(run(program.with_wrong_kernel()).status, Status::mismatch) << program.with_wrong_kernel();
    }
}

}  // namespace gridstride::lab::random_programs_test
