#include "text_lesson/lesson_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <ranges>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "base/language.h"
#include "base/text.h"
#include "base/units.h"
#include "graph/graph.h"
#include "lesson/kernel_file.h"
#include "lesson/user_data.h"
#include "tensor/glsl_identifiers.h"
#include "text_lesson/lesson_data.h"
#include "text_lesson/lesson_kernel.h"
#include "text_lesson/parameter_reader.h"
#include "text_lesson/toml_names.h"
#include "text_lesson/variant_reader.h"

namespace gridstride::text_lesson {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t max_data_bytes = std::uintmax_t{256} << 20;
/// Below Channel::max_arrays: a request carries the numbers of all files, and those of a user's own.
constexpr std::size_t max_data_files = 60;
constexpr std::string_view data_extensions[] = {".npy", ".csv", ".txt", ".wav", ".png"};

constexpr NamedValue<ElementType> types[] = {{"f32", ElementType::f32},
                                             {"f16", ElementType::f16},
                                             {"u32", ElementType::u32},
                                             {"i32", ElementType::i32}};
constexpr NamedValue<Severity> severities[] = {
    {"note", Severity::note}, {"caution", Severity::caution}, {"refusal", Severity::refusal}};
constexpr NamedValue<PictureKind> picture_kinds[] = {
    {"bars", PictureKind::bars},         {"line", PictureKind::line},
    {"scatter", PictureKind::scatter},   {"histogram", PictureKind::histogram},
    {"image", PictureKind::image},       {"time_by", PictureKind::time_by},
    {"cells", PictureKind::cells},       {"access", PictureKind::access},
    {"passes", PictureKind::passes},     {"levels", PictureKind::levels},
    {"coverage", PictureKind::coverage}, {"conflicts", PictureKind::conflicts},
    {"sectors", PictureKind::sectors},   {"atomics", PictureKind::atomics},
    {"banks", PictureKind::banks},       {"timeline", PictureKind::timeline},
    {"lanes", PictureKind::lanes},       {"memory", PictureKind::memory}};

constexpr NamedValue<AxisScale> axis_scales[] = {{"linear", AxisScale::linear},
                                                 {"log", AxisScale::logarithmic}};
/// The colour scales; true: grey.
constexpr NamedValue<bool> shades[] = {{"viridis", false}, {"grey", true}};

class LessonReader {
 public:
    LessonReader(const fs::path& folder, LessonFiles files, TomlTable root, std::optional<TomlTable> withheld,
                 Diagnostics& diagnostics)
        : root_(std::move(root)), withheld_(std::move(withheld)), diagnostics_(diagnostics) {
        lesson_.folder = folder;
        lesson_.files = std::move(files);
        lesson_.id = folder.filename().string();
        std::error_code error;
        lesson_.ships = fs::equivalent(folder.parent_path(), data_directory() / "lessons", error);
    }

    LessonText read() {
        if (!is_id(lesson_.id))
            root_.add_error(
                "", fmt::format("The folder's name {} is not an id. Rename it: lowercase letters, digits "
                                "and _, beginning with a letter.",
                                quote_text(lesson_.id)));
        if (const auto format = root_.whole_number("format", 1, 1); !format && !root_.has("format"))
            root_.add_error("format", "The line format = 1 is missing. Add it.");
        constexpr NamedValue<bool> readers[] = {{"", false}, {"students", true}};
        lesson_.is_packed = read_choice(root_, "packed_for", readers);
        lesson_.title = root_.required_local_text("title");
        lesson_.noun = root_.local_text("noun", "elements");
        read_parameters(root_, identifiers_, lesson_);
        for (auto& [name, table] : root_.named_tables("table"))
            read_table(name, table);
        read_definitions();
        for (auto& [name, table] : root_.named_tables("input"))
            read_input(name, table);
        for (auto& [name, table] : root_.named_tables("output"))
            lesson_.outputs.push_back(read_written_array(name, table));
        if (lesson_.outputs.empty())
            root_.add_error("output", "There is no [output.NAME]. Add what kernels write.");
        for (auto& [name, table] : root_.named_tables("scratch"))
            lesson_.scratch.push_back(read_scratch(name, table));
        read_variants(root_, withheld_, lesson_);
        for (TomlTable& table : root_.tables("remark"))
            read_remark(table);
        for (auto& [name, table] : root_.named_tables("fact"))
            read_fact(name, table);
        for (TomlTable& table : root_.tables("picture"))
            read_picture(table);
        read_user_files();
        lesson_.baseline = root_.expression("baseline");
        root_.refuse_unknown_keys();
        set_invalidated();
        return std::move(lesson_);
    }

