package main

import (
	"context"
	"fmt"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// typed is the obvious way to build a wrapper: a typed client and a typed server, each message decoded and encoded anew.
func typed(argv []string) error {
	ctx := context.Background()
	upstream, err := client.NewStdioMCPClient(argv[0], nil, argv[1:]...)
	if err != nil {
		return fmt.Errorf("start server: %w", err)
	}
	defer upstream.Close()
	var hello mcp.InitializeRequest
	hello.Params.ProtocolVersion = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "typed", Version: "1"}
	if _, err := upstream.Initialize(ctx, hello); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	listed, err := upstream.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return fmt.Errorf("list tools: %w", err)
	}
	proxy := server.NewMCPServer("typed", "1", server.WithToolCapabilities(true))
	for _, tool := range listed.Tools {
		proxy.AddTool(tool, func(ctx context.Context, request mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return upstream.CallTool(ctx, request)
		})
	}
	return server.ServeStdio(proxy)
}
