package echo

import "strconv"

// Era is one of the protocol's two eras: in the legacy one a session starts with initialize, in the modern one each request says its version
// and its client itself, and each result its server.
type Era string

const (
	Legacy Era = "legacy" // 2025-11-25
	Modern Era = "modern" // 2026-07-28
)

// Meta is what a request of the modern era carries in its params: the members that the SDKs send, for a client of a usual size.
const Meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// complete is what a result of the modern era carries, and cached what a listing carries beside it.
const (
	complete = `,"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"echo","version":"1"}}`
	cached   = `,"ttlMs":0,"cacheScope":"private"`
)

// A call is callHead, an id, callMiddle, the size, and the end of its era. A response begins with AnswerHead and the id.
const (
	callHead   = `{"jsonrpc":"2.0","id":`
	callMiddle = `,"method":"tools/call","params":{"name":"echo","arguments":{"size":`
	callEnd    = "}}}\n"
	modernEnd  = "}," + Meta + "}}\n"
	AnswerHead = `{"jsonrpc":"2.0","id":`
)

// AppendCall appends the line of a call whose response has a size. id has IDDigits digits.
func AppendCall(line []byte, as Era, id, size int) []byte {
	line = strconv.AppendInt(append(line, callHead...), int64(id), 10)
	line = strconv.AppendInt(append(line, callMiddle...), int64(size), 10)
	if as == Modern {
		return append(line, modernEnd...)
	}
	return append(line, callEnd...)
}

// Length is how long the line of a response is. In the modern era what that adds comes on top of the size, so that both eras carry the same.
func Length(as Era, size int) int {
	if as == Modern {
		size += len(complete)
	}
	return size
}
