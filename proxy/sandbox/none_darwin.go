package sandbox

// none: macOS has no bubblewrap, and what it has (sandbox-exec) is deprecated and undocumented. Until there is one that
// was tried on a Mac, none is pretended.
const none = "there is none on macOS yet: set sandbox to off for this server, and know that it can read what you can read"
