"""Drives an MCP server with the official Python SDK's client and prints what the client got, one JSON document a line.

Usage: driver.py SPEC, where SPEC is a JSON file {"mode": "legacy", "argv": [...], "env": {...}, "cwd": "...", "acts": [...]}; an act is
{"do", "name", "args"} as in servers_test.go. In place of a command, argv can be ["http", URL] or ["sse", URL]. In the mode "auto" the client asks the server for the protocol's modern era first.
"""

import asyncio
import json
import os
import sys

import anyio
import mcp_types as types
from mcp.client.client import Client
from mcp.client.sse import sse_client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

heard = []
asked = []


def tell(**what):
    print(json.dumps(what, sort_keys=True), flush=True)


def dump(model):
    return json.loads(model.model_dump_json(by_alias=True, exclude_none=True))


async def on_message(message):
    root = getattr(message, "root", message)
    if isinstance(message, Exception):
        heard.append({"problem": str(message)})
    elif hasattr(root, "method"):
        heard.append(dump(root))


async def on_sampling(context, params):
    asked.append({"sampling": dump(params)})
    return types.CreateMessageResult(
        role="assistant", content=types.TextContent(type="text", text="a <sampled> answer"), model="test-model", stop_reason="endTurn"
    )


async def on_elicitation(context, params):
    asked.append({"elicitation": dump(params)})
    return types.ElicitResult(action="accept", content={"name": "Ada", "check": True, "integer": 7})


async def on_roots(context):
    asked.append({"roots": True})
    return types.ListRootsResult(roots=[types.Root(uri="file:///srv/one", name="One")])


async def perform(client, act):
    do, name, args = act["do"], act.get("name", ""), act.get("args") or {}
    if do == "list_tools":
        return dump(await client.list_tools())
    if do == "list_prompts":
        return dump(await client.list_prompts())
    if do == "list_resources":
        return dump(await client.list_resources())
    if do == "list_templates":
        return dump(await client.list_resource_templates())
    if do == "call":
        return dump(await client.call_tool(name, args))
    if do == "progress":
        steps = []

        async def step(progress, total, message):
            steps.append([progress, total, message])

        result = dump(await client.call_tool(name, args, progress_callback=step))
        return {"result": result, "steps": steps}
    if do == "cancel":
        with anyio.move_on_after(0.5) as scope:
            await client.call_tool(name, args)
        return {"cancelled": scope.cancelled_caught}
    if do == "prompt":
        return dump(await client.get_prompt(name, args))
    if do == "read":
        return dump(await client.read_resource(name))
    if do == "complete":
        (key, value), = args.items()
        return dump(await client.complete(types.PromptReference(type="ref/prompt", name=name), {"name": key, "value": value}))
    if do == "ping":
        return dump(await client.send_ping())
    if do == "level":
        return dump(await client.set_logging_level(name))
    raise ValueError(f"no act {do}")


async def main():
    with open(sys.argv[1]) as file:
        spec = json.load(file)
    how, *rest = spec["argv"]
    if how == "http":
        server = streamable_http_client(rest[0])
    elif how == "sse":
        server = sse_client(rest[0])
    else:
        server = stdio_client(StdioServerParameters(command=how, args=rest, env=spec["env"], cwd=spec["cwd"]), errlog=open(os.devnull, "w"))
    client = Client(
        server,
        mode=spec["mode"],
        sampling_callback=on_sampling,
        elicitation_callback=on_elicitation,
        list_roots_callback=on_roots,
        message_handler=on_message,
        logging_callback=None,
    )
    try:
        async with client:
            await play(client, spec["acts"])
    except* MCPError as problem:  # the server refused to begin
        while isinstance(problem, ExceptionGroup):
            problem = problem.exceptions[0]
        tell(failed=dump(problem.error))


async def play(client, acts):
    tell(
        hello={
            "protocol": client.protocol_version,
            "info": client.server_info and dump(client.server_info),  # a client that asks for nothing at first knows none
            "capabilities": dump(client.server_capabilities),
            "instructions": client.instructions,
        }
    )
    for act in acts:
        try:
            with anyio.fail_after(60):
                tell(act=act, result=await perform(client, act))
        except Exception as problem:  # noqa: BLE001: whatever the client raises is what its user sees
            whole = dump(problem.error) if isinstance(problem, MCPError) else None
            tell(act=act, error=f"{type(problem).__name__}: {problem}", whole=whole)
    tell(heard=heard, asked=asked)


asyncio.run(main())
