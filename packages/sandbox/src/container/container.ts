export { leftovers } from "./leftovers.ts";
export type { Leftover } from "./leftovers.ts";
import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import Docker from "dockerode";

import { MachineSandbox } from "../machine/machine-sandbox.ts";
import type { SandboxProvider } from "../sandbox.ts";
import { ContainerMachine } from "./container-machine.ts";

export interface ContainerOptions {
  /** An image that this machine has, with `sh`, `cat`, `mkdir` and `sleep`. */
  readonly image: string;
  /** The socket of a server with Docker's API, such as podman's. Default: `DOCKER_HOST`, or Docker's own. */
  readonly socket?: string | undefined;
  /** The language of {@link command}. Default `shell`. */
  readonly language?: string | undefined;
  /** The command that runs code inside. Default `["sh", "-c", code]`. */
  readonly command?: ((code: string) => readonly string[]) | undefined;
  /** The user inside, who should not be root. Default `65534:65534`. */
  readonly user?: string | undefined;
}

/**
 * A container for each sandbox, on any server with Docker's API: without network and capabilities, with a read-only root,
 * `/sandbox` in memory, and limits on memory and processes.
 */
export function container(options: ContainerOptions): SandboxProvider {
  const { image, socket, language = "shell" } = options;
  const docker = new Docker(socket === undefined ? {} : { socketPath: socket });
  const { command = (code: string) => ["sh", "-c", code], user = "65534:65534" } = options;
  const check = () => checkImage(docker, image);
  return {
    kind: "sandbox",
    name: "container",
    traits: {
      name: "container",
      language,
      persistent: false,
      isolation: "container",
      functions: false,
    },
    check,
    async create(sandboxOptions = {}) {
      await check();
      const settings = { docker, image, command, user };
      return await MachineSandbox.open(
        (limits) => ContainerMachine.start({ ...settings, limits }),
        sandboxOptions,
      );
    },
  };
}

async function checkImage(docker: Docker, image: string): Promise<void> {
  try {
    await docker.getImage(image).inspect();
  } catch (error) {
    const isMissing = (error as { readonly statusCode?: number }).statusCode === 404;
    throw new ConfigError(
      isMissing
        ? `This machine does not have the image ${image}. Pull it: docker pull ${image} (or podman pull).`
        : `No container server answers: ${messageOf(error)}. Start Docker, or \`podman system service\`, and pass its socket.`,
      [],
      { cause: error },
    );
  }
}