 private:
    /// Returns whether expressions and kernels can name the array.
    bool add_array_name(TomlTable& table, const std::string& name) {
        identifiers_.add(table, "type", name);
        if (!is_id(name)) return false;
        try {
            tensor::require_tensor_name(name);
            return true;
        } catch (const Refusal& error) {
            table.add_error("type", error.what());
            return false;
        }
    }

    ArrayText read_array(const std::string& name, TomlTable& table) {
        ArrayText array{.name = name,
                        .type = read_choice(table, "type", types),
                        .shape = table.expressions("shape"),
                        .line = table.line_of("type")};
        add_array_name(table, name);
        array.padded = table.expression("padded");
        if (const auto fill = table.whole_number("fill", 0, std::numeric_limits<std::uint32_t>::max()))
            array.fill = static_cast<std::uint32_t>(*fill);
        if (!array.padded.empty() && byte_size(array.type) != sizeof *array.fill)
            table.add_error("padded", "An array of f16 cannot be padded. Use f32, u32 or i32.");
        if (table.has("shape") && (array.shape.empty() || array.shape.size() > 3)) {
            table.add_error("shape",
                            "shape has one to three extents, such as [\"n\"] or [\"rows\", \"columns\"].");
            array.shape.clear();
        }
        if (array.shape.empty()) array.shape = {{"n", array.line}};
        return array;
    }

    void read_input(const std::string& name, TomlTable& table) {
        InputText input{read_array(name, table)};
        input.value = table.expression("value");
        if (table.has("file")) read_data(table, input);
        for (const Parameter& parameter : lesson_.parameters)
            if (const std::string key = "by_" + parameter.id; parameter.is_choice() && table.has(key))
                read_choices(table, key, parameter, input);
        if (input.value.empty() && input.by_parameter.empty() && !table.has("file"))
            table.add_error(
                "value", fmt::format("{} has no value. Add value = \"EXPRESSION\", file = \"data/x.npy\", or "
                                     "by_PARAMETER with one expression for each choice.",
                                     table.title()));
        table.refuse_unknown_keys();
        lesson_.inputs.push_back(std::move(input));
    }

    void read_user_files() {
        lesson_.user_files = read_texts(root_, "user_files");
        for (const std::string& extension : lesson_.user_files)
            if (std::ranges::find(data_extensions, extension) == std::end(data_extensions))
                root_.add_error("user_files",
                                fmt::format("user_files has {}. Use some of {}.", quote_text(extension),
                                            join(data_extensions, ", ")));
        if (!lesson_.user_files.empty() && lesson_.inputs.empty())
            root_.add_error("user_files",
                            "user_files needs an [input.NAME], the first of which the file replaces.");
    }

    void read_data(TomlTable& table, InputText& input) {
        lesson_.data_files.insert(table.text("file"));
        const auto known = std::ranges::find(lesson_.files.data, input.name,
                                             [](const auto& one) -> const std::string& { return one.first; });
        if (known != lesson_.files.data.end()) {
            input.numbers = known->second;
            return;
        }
        if (++data_files_ == max_data_files + 1)
            table.add_error(
                "file", fmt::format("{} is data file {}, and a lesson can have {}. Join files, and select "
                                    "their parts with slice(x, axis, first, count).",
                                    quote_text(table.text("file")), data_files_, max_data_files));
        if (data_files_ > max_data_files) return;
        try {
            const fs::path file = find_lesson_file(lesson_.folder, table.required_text("file"));
            if (!fs::is_regular_file(file))
                throw FileError(fmt::format("The lesson's folder has no file {}. Correct the name.",
                                            quote_text(table.text("file"))));
            data_bytes_ += fs::file_size(file);
            if (data_bytes_ > max_data_bytes)
                throw FileError(
                    fmt::format("With {}, the data files of the lesson have {}, and the limit for all is {}. "
                                "Shorten them.",
                                quote_text(file.filename().string()), format_byte_text(data_bytes_),
                                format_byte_text(max_data_bytes)));
            const UserData data = read_file_in_folder(lesson_.folder.string(), table.text("file"));
            input.numbers = convert_user_numbers(data, input.type);
            lesson_.files.data.emplace_back(input.name, input.numbers);
        } catch (const std::exception& error) {
            table.add_error("file", error.what());
        }
    }

