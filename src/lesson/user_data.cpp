#include "lesson/user_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "base/array.h"
#include "base/error.h"
#include "base/find_in_folders.h"
#include "base/shared_memory.h"
#include "base/text.h"
#include "base/units.h"
#include "readers/image_file.h"
#include "readers/npy.h"
#include "readers/wav.h"

namespace gridstride {
namespace {

Numbers read_numbers_or_refuse(const std::filesystem::path& path, const FileChoice& choice,
                               FileProgress* progress, AcceptedShapes shapes) {
    try {
        return read_numbers(path, choice, progress, shapes);
    } catch (const SharedMemoryError& none) {
        throw FileError(fmt::format("Cannot read {}: {}", quote_path(path), none.what()));
    } catch (const std::bad_alloc&) {
        throw FileError(
            fmt::format("Cannot read {}: there is not enough free memory for its numbers. Choose a "
                        "smaller file.",
                        quote_path(path)));
    }
}

UserData read_by_extension(const std::filesystem::path& path, const std::string& ending,
                           const FileChoice& choice, FileProgress* progress, AcceptedShapes shapes) {
    Numbers numbers;
    if (ending == ".wav") {
        numbers = read_wav(path, choice, progress);
    } else if (ending == ".png") {
        GreyImage image = read_grey_png(path, progress);
        numbers = {std::move(image.levels), image.width,
                   fmt::format("{} x {} pixels", image.width, image.height), "", std::move(image.remarks)};
    } else {
        numbers = read_numbers_or_refuse(path, choice, progress, shapes);
    }
    return {.numbers = share(std::move(numbers.array)),
            .width = numbers.width,
            .name = printable(path.filename().native()),
            .selection = std::move(numbers.selection),
            .stored_type = std::move(numbers.stored_type),
            .remarks = std::move(numbers.remarks)};
}

void require_applicable_choice(const std::filesystem::path& path, const std::string& ending,
                               const FileChoice& choice) {
    const bool is_text = ending == ".csv" || ending == ".txt", is_sound = ending == ".wav";
    const std::pair<bool, const char*> set[] = {
        {!is_text && !choice.column.empty(), "--column applies to .csv and .txt files"},
        {!is_text && choice.has_header, "--header applies to .csv and .txt files"},
        {!is_sound && choice.channel > 0, "--channel applies to .wav files"},
        {!is_sound && choice.wav_counts, "--wav-scale applies to .wav files"}};
    std::vector<std::string> reasons;
    for (const auto& [is_wrong, what] : set)
        if (is_wrong)
            reasons.push_back(fmt::format("{}, but the input is {}. Leave it out.", what, quote_path(path)));
    if (!reasons.empty()) throw Refusal(std::move(reasons));
}

FileError outside_folder_error(const std::string& folder, const std::string& file) {
    return FileError(fmt::format(
        "{} is outside {}. A program reads and writes only files in its own folder. Name a file there.",
        quote_text(file), quote_path(folder)));
}

}  // namespace

UserData read_user_data(const std::filesystem::path& path, const Lesson& lesson, const FileChoice& choice,
                        FileProgress* progress) {
    const std::string ending = to_lower(path.extension().string());
    if (std::find(lesson.input_files.begin(), lesson.input_files.end(), ending) == lesson.input_files.end())
        throw Refusal(
            lesson.input_files.empty()
                ? fmt::format("{} does not accept your own input. Leave out the input file.", lesson.id)
                : fmt::format("{} cannot use {}. It accepts files that end in {}.", lesson.id,
                              quote_path(path), join(lesson.input_files, ", ")));
    require_applicable_choice(path, ending, choice);
    UserData data = read_by_extension(path, ending, choice, progress, AcceptedShapes::line_or_rows);
    data.checksum = fmt::format("{:08x}", compute_checksum(*data.numbers, progress));
    return data;
}

std::string normalize_name_in_folder(const std::string& folder, const std::string& file) {
    const std::filesystem::path whole = (std::filesystem::path(folder) / file).lexically_normal();
    std::string name = whole.lexically_relative(std::filesystem::path(folder).lexically_normal()).string();
    if (!folder.empty() && (name.empty() || name == ".." || name.starts_with("../")))
        throw outside_folder_error(folder, file);
    return folder.empty() ? whole.string() : name;
}

std::filesystem::path resolve_path_in_folder(const std::string& folder, const std::string& file) {
    if (folder.empty())
        throw FileError(
            fmt::format("{} must be in the folder of the program, which has not been saved yet. Save the "
                        "program first.",
                        quote_text(file)));
    const std::vector<std::filesystem::path> folders = canonical_folders({folder});
    if (folders.empty())
        throw FileError(
            fmt::format("{} cannot be used in {}: that folder does not exist or is the root folder. Save "
                        "the program in another folder.",
                        quote_text(file), quote_path(folder)));
    const std::filesystem::path path = (folders.front() / file).lexically_normal();
    const FolderSearchResult found = find_in_folders(folders, {path});
    if (found.leads_outside) throw outside_folder_error(folder, file);
    std::error_code error;
    if (found.file.empty() && std::filesystem::exists(path, error))
        throw FileError(fmt::format("{} in {} is a folder, a pipe or a device. Name a regular file.",
                                    quote_text(file), quote_path(folder)));
    return found.file.empty() ? path : found.file;
}

UserData read_file_in_folder(const std::string& folder, const std::string& file) {
    const std::filesystem::path path = resolve_path_in_folder(folder, file);
    static const std::vector<std::string> extensions = {".npy", ".csv", ".txt", ".wav", ".png"};
    const std::string ending = to_lower(path.extension().string());
    if (std::ranges::find(extensions, ending) == extensions.end())
        throw FileError(fmt::format("{} cannot be read as numbers. Name a file that ends in {}.",
                                    quote_text(file), join(extensions, ", ")));
    const bool is_text = ending == ".csv" || ending == ".txt";
    try {
        return read_by_extension(path, ending, {.column = is_text ? "all" : ""}, nullptr,
                                 AcceptedShapes::all);
    } catch (const NeedsChoice& several) {
        throw FileError(fmt::format("{}: {} A program cannot choose; save the numbers as .npy.",
                                    quote_path(path), several.question.text));
    }
}

}  // namespace gridstride
