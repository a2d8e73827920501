import { join } from "node:path";

import { hubClient } from "@envs/hub-client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { clients } from "./support/clients.ts";
import { type Client, startClient } from "./support/clients/client.ts";
import { temporaryFolder } from "./support/command-line.ts";
import { type HubProcess, startHub } from "./support/hub/process.ts";
import { logIn, packRelease, publish } from "./support/hub/publishing.ts";

describe("organisations on the hub", () => {
  const stack = new AsyncDisposableStack();
  let hub: HubProcess;
  let token: string;

  beforeAll(async () => {
    const { path } = stack.use(await temporaryFolder());
    const variables = { HUB_REGISTRATION: "open", HUB_NEW_ACCOUNT_DAYS: "0" };
    hub = stack.use(await startHub({ data: join(path, "data"), variables }));
    ({ token } = await logIn(hub.url, "ada"));
    await logIn(hub.url, "grace");
  });
  afterAll(() => stack.disposeAsync());

  /** Creates an organisation of the user ada with a package, and a client with her token. */
  async function clientForOrganisation(
    name: "npm 11" | "pnpm 12",
    organisation: string,
  ): Promise<Client> {
    await hubClient({ url: hub.url, token }).createOrganisation({ name: organisation });
    const version = packRelease(`@${organisation}/engine`, "1.0.0", "export {};");
    expect(await publish({ hub: hub.url, token }, version)).toBe(201);
    const client = stack.use(
      await startClient(clients[name], { url: hub.url, scope: organisation }),
    );
    const { host } = new URL(hub.url);
    await client.workplace.write(
      join(client.workplace.project, ".npmrc"),
      `registry=${hub.url}/\n//${host}/:_authToken=${token}\n`,
    );
    return client;
  }

  test("adds and removes members with npm", async () => {
    const { run, tryRun } = await clientForOrganisation("npm 11", "workshop");
    await run("organisation set", "workshop", "grace", "admin");
    expect((await run("organisation list", "workshop")).stdout).toContain("grace - admin");
    await run("organisation remove", "workshop", "grace");
    expect((await run("organisation list", "workshop")).stdout).not.toContain("grace");
    const last = await tryRun("organisation remove", "workshop", "ada");
    expect([last.code, last.stderr]).toEqual([1, expect.stringContaining("the last owner")]);
  });

  test.each([
    ["npm 11", "harbour"],
    ["pnpm 12", "orchard"],
  ] as const)(
    "creates teams and sets permissions of a package with %s",
    async (name, organisation) => {
      const { run } = await clientForOrganisation(name, organisation);
      const [team, pkg] = [`@${organisation}:riggers`, `@${organisation}/engine`];
      await run("team create", team);
      expect((await run("team list", `@${organisation}`)).stdout).toContain(
        `${organisation}:riggers`,
      );
      await run("team add", team, "ada");
      expect((await run("team list", team)).stdout).toContain("ada");
      await run("team grant", "read-only", team, pkg);
      expect((await run("access list", "packages", team)).stdout).toMatch(/engine: read/);
      expect((await run("access list", "packages", `@${organisation}`)).stdout).toMatch(
        /engine: .*write/,
      );
      expect((await run("access list", "collaborators", pkg)).stdout).toContain("ada: read-write");
      await run("access set", "status=private", pkg);
      expect((await run("access status", pkg)).stdout).toMatch(/private|restricted/);
      await run("access set", "status=public", pkg);
      expect((await run("access status", pkg)).stdout).toContain("public");
      await run("team remove", team, "ada");
      await run("team destroy", team);
      expect((await run("team list", `@${organisation}`)).stdout).not.toContain("riggers");
    },
  );
});
