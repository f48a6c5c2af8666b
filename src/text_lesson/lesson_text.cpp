#include "text_lesson/lesson_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/kernel_file.h"
#include "tensor/glsl_identifiers.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_text_bytes = std::uintmax_t{64} << 10;
constexpr std::size_t max_tables = 2000;
constexpr std::uint64_t max_extent = std::uint64_t{1} << 30;

bool is_id(std::string_view text) {
    const auto is_small = [](char c) { return c >= 'a' && c <= 'z'; };
    return !text.empty() && is_small(text[0]) && std::ranges::all_of(text, [&](char c) {
        return is_small(c) || (c >= '0' && c <= '9') || c == '_';
    });
}

template <class Value>
struct NamedValue {
    std::string_view name;
    Value value;
};
constexpr NamedValue<ElementType> types[] = {
    {"f32", ElementType::f32}, {"u32", ElementType::u32}, {"i32", ElementType::i32}};
constexpr NamedValue<Scale> scales[] = {
    {"linear", Scale::linear}, {"log", Scale::logarithmic}, {"powers_of_two", Scale::powers_of_two}};
constexpr NamedValue<Severity> severities[] = {
    {"note", Severity::note}, {"caution", Severity::caution}, {"refusal", Severity::refusal}};
constexpr NamedValue<PictureKind> picture_kinds[] = {
    {"bars", PictureKind::bars},   {"line", PictureKind::line},       {"histogram", PictureKind::histogram},
    {"image", PictureKind::image}, {"time_by", PictureKind::time_by}, {"access", PictureKind::access}};

/// Returns the value that the key names; the first one if the key is missing or wrong.
template <class Value, std::size_t count>
Value read_choice(TomlTable& table, std::string_view key, const NamedValue<Value> (&values)[count]) {
    const std::string text = table.text(key, values[0].name);
    for (const auto& [name, value] : values)
        if (name == text) return value;
    table.add_error(key, fmt::format("{} = {} is not known. Use one of {}.", key, quote_text(text),
                                     join(values | std::views::transform(&NamedValue<Value>::name), ", ")));
    return values[0].value;
}

class LessonReader {
 public:
    LessonReader(const fs::path& folder, TomlTable root, Diagnostics& diagnostics)
        : root_(std::move(root)), diagnostics_(diagnostics) {
        lesson_.folder = folder;
        lesson_.id = folder.filename().string();
    }

    LessonText read() {
        if (!is_id(lesson_.id))
            root_.add_error(
                "", fmt::format("The folder's name {} is not an id. Rename it: lowercase letters, digits "
                                "and _, beginning with a letter.",
                                quote_text(lesson_.id)));
        if (const auto format = root_.whole_number("format", 1, 1); !format && !root_.has("format"))
            root_.add_error("format", "The line format = 1 is missing. Add it.");
        lesson_.title = root_.required_text("title");
        lesson_.noun = root_.text("noun", "elements");
        read_parameters();
        for (auto& [name, table] : root_.named_tables("input"))
            read_input(name, table);
        for (auto& [name, table] : root_.named_tables("output"))
            read_output(name, table);
        if (lesson_.outputs.empty())
            root_.add_error("output", "There is no [output.NAME]. Add what kernels write.");
        for (TomlTable& table : root_.tables("variant"))
            lesson_.variants.push_back(read_variant(table, "kernel"));
        for (TomlTable& table : root_.tables("exercise"))
            lesson_.exercises.push_back(read_variant(table, "start"));
        if (lesson_.variants.empty() && !root_.has("variant"))
            root_.add_error("variant",
                            "There is no [[variant]]. Add one with id, title, summary and kernel.");
        read_default_variant();
        for (TomlTable& table : root_.tables("remark"))
            read_remark(table);
        for (auto& [name, table] : root_.named_tables("fact"))
            read_fact(name, table);
        for (TomlTable& table : root_.tables("picture"))
            read_picture(table);
        root_.refuse_unknown_keys();
        set_invalidated();
        return std::move(lesson_);
    }

