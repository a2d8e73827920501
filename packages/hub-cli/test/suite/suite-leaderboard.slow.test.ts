import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type EnvironmentManifest, hubClient, suiteFile } from "@envs/hub-client";
import { publishOrThrow } from "@envs/hub-server/testing/publish";
import { seedEnvironment } from "@envs/hub-server/testing/seed-environment";
import { sharedHub } from "@envs/hub-server/testing/shared-hub";
import { expect, it } from "vitest";

import { envs, temporaryFolder } from "../../../cli/test/command.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const tictactoe = join(import.meta.dirname, "../../../../environments/tictactoe");

it("adds a model to the leaderboard of a suite that omits options with defaults", async () => {
  const text = await readFile(join(tictactoe, "envs.manifest.json"), "utf8");
  const manifest = JSON.parse(text) as EnvironmentManifest;
  const { version } = manifest.package;
  const owner = await server.createUser("envs");
  await seedEnvironment(server.hub, owner, { bare: "tictactoe", versions: [version], manifest });
  const folder = await temporaryFolder();
  const name = "@envs/games";
  const lock = { environment: "@envs/tictactoe", version, examples: 3, rolloutsPerExample: 2 };
  const environments = [lock, { ...lock, seed: 5, config: { minRandomMoveProb: 0 } }];
  const suite = JSON.stringify({ schema: 1, environments });
  await writeFile(join(folder, suiteFile), suite);
  await writeFile(join(folder, "package.json"), JSON.stringify({ name, version: "1.0.0" }));
  await mkdir(join(folder, "node_modules/@envs"), { recursive: true });
  await symlink(tictactoe, join(folder, "node_modules/@envs/tictactoe"));
  await publishOrThrow(server, name, {
    as: owner,
    access: "public",
    files: { [suiteFile]: suite },
  });

  const command = ["suite", "run", folder, "-m", "policy:random", "--quiet", "--push"];
  const { code, stderr } = await envs([...command, "--save", join(folder, "outputs")], "", {
    ENVS_HUB: server.url,
    ENVS_HUB_TOKEN: owner.token,
  });
  expect(code, stderr).toBe(0);
  const { rows } = await hubClient({ url: server.url }).readSuite({ name });
  expect(rows).toMatchObject([
    {
      rank: 1,
      model: "policy:random",
      owner: "envs",
      cells: [
        { rank: 1, run: { recipe: { details: { shuffle: true, suite: `${name}@1.0.0` } } } },
        { rank: 1, run: { recipe: { config: { minRandomMoveProb: 0 } } } },
      ],
    },
  ]);
});
