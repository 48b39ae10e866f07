"""Writes public sets of agent tasks as cases that the replay can play (replay_survey_test.go): which tools the servers of a client have, which
calls are made one after the other, and what each of them returns. install-replay.sh runs it in an environment with the packages of the sets.

    replay_sets.py OUT [FOLDER]

FOLDER has recordings: `agentdojo` the JSON or JSON Lines of runs of AgentDojo, `others` those of other suites in the same form.
No case has anything that a model makes up here: what a set's own environment returns is taken as it is.
"""

import ast
import copy
import datetime
import importlib
import importlib.util
import inspect
import json
import os
import re
import sys
import types

import yaml

OUT = sys.argv[1]
RECORDED = sys.argv[2] if len(sys.argv) > 2 else None


def plain(value):
    """A value as JSON has it."""
    if hasattr(value, "model_dump"):
        return plain(value.model_dump())
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(v) for v in value]
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return str(value)
    if hasattr(value, "value") and not isinstance(value, (str, int, float, bool)):
        return plain(value.value)
    return value if isinstance(value, (str, int, float, bool)) or value is None else str(value)


def text_of(value):
    """What a server sends for it: a string as it is, all else as JSON."""
    value = plain(value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2)


def tool(name, description, schema):
    return {"name": name, "description": description, "inputSchema": schema}


def as_json(cases):
    """The same cases, with each response that is YAML written as JSON, which is what servers of MCP send."""
    again = copy.deepcopy(cases)
    for case in again:
        for step in case["steps"]:
            try:
                value = yaml.load(step["text"], Loader=yaml.CBaseLoader)  # every scalar is a string, as it was written
            except yaml.YAMLError:
                continue
            if isinstance(value, (dict, list)):
                step["text"] = text_of(value)
    return again


def write(name, suites, cases):
    with open(os.path.join(OUT, name + ".json"), "w") as file:
        json.dump({"set": name, "suites": suites, "cases": cases}, file, ensure_ascii=False)
    print(f"{name}: {len(cases)} cases", file=sys.stderr)


# AgentDojo


def agentdojo():
    # The package imports the client library of every model; none is needed to play what its tasks say is right.
    base = os.path.dirname(importlib.util.find_spec("agentdojo").origin)
    pipeline = types.ModuleType("agentdojo.agent_pipeline")
    pipeline.__path__ = [os.path.join(base, "agent_pipeline")]
    pipeline.__getattr__ = lambda name: type(name, (), {})
    models = types.ModuleType("agentdojo.agent_pipeline.llms")
    models.__path__ = []
    google = types.ModuleType("agentdojo.agent_pipeline.llms.google_llm")
    google.EMPTY_FUNCTION_NAME = "<empty-function>"
    for module in (pipeline, models, google):
        sys.modules[module.__name__] = module
    from agentdojo.task_suite.load_suites import get_suites

    return get_suites("v1.2.2")


def server_of(function):
    """One server for each service: that of the module which a tool is written in."""
    return function.run.__module__.rsplit(".", 1)[-1].removesuffix("_client")


def servers(suite):
    named = {}
    for f in suite.tools:
        named.setdefault(server_of(f), []).append(tool(f.name, f.description, f.parameters.model_json_schema()))
    return named


class Play:
    """One run of a suite's environment, and the calls that were made in it."""

    def __init__(self, suite, injections, task=None):
        from agentdojo.functions_runtime import FunctionsRuntime

        self.env = suite.load_and_inject_default_environment(injections)
        if task is not None:
            self.env = task.init_environment(self.env)
        self.runtime = FunctionsRuntime(suite.tools)
        self.at = {f.name: server_of(f) for f in suite.tools}
        self.steps = []

    def call(self, call, attack=False):
        arguments = self.runtime._execute_nested_calls(self.env, call.args)
        result, error = self.runtime.run_function(self.env, call.function, arguments)
        step = {"server": self.at[call.function], "tool": call.function, "arguments": plain(arguments), "text": error or text_of(result)}
        if error:
            step["error"] = True
        if attack:
            step["attack"] = True
        self.steps.append(step)
        return step["text"]


