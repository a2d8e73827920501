import { modelServer } from "@envs/models/testing";
import { findRuns, readMetadata } from "@envs/records/node";
import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../command.ts";

test("an evaluation on two servers records how each was used, without secrets", async () => {
  const save = await temporaryFolder();
  await using alive = await modelServer({ name: "m" });
  const dead = await modelServer({ name: "m" });
  await dead.close();
  const baseURL = `${dead.url}?key=hunter2,${alive.url}`;
  const args = ["reverse-text", "-m", "m", "-n", "2", "-r", "2", "--base-url", baseURL];
  const { code, stderr } = await envs(["eval", ...args, "--save", save]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stderr).toMatch(
    new RegExp(
      `\\d of \\d requests to ${dead.url} failed and were sent again\\. The last failure: Cannot connect`,
    ),
  );
  const [run = ""] = await findRuns(save);
  const metadata = await readMetadata(run);
  expect(metadata).toMatchObject({
    base_url: `${dead.url}?key=***,${alive.url}`,
    servers: [
      { base_url: dead.url, last_failure: expect.stringContaining("ECONNREFUSED") },
      { base_url: alive.url, requests: 4, failures: 0 },
    ],
  });
  expect(JSON.stringify(metadata)).not.toContain("hunter2");
});