 private:
    /// Adds the id to those of the lesson; arrays and parameters are identifiers in kernels and expressions.
    void add_identifier(TomlTable& table, std::string_view key, const std::string& id) {
        if (!is_id(id))
            table.add_error(
                key, fmt::format("{} is not an id. Use lowercase letters, digits and _, beginning with a "
                                 "letter.",
                                 quote_text(id)));
        else if (tensor::is_glsl_keyword(id) || id == "launch" || id == "n" || id == "workgroup" ||
                 id == "place_of")
            table.add_error(key, fmt::format("{} is a reserved word of kernels. Choose another id.", id));
        else if (!identifiers_.insert(id).second)
            table.add_error(key, fmt::format("There are two arrays or parameters {}. Rename one.", id));
    }

    void read_parameters() {
        std::vector<Parameter> own, domain;
        for (const TomlText& id : root_.expressions("domain"))
            lesson_.domain.push_back(id.text);
        if (lesson_.domain.size() > 3) root_.add_error("domain", "The domain has at most three parameters.");
        for (TomlTable& table : root_.tables("parameter")) {
            Parameter parameter = read_parameter(table);
            (std::ranges::find(lesson_.domain, parameter.id) == lesson_.domain.end() ? own : domain)
                .push_back(std::move(parameter));
        }
        for (const std::string& id : lesson_.domain)
            if (std::ranges::find(domain, id, &Parameter::id) == domain.end())
                root_.add_error("domain",
                                fmt::format("The domain names {}, but there is no such [[parameter]].", id));
        const std::uint64_t elements = root_.whole_number("elements", 1, max_extent).value_or(65536);
        std::vector<std::uint64_t> workgroup;
        for (const TomlText& extent : root_.expressions("workgroup"))
            workgroup.push_back(parse_number<std::uint64_t>(extent.text).value_or(0));
        const bool is_one_dimensional = lesson_.domain.size() < 2;
        if (workgroup.empty())
            workgroup =
                is_one_dimensional ? std::vector<std::uint64_t>{128} : std::vector<std::uint64_t>{16, 16};
        workgroup.resize(std::max<std::size_t>(lesson_.domain.size(), 1), 1);
        if (std::ranges::count(workgroup, 0U) > 0)
            root_.add_error("workgroup",
                            "workgroup must be a list of whole numbers from 1, such as [16, 16].");
        if (is_one_dimensional) {
            lesson_.domain = {std::string(key::elements.id)};
            std::ranges::move(domain, std::back_inserter(own));
            lesson_.parameters = common_parameters(elements, workgroup[0], std::move(own));
        } else {
            lesson_.parameters = common_parameters(
                std::move(domain),
                Extent{workgroup[0], workgroup[1], workgroup.size() > 2 ? workgroup[2] : 0}, std::move(own));
        }
        for (const Parameter& parameter : lesson_.parameters)
            identifiers_.insert(parameter.id);
    }

    Parameter read_parameter(TomlTable& table) {
        Parameter parameter{.id = table.required_text("id"),
                            .label = table.required_text("label"),
                            .unit = table.text("unit"),
                            .help = table.text("help"),
                            .default_value = std::uint64_t{1},
                            .invalidates = Invalidates::reference};
        add_identifier(table, "id", parameter.id);
        if (table.has("choices")) {
            for (const auto& [id, label] : table.named_texts("choices"))
                parameter.choices.push_back({id, label.text});
            const std::string chosen =
                table.text("default", parameter.choices.empty() ? "" : parameter.choices[0].id);
            const auto found = std::ranges::find(parameter.choices, chosen, &Parameter::Choice::id);
            if (found == parameter.choices.end())
                table.add_error("default",
                                fmt::format("default = {} is not one of the choices.", quote_text(chosen)));
            else
                parameter.default_value =
                    ChoiceIndex{static_cast<std::uint32_t>(found - parameter.choices.begin())};
        } else {
            read_range(table, parameter);
        }
        parameter.scale = read_choice(table, "scale", scales);
        table.refuse_unknown_keys();
        return parameter;
    }

