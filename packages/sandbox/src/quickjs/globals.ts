/** Functions that the host calls in the engine. */
export interface SandboxClock {
  /** Runs the callback of the next timer. Returns false if no timer waits. */
  readonly runTimer: () => boolean;
  readonly clearTimers: () => void;
}

export interface GlobalsOptions {
  /** A clock that stands still, with a `Math.random` that always returns the same numbers, makes runs repeatable. */
  readonly clock: "still" | "running";
}

/**
 * Adds the globals of browsers that an environment and its core may use, in an engine that has only the language.
 * A timer fires as soon as no other work is left. Runs inside the sandbox, so it must not refer to anything outside its own text.
 */
export function installGlobals({ clock }: GlobalsOptions): SandboxClock {
  const define = (name: string, value: unknown): void => {
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  };

  interface Timer {
    readonly id: number;
    readonly at: number;
    readonly run: () => void;
  }
  let timers: readonly Timer[] = [];
  let lastTimer = 0;
  let time = 0;
  const startTimer = (callback: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => {
    lastTimer += 1;
    const at = time + (delay > 0 ? delay : 0);
    timers = [...timers, { id: lastTimer, at, run: () => callback(...args) }];
    return lastTimer;
  };
  define("setTimeout", startTimer);
  define("clearTimeout", (id: unknown) => {
    timers = timers.filter((timer) => timer.id !== id);
  });

  class Encoder {
    readonly encoding = "utf-8";
    encode(text: unknown = ""): Uint8Array {
      const bytes = unescape(encodeURIComponent(String(text).toWellFormed()));
      return Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    }
  }
  class Decoder {
    readonly encoding = "utf-8";
    decode(bytes: Uint8Array = new Uint8Array(0)): string {
      let text = "";
      for (const byte of bytes) text += String.fromCharCode(byte);
      return decodeURIComponent(escape(text));
    }
  }
  define("TextEncoder", Encoder);
  define("TextDecoder", Decoder);

  class Signal {
    aborted = false;
    reason: unknown;
    readonly #listeners = new Set<() => void>();
    addEventListener(_type: string, listener: () => void): void {
      this.#listeners.add(listener);
    }
    removeEventListener(_type: string, listener: () => void): void {
      this.#listeners.delete(listener);
    }
    throwIfAborted(): void {
      if (this.aborted) throw this.reason;
    }
    abort(reason: unknown): void {
      if (this.aborted) return;
      this.aborted = true;
      this.reason = reason ?? new Error("This operation was aborted");
      for (const listener of this.#listeners) listener();
    }
  }
  class Controller {
    readonly signal = new Signal();
    abort(reason?: unknown): void {
      this.signal.abort(reason);
    }
  }
  define("AbortSignal", Signal);
  define("AbortController", Controller);

  const ignore = (): void => {};
  define("console", { log: ignore, info: ignore, warn: ignore, error: ignore, debug: ignore });
  define("structuredClone", (value: unknown): unknown => JSON.parse(JSON.stringify(value)));
  // oxlint-disable-next-line no-restricted-properties -- the clock of the sandbox, not of the host.
  define("performance", { now: () => Date.now(), timeOrigin: 0 });
  define("fetch", () => Promise.reject(new Error("The sandbox has no network.")));

  if (clock === "still") standStill();

  return {
    runTimer: () => {
      const [next] = timers.toSorted((a, b) => a.at - b.at || a.id - b.id);
      if (next === undefined) return false;
      timers = timers.filter(({ id }) => id !== next.id);
      time = next.at;
      next.run();
      return true;
    },
    clearTimers: () => {
      timers = [];
    },
  };

  function standStill(): void {
    const RealDate = Date;
    define(
      "Date",
      new Proxy(RealDate, {
        construct: (target, args: unknown[]) =>
          Reflect.construct(target, args.length === 0 ? [0] : args) as Date,
        apply: () => new RealDate(0).toString(),
        get: (target, name) => (name === "now" ? () => 0 : (Reflect.get(target, name) as unknown)),
      }),
    );
    let state = 1;
    // oxlint-disable-next-line no-restricted-properties -- this one has a seed.
    Math.random = () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return state / 2 ** 32;
    };
  }
}
