import type { MessagePort } from "node:worker_threads";

/** A call of a function that a module exports. */
export interface ThreadCall {
  readonly module: string;
  readonly name: string;
  readonly input: unknown;
  /** Receives a message when the module is loaded and the function starts. */
  readonly started: MessagePort;
}

/** The result of a call, or its error as data: a cloned `Error` loses its `code`. */
export type ThreadOutcome =
  | { readonly value: unknown }
  | { readonly error: Readonly<Record<string, unknown>> };

/** Runs in the thread. Piscina calls it once per task. */
export default async function runCall(call: ThreadCall): Promise<ThreadOutcome> {
  try {
    const exports = (await import(call.module)) as Readonly<Record<string, unknown>>;
    const work = exports[call.name];
    if (typeof work !== "function")
      throw new TypeError(`${call.module} does not export a function ${call.name}.`);
    call.started.postMessage(true);
    return { value: structuredClone(await (work(call.input) as unknown)) };
  } catch (error) {
    return { error: errorFields(error) };
  } finally {
    call.started.close();
  }
}

function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, stack } = error;
  const fields: Record<string, unknown> = { name, message, stack };
  for (const [key, value] of Object.entries(error)) {
    try {
      fields[key] = structuredClone(value) as unknown;
    } catch {
      // A field that cannot be sent is less important than the message.
    }
  }
  return fields;
}
