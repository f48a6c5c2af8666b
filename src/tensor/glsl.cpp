#include "tensor/glsl.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/units.h"

namespace gridstride::tensor {

namespace {

/// Words that a kernel has for something else: GLSL's, and those of shaders/tensor and of the text below.
/// (The GLSL specification 4.50, 3.6 "Keywords", those in small letters that people may think of as a name.)
const std::set<std::string_view>& taken_words() {
    static const std::set<std::string_view> words = {
        "active", "asm", "attribute", "bool", "break", "buffer", "bvec2", "bvec3", "bvec4", "case", "cast",
        "centroid", "class", "coherent", "common", "const", "continue", "default", "discard", "dmat2", "do",
        "double", "dvec2", "dvec3", "dvec4", "else", "enum", "extern", "external", "false", "filter", "fixed",
        "flat", "float", "for", "goto", "half", "highp", "hvec2", "if", "image1D", "in", "inline", "inout",
        "input", "int", "interface", "invariant", "ivec2", "ivec3", "ivec4", "layout", "long", "lowp", "mat2",
        "mat3", "mat4", "mediump", "namespace", "noinline", "out", "output", "partition", "patch", "precise",
        "precision", "public", "readonly", "resource", "restrict", "return", "sample", "sampler2D", "shared",
        "short", "sizeof", "smooth", "static", "struct", "subroutine", "superp", "switch", "template",
        "texture", "this", "true", "typedef", "uint", "uniform", "union", "unsigned", "using", "uvec2",
        "uvec3", "uvec4", "varying", "vec2", "vec3", "vec4", "void", "volatile", "while", "writeonly",
        // Functions of GLSL that the operations call, or that may well be a tensor's name.
        "abs", "all", "any", "ceil", "clamp", "cos", "cross", "distance", "dot", "equal", "exp", "exp2",
        "floor", "fract", "length", "log", "log2", "max", "min", "mix", "mod", "normalize", "not", "pow",
        "radians", "reflect", "round", "sign", "sin", "sqrt", "step", "tan", "tanh", "transpose", "trunc",
        "barrier", "inverse", "notEqual", "greaterThan",
        // shaders/common, shaders/tensor
        "launch", "workgroup", "place_of", "quads", "first_quad", "step_of_quads", "elements_of", "hypot",
        "tanh_of", "greater", "where", "random_at", "philox", "philox_round", "main", "nothing", "with",
        "number_at", "leave", "kept", "sharers", "parts", "e", "q", "r", "result", "place", "defined",
        "NUMBER", "PARAMETERS"};
    return words;
}

std::string literal(double value, ElementType type) {
    if (type == ElementType::i32) return fmt::format("{}", static_cast<std::int64_t>(value));
    std::string text = fmt::format("{}", static_cast<float>(value));
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

/// FNV-1a, 64 bits: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm".
std::uint64_t hash_of(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

std::string name_of_source(std::string_view text) {
    return fmt::format("made/kernel_{:016x}", hash_of(text));
}

class Writer {
 public:
    /// wide: four elements at a time. by_number: they are known by their numbers e alone, and are no quad.
    Writer(const Graph& graph, bool wide, bool by_number = false, std::size_t first_constant = 3)
        : graph_(graph),
          nodes_(graph.nodes()),
          wide_(wide),
          by_number_(by_number),
          first_constant_(first_constant) {
        for (const Node& node : nodes_)
            if (node.has_own_name) names_.insert(word_of(node.name));
    }

    Kernel kernel;
    std::string body;
    bool needs_elements = false;  ///< the numbers of the elements in the whole launch

    /// Its own name, or something like it where the word is taken.
    /// What has none is numbered as it comes, so that the same work is the same kernel.
    std::string identifier(std::size_t n) {
        const Node& node = nodes_[n];
        if (!node.has_own_name)
            return fmt::format("t{}", numbered_.try_emplace(n, numbered_.size() + 1).first->second);
        // Among the lines of a kernel that ships, any word may be.
        return by_number_ ? beside("the_" + word_of(node.name)) : word_for(node.name);
    }
    std::string word_for(std::string_view name) const {
        const std::string word = word_of(name);
        return taken_words().contains(word) ? beside("the_" + word) : word;
    }

    /// A word made of a tensor's name, or another one where a tensor is called so.
    std::string beside(std::string word) const {
        while (names_.contains(word))
            word += "_0";
        return word;
    }
    std::string out_of(std::size_t n) { return beside(identifier(n) + "_out"); }

    /// What is read in the body stands where the result's element does; in a declaration of the reduction it
    /// is the element of a view.
    std::string read(const Source& source, const Shape& as) {
        const Node& node = nodes_[source.node];
        if (registers_.contains(source.node)) return identifier(source.node);
        if (node.op == Op::number) return literal(node.number, node.type);
        if (!by_number_ && is_each(graph_, source, as) && node.op != Op::random) {
            bind(source.node, true);
            return fmt::format("{}[{}]", identifier(source.node), wide_ ? "q" : "r");
        }
        needs_elements = true;
        return seen(source, wide_);
    }

    /// The element e of a view, of one number or four.
    std::string seen(const Source& source, bool wide) {
        const Node& node = nodes_[source.node];
        if (node.op == Op::number) return literal(node.number, node.type);
        if (node.op == Op::random) {
            uses_random_ = true;
            const std::string seed = fmt::format("uvec2({}u, {}u)", node.seed & UINT32_MAX, node.seed >> 32);
            const bool is_whole = source.view.is_whole();
            return fmt::format("random_at({}, {})",
                               is_whole ? "e" : fmt::format("place_in_{}(e)", view_of(source, wide)), seed);
        }
        bind(source.node, false);
        if (!wide && source.view.is_whole()) return identifier(source.node) + "[e]";
        return fmt::format("{}_at(e)", view_of(source, wide));
    }

    void line(std::size_t n) {
        const Node& node = nodes_[n];
        const Elementwise& row = *elementwise(node.op);
        // A literal is a number, and becomes four beside four; but not as the operand of a function.
        const bool is_call = row.glsl.find('(') != std::string_view::npos;
        const bool all_numbers = std::ranges::all_of(
            node.sources, [&](const Source& s) { return nodes_[s.node].op == Op::number; });
        std::vector<std::string> operands;
        for (const Source& source : node.sources) {
            const bool is_number = nodes_[source.node].op == Op::number;
            std::string text = read(source, node.shape);
            if (is_number && (is_call || all_numbers)) text = fmt::format("{}({})", type_of(node), text);
            operands.push_back(std::move(text));
        }
        operands.resize(3);
        body += fmt::format("{}const {} {} = {};\n", indent(), type_of(node), identifier(n),
                            fmt::format(fmt::runtime(row.glsl), operands[0], operands[1], operands[2]));
        registers_.insert(n);
    }

    std::string type_of(const Node& node) const { return type_of(node, wide_); }
    static std::string type_of(const Node& node, bool wide) {
        const bool is_real = node.type == ElementType::f32;
        return wide ? (is_real ? "vec4" : "ivec4") : (is_real ? "float" : "int");
    }

    void in_register(std::size_t node) { registers_.insert(node); }

    /// What is left in memory of these.
    void store(const Group& group) {
        for (const std::size_t n : group) {
            const bool is_output = std::ranges::find(graph_.outputs(), n) != graph_.outputs().end();
            if (n != group.back() && !is_output) continue;
            kernel.writes.push_back(n);
            body += fmt::format("{}{}[{}] = {};\n", indent(), out_of(n), wide_ ? "q" : "r", identifier(n));
        }
    }

    /// The buffers: what is read, at the bindings from `first_binding` on, then what is written.
    std::string buffers(std::size_t first_binding) {
        std::string text;
        std::size_t binding = first_binding;
        for (const auto& [n, each] : kernel.reads)
            text += buffer(binding++, "readonly ", n, identifier(n));
        for (const std::size_t n : kernel.writes)
            text += buffer(binding++, "writeonly ", n, out_of(n));
        return text;
    }
    std::string buffer(std::size_t binding, std::string_view access, std::size_t n,
                       const std::string& name) const {
        return fmt::format("layout(std430, binding = {}) {}buffer {} {{ {} {}[]; }};\n", binding, access,
                           block_name(name), type_of(nodes_[n]), name);
    }

    std::string random_include() const { return uses_random_ ? "#include \"tensor/random.glsl\"\n" : ""; }
    const std::string& views() const { return views_; }

    void finish(std::string text) {
        kernel.name = name_of_source(text);
        kernel.source = std::move(text);
    }

 private:
    std::string_view indent() const { return wide_ && !by_number_ ? "        " : "    "; }
    std::string block_name(std::string name) const {
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
        return beside(name + "Buffer");
    }

    void bind(std::size_t node, bool each) {
        const auto known = std::ranges::find(kernel.reads, node, &Kernel::Read::node);
        if (known == kernel.reads.end())
            kernel.reads.push_back({node, each});
        else
            known->each &= each;
    }

    /// A tensor is called as something that declares a view of that name.
    bool clashes(const std::string& view) const {
        return std::ranges::any_of(names_, [&](const std::string& name) {
            return name == view + "_at" || name == "place_in_" + view || name == view + "_offset" ||
                   name.starts_with(view + "_extent") || name.starts_with(view + "_stride");
        });
    }

    /// Declares how a view's elements are found, the first time; the end of its functions' names.
    std::string view_of(const Source& source, bool wide) {
        const auto known = std::ranges::find_if(
            seen_, [&](const Source& s) { return s.node == source.node && s.view == source.view; });
        const auto before =
            std::count_if(seen_.begin(), known, [&](const Source& s) { return s.node == source.node; });
        const Node& node = nodes_[source.node];
        const std::string of =
            node.op == Op::random ? fmt::format("r{}", source.node) : identifier(source.node);
        std::string name = before == 0 ? of : fmt::format("{}_{}", of, before + 1);
        while (clashes(name) || (before > 0 && names_.contains(name)))
            name += "_0";
        if (known != seen_.end()) return name;
        seen_.push_back(source);
        declare_place(source.view.collapsed(), name, of);
        const std::string four = type_of(node, true), one = type_of(node, false);
        if (node.op == Op::random) {
            views_ += fmt::format("uvec4 place_in_{}(uvec4 e) {{\n    return uvec4({});\n}}\n\n", name,
                                  each_of_four("place_in_" + name));
            return name;
        }
        const std::string place = fmt::format("place_in_{}(e)", name);
        views_ += fmt::format("{} {}_at(uint e) {{ return {}[{}]; }}\n", one, name, of,
                              wide_ ? fmt::format("{0} / 4][{0} % 4", place) : place);
        if (wide)
            views_ += fmt::format("{0} {1}_at(uvec4 e) {{ return {0}({2}); }}\n", four, name,
                                  each_of_four(name + "_at"));
        views_ += '\n';
        return name;
    }

    static std::string each_of_four(const std::string& function) {
        return fmt::format("{0}(e.x), {0}(e.y), {0}(e.z), {0}(e.w)", function);
    }

    /// What is 0 or 1 is not written: it belongs to the structure.
    void declare_place(const View& view, const std::string& name, const std::string& of) {
        views_ += fmt::format("// Where element e of a view of {} stands.\n", of);
        const auto constant = [&](std::string_view what, std::uint64_t value) {
            std::string called = fmt::format("{}_{}", name, what);
            views_ += fmt::format("layout(constant_id = {}) const uint {} = 1;\n",
                                  first_constant_ + kernel.constants.size(), called);
            kernel.constants.push_back(static_cast<std::uint32_t>(value));
            return called;
        };
        std::vector<std::string> terms;
        if (view.offset > 0) terms.push_back(constant("offset", view.offset));
        std::string rest = "e";
        for (std::size_t i = view.shape.size(); i-- > 0;) {
            std::string index = rest;
            if (i > 0) {
                const std::string extent = constant(fmt::format("extent{}", i), view.shape[i]);
                index += " % " + extent;
                rest += " / " + extent;
            }
            if (view.strides[i] > 1) index += " * " + constant(fmt::format("stride{}", i), view.strides[i]);
            if (view.strides[i] > 0) terms.push_back(std::move(index));
        }
        if (terms.empty()) terms.emplace_back("0");
        views_ += fmt::format("uint place_in_{}(uint e) {{ return {}; }}\n", name, fmt::join(terms, " + "));
    }

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    bool wide_, by_number_;
    std::size_t first_constant_;   ///< of its own specialisation constants
    std::set<std::string> names_;  ///< of tensors, as a kernel writes them
    bool uses_random_ = false;
    std::set<std::size_t> registers_;
    std::map<std::size_t, std::size_t> numbered_;
    std::vector<Source> seen_;
    std::string views_;
};

constexpr std::string_view head =
    "#version 450\n\n// Made from a graph: {}.\n#extension GL_GOOGLE_include_directive : require\n";

std::string what_of(const Group& group, std::string_view how) {
    return counted(group.size(), "operation") + " " + std::string(how);
}

}  // namespace

namespace {

/// The text with other words for tensors' names, where they stand whole: in `b.text.a` and `text.ab` there is
/// no text.a.
std::string with_words(std::string_view text, const std::map<std::string, std::string, std::less<>>& words) {
    const auto end_of_word = [&](std::size_t at) {
        while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) || text[at] == '_'))
            ++at;
        return at;
    };
    std::string made;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = end_of_word(at);
        if (end == at) {
            made += text[at++];
            continue;
        }
        if (end < text.size() && text[end] == '.')
            if (const std::size_t both = end_of_word(end + 1); words.contains(text.substr(at, both - at)))
                end = both;
        const std::string_view name = text.substr(at, end - at);
        const auto found = words.find(name);
        const bool is_member = at > 0 && text[at - 1] == '.';
        made += found == words.end() || is_member ? name : found->second;
        at = end;
    }
    return made;
}

}  // namespace

