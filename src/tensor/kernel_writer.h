// Writes a kernel for a group: a line per node, and the declarations that the lines need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/glsl_identifiers.h"
#include "tensor/schedule.h"

namespace gridstride::tensor {

/// A generated kernel. Its source depends only on the structure of the group; shapes and element counts are
/// specialization constants.
struct Kernel {
    std::string name;
    std::string source;
    struct Input {
        std::size_t node;
        bool is_elementwise;  ///< read elementwise only, so a slice of the launch needs only its part
    };
    std::vector<Input> reads;              ///< at the first bindings
    std::vector<std::size_t> writes;       ///< nodes that are written elementwise, at the next bindings
    std::vector<std::uint32_t> constants;  ///< specialization constants from 3 on
    std::optional<KernelSource> file_source = {};  ///< the user's text, appended to the source
};

class KernelWriter {
 public:
    enum class Addressing {
        quads,    ///< quads of elements; q is the quad's index in a dispatch
        results,  ///< single elements; r is the element's index in a dispatch
        product,  ///< results of a matrix product, four of a row, with their indices e
    };
    /// first_constant: the id of the first specialization constant. The arguments must outlive the writer.
    KernelWriter(const Graph& graph, const Group& group, Addressing over, std::size_t first_constant = 3);

    Kernel kernel;
    GlslIdentifiers identifiers;
    std::string body;
    bool needs_elements = false;  ///< the body uses e, the element indices in the whole launch

    /// Unnamed nodes are numbered in order of use, so that equal groups give the same kernel.
    std::string identifier(std::size_t node);
    /// Returns an expression for element e of a view.
    std::string view_access(const Source& source);
    /// Appends the line of a node that is computed by element to the body.
    void line(std::size_t node);
    void mark_in_register(std::size_t node) { registers_.insert(node); }
    /// Appends stores of the group's last node and of its outputs.
    void store();
    void declare(std::string_view access, std::string_view type, std::string_view word);

    /// The source is `beginning` (includes), the declarations, then `end`. `does` is a title, such as "sums".
    Kernel build(std::string_view does, std::string_view beginning, std::string_view end);

 private:
    struct ViewFunction {
        Source source;
        std::string function;
    };
    std::string read(const Source& source, const Node& reader);
    std::string view_function(const Source& source);
    /// Declares a function that returns element e of a node of Op::pad. Returns its name.
    std::string declare_pad_function(std::size_t node);
    std::string declare_constant(std::string name, std::uint64_t value);
    /// Declares the overload for four elements of a function for one.
    void declare_for_quads(std::string_view function, std::string_view four);
    std::string declare_index_function(const View& view, const std::string& name, const std::string& of);
    void bind(std::size_t node, bool each);
    bool is_vectorized() const { return addressing_ != Addressing::results; }
    /// The type of the node's elements in registers, where f16 are f32.
    std::string_view type_of(const Node& node) const { return type_of(node, is_vectorized()); }
    static std::string_view type_of(const Node& node, bool four) {
        return glsl_element_type(computing_type(node.type), four);
    }
    /// The type of the node's elements in memory. Two f16 share a word, which every device can load.
    std::string_view memory_type_of(const Node& node) const;
    /// Returns an expression for the elements that `index` stands for, loaded from memory.
    std::string load(std::size_t node, std::string_view index);
    /// Returns an expression for the element at this place in memory.
    std::string load_single(std::size_t node, std::string_view place);
    std::string_view result_index() const { return is_vectorized() ? "q" : "r"; }
    std::string_view indent() const { return addressing_ == Addressing::quads ? "        " : "    "; }

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Group& group_;
    Addressing addressing_;
    std::map<std::size_t, std::string> identifiers_;  ///< by node
    std::size_t unnamed_count_ = 0;
    std::set<std::size_t> registers_;
    std::vector<ViewFunction> view_functions_;
    std::size_t next_binding_, first_spec_constant_id_;
    std::string buffers_, views_;
    bool uses_random_ = false;
};

}  // namespace gridstride::tensor
