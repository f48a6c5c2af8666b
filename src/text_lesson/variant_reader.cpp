#include "text_lesson/variant_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace gridstride::text_lesson {

namespace {

class VariantReader {
 public:
    VariantReader(TomlTable& root, std::optional<TomlTable>& withheld, LessonText& lesson)
        : root_(root), withheld_(withheld), lesson_(lesson) {}

    void read() {
        if (root_.is_table("every_variant")) shared_ = root_.table("every_variant");
        for (TomlTable& table : root_.tables("variant"))
            lesson_.variants.push_back(read_variant(table, Kind::variant));
        if (shared_) shared_->refuse_unknown_keys();
        for (TomlTable& table : root_.tables("exercise"))
            lesson_.exercises.push_back(read_variant(table, Kind::exercise));
        if (withheld_) withheld_->refuse_unknown_keys();
        if (!root_.has("variant"))
            root_.add_error("variant", "There is no [[variant]]. Add one with id, title and summary.");
        lesson_.default_variant =
            root_.text("default_variant", lesson_.variants.empty() ? "" : lesson_.variants[0].id);
        if (!lesson_.variants.empty() && std::ranges::find(lesson_.variants, lesson_.default_variant,
                                                           &VariantText::id) == lesson_.variants.end()) {
            root_.add_error("default_variant",
                            describe_missing("variant " + quote_text(lesson_.default_variant),
                                             lesson_.variants, &VariantText::id));
            lesson_.default_variant = lesson_.variants[0].id;
        }
    }

 private:
    enum class Kind { variant, exercise };

    VariantText read_variant(TomlTable& table, Kind kind) {
        const bool is_exercise = kind == Kind::exercise;
        if (shared_ && !is_exercise) table.set_defaults(*shared_);
        VariantText variant{
            {table.required_text("id"), table.required_local_text("title"), table.local_text("summary")}};
        variant.line = table.line_of("id");
        if (!variant.id.empty() && !is_id(variant.id)) table.add_error("id", describe_invalid_id(variant.id));
        if (!variant.id.empty() && !ids_.insert(variant.id).second)
            table.add_error("id",
                            fmt::format("There are two variants or exercises {}. Rename one.", variant.id));
        // Without an id, which is an error already, there is no default.
        const auto file = [&](std::string_view ending) {
            return variant.id.empty() ? std::string() : fmt::format("{}{}", variant.id, ending);
        };
        if (!is_exercise && table.has("launches"))
            for (TomlTable& launch : table.tables("launches")) {
                variant.launches.push_back(read_launch(launch, "kernel", std::nullopt));
                launch.refuse_unknown_keys();
            }
        else if (is_exercise)
            variant.launches.push_back(read_launch(table, "start", file("_start.comp")));
        else
            variant.launches.push_back(read_launch(table, "kernel", file(".comp")));
        if (variant.launches.empty()) variant.launches.emplace_back();  // that is an error already
        if (is_exercise && lesson_.is_packed)
            table.text("solution");
        else if (is_exercise)
            variant.solution = read_file(table, "solution", file(".comp"));
        constexpr NamedValue<bool> submits[] = {{"one", false}, {"each", true}};
        variant.has_submit_each = read_choice(table, "submits", submits);
        variant.moved_bytes = table.expression("moved_bytes");
        variant.operations = table.expression("operations");
        variant.per_invocation = table.whole_number("per_invocation", 1, 1 << 20).value_or(1);
        variant.wrong_on_purpose = table.expression("wrong_on_purpose");
        variant.definitions = table.named_texts("define");
        for (const auto& [name, expression] : variant.definitions)
            if (!is_defined(name))
                table.add_error("define",
                                fmt::format("define.{0} replaces nothing. Add {0} = \"EXPRESSION\" to "
                                            "[define], for the other variants.",
                                            name));
        read_outputs(table, variant);
        variant.downloaded_early = table.expressions("downloaded_early");
        for (const TomlText& output : variant.downloaded_early)
            if (std::ranges::find(variant.outputs, output.text) == variant.outputs.end())
                table.add_error("downloaded_early", fmt::format("{} is not an output of {}. Use one of {}.",
                                                                quote_text(output.text), variant.id,
                                                                join(variant.outputs, ", ")));
        variant.initial = table.named_texts("initial");
        for (const auto& [output, input] : variant.initial)
            if (std::ranges::find(variant.outputs, output) == variant.outputs.end() ||
                std::ranges::find(lesson_.inputs, input.text, &ArrayText::name) == lesson_.inputs.end())
                table.add_error(
                    "initial",
                    fmt::format("initial.{} = {} must name an output of {} and an input: one of {} = "
                                "one of {}.",
                                output, quote_text(input.text), variant.id, join(variant.outputs, ", "),
                                join(lesson_.inputs | std::views::transform(&ArrayText::name), ", ")));
        read_expected(table, variant, kind);
        table.refuse_unknown_keys();
        return variant;
    }

