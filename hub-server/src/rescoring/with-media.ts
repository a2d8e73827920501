import { basename } from "node:path/posix";

import type { ScoredRollout } from "@envs/core";
import { mapMedia, parseMediaReference } from "@envs/records";

import { readMedia } from "../evaluations/rollouts/read-media.ts";
import type { Hub } from "../platform/hub/hub.ts";

/**
 * Replaces references in rollouts by the bytes of the files, which a replay has in its messages. A reference to a file that was
 * not pushed stays, so that the comparison fails.
 */
export async function withMedia(
  hub: Pick<Hub, "database" | "blobs">,
  runId: string,
  rollouts: readonly ScoredRollout[],
): Promise<readonly ScoredRollout[]> {
  const references = new Map<string, string | undefined>();
  for (const rollout of rollouts)
    mapMedia(rollout, (source) => {
      if (parseMediaReference(source) !== undefined) references.set(source, undefined);
      return source;
    });
  if (references.size === 0) return rollouts;
  for (const source of references.keys()) {
    const { path, mediaType } = parseMediaReference(source)!;
    const bytes = await readMedia(hub, runId, basename(path)).catch(() => undefined);
    if (bytes === undefined) continue;
    references.set(source, `data:${mediaType};base64,${Buffer.from(bytes).toString("base64")}`);
  }
  return rollouts.map((rollout) => mapMedia(rollout, (source) => references.get(source) ?? source));
}
