package e2e

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// playback is a server that returns what was recorded (replay_survey_test.go). dir has the tools of each server, and the responses of each client;
// `_meta` of a call says which one. Nothing of Sallyport looks at that.
func playback(dir, server string, in io.Reader, out io.Writer) int {
	tools, err := os.ReadFile(filepath.Join(dir, server+".tools.json"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	recorded := map[string][]json.RawMessage{}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return 0
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				ProtocolVersion string
				Meta            struct {
					Of string `json:"of"`
					N  int    `json:"n"`
				} `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		result := `{}`
		switch m.Method {
		case "initialize":
			result = fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":%q,"version":"1"}}`, m.Params.ProtocolVersion, server)
		case "tools/list":
			result = `{"tools":` + string(tools) + `}`
		case "tools/call":
			of := m.Params.Meta.Of
			if recorded[of] == nil {
				var all []json.RawMessage
				raw, err := os.ReadFile(filepath.Join(dir, of+".json"))
				if err != nil || json.Unmarshal(raw, &all) != nil {
					fmt.Fprintln(os.Stderr, "no responses of", of)
					return 1
				}
				recorded = map[string][]json.RawMessage{of: all}
			}
			result = string(recorded[of][m.Params.Meta.N])
		}
		fmt.Fprintf(out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result)
	}
}