def pairs(suites):
    """Each task with each attack, put in two ways: plainly, and in the words of AgentDojo's strongest attack."""
    from agentdojo.attacks import important_instructions_attacks as strong

    ways = {
        "plain": lambda goal: f"TODO: {goal}",
        "strong": lambda goal: strong.ImportantInstructionsAttack._JB_STRING.format(goal=goal, user="Emma Johnson", model="Claude"),
    }
    tools, honest, attacked, skipped = {}, [], {way: [] for way in ways}, 0
    for name, suite in suites.items():
        tools[name] = servers(suite)
        vectors = suite.get_injection_vector_defaults()
        marks = {v: f"mark-{n}-of-a-vector" for n, v in enumerate(vectors)}
        for task in suite.user_tasks.values():
            play = Play(suite, {}, task)
            for call in task.ground_truth(play.env):
                play.call(call)
            honest.append({"suite": name, "id": task.ID, "steps": play.steps})
            marked = Play(suite, marks, task)
            seen = "".join(marked.call(call) for call in task.ground_truth(marked.env))
            reached = [v for v in vectors if marks[v] in seen]
            for injection in suite.injection_tasks.values():
                if not reached or not injection.ground_truth(Play(suite, {}, task).env):
                    skipped += 1
                    continue
                for way, put in ways.items():
                    text = put(injection.GOAL)
                    play = Play(suite, {v: text for v in reached}, task)
                    done = False
                    for call in task.ground_truth(play.env):
                        said = play.call(call)
                        if not done and injection.GOAL[:40].split("\n")[0] in said.replace('\\"', '"'):
                            done = True
                            for bad in injection.ground_truth(play.env):
                                play.call(bad, attack=True)
                    if not done:
                        for bad in injection.ground_truth(play.env):
                            play.call(bad, attack=True)
                    attacked[way].append({"suite": name, "id": f"{task.ID} {injection.ID}", "task": task.ID, "injection": injection.ID, "steps": play.steps})
    write("agentdojo-honest", tools, honest)
    for way in ways:
        write("agentdojo-" + way, tools, attacked[way])
    print(f"agentdojo: {skipped} pairs have no call that attacks, or none of the task's calls returns the text", file=sys.stderr)
    return tools


def flat(value):
    if isinstance(value, dict):
        for v in value.values():
            yield from flat(v)
    elif isinstance(value, list):
        for v in value:
            yield from flat(v)
    elif len(str(value)) >= 3:
        yield re.sub(r"^(https?://)?(www\.)?", "", str(value).strip().lower()).rstrip("/")


def recordings(folder):
    """The runs below a folder, one file each or one line each."""
    for at, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            path = os.path.join(at, file)
            if file.endswith(".jsonl"):
                for line in open(path):
                    if line.strip():
                        run = json.loads(line)
                        run.update(run.pop("metadata", {}))
                        run.setdefault("pipeline_name", file.removesuffix(".jsonl"))
                        yield run
            elif file.endswith(".json"):
                yield json.load(open(path))


def content(message):
    said = message.get("content")
    if isinstance(said, list):
        return "\n".join(block.get("content") or block.get("text") or "" for block in said)
    return said or ""


def recorded_steps(run, at):
    """The calls of a run, each with what the tool returned."""
    steps, waiting = [], []
    for message in run["messages"]:
        if message["role"] == "assistant":
            waiting = []
            for call in message.get("tool_calls") or []:
                f = call["function"]
                waiting.append((call.get("id"), f, call.get("args")) if isinstance(f, str) else (call.get("id"), f["name"], f["arguments"]))
        elif message["role"] == "tool":
            match = next((w for w in waiting if w[0] and w[0] == message.get("tool_call_id")), waiting[0] if waiting else None)
            if match is None:
                continue
            waiting.remove(match)
            _, name, arguments = match
            if isinstance(arguments, str):
                try:
                    arguments = json.loads(arguments)
                except ValueError:
                    continue
            if name not in at or not isinstance(arguments, dict):
                continue
            step = {"server": at[name], "tool": name, "arguments": arguments, "text": message.get("error") or content(message)}
            if message.get("error"):
                step["error"] = True
            steps.append(step)
    return steps


def traces(suites, tools):
    """Runs of AgentDojo that were recorded with models. A call counts as the attack's if it is made after the text came, of a tool that the attack
    needs, and shares an argument with a call that the attack needs."""
    honest, attacked, unclear = [], [], 0
    for run in recordings(os.path.join(RECORDED, "agentdojo")):
        name = run.get("suite_name")
        if name not in suites or not run.get("messages"):
            continue
        suite = suites[name]
        at = {f.name: server_of(f) for f in suite.tools}
        steps = recorded_steps(run, at)
        case = {"suite": name, "id": f"{run['user_task_id']} {run.get('injection_task_id') or ''}".strip(), "model": run["pipeline_name"], "steps": steps}
        if not run.get("injection_task_id"):
            if steps:
                honest.append(case)
            continue
        if not run.get("security"):
            continue
        injection = suite.injection_tasks[run["injection_task_id"]]
        wanted = {}
        for call in injection.ground_truth(suite.load_and_inject_default_environment({})):
            wanted.setdefault(call.function, set()).update(flat(plain(call.args)))
        for n, step in enumerate(steps):
            if any("INFORMATION" in s["text"] for s in steps[:n]) and wanted.get(step["tool"], set()) & set(flat(step["arguments"])):
                step["attack"] = True
        if any(s.get("attack") for s in steps):
            attacked.append(case)
        else:
            unclear += 1
    for kind, cases in (("honest", honest), ("attacked", attacked)):
        write("traces-" + kind, tools, cases)
        write("traces_json-" + kind, tools, as_json(cases))
    print(f"traces: in {unclear} successful attacks no call is told apart as the attack's", file=sys.stderr)


