/** The process of one portable shell. It answers the orders of its parent until that ends. */
import { posix } from "node:path";

import { Bash, type Command, defineCommand, getCommandNames } from "just-bash";

import { callHost, serve, unexpected } from "../child/channel.ts";
import type { Request, Run, Start } from "../child/messages.ts";
import { Output } from "../child/output.ts";
import type { Reply, Result } from "../child/reply.ts";

const folder = "/work";
/** Commands that start threads, which the process may not start. */
const excluded = new Set<string>(["sqlite3", "python3", "python", "js-exec", "node"]);
/** Counts of iterations, which the time limit replaces. */
const unlimited = Number.MAX_SAFE_INTEGER;

let shell: Bash | undefined;
let limits: Start["limits"] | undefined;

await serve(answerTo);

async function answerTo(request: Request): Promise<Reply> {
  switch (request.type) {
    case "start":
      ({ limits } = request);
      shell = open(request);
      await shell.fs.mkdir(folder, { recursive: true });
      for (const [path, content] of Object.entries(request.files)) await write(path, content);
      return { type: "done" };
    case "run":
      return await run(request);
    case "read": {
      const content = await shell!.fs.readFileBuffer(posix.resolve(folder, request.path));
      return { type: "content", content: Buffer.from(content).toString("base64") };
    }
    case "write":
      await write(request.path, request.content);
      return { type: "done" };
    default:
      throw unexpected(request);
  }
}

async function write(path: string, content: string): Promise<void> {
  const target = posix.resolve(folder, path);
  await shell!.fs.mkdir(posix.dirname(target), { recursive: true });
  await shell!.fs.writeFile(target, new Uint8Array(Buffer.from(content, "base64")));
}

function open({ limits: { memory, disk, ms, output }, functions }: Start): Bash {
  return new Bash({
    cwd: folder,
    commands: getCommandNames().filter((name) => !excluded.has(name)) as never,
    customCommands: functions.map(hostCommand),
    executionLimits: {
      maxExecutionTimeMs: ms,
      maxFileSystemBytes: disk,
      maxLiveBytes: memory,
      maxStringLength: Math.floor(memory / 4),
      maxOutputSize: Math.max(output, Math.floor(memory / 4)),
      maxCommandCount: unlimited,
      maxLoopIterations: unlimited,
      maxAwkIterations: unlimited,
      maxSedIterations: unlimited,
      maxJqIterations: unlimited,
      maxWorkUnits: unlimited,
    },
  });
}

/** A command that calls a host function with its arguments and prints the result: text unchanged, other values as JSON. */
function hostCommand(name: string): Command {
  return defineCommand(name, async (args) => {
    try {
      const value = callHost(name, args);
      const text = typeof value === "string" ? value : JSON.stringify(value);
      return { stdout: `${text}\n`, stderr: "", exitCode: 0 };
    } catch (error) {
      return { stdout: "", stderr: `${(error as Error).message}\n`, exitCode: 1 };
    }
  });
}

async function run({ code, stdin, ms }: Run): Promise<Result> {
  const signal = AbortSignal.timeout(ms);
  const result = await shell!.exec(code, { stdin, signal });
  const output = new Output(limits!.output);
  const timedOut = result.exitCode === 124 && signal.aborted;
  output.write("stdout", result.stdout);
  output.write("stderr", result.stderr);
  const isFull = result.exitCode === 126 && /string length|live/.test(result.stderr);
  const hasFlooded = result.exitCode === 126 && /output/.test(result.stderr);
  return {
    type: "result",
    ...output.texts,
    exitCode: result.exitCode,
    timedOut,
    outOfMemory: isFull,
    truncated: output.truncated || hasFlooded,
  };
}
