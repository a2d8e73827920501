import { makePerson, type Person } from "@envs/hub-server/testing/person";
import { publishOrThrow } from "@envs/hub-server/testing/publish";
import { expect } from "vitest";

import { test as base } from "./fixtures.ts";
import { type RunOptions, type TestMachine, testMachine } from "./machine.ts";

const test = base
  .extend("eve", { scope: "file" }, ({ hub }) => makePerson(hub, "eve"))
  .extend(
    "publish",
    ({ hub, ada }) =>
      async (name: string, ...versions: readonly string[]): Promise<void> => {
        for (const version of versions) await publishOrThrow(hub, name, { as: ada, version });
      },
  )
  .extend("as", ({ hub }) =>
    /** Runs a command with a user's token. */
    (person: Person): RunOptions => ({
      variables: { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: person.token },
    }),
  )
  .extend("minePackage", { scope: "file", auto: true }, async ({ hub, ada }) => {
    await publishOrThrow(hub, "@ada/mine", { as: ada, version: "1.0.0" });
  });

/** Creates a machine whose project has a package.json. */
async function projectMachine(
  managers: Parameters<typeof testMachine>[0] = [],
): Promise<TestMachine> {
  const machine = await testMachine(managers);
  await machine.write("package.json", JSON.stringify({ name: "mine", version: "1.0.0" }));
  await machine.write("~/.npmrc", "audit=false\nfund=false\n");
  return machine;
}

test("envs hub yank hides a version from new installs, but not from lockfiles", async ({
  hub,
  ada,
  eve,
  as,
  publish,
}) => {
  await publish("@ada/game", "1.0.0", "1.1.0");
  await using machine = await projectMachine(["npm"]);
  expect((await machine.envs(["install", "@ada/game"], as(eve))).code).toBe(0);
  expect(await machine.read("package-lock.json")).toContain("game-1.1.0.tgz");

  const { code, stdout } = await machine.envs(["hub", "yank", "game@1.1.0"], as(ada));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `✓ @ada/game 1.1.0 is yanked. The latest is 1.0.0.
  Lockfiles that contain it still install it. New installs cannot select it, even by its number.
  to undo  envs hub yank @ada/game@1.1.0 --undo --registry ${hub.url}
`,
  });
  await machine.run("npm", "ci");
  expect(await machine.read("node_modules/@ada/game/package.json")).toContain('"1.1.0"');

  const { stdout: doctor } = await machine.envs(["hub", "doctor"], as(eve));
  expect(doctor).toContain("! @ada/game 1.1.0 · yanked: only lockfiles that already contain it");

  await using otherMachine = await projectMachine(["npm"]);
  const rejected = await otherMachine.envs(["install", "@ada/game@1.1.0"], as(eve));
  expect(rejected).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/@ada\/game 1\.1\.0 is yanked: .*Available: latest 1\.0\.0/),
  });
  const installed = await otherMachine.envs(["install", "@ada/game"], as(eve));
  expect(installed.stdout).toContain("game 1.0.0");
  const info = await otherMachine.envs(["info", "@ada/game@1.1.0", "--registry", hub.url]);
  expect(info.stdout).toContain("! yanked: only lockfiles that already contain it");
  expect(info.stdout).not.toContain("envs install");
  expect(info.stdout).toMatch(/versions +2 \(1 yanked\): latest 1\.0\.0/);
});

test("envs hub yank --undo makes a version available, and shows how to make it the latest", async ({
  hub,
  ada,
  as,
  publish,
}) => {
  await publish("@ada/undone", "1.0.0", "1.1.0");
  await using machine = await projectMachine();
  expect(await machine.json(["hub", "yank", "@ada/undone@1.1.0"], as(ada))).toEqual({
    hub: hub.url,
    name: "@ada/undone",
    version: "1.1.0",
    isYanked: true,
    isChanged: true,
    latest: "1.0.0",
  });
  const again = await machine.envs(["hub", "yank", "@ada/undone@1.1.0"], as(ada));
  expect(again).toMatchObject({
    code: 0,
    stdout: "@ada/undone 1.1.0 is already yanked. Nothing was changed.\n",
  });
  const { stdout } = await machine.envs(["hub", "yank", "@ada/undone@1.1.0", "--undo"], as(ada));
  expect(stdout).toContain("is available again. The latest is 1.0.0.");
  expect(stdout).toContain("npm dist-tag add @ada/undone@1.1.0 latest");
  const unchanged = await machine.envs(["hub", "yank", "@ada/undone@1.1.0", "--undo"], as(ada));
  expect(unchanged.stdout).toContain("is not yanked. Nothing was changed.");
});

test("envs info and install fail when every version is yanked", async ({
  ada,
  eve,
  as,
  publish,
}) => {
  await publish("@ada/gone", "1.0.0");
  await using machine = await projectMachine(["npm"]);
  const { stdout } = await machine.envs(["hub", "yank", "@ada/gone@1.0.0"], as(ada));
  expect(stdout).toContain("No version is left to install.");
  for (const command of ["info", "install"]) {
    const { code, stderr } = await machine.envs([command, "@ada/gone"], as(eve));
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Every version of @ada/gone is yanked"),
    });
  }
});