Kernel own_kernel(const Graph& graph, const Group& group) {
    const Node& first = graph.nodes()[group.front()];
    const OwnKernel& own = *first.kernel;
    const Writer writer(graph, false);
    Kernel kernel;

    // What it only reads it could write all the same: whoever compiles it sees that it does not, and says it
    // in other words than a compiler's.
    kernel.source =
        "#version 450\n\n// Made from a graph: the tensors of a kernel of somebody's own.\n"
        "#extension GL_GOOGLE_include_directive : require\n#include \"common/launch.glsl\"\n\n";
    kernel.own = own.source;
    std::vector<std::size_t> bound;
    for (const Source& source : first.sources)
        bound.push_back(source.node);
    bound.insert(bound.end(), group.begin(), group.end());
    std::map<std::string, std::string, std::less<>> words;
    for (std::size_t binding = 0; binding < bound.size(); ++binding) {
        const std::string& word = words[own.names[binding]] = writer.word_for(own.names[binding]);
        kernel.source += writer.buffer(binding, "", bound[binding], word);
    }
    for (const auto& [said, name] : own.called)
        words[said] = writer.word_for(name);
    kernel.source += "#line 1\n";
    kernel.own->text =
        std::string(std::max<std::size_t>(own.first_line, 1) - 1, '\n') + with_words(own.source.text, words);
    kernel.name = name_of_source(kernel.source + kernel.own->text);
    return kernel;
}

