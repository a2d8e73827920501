import { messageOf } from "@envs/core/engine";
import { openQueue } from "@envs/queue";
import { paint } from "@envs/terminal";

import { knownReference } from "./queue-option.ts";

/** A run in a queue, as its metadata name it. */
export interface QueuedRunRecord {
  readonly run: string;
  /** See `savedQueue`. */
  readonly address: string;
}

/** Closes the queued run of a run that is continued elsewhere, so that its workers stop. */
export async function leaveQueue(
  { run, address }: QueuedRunRecord,
  note: (text: string) => void,
): Promise<void> {
  try {
    const reference = knownReference(address);
    if (reference === undefined) throw new Error("its password is not saved.");
    await using queue = await openQueue(reference, { connections: 1 });
    if ((await queue.state(run)) !== "open") return;
    await queue.cancel(run);
    note(`Closed the run in the queue ${address}.`);
  } catch (error) {
    note(
      paint(
        "yellow",
        `Cannot close the run in the queue ${address}: ${messageOf(error)} Its workers play the groups that wait there. To close it: envs queue cancel ${run} --queue …`,
      ),
    );
  }
}