test("envs hub archive makes a package read-only until --undo", async ({
  hub,
  ada,
  eve,
  as,
  publish,
}) => {
  await publish("@ada/old", "1.0.0", "1.1.0");
  await using machine = await projectMachine(["pnpm"]);
  await machine.write("pnpm-workspace.yaml", "minimumReleaseAge: 0\n");
  const { code, stdout } = await machine.envs(["hub", "archive", "old"], as(ada));
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ @ada\/old is archived: .*\n.*\n.*archive @ada\/old --undo/),
  });
  const again = await machine.envs(["hub", "archive", "@ada/old"], as(ada));
  expect(again).toMatchObject({
    code: 0,
    stdout: "@ada/old is already archived. Nothing was changed.\n",
  });
  const yank = await machine.envs(["hub", "yank", "@ada/old@1.0.0"], as(ada));
  expect(yank).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("envs hub archive @ada/old --undo"),
  });
  const search = await machine.envs(["search", "old", "--packages"], as(eve));
  expect(search.stdout).toContain("(archived)");
  const info = await machine.envs(["info", "@ada/old"], as(eve));
  expect(info.stdout).toContain("! archived: you can install it");
  const installed = await machine.envs(["install", "@ada/old"], as(eve));
  expect(installed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("@ada/old 1.1.0 · archived: you can install it"),
  });
  await machine.write("new/package.json", JSON.stringify({ name: "@ada/old", version: "2.0.0" }));
  const rejected = await machine.envs(["publish", "new"], as(ada));
  expect(rejected).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/✗ the package is not archived\n {2}.* archive @ada\/old --undo/),
  });
  expect(await machine.json(["hub", "archive", "@ada/old", "--undo"], as(ada))).toEqual({
    hub: hub.url,
    name: "@ada/old",
    isArchived: false,
    isChanged: true,
  });
  expect((await machine.envs(["hub", "yank", "@ada/old@1.1.0"], as(ada))).code).toBe(0);
  // pnpm keeps the version of its lockfile.
  const kept = await machine.envs(["install", "@ada/old"], as(eve));
  expect(kept.stdout).toContain("✓ @ada/old 1.1.0");
});

test("envs hub advisory creates an advisory, which envs info shows, and withdraws it", async ({
  hub,
  ada,
  eve,
  as,
  publish,
}) => {
  await publish("@ada/leak", "1.0.0", "1.1.0");
  await using machine = await projectMachine();
  const details = ["--title", "The reward leaks", "--versions", "<1.1.0", "--severity", "high"];
  const created = await machine.envs(["hub", "advisory", "create", "leak", ...details], as(ada));
  expect(created).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ @ada\/leak · high: The reward leaks\n {2}affects +1\.0\.0\n/),
  });
  const [, id = ""] = /withdraw @ada\/leak (\d+)/.exec(created.stdout) ?? [];
  const info = await machine.envs(["info", "@ada/leak@1.0.0"], as(eve));
  expect(info.stdout).toContain("! high: The reward leaks (<1.1.0)");
  const rejected = await machine.envs(["hub", "advisory", "withdraw", "@ada/leak", id], as(eve));
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining("eve may not") });
  await machine.envs(["hub", "advisory", "withdraw", "@ada/leak", id], as(ada));
  const listed = await machine.envs([
    "hub",
    "advisory",
    "list",
    "@ada/leak",
    "--registry",
    hub.url,
  ]);
  expect(listed.stdout).toMatch(/high +<1\.1\.0 .*\(withdrawn\) The reward leaks/);
});

test.for([
  [["hub", "yank", "@ada/mine@1.0.0"], 1, "eve may not"],
  [["hub", "archive", "@ada/mine"], 1, "eve may not"],
  [
    ["hub", "yank", "@ada/mine@7.0.0"],
    2,
    "@ada/mine has no version 7.0.0. Available: latest 1.0.0",
  ],
  [["hub", "yank"], 2, "Missing version. Write: envs hub yank @you/your-environment@0.2.0"],
  [["hub", "yank", "@ada/mine"], 2, "Missing version number of @ada/mine."],
  [["hub", "yank", "@ada/mine", "1.0.0"], 2, "Write: envs hub yank @ada/mine@1.0.0"],
  [["hub", "archive", "@ada/mine@1.0.0"], 2, "To hide the version: envs hub yank @ada/mine@1.0.0"],
  [
    ["hub", "advisory", "create", "@ada/mine", "--title", "x", "--versions", "old ones"],
    2,
    "It must be a range of versions",
  ],
] as const)("envs %j fails", async ([words, code, message], { eve, as }) => {
  await using machine = await projectMachine();
  const result = await machine.envs(words, as(eve));
  expect(result).toMatchObject({ code, stderr: expect.stringContaining(message) });
});

test("envs hub archive requires a login", async ({ hub }) => {
  await using machine = await projectMachine();
  const result = await machine.envs(["hub", "archive", "@ada/x"], {
    variables: { ENVS_HUB: hub.url },
  });
  expect(result).toMatchObject({ code: 2, stderr: expect.stringContaining("envs hub login") });
});
