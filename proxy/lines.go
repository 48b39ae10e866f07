package proxy

import (
	"bytes"
	"fmt"
	"strconv"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// refusalLine builds the response to a refused request: a tool result for tools/call, a JSON-RPC error for any other method.
func refusalLine(r *request, text string, d refusal.Decision) []byte {
	if r.method != methodCall {
		return errorLine(r.id, CodeRefused, text, d.Append(nil))
	}
	result := append(make([]byte, 0, 512), `{"content":[{"type":"text","text":`...)
	result = frame.AppendString(result, text)
	result = append(result, `}],"isError":true,"_meta":{"sallyport/decision":`...)
	return resultLine(r, append(d.Append(result), "}}"...))
}

// errorLine is a JSON-RPC error of ours. data is JSON or nil.
func errorLine(id []byte, code int, message string, data []byte) []byte {
	line := appendHead(make([]byte, 0, 256), id)
	line = fmt.Appendf(line, `,"error":{"code":%d,"message":`, code)
	line = frame.AppendString(line, message)
	if data != nil {
		line = append(line, `,"data":`...)
		line = append(line, data...)
	}
	return append(line, "}}\n"...)
}

// takenLine answers a request whose id another one in flight has.
func takenLine(id []byte) []byte {
	return errorLine(id, -32600, "[Sallyport] a request with this id is still in flight", nil)
}

// resultLine is a response of ours. result is a JSON object; in the modern era it also says that it is complete, unless it says what it is.
func resultLine(r *request, result []byte) []byte {
	line := appendHead(make([]byte, 0, 96+len(result)), r.id)
	line = append(line, `,"result":`...)
	if r.modern && !saysType(result) {
		line = append(line, `{"resultType":"complete"`...)
		if result = bytes.TrimLeft(result[1:], " \t\r\n"); result[0] != '}' {
			line = append(line, ',')
		}
	}
	line = append(line, result...)
	return append(line, "}\n"...)
}

// saysType reports whether a result has a resultType, or is nothing that could have one.
func saysType(result []byte) bool {
	root := frame.Root(result)
	_, ok := frame.Find(result, root, "resultType")
	return ok || frame.Type(result, root) != '{'
}

func appendHead(dst, id []byte) []byte {
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	if len(id) == 0 {
		return append(dst, "null"...)
	}
	return append(dst, id...)
}

// CodeRefused is the JSON-RPC error code of a refused request other than tools/call.
const CodeRefused = 4030

// blandError keeps the code of an error and replaces its words with ours.
func blandError(r *request, line []byte, m *frame.Message) []byte {
	code := -32603
	if span, ok := frame.Find(line, m.Error, "code"); ok {
		if n, err := strconv.ParseInt(string(span.Of(line)), 10, 32); err == nil {
			code = int(n)
		}
	}
	return errorLine(r.id, code, "[Sallyport] the server responded with an error; its text is blocked until the user has reviewed the server", nil)
}

const whyFault = "a bug in Sallyport; tell the user: open Sallyport, Activity"

// faultLine is the error for a message lost to a bug of ours.
func faultLine(id []byte) []byte {
	return errorLine(id, -32603, "[Sallyport] the message was blocked: "+whyFault, nil)
}
