#include "base/file.h"
#include "base/utc_time.h"
#include "commands.h"
#include "session/progress_file.h"
#include "session/session_files.h"
#include "standard_output.h"
#include "ui/settings/settings_file.h"

namespace gridstride::app {

namespace {

void export_progress(const std::string& path) {
    require_progress_target(path);
    const ProgressFile progress{ui::SettingsFile(ui::settings_path()).read().story_progress,
                                saved_kernels(sessions_folder())};
    write_file(path, format_progress(progress, utc_now()));
    print("{}\n", describe_export(progress, path));
}

void import_progress(const std::string& path) {
    const ProgressFile theirs = read_progress(path);
    ui::SettingsFile file(ui::settings_path());
    ui::Settings settings = file.read();
    const std::size_t imported_count = merge(settings.story_progress, theirs.story_progress);
    const auto kernels = new_kernels(saved_kernels(sessions_folder()), theirs.kernels);
    if (!kernels.empty()) save_separately(sessions_folder(), kernels);
    file.write(settings);
    print("{}\n", describe_import(imported_count, kernels.size(), theirs.left_out, path));
}

}  // namespace

int run_command(const ProgressOptions& options) {
    if (!options.export_file.empty())
        export_progress(options.export_file);
    else
        import_progress(options.import_file);
    return exit_success;
}

}  // namespace gridstride::app
