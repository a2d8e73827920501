import type { Run as RunRequest, Start } from "../child/messages.ts";
import { Output } from "../child/output.ts";
import type { Result } from "../child/reply.ts";
import { GuestError, lengthOf, openEngine, UnsettledError } from "../quickjs/engine.ts";
import type { Json } from "../sandbox.ts";
import { limitMessage, RunTime } from "../time/run-time.ts";
import { Files } from "./files.ts";
import { openGuest, type Run } from "./host.ts";

/** The longest JSON of a value, in characters. */
const maxValue = 16 * 1024 ** 2;
/** The time in which an error is described, which may run code. */
const describeMs = 100;
const hasModuleSyntax = /^\s*(?:import\s*["'{*\w]|export\b)/m;

/** The content of a sandbox's process: an engine with its variables, and files. */
export interface Machine {
  readonly files: Files;
  readonly run: (request: RunRequest) => Result;
}

export async function openMachine({ limits, functions, ...start }: Start): Promise<Machine> {
  const files = new Files(limits.disk);
  for (const [path, content] of Object.entries(start.files))
    files.write(path, Buffer.from(content, "base64"));
  const run: Run = { output: new Output(0), stdin: "", time: new RunTime() };
  const parent = process.ppid;
  const engine = await openEngine({
    memory: limits.memory,
    clock: "running",
    // Ends this process if its host was killed.
    isInterrupted: () => run.time.reached() !== undefined || process.ppid !== parent,
  });
  const { context } = engine;
  const guest = openGuest({ engine, files, run, functions });

  function valueOf(code: string): Json | undefined {
    const isModule = hasModuleSyntax.test(code);
    const started = engine.evaluate(code, "code.js", isModule ? "module" : "async script");
    const outcome = engine.settle(started);
    const value = context.getProp(outcome, isModule ? "default" : "value");
    const settled = engine.settle(value);
    engine.drain();
    const json = engine.call(guest.stringify, settled);
    if (context.typeof(json) !== "string" || lengthOf(context, json) > maxValue) return undefined;
    return JSON.parse(context.getString(json)) as Json;
  }

  function describe(error: unknown): string {
    if (error instanceof UnsettledError) return `${error.message}\n`;
    if (!(error instanceof GuestError)) return "The memory of the engine is full.\n";
    try {
      return guest.text(engine.call(guest.describe, error.thrown), limits.output);
    } catch {
      return `${error.message}\n`;
    }
  }

  /** Without memory for the error itself, QuickJS throws `null`. */
  function isFull(error: unknown): boolean {
    const { message } = error as Error;
    if (message.startsWith("InternalError: out of memory")) return true;
    return message === "null" && engine.hasUsedAll();
  }

  function endOf(
    error: unknown,
    timedOut: boolean,
  ): Pick<Result, "timedOut" | "outOfMemory" | "isBroken"> {
    // An error that the code did not throw is one of WebAssembly: its memory is full, and its state is unknown.
    const isBroken = !(error instanceof GuestError) && !(error instanceof UnsettledError);
    const outOfMemory = !timedOut && (isBroken || isFull(error));
    return { timedOut, outOfMemory, isBroken: isBroken || context.runtime.hasPendingJob() };
  }

  return {
    files,
    run({ code, stdin, ms }) {
      const output = new Output(limits.output);
      Object.assign(run, { output, stdin });
      run.time.start(ms);
      const end = { timedOut: false, outOfMemory: false, isBroken: false };
      try {
        const value = valueOf(code);
        const { truncated } = output;
        return { type: "result", ...output.texts, value, exitCode: 0, truncated, ...end };
      } catch (error) {
        const limit = run.time.reached();
        const broken = endOf(error, limit !== undefined);
        run.time.start(describeMs);
        if (limit !== undefined) engine.clearTimers();
        // Omits the position at the interrupt, which differs between runs.
        const reason = limit === undefined ? describe(error) : `${limitMessage(limit, ms)}\n`;
        output.write("stderr", reason);
        const { truncated } = output;
        return { type: "result", ...output.texts, exitCode: 1, truncated, ...broken };
      }
    },
  };
}
