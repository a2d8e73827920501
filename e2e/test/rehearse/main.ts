// Publishes every package to a fresh hub, then creates, checks, evaluates, views, builds and publishes an environment from there, on
// machines that have Node, npm and one package manager only. Prints the time of each stage, and fails with the output of the first
// command that fails.
import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { cloneWorkspace } from "../support/clone.ts";
import { temporaryFolder } from "../support/command-line.ts";
import { startHub } from "../support/hub/process.ts";
import { expectPublished, firstAccount } from "./hub.ts";
import { rehearseStranger } from "./rehearse-stranger.ts";
import { copyBuilds, pnpm, releasedPackages } from "./release.ts";
import { Stages } from "./stages.ts";
import { strangers } from "./strangers.ts";

const stages = new Stages();
await using temporary = await temporaryFolder();
const clone = join(temporary.path, "clone");
await mkdir(clone);

await stages.run("copy this workspace", async () => {
  await cloneWorkspace(clone);
  await copyBuilds(clone);
});
await stages.run("install its dependencies", () =>
  pnpm(clone, ["install", "--frozen-lockfile", "--prefer-offline"]),
);
const packages = await stages.run(
  "changeset version",
  async () => {
    await pnpm(clone, ["exec", "changeset", "version"]);
    const released = await releasedPackages(clone);
    const others = released.filter(({ version }) => version !== "0.1.0");
    if (others.length > 0) throw new Error(`Not at 0.1.0: ${JSON.stringify(others)}`);
    return released;
  },
  (released) => `${released.length} packages at 0.1.0`,
);
// Writes the manifests again, the only built files that contain the version of their package.
await stages.run("build manifests", () =>
  pnpm(clone, ["exec", "node", "e2e/test/rehearse/build-manifests.ts"]),
);
await using hub = await stages.run(
  "publish every package to a hub",
  () => startHub({ data: join(temporary.path, "hub"), args: ["--seed", clone] }),
  ({ url }) => url,
);
await expectPublished(hub.url, packages);
const publisher = await firstAccount(hub);
for (const stranger of strangers) await rehearseStranger(stranger, publisher, stages);
