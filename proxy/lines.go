package proxy

import (
	"fmt"
	"strconv"

	"github.com/sallyport/sallyport/proxy/frame"
	"github.com/sallyport/sallyport/proxy/refusal"
)

// refusalLine builds the response to a refused request: a tool result for tools/call, a JSON-RPC error for any other method.
func refusalLine(id []byte, m method, text string, d refusal.Decision) []byte {
	if m != methodCall {
		return errorLine(id, CodeRefused, text, d.Append(nil))
	}
	line := appendHead(make([]byte, 0, 512), id)
	line = append(line, `,"result":{"content":[{"type":"text","text":`...)
	line = frame.AppendString(line, text)
	line = append(line, `}],"isError":true,"_meta":{"sallyport/decision":`...)
	line = d.Append(line)
	return append(line, "}}}\n"...)
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

// resultLine is a response of ours. result is JSON.
func resultLine(id []byte, result []byte) []byte {
	line := appendHead(make([]byte, 0, 64+len(result)), id)
	line = append(line, `,"result":`...)
	line = append(line, result...)
	return append(line, "}\n"...)
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
