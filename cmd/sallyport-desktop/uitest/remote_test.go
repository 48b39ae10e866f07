//go:build ui

package uitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"github.com/sallyport/sallyport/app/oauth/issuer"
)

// remoteHandler is a remote server that offers these tools.
func remoteHandler(name, tools string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		body, _ := io.ReadAll(r.Body)
		if r.Method != http.MethodPost || json.Unmarshal(body, &asked) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		result := map[string]string{
			"initialize": `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"` + name + `","version":"1"}}`,
			"tools/list": `{"tools":[` + tools + `]}`,
			"tools/call": `{"content":[{"type":"text","text":"noon"}]}`,
		}[asked.Method]
		if result == "" {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, asked.ID, result)
	}
}

// calendarTools are those of the server that the programs which aren't in Go sign in to.
const calendarTools = `{"name":"list_events","description":"Lists the events of a day.","inputSchema":{"type":"object","properties":{"day":{"type":"string"}},"required":["day"]},"annotations":{"readOnlyHint":true}},
{"name":"add_event","description":"Adds an event to the calendar.","inputSchema":{"type":"object","properties":{"day":{"type":"string"},"title":{"type":"string"}},"required":["day","title"]}}`

// remote is a calendar on this computer that wants a sign-in. It says where both are, and stays until its input ends. After a line of input the
// sign-in does not count any more, and another is wanted at another place.
func remote() int {
	i, err := issuer.Start(issuer.Options{Resource: remoteHandler("calendar", calendarTools), Knobs: issuer.Knobs{Scopes: []string{"calendar.read", "calendar.write"}}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer i.Close()
	other, err := issuer.Start(issuer.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer other.Close()
	if err := json.NewEncoder(os.Stdout).Encode(map[string]string{"resource": i.Resource, "issuer": i.URL, "other": other.URL}); err != nil {
		return 1
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		i.Set(func(k *issuer.Knobs) {
			k.Edit = func(document string, members map[string]any) {
				if document == "resource" {
					members["authorization_servers"] = []string{other.URL}
				}
			}
		})
		i.Forget()
		i.Expire()
	}
	return 0
}