Kernel elementwise_kernel(const Graph& graph, const Group& group) {
    Writer writer(graph, true);
    for (const std::size_t n : group)
        writer.line(n);
    writer.store(group);
    std::string text = fmt::format(fmt::runtime(head), what_of(group, "element by element"));
    text += "#include \"tensor/elements.glsl\"\n" + writer.random_include() + "\n";
    text += writer.buffers(0) + "\n" + writer.views();
    text +=
        "void main() {\n    for (uint q = first_quad(); q < quads(); q += step_of_quads()) {\n"
        "        // [elements]\n";
    if (writer.needs_elements) text += "        const uvec4 e = elements_of(q);\n";
    text += writer.body + "        // [/elements]\n    }\n}\n";
    writer.finish(std::move(text));
    return std::move(writer.kernel);
}

Kernel product_kernel(const Graph& graph, const Group& group) {
    constexpr std::size_t constants_of_tile = 11, own_bindings = 3;
    Writer writer(graph, true, true, 3 + constants_of_tile);
    writer.in_register(group.front());
    const std::string product = writer.identifier(group.front());
    for (std::size_t i = 1; i < group.size(); ++i)
        writer.line(group[i]);
    std::string text = fmt::format(
        fmt::runtime(head),
        "a product, and " + what_of(Group(group.begin() + 1, group.end()), "on each of its numbers"));
    text += "#define TAIL\n#include \"matmul/prefetch.comp\"\n#include \"tensor/functions.glsl\"\n" +
            writer.random_include() + "\n";
    text += writer.buffers(own_bindings) + "\n" + writer.views();
    text += fmt::format("vec4 tail(vec4 {}, uvec4 e) {{\n", product);
    text += writer.body + fmt::format("    return {};\n}}\n", writer.identifier(group.back()));
    writer.finish(std::move(text));
    return std::move(writer.kernel);
}

