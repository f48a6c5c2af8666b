// A lesson that is a folder of text: what its lesson.toml declares. assets/manual/text_lessons.md describes
// the format.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "lesson/lesson.h"
#include "lesson/plot.h"
#include "text_lesson/toml_table.h"

namespace gridstride::text_lesson {

inline constexpr const char* lesson_file = "lesson.toml";
inline constexpr const char* withheld_file = "withheld.toml";

/// An array of the lesson. Shapes are expressions of n and the parameters, the outermost extent first.
struct ArrayText {
    std::string name;
    ElementType type = ElementType::f32;
    std::vector<TomlText> shape;
    /// Elements of its buffer, if it is longer than the array: kernels may reach what lies behind the array.
    TomlText padded = {};
    /// The word that an output or a scratch array is filled with before each run, and the padding of each.
    std::optional<std::uint32_t> fill = {};
    std::size_t line = 1;
};

struct InputText : ArrayText {
    TomlText value = {};
    ArrayRef numbers = {};  ///< of its data file, in place of `value`; may be null
    /// A choice parameter and an expression for each of its choices, in their order, in place of `value`.
    std::string by_parameter = {};
    std::vector<TomlText> choices = {};
};

/// An output, or a scratch array that only the device sees.
struct OutputText : ArrayText {
    TomlText when = {};  ///< a condition, without which it is neither downloaded nor judged; empty: always
    /// A scratch array that each run leaves as the next one needs it: see Run::fill_time_of_kept_array().
    bool is_kept = false;
};

/// Expressions by name, which other expressions use.
using Definitions = std::vector<std::pair<std::string, TomlText>>;
/// Bounds the depth of definitions that use each other.
inline constexpr std::size_t max_definitions = 100;

/// The unit of the allowed error of an Expectation.
enum class ErrorUnit {
    computed,  ///< the bound that follows from the expression (base/bounded.h); exact for whole numbers
    scaled,    ///< see tensor::ToleranceUnit
    ulp,       ///< 2^-23 of the expected magnitude
};

struct ExpectedText {
    std::string output;
    TomlText value;
    std::string reference = {};  ///< in place of `value`: an id in LessonText::references
    ErrorUnit unit = ErrorUnit::computed;
    double tolerance = 0;  ///< in units of `unit`
    TomlText within = {};  ///< an expression in place of `tolerance`
};

/// A launch of a variant. Extents are expressions, x first; empty: those of the bench, and the domain.
struct LaunchText {
    std::string kernel = {};  ///< a file of the folder
    std::vector<TomlText> domain = {}, workgroup = {}, grid = {}, tile = {};
    TomlText default_grid = {};                               ///< workgroups of the automatic grid
    TomlText iterations_per_pass = {}, iterations_once = {};  ///< see Dispatch
    TomlText repeat = {};  ///< how often it is launched; the kernel gets the number as `repetition`
    bool loops = true;     ///< false: an invocation processes at most one element
    std::vector<TomlText> constants =
        {};                             ///< specialisation constants: parameters, whole numbers of [define]
    std::vector<TomlText> vec4 = {};    ///< arrays of which the kernel accesses four elements at a time
    std::vector<TomlText> vec8 = {};    ///< arrays of f16 of which it accesses eight as a uvec4
    std::vector<TomlText> reads = {};   ///< outputs and scratch arrays that it only reads
    std::vector<TomlText> writes = {};  ///< inputs that it writes as well
    std::vector<TomlText> coherent = {}, is_volatile = {};  ///< arrays with these memory qualifiers
    std::vector<TomlText> sliced = {};                      ///< see Binding::is_sliced
    /// If true, it may be divided although no array is sliced and the kernel does not name place_of.
    bool is_divisible = false;
    std::size_t line = 1;
};

/// A variant, an exercise, or a reference kernel.
struct VariantText : VariantName {
    /// At least one. The kernel of the first one is shown, and a student's own replaces it; that of an
    /// exercise is the starter.
    std::vector<LaunchText> launches = {};
    bool has_submit_each = false;                 ///< the host waits for each launch
    Definitions definitions = {};                 ///< in place of the lesson's
    std::vector<TomlText> downloaded_early = {};  ///< outputs that are copied back before the first launch
    /// Outputs that begin as a copy of an input, and its name.
    std::vector<std::pair<std::string, TomlText>> initial = {};
    std::string solution = {};  ///< of an exercise
    std::uint64_t per_invocation = 1;
    /// Bytes that must be moved, and arithmetic operations; empty: all arrays once, and 0.
    TomlText moved_bytes = {}, operations = {};
    TomlText wrong_on_purpose = {};         ///< a condition, true or false; empty: never
    std::vector<std::string> outputs = {};  ///< what the kernels write
    std::vector<ExpectedText> expected = {};
    /// The expectations of an exercise are in withheld.toml, which students do not get.
    bool is_withheld = false;
    /// A reference kernel, whose title is its file and which has one output. It has one launch with an
    /// invocation for each element, while the launch that expressions know is that of the variant.
    bool is_reference = false;
    std::size_t line = 1;
};

struct RemarkText {
    std::string parameter;
    Severity severity = Severity::note;
    TomlText when;
    std::string text;  ///< an expression in braces stands for its number
    std::size_t line = 1;
};

struct FactText {
    std::string id, label;
    TomlText value;
    TomlText when = {};      ///< a condition of the outputs, without which it is left out; empty: always
    double uncertainty = 0;  ///< see Fact
};

enum class PictureKind {
    bars,
    line,
    scatter,
    histogram,
    image,
    cells,
    time_by,
    memory,
    // from a trace:
    access,
    passes,
    levels,
    coverage,
    conflicts,
    sectors,
    atomics,
    lanes,
    banks,
    timeline,
};

struct PictureText {
    std::string id, title;
    PictureKind kind = PictureKind::bars;
    std::string of = {};                 ///< an array; for `time_by` a parameter
    std::string per = {};                ///< of `time_by`: a fact that divides the time
    std::string x = {};                  ///< of `scatter`: an array
    std::vector<std::string> also = {};  ///< more arrays of `bars` and `line`
    std::uint64_t max_elements = 512;    ///< drawn, from the start of the array
    TomlText width = {};                 ///< of `coverage` and `image`: cells in a row
    bool is_grey = false;                ///< of `image`: black is 0
    std::vector<std::string>
        rows = {},
        values = {};  ///< of `cells`: labels of its rows (of `bars`: of its bars), and of 0, 1, 2, …
    /// An example without a run. `atomics`: the values that invocations read and wrote, such as "A 41 42".
    /// `sectors`: lanes and the byte offsets at which they load a word, such as "1 12".
    std::vector<std::string> example = {};
    std::string note = {}, y_label = {};
    AxisScale y_scale = AxisScale::linear;  ///< of `bars`, `line` and `scatter`
    TomlText marker = {};                   ///< of `histogram`: a number on the x axis
    std::string marker_label = {};          ///< an expression in braces stands for its number
    bool outline = false;                   ///< of `bars`: also draws the expected values
    bool stores = false;                    ///< of `sectors`: also draws the first stores
    std::vector<std::string> same = {};  ///< of `time_by`: parameters that a drawn run shares with the bench
    std::size_t line = 1;
};

struct LessonText {
    std::string id;
    std::filesystem::path folder;  ///< absolute
    bool is_packed = false;        ///< for students: without solutions and withheld.toml
    bool ships = false;            ///< the folder is one of the program's own, so its kernels are trusted
    std::string version;           ///< a hash of the files
    LessonFiles files;
    std::string title, noun, default_variant;
    std::vector<std::string> domain;
    std::vector<Parameter> parameters;    ///< common_parameters() first
    TomlText baseline;                    ///< timed on the CPU; empty: none
    std::vector<std::string> user_files;  ///< see Lesson::input_files
    /// True if an expectation, or the shape of an output, depends on the launch or the device.
    bool reference_depends_on_launch = false;
    Definitions definitions;
    std::vector<InputText> tables;  ///< numbers that only expressions use; all have `numbers`
    std::vector<InputText> inputs;
    std::vector<OutputText> outputs, scratch;
    std::vector<VariantText> variants, exercises, references;
    std::map<std::string, KernelSource> kernels;  ///< by file
    std::set<std::string> data_files;             ///< of inputs and tables
    std::vector<RemarkText> remarks;
    std::vector<FactText> facts;
    std::vector<PictureText> pictures;
};

/// Returns the names of the inputs, the outputs and the scratch arrays.
std::vector<std::string> array_names(const LessonText& lesson);
/// Returns whether there is an input, an output or a scratch array of this name.
bool has_array(const LessonText& lesson, const std::string& name);
/// Returns an output that the lesson has.
const OutputText& find_output(const LessonText& lesson, const std::string& name);
/// Returns the names in an expression, and those in the definitions that it uses: of one variant, or, if
/// null, of all.
std::set<std::string> find_names(const LessonText& lesson, const std::string& expression,
                                 const VariantText* only = nullptr);
/// Returns whether a list of names in lesson.toml has this one.
bool contains(const std::vector<TomlText>& names, const std::string& name);

/// The largest text of a lesson, and the largest kernel.
inline constexpr std::uintmax_t max_text_bytes = std::uintmax_t{64} << 10;

/// Returns the path of a file of the lesson. Throws FileError if it is outside the folder, also by a link in
/// its path, or is there but no regular file.
std::filesystem::path find_lesson_file(const std::filesystem::path& folder, const std::string& file);

/// Reads a text of the lesson. Throws FileError if it is outside the folder, cannot be read, is larger than
/// max_text_bytes or is not text.
std::string read_lesson_file(const std::filesystem::path& folder, const std::string& file);

}  // namespace gridstride::text_lesson
