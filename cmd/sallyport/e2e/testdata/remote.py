"""A server on the official Python SDK, over HTTP: remote.py streamable-http|sse PORT."""

import sys

from typing import Annotated

from pydantic import Field

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("python-remote", instructions="Counts and greets.")


@server.tool()
def greet(name: str) -> str:
    """Greets somebody."""
    return f"Hello, {name} <&> \u00e9\u2028 \U0001f600"


@server.tool()
def add(a: float, b: float) -> dict[str, float]:
    """Adds two numbers."""
    return {"sum": a + b}


@server.tool()
async def count(to: int, ctx: Context) -> str:
    """Counts, and says how far it is."""
    for n in range(to):
        await ctx.report_progress(n + 1, to, f"at {n + 1}")
    return "done"


@server.tool()
def where(
    region: Annotated[str, Field(json_schema_extra={"x-mcp-header": "Region"})],
    zone: Annotated[int, Field(json_schema_extra={"x-mcp-header": "Zone"})],
    dry: Annotated[bool, Field(json_schema_extra={"x-mcp-header": "Dry-Run"})] = False,
) -> str:
    """Says where. In the modern era the server compares the arguments with headers."""
    return f"{region} {zone} {dry}"


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("it never works")


@server.resource("note://{name}")
def note(name: str) -> str:
    """A note."""
    return f"the note {name}"


@server.prompt()
def ask(topic: str) -> str:
    """Asks about a topic."""
    return f"What about {topic}?"


server.run(sys.argv[1], host="127.0.0.1", port=int(sys.argv[2]))
