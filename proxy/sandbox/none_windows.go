package sandbox

// none: an AppContainer or a restricted token might work. Until one has been tried on Windows, we don't pretend to have a sandbox.
const none = "there is none on Windows yet: set sandbox to off for this server, and know that it can read what you can read"
