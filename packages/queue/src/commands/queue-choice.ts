import { join, resolve } from "node:path";

import { integerOption, UsageError, textOptions } from "@envs/cli/kit";
import type { QueueArguments } from "@envs/cli/kit/runs";
import { isRedacted, redactUrl } from "@envs/core/engine";

import { isServerUrl, openQueue } from "../open-queue.ts";
import type { Queue } from "../queue.ts";
import { noteWaiting } from "./note-waiting.ts";

/** The queue that a command line names, and its limit. */
export interface QueueChoice {
  /** A URL, a folder or `embedded`. */
  readonly reference: string;
  readonly maxQueued: number | undefined;
}

interface ResumeOptions {
  /** The address that a resumed run has saved; `undefined` for a run without a queue. */
  readonly saved?: string | undefined;
  readonly note: (text: string) => void;
}

/** Reads {@link queueOptions}: the queue that plays a run, `undefined` for this process. A resumed run stays in its queue. */
export function queueChoice(
  args: QueueArguments,
  { saved, note }: ResumeOptions,
): QueueChoice | undefined {
  const text = textOptions(args);
  const maxQueued = integerOption("max-queued", text("max-queued"));
  const reference = text("queue") ?? (saved && savedReference(saved, note));
  if (reference === "")
    throw new UsageError(
      "--queue is empty. Example: --queue postgres://envs@localhost/envs, or --queue embedded",
    );
  if (reference !== undefined && reference !== "none") return { reference, maxQueued };
  if (maxQueued === undefined) return undefined;
  throw new UsageError("--max-queued limits the rollouts in a queue. Add --queue, or remove it.");
}

function savedReference(saved: string, note: ResumeOptions["note"]): string {
  const reference = knownReference(saved);
  const alone = "To play the rest in this process, pass --queue none.";
  if (reference === undefined)
    throw new UsageError(
      `The run was started in the queue ${saved}, whose password is not saved. Pass --queue again, or set ENVS_QUEUE. ${alone}`,
    );
  note(`Continuing in the queue ${saved}, in which the run was started. ${alone}`);
  return reference;
}

/** The reference of a queue whose address a run has saved; `undefined` if its password is not known. */
export function knownReference(saved: string): string | undefined {
  const own = process.env["ENVS_QUEUE"] ?? "";
  if (!isRedacted(saved)) return saved;
  return savedQueue(own) === saved ? own : undefined;
}

/** The address of a queue as records have it: without a password and a query, which may be secret. */
export function savedQueue(reference: string): string {
  const url = isServerUrl(reference) && URL.canParse(reference) ? new URL(reference) : undefined;
  if (url === undefined) return reference;
  return url.password === "" && url.search === "" ? reference : redactUrl(reference);
}

/** A queue that a command has opened. */
export interface OpenedQueue {
  readonly queue: Queue;
  /** The reference as the user wrote it; for an embedded queue, its folder. */
  readonly reference: string;
  /** Whether only this process can use it, so that the command plays the rollouts itself. */
  readonly isEmbedded: boolean;
  readonly maxQueued: number | undefined;
}

/** Opens the queue of a run that is saved below `outputs`. */
export async function openedQueue(
  { reference: chosen, maxQueued }: QueueChoice,
  outputs: string,
  note: (text: string) => void,
): Promise<OpenedQueue> {
  const reference = queueAddress(chosen, outputs);
  const isEmbedded = !isServerUrl(reference);
  const queue = await openQueue(reference, noteWaiting(note));
  return { queue, reference, isEmbedded, maxQueued };
}

/** The URL or the folder of a queue. */
function queueAddress(reference: string, outputs: string): string {
  if (isServerUrl(reference)) return reference;
  return reference === "embedded" ? join(resolve(outputs), ".queue") : resolve(reference);
}
