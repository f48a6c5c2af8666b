#include "text_lesson/lesson_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "base/units.h"
#include "tensor/glsl_identifiers.h"

namespace gridstride::text_lesson {

namespace {

constexpr std::size_t max_parameters = 20;

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string without_comments(const std::string& text) {
    std::string code;
    for (std::size_t at = 0; at < text.size();) {
        if (text.compare(at, 2, "//") == 0) {
            at = std::min(text.find('\n', at), text.size());
        } else if (text.compare(at, 2, "/*") == 0) {
            const std::size_t end = text.find("*/", at + 2);
            at = end == std::string::npos ? text.size() : end + 2;
            code += ' ';
        } else {
            code += text[at++];
        }
    }
    return code;
}

/// Returns the files of the lesson that a kernel includes, directly or indirectly.
TextFiles find_all_includes(const LessonFiles& files, const KernelSource& source) {
    TextFiles all = {{source.name, source.text}};
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const std::string& file : find_includes(files, all[i].first, all[i].second))
            if (std::ranges::find(all, file, [](const auto& one) { return one.first; }) == all.end())
                all.emplace_back(file, *files.find_text(file));
    all.erase(all.begin());
    return all;
}

void add_words(const std::string& text, std::set<std::string>& words) {
    const std::string code = without_comments(text);
    for (std::size_t at = 0; at < code.size();) {
        std::size_t end = at;
        while (end < code.size() && is_word(code[end]))
            ++end;
        const bool is_member = at > 0 && code[at - 1] == '.';
        if (end > at && !is_member) words.insert(code.substr(at, end - at));
        at = std::max(end, at + 1);
    }
}

std::string_view push_type(const Parameter& parameter) {
    return std::holds_alternative<double>(parameter.default_value) ? "float" : "uint";
}

/// Moves the #extension lines to `head`, where GLSL wants them.
std::string take_extensions(const std::string& text, std::string& head) {
    std::string body;
    for (const std::string_view line : split(text, '\n')) {
        if (trim(line).starts_with("#extension"))
            head += std::string(line) + '\n';
        else
            body += line;
        body += '\n';
    }
    return body;
}

/// Returns the word that ends before `end`, and moves `end` to its first character.
std::string word_before(const std::string& code, std::size_t& end) {
    while (end > 0 && !is_word(code[end - 1]))
        --end;
    const std::size_t last = end;
    while (end > 0 && is_word(code[end - 1]))
        --end;
    return code.substr(end, last - end);
}

/// Returns the words of a part of a text.
std::vector<std::string> words_of(std::string_view code) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < code.size();) {
        std::size_t end = at;
        while (end < code.size() && is_word(code[end]))
            ++end;
        if (end > at) words.emplace_back(code.substr(at, end - at));
        at = std::max(end, at + 1);
    }
    return words;
}

/// A kernel that declares its own interface, of which buffers and parameters have the names of the lesson's.
class DeclaredKernel {
 public:
    DeclaredKernel(const LessonText& lesson, const KernelSource& source)
        : lesson_(lesson), name_(source.name), code_(without_comments(source.text)) {
        const std::size_t end = std::min(source.text.find('\n'), source.text.size());
        kernel_.head = source.text.substr(0, end) + "\n#line 1\n";
        kernel_.source = source;
        kernel_.source.text = source.text.substr(end);
    }

    LessonKernel read() {
        read_buffers();
        read_parameters();
        return std::move(kernel_);
    }

