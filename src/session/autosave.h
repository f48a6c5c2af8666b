// Autosave of a window's session, and restoring the work of an earlier session.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "session/autosave_writer.h"
#include "session/session.h"

namespace gridstride {

class Autosave {
 public:
    /// Starts a search for earlier work on another thread. `wake` is called on that thread.
    Autosave(Session& session, std::filesystem::path folder, std::function<void()> wake);
    ~Autosave();  ///< saves the last change
    Autosave(const Autosave&) = delete;
    Autosave& operator=(const Autosave&) = delete;

    /// Call after every change of the session. Queues finished runs at once, and kernels and bench at most
    /// once a second. Returns true if there is something new to show.
    bool update();
    /// Returns the seconds until update() has something to save; infinity if nothing changed.
    double seconds_until_due() const;
    /// Writes the settings, which all windows share: see AutosaveWriter::queue_extra_write().
    void queue_extra_write(std::function<void()> write) { writer_.queue_extra_write(std::move(write)); }
    std::optional<AutosaveWriter::Message> take_message() { return writer_.take_message(); }

    const EarlierSession* offered_session() const {
        return is_offered_ && earlier_ && !is_restoring() ? &*earlier_ : nullptr;
    }
    /// Offers the earlier work again; searches for it if there is none.
    void offer();
    void dismiss_offer() { is_offered_ = false; }
    /// Restores the earlier work into the session. The session's own kernels that it would replace are saved
    /// as separate earlier work. Many runs are restored over several calls of update(), so that no frame
    /// takes long. Returns sentences about what was left out.
    std::vector<std::string> restore_offered_session();
    bool is_restoring() const { return restoration_.has_value(); }  ///< more runs remain to be restored

    /// Saves imported kernels as earlier work and offers it.
    void import_kernels(std::map<KernelKey, KernelEdit> kernels);
    const std::filesystem::path& folder() const { return folder_; }

 private:
    using Clock = std::chrono::steady_clock;
    void restore_some_runs();
    void save_runs();
    void save_rest();
    double seconds_until_save() const;

    Session& session_;
    std::filesystem::path folder_;
    AutosaveWriter writer_;
    std::optional<EarlierSession> earlier_;
    bool is_offered_ = true;
    struct Restoration {
        SessionFiles files;
        std::deque<Report> runs;  ///< still to be restored
        std::string pinned;
    };
    std::optional<Restoration> restoration_;

    std::size_t saved_run_count_ = 0;
    std::uint64_t sweep_ = 0, sweep_revision_ = 0;
    std::vector<std::size_t> saved_cell_reports_;  ///< per cell of that sweep: number of saved reports
    bool has_cells_ = false;
    std::uint64_t saved_revision_ = ~std::uint64_t{0};
    Clock::time_point saved_at_ = {};
};

}  // namespace gridstride
