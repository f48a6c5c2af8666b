// In builds with the leak checker only. It names a leak by the module that made it; a driver that was
// unloaded by then has no name, and its leaks could not be distinguished from ours.
extern "C" int dlclose(void* /*handle*/) {
    return 0;
}
