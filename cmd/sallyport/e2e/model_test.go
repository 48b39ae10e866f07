package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model is a service on loopback that imitates the models of four vendors: Anthropic's messages, OpenAI's responses and chat completions,
// Gemini's generateContent. It notes which tools of one server each request offers, calls the tools in its plan, one a turn, and then says that
// it is done.
type model struct {
	server *httptest.Server
	prefix string   // before the name of each tool of that server
	plan   []string // the tools to call

	mu     sync.Mutex
	offers [][]string // for each request with tools: those of that server, sorted
	others []string   // requests that no model answers
}

// turn is the reaction of the model to a request: it calls a tool, or says that it is done.
type turn struct {
	number int
	call   offered // none: done
	whole  bool    // in one piece, not as a stream
}

// offered is a tool as a client offers it: some group the tools of a server under a name.
type offered struct{ group, name string }

func newModel(t testing.TB, prefix string, plan ...string) *model {
	t.Helper()
	m := &model{prefix: prefix, plan: plan}
	m.server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.server.Close)
	return m
}

func (m *model) offered() [][]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.offers)
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Model  string            `json:"model"`
		Stream bool              `json:"stream"`
		Tools  []json.RawMessage `json:"tools"`
	}
	raw, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(raw, &request)
	speak := map[string]func(io.Writer, string, turn){
		"/v1/messages": speakMessages, "/v1/responses": speakResponses, "/v1/chat/completions": speakCompletions,
	}[r.URL.Path]
	if strings.HasSuffix(r.URL.Path, "enerateContent") { // generateContent, streamGenerateContent
		speak, request.Stream = speakGemini, strings.HasSuffix(r.URL.Path, ":streamGenerateContent")
	}
	if speak == nil {
		m.mu.Lock()
		m.others = append(m.others, r.Method+" "+r.URL.Path)
		m.mu.Unlock()
		http.Error(w, `{"error":{"message":"not here"}}`, http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if request.Stream {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	do := m.take(request.Tools)
	do.whole = !request.Stream
	speak(w, request.Model, do)
}

// take notes what a request offers and returns the reaction. A request without tools is for the client itself: a title, a summary.
func (m *model) take(tools []json.RawMessage) (do turn) {
	all := toolsIn(tools)
	if len(all) == 0 {
		return do
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	do.number = len(m.offers)
	names := []string{}
	for _, tool := range all {
		name, ours := strings.CutPrefix(tool.group+tool.name, m.prefix)
		if !ours {
			continue
		}
		names = append(names, name)
		if do.number < len(m.plan) && name == m.plan[do.number] {
			do.call = tool
		}
	}
	slices.Sort(names)
	m.offers = append(m.offers, names)
	return do
}

// toolsIn reads the tools that a request offers, in any of the four spellings.
func toolsIn(tools []json.RawMessage) (all []offered) {
	type named struct{ Name string }
	for _, raw := range tools {
		var t struct {
			named
			Function named
			Declared []named `json:"functionDeclarations"`
			Tools    []named
		}
		_ = json.Unmarshal(raw, &t)
		for _, inner := range t.Tools {
			all = append(all, offered{t.Name, inner.Name})
		}
		for _, declared := range t.Declared {
			all = append(all, offered{"", declared.Name})
		}
		if name := t.Name + t.Function.Name; name != "" && len(t.Tools) == 0 {
			all = append(all, offered{"", name})
		}
	}
	return all
}

// event is one event of a stream.
func event(w io.Writer, name, format string, args ...any) {
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: "+format+"\n\n", args...)
}

func speakMessages(w io.Writer, model string, do turn) {
	const head = `"id":"m1","type":"message","role":"assistant","model":%q,"stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":1}`
	if do.whole {
		fmt.Fprintf(w, `{`+head+`,"content":[{"type":"text","text":"done"}],"stop_reason":"end_turn"}`, model)
		return
	}
	event(w, "message_start", `{"type":"message_start","message":{`+head+`,"content":[],"stop_reason":null}}`, model)
	block, delta, stop := `{"type":"text","text":""}`, `{"type":"text_delta","text":"done"}`, "end_turn"
	if do.call.name != "" {
		block = fmt.Sprintf(`{"type":"tool_use","id":"call_%d","name":%q,"input":{}}`, do.number, do.call.name)
		delta, stop = `{"type":"input_json_delta","partial_json":"{}"}`, "tool_use"
	}
	event(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":%s}`, block)
	event(w, "content_block_delta", `{"type":"content_block_delta","index":0,"delta":%s}`, delta)
	event(w, "content_block_stop", `{"type":"content_block_stop","index":0}`)
	event(w, "message_delta", `{"type":"message_delta","delta":{"stop_reason":%q,"stop_sequence":null},"usage":{"output_tokens":5}}`, stop)
	event(w, "message_stop", `{"type":"message_stop"}`)
}

func speakResponses(w io.Writer, model string, do turn) {
	item := `{"type":"message","id":"m1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"done","annotations":[]}]}`
	if do.call.name != "" {
		item = fmt.Sprintf(`{"type":"function_call","id":"f%d","call_id":"call_%[1]d","namespace":%q,"name":%q,"arguments":"{}","status":"completed"}`, do.number, do.call.group, do.call.name)
	}
	const head = `"id":"r1","object":"response","model":%q`
	event(w, "response.created", `{"type":"response.created","response":{`+head+`,"status":"in_progress","output":[]}}`, model)
	event(w, "response.output_item.done", `{"type":"response.output_item.done","output_index":0,"item":%s}`, item)
	event(w, "response.completed", `{"type":"response.completed","response":{`+head+`,"status":"completed","output":[%s],"usage":{"input_tokens":9,"output_tokens":5,"total_tokens":14}}}`, model, item)
}

func speakCompletions(w io.Writer, model string, do turn) {
	const head, usage = `"id":"c1","created":1,"model":%q`, `"usage":{"prompt_tokens":9,"completion_tokens":5,"total_tokens":14}`
	if do.whole {
		fmt.Fprintf(w, `{"object":"chat.completion",`+head+`,"choices":[{"index":0,"message":{"role":"assistant","content":"done"},"finish_reason":"stop"}],`+usage+`}`, model)
		return
	}
	delta, stop := `{"role":"assistant","content":"done"}`, "stop"
	if do.call.name != "" {
		delta = fmt.Sprintf(`{"role":"assistant","tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":%q,"arguments":"{}"}}]}`, do.number, do.call.name)
		stop = "tool_calls"
	}
	event(w, "", `{"object":"chat.completion.chunk",`+head+`,"choices":[{"index":0,"delta":%s,"finish_reason":null}]}`, model, delta)
	event(w, "", `{"object":"chat.completion.chunk",`+head+`,"choices":[{"index":0,"delta":{},"finish_reason":%q}],`+usage+`}`, model, stop)
	event(w, "", "[DONE]")
}

func speakGemini(w io.Writer, _ string, do turn) {
	part := `{"text":"done"}`
	if do.call.name != "" {
		part = fmt.Sprintf(`{"functionCall":{"id":"call_%d","name":%q,"args":{}}}`, do.number, do.call.name)
	}
	answer := `{"candidates":[{"content":{"role":"model","parts":[` + part + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":5,"totalTokenCount":14},"modelVersion":"fake"}`
	if do.whole {
		fmt.Fprint(w, answer)
		return
	}
	event(w, "", "%s", answer)
}
