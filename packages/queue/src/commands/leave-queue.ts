import { paint } from "@envs/cli/kit";
import type { QueuedRunRecord } from "@envs/cli/kit/runs";
import { messageOf } from "@envs/core/engine";

import { openQueue } from "../open-queue.ts";
import { knownReference } from "./queue-choice.ts";

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