    void read_range(TomlTable& table, Parameter& parameter) {
        for (const char* const name : {"default", "min", "max"})
            if (!table.has(name))
                table.add_error(name,
                                fmt::format("[[parameter]] has no {}. Add a number, or choices.", name));
        const double value = table.number("default").value_or(0);
        parameter.minimum = table.number("min").value_or(value);
        parameter.maximum = table.number("max").value_or(value);
        const auto is_whole = [](double number) { return number >= 0 && number == std::trunc(number); };
        const bool is_count = is_whole(value) && is_whole(parameter.minimum) && is_whole(parameter.maximum);
        if (is_count)
            parameter.default_value = static_cast<std::uint64_t>(value);
        else
            parameter.default_value = value;
        if (!(parameter.minimum <= value && value <= parameter.maximum))
            table.add_error("default", fmt::format("default = {} is not between min = {} and max = {}.",
                                                   value, parameter.minimum, parameter.maximum));
        const double limit =
            is_count ? std::numeric_limits<std::uint32_t>::max() : std::numeric_limits<float>::max();
        if (std::max(std::abs(parameter.minimum), std::abs(parameter.maximum)) > limit)
            table.add_error("max", fmt::format("max = {} is too large; kernels get 32 bits. Use at most {}.",
                                               parameter.maximum, limit));
    }

    ArrayText read_array(const std::string& name, TomlTable& table) {
        ArrayText array{.name = name,
                        .type = read_choice(table, "type", types),
                        .shape = table.expressions("shape"),
                        .line = table.line_of("type")};
        add_identifier(table, "type", name);
        if (!table.has("shape")) array.shape = {{"n", array.line}};
        if (array.shape.empty() || array.shape.size() > 3)
            table.add_error("shape",
                            "shape has one to three extents, such as [\"n\"] or [\"rows\", \"columns\"].");
        return array;
    }

    void read_input(const std::string& name, TomlTable& table) {
        InputText input{read_array(name, table)};
        input.value = table.expression("value");
        for (const Parameter& parameter : lesson_.parameters)
            if (const std::string key = "by_" + parameter.id; parameter.is_choice() && table.has(key))
                read_choices(table, key, parameter, input);
        if (input.value.empty() && input.by_parameter.empty())
            table.add_error(
                "value", fmt::format("{} has no value. Add value = \"EXPRESSION\", or by_PARAMETER with one "
                                     "expression for each choice.",
                                     table.title()));
        table.refuse_unknown_keys();
        lesson_.inputs.push_back(std::move(input));
    }

    void read_choices(TomlTable& table, const std::string& key, const Parameter& parameter,
                      InputText& input) {
        input.by_parameter = parameter.id;
        const auto texts = table.named_texts(key);
        for (const auto& [id, text] : texts)
            if (std::ranges::find(parameter.choices, id, &Parameter::Choice::id) == parameter.choices.end())
                diagnostics_.add(text.line, fmt::format("{} has no choice {}.", parameter.id, id));
        for (const Parameter::Choice& choice : parameter.choices) {
            const auto found = std::ranges::find(texts, choice.id, [](const auto& one) { return one.first; });
            if (found == texts.end())
                table.add_error(key, fmt::format("{} has no expression for the choice {}.", key, choice.id));
            input.choices.push_back(found == texts.end() ? TomlText{} : found->second);
        }
    }

    void read_output(const std::string& name, TomlTable& table) {
        OutputText output{read_array(name, table)};
        if (const auto fill = table.whole_number("fill", 0, std::numeric_limits<std::uint32_t>::max()))
            output.fill = static_cast<std::uint32_t>(*fill);
        table.refuse_unknown_keys();
        lesson_.outputs.push_back(std::move(output));
    }

    VariantText read_variant(TomlTable& table, const std::string& kernel_key) {
        VariantText variant{{table.required_text("id"), table.required_text("title"), table.text("summary")}};
        variant.line = table.line_of("id");
        if (!is_id(variant.id))
            table.add_error("id", fmt::format("{} is not an id.", quote_text(variant.id)));
        if (!variant_ids_.insert(variant.id).second)
            table.add_error("id",
                            fmt::format("There are two variants or exercises {}. Rename one.", variant.id));
        variant.kernel = read_file_name(table, kernel_key);
        if (kernel_key == "start") variant.solution = read_file_name(table, "solution");
        variant.per_invocation = table.whole_number("per_invocation", 1, 1 << 20).value_or(1);
        variant.wrong_on_purpose = table.flag("wrong_on_purpose", false);
        read_expected(table, variant);
        table.refuse_unknown_keys();
        return variant;
    }