    /// Reads numbers that only expressions use.
    void read_table(const std::string& name, TomlTable& table) {
        InputText numbers{ArrayText{.name = name, .type = read_choice(table, "type", types)}};
        const bool has_name = add_array_name(table, name);
        if (table.has("file"))
            read_data(table, numbers);
        else
            read_values(table, numbers);
        table.refuse_unknown_keys();
        if (numbers.numbers && has_name) lesson_.tables.push_back(std::move(numbers));
    }

    void read_values(TomlTable& table, InputText& input) {
        std::vector<double> numbers;
        for (const TomlText& number : table.expressions("values"))
            if (const auto value = parse_number<double>(number.text))
                numbers.push_back(*value);
            else
                table.add_error("values", fmt::format("{} is not a number.", quote_text(number.text)));
        if (numbers.empty())
            return table.add_error("values", "A table has values = [1, 2, 3], or file = \"data/x.npy\".");
        try {
            input.numbers =
                convert_user_numbers({.numbers = share(std::span<const double>(numbers))}, input.type);
        } catch (const Refusal& error) {
            table.add_error("values", error.what());
        }
    }

    void read_definitions() {
        lesson_.definitions = root_.named_texts("define");
        for (const auto& [name, expression] : lesson_.definitions)
            identifiers_.add(root_, "define", name);
        if (lesson_.definitions.size() > max_definitions)
            root_.add_error("define", fmt::format("[define] has {} names; at most {} are allowed.",
                                                  lesson_.definitions.size(), max_definitions));
    }

    void read_choices(TomlTable& table, const std::string& key, const Parameter& parameter,
                      InputText& input) {
        input.by_parameter = parameter.id;
        const auto texts = table.named_texts(key);
        for (const auto& [id, text] : texts)
            if (std::ranges::find(parameter.choices, id, &Parameter::Choice::id) == parameter.choices.end())
                diagnostics_.add(
                    text.line,
                    fmt::format(
                        "{} has no choice {}. Use one of {}.", parameter.id, id,
                        join(parameter.choices | std::views::transform(&Parameter::Choice::id), ", ")));
        for (const Parameter::Choice& choice : parameter.choices) {
            const auto found = std::ranges::find(texts, choice.id, [](const auto& one) { return one.first; });
            if (found == texts.end())
                table.add_error(
                    key, fmt::format("{0} has no expression for the choice {1}. Add {1} = \"EXPRESSION\".",
                                     key, choice.id));
            input.choices.push_back(found == texts.end() ? TomlText{} : found->second);
        }
    }

    OutputText read_written_array(const std::string& name, TomlTable& table) {
        OutputText output{read_array(name, table)};
        if (!output.padded.empty() && !output.fill)
            table.add_error("padded",
                            "padded needs fill, the word that must still be behind the array after a run.");
        output.when = table.expression("when");
        table.refuse_unknown_keys();
        return output;
    }

    OutputText read_scratch(const std::string& name, TomlTable& table) {
        const bool is_kept = table.flag("kept", false);
        OutputText scratch = read_written_array(name, table);
        scratch.is_kept = is_kept;
        if (is_kept && !scratch.fill)
            table.add_error("kept", "kept needs fill, the word that the array has before the first launch.");
        return scratch;
    }

    void read_remark(TomlTable& table) {
        RemarkText remark{table.text("parameter"), read_choice(table, "severity", severities),
                          table.expression("when"), table.required_local_text("text"), table.line_of("text")};
        if (remark.when.empty()) table.add_error("when", "[[remark]] has no when. Add a condition.");
        if (!remark.parameter.empty() && !find(lesson_.parameters, remark.parameter))
            table.add_error("parameter", describe_missing("parameter " + quote_text(remark.parameter),
                                                          lesson_.parameters, &Parameter::id));
        table.refuse_unknown_keys();
        lesson_.remarks.push_back(std::move(remark));
    }

    void read_fact(const std::string& id, TomlTable& table) {
        lesson_.facts.push_back({id, table.required_local_text("label"), table.expression("value"),
                                 table.expression("when"), table.number("uncertainty").value_or(0)});
        if (!is_id(id)) table.add_error("label", describe_invalid_id(id));
        if (!table.has("value"))
            table.add_error("value",
                            fmt::format("{} has no value. Add value = \"EXPRESSION\".", table.title()));
        table.refuse_unknown_keys();
    }

