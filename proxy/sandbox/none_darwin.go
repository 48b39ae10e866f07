package sandbox

// none: macOS has no bubblewrap, and its own sandbox-exec is deprecated and undocumented. Until something has been tried on a Mac, we don't
// pretend to have a sandbox.
const none = "there is none on macOS yet: set sandbox to off for this server, and know that it can read what you can read"
