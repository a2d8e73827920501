import Docker from "dockerode";

import { hasEnded, ownerLabel } from "../owner.ts";

/** A container whose process was killed before it could remove it. */
export interface Leftover {
  readonly id: string;
  readonly image: string;
  remove(): Promise<void>;
}

/** Finds containers of processes of this machine that have ended. */
export async function leftovers(socket?: string): Promise<readonly Leftover[]> {
  const docker = new Docker(socket === undefined ? {} : { socketPath: socket });
  const filters = { label: [ownerLabel] };
  const containers = await docker.listContainers({ all: true, filters });
  return containers
    .filter(({ Labels }) => hasEnded(Labels[ownerLabel] ?? ""))
    .map(({ Id: id, Image: image }) => ({
      id,
      image,
      remove: async () => void (await docker.getContainer(id).remove({ force: true })),
    }));
}
