// What a window keeps of its session as the person goes, and how it goes on with what an earlier one left.
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
    /// Looks for earlier work at once, on a thread of its own. wake is called there.
    Keeping(Session& session, std::filesystem::path folder, std::function<void()> wake);
    ~Keeping();  ///< keeps the last change
    Keeping(const Keeping&) = delete;
    Keeping& operator=(const Keeping&) = delete;

    /// After whatever may have changed the session: hands over runs that ended, and at most once a second the
    /// kernels and the bench. True when there is something new to show.
    bool update();
    /// Until update() has something to keep; infinity when it has not.
    double seconds_until_due() const;
    /// The settings, which all windows share: see Keeper::write_also().
    void write_also(std::function<void()> write) { keeper_.write_also(std::move(write)); }
    /// What to tell the person, once.
    std::optional<Keeper::News> take_news() { return keeper_.take_news(); }

    /// Null: there is none, or nobody has it on offer.
    const EarlierWork* offered() const {
        return is_offered_ && earlier_ && !is_going_on() ? &*earlier_ : nullptr;
    }
    /// Offers it again, and looks for some where there is none.
    void offer();
    void not_now() { is_offered_ = false; }
    /// The session goes on with it. Kernels that it would replace are kept as earlier work of their own. Of
    /// many runs each update() puts back some, so that no frame takes long. Sentences about what was left
    /// out.
    std::vector<std::string> go_on();
    bool is_going_on() const { return going_on_.has_value(); }  ///< more runs are to come

    /// Kernels from elsewhere, as earlier work that is offered.
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
        std::deque<Report> runs;  ///< to be put back
        std::string pinned;
    };
    std::optional<GoingOn> going_on_;

    std::size_t runs_kept_ = 0;
    std::uint64_t sweep_ = 0, sweep_revision_ = 0;
    std::vector<std::size_t> cells_kept_;  ///< of that sweep: how many of its reports
    bool has_cells_ = false;
    std::uint64_t revision_seen_ = ~std::uint64_t{0};
    Clock::time_point kept_at_ = {};
};

}  // namespace gridstride