    static std::vector<std::string> read_texts(TomlTable& table, std::string_view key) {
        std::vector<std::string> texts;
        for (const TomlText& text : table.expressions(key))
            texts.push_back(text.text);
        return texts;
    }

    /// Reads a picture, or one for each array in a list `of`.
    void read_picture(TomlTable& table) {
        const std::vector<std::string> arrays = read_texts(table, "of");
        PictureText picture{.id = table.required_text("id"),
                            .title = table.required_local_text("title"),
                            .kind = read_choice(table, "kind", picture_kinds),
                            .of = arrays.empty() ? std::string() : arrays.front(),
                            .per = table.text("per"),
                            .x = table.text("x"),
                            .max_elements = table.whole_number("first", 1, 1 << 20).value_or(512),
                            .width = table.expression("width"),
                            .is_grey = read_choice(table, "shades", shades),
                            .rows = read_texts(table, "rows"),
                            .values = read_texts(table, "values"),
                            .example = read_texts(table, "example"),
                            .note = table.local_text("note"),
                            .y_label = table.local_text("y_label"),
                            .y_scale = read_choice(table, "y_scale", axis_scales),
                            .marker = table.expression("marker"),
                            .marker_label = table.local_text("marker_label"),
                            .outline = table.flag("outline", false),
                            .stores = table.flag("stores", false),
                            .same = read_texts(table, "same"),
                            .line = table.line_of("id")};
        picture.also = read_texts(table, "also");
        const auto require_array = [&](const char* key, const std::string& name) {
            if (!has_array(lesson_, name))
                table.add_error(key, describe_missing("array " + quote_text(name), array_names(lesson_)));
        };
        constexpr std::array scaled_kinds = {PictureKind::bars, PictureKind::line, PictureKind::scatter};
        if (table.has("y_scale") && std::ranges::find(scaled_kinds, picture.kind) == scaled_kinds.end())
            table.add_error("y_scale", "Only bars, line and scatter have a y_scale. Remove it.");
        table.refuse_unknown_keys();
        lesson_.pictures.push_back(picture);
        // The keys that an unknown kind requires are unknown.
        if (diagnostics_.lines().contains(table.line_of("kind"))) return;
        switch (picture.kind) {
            case PictureKind::levels:
            case PictureKind::conflicts:
            case PictureKind::sectors:
            case PictureKind::lanes:
            case PictureKind::banks:
            case PictureKind::timeline:
            case PictureKind::memory:
                break;
            case PictureKind::atomics:
                if (picture.example.empty()) require_array("of", picture.of);
                break;
            case PictureKind::cells:
                if (picture.values.empty())
                    table.add_error("values",
                                    "A picture of cells has values = [\"LABEL OF 0\", \"LABEL OF 1\"].");
                require_array("of", picture.of);
                break;
            case PictureKind::time_by: {
                const auto require_parameter = [&](const char* key, const std::string& name) {
                    if (!find(lesson_.parameters, name))
                        table.add_error(key, describe_missing("parameter " + quote_text(name),
                                                              lesson_.parameters, &Parameter::id));
                };
                require_parameter("of", picture.of);
                for (const std::string& parameter : picture.same)
                    require_parameter("same", parameter);
                if (!picture.per.empty() &&
                    std::ranges::find(lesson_.facts, picture.per, &FactText::id) == lesson_.facts.end())
                    table.add_error("per", describe_missing(fmt::format("[fact.{}]", picture.per),
                                                            lesson_.facts, &FactText::id));
                break;
            }
            case PictureKind::scatter:
                require_array("x", picture.x);
                [[fallthrough]];
            default:
                require_array("of", picture.of);
        }
        for (const std::string& array : picture.also)
            require_array("also", array);
        for (std::size_t i = 1; i < arrays.size(); ++i) {
            require_array("of", arrays[i]);
            picture.of = arrays[i];
            lesson_.pictures.push_back(picture);
        }
    }

