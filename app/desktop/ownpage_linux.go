//go:build cgo && webkit2_41 && !dev

package desktop

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

static gboolean own_page(WebKitWebView *view, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer none) {
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) return FALSE; // to a request that was allowed
	WebKitNavigationAction *action = webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	const gchar *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	if (type == WEBKIT_POLICY_DECISION_TYPE_NAVIGATION_ACTION && uri && g_str_has_prefix(uri, "wails://wails/")) return FALSE;
	webkit_policy_decision_ignore(decision);
	return TRUE;
}

static WebKitWebView *view_in(GtkWidget *widget) {
	if (WEBKIT_IS_WEB_VIEW(widget)) return WEBKIT_WEB_VIEW(widget);
	WebKitWebView *found = NULL;
	if (GTK_IS_CONTAINER(widget)) {
		GList *all = gtk_container_get_children(GTK_CONTAINER(widget));
		for (GList *l = all; l && !found; l = l->next) found = view_in(GTK_WIDGET(l->data));
		g_list_free(all);
	}
	return found;
}

static gboolean find_view(gpointer none) {
	gboolean found = FALSE;
	GList *all = gtk_window_list_toplevels();
	for (GList *l = all; l && !found; l = l->next) {
		WebKitWebView *view = view_in(GTK_WIDGET(l->data));
		if (!view) continue;
		g_signal_connect(view, "decide-policy", G_CALLBACK(own_page), NULL);
		found = TRUE;
	}
	g_list_free(all);
	return found ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

// It runs on the toolkit's own thread; other threads may only schedule it.
static void keep_own_page(void) { g_timeout_add(5, find_view, NULL); }
*/
import "C"

// keepOwnPage stops the view from leaving our page, whether by a script, a link or something dropped on it. Wails has no such option, and
// identifies callers by the address that the view is moving to. A foreign page could escape being put back (Shell.Loaded) by never
// finishing its load or by keeping its script busy, so none is loaded in the first place.
func keepOwnPage() { C.keep_own_page() }
