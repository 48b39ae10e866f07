package e2e

//lint:file-ignore SA1019 The legacy era is tested too; the library calls all of it deprecated since the modern one.

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// everything is testdata/conformance/everything.json: what the conformance suite asks a server for.
type everything struct {
	Tools []struct {
		Tool mcp.Tool
		Does does
	}
	Prompts []struct {
		Prompt   mcp.Prompt
		Messages json.RawMessage
		Rounds   []mcp.InputRequests
	}
	Resources []struct {
		Resource mcp.Resource
		Contents struct{ URI, MimeType, Text, Blob string }
	}
	Template  mcp.ResourceTemplate
	Templated string
}

// does is what a tool does; one of its members is set.
type does struct {
	Result   json.RawMessage
	Log      []string
	Progress []float64
	Sample   string
	Elicit   *mcp.ElicitationParams
	Needs    string
	Changes  string
	Rounds   []mcp.InputRequests
	State    bool // its rounds have a request state
	Declared bool // it asks only what the client declared
}

// goConformance serves everything on mcp-go until its input ends.
func goConformance(path string) int {
	all, err := readEverything(path)
	if err == nil {
		err = server.ServeStdio(all.server())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func readEverything(path string) (*everything, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	all := &everything{}
	return all, json.Unmarshal(raw, all)
}

func (all *everything) server() *server.MCPServer {
	s := server.NewMCPServer("conformance-go", "1.0.0", server.WithToolCapabilities(true), server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(true), server.WithCompletions(), server.WithLogging(), server.WithElicitation())
	s.EnableSampling()
	for _, t := range all.Tools {
		s.AddTool(t.Tool, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return t.Does.call(ctx, s, t.Tool.Name, request)
		})
	}
	for _, p := range all.Prompts {
		s.AddPrompt(p.Prompt, func(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			asked, err := (&does{Rounds: p.Rounds}).asks(request.Params.MultiRoundTripParams, nil)
			if asked != nil || err != nil {
				return &mcp.GetPromptResult{Result: mcp.Result{ResultType: mcp.ResultTypeInputRequired}, MultiRoundTripResult: *asked}, err
			}
			messages := string(p.Messages)
			for name, value := range request.Params.Arguments {
				messages = strings.ReplaceAll(messages, "{"+name+"}", value)
			}
			result := json.RawMessage(`{"messages":` + messages + `}`)
			return mcp.ParseGetPromptResult(&result)
		})
	}
	for _, r := range all.Resources {
		s.AddResource(r.Resource, func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			if r.Contents.Blob != "" {
				return []mcp.ResourceContents{mcp.BlobResourceContents{URI: r.Contents.URI, MIMEType: r.Contents.MimeType, Blob: r.Contents.Blob}}, nil
			}
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: r.Contents.URI, MIMEType: r.Contents.MimeType, Text: r.Contents.Text}}, nil
		})
	}
	s.AddResourceTemplate(all.Template, func(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
		id := strings.TrimSuffix(strings.TrimPrefix(request.Params.URI, "test://template/"), "/data")
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI, MIMEType: "application/json", Text: strings.ReplaceAll(all.Templated, "{id}", id)}}, nil
	})
	return s
}

func (d *does) call(ctx context.Context, s *server.MCPServer, name string, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	meta := cmp.Or(request.Params.Meta, &mcp.Meta{})
	switch {
	case d.Result != nil:
		return mcp.ParseCallToolResult(&d.Result)
	case d.Sample != "":
		said, err := s.RequestSampling(ctx, mcp.CreateMessageRequest{Request: mcp.Request{Method: string(mcp.MethodSamplingCreateMessage)}, CreateMessageParams: mcp.CreateMessageParams{
			Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.TextContent{Type: "text", Text: request.GetString(d.Sample, "")}}}, MaxTokens: 100}})
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		content, _ := said.Content.(mcp.TextContent)
		return mcp.NewToolResultText("LLM response: " + content.Text), nil
	case d.Elicit != nil:
		params := *d.Elicit
		params.Message = request.GetString("message", params.Message)
		said, err := s.RequestElicitation(ctx, mcp.ElicitationRequest{Request: mcp.Request{Method: string(mcp.MethodElicitationCreate)}, Params: params})
		if err != nil {
			return mcp.NewToolResultError(err.Error()), nil
		}
		return mcp.NewToolResultText(fmt.Sprintf("User response: action=%s, content=%v", said.Action, said.Content)), nil
	case d.Needs == "sampling" && (meta.ClientCapabilities() == nil || meta.ClientCapabilities().Sampling == nil):
		return nil, mcp.MissingRequiredClientCapabilityError{Capability: d.Needs}
	case d.Rounds != nil:
		asked, err := d.asks(request.Params.MultiRoundTripParams, meta.ClientCapabilities())
		if asked != nil || err != nil {
			return &mcp.CallToolResult{Result: mcp.Result{ResultType: mcp.ResultTypeInputRequired}, MultiRoundTripResult: *cmp.Or(asked, &mcp.MultiRoundTripResult{})}, err
		}
		return mcp.NewToolResultText("state-ok: everything was answered"), nil
	case d.Changes != "":
		s.SendNotificationToAllClients("notifications/"+d.Changes+"/list_changed", nil)
	}
	for _, said := range d.Log {
		err := s.SendLogMessageToClient(ctx, mcp.NewLoggingMessageNotification(mcp.LoggingLevelInfo, "conformance", said))
		if err != nil {
			return nil, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	for _, at := range d.Progress {
		if token := meta.ProgressToken; token != nil {
			if err := s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": token, "progress": at, "total": 100}); err != nil {
				return nil, err
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return mcp.NewToolResultText(name), nil
}

// stateKey signs request states. It is no secret: nobody but the suite sends one.
var stateKey = []byte("conformance")

func signed(round int) string {
	sum := hmac.New(sha256.New, stateKey)
	fmt.Fprint(sum, round)
	return fmt.Sprintf("%d.%x", round, sum.Sum(nil))
}

// asks is what is still to be asked, nil if all was answered. A request state that we did not write is an error.
func (d *does) asks(params mcp.MultiRoundTripParams, can *mcp.ClientCapabilities) (*mcp.MultiRoundTripResult, error) {
	at := 0
	if d.State && params.RequestState != "" {
		number, _, _ := strings.Cut(params.RequestState, ".")
		round, err := strconv.Atoi(number)
		if err != nil || params.RequestState != signed(round) {
			return nil, fmt.Errorf("%w: the request state was changed", mcp.ErrInvalidParams)
		}
		at = round
	}
	answers := params.InputResponses
	for ; at < len(d.Rounds); at++ {
		requests := mcp.InputRequests{}
		missing := len(answers) == 0
		for id, request := range d.Rounds[at] {
			if d.Declared && request.Elicitation != nil && (can == nil || can.Elicitation == nil) {
				continue
			}
			requests[id] = request
			answer, has := answers[id]
			missing = missing || !has || answer.DecodeFor(request.Method) != nil
		}
		if missing {
			result := &mcp.MultiRoundTripResult{InputRequests: requests}
			if d.State {
				result.RequestState = signed(at)
			}
			return result, nil
		}
		answers = nil
	}
	return nil, nil
}
