import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { makePerson } from "@envs/hub-server/testing/person";
import { publishOrThrow } from "@envs/hub-server/testing/publish";
import { seedEnvironment } from "@envs/hub-server/testing/seed-environment";
import { describe, expect } from "vitest";

import { test as base } from "./fixtures.ts";
import { type CommandResult, type TestMachine, testMachine } from "./machine.ts";

const dayMs = 86_400_000;

/** A hub with packages that depend on each other; some are new, some ten days old. */
const test = base
  .extend("packages", { scope: "file", auto: true }, async ({ hub, ada }) => {
    const grace = await makePerson(hub, "grace");
    const now = hub.hub.clock();
    const publish = async (name: string, version: string, days: number, dependencies = {}) => {
      const as = name.startsWith("@ada/") ? ada : grace;
      await publishOrThrow(hub, name, { as, version, packageJson: { dependencies } });
      await hub.hub.database
        .updateTable("versions")
        .set({ published_at: new Date(now.getTime() - days * dayMs) })
        .where("package_id", "=", (eb) =>
          eb.selectFrom("packages").select("id").where("name", "=", name),
        )
        .where("version", "=", version)
        .execute();
      hub.hub.invalidate(name);
    };
    await publish("@ada/rules", "1.0.0", 0);
    await publish("@ada/old", "1.0.0", 10);
    await publish("@ada/old", "1.1.0", 0);
    await publish("@ada/young", "0.1.0", 0, { "@ada/rules": "^1.0.0" });
    await publish("@ada/chess", "1.0.0", 10);
    await publish("@grace/chess", "1.0.0", 10);
    await publish("@grace/needs", "1.0.0", 10, { "@ada/old": "^1.0.0" });
  })
  .extend("peering", { scope: "file", auto: true }, ({ hub, ada }) =>
    publishOrThrow(hub, "@ada/peering", {
      as: ada,
      packageJson: { peerDependencies: { "@ada/old": ">=1.0.0 <3" } },
    }),
  )
  .extend(
    "install",
    ({ hub }) =>
      (machine: TestMachine, ...words: readonly string[]): Promise<CommandResult> =>
        machine.envs(["install", ...words], { variables: { ENVS_HUB: hub.url } }),
  );

/** Creates a machine whose project has a package.json and the files. */
async function projectMachine(
  managers: Parameters<typeof testMachine>[0],
  files: Readonly<Record<string, string>> = {},
): Promise<TestMachine> {
  const machine = await testMachine(managers);
  await machine.write("package.json", JSON.stringify({ name: "mine", version: "1.0.0" }));
  await machine.write("~/.npmrc", "audit=false\nfund=false\n");
  for (const [path, text] of Object.entries(files)) await machine.write(path, text);
  return machine;
}

async function versionIn(machine: TestMachine, name: string): Promise<unknown> {
  const file = join(machine.project, "node_modules", name, "package.json");
  return (JSON.parse(await readFile(file, "utf8")) as { version: unknown }).version;
}