    bool is_defined(const std::string& name) const {
        return std::ranges::any_of(lesson_.definitions, [&](const auto& one) { return one.first == name; });
    }

    LaunchText read_launch(TomlTable& table, const std::string& kernel_key,
                           const std::optional<std::string>& default_kernel) {
        LaunchText launch{.kernel = read_file(table, kernel_key, default_kernel),
                          .domain = read_extents(table, "domain"),
                          .workgroup = read_extents(table, "workgroup"),
                          .grid = read_extents(table, "grid"),
                          .tile = read_extents(table, "tile"),
                          .default_grid = table.expression("default_grid"),
                          .iterations_per_pass = table.expression("iterations_per_pass"),
                          .iterations_once = table.expression("iterations_once"),
                          .repeat = table.expression("repeat"),
                          .loops = table.flag("loops", true),
                          .constants = table.expressions("constants"),
                          .vec4 = table.expressions("vec4"),
                          .vec8 = table.expressions("vec8"),
                          .reads = table.expressions("reads"),
                          .writes = table.expressions("writes"),
                          .coherent = table.expressions("coherent"),
                          .is_volatile = table.expressions("volatile"),
                          .sliced = table.expressions("sliced"),
                          .is_divisible = table.flag("divisible", false),
                          .line = table.line_of(kernel_key)};
        for (const TomlText& constant : launch.constants)
            if (!find(lesson_.parameters, constant.text) && !is_defined(constant.text))
                table.add_error(
                    "constants",
                    describe_missing(fmt::format("parameter {0}, and no {0} in [define]", constant.text),
                                     lesson_.parameters, &Parameter::id));
        const std::pair<const char*, const std::vector<TomlText>*> lists[] = {
            {"vec4", &launch.vec4},           {"vec8", &launch.vec8},     {"reads", &launch.reads},
            {"writes", &launch.writes},       {"sliced", &launch.sliced}, {"coherent", &launch.coherent},
            {"volatile", &launch.is_volatile}};
        for (const auto& [key, arrays] : lists)
            for (const TomlText& array : *arrays)
                if (!has_array(lesson_, array.text))
                    table.add_error(key, describe_missing("array " + array.text, array_names(lesson_)));
        return launch;
    }

    static std::vector<TomlText> read_extents(TomlTable& table, std::string_view key) {
        std::vector<TomlText> extents = table.expressions(key);
        if (table.has(key) && (extents.empty() || extents.size() > 3))
            table.add_error(key, fmt::format("{} has one to three extents, x first, such as [32, 8].", key));
        return extents;
    }

