package sandbox

// none: an AppContainer or a restricted token could be one. Until one was tried on Windows, none is pretended.
const none = "there is none on Windows yet: set sandbox to off for this server, and know that it can read what you can read"
