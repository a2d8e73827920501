import { rm } from "node:fs/promises";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";

import { hubClient } from "@envs/hub-client";
import { postgresDatabase } from "@envs/hub-testing/postgres";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startBrowser } from "../src/browser.ts";
import { clientNames, clients } from "../src/clients.ts";
import { type Client, has, startClient } from "../src/clients/client.ts";
import type { Verb } from "../src/clients/verbs.ts";
import type { RunOptions } from "../src/clients/workplace.ts";
import { temporaryFolder } from "../src/command-line.ts";
import { approver, password } from "../src/hub/approver.ts";
import { type HubProcess, startHub } from "../src/hub/process.ts";
import { packument, person, type Person, publish, release } from "../src/hub/publishing.ts";
import { type RecordingProxy, recordingProxy } from "../src/hub/recording-proxy.ts";

/** Types the password when asked for it, once. */
function answering(): NonNullable<RunOptions["atTerminal"]> {
  let isAsked = false;
  return (printed, type) => {
    if (isAsked || !/password:*\s*$/iu.test(stripVTControlCharacters(printed))) return;
    isAsked = true;
    // pnpm asks first, and then makes the terminal hide what is typed.
    setTimeout(() => type(`${password}\r`), 500);
  };
}

async function addMember(
  { hub, token }: Person,
  organisation: string,
  user: Person,
): Promise<void> {
  const { status } = await fetch(`${hub}/-/org/${organisation}/user`, {
    method: "PUT",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ user: user.name, role: "developer" }),
  });
  expect(status).toBe(200);
}

