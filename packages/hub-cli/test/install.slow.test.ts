import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { type TestHub, testHub } from "@envs/hub-testing/hub";
import { makePerson } from "@envs/hub-testing/person";
import { publishOrThrow } from "@envs/hub-testing/publish";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Workplace, workplace } from "./workplace.ts";

const day = 86_400_000;
let hub: TestHub;

/** On the hub: what needs what, some of it new and some of it ten days old. */
beforeAll(async () => {
  hub = await testHub("embedded");
  const ada = await makePerson(hub, "ada");
  const grace = await makePerson(hub, "grace");
  const now = hub.hub.clock();
  const put = async (name: string, version: string, days: number, dependencies = {}) => {
    const as = name.startsWith("@ada/") ? ada : grace;
    await publishOrThrow(hub, name, { as, version, packageJson: { dependencies } });
    await hub.hub.database
      .updateTable("versions")
      .set({ published_at: new Date(now.getTime() - days * day) })
      .where("package_id", "=", (eb) =>
        eb.selectFrom("packages").select("id").where("name", "=", name),
      )
      .where("version", "=", version)
      .execute();
    hub.hub.invalidate(name);
  };
  await put("@ada/rules", "1.0.0", 0);
  await put("@ada/old", "1.0.0", 10);
  await put("@ada/old", "1.1.0", 0);
  await put("@ada/young", "0.1.0", 0, { "@ada/rules": "^1.0.0" });
  await put("@ada/chess", "1.0.0", 10);
  await put("@grace/chess", "1.0.0", 10);
  await put("@grace/needs", "1.0.0", 10, { "@ada/old": "^1.0.0" });
});
afterAll(() => hub.close());

async function project(
  managers: Parameters<typeof workplace>[0],
  files: Readonly<Record<string, string>> = {},
): Promise<Workplace> {
  const at = await workplace(managers);
  await at.write("package.json", JSON.stringify({ name: "mine", version: "1.0.0" }));
  await at.write("~/.npmrc", "audit=false\nfund=false\n");
  for (const [path, text] of Object.entries(files)) await at.write(path, text);
  return at;
}

const install = (at: Workplace, ...words: readonly string[]) =>
  at.envs(["install", ...words], { variables: { ENVS_HUB: hub.url } });

async function installed(at: Workplace, name: string): Promise<unknown> {
  const file = join(at.project, "node_modules", name, "package.json");
  return (JSON.parse(await readFile(file, "utf8")) as { version: unknown }).version;
}

describe("npm", () => {
  test("installs by a short name, and the project says from then on where the scope comes from", async () => {
    await using at = await project(["npm"]);
    const { code, stdout, stderr } = await install(at, "young");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain("@ada/young 0.1.0");
    expect(await at.read(".npmrc")).toBe(`@ada:registry=${hub.url}/\n`);
    expect(await installed(at, "@ada/young")).toBe("0.1.0");
    expect(await installed(at, "@ada/rules")).toBe("1.0.0");
    const again = await at.json<{ written: unknown }>(["install", "@ada/young@0.1.0", "-D"]);
    expect(again).toEqual({
      hub: hub.url,
      client: "npm",
      packages: [{ name: "@ada/young", version: "0.1.0" }],
      peers: [],
      written: [],
    });
    expect(await at.read("package.json")).toMatch(/"devDependencies":\s*{\s*"@ada\/young"/);
  });

  test("is told what its gate would refuse before anything is written, and is let through", async () => {
    await using at = await project(["npm"], { ".npmrc": "min-release-age=3\n; mine\n" });
    const held = await install(at, "@ada/young");
    expect(held.code).toBe(1);
    expect(held.stderr).toContain("npm takes no version that is younger than 3 days");
    expect(held.stderr).toContain("@ada/rules (needed by @ada/young) 1.0.0, published 0 minutes");
    expect(held.stderr).toContain("min-release-age-exclude[]=@ada/young");
    expect(await at.read(".npmrc")).toBe("min-release-age=3\n; mine\n");
    const { code, stderr } = await install(at, "@ada/young", "--allow-new");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await at.read(".npmrc")).toBe(
      [
        "min-release-age=3",
        "; mine",
        `@ada:registry=${hub.url}/`,
        "min-release-age-exclude[]=@ada/young",
        "min-release-age-exclude[]=@ada/rules",
        "",
      ].join("\n"),
    );
    expect(await installed(at, "@ada/rules")).toBe("1.0.0");
  });
});

