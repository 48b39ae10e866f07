package proxy

import (
	"fmt"
	"strings"

	"github.com/sallyport/sallyport/proxy/frame"
)

// What client and server of the benchmarks say, in each of the protocol's eras.

// benchCall is the line of a call.
func benchCall(as era, id int, arguments string) string {
	params := `"name":"echo","arguments":{` + arguments + `}`
	if as == eraModern {
		params += "," + claims
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{%s}}`+"\n", id, params)
}

// benchOpening is what a client sends first: a call, with a handshake before it if the era has one. The call has the id 1.
func benchOpening(as era) []string {
	call := benchCall(as, 1, `"text":"x"`)
	if as == eraModern {
		return []string{call}
	}
	return []string{`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}` + "\n", `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + call}
}

// benchResult is the line of a result.
func benchResult(as era, id, members string) string {
	if as == eraModern {
		members += "," + complete + "," + said
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"result":{` + members + "}}\n"
}

// benchResponse is the line with which the server answers a line of the client, with a text in the result of a call; "" for none.
func benchResponse(line, text string) string {
	as, cached := eraLegacy, ""
	if strings.Contains(line, frame.ClaimKey) {
		as, cached = eraModern, `,"ttlMs":0,"cacheScope":"private"`
	}
	id := between(line, `"id":`, `,`)
	switch {
	case strings.Contains(line, `"tools/call"`):
		return benchResult(as, id, `"content":[{"type":"text","text":"`+text+`"}]`)
	case strings.Contains(line, `"tools/list"`):
		return benchResult(as, id, `"tools":[`+echoTool+`]`+cached)
	case strings.Contains(line, `"server/discover"`):
		return benchResult(as, id, `"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}}`+cached)
	case strings.Contains(line, `"initialize"`):
		return benchResult(as, id, `"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}`)
	}
	return ""
}
