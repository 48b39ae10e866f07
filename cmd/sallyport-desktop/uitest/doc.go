// Package uitest uses the shipped desktop program as a person would, on a screen nobody sees: it finds what the
// accessibility bus offers by role and name, presses and types, clicks the tray over D-Bus and a notification with the
// mouse, while real wrappers stand before scripted servers and a client calls through them.
//
// Every story has a desktop of its own (build/with-desktop): a screen, a session bus, a window manager, a notification
// daemon. atspi_test.go is the driver, panel_test.go the panel that shows the tray, notes_test.go what is notified,
// client_test.go the client behind a wrapper, claude_test.go the one whose file it is; stories are story_*_test.go. testdata/inpage.c
// runs scripts in the page, which only the story of a foreign page does. The tests have the build tag ui, because they
// need GTK and bin/sallyport-desktop: `make ui` builds and runs them.
package uitest