 private:
    void read_buffers() {
        constexpr std::string_view keyword = "buffer";
        std::map<std::size_t, std::string> arrays;
        for (std::size_t at = code_.find(keyword); at != std::string::npos;
             at = code_.find(keyword, at + 1)) {
            const std::size_t open = code_.find('{', at), close = code_.find('}', at),
                              bracket = code_.find('[', at), before = code_.find_last_of(";}", at);
            if (bracket > close || open > bracket) continue;
            const std::size_t begin = before == std::string::npos ? 0 : before;
            const std::vector<std::string> layout =
                words_of(std::string_view(code_).substr(begin, at - begin));
            const auto binding = std::ranges::find(layout, "binding");
            if (binding == layout.end() || binding + 1 == layout.end()) continue;
            std::size_t block_end = open, array_end = bracket;
            const std::string block = to_lower(word_before(code_, block_end)),
                              array = word_before(code_, array_end);
            arrays[parse_number<std::size_t>(*(binding + 1)).value_or(SIZE_MAX)] =
                has_array(lesson_, array) ? array : block;
        }
        if (arrays.empty())
            throw Refusal(
                "{} begins with #version, but binds no array of the lesson. Remove #version: the "
                "lesson's arrays and parameters are then declared for you.",
                name_);
        for (const auto& [binding, array] : arrays) {
            if (!has_array(lesson_, array))
                throw Refusal(
                    "{} binds a buffer {}, but the lesson has no such array. Give the array or its "
                    "block the name of one.",
                    name_, quote_text(array));
            if (binding != kernel_.arrays.size())
                throw Refusal("{} has no binding {}. Number the bindings from 0 without gaps.", name_,
                              kernel_.arrays.size());
            kernel_.arrays.push_back(array);
        }
    }

    /// PARAMETERS of common/launch.glsl: a type and a name for each.
    void read_parameters() {
        constexpr std::string_view definition = "#define PARAMETERS";
        const std::size_t at = code_.find(definition);
        if (at == std::string::npos) return;
        const std::size_t begin = at + definition.size(), end = std::min(code_.find('\n', at), code_.size());
        const std::vector<std::string> words = words_of(std::string_view(code_).substr(begin, end - begin));
        for (std::size_t i = 1; i < words.size(); i += 2) {
            // As in the generated declaration, the prefix tells it from members of `launch`, such as rows.
            constexpr std::string_view prefix = "parameter_";
            const std::string id = words[i].starts_with(prefix) ? words[i].substr(prefix.size()) : words[i];
            const Parameter* const parameter = find(lesson_.parameters, id);
            if (!parameter || std::holds_alternative<Extent>(parameter->default_value))
                throw Refusal("{} has a parameter {}, but the lesson has no such number. Use one of its ids.",
                              name_, quote_text(words[i]));
            kernel_.parameters.push_back(id);
        }
    }

    const LessonText& lesson_;
    std::string name_, code_;
    LessonKernel kernel_;
};

}  // namespace

std::vector<std::string> find_includes(const LessonFiles& files, const std::string& path,
                                       const std::string& text) {
    std::vector<std::string> found;
    const std::string code = without_comments(text);
    for (const std::string_view line : split(code, '\n')) {
        const std::string_view directive = trim(line);
        if (!directive.starts_with("#") || directive.find("include") == std::string_view::npos) continue;
        const std::size_t first = directive.find('"'), last = directive.rfind('"');
        if (first == last) continue;
        const std::filesystem::path file(directive.substr(first + 1, last - first - 1));
        for (const auto& place : {std::filesystem::path(path).parent_path() / file, file})
            if (std::string name = place.lexically_normal().generic_string(); files.find_text(name)) {
                found.push_back(std::move(name));
                break;
            }
    }
    return found;
}

KernelSource add_includes(const LessonText& lesson, KernelSource source) {
    source.lesson_files = find_all_includes(lesson.files, source);
    return source;
}

std::set<std::string> list_words(const KernelSource& source) {
    std::set<std::string> words;
    add_words(source.text, words);
    for (const auto& [path, text] : source.lesson_files)
        add_words(text, words);
    return words;
}

