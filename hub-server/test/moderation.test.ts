import { hubClient } from "@envs/hub-client";
import { afterEach, beforeAll, describe, expect, test } from "vitest";

import { endExpired } from "../src/moderation/act.ts";
import { wrongTotals } from "../src/operations/storage-totals.ts";
import { sweepBlobs } from "../src/operations/sweep-blobs.ts";
import { type Browser, browser, type Page } from "./support/browser.ts";
import { databases } from "./support/hub.ts";
import { readDocument } from "./support/package-document.ts";
import { makePerson, password, type Person } from "./support/person.ts";
import { publish, publishOrThrow } from "./support/publish.ts";
import { statusAndBody } from "./support/response.ts";
import { pushDeclared, testRollout, testRun } from "./support/runs.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub } from "./support/shared-hub.ts";

const day = 24 * 3_600_000;

describe.each(databases)("moderation on the %s database", (kind) => {
  const server = sharedHub(kind, { HUB_REPORTS_PER_DAY: "4" });
  let root: Person;
  let ada: Person;
  let eve: Person;
  let mod: Person;
  let other: Person;
  let tabs: Record<"root" | "ada" | "eve" | "mod" | "other", Browser>;

  beforeAll(async () => {
    root = await makePerson(server, "root-user", { isAdmin: true });
    ada = await makePerson(server, "ada");
    eve = await makePerson(server, "eve");
    mod = await makePerson(server, "moderator-one");
    other = await makePerson(server, "second-judge");
    tabs = {
      root: await root.signIn(),
      ada: await ada.signIn(),
      eve: await eve.signIn(),
      mod: await mod.signIn(),
      other: await other.signIn(),
    };
    for (const { name } of [mod, other]) {
      await tabs.root.open(`/user/${name}/manage`);
      await tabs.root.press("Make a moderator");
    }
    await publishOrThrow(server, "@ada/chess", { as: ada });
    await publishOrThrow(server, "@ada/chess", { as: ada, version: "2.0.0" });
    await publishOrThrow(server, "@ada/draughts", { as: ada });
  });

  afterEach(async () => expect(await wrongTotals(server.hub.database)).toEqual([]));

  const targetOf = (kind: string, name: string): string =>
    `/moderation/target?${new URLSearchParams({ kind, name }).toString()}`;
  const labels: Readonly<Record<string, string>> = {
    quarantine: "Quarantine",
    takedown: "Take down",
    suspension: "Suspend",
  };
  const decide = async (
    tab: Browser,
    [kind, name]: readonly [string, string],
    act: string,
    fields: Readonly<Record<string, string>> = {},
  ): Promise<Page> => {
    await tab.open(targetOf(kind, name));
    return await tab.press("Decide", {
      [labels[act] ?? act]: act,
      "Reason, which everyone can read": "malware",
      "Explanation, which only the owner and moderators read": "It steals keys.",
      ...fields,
    });
  };
  const end = async (tab: Browser, [kind, name]: readonly [string, string], act: string) => {
    await tab.open(targetOf(kind, name));
    return await tab.press(`End the ${act}`);
  };
  const statusOf = (path: string) => statusAndBody(server.request(path));
  const report = async (tab: Browser, kind: string, name: string): Promise<Page> => {
    await tab.open(`/report?${new URLSearchParams({ kind, name }).toString()}`);
    return await tab.press("Send the report", { "What is wrong?": "Look at index.js." });
  };

  test("receives one open report of a user about a target, and a number of them a day", async () => {
    await tabs.eve.open("/package/@ada/draughts");
    expect(tabs.eve.page.html).toContain("/report?kind=package&amp;name=%40ada%2Fdraughts");
    const sent = await report(tabs.eve, "package", "@ada/draughts");
    expect(sent.text).toContain("Report sent.");
    expect(sent.text).toContain("@ada/draughts open, reason: malware");
    expect(await report(tabs.eve, "package", "@ada/draughts")).toMatchObject({ status: 409 });
    for (const user of ["ada", "root-user", "second-judge"]) await report(tabs.eve, "user", user);
    const limited = await report(tabs.eve, "user", "moderator-one");
    expect([limited.status, limited.text]).toEqual([429, expect.stringContaining("4 reports")]);
    expect((await tabs.ada.open("/report?kind=package&name=@ada/none")).status).toBe(404);
  });

  test("does nothing because of a number of reports", async () => {
    for (const tab of [tabs.mod, tabs.other, tabs.root])
      await report(tab, "package", "@ada/draughts");
    expect((await statusOf("/@ada%2fdraughts"))[0]).toBe(200);
    await tabs.mod.open("/moderation");
    expect(tabs.mod.page.text).toContain("package @ada/draughts 4 reports: malware");
    await tabs.mod.open(targetOf("package", "@ada/draughts"));
    await tabs.mod.press("Dismiss the reports");
    expect(tabs.mod.page.text).toContain("dismissed");
    await tabs.eve.open("/settings/decisions");
    expect(tabs.eve.page.text).toContain("@ada/draughts dismissed");
  });

  test("is only for moderators", async () => {
    for (const path of ["/moderation", targetOf("user", "eve")])
      expect([path, (await tabs.eve.open(path)).status]).toEqual([path, 403]);
    expect((await tabs.mod.open("/moderation/log")).status).toBe(403);
    const [, form = ""] =
      /name="form" value="([^"]+)"/.exec((await tabs.eve.open("/settings")).html) ?? [];
    const fields = { form, kind: "user", name: "ada", act: "suspension", explanation: "x" };
    const forged = await tabs.eve.send("/moderation/target/act", {
      fields: { ...fields, reason: "spam" },
    });
    expect(forged.status).toBe(403);
  });

  test("quarantines a package: caches, pages and changes follow, and its end restores all", async () => {
    const tarball = "/@ada/chess/-/chess-1.0.0.tgz";
    for (const path of ["/@ada%2fchess", tarball, "/package/@ada/chess", "/feed.atom"])
      expect([path, (await server.request(path)).status]).toEqual([path, 200]);
    await decide(tabs.mod, ["package", "@ada/chess"], "quarantine");
    const rejection = [
      403,
      { code: "package-quarantined", error: expect.stringContaining("reason: malware") },
    ];
    for (const path of ["/@ada%2fchess", "/@ada%2fchess/1.0.0", tarball])
      expect(await statusOf(path)).toMatchObject(rejection);
    expect(await statusAndBody(server.request(tarball, { as: ada }))).toMatchObject(rejection);
    expect((await browser(server).open("/package/@ada/chess")).status).toBe(403);
    for (const path of [
      "/search?all=true&q=chess",
      "/feed.atom",
      "/",
      "/api/v1/search?all=true&q=chess",
    ])
      expect(await (await server.request(path)).text()).not.toContain("@ada/chess");
    const own = await tabs.ada.open("/package/@ada/chess");
    expect([own.status, own.text]).toEqual([200, expect.stringContaining("have quarantined")]);
    expect((await tabs.mod.open("/package/@ada/chess/files/1.0.0")).status).toBe(200);
    const version = await publish(server, "@ada/chess", { as: ada, version: "3.0.0" });
    expect([version.status, await version.json()]).toMatchObject(rejection);
    const { _rev } = await readDocument(server, "@ada/draughts");
    const removal = { method: "DELETE", as: ada };
    expect(
      await statusAndBody(server.request(`/@ada%2fchess/-rev/${_rev}`, removal)),
    ).toMatchObject(rejection);

    expect((await end(tabs.mod, ["package", "@ada/chess"], "quarantine")).text).toContain("ended");
    for (const path of ["/@ada%2fchess", tarball, "/package/@ada/chess"])
      expect([path, (await server.request(path)).status]).toEqual([path, 200]);
    expect(await (await server.request("/search?all=true&q=chess")).text()).toContain("@ada/chess");
  });

  test("shows the owner and mirrors that a moderator acted, but not which one", async () => {
    const { items } = (await (await server.request("/-/events?package=@ada/chess")).json()) as {
      readonly items: readonly { readonly type: string; readonly actor: string | null }[];
    };
    const acts = items.filter(({ actor }) => actor === null);
    expect(acts).toMatchObject([
      { type: "package.quarantined", detail: { moderation: true, reason: "malware" } },
      { type: "package.restored" },
    ]);
    await tabs.ada.open("/package/@ada/chess/settings/log");
    expect(tabs.ada.page.text).toContain(
      "Quarantined @ada/chess for malware by a moderator of this hub",
    );
    expect(tabs.ada.page.text).not.toContain("moderator-one");
    expect((await tabs.root.open("/moderation")).text).toContain("by moderator-one");
    expect((await tabs.root.open("/moderation/log")).text).toContain(
      "Quarantined @ada/chess for malware",
    );
  });

  test("takes a version down: its number stays used, its tarball stays stored, and an end restores it", async () => {
    const target = ["version", "@ada/chess@2.0.0"] as const;
    await decide(tabs.mod, target, "takedown");
    const rejection = [410, { code: "version-taken-down" }];
    expect(await statusOf("/@ada/chess/-/chess-2.0.0.tgz")).toMatchObject(rejection);
    expect((await browser(server).open("/package/@ada/chess/v/2.0.0")).status).toBe(410);
    const document = await readDocument(server, "@ada/chess");
    expect(document["dist-tags"]).toEqual({ latest: "1.0.0" });
    const again = await publish(server, "@ada/chess", { as: ada, version: "2.0.0" });
    expect([again.status, await again.json()]).toMatchObject([409, {}]);
    server.advanceClock(3 * day);
    await sweepBlobs(server.hub);
    tabs.mod = await mod.signIn();
    await end(tabs.mod, target, "takedown");
    expect((await server.request("/@ada/chess/-/chess-2.0.0.tgz")).status).toBe(200);
  });

  test("takes a package down and keeps its name", async () => {
    await decide(tabs.mod, ["package", "@ada/draughts"], "takedown");
    const rejection = [410, { code: "package-taken-down" }];
    expect(await statusOf("/@ada%2fdraughts")).toMatchObject(rejection);
    expect((await tabs.ada.open("/package/@ada/draughts")).status).toBe(410);
    const again = await publish(server, "@ada/draughts", { as: ada, version: "2.0.0" });
    expect([again.status, await again.json()]).toMatchObject(rejection);
  });

  test("makes one act of two moderators at once", async () => {
    await publishOrThrow(server, "@ada/raced", { as: ada });
    const before = await server.hub.database.selectFrom("events").select("sequence").execute();
    await Promise.all([
      decide(tabs.mod, ["package", "@ada/raced"], "quarantine"),
      decide(tabs.other, ["package", "@ada/raced"], "quarantine"),
    ]);
    const acts = await server.hub.database
      .selectFrom("moderation_acts")
      .where("subject", "=", "@ada/raced")
      .select("id")
      .execute();
    const after = await server.hub.database.selectFrom("events").select("sequence").execute();
    expect([acts.length, after.length - before.length]).toEqual([1, 1]);
  });

  test("takes a run down: no board shows it, and its user can neither delete nor push it again", async () => {
    const { name } = await seedEnvironment(server.hub, ada, { bare: "go" });
    const run = await testRun(server, name, [testRollout({ environment: "go" })]);
    const id = await pushDeclared(server, eve, run);
    const client = hubClient({ url: server.url, token: eve.token });
    const board = async () => (await client.readLeaderboard({ name })).rows.length;
    expect(await board()).toBe(1);
    await decide(tabs.mod, ["run", id], "takedown");
    expect([await board(), (await client.listRuns({ name })).items]).toEqual([0, []]);
    expect((await browser(server).open(`/run/${id}`)).status).toBe(410);
    await expect(client.deleteRun({ run: id })).rejects.toMatchObject({ code: "run-taken-down" });
    await end(tabs.mod, ["run", id], "takedown");
    expect(await board()).toBe(1);
  });

  test("suspends a user, whose appeal needs no session, until a day", async () => {
    await decide(tabs.mod, ["user", "eve"], "suspension", { Length: "1" });
    expect((await statusAndBody(server.request("/-/whoami", { as: eve })))[0]).toBe(401);
    expect((await tabs.eve.open("/settings")).heading).toBe("Sign in");
    const tab = browser(server);
    await tab.open("/sign-in");
    const wrong = await tab.press("Sign in", { Name: "eve", Password: "not the password" });
    expect(wrong.text).not.toContain("suspended");
    const page = await tab.press("Sign in", { Name: "eve", Password: password });
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("reason: malware")]);
    const [path = ""] = /\/appeal\/[0-9a-f-]{36}/.exec(page.text) ?? [];
    expect((await tab.open(path)).text).toContain("It steals keys.");
    await tab.press("Send the appeal", { "Why is the decision wrong?": "It was my cat." });
    expect(tab.page.text).toContain("in force, appeal open");
    await expect(tab.press("Send the appeal")).rejects.toThrow("has no button");
    await endExpired(server.hub);
    expect((await tab.open(path)).text).toContain("in force");
    server.advanceClock(day);
    await endExpired(server.hub);
    expect((await tab.open(path)).text).toContain("ended");
    expect((await (await eve.signIn()).open("/settings")).heading).toBe("Account");
  });

  test("does not open an account that an administrator closed during the suspension", async () => {
    const bob = await makePerson(server, "bobby");
    tabs = { ...tabs, root: await root.signIn(), mod: await mod.signIn() };
    await decide(tabs.mod, ["user", "bobby"], "suspension", { Length: "1" });
    const change = (body: object) =>
      statusAndBody(server.request("/api/v1/users/bobby", { method: "PATCH", as: root, body }));
    expect(await change({ isDisabled: false })).toMatchObject([403, { code: "forbidden" }]);
    expect(await change({ isDisabled: true })).toMatchObject([200, { isDisabled: true }]);
    await end(tabs.mod, ["user", "bobby"], "suspension");
    expect((await (await bob.signIn()).open("/settings")).heading).toBe("Sign in");
    expect(await change({ isDisabled: false })).toMatchObject([200, { isDisabled: false }]);
  });

  test("asks for another moderator where one has rights, or decided", async () => {
    tabs = { ...tabs, other: await other.signIn(), ada: await ada.signIn() };
    await publishOrThrow(server, "@moderator-one/own", { as: mod });
    for (const [kind, name] of [
      ["package", "@moderator-one/own"],
      ["user", "moderator-one"],
      ["user", "root-user"],
      ["user", "second-judge"],
    ] as const) {
      const page = await decide(
        tabs.mod,
        [kind, name],
        kind === "user" ? "suspension" : "quarantine",
      );
      expect([name, page.status]).toEqual([name, 403]);
    }

    await tabs.ada.open("/settings/decisions");
    const [path = ""] =
      /\/appeal\/[0-9a-f-]{36}(?=[^>]*>\s*<strong>Takedown of @ada\/draughts)/.exec(
        tabs.ada.page.html,
      ) ?? [];
    for (const stranger of [browser(server), tabs.eve])
      expect((await stranger.open(path)).status).toBe(404);
    await tabs.ada.open(path);
    await tabs.ada.press("Send the appeal", { "Why is the decision wrong?": "It is a game." });
    expect((await tabs.mod.open("/moderation")).text).toContain("Takedown of @ada/draughts");
    await tabs.mod.open(targetOf("package", "@ada/draughts"));
    const own = await tabs.mod.press("Refuse the appeal", { "Answer to the owner": "No." });
    expect([own.status, own.text]).toEqual([403, expect.stringContaining("another moderator")]);
    await tabs.other.open(targetOf("package", "@ada/draughts"));
    await tabs.other.press("Refuse the appeal", { "Answer to the owner": "It sends the keys." });
    expect((await tabs.ada.open(path)).text).toContain("It sends the keys.");
    expect((await statusOf("/@ada%2fdraughts"))[0]).toBe(410);
  });
});
