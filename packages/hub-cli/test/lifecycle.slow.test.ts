import { type TestHub, testHub } from "@envs/hub-testing/hub";
import { makePerson, type Person } from "@envs/hub-testing/person";
import { publishOrThrow } from "@envs/hub-testing/publish";
import { afterAll, beforeAll, expect, test } from "vitest";

import { type Workplace, workplace } from "./workplace.ts";

let hub: TestHub;
let ada: Person;
let eve: Person;

beforeAll(async () => {
  hub = await testHub("embedded");
  ada = await makePerson(hub, "ada");
  eve = await makePerson(hub, "eve");
});
afterAll(() => hub.close());

const publish = async (name: string, ...versions: readonly string[]): Promise<void> => {
  for (const version of versions) await publishOrThrow(hub, name, { as: ada, version });
};
const by = (person: Person) => ({ variables: { ENVS_HUB: hub.url, ENVS_HUB_TOKEN: person.token } });

/** A project with a package.json. */
async function project(managers: Parameters<typeof workplace>[0] = []): Promise<Workplace> {
  const at = await workplace(managers);
  await at.write("package.json", JSON.stringify({ name: "mine", version: "1.0.0" }));
  await at.write("~/.npmrc", "audit=false\nfund=false\n");
  return at;
}

test("a yanked version is chosen by nobody, and by its lockfile still installed", async () => {
  await publish("@ada/game", "1.0.0", "1.1.0");
  await using at = await project(["npm"]);
  expect((await at.envs(["install", "@ada/game"], by(eve))).code).toBe(0);
  expect(await at.read("package-lock.json")).toContain("game-1.1.0.tgz");

  const { code, stdout } = await at.envs(["yank", "game@1.1.0"], by(ada));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: `✓ @ada/game 1.1.0 is yanked. The latest is 1.0.0.
  Whoever has it in a lockfile still gets it. Nobody else does, not even by its number.
  to put it back  envs yank @ada/game@1.1.0 --undo --registry ${hub.url}
`,
  });
  await at.does("npm", "ci");
  expect(await at.read("node_modules/@ada/game/package.json")).toContain('"1.1.0"');

  const { stdout: doctor } = await at.envs(["doctor"], by(eve));
  expect(doctor).toContain("! @ada/game 1.1.0 · yanked: whoever has it in a lockfile");

  await using other = await project(["npm"]);
  const refused = await other.envs(["install", "@ada/game@1.1.0"], by(eve));
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/@ada\/game 1\.1\.0 is yanked: .*There is: latest 1\.0\.0/),
  });
  expect((await other.envs(["install", "@ada/game"], by(eve))).stdout).toContain("game 1.0.0");
  const told = await other.envs(["info", "@ada/game@1.1.0", "--registry", hub.url]);
  expect(told.stdout).toContain("! yanked: whoever has it in a lockfile");
  expect(told.stdout).not.toContain("envs install");
  expect(told.stdout).toMatch(/versions +2 \(1 yanked\): latest 1\.0\.0/);
});

test("a version that is put back can be chosen, and is told how to be the latest", async () => {
  await publish("@ada/undone", "1.0.0", "1.1.0");
  await using at = await project();
  expect(await at.json(["yank", "@ada/undone@1.1.0"], by(ada))).toEqual({
    hub: hub.url,
    name: "@ada/undone",
    version: "1.1.0",
    isYanked: true,
    isChanged: true,
    latest: "1.0.0",
  });
  const again = await at.envs(["yank", "@ada/undone@1.1.0"], by(ada));
  expect(again).toMatchObject({
    code: 0,
    stdout: "@ada/undone 1.1.0 is yanked already. Nothing was changed.\n",
  });
  const { stdout } = await at.envs(["yank", "@ada/undone@1.1.0", "--undo"], by(ada));
  expect(stdout).toContain("can be chosen again. The latest is 1.0.0.");
  expect(stdout).toContain("npm dist-tag add @ada/undone@1.1.0 latest");
  const nothing = await at.envs(["yank", "@ada/undone@1.1.0", "--undo"], by(ada));
  expect(nothing.stdout).toContain("is not yanked. Nothing was changed.");
});

test("where every version is yanked, all who look for one are told", async () => {
  await publish("@ada/gone", "1.0.0");
  await using at = await project(["npm"]);
  const { stdout } = await at.envs(["yank", "@ada/gone@1.0.0"], by(ada));
  expect(stdout).toContain("No version is left to install.");
  for (const words of [["info"], ["install"]]) {
    const { code, stderr } = await at.envs([...words, "@ada/gone"], by(eve));
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Every version of @ada/gone is yanked"),
    });
  }
});

