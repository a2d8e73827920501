import { join } from "node:path";

import { freePort, type Service, startServerProcess, withServerFolder } from "./server-process.ts";

/** Starts an S3-compatible server in its own process, or takes the one at `ENVS_TEST_S3`, with the keys of `s3Variables`. */
export async function startS3(): Promise<Service> {
  const url = process.env["ENVS_TEST_S3"];
  if (url !== undefined) return { url, close: async () => {} };
  return await withServerFolder("s3", async (folder) => {
    const port = await freePort();
    const close = await startServerProcess({
      command: process.execPath,
      args: [join(import.meta.dirname, "s3-process.ts"), String(port), folder],
      ready: /listening/,
      signal: "TERM",
      folder,
    });
    return { url: `http://127.0.0.1:${port}`, close };
  });
}
