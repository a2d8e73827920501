import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

import type { Service } from "./server-process.ts";

const root = join(import.meta.dirname, "../../..");

/**
 * Builds the site of the documents for `pnpm test:slow`, which takes one core for minutes; tests that need it wait. A single file
 * is tested with the site that exists.
 */
export async function buildSite(): Promise<Service> {
  const site: Service = { url: "", close: async () => {} };
  if (process.env["ENVS_TEST_SITE"] !== "build") return site;
  const child = spawn("node", ["tooling/src/build.ts", "site"], { cwd: root, stdio: "inherit" });
  const [status] = (await once(child, "close")) as [number | null];
  if (status !== 0)
    throw new Error("The site of the documents was not built. See the error above.");
  return site;
}