test("an archived package installs, tells so, and takes nothing new until it is taken out", async () => {
  await publish("@ada/old", "1.0.0", "1.1.0");
  await using at = await project(["pnpm"]);
  await at.write("pnpm-workspace.yaml", "minimumReleaseAge: 0\n");
  const { code, stdout } = await at.envs(["archive", "old"], by(ada));
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^✓ @ada\/old is archived: .*\n.*\n.*archive @ada\/old --undo/),
  });
  const again = await at.envs(["archive", "@ada/old"], by(ada));
  expect(again).toMatchObject({
    code: 0,
    stdout: "@ada/old is archived already. Nothing was changed.\n",
  });
  const yank = await at.envs(["yank", "@ada/old@1.0.0"], by(ada));
  expect(yank).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("envs archive @ada/old --undo"),
  });
  expect((await at.envs(["search", "old", "--packages"], by(eve))).stdout).toContain("(archived)");
  expect((await at.envs(["info", "@ada/old"], by(eve))).stdout).toContain(
    "! archived: it installs",
  );
  const installed = await at.envs(["install", "@ada/old"], by(eve));
  expect(installed).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("@ada/old 1.1.0 · archived: it installs"),
  });
  await at.write("new/package.json", JSON.stringify({ name: "@ada/old", version: "2.0.0" }));
  const refused = await at.envs(["publish", "new"], by(ada));
  expect(refused).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /✗ the package takes new versions\n {2}.* archive @ada\/old --undo/,
    ),
  });
  expect(await at.json(["archive", "@ada/old", "--undo"], by(ada))).toEqual({
    hub: hub.url,
    name: "@ada/old",
    isArchived: false,
    isChanged: true,
  });
  expect((await at.envs(["yank", "@ada/old@1.1.0"], by(ada))).code).toBe(0);
  // pnpm keeps what its lockfile has.
  expect((await at.envs(["install", "@ada/old"], by(eve))).stdout).toContain("✓ @ada/old 1.1.0");
});

test("an advisory is told to whoever takes or looks at a version, until it is withdrawn", async () => {
  await publish("@ada/leak", "1.0.0", "1.1.0");
  await using at = await project();
  const what = ["--title", "The reward leaks", "--versions", "<1.1.0", "--severity", "high"];
  const made = await at.envs(["advisory", "create", "leak", ...what], by(ada));
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^✓ @ada\/leak · high: The reward leaks\n {2}concerns +1\.0\.0\n/,
    ),
  });
  const [, id = ""] = /withdraw @ada\/leak (\d+)/.exec(made.stdout) ?? [];
  const info = await at.envs(["info", "@ada/leak@1.0.0"], by(eve));
  expect(info.stdout).toContain("! high: The reward leaks (<1.1.0)");
  const refused = await at.envs(["advisory", "withdraw", "@ada/leak", id], by(eve));
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("eve may not") });
  await at.envs(["advisory", "withdraw", "@ada/leak", id], by(ada));
  const listed = await at.envs(["advisory", "list", "@ada/leak", "--registry", hub.url]);
  expect(listed.stdout).toMatch(/high +<1\.1\.0 .*\(withdrawn\) The reward leaks/);
  const range = await at.envs(["advisory", "create", "leak", ...what.with(3, "old ones")], by(ada));
  expect(range).toMatchObject({ code: 2, stderr: expect.stringContaining("a range of versions") });
});

test("who may not do it, and what cannot be meant, is told", async () => {
  await publish("@ada/mine", "1.0.0");
  await using at = await project();
  const failing: [words: readonly string[], code: number, told: string][] = [
    [["yank", "@ada/mine@1.0.0"], 1, "eve may not"],
    [["archive", "@ada/mine"], 1, "eve may not"],
    [["yank", "@ada/mine@7.0.0"], 2, "@ada/mine has no version 7.0.0. There is: latest 1.0.0"],
    [["yank"], 2, "envs yank @you/your-environment@0.2.0"],
    [["yank", "@ada/mine"], 2, "Which version of @ada/mine?"],
    [["yank", "@ada/mine", "1.0.0"], 2, "envs yank @ada/mine@1.0.0"],
    [["archive", "@ada/mine@1.0.0"], 2, "envs yank @ada/mine@1.0.0"],
  ];
  for (const [words, code, told] of failing) {
    const ended = await at.envs(words, by(eve));
    expect([words, ended]).toMatchObject([words, { code, stderr: expect.stringContaining(told) }]);
  }
  const stranger = await at.envs(["archive", "@ada/mine"], { variables: { ENVS_HUB: hub.url } });
  expect(stranger).toMatchObject({ code: 2, stderr: expect.stringContaining("envs login") });
});
