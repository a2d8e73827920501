import type { PyodideAPI } from "pyodide";

import { callHost, unexpected } from "../../child/channel.ts";
import type { Request, Run, Start } from "../../child/messages.ts";
import { Output } from "../../child/output.ts";
import type { Reply, Result } from "../../child/reply.ts";
import type { Json } from "../../sandbox.ts";
import { limitMessage, type TimeLimit } from "../../time/run-time.ts";
import { type Clock, createClock } from "./clock.ts";
import { limitDisk, readFile, writeFile } from "./files.ts";

/** The functions that the Python module `driver` defines. */
interface Driver {
  run(code: string, stdin: string, limit: number): string;
  define(name: string, call: (name: string, args: string) => string): void;
}

type Outcome = Pick<Result, "value" | "exitCode" | "outOfMemory" | "truncated">;

const home = "/home/pyodide";

/** Answers requests with a running Python. */
export class Interpreter {
  readonly #pyodide: PyodideAPI;
  readonly #driver: Driver;
  readonly #clock: Clock = createClock();
  #output = new Output(0);
  #limit = 0;

  constructor(pyodide: PyodideAPI) {
    this.#pyodide = pyodide;
    this.#driver = pyodide.pyimport("envs_driver") as Driver;
    pyodide.setStdout({ write: (bytes) => this.#print("stdout", bytes), isatty: false });
    pyodide.setStderr({ write: (bytes) => this.#print("stderr", bytes), isatty: false });
    pyodide.setInterruptBuffer(this.#clock.interrupt);
    pyodide.FS.mkdirTree(home);
    pyodide.FS.chdir(home);
  }

  answer(request: Request): Reply {
    const { FS } = this.#pyodide;
    switch (request.type) {
      case "start":
        return this.#start(request);
      case "run":
        return this.#run(request);
      case "read":
        return { type: "content", content: readFile(FS, resolve(request.path)) };
      case "write":
        writeFile(FS, resolve(request.path), request.content);
        return { type: "done" };
      default:
        throw unexpected(request);
    }
  }

  #start({ limits, files, functions }: Start): Reply {
    this.#limit = limits.output;
    limitDisk(this.#pyodide, limits.disk);
    for (const [path, content] of Object.entries(files))
      writeFile(this.#pyodide.FS, resolve(path), content);
    for (const name of functions) this.#driver.define(name, this.#call);
    return { type: "done" };
  }

  #run({ code, stdin, ms }: Run): Result {
    const output = (this.#output = new Output(this.#limit));
    this.#clock.start(ms);
    let limit: TimeLimit | undefined;
    let outcome: string;
    try {
      outcome = this.#driver.run(code, stdin, this.#limit);
    } finally {
      limit = this.#clock.stop();
    }
    const fields = JSON.parse(outcome) as Outcome;
    if (limit !== undefined) output.write("stderr", `${limitMessage(limit, ms)}\n`);
    const truncated = output.truncated || fields.truncated;
    const timedOut = limit !== undefined;
    return { type: "result", ...fields, ...output.texts, timedOut, truncated };
  }

  /** Calls a function of the host, and waits. */
  readonly #call = (name: string, args: string): string =>
    this.#clock.pause(() => {
      try {
        return JSON.stringify({ value: callHost(name, JSON.parse(args) as Json[]) });
      } catch (error) {
        return JSON.stringify({ error: (error as Error).message });
      }
    });

  #print(stream: "stdout" | "stderr", bytes: Uint8Array): number {
    this.#output.write(stream, bytes);
    return bytes.length;
  }
}

function resolve(path: string): string {
  return path.startsWith("/") ? path : `${home}/${path}`;
}