    /// Reads the kernel that the key names, and returns its file name; an empty one is not read. Without a
    /// default, the key is required.
    std::string read_file(TomlTable& table, const std::string& key,
                          const std::optional<std::string>& default_name = {}) {
        std::string file = default_name && !table.has(key) ? *default_name : table.required_text(key);
        if (file.empty()) return file;
        try {
            const std::string path = std::filesystem::path(file).lexically_normal().generic_string();
            const std::string* text = lesson_.files.find_text(path);
            if (!text)
                text = &lesson_.files.texts.emplace_back(path, read_lesson_file(lesson_.folder, file)).second;
            lesson_.kernels[file] = {.text = *text, .name = path, .is_trusted = lesson_.ships};
        } catch (const std::runtime_error& error) {
            table.add_error(key, error.what());
        }
        return file;
    }

    void read_outputs(TomlTable& table, VariantText& variant) {
        for (const TomlText& output : table.expressions("outputs"))
            if (std::ranges::find(lesson_.outputs, output.text, &ArrayText::name) == lesson_.outputs.end())
                table.add_error("outputs", describe_missing(fmt::format("[output.{}]", output.text),
                                                            lesson_.outputs, &ArrayText::name));
            else
                variant.outputs.push_back(output.text);
        if (!table.has("outputs"))
            for (const OutputText& output : lesson_.outputs)
                variant.outputs.push_back(output.name);
        else if (variant.outputs.empty())
            table.add_error("outputs", "outputs must name at least one output.");
    }

    /// Returns the expectations that an exercise with expect = "withheld" has in withheld.toml.
    std::vector<std::pair<std::string, TomlTable>> read_withheld(TomlTable& table,
                                                                 const VariantText& variant) {
        if (table.text("expect") != "withheld")
            table.add_error("expect",
                            "Write expect.OUTPUT = \"EXPRESSION\", or, for an exercise that only grading "
                            "judges, expect = \"withheld\".");
        if (lesson_.is_packed) return {};
        if (withheld_ && withheld_->has(variant.id)) return withheld_->value_tables(variant.id);
        table.add_error("expect",
                        fmt::format("{0} has no table [{1}]. Add it, with OUTPUT = \"EXPRESSION\" for each "
                                    "output of {1}.",
                                    withheld_file, variant.id));
        return {};
    }

    void read_expected(TomlTable& table, VariantText& variant, Kind kind) {
        const auto is_written = [&](const std::string& output) {
            return std::ranges::find(variant.outputs, output) != variant.outputs.end();
        };
        std::vector<std::pair<std::string, TomlTable>> expectations;
        variant.is_withheld = kind == Kind::exercise && table.has("expect") && !table.is_table("expect");
        if (variant.is_withheld)
            expectations = read_withheld(table, variant);
        else if (table.has_own("expect"))
            expectations = table.value_tables("expect");
        // Each output has an expectation of its own, so the table of the variant does not replace the other.
        if (shared_ && kind == Kind::variant)
            for (auto& expectation : shared_->value_tables("expect"))
                if (is_written(expectation.first)) expectations.push_back(std::move(expectation));
        for (auto& [output, value] : expectations) {
            if (std::ranges::find(variant.expected, output, &ExpectedText::output) != variant.expected.end())
                continue;
            ExpectedText expected{.output = output, .value = value.expression("value")};
            if (value.has("kernel")) read_reference(value, expected);
            read_within(value, expected);
            value.refuse_unknown_keys();
            // Later errors name lesson.toml.
            if (variant.is_withheld) expected.value.line = table.line_of("expect");
            if (!is_written(output))
                table.add_error("expect",
                                fmt::format("expect.{0}: {1} has no output of this name. Add [output.{0}].",
                                            output, variant.id));
            variant.expected.push_back(std::move(expected));
        }
        const bool is_always_wrong = variant.wrong_on_purpose.text == "true";
        for (const std::string& output : variant.outputs)
            if (!is_always_wrong && !(variant.is_withheld && variant.expected.empty()) &&
                std::ranges::find(variant.expected, output, &ExpectedText::output) == variant.expected.end())
                table.add_error("expect", fmt::format("{0} does not say what {1} must be. Add expect.{1} = "
                                                      "\"EXPRESSION\".",
                                                      variant.id, output));
    }

