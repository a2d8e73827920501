import variant from "@jitl/quickjs-ng-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";

import { type GlobalsOptions, installGlobals } from "./globals.ts";

/** The compiler's library for Node lacks it. */
declare const WebAssembly: {
  readonly Memory: new (limits: { readonly initial: number; readonly maximum: number }) => {
    readonly buffer: ArrayBuffer;
  };
};

const pageBytes = 64 * 1024;
const initialPages = 256;
/** The maximum stack of the engine: a larger one would overflow WebAssembly's stack first, which ends the process. */
const stackBytes = 128 * 1024;
/** `JS_EVAL_FLAG_ASYNC`: a script that may await. Its promise resolves to an object with the `value`. */
const asyncScript = 1 << 7;

/** Code in the engine threw a value, which only has meaning there. */
export class GuestError extends Error {
  override readonly name = "GuestError";
  readonly thrown: QuickJSHandle;

  constructor(context: QuickJSContext, thrown: QuickJSHandle) {
    super(textOf(context, thrown));
    this.thrown = thrown;
  }
}

/** The result is a promise that can never settle. */
export class UnsettledError extends Error {
  override readonly name = "UnsettledError";

  constructor() {
    super("The code awaits a promise that never settles.");
  }
}

export interface EngineOptions extends GlobalsOptions {
  /** The engine's memory cannot grow beyond, in bytes; at least 16 MB. */
  readonly memory: number;
  /** Called often while code runs. If it returns true, the code is interrupted. */
  readonly isInterrupted: () => boolean;
}

/** A JavaScript engine inside WebAssembly, without network, files or processes. */
export interface Engine {
  readonly context: QuickJSContext;
  /** Runs a script or a module. A promise is returned as it is. Throws a {@link GuestError}. */
  readonly evaluate: (code: string, name: string, type?: CodeType) => QuickJSHandle;
  readonly call: (target: QuickJSHandle, ...args: QuickJSHandle[]) => QuickJSHandle;
  /** Runs jobs and timers until a promise has settled. Other values are returned as they are. */
  readonly settle: (value: QuickJSHandle) => QuickJSHandle;
  /** Runs all jobs and timers. */
  readonly drain: () => void;
  readonly clearTimers: () => void;
  /** Whether the memory has grown to its maximum. It never shrinks. */
  readonly hasUsedAll: () => boolean;
}

type CodeType = "script" | "async script" | "module";

/** Starts an engine with the globals of browsers that code without network and files may use. */
export async function openEngine({ memory, isInterrupted, clock }: EngineOptions): Promise<Engine> {
  const maximum = Math.max(initialPages, Math.floor(memory / pageBytes));
  // Limits the memory itself, because the engine's limit does not cover all allocations.
  const wasmMemory = new WebAssembly.Memory({ initial: initialPages, maximum });
  // The types of the variant are those of its CommonJS build.
  const sync = variant as unknown as QuickJSSyncVariant;
  const limited = newVariant(sync, { wasmMemory: wasmMemory as never });
  const quickjs = await newQuickJSWASMModuleFromVariant(limited);
  const context = quickjs.newContext();
  context.runtime.setMaxStackSize(stackBytes);
  context.runtime.setInterruptHandler(isInterrupted);
  const engine = engineOver(context);
  const globals = `(${installGlobals.toString()})(${JSON.stringify({ clock })})`;
  const timers = engine.evaluate(globals, "globals.js");
  const runTimer = context.getProp(timers, "runTimer");
  const clear = context.getProp(timers, "clearTimers");
  const hasRunTimer = (): boolean => context.dump(engine.call(runTimer)) === true;
  const clearTimers = (): void => void engine.call(clear);
  const hasUsedAll = (): boolean => wasmMemory.buffer.byteLength > 0.9 * maximum * pageBytes;
  return { ...engine, ...eventLoop(context, hasRunTimer), clearTimers, hasUsedAll };
}

function engineOver(context: QuickJSContext): Pick<Engine, "context" | "evaluate" | "call"> {
  const unwrap = (result: ReturnType<QuickJSContext["evalCode"]>): QuickJSHandle => {
    if (result.error !== undefined) throw new GuestError(context, result.error);
    return result.value;
  };
  const flags = {
    script: { type: "global" },
    "async script": asyncScript,
    module: { type: "module" },
  } as const;
  return {
    context,
    evaluate: (code, name, type = "script") => unwrap(context.evalCode(code, name, flags[type])),
    call: (target, ...args) => unwrap(context.callFunction(target, context.undefined, ...args)),
  };
}

function eventLoop(
  context: QuickJSContext,
  hasRunTimer: () => boolean,
): Pick<Engine, "settle" | "drain"> {
  const runJobs = (): void => {
    const jobs = context.runtime.executePendingJobs();
    if (jobs.error !== undefined) throw new GuestError(context, jobs.error);
  };
  return {
    settle(value) {
      for (;;) {
        runJobs();
        const state = context.getPromiseState(value);
        if (state.type === "fulfilled") {
          if (state.notAPromise !== true) value.dispose();
          return state.value;
        }
        if (state.type === "rejected") throw new GuestError(context, state.error);
        if (!hasRunTimer()) throw new UnsettledError();
      }
    },
    drain() {
      do runJobs();
      while (hasRunTimer());
    },
  };
}

/** The number of characters of a text, which code cannot forge. */
export function lengthOf(context: QuickJSContext, text: QuickJSHandle): number {
  return context.getProp(text, "length").consume((handle) => context.getNumber(handle));
}

const maxErrorText = 1000;
/** The engine never copies a longer text of an error out of WebAssembly. */
const longestText = 64_000;

/** `TypeError: …`, or the thrown value. QuickJS's own error objects contain the whole engine, so they do not leave it. */
function textOf(context: QuickJSContext, thrown: QuickJSHandle): string {
  if (context.typeof(thrown) !== "object") return shortText(context, thrown) ?? "a value";
  const [name, message] = ["name", "message"].map((part) =>
    context.getProp(thrown, part).consume((handle) => shortText(context, handle)),
  );
  // `typeof null` is an object too, without properties.
  if (message === undefined) return context.eq(thrown, context.null) ? "null" : "an object";
  return `${name ?? "Error"}: ${message}`;
}

function shortText(context: QuickJSContext, handle: QuickJSHandle): string | undefined {
  const type = context.typeof(handle);
  if (type === "string" && lengthOf(context, handle) > longestText) return "a long text";
  return type === "string" || type === "number" || type === "boolean"
    ? context.getString(handle).slice(0, maxErrorText)
    : undefined;
}
