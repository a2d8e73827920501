import type { QuickJSHandle } from "quickjs-emscripten-core";

import { callHost } from "../child/channel.ts";
import type { Output } from "../child/output.ts";
import { type Engine, lengthOf } from "../quickjs/engine.ts";
import type { Json } from "../sandbox.ts";
import type { RunTime } from "../time/run-time.ts";
import type { Files } from "./files.ts";
import { type Guest, type GuestHost, installGuest } from "./guest.ts";

/** The longest text that a function of the host receives, in characters. */
const maxMessage = 16 * 1024 ** 2;
const maxPath = 1024;

/** The limits and host functions of one run. */
export interface Run {
  output: Output;
  stdin: string;
  /** The time of the run, without that of host functions. */
  readonly time: RunTime;
}

/** Functions inside the engine that its code cannot replace. */
export type OpenGuest = Readonly<Record<keyof Guest, QuickJSHandle>> & {
  /** Copies a text out of the engine, at most `max` characters of it. */
  readonly text: (handle: QuickJSHandle, max: number) => string;
};

interface GuestOptions {
  readonly engine: Engine;
  readonly files: Files;
  readonly run: Run;
  readonly functions: readonly string[];
}

/** Connects code in an engine with the files, the output and the functions of its sandbox. */
export function openGuest({ engine, files, run, functions }: GuestOptions): OpenGuest {
  const { context } = engine;
  const host = context.newObject();
  const names = functions.map((name) => context.newString(name));
  // The host functions use the host only when code calls them.
  const guest: { text: OpenGuest["text"] } = { text: () => "" };
  const define = (
    name: keyof GuestHost,
    work: (...args: QuickJSHandle[]) => QuickJSHandle | void,
  ): void => {
    context
      .newFunction(name, (...args) => work(...args) ?? context.undefined)
      .consume((handle) => context.setProp(host, name, handle));
  };
  const path = (handle: QuickJSHandle): string => guest.text(handle, maxPath);

  define("write", (stream, text) => {
    const name = guest.text(stream, maxPath) as "stdout" | "stderr";
    // Copies one character more than fits, so that the output is marked as cut.
    run.output.write(name, guest.text(text, run.output.left(name) + 1));
  });
  define("call", (name, args) => {
    const length = lengthOf(context, args);
    if (length > maxMessage)
      throw new Error(`The arguments have ${length} characters; the limit is ${maxMessage}.`);
    const values = JSON.parse(context.getString(args)) as Json[];
    const called = guest.text(name, maxPath);
    const result = run.time.pause(() => JSON.stringify(callHost(called, values)));
    return context.newString(result);
  });
  define("readFile", (handle) => {
    const name = path(handle);
    const content = name === "/dev/stdin" ? run.stdin : files.read(name);
    if (content === undefined) return context.undefined;
    return context.newString(typeof content === "string" ? content : decode(content));
  });
  define("writeFile", (handle, text) => {
    files.write(path(handle), Buffer.from(guest.text(text, files.max + 1)));
  });
  define("removeFile", (handle) => (files.remove(path(handle)) ? context.true : context.false));
  define("listFiles", () => context.newString(JSON.stringify(files.paths)));

  context.runtime.setModuleLoader((name) => {
    const content = files.read(name);
    return content === undefined
      ? { error: new Error(`Cannot find module '${name}'`) }
      : decode(content);
  });

  const installed = engine.evaluate(`(${installGuest.toString()})`, "sandbox.js");
  const parts = engine.call(installed, host, ...names);
  const part = (name: keyof Guest): QuickJSHandle => context.getProp(parts, name);
  const slice = part("slice");
  guest.text = (handle, max) => {
    if (context.typeof(handle) !== "string") throw new TypeError("Expected a string.");
    if (lengthOf(context, handle) <= max) return context.getString(handle);
    return engine
      .call(slice, handle, context.newNumber(max))
      .consume((short) => context.getString(short));
  };
  return { describe: part("describe"), stringify: part("stringify"), slice, text: guest.text };
}

function decode(content: Uint8Array): string {
  return new TextDecoder().decode(content);
}
