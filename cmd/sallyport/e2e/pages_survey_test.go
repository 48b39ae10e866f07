//go:build survey

package e2e

import "testing"

func TestThePagesOfMoreRealServers(t *testing.T) {
	samePages(t,
		pageServer{"mcp-server-basic-react", "ui://get-time/mcp-app.html"},
		pageServer{"mcp-budget-allocator-server", "ui://budget-allocator/mcp-app.html"},
		pageServer{"mcp-customer-segmentation-server", "ui://customer-segmentation/mcp-app.html"},
		pageServer{"mcp-scenario-modeler-server", "ui://scenario-modeler/mcp-app.html"},
	)
}
