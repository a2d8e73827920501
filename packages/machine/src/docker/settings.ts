import type Docker from "dockerode";

import type { ContainerOptions } from "../container.ts";

/** Some engines set a higher limit than the system allows. */
export const ulimits = [
  { Name: "nofile", Soft: 1024, Hard: 4096 },
  { Name: "nproc", Soft: 4096, Hard: 4096 },
];

/** Waits for ever, and reaps the processes that commands leave. */
export const wait = ["sh", "-c", "while :; do sleep 3600 & wait; done"];
const defaultProcesses = 1_024;

/** A container with a writable root. */
export function containerSettings(
  { env = {}, user, workdir, entrypoint, resources = {} }: Omit<ContainerOptions, "image">,
  place: {
    readonly image: string;
    readonly command: readonly string[] | undefined;
    /** A network's name, or `container:<id>`. */
    readonly network: string;
    /** Its host name in the network. */
    readonly alias?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly limitsStorage: boolean;
  },
): Docker.ContainerCreateOptions {
  const { cpus, memory, storage, processes = defaultProcesses } = resources;
  const { image, command, network, alias, labels, limitsStorage } = place;
  return {
    Image: image,
    StopSignal: "SIGKILL",
    ...(command === undefined ? {} : { Cmd: [...command] }),
    ...(entrypoint === undefined ? {} : { Entrypoint: [...entrypoint] }),
    ...(user === undefined ? {} : { User: user }),
    ...(workdir === undefined ? {} : { WorkingDir: workdir }),
    Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...labels },
    HostConfig: {
      NetworkMode: network,
      PidsLimit: processes,
      Ulimits: ulimits,
      SecurityOpt: ["no-new-privileges"],
      ...(cpus === undefined ? {} : { NanoCpus: Math.round(cpus * 1e9) }),
      ...(memory === undefined ? {} : { Memory: memory, MemorySwap: memory }),
      ...(storage === undefined || !limitsStorage ? {} : { StorageOpt: { size: String(storage) } }),
    },
    ...(alias === undefined
      ? {}
      : { NetworkingConfig: { EndpointsConfig: { [network]: { Aliases: [alias] } } } }),
  };
}
