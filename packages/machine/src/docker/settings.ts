import type Docker from "dockerode";

import type { MachineOptions } from "../machine.ts";

/** Some engines set a higher limit than the system allows. */
export const ulimits = [
  { Name: "nofile", Soft: 1024, Hard: 4096 },
  { Name: "nproc", Soft: 4096, Hard: 4096 },
];

/** Waits for ever, and reaps the processes that commands leave. */
const wait = ["sh", "-c", "while :; do sleep 3600 & wait; done"];
const defaultProcesses = 1_024;

/** A container with a writable root, whose main process only waits. */
export function containerOptions(
  { env = {}, user, workdir, entrypoint, resources = {} }: MachineOptions,
  place: {
    readonly image: string;
    readonly network: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly limitsStorage: boolean;
  },
): Docker.ContainerCreateOptions {
  const { cpus, memory, storage, processes = defaultProcesses } = resources;
  return {
    Image: place.image,
    Cmd: wait,
    StopSignal: "SIGKILL",
    ...(entrypoint === undefined ? {} : { Entrypoint: [...entrypoint] }),
    ...(user === undefined ? {} : { User: user }),
    ...(workdir === undefined ? {} : { WorkingDir: workdir }),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...place.labels },
    HostConfig: {
      NetworkMode: place.network,
      PidsLimit: processes,
      Ulimits: ulimits,
      SecurityOpt: ["no-new-privileges"],
      ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
      ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
      ...(storage === undefined || !place.limitsStorage
        ? {}
        : { StorageOpt: { size: String(storage) } }),
    },
  };
}