    std::string read_file_name(TomlTable& table, const std::string& key) {
        std::string file = table.required_text(key);
        if (file.empty()) return file;
        try {
            lesson_.kernels[file] = read_lesson_kernel(lesson_.folder, file);
        } catch (const std::runtime_error& error) {
            table.add_error(key, error.what());
        }
        return file;
    }

    void read_expected(TomlTable& table, VariantText& variant) {
        const std::size_t line = table.line_of("expect");
        for (auto& [output, value] : table.value_tables("expect")) {
            ExpectedText expected{.output = output, .value = value.expression("value")};
            read_within(value, expected);
            value.refuse_unknown_keys();
            if (std::ranges::find(lesson_.outputs, output, &ArrayText::name) == lesson_.outputs.end())
                diagnostics_.add(line, fmt::format("expect.{0} names no output. Add [output.{0}].", output));
            variant.expected.push_back(std::move(expected));
        }
        for (const OutputText& output : lesson_.outputs)
            if (!variant.wrong_on_purpose &&
                std::ranges::find(variant.expected, output.name, &ExpectedText::output) ==
                    variant.expected.end())
                table.add_error("expect", fmt::format("{0} does not say what {1} must be. Add expect.{1} = "
                                                      "\"EXPRESSION\".",
                                                      variant.id, output.name));
    }

    static void read_within(TomlTable& table, ExpectedText& expected) {
        if (!table.has("within")) return;
        const std::string text = table.expression("within").text;
        const bool is_ulp = text.ends_with(" ulp");
        const auto number =
            parse_number<double>(trim(is_ulp ? std::string_view(text).substr(0, text.size() - 4) : text));
        if (!number || !(*number >= 0) || !std::isfinite(*number))
            return table.add_error(
                "within", fmt::format("within = {} is not a bound. Use a number from 0, such as 1e-5, "
                                      "or \"2 ulp\".",
                                      quote_text(text)));
        expected.unit = is_ulp ? ErrorUnit::ulp : ErrorUnit::scaled;
        expected.within = *number;
    }

    void read_default_variant() {
        lesson_.default_variant =
            root_.text("default_variant", lesson_.variants.empty() ? "" : lesson_.variants[0].id);
        if (!lesson_.variants.empty() && std::ranges::find(lesson_.variants, lesson_.default_variant,
                                                           &VariantText::id) == lesson_.variants.end())
            root_.add_error("default_variant",
                            fmt::format("There is no variant {}.", quote_text(lesson_.default_variant)));
    }

    void read_remark(TomlTable& table) {
        RemarkText remark{table.text("parameter"), read_choice(table, "severity", severities),
                          table.expression("when"), table.required_text("text")};
        if (remark.when.empty()) table.add_error("when", "[[remark]] has no when. Add a condition.");
        if (!remark.parameter.empty() && !find(lesson_.parameters, remark.parameter))
            table.add_error("parameter",
                            fmt::format("There is no parameter {}.", quote_text(remark.parameter)));
        table.refuse_unknown_keys();
        lesson_.remarks.push_back(std::move(remark));
    }

    void read_fact(const std::string& id, TomlTable& table) {
        lesson_.facts.push_back({id, table.required_text("label"), table.expression("value")});
        if (!is_id(id)) table.add_error("label", fmt::format("{} is not an id.", quote_text(id)));
        if (!table.has("value")) table.add_error("value", fmt::format("{} has no value.", table.title()));
        table.refuse_unknown_keys();
    }

    void read_picture(TomlTable& table) {
        PictureText picture{table.required_text("id"),
                            table.required_text("title"),
                            read_choice(table, "kind", picture_kinds),
                            table.required_text("of"),
                            table.whole_number("first", 1, 1 << 20).value_or(512),
                            table.line_of("id")};
        const bool is_of_parameter = picture.kind == PictureKind::time_by;
        const auto is_array = [&](const auto& arrays) {
            return std::ranges::find(arrays, picture.of, &ArrayText::name) != arrays.end();
        };
        if (is_of_parameter ? !find(lesson_.parameters, picture.of)
                            : !is_array(lesson_.inputs) && !is_array(lesson_.outputs))
            table.add_error("of", fmt::format("There is no {} {}.", is_of_parameter ? "parameter" : "array",
                                              quote_text(picture.of)));
        table.refuse_unknown_keys();
        lesson_.pictures.push_back(std::move(picture));
    }

