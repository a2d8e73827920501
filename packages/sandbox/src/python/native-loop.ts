import { loadDriver } from "./driver.ts";

/** The program of a native Python in its sandbox: it answers the host's messages, as `child/main` does in Pyodide. */
export const nativeLoop: string = `${loadDriver}
def serve():
    import base64, builtins, json, os, signal, struct, sys, threading, time
    import envs_driver as driver

    question = ""
    interrupted = False
    limit = 0

    def read_exactly(size):
        parts = []
        while size:
            part = os.read(3, min(size, 1 << 20))
            if not part:
                os._exit(0)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def receive():
        nonlocal question
        (size,) = struct.unpack(">I", read_exactly(4))
        message = json.loads(read_exactly(size))
        question = message["id"]
        return message["request"]

    def send(reply):
        body = json.dumps({"id": question, "reply": reply}).encode()
        data = memoryview(struct.pack(">I", len(body)) + body)
        while data:
            data = data[os.write(4, data):]

    def interrupt(signal_number, frame):
        nonlocal interrupted
        interrupted = True
        raise KeyboardInterrupt

    def call(name, args):
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
        try:
            send({"type": "call", "name": name, "args": json.loads(args)})
            answer = receive()
        finally:
            signal.setitimer(signal.ITIMER_REAL, left)
        if answer["type"] == "return":
            return json.dumps({"value": answer["value"]})
        return json.dumps({"error": answer["message"]})

    class Capture:
        """What is written to a file descriptor, up to the limit."""

        def __init__(self, target):
            self.target = target
            self.saved = os.dup(target)
            self.source, sink = os.pipe()
            os.dup2(sink, target)
            os.close(sink)
            self.parts = []
            self.size = 0
            self.truncated = False
            self.thread = threading.Thread(target=self.read, daemon=True)
            self.thread.start()

        def read(self):
            while part := os.read(self.source, 1 << 16):
                kept = part[: max(0, limit - self.size)]
                self.truncated = self.truncated or len(kept) < len(part)
                self.size += len(kept)
                self.parts.append(kept)

        def end(self):
            os.dup2(self.saved, self.target)
            os.close(self.saved)
            self.thread.join(1)
            os.close(self.source)
            return b"".join(self.parts).decode("utf-8", "replace")

    def run(request):
        nonlocal interrupted
        out, err = Capture(1), Capture(2)
        outcome = {"exitCode": 1, "outOfMemory": False, "truncated": False}
        interrupted = False
        try:
            signal.setitimer(signal.ITIMER_REAL, request["ms"] / 1000)
            try:
                outcome = json.loads(driver.run(request["code"], request["stdin"], limit))
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
        except BaseException:
            pass
        stdout, stderr = out.end(), err.end()
        truncated = outcome["truncated"] or out.truncated or err.truncated
        result = {"type": "result", **outcome, "stdout": stdout, "stderr": stderr}
        return {**result, "timedOut": interrupted, "truncated": truncated}

    def write(path, content):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(content))

    def answer(request):
        nonlocal limit
        kind = request["type"]
        if kind == "start":
            limit = request["limits"]["output"]
            for path, content in request["files"].items():
                write(path, content)
            for name in request["functions"]:
                driver.define(name, call)
            return {"type": "done"}
        if kind == "run":
            return run(request)
        if kind == "write":
            write(request["path"], request["content"])
            return {"type": "done"}
        if kind == "read":
            try:
                with open(request["path"], "rb") as file:
                    return {"type": "content", "content": base64.b64encode(file.read()).decode()}
            except FileNotFoundError:
                return {"type": "failed", "message": "The file %s does not exist in the sandbox." % request["path"]}
        return {"type": "failed", "message": "No code waits for this answer."}

    home = os.getcwd()
    signal.signal(signal.SIGALRM, interrupt)
    send({"type": "ready"})
    while True:
        request = receive()
        if request["type"] in ("read", "write"):
            request["path"] = os.path.join(home, request["path"])
        try:
            send(answer(request))
        except Exception as error:
            send({"type": "failed", "message": str(error)})

serve()
`;