async function staged(
  { hub, token }: Person,
  name: string,
): Promise<{ items: { id: string; version: string }[] }> {
  const answer = await fetch(`${hub}/-/stage?package=${encodeURIComponent(name)}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return (await answer.json()) as { items: { id: string; version: string }[] };
}

const databases = ["embedded", "PostgreSQL"];

test("what clients have no word for is left out", () => {
  const asked = [
    "search",
    "deprecate",
    "unpublish",
    "owner add",
    "star",
    "token create",
    "audit",
    "access set",
    "team create",
    "organisation set",
    "stage publish",
    "logout",
  ] as const;
  const missing = clientNames.map((name) => [
    name,
    asked.filter((verb) => !has(clients[name], verb)),
  ]);
  expect(Object.fromEntries(missing)).toEqual({
    "npm 11": [],
    "pnpm 12": ["organisation set"],
    "Yarn 1": asked,
    "Yarn 4": [
      "search",
      "deprecate",
      "unpublish",
      "owner add",
      "star",
      "token create",
      "access set",
      "team create",
      "organisation set",
    ],
  });
});

describe.each(databases)("a hub on its %s database", { timeout: 120_000 }, (kind) => {
  const stack = new AsyncDisposableStack();
  let hub: HubProcess;
  let approve: (url: string) => Promise<void>;
  let ada: Person;
  let bob: Person;

  beforeAll(async () => {
    const { path } = stack.use(await temporaryFolder());
    const database = kind === "embedded" ? undefined : stack.use(await postgresDatabase());
    const variables = {
      HUB_REGISTRATION: "open",
      ...(database !== undefined && { DATABASE_URL: database.url }),
    };
    hub = stack.use(await startHub({ data: join(path, "data"), variables }));
    const browser = await startBrowser();
    stack.defer(() => browser.close());
    approve = await approver(browser, hub, "ada");
    ada = await person(hub.url, "ada");
    bob = await person(hub.url, "bob");
  });

  afterAll(() => stack.disposeAsync());

  describe.each(clientNames)("with %s", (name) => {
    const own = `@ada/of-${name.toLowerCase().replaceAll(" ", "-")}`;
    const command = own.split("/")[1]!;
    const skip = (...verbs: readonly Verb[]) => ({
      skip: !verbs.every((verb) => has(clients[name], verb)),
    });
    let proxy: RecordingProxy;
    let client: Client;

    /** A package whose command says which version it is of. */
    const write = async (version: string): Promise<string> => {
      const { place } = client;
      const folder = join(place.home, "packages", version);
      const { file, text } = clients[name].settings({ url: proxy.url, scope: "ada" });
      const files = {
        [file]: text,
        "package.json": JSON.stringify({
          name: own,
          version,
          description: "What a client publishes",
          keywords: ["client"],
          license: "MIT",
          type: "module",
          bin: { [command]: "index.js" },
        }),
        "index.js": `#!/usr/bin/env node\nconsole.log(${JSON.stringify(`${command} ${version}`)});\n`,
        "README.md": `# ${own}\n\nWhat a client publishes.\n`,
        // Else Yarn 4 looks for the project above.
        "yarn.lock": "",
      };
      for (const [path, content] of Object.entries(files))
        await place.write(join(folder, path), content);
      if (has(clients[name], "prepare")) await client.with({ folder }).does("prepare");
      return folder;
    };
    const published = async (version: string, ...options: readonly string[]): Promise<void> => {
      const folder = await write(version);
      await client.with({ folder }).does("publish", "--access", "public", ...options);
    };
    /** Yarn 4 sends what concerns a package to the registry of the project that it stands in. */
    const inPackage = (): ReturnType<Client["with"]> =>
      client.with({ folder: join(client.place.home, "packages", "1.0.0") });
    const installed = async (): Promise<string> => (await client.does("run", command)).stdout;
    const told = ({ stdout, stderr }: { stdout: string; stderr: string }): string =>
      `${stdout}\n${stderr}`;

    beforeAll(async () => {
      proxy = stack.use(await recordingProxy(hub.url));
      client = stack.use(await startClient(clients[name], { url: proxy.url, scope: "ada" }));
      await client.login(approve);
    });

    test("a person who logged in by the web is known", skip("whoami"), async () => {
      expect(told(await client.does("whoami"))).toMatch(/\bada\b/u);
    });

    test("an install asks for a packument and a tarball, and another one whether it changed", async () => {
      const wanted = `@ada/wanted-by-${command}`;
      expect(await publish(ada, release(wanted, "1.0.0", "export {};"))).toBe(201);
      const asked = (): string[] =>
        proxy
          .taken()
          .map(({ method, path, status }) => `${method} ${decodeURIComponent(path)} ${status}`);
      await using newcomer = await startClient(clients[name], { url: proxy.url, scope: "ada" });
      asked();
      await newcomer.does("install", `${wanted}@^1.0.0`);
      const bare = wanted.split("/")[1];
      expect(asked()).toEqual([`GET /${wanted} 200`, `GET /${wanted}/-/${bare}-1.0.0.tgz 200`]);
      const { project } = newcomer.place;
      for (const file of ["node_modules", "package-lock.json", "pnpm-lock.yaml", "yarn.lock"])
        await rm(join(project, file), { recursive: true, force: true });
      await newcomer.place.write(join(project, "yarn.lock"), "");
      await newcomer.does("install", `${wanted}@^1.0.0`);
      // Yarn 1 does not ask whether a packument changed.
      expect(asked()).toEqual([`GET /${wanted} ${name === "Yarn 1" ? 200 : 304}`]);
    });

    test("what is published is shown, and installed by tag and by range", async () => {
      await published("1.0.0");
      await published("1.1.0");
      await published("2.0.0-beta.1", "--tag", "beta");
      expect(told(await client.does("view", own))).toContain("What a client publishes");
      await client.does("install", `${own}@beta`);
      expect(await installed()).toContain(`${command} 2.0.0-beta.1`);
      await client.does("install", `${own}@^1.0.0`);
      expect(await installed()).toContain(`${command} 1.1.0`);
      await client.does("install again");
      expect(await installed()).toContain(`${command} 1.1.0`);
    });

    test("a version that is there is not published again, and the client says why", async () => {
      const folder = await write("1.1.0");
      const again = await client.with({ folder }).tries("publish");
      expect(again.code).not.toBe(0);
      expect(told(again)).toMatch(/1\.1\.0/);
      expect(told(again)).toMatch(/already|previously|exists|409/i);
    });

    test("tags are set, moved and taken away", async () => {
      await inPackage().does("tag add", `${own}@1.0.0`, "stable");
      expect(told(await inPackage().does("tag list", own))).toMatch(/stable(?::| →) ?1\.0\.0/);
      await inPackage().does("tag add", `${own}@1.1.0`, "stable");
      expect(told(await inPackage().does("tag list", own))).toMatch(/stable(?::| →) ?1\.1\.0/);
      await inPackage().does("tag remove", own, "stable");
      const { stdout } = await inPackage().does("tag list", own);
      expect(stdout).not.toContain("stable");
      expect(stdout).toMatch(/latest(?::| →) ?1\.1\.0/);
      expect((await inPackage().tries("tag remove", own, "latest")).code).not.toBe(0);
    });

    test("a search finds it", skip("search"), async () => {
      expect(told(await client.does("search", "client"))).toContain(own);
      expect((await client.does("search", "nothingiscalledso")).code).toBe(0);
    });

    test("a deprecation is shown until it is taken back", skip("deprecate"), async () => {
      await client.does("deprecate", `${own}@1.0.0`, "has a mistake");
      expect(told(await client.does("view", `${own}@1.0.0`))).toContain("has a mistake");
      await client.does("undeprecate", `${own}@1.0.0`);
      expect(told(await client.does("view", `${own}@1.0.0`))).not.toContain("has a mistake");
    });

    test("a version is unpublished unless a package needs it", skip("unpublish"), async () => {
      await client.does("unpublish", `${own}@2.0.0-beta.1`);
      expect(Object.keys((await packument(hub.url, own)).versions)).toEqual(["1.0.0", "1.1.0"]);
      const dependent = release(`@bob/on-${command}`, "1.0.0", "export {};", {
        dependencies: { [own]: "1.1.0" },
      });
      expect(await publish(bob, dependent)).toBe(201);
      const refused = await client.tries("unpublish", `${own}@1.1.0`);
      expect(refused.code).not.toBe(0);
      expect(told(refused)).toContain(`@bob/on-${command}`);
      expect(Object.keys((await packument(hub.url, own)).versions)).toEqual(["1.0.0", "1.1.0"]);
    });

    test("owners are added and removed", skip("owner add"), async () => {
      await client.does("owner add", own, "bob");
      expect(told(await client.does("owner list", own))).toMatch(/^bob\b/m);
      await client.does("owner remove", own, "bob");
      expect(told(await client.does("owner list", own))).not.toMatch(/^bob\b/m);
    });

    test("stars are given and taken back", skip("star"), async () => {
      await client.does("star", own);
      expect(told(await client.does("stars"))).toContain(own);
      await client.does("unstar", own);
      expect(told(await client.does("stars"))).not.toContain(own);
    });

    test("tokens are listed with one request, made, and revoked", skip("token list"), async () => {
      const { stdout } = await client
        .with({ atTerminal: answering() })
        .does("token create", "--json", ...(name === "npm 11" ? ["--name", "made"] : []));
      const token = /"?token"?:\s*"?([\w-]+)/u.exec(stdout)?.[1] ?? "";
      const me = () =>
        fetch(`${hub.url}/-/whoami`, { headers: { authorization: `Bearer ${token}` } });
      expect(await (await me()).json()).toEqual({ username: "ada" });

      proxy.taken();
      const listed = await client.does("token list", "--json");
      expect(proxy.taken().map(({ path }) => path.split("?")[0])).toEqual(["/-/npm/v1/tokens"]);
      const tokens = JSON.parse(listed.stdout) as { key: string; token: string }[];
      const made = tokens.find((each) => token.startsWith(each.token.replace(/[.…*]+$/u, "")));
      await client.does("token revoke", made!.key);
      expect((await me()).status).toBe(401);
    });

    test("a package is hidden from strangers while it is private", skip("access set"), async () => {
      const kept = `@ada/kept-by-${command}`;
      expect(await publish(ada, release(kept, "1.0.0", "export {};"))).toBe(201);
      const asked = async (): Promise<number> => (await fetch(`${hub.url}/${kept}`)).status;
      expect(told(await client.does("access of", kept))).toContain("public");
      await client.does("access set", "status=private", kept);
      expect(await asked()).toBe(404);
      expect(told(await client.does("access list", "collaborators", kept))).toContain("ada");
      await client.does("access set", "status=public", kept);
      expect(await asked()).toBe(200);
    });

    test("a team reads what it is granted", skip("team create"), async () => {
      const organisation = `club-${command}`;
      const theirs = `@${organisation}/package`;
      const team = `@${organisation}:testers`;
      await hubClient({ url: hub.url, token: ada.token }).createOrganisation({
        name: organisation,
      });
      const restricted = { publishConfig: { access: "restricted" } };
      expect(await publish(ada, release(theirs, "1.0.0", "export {};", restricted))).toBe(201);
      await client.does("access set", "status=private", theirs);
      const asked = async (): Promise<number> =>
        (
          await fetch(`${hub.url}/${theirs}`, {
            headers: { authorization: `Bearer ${bob.token}` },
          })
        ).status;
      await addMember(ada, organisation, bob);
      // Everybody in an organisation is in this team, which may write.
      await client.does("team revoke", `@${organisation}:developers`, theirs);
      await client.does("team create", team);
      await client.does("team add", team, "bob");
      expect(told(await client.does("team list", `@${organisation}`))).toContain("testers");
      expect(told(await client.does("team list", team))).toContain("bob");
      expect(await asked()).toBe(404);
      await client.does("team grant", "read-only", team, theirs);
      expect(await asked()).toBe(200);
      await client.does("team remove", team, "bob");
      expect(await asked()).toBe(404);
      await client.does("team destroy", team);
      expect(told(await client.does("team list", `@${organisation}`))).not.toContain("testers");
    });

    test("an organisation has members with roles", skip("organisation set"), async () => {
      const organisation = `guild-${command}`;
      await hubClient({ url: hub.url, token: ada.token }).createOrganisation({
        name: organisation,
      });
      await client.does("organisation set", organisation, "bob", "developer");
      expect(told(await client.does("organisation list", organisation))).toMatch(
        /bob - developer/u,
      );
      const theirs = release(`@${organisation}/package`, "1.0.0", "export {};");
      expect(await publish(bob, theirs)).toBe(201);
      await client.does("organisation remove", organisation, "bob");
      const later = release(`@${organisation}/package`, "1.1.0", "export {};");
      expect(await publish(bob, later)).toBe(403);
    });

    test("a version is staged, which nobody installs", skip("stage publish"), async () => {
      const folder = await write("1.2.0");
      await client.with({ folder }).does("stage publish", "--access", "public");
      const { items } = await staged(ada, own);
      expect(items).toMatchObject([{ packageName: own, version: "1.2.0", actor: "ada" }]);
      expect(Object.keys((await packument(hub.url, own)).versions)).not.toContain("1.2.0");
    });

    test("a staged version is approved or rejected", skip("stage approve"), async () => {
      const folder = await write("1.3.0");
      await client.with({ folder }).does("stage publish", "--access", "public");
      const { items } = await staged(ada, own);
      const id = (version: string): string =>
        items.find((each) => each.version === version)?.id ?? "";
      expect(told(await client.does("stage list", own))).toContain(id("1.3.0"));
      await client.does("stage approve", id("1.2.0"));
      await client.does("stage reject", id("1.3.0"));
      expect((await staged(ada, own)).items).toEqual([]);
      const versions = Object.keys((await packument(hub.url, own)).versions);
      expect(versions).toContain("1.2.0");
      expect(versions).not.toContain("1.3.0");
    });

    test("an audit tells of an advisory", skip("audit"), async () => {
      const hubAsAda = hubClient({ url: hub.url, token: ada.token });
      await hubAsAda.publishAdvisory({
        name: own,
        title: `The reward of ${command} leaks the answer`,
        severity: "high",
        vulnerableVersions: "<=1.1.0",
      });
      expect(told(await client.tries("audit"))).toContain(
        `The reward of ${command} leaks the answer`,
      );
    });

    test("who logs out is nobody", skip("logout"), async () => {
      await client.does("logout");
      expect((await client.tries("whoami")).code).not.toBe(0);
    });
  });
});
