// A plan describes the GPU's work as data. The lab executes it, the tests inspect it, the window draws it.
// Every access is declared, so the lab derives the barriers between steps from the plan.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/array.h"
#include "launch/extent.h"
#include "launch/kernel_source.h"

namespace gridstride {

/// A storage buffer on the device. Its size is rounded up to a multiple of 16 bytes, so that 16-byte loads
/// may read past the last element. The bytes there exist; their contents are unspecified.
struct BufferSpec {
    std::string name;
    ElementType type = ElementType::u32;
    Extent shape;  ///< elements; those of a row are contiguous
    /// Kernels write it before they read it: the lab poisons it before a run, guards both ends, and judges it
    /// if it is downloaded.
    bool output = false;
    /// Offset in the plan's arena, a piece of memory that such buffers share; bytes, a multiple of
    /// arena_alignment. Overlapping buffers must not be live at the same time, which the plan's author
    /// ensures; contents are unspecified before the first write. nullopt: memory of its own.
    std::optional<std::uint64_t> arena_offset = {};

    std::uint64_t elements() const { return shape.product(); }
    std::uint64_t bytes() const { return elements() * byte_size(type); }
    std::uint64_t bound_bytes() const { return std::max<std::uint64_t>((bytes() + 15) / 16 * 16, 16); }
    bool operator==(const BufferSpec&) const = default;
};

enum class Access { read, write, read_write };

struct Binding {
    std::size_t buffer = 0;  ///< index into Plan::buffers
    Access access = Access::read;
    /// The buffer has one element for each element of the launch. If the launch is cut into slices, a slice
    /// sees only its own part, from index 0.
    bool is_sliced = false;
};

/// An alignment that every device accepts for the offset of a binding, bytes.
inline constexpr std::uint64_t arena_alignment = 256;

/// One logical launch. The lab splits it into several dispatches ("slices") if a device limit requires it:
/// the loop cap of a software driver, the largest binding. It is cut along the last dimension of its domain:
/// the elements, the rows of a picture, the layers of a volume.
///
/// The shader includes common/launch.glsl, which hides the slices. A slice is a whole number of passes of the
/// grid over the domain, or a part of one pass; either way an element belongs to workgroup (e / tile) % grid,
/// in each dimension. A kernel that leaves a result for each workgroup initialises it in the workgroup's
/// first slice and adds to it in later ones: see shaders/common/partials.glsl.
struct Dispatch {
    std::string label;   ///< "sum of each workgroup"
    std::string kernel;  ///< "reduction/tree_sequential.u32": folder, file and [build]
    /// GLSL of a kernel generated for this plan; `kernel` is then a name that no other source has. Empty: the
    /// kernel ships with the program.
    std::string source = {};
    /// The text of a kernel file for this plan, appended to `source`. Unless it is trusted, it is compiled in
    /// a separate process, and the whole plan then runs on the robust device, where a kernel cannot access
    /// memory outside its buffers.
    std::optional<KernelSource> file_source = {};
    Extent workgroup;                       ///< invocations
    Extent grid;                            ///< workgroups
    Extent domain;                          ///< elements that the launch runs over
    Extent tile;                            ///< consecutive elements that a workgroup processes in one pass
    std::vector<Binding> bindings;          ///< binding i of descriptor set 0
    std::vector<std::uint32_t> constants;   ///< specialisation constants 3, 4, … (0 to 2: the workgroup)
    std::vector<std::uint32_t> push;        ///< words after the lab's own push constants
    std::uint64_t iterations_per_pass = 1;  ///< max loop iterations of an invocation for one pass
    std::uint64_t iterations_once = 0;      ///< max loop iterations besides, for each dispatch
    std::uint64_t shared_bytes = 0;         ///< workgroup memory
    /// False omits the barrier that the declared accesses require; only a lesson about hazards does that.
    bool wait_for_previous = true;