describe("envs install with npm", () => {
  test("resolves a name without a scope and maps the scope in the project", async ({
    hub,
    install,
  }) => {
    await using machine = await projectMachine(["npm"]);
    const { code, stdout, stderr } = await install(machine, "young");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toContain("@ada/young 0.1.0");
    expect(await machine.read(".npmrc")).toBe(`@ada:registry=${hub.url}/\n`);
    expect(await versionIn(machine, "@ada/young")).toBe("0.1.0");
    expect(await versionIn(machine, "@ada/rules")).toBe("1.0.0");
    const again = await machine.json<{ written: unknown }>(["install", "@ada/young@0.1.0", "-D"]);
    expect(again).toEqual({
      hub: hub.url,
      client: "npm",
      packages: [{ name: "@ada/young", version: "0.1.0" }],
      peers: [],
      written: [],
    });
    expect(await machine.read("package.json")).toMatch(/"devDependencies":\s*{\s*"@ada\/young"/);
  });

  test("rejects versions that are too new before it writes, and exempts them with --allow-new", async ({
    hub,
    install,
  }) => {
    await using machine = await projectMachine(["npm"], {
      ".npmrc": "min-release-age=3\n; mine\n",
    });
    const blocked = await install(machine, "@ada/young");
    expect(blocked.code).toBe(1);
    expect(blocked.stderr).toContain(
      "npm rejects versions younger than 3 days (min-release-age). These are too new:",
    );
    expect(blocked.stderr).toMatch(
      /@ada\/rules \(required by @ada\/young\) 1\.0\.0, published \d+ minutes? ago/,
    );
    expect(blocked.stderr).toContain("min-release-age-exclude[]=@ada/young");
    expect(await machine.read(".npmrc")).toBe("min-release-age=3\n; mine\n");
    const { code, stderr } = await install(machine, "@ada/young", "--allow-new");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await machine.read(".npmrc")).toBe(
      [
        "min-release-age=3",
        "; mine",
        `@ada:registry=${hub.url}/`,
        "min-release-age-exclude[]=@ada/young",
        "min-release-age-exclude[]=@ada/rules",
        "",
      ].join("\n"),
    );
    expect(await versionIn(machine, "@ada/rules")).toBe("1.0.0");
  });

  test("uses the token of ENVS_HUB_TOKEN for a private package, and writes it to no file", async ({
    hub,
  }) => {
    const secret = await makePerson(hub, "secret");
    await publishOrThrow(hub, "@secret/game", { as: secret, access: "restricted" });
    await using machine = await projectMachine(["npm"]);
    const variables = { ENVS_HUB: hub.url };
    const anonymous = await machine.envs(["install", "@secret/game"], { variables });
    expect(anonymous).toMatchObject({ code: 1, stderr: expect.stringContaining("envs hub login") });
    const { code, stderr } = await machine.envs(["install", "@secret/game"], {
      variables: { ...variables, ENVS_HUB_TOKEN: secret.token },
    });
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await machine.read(".npmrc")).toBe(`@secret:registry=${hub.url}/\n`);
    expect(await machine.read("~/.npmrc")).toBe("audit=false\nfund=false\n");
  });
});

describe("envs install with pnpm", () => {
  test("reports an older version that pnpm selects, and installs the newest with --allow-new", async ({
    install,
  }) => {
    await using machine = await projectMachine(["pnpm"], { "pnpm-lock.yaml": "" });
    const { code, stdout, stderr } = await install(machine, "@ada/old");
    expect({ code, stderr }).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/@ada\/old 1\.0\.0, not 1\.1\.0, published \d+ minutes? ago/),
    });
    expect(stdout).toContain("@ada/old 1.0.0");
    expect(await versionIn(machine, "@ada/old")).toBe("1.0.0");
    const newest = await install(machine, "@ada/old@latest", "--allow-new");
    expect(newest).toMatchObject({ code: 0, stdout: expect.stringContaining("@ada/old 1.1.0") });
    expect(await machine.read("pnpm-workspace.yaml")).toContain("@ada/old@1.1.0");
    expect(await versionIn(machine, "@ada/old")).toBe("1.1.0");
  });

  test("does not start pnpm when pnpm would fail", async ({ install }) => {
    const settings = "# ours\nminimumReleaseAge: 2880\n";
    await using machine = await projectMachine(["pnpm"], { "pnpm-workspace.yaml": settings });
    const blocked = await install(machine, "young", "--client", "pnpm");
    expect(blocked).toMatchObject({ code: 1, stderr: expect.stringContaining("--allow-new") });
    expect(blocked.stderr).not.toContain("$ pnpm");
    const { code, stderr } = await install(machine, "young", "--client", "pnpm", "--allow-new");
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(await machine.read("pnpm-workspace.yaml")).toBe(
      `${settings}minimumReleaseAgeExclude:\n  - "@ada/young@0.1.0"\n  - "@ada/rules@1.0.0"\n`,
    );
  });
});