LessonKernel make_lesson_kernel(const LessonText& lesson, const VariantText& variant,
                                const LaunchText& launch, const KernelSource& source_text,
                                const Limits& device) {
    const KernelSource source = add_includes(lesson, source_text);
    const std::set<std::string> words = list_words(source);
    if (variant.is_reference && !words.contains(variant.outputs.front()))
        throw Refusal("{0} does not name {1}, although it is the reference of {1}. Write to {1}.",
                      source.name, variant.outputs.front());
    if (source.text.starts_with("#version")) return DeclaredKernel(lesson, source).read();
    LessonKernel kernel{.head = "#version 450\n", .source = source};
    kernel.source.text = take_extensions(source.text, kernel.head);
    std::string declarations, copies, members;
    tensor::GlslIdentifiers identifiers;
    bool has_f16 = false;
    const auto declare = [&](const ArrayText& array) {
        const bool is_vec4 = contains(launch.vec4, array.name), is_vec8 = contains(launch.vec8, array.name);
        if (is_vec8 && array.type != ElementType::f16)
            throw Refusal("vec8 names {}, which is {}. Only f16 are accessed eight at a time: use vec4.",
                          array.name, name(array.type));
        has_f16 = has_f16 || (array.type == ElementType::f16 && !is_vec8);
        const std::string qualifiers = std::string(contains(launch.coherent, array.name) ? "coherent " : "") +
                                       (contains(launch.is_volatile, array.name) ? "volatile " : "");
        declarations += identifiers.buffer(kernel.arrays.size(), qualifiers,
                                           is_vec8 ? "uvec4" : tensor::glsl_element_type(array.type, is_vec4),
                                           array.name);
        kernel.arrays.push_back(array.name);
    };
    for (const InputText& input : lesson.inputs)
        if (words.contains(input.name)) declare(input);
    bool writes = false;
    for (const OutputText& output : lesson.outputs) {
        const bool is_named = words.contains(output.name);
        const bool is_of_variant = std::ranges::find(variant.outputs, output.name) != variant.outputs.end();
        writes = writes || (is_named && is_of_variant);
        // A single launch also declares outputs that it does not name, so that they are found unwritten.
        if (is_of_variant && (is_named || variant.launches.size() == 1)) declare(output);
    }
    for (const OutputText& array : lesson.scratch)
        if (words.contains(array.name)) {
            writes = true;
            declare(array);
        }
    // In a user's kernel, the compiler names a misspelt output. With several launches, outputs that a kernel
    // does not name are not declared, so it could write nothing.
    const bool is_of_lesson = std::ranges::count(std::views::values(lesson.kernels), source_text) > 0;
    if (!writes && (is_of_lesson || variant.launches.size() > 1))
        throw Refusal("{} names no output of the lesson, so it computes nothing. Write to an output.",
                      source.name);
    const auto is_constant = [&](const Parameter& parameter) {
        return contains(launch.constants, parameter.id);
    };
    for (const Parameter& parameter : lesson.parameters) {
        // The kernel gets the grid, which "auto" leaves open here, from `launch`.
        const bool is_number =
            !std::holds_alternative<Extent>(parameter.default_value) && !parameter.is_automatic;
        if (!is_number || !words.contains(parameter.id) || is_constant(parameter)) continue;
        members += fmt::format(" {} parameter_{};", push_type(parameter), parameter.id);
        copies += fmt::format("{0} {1} = launch.parameter_{1};\n", push_type(parameter), parameter.id);
        kernel.parameters.push_back(parameter.id);
    }
    kernel.names_repetition = words.contains("repetition") && !launch.repeat.empty();
    if (kernel.names_repetition) {
        members += " uint parameter_repetition;";
        copies += "uint repetition = launch.parameter_repetition;\n";
    }
    for (std::size_t i = 0; i < launch.constants.size(); ++i) {
        constexpr std::size_t first_constant = 3;  // see Dispatch::constants
        const std::string& name = launch.constants[i].text;
        const Parameter* const parameter = find(lesson.parameters, name);
        const std::string_view type = parameter ? push_type(*parameter) : "uint";
        declarations += fmt::format("layout(constant_id = {}) const {} {} = {};\n", first_constant + i, type,
                                    name, type == "float" ? "1.0" : "1");
    }
    if (kernel.parameters.size() > max_parameters)
        throw Refusal("{} names {} parameters; a kernel can have at most {}.", source.name,
                      kernel.parameters.size(), max_parameters);
    kernel.head += "#extension GL_GOOGLE_include_directive : require\n";
    if (has_f16) kernel.head += "#extension GL_EXT_shader_16bit_storage : require\n";
    if (words.contains("cooperative_matrix")) {
        if (device.cooperative_matrix) kernel.head += "#define HAS_MATRIX_UNITS\n";
        if (device.byte_matrices) kernel.head += "#define HAS_BYTE_MATRICES\n";
    }
    if (!members.empty()) kernel.head += fmt::format("#define PARAMETERS{}\n", members);
    kernel.head += fmt::format("#include \"common/launch.glsl\"\n{}{}#line 1\n", declarations, copies);
    return kernel;
}

}  // namespace gridstride::text_lesson
