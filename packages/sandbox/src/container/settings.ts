import type Docker from "dockerode";

import { ownerLabel, ownerOf } from "../owner.ts";
import type { Limits } from "../sandbox.ts";

export interface ContainerSettings {
  readonly docker: Docker;
  readonly image: string;
  readonly command: (code: string) => readonly string[];
  readonly user: string;
  readonly limits: Limits;
}

/** Images do not contain this path. For a path of the image, a server may give the folder in memory the image's permissions. */
export const folder = "/sandbox";

/** The limits and mounts of a container. Its main process only waits; each run is another one. */
export function createOptions({
  image,
  user,
  limits: { memory, processes, disk },
}: ContainerSettings): Docker.ContainerCreateOptions {
  const tmpfs = `rw,nosuid,nodev,size=${disk},mode=1777`;
  return {
    Image: image,
    Entrypoint: ["sleep"],
    Cmd: ["2147483647"],
    User: user,
    WorkingDir: folder,
    Env: [`HOME=${folder}`],
    Labels: { [ownerLabel]: ownerOf(process.pid) },
    NetworkDisabled: true,
    HostConfig: {
      NetworkMode: "none",
      Memory: memory,
      MemorySwap: memory,
      // The main process and the shell of a run count too.
      PidsLimit: processes + 2,
      ReadonlyRootfs: true,
      Tmpfs: { [folder]: tmpfs, "/tmp": tmpfs },
      CapDrop: ["ALL"],
      // Some servers set a higher limit than the machine allows.
      Ulimits: [
        { Name: "nofile", Soft: 1024, Hard: 1024 },
        { Name: "nproc", Soft: 4096, Hard: 4096 },
      ],
      SecurityOpt: ["no-new-privileges"],
    },
  };
}
