package e2e

//lint:file-ignore SA1019 The legacy era is what is tested; the client calls all of it deprecated since the modern one.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// goClient is mcp-go's client with a person and a model that answer requests.
type goClient struct {
	*client.Client
	mu    sync.Mutex
	heard []any // notifications, bursts of list_changed left out
	asked []any // requests of the server
}

func (c *goClient) note(into *[]any, what any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*into = append(*into, what)
}

func (c *goClient) CreateMessage(_ context.Context, request mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	c.note(&c.asked, request.CreateMessageParams)
	var result mcp.CreateMessageResult
	err := json.Unmarshal([]byte(replies["sampling/createMessage"]), &result)
	return &result, err
}

func (c *goClient) Elicit(_ context.Context, request mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	c.note(&c.asked, request.Params)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action: mcp.ElicitationResponseActionAccept, Content: map[string]any{"name": "Ada", "check": true, "integer": 7}}}, nil
}

func (c *goClient) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	c.note(&c.asked, "roots/list")
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///srv/one", Name: "One"}}}, nil
}

// driveGo drives mcp-go's client in the legacy era.
func driveGo(t *testing.T, argv, env []string, dir string, acts []act) []map[string]any {
	t.Helper()
	stdio := transport.NewStdioWithOptions(argv[0], env, argv[1:], transport.WithCommandStderrWriter(io.Discard),
		transport.WithCommandFunc(func(_ context.Context, command string, env, args []string) (*exec.Cmd, error) {
			cmd := exec.Command(command, args...)
			cmd.Dir, cmd.Env = dir, env
			return cmd, nil
		}))
	c := &goClient{}
	c.Client = client.NewClient(stdio, client.WithLegacyProtocolOnly(), client.WithSamplingHandler(c),
		client.WithElicitationHandler(c), client.WithRootsHandler(c))
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		if strings.HasSuffix(n.Method, "list_changed") {
			return
		}
		c.note(&c.heard, n)
	})
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if err := c.Start(ctx); err != nil {
		t.Fatal(err)
	}
	closed := false
	defer func() {
		if !closed {
			c.Close()
		}
	}()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "e2e", Version: "1"}
	greeted, err := c.Initialize(ctx, hello)
	if err != nil {
		t.Fatalf("initialize: %v", err)
	}
	documents := []map[string]any{{"hello": greeted}}
	for _, a := range acts {
		result, err := c.perform(ctx, a)
		doc := map[string]any{"act": a}
		if err != nil {
			doc["error"] = err.Error()
		} else {
			doc["result"] = result
		}
		documents = append(documents, doc)
	}
	closed = true
	_ = c.Close() // it does not matter here if the server must be killed
	c.mu.Lock()
	defer c.mu.Unlock()
	documents = append(documents, map[string]any{"heard": c.heard, "asked": c.asked})
	return generic(t, documents)
}

// generic turns typed documents into their plain JSON values.
func generic(t *testing.T, documents []map[string]any) (out []map[string]any) {
	t.Helper()
	raw, err := json.Marshal(documents)
	if err == nil {
		err = json.Unmarshal(raw, &out)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (c *goClient) perform(ctx context.Context, a act) (any, error) {
	switch a.Do {
	case "list_tools":
		return c.ListTools(ctx, mcp.ListToolsRequest{})
	case "list_prompts":
		return c.ListPrompts(ctx, mcp.ListPromptsRequest{})
	case "list_resources":
		return c.ListResources(ctx, mcp.ListResourcesRequest{})
	case "list_templates":
		return c.ListResourceTemplates(ctx, mcp.ListResourceTemplatesRequest{})
	case "call":
		return c.call(ctx, a, nil)
	case "progress":
		return c.call(ctx, a, &mcp.Meta{ProgressToken: "go-progress"})
	case "cancel":
		cut, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
		defer cancel()
		_, err := c.call(cut, a, nil)
		return map[string]any{"cancelled": err != nil}, nil
	case "prompt":
		var request mcp.GetPromptRequest
		request.Params.Name = a.Name
		request.Params.Arguments = map[string]string{}
		for name, value := range a.Args {
			request.Params.Arguments[name] = fmt.Sprint(value)
		}
		return c.GetPrompt(ctx, request)
	case "read":
		var request mcp.ReadResourceRequest
		request.Params.URI = a.Name
		return c.ReadResource(ctx, request)
	case "complete":
		var request mcp.CompleteRequest
		request.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: a.Name}
		request.Params.Argument.Name, request.Params.Argument.Value = a.argument()
		return c.Complete(ctx, request)
	case "ping":
		return nil, c.Ping(ctx)
	case "level":
		var request mcp.SetLevelRequest
		request.Params.Level = mcp.LoggingLevel(a.Name)
		return nil, c.SetLevel(ctx, request)
	}
	return nil, fmt.Errorf("no act %q", a.Do)
}

func (c *goClient) call(ctx context.Context, a act, meta *mcp.Meta) (*mcp.CallToolResult, error) {
	var request mcp.CallToolRequest
	request.Params.Name, request.Params.Arguments, request.Params.Meta = a.Name, a.Args, meta
	return c.CallTool(ctx, request)
}
