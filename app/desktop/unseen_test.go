package desktop

import (
	"slices"
	"testing"

	"github.com/sallyport/sallyport/proxy/control"
)

func TestWhatAClientHasNotSeenIsOneRowHoweverOftenItStartsTheServer(t *testing.T) {
	u := control.UnseenServer{Client: "claude-desktop", Server: "weather", Identity: "stdio:weather", Session: "one", Items: 2, Next: "restart Claude Desktop", Code: "SP-220"}
	again, other := u, u
	again.Session, again.Items = "two", 1
	other.Client, other.Next = "\u202eevil\n", "restart the client"
	namesake := u // another program of the same name
	namesake.Identity = "stdio:other"
	shown, shownOther, shownNamesake := u, other, namesake
	shown.Client, shownOther.Client, shownNamesake.Client = "Claude Desktop", "the client", "Claude Desktop"
	want := []control.UnseenServer{shown, shownOther, shownNamesake}
	if rows := unseen([]control.UnseenServer{u, again, other, namesake}); !slices.Equal(rows, want) {
		t.Errorf("%+v", rows)
	}
	if rows := unseen(nil); rows == nil {
		t.Error("the page is told of a list, an empty one too")
	}
}
