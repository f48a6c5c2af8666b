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

#include "session/keeper.h"
#include "session/session.h"

namespace gridstride {

class Keeping {
 public:
    /// Starts a search for earlier work on another thread. `wake` is called on that thread.
    Keeping(Session& session, std::filesystem::path folder, std::function<void()> wake);
    ~Keeping();  ///< saves the last change
    Keeping(const Keeping&) = delete;
    Keeping& operator=(const Keeping&) = delete;

    /// Call after every change of the session. Queues finished runs at once, and kernels and bench at most
    /// once a second. Returns true if there is something new to show.
    bool update();
    /// Returns the seconds until update() has something to save; infinity if nothing changed.
    double seconds_until_due() const;
    /// Writes the settings, which all windows share: see Keeper::write_also().
    void write_also(std::function<void()> write) { keeper_.write_also(std::move(write)); }
    std::optional<Keeper::News> take_news() { return keeper_.take_news(); }

    const EarlierWork* offered() const {
        return is_offered_ && earlier_ && !is_going_on() ? &*earlier_ : nullptr;
    }
    /// Offers the earlier work again; searches for it if there is none.
    void offer();
    void not_now() { is_offered_ = false; }
    /// Restores the earlier work into the session. The session's own kernels that it would replace are saved
    /// as separate earlier work. Many runs are restored over several calls of update(), so that no frame
    /// takes long. Returns sentences about what was left out.
    std::vector<std::string> go_on();
    bool is_going_on() const { return going_on_.has_value(); }  ///< more runs remain to be restored

    /// Saves imported kernels as earlier work and offers it.
    void take_kernels(std::map<KernelKey, KernelEdit> kernels);
    const std::filesystem::path& folder() const { return folder_; }

 private:
    using Clock = std::chrono::steady_clock;
    void put_back_runs();
    void keep_runs();
    void keep_rest();
    double seconds_until_rest() const;

    Session& session_;
    std::filesystem::path folder_;
    Keeper keeper_;
    std::optional<EarlierWork> earlier_;
    bool is_offered_ = true;
    struct GoingOn {
        SessionFiles files;
        std::deque<Report> runs;  ///< still to be restored
        std::string pinned;
    };
    std::optional<GoingOn> going_on_;

    std::size_t runs_kept_ = 0;
    std::uint64_t sweep_ = 0, sweep_revision_ = 0;
    std::vector<std::size_t> cells_kept_;  ///< per cell of that sweep: number of saved reports
    bool has_cells_ = false;
    std::uint64_t revision_seen_ = ~std::uint64_t{0};
    Clock::time_point kept_at_ = {};
};

}  // namespace gridstride