test("a private package is installed with the token of a variable, which no file holds", async () => {
  const secret = await makePerson(hub, "secret");
  await publishOrThrow(hub, "@secret/game", { as: secret, access: "restricted" });
  await using at = await project(["npm"]);
  const variables = { ENVS_HUB: hub.url };
  const stranger = await at.envs(["install", "@secret/game"], { variables });
  expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining("envs login") });
  const { code, stderr } = await at.envs(["install", "@secret/game"], {
    variables: { ...variables, ENVS_HUB_TOKEN: secret.token },
  });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(await at.read(".npmrc")).toBe(`@secret:registry=${hub.url}/\n`);
  expect(await at.read("~/.npmrc")).toBe("audit=false\nfund=false\n");
});

describe("pnpm", () => {
  test("is told of, where it takes an older version by itself", async () => {
    await using at = await project(["pnpm"], { "pnpm-lock.yaml": "" });
    const { code, stdout, stderr } = await install(at, "@ada/old");
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("@ada/old 1.0.0, not 1.1.0, published 0 minutes ago"),
    });
    expect(stdout).toContain("@ada/old 1.0.0");
    expect(await installed(at, "@ada/old")).toBe("1.0.0");
    const newest = await install(at, "@ada/old@latest", "--allow-new");
    expect(newest).toMatchObject({ code: 0, stdout: expect.stringContaining("@ada/old 1.1.0") });
    expect(await at.read("pnpm-workspace.yaml")).toContain("@ada/old@1.1.0");
    expect(await installed(at, "@ada/old")).toBe("1.1.0");
  });

  test("is not started where it would fail", async () => {
    const settings = "# ours\nminimumReleaseAge: 2880\n";
    await using at = await project(["pnpm"], { "pnpm-workspace.yaml": settings });
    const held = await install(at, "young", "--client", "pnpm");
    expect(held).toMatchObject({ code: 1, stderr: expect.stringContaining("--allow-new") });
    expect(held.stderr).not.toContain("$ pnpm");
    const { code, stderr } = await install(at, "young", "--client", "pnpm", "--allow-new");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await at.read("pnpm-workspace.yaml")).toBe(
      `${settings}minimumReleaseAgeExclude:\n  - "@ada/young@0.1.0"\n  - "@ada/rules@1.0.0"\n`,
    );
  });
});

describe("Yarn 4", () => {
  test("gets a scope, plain HTTP and an exception in its own file", async () => {
    const own = "# ours\nnodeLinker: node-modules\n";
    await using at = await project(["yarn4"], { ".yarnrc.yml": own, "yarn.lock": "" });
    const held = await install(at, "young");
    expect(held).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/younger than 1 day.*\n.*\n.*\n.*--allow-new/),
    });
    expect(await at.read(".yarnrc.yml")).toBe(own);
    const { code, stdout, stderr } = await install(at, "young", "--allow-new");
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    expect(await at.read(".yarnrc.yml")).toBe(
      `${own}npmScopes:
  ada:
    npmRegistryServer: ${hub.url}
unsafeHttpWhitelist:
  - ${new URL(hub.url).hostname}
npmPreapprovedPackages:
  - "@ada/young@0.1.0"
  - "@ada/rules@1.0.0"
`,
    );
    expect(await installed(at, "@ada/rules")).toBe("1.0.0");
    expect(await at.read(".npmrc")).toBe("");
  });
});

describe("envs install asks back", () => {
  test("which of several packages of a name is meant", async () => {
    await using at = await project([]);
    const { code, stderr } = await install(at, "chess");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/Which one\?(?:\n {2}@(?:ada|grace)\/chess){2}/),
    });
  });

  test("what is near a name that is not there", async () => {
    await using at = await project([]);
    expect((await install(at, "youngs")).stderr).toMatch(/Do you mean.*\n {2}@ada\/young/);
    const gone = await install(at, "@ada/gone");
    expect(gone).toMatchObject({ code: 1, stderr: expect.stringContaining("is not on") });
    const version = await install(at, "@ada/old@7");
    expect(version).toMatchObject({ code: 2, stderr: expect.stringContaining("latest 1.1.0") });
    const address = await install(at, "https://example.com/x.tgz");
    expect(address).toMatchObject({ code: 2, stderr: expect.stringContaining("not a package") });
  });

  test("where a scope comes from that nothing says", async () => {
    await using at = await project(["npm"]);
    const { code, stderr } = await install(at, "needs");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("@grace/needs needs @ada/old"),
    });
    expect(await at.read(".npmrc")).toBe("");
    expect((await install(at, "needs", "--scope", "@ada")).code).toBe(0);
    expect(await at.read(".npmrc")).toBe(
      `@grace:registry=${hub.url}/\n@ada:registry=${hub.url}/\n`,
    );
  });

  test("before a scope moves from one registry to another", async () => {
    const line = "@ada:registry=https://packages.example.com/\n";
    await using at = await project(["npm"], { ".npmrc": line });
    const { code, stderr } = await install(at, "@ada/old");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("come from https://packages.example.com/ in this project"),
    });
    expect(await at.read(".npmrc")).toBe(line);
  });
});
