"""What the conformance suite asks a server for (everything.json), on the Python SDK."""

import asyncio
import hashlib
import hmac
import json
import os
import pathlib
import re

import mcp_types as types
from mcp.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

ALL = json.loads((pathlib.Path(__file__).parent / "everything.json").read_text())
KEY = os.urandom(32)
bus = InMemorySubscriptionBus()
CAPABILITY = {"elicitation/create": "elicitation", "sampling/createMessage": "sampling", "roots/list": "roots"}


def text(said):
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)])


def signed(at):
    return f"{at}.{hmac.new(KEY, str(at).encode(), hashlib.sha256).hexdigest()}"


def round_of(state):
    """The round that a retry is at; a state that we did not write is an error."""
    if state is None:
        return 0
    at = state.split(".")[0]
    if not at.isdigit() or state != signed(int(at)):
        raise MCPError(-32602, "the request state was changed")
    return int(at)


def asks(does, params, can):
    """What is missing, or None if all was answered."""
    answers = {k: v for k, v in (params.input_responses or {}).items()}
    for at in range(round_of(params.request_state) if does.get("state") else 0, len(does["rounds"])):
        requests = {k: r for k, r in does["rounds"][at].items() if not does.get("declared") or can.get(CAPABILITY[r["method"]]) is not None}
        if answers and all(k in answers for k in requests):
            answers = {}
            continue
        state = {"requestState": signed(at)} if does.get("state") else {}
        return types.InputRequiredResult.model_validate({"resultType": "input_required", "inputRequests": requests, **state})
    return None


async def call(tool, does, ctx, params):
    args = params.arguments or {}
    meta = ctx.meta or {}
    can = meta.get("io.modelcontextprotocol/clientCapabilities") or {}
    if "result" in does:
        return types.CallToolResult.model_validate(does["result"])
    for said in does.get("log", []):
        await ctx.session.send_log_message("info", said, related_request_id=ctx.request_id)
        await asyncio.sleep(0.02)
    for at in does.get("progress", []):
        await ctx.session.report_progress(at, 100)
        await asyncio.sleep(0.02)
    if "sample" in does:
        said = await ctx.session.create_message(
            [types.SamplingMessage(role="user", content=types.TextContent(type="text", text=args[does["sample"]]))], max_tokens=100, related_request_id=ctx.request_id
        )
        return text(f"LLM response: {said.content.text}")
    if "elicit" in does:
        said = await ctx.session.elicit_form(does["elicit"].get("message", args.get("message")), does["elicit"]["requestedSchema"], related_request_id=ctx.request_id)
        return text(f"User response: action={said.action}, content={json.dumps(said.content)}")
    if does.get("needs") and does["needs"] not in can:
        raise MCPError(-32021, "a capability is missing", {"requiredCapabilities": {does["needs"]: {}}})
    if does.get("changes") == "tools":
        await bus.publish(ToolsListChanged())
    if does.get("changes") == "prompts":
        await bus.publish(PromptsListChanged())
    if "rounds" in does:
        return asks(does, params, can) or text("state-ok: everything was answered")
    return text(tool["name"])


def fill(value, args):
    return json.loads(re.sub(r"\{(\w+)\}", lambda m: json.dumps(str(args[m[1]]))[1:-1] if m[1] in args else m[0], json.dumps(value)))


async def list_tools(ctx, params):
    return types.ListToolsResult.model_validate({"tools": [t["tool"] for t in ALL["tools"]]})


async def call_tool(ctx, params):
    for found in ALL["tools"]:
        if found["tool"]["name"] == params.name:
            return await call(found["tool"], found["does"], ctx, params)
    raise MCPError(-32602, "unknown tool")


async def list_prompts(ctx, params):
    return types.ListPromptsResult.model_validate({"prompts": [p["prompt"] for p in ALL["prompts"]]})


async def get_prompt(ctx, params):
    for found in ALL["prompts"]:
        if found["prompt"]["name"] == params.name:
            asked = asks(found, params, {}) if "rounds" in found else None
            return asked or types.GetPromptResult.model_validate({"messages": fill(found["messages"], params.arguments or {})})
    raise MCPError(-32602, "unknown prompt")


async def list_resources(ctx, params):
    return types.ListResourcesResult.model_validate({"resources": [r["resource"] for r in ALL["resources"]]})


async def list_templates(ctx, params):
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": [ALL["template"]]})


async def read(ctx, params):
    uri = str(params.uri)
    for found in ALL["resources"]:
        if found["resource"]["uri"] == uri:
            return types.ReadResourceResult.model_validate({"contents": [found["contents"]]})
    if of := re.fullmatch(r"test://template/([^/]+)/data", uri):
        return types.ReadResourceResult.model_validate({"contents": [{"uri": uri, "mimeType": "application/json", "text": ALL["templated"].replace("{id}", of[1])}]})
    raise MCPError(-32602, "Resource not found", {"uri": uri})


async def nothing(ctx, params):
    return types.EmptyResult()


async def complete(ctx, params):
    return types.CompleteResult.model_validate({"completion": {"values": ["paris", "park", "party"], "total": 3, "hasMore": False}})


async def main():
    server = Server(
        "conformance-python", version="1.0.0", on_list_tools=list_tools, on_call_tool=call_tool, on_list_prompts=list_prompts, on_get_prompt=get_prompt,
        on_list_resources=list_resources, on_list_resource_templates=list_templates, on_read_resource=read, on_subscribe_resource=nothing,
        on_unsubscribe_resource=nothing, on_completion=complete, on_set_logging_level=nothing, on_subscriptions_listen=ListenHandler(bus),
    )
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options(NotificationOptions(True, True, True)))


asyncio.run(main())