Kernel reduction_kernel(const Graph& graph, const Group& group, Stage stage) {
    const Node& lead = graph.nodes()[group.front()];
    const bool is_real = lead.type == ElementType::f32, is_sum = lead.op == Op::sum;
    Writer writer(graph, false);
    writer.kernel.constants.push_back(1);  // how many share a result
    const std::string number = is_real ? "float" : "int";
    const std::string numbers =
        stage == Stage::second ? "parts_of_it[e]" : writer.seen(lead.sources[0], false);
    writer.in_register(group.front());
    if (stage != Stage::first) {
        for (std::size_t i = 1; i < group.size(); ++i)
            writer.line(group[i]);
        writer.store(group);
    }
    const std::string what =
        std::string(is_sum ? "sums" : "the largest of each") + (stage == Stage::first    ? ", in parts"
                                                                : stage == Stage::second ? ", of parts"
                                                                                         : "");
    std::string text = fmt::format(fmt::runtime(head), what);
    text += "#define PARAMETERS uint numbers; uint parts; uint part_numbers;\n";
    text += "#include \"tensor/elements.glsl\"\n" + writer.random_include() + "\n";
    if (stage == Stage::second)
        text += fmt::format("layout(std430, binding = 0) readonly buffer Parts {{ {} parts_of_it[]; }};\n",
                            number);
    text += writer.buffers(stage == Stage::second ? 1 : 0);
    if (stage == Stage::first)
        text += fmt::format("layout(std430, binding = {}) writeonly buffer Parts {{ {} parts_of_it[]; }};\n",
                            writer.kernel.reads.size(), number);
    text += "\n" + writer.views();
    text += fmt::format("#define NUMBER {}\n", number);
    const std::string least = is_real ? "uintBitsToFloat(0xff800000u)" : "int(0x80000000u)";
    text += fmt::format("#define nothing {}\n", is_sum ? (is_real ? "0.0" : "0") : least);
    text += fmt::format("NUMBER with(NUMBER a, NUMBER b) {{ return {}; }}\n", is_sum ? "a + b" : "max(a, b)");
    text += fmt::format("NUMBER number_at(uint e) {{ return {}; }}\n", numbers);
    text += "void leave(uint r, uint e, NUMBER result) {\n";
    if (stage == Stage::first) {
        text += "    parts_of_it[r] = result;\n";
    } else {
        text += fmt::format("    const NUMBER {} = result;\n", writer.identifier(group.front()));
        text += writer.body;
    }
    text += "}\n\n#include \"tensor/reduce.glsl\"\n";
    writer.finish(std::move(text));
    return std::move(writer.kernel);
}

}  // namespace gridstride::tensor
