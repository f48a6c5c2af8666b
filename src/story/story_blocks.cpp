#include "story/story_blocks.h"

#include "base/text.h"
#include "story/block_reader.h"

namespace gridstride {

Block make_fenced_block(std::string_view info, std::string_view content, const FencePlace& place) {
    const std::string_view words = trimmed(info);
    const std::size_t space = words.find(' ');
    const std::string_view keyword = words.substr(0, space);
    const std::string_view argument =
        space == std::string_view::npos ? std::string_view{} : trimmed(words.substr(space));
    BlockReader reader(std::string(keyword), place);
    if (keyword == "set") return reader.set(content);
    if (keyword == "predict") return read_predict(content, place);
    if (keyword == "make") return read_make(argument, content, place);
    if (keyword == "kernel") {
        if (argument.empty()) reader.fail("name a shader: ```kernel reduction/tree_sequential.comp#tree");
        const std::size_t hash = argument.find('#');
        return KernelBlock{std::string(argument.substr(0, hash)),
                           hash == std::string_view::npos ? "" : std::string(argument.substr(hash + 1)),
                           place.line};
    }
    if (keyword == "plot") {
        if (argument.empty()) reader.fail("name a plot: ```plot partial_sums");
        PlotBlock block{.plots = {}, .line = place.line};
        for (const std::string_view name : trimmed_parts(argument, ',')) {
            if (name.empty()) reader.fail("a plot has no name: write ```plot graph, memory");
            block.plots.emplace_back(name);
        }
        return block;
    }
    if (keyword == "inside") return reader.inside(argument);
    return CodeBlock{std::string(content), std::string(keyword), place.line};
}

}  // namespace gridstride