    /// Sets what each parameter invalidates: the input if an expression or a shape of an input names it, else
    /// the reference if one of an output does. Of the others, those of the launch invalidate no reference.
    void set_invalidated() {
        std::string of_inputs, of_outputs;
        const auto add = [](std::string& all, const std::vector<TomlText>& texts) {
            for (const TomlText& text : texts)
                all += " " + text.text;
        };
        for (const InputText& input : lesson_.inputs) {
            add(of_inputs, {input.value, {input.by_parameter}});
            add(of_inputs, input.shape);
            add(of_inputs, input.choices);
        }
        for (const OutputText& output : lesson_.outputs)
            add(of_outputs, output.shape);
        for (const auto* variants : {&lesson_.variants, &lesson_.exercises})
            for (const VariantText& variant : *variants)
                for (const ExpectedText& expected : variant.expected)
                    add(of_outputs, {expected.value});
        const std::set<std::string> input_names = names_in(of_inputs), output_names = names_in(of_outputs);
        for (Parameter& parameter : lesson_.parameters)
            if (input_names.contains(parameter.id))
                parameter.invalidates = Invalidates::input;
            else if (output_names.contains(parameter.id) && parameter.invalidates == Invalidates::launch)
                parameter.invalidates = Invalidates::reference;
    }

    static std::set<std::string> names_in(const std::string& expressions) {
        std::set<std::string> names;
        std::string name;
        for (const char c : expressions + ' ')
            if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
                name += c;
            else
                names.insert(std::exchange(name, {}));
        return names;
    }

    TomlTable root_;
    Diagnostics& diagnostics_;
    LessonText lesson_;
    std::set<std::string> identifiers_, variant_ids_;
};

/// Returns a hash of the names and contents of the folder's texts.
std::string hash_texts(const fs::path& folder) {
    std::map<std::string, std::string> texts;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file() &&
            (entry.path().extension() == ".toml" || entry.path().extension() == ".comp" ||
             entry.path().extension() == ".glsl" || entry.path().extension() == ".md"))
            texts.emplace(entry.path().lexically_relative(folder).string(),
                          read_file(entry.path(), max_text_bytes));
    std::string all;
    for (const auto& [name, text] : texts)
        all += fmt::format("{}\n{}\n", name, text);
    return tensor::hashed_source_name(all).substr(std::string_view("made/kernel_").size());
}

}  // namespace

LessonText read_lesson_text(const fs::path& folder) {
    const fs::path whole = fs::absolute(folder).lexically_normal();
    const fs::path absolute = whole.has_filename() ? whole : whole.parent_path();
    const std::string text =
        normalize_line_ends(remove_byte_order_mark(read_file(absolute / "lesson.toml", max_text_bytes)));
    Diagnostics diagnostics("lesson.toml");
    const std::optional<toml::table> document = parse_toml(text, diagnostics);
    LessonText lesson;
    if (document)
        lesson = LessonReader(absolute, TomlTable(*document, "lesson.toml", diagnostics), diagnostics).read();
    if (diagnostics.has_errors()) throw ProgramError(std::move(diagnostics).sorted_by_line());
    lesson.version = hash_texts(absolute);
    return lesson;
}

KernelSource read_lesson_kernel(const fs::path& folder, const std::string& file) {
    const fs::path inside = fs::path(file).lexically_normal();
    const bool leaves = inside.is_absolute() || inside.empty() || *inside.begin() == "..";
    if (leaves || fs::is_symlink(folder / inside))
        throw FileError(
            fmt::format("{} is outside the lesson's folder, or a link. Copy the file into the folder.",
                        quote_text(file)));
    KernelSource source = read_kernel(folder / inside);
    if (source.text.size() > max_text_bytes)
        throw FileError(fmt::format("{} has {}, and the limit is {}. Shorten it.", quote_text(file),
                                    format_byte_text(source.text.size()), format_byte_text(max_text_bytes)));
    return source;
}

}  // namespace gridstride::text_lesson