    /// Sets what each parameter invalidates: the input if an expression or a shape of an input names it, else
    /// the reference if one of an output or a reference kernel does. Of the others, those of the launch
    /// invalidate no reference.
    void set_invalidated() {
        std::set<std::string> input_words, output_words;
        const auto add = [this](std::set<std::string>& all, const std::vector<TomlText>& texts) {
            for (const TomlText& text : texts)
                all.merge(find_names(lesson_, text.text));
        };
        for (const InputText& input : lesson_.inputs) {
            add(input_words, {input.value, {input.by_parameter}});
            add(input_words, input.shape);
            add(input_words, input.choices);
        }
        for (const OutputText& output : lesson_.outputs) {
            add(output_words, output.shape);
            add(output_words, {output.when, output.padded});
        }
        for (const auto* variants : {&lesson_.variants, &lesson_.exercises})
            for (const VariantText& variant : *variants)
                for (const ExpectedText& expected : variant.expected)
                    add(output_words, {expected.value});
        for (const VariantText& reference : lesson_.references)
            try {
                const std::string& file = reference.launches.front().kernel;
                if (!lesson_.kernels.contains(file)) continue;  // that is an error already
                output_words.merge(list_words(add_includes(lesson_, lesson_.kernels.at(file))));
            } catch (const std::runtime_error&) {
                // check_lesson() reports an include that cannot be read.
            }
        for (Parameter& parameter : lesson_.parameters)
            if (input_words.contains(parameter.id))
                parameter.invalidates = Invalidates::input;
            else if (output_words.contains(parameter.id) && parameter.invalidates == Invalidates::launch)
                parameter.invalidates = Invalidates::reference;
        lesson_.reference_depends_on_launch = std::ranges::any_of(
            launch_names, [&](std::string_view name) { return output_words.contains(std::string(name)); });
    }

    TomlTable root_;
    std::optional<TomlTable> withheld_;
    Diagnostics& diagnostics_;
    LessonText lesson_;
    Identifiers identifiers_;
    std::size_t data_files_ = 0;
    std::uintmax_t data_bytes_ = 0;
};

/// Returns a hash of the names and contents of the files.
std::string hash_files(const LessonFiles& files) {
    std::string all;
    for (const auto& [name, text] : files.texts)
        all += fmt::format("{}\n{}\n", name, text);
    for (const auto& [name, numbers] : files.data) {
        const std::span<const std::byte> bytes = numbers->raw();
        all += tensor::hashed_source_name({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    }
    return hash_text(all);
}

}  // namespace

LessonFiles read_lesson_files(const fs::path& folder, Diagnostics& diagnostics) {
    if (std::error_code error; !fs::is_directory(folder, error))
        throw FileError(fmt::format("The folder {} is gone. Put it back, or go on with another lesson.",
                                    quote_path(folder)));
    LessonFiles files{.texts = {{lesson_file, read_lesson_file(folder, lesson_file)}}};
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().lexically_relative(folder).generic_string();
        const fs::path extension = entry.path().extension();
        const std::vector<std::string_view> parts = split(name, '.');
        if (parts.size() == 3 && parts.front() == "story" && parts.back() == "md")
            files.languages.emplace_back(parts[1]);
        try {
            if (extension == ".md")
                find_lesson_file(folder, name);
            else if ((extension == ".toml" || extension == ".comp" || extension == ".glsl") &&
                     name != lesson_file)
                files.texts.emplace_back(name, read_lesson_file(folder, name));
        } catch (const FileError& error) {
            // The table that names a kernel reports it.
            if (extension != ".comp") diagnostics.add(1, error.what());
        }
    }
    std::ranges::sort(files.texts);
    return files;
}

std::optional<LessonText> read_lesson_text(const fs::path& folder, LessonFiles files,
                                           Diagnostics& diagnostics) {
    const fs::path whole = fs::absolute(folder).lexically_normal();
    TextLanguages languages{.chosen = text_language()};
    languages.known.insert(files.languages.begin(), files.languages.end());
    const std::optional<toml::table> document = parse_toml(*files.find_text(lesson_file), diagnostics);
    if (!document) return std::nullopt;
    Diagnostics withheld_diagnostics(withheld_file);
    std::optional<toml::table> withheld;
    if (const std::string* const text = files.find_text(withheld_file))
        withheld = parse_toml(*text, withheld_diagnostics);
    LessonReader reader(
        whole.has_filename() ? whole : whole.parent_path(), std::move(files),
        TomlTable(*document, lesson_file, diagnostics, languages),
        withheld ? std::optional(TomlTable(*withheld, withheld_file, withheld_diagnostics, languages))
                 : std::nullopt,
        diagnostics);
    LessonText lesson = reader.read();
    diagnostics.add(std::move(withheld_diagnostics));
    if (!diagnostics.has_errors()) lesson.version = hash_files(lesson.files);
    return lesson;
}

}  // namespace gridstride::text_lesson
