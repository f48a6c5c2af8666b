// A plan: what the GPU will be asked to do, as data. The lab executes it, the tests inspect it, the window
// draws it. Every access is declared, so the barriers between steps follow from the plan and none is
// forgotten.
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

/// A storage buffer on the device. It is bound as a multiple of 16 bytes, so that 16-byte loads may touch the
/// last elements' neighbours: those bytes are there, their content is nobody's promise.
struct BufferSpec {
    std::string name;
    ElementType type = ElementType::u32;
    Extent shape;  ///< elements, those of a row side by side
    /// Written before it is read: poisoned before a run, guarded at both ends and, when it is downloaded,
    /// judged.
    bool output = false;
    /// Where it begins in the plan's arena, the one piece of memory that such buffers share; bytes, a
    /// multiple of arena_alignment. Those whose bytes overlap are not wanted at the same time: whoever writes
    /// the plan sees to that, and what is in one is nobody's promise before it is written. nullopt: memory of
    /// its own.
    std::optional<std::uint64_t> place = {};

    std::uint64_t elements() const { return shape.product(); }
    std::uint64_t bytes() const { return elements() * byte_size(type); }
    std::uint64_t bound_bytes() const { return std::max<std::uint64_t>((bytes() + 15) / 16 * 16, 16); }
    bool operator==(const BufferSpec&) const = default;
};

enum class Access { read, write, read_write };

struct Binding {
    std::size_t buffer = 0;  ///< index into Plan::buffers
    Access access = Access::read;
    /// The buffer holds the elements that the launch runs over, one each: where the launch is cut into
    /// slices, a slice sees only its own part, from index 0.
    bool sliced = false;
};

/// A boundary that every device takes a binding to begin at, bytes.
inline constexpr std::uint64_t arena_alignment = 256;

/// One logical launch. The lab turns it into several dispatches ("slices") where a device limit needs it: the
/// loop cap of a software driver, the largest binding. It is cut along the last dimension of its domain: the
/// elements, the rows of a picture, the layers of a volume.
///
/// The shader includes common/launch.glsl, which hides how the launch is cut. A slice is a whole number of
/// passes of the grid over the domain, or a part of one pass; either way an element belongs to workgroup
/// (e / tile) % grid, in each dimension. A kernel that leaves a result per workgroup starts it when the slice
/// is the workgroup's first, and adds to it otherwise: shaders/common/partials.glsl does that.
struct Dispatch {
    std::string label;   ///< "sum of each workgroup"
    std::string kernel;  ///< "reduction/tree_sequential.u32": folder, file and [build]
    /// GLSL, of a kernel that does not ship: it was made for this plan, and `kernel` is a name that no other
    /// source has. Empty: it ships.
    std::string source = {};
    /// Of a kernel that somebody wrote for this plan: their text, which stands behind `source`. It is
    /// compiled apart from all else, and the whole plan then runs where a kernel cannot leave its buffers.
    std::optional<KernelSource> own = {};
    Extent workgroup;                       ///< invocations
    Extent grid;                            ///< workgroups
    Extent domain;                          ///< elements that the launch runs over
    Extent tile;                            ///< consecutive elements that a workgroup takes in one pass
    std::vector<Binding> bindings;          ///< binding i of descriptor set 0
    std::vector<std::uint32_t> constants;   ///< specialisation constants 3, 4, … (0 to 2: the workgroup)
    std::vector<std::uint32_t> push;        ///< words behind the lab's own push constants
    std::uint64_t iterations_per_pass = 1;  ///< loop iterations an invocation spends on one pass, at most
    std::uint64_t iterations_once = 0;      ///< and those that it spends once a dispatch
    std::uint64_t shared_bytes = 0;         ///< workgroup memory
    /// False leaves out the barrier that the declared accesses ask for: only a lesson about hazards does.
    bool wait_for_previous = true;

    std::uint64_t workgroup_size() const { return workgroup.product(); }  ///< invocations
    std::uint64_t workgroup_count() const { return grid.product(); }
    std::uint64_t elements() const { return domain.product(); }
    std::uint64_t elements_per_workgroup() const { return tile.product(); }
    /// Tiles of the domain, and how often the grid passes over it.
    std::uint64_t tiles() const { return divide_up(domain, tile).product(); }
    std::uint64_t passes() const { return divide_up(divide_up(domain, tile), grid).product(); }
};

/// The memory that a host array lies in. In pinned and mapped memory it lies before the clock of a run starts
/// (an input) and after it stops (a result), as where a program makes its data there in the first place: what
/// the lab itself copies there, or fetches for the judge, is in no time.
enum class HostMemory {
    pageable,  ///< a program's usual one: the host copies it to where the device can read, then the device
               ///< does
    pinned,    ///< one that the device reaches by itself: it alone copies, all of the array at once
    mapped,    ///< the same, and the plan's buffer is this memory: nobody copies, kernels reach for it
};