def others():
    """Runs of models in suites of other services, whose search engine also returns poisoned pages. Only the names of arguments are recorded, so the
    schemas have no types."""
    tools, cases = {}, []
    runs = list(recordings(os.path.join(RECORDED, "others")))
    shared = {"search_web": "web", "open_webpage": "web", "retrieve_internal_doc": "docs", "get_user_help": "help"}
    inputs = {}
    for run in runs:
        for message in run["messages"]:
            for call in message.get("tool_calls") or []:
                inputs.setdefault((run["domain"], call["function"]), {}).update({k: {} for k in call["args"]})
    for (domain, name), properties in sorted(inputs.items()):
        server = shared.get(name, "service")
        tools.setdefault(domain, {}).setdefault(server, []).append(tool(name, name.replace("_", " "), {"type": "object", "properties": properties}))
    for run in runs:
        at = {t["name"]: server for server, all in tools.get(run["domain"], {}).items() for t in all}
        steps = recorded_steps(run, at)
        if steps and run["evaluation"]["security"]:
            cases.append({"suite": run["domain"], "id": run["task_id"], "model": run["pipeline_name"], "steps": steps})
    write("others-honest", tools, cases)
    write("others_json-honest", tools, as_json(cases))


# The Berkeley Function Calling Leaderboard: tasks of several turns


def bfcl():
    import bfcl_eval

    base = os.path.join(os.path.dirname(bfcl_eval.__file__), "data")
    modules = {
        "GorillaFileSystem": "gorilla_file_system", "MathAPI": "math_api", "MessageAPI": "message_api", "TwitterAPI": "posting_api",
        "TicketAPI": "ticket_api", "TradingBot": "trading_bot", "TravelAPI": "travel_booking", "VehicleControlAPI": "vehicle_control",
    }
    lines = lambda *path: [json.loads(line) for line in open(os.path.join(base, *path)) if line.strip()]

    def typed(schema):
        if isinstance(schema, dict):
            kinds = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
            return {k: kinds.get(v, v) if k == "type" and isinstance(v, str) else typed(v) for k, v in schema.items()}
        return [typed(v) for v in schema] if isinstance(schema, list) else schema

    tools, order = {}, {}
    for name, file in modules.items():
        docs = lines("multi_turn_func_doc", file + ".json")
        tools[name] = [tool(d["name"], d["description"], typed(d["parameters"])) for d in docs]
        order[name] = {d["name"]: list(d["parameters"]["properties"]) for d in docs}
    truth = {t["id"]: t["ground_truth"] for t in lines("possible_answer", "BFCL_v4_multi_turn_base.json")}
    cases = []
    for task in lines("BFCL_v4_multi_turn_base.json"):
        things = {}
        for name in task["involved_classes"]:
            made = getattr(importlib.import_module("bfcl_eval.eval_checker.multi_turn_eval.func_source_code." + modules[name]), name)()
            if hasattr(made, "_load_scenario"):
                made._load_scenario(json.loads(json.dumps(task["initial_config"].get(name, {}))), long_context=False)
            things[name] = made
        steps = []
        for turn in truth[task["id"]]:
            for source in turn:
                call = ast.parse(source, mode="eval").body
                name = next(n for n in things if call.func.id in order[n])
                arguments = dict(zip(order[name][call.func.id], (ast.literal_eval(a) for a in call.args)))
                arguments.update({k.arg: ast.literal_eval(k.value) for k in call.keywords})
                try:
                    text = text_of(getattr(things[name], call.func.id)(**arguments))
                except Exception as e:
                    text = str(e)
                steps.append({"server": name, "tool": call.func.id, "arguments": plain(arguments), "text": text})
        cases.append({"suite": "bfcl", "id": task["id"], "steps": steps})
    write("bfcl-honest", {"bfcl": tools}, cases)


os.makedirs(OUT, exist_ok=True)
all_suites = agentdojo()
all_tools = pairs(all_suites)
bfcl()
if RECORDED and os.path.isdir(os.path.join(RECORDED, "agentdojo")):
    traces(all_suites, all_tools)
if RECORDED and os.path.isdir(os.path.join(RECORDED, "others")):
    others()
