import type Docker from "dockerode";

import type { Leftover } from "../machine.ts";
import { hasEnded, insideLabel, ownerLabel, runLabel } from "../owner.ts";
import { ignoreMissing } from "./engine.ts";

type Labels = Readonly<Record<string, string>> | null | undefined;

/** The containers, networks and volumes of processes of this computer that have ended. Containers come first: they use the others. */
export async function dockerLeftovers(docker: Docker): Promise<readonly Leftover[]> {
  const filters = { label: [ownerLabel] };
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  const isLeft = (labels: Labels): boolean => hasEnded(labels?.[ownerLabel] ?? "");
  const runOf = (labels: Labels) => labels?.[runLabel] || undefined;
  return [
    ...containers
      .filter(({ Labels }) => isLeft(Labels))
      // A container in the network of another one is removed first.
      .toSorted((a, b) => Number(isInside(b)) - Number(isInside(a)))
      .map(({ Id: id, Labels }) => ({
        kind: "container",
        id,
        run: runOf(Labels),
        remove: () =>
          ignoreMissing(
            docker.getContainer(id).remove({
              force: true,
              v: true,
            }),
          ),
      })),
    ...networks
      .filter(({ Labels }) => isLeft(Labels))
      .map(({ Id: id, Labels }) => ({
        kind: "network",
        id,
        run: runOf(Labels),
        remove: () => ignoreMissing(docker.getNetwork(id).remove({ force: true })),
      })),
    ...(volumes ?? [])
      .filter(({ Labels }) => isLeft(Labels))
      .map(({ Name: id, Labels }) => ({
        kind: "volume",
        id,
        run: runOf(Labels),
        remove: () => ignoreMissing(docker.getVolume(id).remove({ force: true })),
      })),
  ];
}

function isInside({ Labels }: Docker.ContainerInfo): boolean {
  return insideLabel in Labels;
}
