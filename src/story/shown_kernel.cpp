// Which lines of which file a story's `kernel` block shows.
#include <fmt/format.h>

#include <cstdint>

#include "base/error.h"
#include "base/file.h"
#include "base/find_inside.h"
#include "base/quote.h"
#include "story/story.h"

namespace gridstride {

namespace {

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 20;

/// Throws FileError when no file that a story may show has this name.
std::string read_shown(const std::string& story_file, const std::string& file) {
    const std::vector<std::filesystem::path> folders = {data_directory() / "shaders",
                                                        (data_directory() / story_file).parent_path()};
    std::vector<std::filesystem::path> candidates;
    for (const std::filesystem::path& folder : folders)
        candidates.push_back(folder / file);
    const FoundInside found = find_inside(real_folders(folders), candidates);
    if (!found.file.empty()) return read_file(found.file, most_bytes);
    throw FileError(found.leads_outside
                        ? fmt::format("{} leads out of the shaders that ship and the story's own folder, and "
                                      "a story shows files of these alone. Name one of them.",
                                      quoted_text(file))
                        : fmt::format("there is no file {} among the shaders that ship, nor beside the "
                                      "story. Correct the name.",
                                      quoted_text(file)));
}

}  // namespace

SourceRegion shown_kernel(const Story& story, const StoryStep& step, const KernelBlock& block) {
    const auto fail = [&](const std::string& reason) -> StoryError {
        return StoryError(
            fmt::format("{}: kernel: {}", place_in_story(story.file, block.line, step.title), reason));
    };
    std::string source;
    try {
        source = read_shown(story.file, block.file);
    } catch (const FileError& error) {
        throw fail(error.what());
    }
    SourceRegion region;
    try {
        region = kernel_region(without_byte_order_mark(source), block.region);
    } catch (const StoryError& error) {
        throw fail(fmt::format("in {} {}", block.file, error.what()));
    }
    if (region.text.empty())
        throw fail(fmt::format("the region \"{}\" of {} is empty", block.region, block.file));
    return region;
}

}  // namespace gridstride
