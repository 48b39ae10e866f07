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
	want := []Unseen{
		{"Claude Desktop", "weather", "stdio:weather", "restart Claude Desktop", "SP-220"}, {"the client", "weather", "stdio:weather", "restart the client", "SP-220"},
		{"Claude Desktop", "weather", "stdio:other", "restart Claude Desktop", "SP-220"},
	}
	if rows := unseen([]control.UnseenServer{u, again, other, namesake}); !slices.Equal(rows, want) {
		t.Errorf("%+v", rows)
	}
	if rows := unseen(nil); rows == nil {
		t.Error("the page is told of a list, an empty one too")
	}
}