test("envs install with Yarn 4 writes the scope, plain HTTP and exemptions to .yarnrc.yml", async ({
  hub,
  install,
}) => {
  const original = "# ours\nnodeLinker: node-modules\n";
  await using machine = await projectMachine(["yarn4"], {
    ".yarnrc.yml": original,
    "yarn.lock": "",
  });
  const blocked = await install(machine, "young");
  expect(blocked).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/younger than 1 day.*\n.*\n.*\n.*--allow-new/),
  });
  expect(await machine.read(".yarnrc.yml")).toBe(original);
  const { code, stdout, stderr } = await install(machine, "young", "--allow-new");
  expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
  expect(await machine.read(".yarnrc.yml")).toBe(
    `${original}npmScopes:
  ada:
    npmRegistryServer: ${hub.url}
unsafeHttpWhitelist:
  - ${new URL(hub.url).hostname}
npmPreapprovedPackages:
  - "@ada/young@0.1.0"
  - "@ada/rules@1.0.0"
`,
  );
  expect(await versionIn(machine, "@ada/rules")).toBe("1.0.0");
  expect(await machine.read(".npmrc")).toBe("");
});

test("selects the only environment among packages of one name", async ({ hub, ada }) => {
  const mallory = await makePerson(hub, "mallory");
  await publishOrThrow(hub, "@mallory/maze", { as: mallory });
  await seedEnvironment(hub.hub, ada, { bare: "maze" });
  await using machine = await projectMachine([]);
  const { stdout, stderr } = await machine.envs(["info", "maze", "--registry", hub.url]);
  expect(stdout).toContain("@ada/maze");
  expect(stderr).toContain("Selected @ada/maze. Others:\n  @mallory/maze (0 downloads, not an");
});

test("quotes the missing peer dependencies for a shell", async ({ install }) => {
  await using machine = await projectMachine(["yarn1"], { "yarn.lock": "" });
  const { code, stderr } = await install(machine, "@ada/peering");
  expect({ code, stderr }).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("Add them: yarn add '@ada/old@>=1.0.0 <3'"),
  });
});

describe("envs install rejects", () => {
  test.for([
    [
      "chess",
      2,
      /Several packages on .* named chess\. Write the scope:(?:\n {2}@\w+\/chess \(0 downloads, not an environment\)){2}/,
    ],
    ["youngs", 2, /No package on .* named youngs\. Similar names:\n {2}@ada\/young/],
    ["@ada/gone", 1, /@ada\/gone does not exist on /],
    ["@ada/old@7", 2, /@ada\/old has no version 7\. Available: latest 1\.1\.0/],
    ["https://example.com/x.tgz", 2, /is not a package name/],
  ] as const)("%s", async ([spec, code, message], { install }) => {
    await using machine = await projectMachine([]);
    expect(await install(machine, spec)).toMatchObject({
      code,
      stderr: expect.stringMatching(message),
    });
  });

  test("a dependency whose scope has no registry, unless --scope maps it", async ({
    hub,
    install,
  }) => {
    await using machine = await projectMachine(["npm"]);
    const { code, stderr } = await install(machine, "needs");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /No registry is configured for @ada; .* provides the required packages:\n {2}@grace\/needs requires @ada\/old\n/,
      ),
    });
    expect(await machine.read(".npmrc")).toBe("");
    expect((await install(machine, "needs", "--scope", "@ada")).code).toBe(0);
    expect(await machine.read(".npmrc")).toBe(
      `@grace:registry=${hub.url}/\n@ada:registry=${hub.url}/\n`,
    );
  });

  test("a scope that the project maps to another registry", async ({ install }) => {
    const line = "@ada:registry=https://packages.example.com/\n";
    await using machine = await projectMachine(["npm"], { ".npmrc": line });
    const { code, stderr } = await install(machine, "@ada/old");
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(
        "This project maps @ada to https://packages.example.com/ (.npmrc)",
      ),
    });
    expect(await machine.read(".npmrc")).toBe(line);
  });
});
