import { GuestError, lengthOf, openEngine } from "@envs/sandbox/quickjs";

/** A bundle in a separate engine, without network, files or clock. */
export interface Sandbox {
  /** Sends a request to the bundle. Throws if the bundle breaks its contract, or exceeds its memory. */
  readonly request: (text: string) => string;
}

interface SandboxOptions {
  readonly memoryBytes: number;
  readonly maxResponse: number;
  /** Called often while the bundle runs. If it returns true, the bundle is interrupted. */
  readonly isAbandoned: () => boolean;
}

/**
 * Runs the code of a bundle. The engine's memory cannot grow beyond `memoryBytes`, and a response has at most `maxResponse`
 * characters. Nothing limits its time: the caller must be able to end the process.
 */
export async function openSandbox(
  code: string,
  { memoryBytes, maxResponse, isAbandoned }: SandboxOptions,
): Promise<Sandbox> {
  const options = { memory: memoryBytes, isInterrupted: isAbandoned, clock: "still" } as const;
  const { context, evaluate, call, settle } = await openEngine(options);
  const bundle = ofBundle(() => settle(evaluate(code, "bundle.js", "module")));
  const request = context.getProp(bundle, "request");
  if (context.typeof(request) !== "function")
    throw new Error("The bundle does not export a function `request`.");
  return {
    request(text) {
      const argument = context.newString(text);
      const result = ofBundle(() => settle(call(request, argument)));
      argument.dispose();
      if (context.typeof(result) !== "string")
        throw new Error("The bundle's response is not text.");
      const length = lengthOf(context, result);
      if (length > maxResponse)
        throw new Error(
          `The bundle's response has ${length} characters; the limit is ${maxResponse}.`,
        );
      const response = context.getString(result);
      result.dispose();
      return response;
    },
  };
}

/** Runs `work`; its errors state that the bundle threw them. */
function ofBundle<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof GuestError)) throw error;
    throw new Error(`The bundle threw ${error.message}`, { cause: error });
  }
}