    /// Returns whether the kernel file is the user's, or of a lesson that does not ship.
    bool has_untrusted_source() const { return file_source && !file_source->is_trusted; }
    std::uint64_t workgroup_size() const { return workgroup.product(); }
    std::uint64_t workgroup_count() const { return grid.product(); }
    std::uint64_t elements() const { return domain.product(); }
    std::uint64_t elements_per_workgroup() const { return tile.product(); }
    // Tiles of the domain, and passes of the grid over it.
    std::uint64_t tiles() const { return divide_up(domain, tile).product(); }
    std::uint64_t passes() const { return divide_up(divide_up(domain, tile), grid).product(); }
};

/// The memory of a host array. An input is placed in pinned or mapped memory before the clock of a run
/// starts, and a result is read after it stops, as in a program that creates its data there. The lab's own
/// copies are therefore in no time.
enum class HostMemory {
    pageable,  ///< ordinary memory: the host copies it to staging memory, then the device copies
    pinned,    ///< the device accesses it directly: one copy of the whole array, by the device
    mapped,    ///< like pinned, and also the plan's buffer: no copies, kernels access it directly
};

struct Upload {
    std::size_t buffer = 0;
    std::string input;  ///< the name of the host array: an input, or the output of a host step
    /// The range of that array, copied to the same place in the buffer. elements = 0: the whole array, which
    /// fills the buffer.
    std::uint64_t elements = 0;
    std::uint64_t first = 0;
    HostMemory memory = HostMemory::pageable;  ///< of the host array; only inputs may be pinned or mapped
    std::string label = {};                    ///< "a comes back"; empty: the buffer's name
};
struct Fill {
    enum class Time {
        in_run,      ///< and in the timings
        before_run,  ///< outside all timings: the kernels leave the buffer, or its end, unchanged
        once,        ///< before the first run: each run leaves the buffer as the next one needs it
    };
    std::size_t buffer = 0;
    std::uint32_t word = 0;  ///< written to every 4 bytes
    Time time = Time::in_run;
};
struct Download {
    std::size_t buffer = 0;  ///< the host array gets the buffer's name
    /// Memory of the host array. No step of the plan may read it unless it is pageable; mapped memory is the
    /// buffer itself after the run.
    HostMemory memory = HostMemory::pageable;
    /// Empty: download the whole buffer. Else the name of an array from an earlier download: its first number
    /// (u32) is the count of elements to download; the rest of the host array is 0.
    std::string count_array = {};
    std::string label = {};  ///< "a makes room"; empty: the buffer's name
};
/// A step on the CPU. `work` reads host arrays (inputs and downloads) and returns the new one.
struct HostStep {
    std::string label;
    std::string output;  ///< the name of the new host array
    std::function<Array(std::span<const Array* const> arrays)> work;
    std::vector<std::string> reads;  ///< names of the arrays, in the order of work's argument
};
/// Ends a submission: the host submits what is recorded and waits for it. A download or a host step implies
/// one before the host uses its data.
struct SubmitEnd {};

using Step = std::variant<Upload, Fill, Dispatch, Download, HostStep, SubmitEnd>;

/// How the host waits for the end of a submission.
enum class WaitMode {
    sleep,  ///< the system wakes the thread
    poll,   ///< the thread polls the fence
};

/// A host array to be written to a file: a download's buffer or the output of a host step.
struct SavedArray {
    std::string array;
    std::string file;
    std::vector<std::uint64_t> shape;  ///< in the file
    std::uint32_t line = 0;            ///< of the program, with the `save` statement
};

struct Plan {
    std::vector<BufferSpec> buffers;
    std::vector<Step> steps;
    WaitMode waiting = WaitMode::sleep;
    std::uint64_t min_bytes = 0;  ///< device memory that the task must move at least
    /// Arithmetic operations of the task, computed; 0: not counted. For integer tasks, integer operations.
    std::uint64_t operations = 0;
    /// The values that "auto" resolved to, for the lesson's own parameters: ids and values as text.
    std::vector<std::pair<std::string, std::string>> auto_values;
    std::string main_output;  ///< the host array that --save-output writes
    /// Rows of the file: the array is split into this many rows of equal length.
    std::size_t main_output_rows = 1;
    /// Only for programs; relative to the program's folder: the files that inputs are read from, and the
    /// saved arrays.
    std::vector<std::string> input_files;
    std::vector<SavedArray> files;

    /// Returns the main launch: the first dispatch, which uses the workgroup size and grid of the settings.
    /// Throws std::logic_error if there is none.
    const Dispatch& main() const;
};

/// Checks the plan. Returns a sentence for the lesson's author, for example on a buffer index out of range, a
/// plan without a dispatch or an empty launch; an empty string if the plan can be executed.
std::string find_plan_error(const Plan& plan);

/// Returns true if a step of the plan fills the buffer with a word.
bool is_filled(const Plan& plan, std::size_t buffer);
/// Returns true if the binding of this launch, one of the plan's steps, is an output that only this launch
/// writes. Fills do not count.
bool is_result_of(const Plan& plan, const Dispatch& launch, const Binding& binding);

// These return the bytes of device memory that the arena, or all buffers, need, rounded up as they are bound.
std::uint64_t arena_bytes(const Plan& plan);
std::uint64_t device_bytes(const Plan& plan);

// Bytes that one run of the plan moves: copied to the device and back (mapped arrays are not copied), and
// accessed by its kernels, each binding once per element.
std::uint64_t uploaded_bytes(const Plan& plan);
/// get_count: returns the count of Download::count_array if it is known; otherwise the whole buffer counts.
std::uint64_t downloaded_bytes(
    const Plan& plan, const std::function<std::optional<std::uint64_t>(const std::string&)>& get_count = {});
std::uint64_t kernel_bytes(const Plan& plan);

}  // namespace gridstride
