import { join } from "node:path";

import { freePort } from "@envs/hub-server/testing/server-process";

import { register, type RegistryKind, startRegistry } from "./registry.ts";

/** The program of the built hub. */
export const bin = join(import.meta.dirname, "../../../hub-server/dist/bin.js");
const unlimited = "1000000000";

/** Our hub with its embedded database and blobs in one folder. Rate limits and quotas are off. */
export const ours: RegistryKind = {
  name: "ours",
  async start(folder) {
    const port = await freePort();
    return startRegistry(port, [bin, "start", "--data", folder, "--port", String(port)], {
      cwd: import.meta.dirname,
      env: {
        HUB_LOG: "error",
        HUB_REGISTRATION: "open",
        HUB_LIMITS: "off",
        HUB_PACKAGES_PER_WEEK: unlimited,
        HUB_PUBLISHES_PER_HOUR: unlimited,
      },
    });
  },
  token: ({ url }) => register(url, "bench"),
};
