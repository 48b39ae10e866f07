package main

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// connect starts a server behind mcp-go's client, which does the handshake and lists the tools as every client does.
func connect(ctx context.Context, name string, argv, env []string) (*client.Client, *mcp.ListToolsResult, error) {
	c, err := client.NewStdioMCPClientWithOptions(argv[0], env, argv[1:], transport.WithCommandFunc(exactly))
	if err != nil {
		return nil, nil, fmt.Errorf("start server: %w", err)
	}
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: name, Version: "1"}
	if _, err := c.Initialize(ctx, hello); err != nil {
		_ = c.Close()
		return nil, nil, fmt.Errorf("initialize: %w", err)
	}
	listed, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		_ = c.Close()
		return nil, nil, fmt.Errorf("list tools: %w", err)
	}
	return c, listed, nil
}

// exactly starts a server in exactly this environment, while mcp-go would add all of ours; nil means ours.
func exactly(ctx context.Context, command string, env, args []string) (*exec.Cmd, error) {
	cmd := exec.CommandContext(ctx, command, args...)
	cmd.Env = env
	return cmd, nil
}

// typed is the obvious way to build a wrapper: a typed client and a typed server that decode and encode each message.
func typed(argv []string) error {
	upstream, listed, err := connect(context.Background(), "typed", argv, nil)
	if err != nil {
		return err
	}
	defer upstream.Close()
	proxy := server.NewMCPServer("typed", "1", server.WithToolCapabilities(true))
	for _, tool := range listed.Tools {
		proxy.AddTool(tool, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return upstream.CallTool(ctx, request)
		})
	}
	return server.ServeStdio(proxy)
}
