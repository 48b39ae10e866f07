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

// The toolkit's own thread runs it, in the loop of the dialog too.
static void cancel_dialogs_soon(void) { g_idle_add(cancel_dialogs, NULL); }
*/
import "C"

// cancelDialogs answers the toolkit's dialogs as if the person had cancelled them. Each runs a loop of its own inside the window's: with
// one open the program would not end.
func cancelDialogs() { C.cancel_dialogs_soon() }
