import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Where this machine gets packages from, and whom it trusts to be that: what its npm is configured with. */
export interface ConfiguredRegistry {
  readonly registry: string;
  readonly certificates: string | undefined;
}

let known: Promise<ConfiguredRegistry> | undefined;

/** Asks npm once. */
export function configuredRegistry(): Promise<ConfiguredRegistry> {
  known ??= ask();
  return known;
}

async function ask(): Promise<ConfiguredRegistry> {
  const get = async (key: string): Promise<string> =>
    (await run("npm", ["config", "get", key], { cwd: tmpdir() })).stdout.trim();
  const certificates = await get("cafile");
  return {
    registry: await get("registry"),
    certificates: certificates === "null" ? undefined : certificates,
  };
}
