//go:build survey

package e2e

// Real servers are also compared for a client that looks for the modern era first, and two more of them.
func init() {
	drivers = append(drivers, struct {
		name string
		run  driver
	}{"the Python SDK, looking for the modern era", drivePython("auto")})
	realServers = append(realServers, realServer{
		name: "mcp-server-calculator",
		argv: surveyPyPI("mcp-server-calculator", "mcp-server-calculator"),
		acts: func(string) []act {
			return []act{{Do: "list_tools"}, call("calculate", "expression", "6 * 7"), call("calculate", "expression", "6 *"), call("calculate"), {Do: "ping"}}
		},
	}, realServer{
		name: "mcp-server-sqlite",
		argv: surveyPyPI("mcp-server-sqlite", "mcp-server-sqlite", "--db-path", "DIR/data.db"),
		acts: func(string) []act {
			return []act{
				{Do: "list_tools"}, {Do: "list_prompts"}, {Do: "list_resources"},
				call("create_table", "query", "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)"),
				call("write_query", "query", "INSERT INTO notes (text) VALUES ('<&> \u00e9 \"quoted\"')"),
				call("read_query", "query", "SELECT * FROM notes"),
				call("list_tables"), call("describe_table", "table_name", "notes"),
				call("read_query", "query", "SELECT nothing FROM nowhere"),
				{Do: "prompt", Name: "mcp-demo", Args: map[string]any{"topic": "tea"}},
				{Do: "read", Name: "memo://insights"},
			}
		},
	})
}
