# A guardrail provider for Sallyport that asks LlamaFirewall (llamafirewall on PyPI, written for 1.0.3). It reads one
# request a line and writes one answer a line, as docs/guardrail.md says. The text of a request is handed to scanners and never evaluated.
import sys

sys.path[:] = [folder for folder in sys.path if folder]  # no module of the folder we happen to run in

import ipaddress
import json
import os

# The answers get the real stdout. What a library prints goes to stderr, and none can read a request.
requests = os.fdopen(os.dup(0), "rb")
answers = os.fdopen(os.dup(1), "wb", buffering=0)
os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
os.dup2(2, 1)

MODEL = "meta-llama--Llama-Prompt-Guard-2-86M"
WINDOW, OVERLAP = 1000, 200  # characters: PROMPT_GUARD reads 512 tokens and ignores the rest


def stay_offline():
    """Models come from the disk or not at all: the libraries are told so, and a connection that leaves this computer is refused."""
    os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", HF_DATASETS_OFFLINE="1", HF_HUB_DISABLE_TELEMETRY="1")

    def local(host):
        try:
            host = host.decode() if isinstance(host, bytes) else host
            return host in (None, "", "localhost") or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def refuse(event, arguments):
        if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
            leaves = isinstance(arguments[1], tuple) and not local(arguments[1][0])
        elif event in ("socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"):
            leaves = not local(arguments[0])
        else:
            return
        if leaves:
            raise PermissionError("Sallyport keeps LlamaFirewall off the network")

    sys.addaudithook(refuse)


def regex():
    """Only the pattern for prompt injection: the others find an e-mail address or a telephone number, which are no attack."""
    from llamafirewall.scanners.regex_scanner import RegexScanner

    scanner = RegexScanner()
    scanner.patterns = {name: pattern for name, pattern in scanner.patterns.items() if name == "Prompt injection"}
    if not scanner.patterns:
        raise LookupError("this version has no pattern for prompt injection")
    return scanner, lambda text: [text]


def hidden_ascii():
    from llamafirewall.scanners.hidden_ascii_scanner import HiddenASCIIScanner

    return HiddenASCIIScanner(), lambda text: [text]


def prompt_guard():
    home = os.environ.setdefault("HF_HOME", os.path.join("~", ".cache", "huggingface"))
    folder = os.path.expanduser(os.path.join(home, MODEL))
    if not os.path.isfile(os.path.join(folder, "config.json")):  # else the library would download it
        raise LookupError("its model is not on this disk (looked in " + folder + ")")
    from llamafirewall.scanners.prompt_guard_scanner import PromptGuardScanner

    step = WINDOW - OVERLAP
    return PromptGuardScanner(), lambda text: [text[at : at + WINDOW] for at in range(0, max(1, len(text) - OVERLAP), step)]


def load():
    try:
        import llamafirewall
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
        sys.exit(3 if error.name == "llamafirewall" else 5)
    scanners, not_run = {}, {}
    for name, make in (("REGEX", regex), ("HIDDEN_ASCII", hidden_ascii), ("PROMPT_GUARD", prompt_guard)):
        try:
            scanners[name] = make()
        except LookupError as error:
            not_run[name] = str(error.args[0])
        except ModuleNotFoundError as error:
            not_run[name] = "the Python package " + str(error.name) + " is not installed"
        except Exception as error:
            not_run[name] = "it could not be loaded: " + type(error).__name__ + ": " + str(error)[:200]
    if not scanners:
        print(not_run, file=sys.stderr)
        sys.exit(4)
    return scanners, not_run


def say(name, result, text):
    """Our words for a scanner's finding: its own repeat the whole text."""
    if name == "HIDDEN_ASCII":
        hidden = "".join(chr(ord(c) - 0xE0000) for c in text if 0xE0020 <= ord(c) <= 0xE007E)
        return "HIDDEN_ASCII: the text has characters that nobody sees, which say: " + json.dumps(hidden[:150])
    if name == "PROMPT_GUARD":
        return "PROMPT_GUARD: likely a prompt injection"
    return name + ": matches its pattern for prompt injection"


def judge(scanners, text, run):
    from llamafirewall import ScanDecision, ScanStatus, ToolMessage

    verdict, score, reasons = "allow", 0.0, []
    for name, (scanner, windows) in scanners.items():
        for window in windows(text):
            result = run(scanner.scan(ToolMessage(content=window)))
            if result.status is not ScanStatus.SUCCESS:
                raise RuntimeError(name + " could not judge the text")
            score = max(score, min(1.0, max(0.0, float(result.score))))
            if result.decision is ScanDecision.ALLOW:
                continue
            if verdict != "block":
                verdict = "block" if result.decision is ScanDecision.BLOCK else "flag"
            reasons.append(say(name, result, window))
            break
    return verdict, score, "; ".join(reasons)


def main():
    import asyncio

    stay_offline()
    scanners, not_run = load()
    run = asyncio.new_event_loop().run_until_complete
    for line in requests:
        request = json.loads(line)
        verdict, score, reason = judge(scanners, request["text"], run)
        answer = {"id": request["id"], "verdict": verdict, "score": score, "reason": reason, "ran": list(scanners), "not_run": not_run}
        try:
            answers.write(json.dumps(answer).encode() + b"\n")
        except BrokenPipeError:  # nobody waits for it any more
            return


main()
