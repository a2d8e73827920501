/** A module of Python that runs code in `__main__`, as an interactive session does. Both Pythons load it. */
const driver = String.raw`
import ast, builtins, io, json, linecache, sys, traceback, __main__

runs = 0

class HostError(Exception):
    """A function of the host failed."""
    __module__ = "builtins"

def define(name, call):
    def function(*args):
        answer = json.loads(call(name, json.dumps(args)))
        if "error" in answer:
            raise HostError(answer["error"])
        return answer["value"]
    function.__name__ = function.__qualname__ = name
    setattr(__main__, name, function)

def run(code, stdin, limit):
    """Runs code and returns what happened as JSON."""
    global runs
    runs += 1
    file = f"<run {runs}>"
    linecache.cache[file] = (len(code), None, code.splitlines(True), file)
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8", "surrogatepass")), "utf-8")
    outcome = {"exitCode": 0, "outOfMemory": False, "truncated": False}
    try:
        tree = compile(code, file, "exec", ast.PyCF_ONLY_AST)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        scope = __main__.__dict__
        exec(compile(tree, file, "exec"), scope)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), file, "eval"), scope)
            outcome.update(encode(value, limit))
    except SystemExit as stop:
        outcome["exitCode"] = exit_code(stop.code)
    except BaseException as error:
        outcome["exitCode"] = 1
        if isinstance(error, MemoryError):
            outcome["outOfMemory"] = True
            # The frames hold the memory that the report needs.
            traceback.clear_frames(error.__traceback__)
        report(error)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    return json.dumps(outcome)

def encode(value, limit):
    try:
        text = json.dumps(value, allow_nan=False)
        text.encode()
    except Exception:
        return {}
    return {"truncated": True} if len(text) > limit else {"value": json.loads(text)}

def exit_code(code):
    if isinstance(code, int):
        return code & 255
    if not code:
        return 0
    print(code, file=sys.stderr)
    return 1

def report(error):
    try:
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
            frames = frames.tb_next
        traceback.print_exception(type(error), error, frames)
    except BaseException:
        print(type(error).__name__, file=sys.stderr)
`;

/** Creates the module from its source, so that it does not appear in tracebacks and `__main__`. */
export const loadDriver: string = `
import sys, types
envs_driver = types.ModuleType("envs_driver")
envs_driver.__file__ = "<envs>"
exec(compile(${JSON.stringify(driver)}, "<envs>", "exec"), envs_driver.__dict__)
sys.modules["envs_driver"] = envs_driver
del envs_driver, sys, types
`;