struct Upload {
    std::size_t buffer = 0;
    std::string input;  ///< the name of the host array: an input, or what a host step made
    /// Of that array, from `first` on, to the same place in the buffer: a piece of it, or where the buffer
    /// has room for more. 0: all that are there, and they fill the buffer.
    std::uint64_t elements = 0;
    std::uint64_t first = 0;
    HostMemory memory = HostMemory::pageable;  ///< of the host array; only an input's is another one
    std::string label = {};                    ///< "a comes back"; empty: the buffer's name
};
struct Fill {
    std::size_t buffer = 0;
    std::uint32_t word = 0;  ///< every 4 bytes of it
    /// True for a buffer that the kernels leave as they found it: filled while the run is prepared, outside
    /// all timings.
    bool beforehand = false;
};
struct Download {
    std::size_t buffer = 0;  ///< the host array gets the buffer's name
    /// Of the host array. What is in another one than pageable is read by no step of the plan, and mapped is
    /// the buffer as the run leaves it.
    HostMemory memory = HostMemory::pageable;
    /// Empty: all of the buffer is fetched. Else only its first elements, as many as the first number (u32)
    /// of this host array says, which a download before this one has made; behind them the host array is 0.
    std::string counted_by = {};
    std::string label = {};  ///< "a makes room"; empty: the buffer's name
};
/// Work of the CPU between downloads and uploads. `work` reads host arrays (inputs and downloads) and returns
/// the new one.
struct HostStep {
    std::string label;
    std::string output;  ///< the name of the host array that it makes
    std::function<Array(std::span<const Array* const> arrays)> work;
    std::vector<std::string> reads;  ///< names of the arrays, in the order work gets them
};
/// Where a submission ends: what was recorded so far is submitted and waited for. A download or a host step
/// implies one before it is used on the host.
struct SubmitEnd {};

using Step = std::variant<Upload, Fill, Dispatch, Download, HostStep, SubmitEnd>;

/// What the host does until the device has ended a submission.
enum class Waiting {
    sleep,  ///< the system wakes the thread
    poll,   ///< it asks again and again
};

/// A host array that is to be written to a file: a download's buffer, or what a host step makes.
struct SavedArray {
    std::string array;
    std::string file;
    std::vector<std::uint64_t> shape;  ///< that it has in the file
    std::uint32_t line = 0;            ///< of the program, that asks for it
};

struct Plan {
    std::vector<BufferSpec> buffers;
    std::vector<Step> steps;
    Waiting waiting = Waiting::sleep;
    std::uint64_t min_bytes = 0;  ///< the fewest bytes of device memory that the task must move
    /// Arithmetic operations of the task, computed; 0: not counted. Where the task is one of whole numbers,
    /// theirs.
    std::uint64_t operations = 0;
    /// What "auto" comes to of the lesson's own parameters: their ids, and the values as they are written.
    std::vector<std::pair<std::string, std::string>> chosen;
    std::string main_output;  ///< the host array that --save-output writes
    std::size_t main_output_rows =
        1;  ///< rows of the file: the array's elements are that many rows of equal length
    /// Of a program, in its folder: what its input is read from, and what it asks to be written.
    std::vector<std::string> input_files;
    std::vector<SavedArray> files;

    /// The main launch: the first dispatch, which runs with the workgroups and the grid of the bench. Throws
    /// std::logic_error where there is none.
    const Dispatch& main() const;
};

/// What is wrong with a plan, as a sentence for whoever writes the lesson: an index of a buffer that is not
/// there, no dispatch, a launch of nothing. Empty when it can be executed.
std::string problem_of(const Plan& plan);

/// Whether a step of the plan fills the buffer.
bool is_filled(const Plan& plan, std::size_t buffer);
/// Whether that binding of a launch, one of the plan's steps, is an output that only this launch writes.
/// Fills do not count.
bool is_result_of(const Plan& plan, const Dispatch& launch, const Binding& binding);

/// Device memory that the plan asks for, as it is bound, bytes: of its arena, and of all its buffers.
std::uint64_t arena_bytes(const Plan& plan);
std::uint64_t device_bytes(const Plan& plan);

// What one run of the plan moves, bytes: copied to the device and back, which what is mapped is not, and read
// and written by its kernels, each binding once an element.
std::uint64_t uploaded_bytes(const Plan& plan);
/// count_of: see Download::counted_by; what is counted but not yet known is taken for all of its buffer.
std::uint64_t downloaded_bytes(
    const Plan& plan, const std::function<std::optional<std::uint64_t>(const std::string&)>& count_of = {});
std::uint64_t kernel_bytes(const Plan& plan);

}  // namespace gridstride
