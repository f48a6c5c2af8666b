#include <csignal>

#include "commands.h"

namespace gridstride::app {

namespace {

volatile std::sig_atomic_t pressed = 0;

void on_interrupt(int) {
    pressed = 1;
    // A person who presses twice means it.
    std::signal(SIGINT, SIG_DFL);
}

}  // namespace

bool interrupted() {
    static const bool installed = [] {
        std::signal(SIGINT, on_interrupt);
        return true;
    }();
    return installed && pressed != 0;
}

}  // namespace gridstride::app
