import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** The registry that this machine's npm is configured with, and the path of its certificates. */
export interface ConfiguredRegistry {
  readonly registry: string;
  readonly certificates: string | undefined;
}

let cached: Promise<ConfiguredRegistry> | undefined;

/** Reads npm's configuration on the first call; later calls return the same. */
export function configuredRegistry(): Promise<ConfiguredRegistry> {
  cached ??= readNpmConfig();
  return cached;
}

async function readNpmConfig(): Promise<ConfiguredRegistry> {
  const get = async (key: string): Promise<string> =>
    (await run("npm", ["config", "get", key], { cwd: tmpdir() })).stdout.trim();
  const certificates = await get("cafile");
  return {
    registry: await get("registry"),
    certificates: certificates === "null" ? undefined : certificates,
  };
}
