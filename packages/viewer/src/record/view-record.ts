import {
  isReadable,
  readParsedRecord,
  readRecord,
  type ReadRollout,
  type UnreadableRow,
} from "@envs/records";

import type { ViewedRollout } from "./rollout.ts";
import { viewRollout } from "./view-rollout.ts";

/** Reads a record from JSON text, whichever program wrote it, as the rollouts that the viewer shows. */
export function viewRecord(text: string): readonly ViewedRollout[] | UnreadableRow {
  return viewAll(readRecord(text));
}

/** Reads a record from parsed JSON. */
export function viewParsedRecord(record: unknown): readonly ViewedRollout[] | UnreadableRow {
  return viewAll(readParsedRecord(record));
}

function viewAll(
  read: readonly ReadRollout[] | UnreadableRow,
): readonly ViewedRollout[] | UnreadableRow {
  return isReadable(read) ? read.map(viewRollout) : read;
}
