import { ConfigError } from "@envs/core";
import { messageOf } from "@envs/core/engine";
import Docker from "dockerode";

/** An engine with Docker's API. */
export interface Engine {
  readonly docker: Docker;
  readonly isPodman: boolean;
}

/** Asks an engine what it is. Rejects with a `ConfigError` that explains how to start one. */
export async function engineOf(docker: Docker): Promise<Engine> {
  try {
    const { Components = [] } = (await docker.version()) as {
      readonly Components?: readonly { readonly Name: string }[];
    };
    return { docker, isPodman: Components.some(({ Name }) => Name.startsWith("Podman")) };
  } catch (error) {
    throw new ConfigError(
      `No container engine answers: ${messageOf(error)}. Start Docker, or podman with \`podman system service --time 0 unix:///run/podman/podman.sock\`, and set DOCKER_HOST or the option socket.`,
      [],
      { cause: error },
    );
  }
}

/** An engine at a socket, or else where the variables of Docker say. */
export function dockerAt(socket: string | undefined): Docker {
  return new Docker(socket === undefined ? {} : { socketPath: socket });
}

export function statusOf(error: unknown): number | undefined {
  return (error as { readonly statusCode?: number }).statusCode;
}

/** Resolves for an object that no longer exists. */
export async function ignoreMissing(removal: Promise<unknown>): Promise<void> {
  await removal.catch((error: unknown) => {
    if (statusOf(error) !== 404) throw error;
  });
}