    /// Reads expect.OUTPUT = { kernel = "FILE" }. Equal outputs with equal files share a reference.
    void read_reference(TomlTable& table, ExpectedText& expected) {
        const std::string file = read_file(table, "kernel");
        if (!expected.value.empty())
            table.add_error("value",
                            fmt::format("expect.{} has both value and kernel. Remove one.", expected.output));
        expected.value = {{}, table.line_of("kernel")};
        const auto output = std::ranges::find(lesson_.outputs, expected.output, &ArrayText::name);
        if (output == lesson_.outputs.end()) return;
        if (!output->padded.empty())
            table.add_error(
                "kernel",
                fmt::format("{} is padded, so an expression must define it, not a kernel.", output->name));
        if (is_float(output->type) && !table.has("within"))
            table.add_error(
                "kernel",
                fmt::format("{0} is {2}, so its reference kernel needs a bound. Add within, such as "
                            "expect.{0} = {{ kernel = {1}, within = 1e-5 }}.",
                            output->name, quote_text(file), name(output->type)));
        expected.reference = fmt::format("{} of {}", output->name, file);
        if (std::ranges::find(lesson_.references, expected.reference, &VariantText::id) ==
            lesson_.references.end())
            lesson_.references.push_back(make_reference(*output, expected, file));
    }

    /// The launch covers the output with an invocation for each element: one pass, so that no loop of the
    /// launch counts towards the driver's cap.
    static VariantText make_reference(const OutputText& output, const ExpectedText& expected,
                                      const std::string& file) {
        LaunchText launch{.kernel = file, .line = expected.value.line};
        launch.domain.assign(output.shape.rbegin(), output.shape.rend());
        constexpr std::array<std::string_view, 3> workgroups[] = {{""}, {"16", "16"}, {"8", "8", "4"}};
        for (std::size_t i = 0; i < launch.domain.size(); ++i) {
            const TomlText& extent = launch.domain[i];
            // A grid has up to 65,535 workgroups; a larger workgroup covers up to 2^26 elements.
            const std::string workgroup =
                launch.domain.size() == 1
                    ? fmt::format("256 * minimum(4, divide_up({}, 256 * 65535))", extent.text)
                    : std::string(workgroups[launch.domain.size() - 1][i]);
            launch.workgroup.push_back({workgroup, extent.line});
            launch.grid.push_back({fmt::format("divide_up({}, {})", extent.text, workgroup), extent.line});
        }
        VariantText reference{{expected.reference, file, {}}};
        reference.launches = {std::move(launch)};
        reference.outputs = {output.name};
        reference.is_reference = true;
        reference.line = expected.value.line;
        return reference;
    }

    static void read_within(TomlTable& table, ExpectedText& expected) {
        if (!table.has("within")) return;
        const std::string text = table.expression("within").text;
        const bool is_ulp = text.ends_with(" ulp");
        const auto number =
            parse_number<double>(trim(is_ulp ? std::string_view(text).substr(0, text.size() - 4) : text));
        expected.unit = is_ulp ? ErrorUnit::ulp : ErrorUnit::scaled;
        if (!number && !is_ulp) {
            expected.within = table.expression("within");
            return;
        }
        if (!number || !(*number >= 0) || !std::isfinite(*number))
            return table.add_error(
                "within", fmt::format("within = {} is not a bound. Use a number from 0, such as 1e-5, "
                                      "or \"2 ulp\".",
                                      quote_text(text)));
        expected.tolerance = *number;
    }

    TomlTable& root_;
    std::optional<TomlTable>& withheld_;
    LessonText& lesson_;
    std::optional<TomlTable> shared_;  ///< [every_variant]
    std::set<std::string> ids_;
};

}  // namespace

void read_variants(TomlTable& root, std::optional<TomlTable>& withheld, LessonText& lesson) {
    VariantReader(root, withheld, lesson).read();
}

}  // namespace gridstride::text_lesson
