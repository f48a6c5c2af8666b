// The parts of a kernel that is made from a group: a line for each node, and what the lines need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/kernel_words.h"
#include "tensor/schedule.h"

namespace gridstride::tensor {

/// The same for all shapes and numbers of elements that have the same structure: those are constants.
struct Kernel {
    std::string name;  ///< no other source has it
    std::string source;
    struct Read {
        std::size_t node;
        bool each;  ///< element by element alone: a slice of the launch sees its part
    };
    std::vector<Read> reads;               ///< at the first bindings
    std::vector<std::size_t> writes;       ///< nodes, at the bindings behind them, element by element
    std::vector<std::uint32_t> constants;  ///< specialisation constants from 3 on
    std::optional<KernelSource> own = {};  ///< somebody's own text, which stands behind the source
};

class KernelWriter {
 public:
    enum class Over {
        quads,    ///< of elements, quad q of a dispatch
        results,  ///< one by one, element r of a dispatch
        product,  ///< its numbers, four of a row, which are known by their places e alone
    };
    /// What is given outlives it.
    KernelWriter(const Graph& graph, const Group& group, Over over);

    Kernel kernel;
    KernelWords words;
    std::string body;
    bool needs_elements = false;  ///< the numbers e of the elements in the whole launch

    /// Its own name, or something like it where the word is taken. What has none is numbered as it comes, so
    /// that the same work is the same kernel.
    std::string identifier(std::size_t node);
    /// Element e of a view.
    std::string seen(const Source& source);
    /// Of a node that is made element by element.
    void line(std::size_t node);
    /// A line of its own has made it.
    void in_register(std::size_t node) { registers_.insert(node); }
    /// Leaves in memory what is wanted of the group.
    void store();
    /// A buffer at the next binding.
    void declare(std::string_view access, std::string_view type, std::string_view word);

    /// does: as "sums". beginning: includes. What is declared stands between it and the end.
    Kernel finished(std::string_view does, std::string_view beginning, std::string_view end);

 private:
    struct Seen {
        Source source;
        std::string function;
    };
    std::string read(const Source& source, const Shape& as);
    std::string function_of(const Source& source);
    std::string declare_place(const View& view, const std::string& name, const std::string& of);
    void bind(std::size_t node, bool each);
    bool is_wide() const { return over_ != Over::results; }
    std::string_view type_of(const Node& node) const { return type_of_elements(node.type, is_wide()); }
    std::string_view own_element() const { return is_wide() ? "q" : "r"; }
    std::string_view indent() const { return over_ == Over::quads ? "        " : "    "; }

    const Graph& graph_;
    const std::vector<Node>& nodes_;
    const Group& group_;
    Over over_;
    std::map<std::size_t, std::string> called_;  ///< by node
    std::size_t unnamed_ = 0;
    std::set<std::size_t> registers_;
    std::vector<Seen> seen_;
    std::size_t next_binding_, first_constant_;
    std::string buffers_, views_;
    bool uses_random_ = false;
};

}  // namespace gridstride::tensor
