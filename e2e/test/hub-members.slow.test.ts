import { join } from "node:path";

import { hubClient } from "@envs/hub-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { clients } from "../src/clients.ts";
import { type Client, startClient } from "../src/clients/client.ts";
import { temporaryFolder } from "../src/command-line.ts";
import { type HubProcess, startHub } from "../src/hub/process.ts";
import { person, publish, release } from "../src/hub/publishing.ts";

describe("organisations, with the clients that know them", { timeout: 120_000 }, () => {
  const stack = new AsyncDisposableStack();
  let hub: HubProcess;
  let token: string;

  beforeAll(async () => {
    const { path } = stack.use(await temporaryFolder());
    const variables = { HUB_REGISTRATION: "open" };
    hub = stack.use(await startHub({ data: join(path, "data"), variables }));
    ({ token } = await person(hub.url, "ada"));
    await person(hub.url, "grace");
  });
  afterAll(() => stack.disposeAsync());

  /** A client in which ada is logged in, an organisation of hers, and a package of it. */
  async function prepared(name: "npm 11" | "pnpm 12", organisation: string): Promise<Client> {
    await hubClient({ url: hub.url, token }).createOrganisation({ name: organisation });
    const version = release(`@${organisation}/engine`, "1.0.0", "export {};");
    expect(await publish({ hub: hub.url, token }, version)).toBe(201);
    const client = stack.use(
      await startClient(clients[name], { url: hub.url, scope: organisation }),
    );
    const { host } = new URL(hub.url);
    await client.place.write(
      join(client.place.project, ".npmrc"),
      `registry=${hub.url}/\n//${host}/:_authToken=${token}\n`,
    );
    return client;
  }

  test("npm adds members and takes them out", async () => {
    const { does, tries } = await prepared("npm 11", "workshop");
    await does("organisation set", "workshop", "grace", "admin");
    expect((await does("organisation list", "workshop")).stdout).toContain("grace - admin");
    await does("organisation remove", "workshop", "grace");
    expect((await does("organisation list", "workshop")).stdout).not.toContain("grace");
    const last = await tries("organisation remove", "workshop", "ada");
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining("the last owner")]);
  });

  test.each([
    ["npm 11", "harbour"],
    ["pnpm 12", "orchard"],
  ] as const)(
    "%s makes teams, and says who may read and change a package",
    async (name, organisation) => {
      const { does } = await prepared(name, organisation);
      const [team, pkg] = [`@${organisation}:riggers`, `@${organisation}/engine`];
      await does("team create", team);
      expect((await does("team list", `@${organisation}`)).stdout).toContain(
        `${organisation}:riggers`,
      );
      await does("team add", team, "ada");
      expect((await does("team list", team)).stdout).toContain("ada");
      await does("team grant", "read-only", team, pkg);
      expect((await does("access list", "packages", team)).stdout).toMatch(/engine: read/);
      expect((await does("access list", "packages", `@${organisation}`)).stdout).toMatch(
        /engine: .*write/,
      );
      expect((await does("access list", "collaborators", pkg)).stdout).toContain("ada: read-write");
      await does("access set", "status=private", pkg);
      expect((await does("access of", pkg)).stdout).toMatch(/private|restricted/);
      await does("access set", "status=public", pkg);
      expect((await does("access of", pkg)).stdout).toContain("public");
      await does("team remove", team, "ada");
      await does("team destroy", team);
      expect((await does("team list", `@${organisation}`)).stdout).not.toContain("riggers");
    },
  );
});
