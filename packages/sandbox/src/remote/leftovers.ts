import { hasEnded, ownerLabel } from "../owner.ts";
import type { RemoteDirectory } from "./client.ts";

/** A machine of a service whose process was killed before it could end it. */
export interface LeftoverMachine {
  readonly id: string;
  remove(): Promise<void>;
}

/** Finds machines of processes of this computer that have ended. */
export async function leftoverMachines(
  directory: RemoteDirectory,
): Promise<readonly LeftoverMachine[]> {
  const found: LeftoverMachine[] = [];
  for (const pages = directory.list(); pages.hasNext;)
    for (const { sandboxId: id, metadata } of await pages.nextItems())
      if (hasEnded(metadata[ownerLabel] ?? ""))
        found.push({ id, remove: async () => void (await directory.kill(id)) });
  return found;
}
