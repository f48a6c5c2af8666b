// The commands: each returns the exit code; failures are thrown as base/error.h's types and mapped in main(),
// which also sees to it that what they printed has arrived.
#pragma once

#include "command_line.h"

namespace gridstride::app {

int list_lessons(const ListOptions& options);
int list_devices(const DevicesOptions& options);
int examine_machine(const DoctorOptions& options);
int run_lesson(const RunOptions& options);
int sweep_lesson(const SweepOptions& options);
int compare_files(const CompareOptions& options);
int check_lessons(const CheckOptions& options);
int open_desktop(const DesktopOptions& options);
int take_screenshot(const ScreenshotOptions& options);

/// True once the person pressed Ctrl-C, closed the terminal (SIGHUP) or asked the program to end (SIGTERM).
/// The first call installs the handler; another of these signals a second or more after the first ends the
/// program at once.
bool interrupted();

}  // namespace gridstride::app
