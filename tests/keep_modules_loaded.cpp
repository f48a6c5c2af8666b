// In builds with the leak checker only. It names a leak by the module that made it; a driver that was
// unloaded by then has no name, and what it keeps for itself could not be told from what is ours.
extern "C" int dlclose(void* /*handle*/) {
    return 0;
}
