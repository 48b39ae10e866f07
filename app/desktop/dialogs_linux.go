//go:build cgo && webkit2_41

package desktop

/*
#cgo pkg-config: gtk+-3.0
#include <gtk/gtk.h>

static gboolean cancel_dialogs(gpointer none) {
	GList *all = gtk_window_list_toplevels();
	for (GList *l = all; l; l = l->next)
		if (GTK_IS_DIALOG(l->data)) gtk_dialog_response(GTK_DIALOG(l->data), GTK_RESPONSE_CANCEL);
	g_list_free(all);
	return G_SOURCE_REMOVE;
}

// It runs on the toolkit's own thread, also while a dialog runs its loop.
static void cancel_dialogs_soon(void) { g_idle_add(cancel_dialogs, NULL); }
*/
import "C"

// cancelDialogs cancels the toolkit's open dialogs. Each runs its own loop inside the window's: with one open the program would not end.
func cancelDialogs() { C.cancel_dialogs_soon() }
