import { beforeAll, describe, expect, test } from "vitest";

import { type Browser, browser, type Page } from "./support/browser.ts";
import { enableSecondFactor, makePerson } from "./support/person.ts";
import { type SeededPeople, seedPeople } from "./support/seed-people.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let people: SeededPeople;
let owner: Browser;
let developer: Browser;
let stranger: Browser;
const org = "/org/word-games";

beforeAll(async () => {
  people = await seedPeople(server);
  owner = await people.ada.signIn();
  developer = await people.grace.signIn();
  stranger = await people.eve.signIn();
});

/** The targets of the forms of a page, except the one for signing out. */
function formsOf({ html }: Page): readonly string[] {
  const actions = [...html.matchAll(/<form[^>]* action="([^"]*)"/g)];
  return actions
    .map(([, action = ""]) => action)
    .filter((action) => action !== "/sign-out" && action !== "/search");
}

describe("the pages of an organisation", () => {
  test("show a stranger the public packages only, and no forms", async () => {
    for (const tab of [stranger, browser(server)]) {
      const page = await tab.open(org);
      expect([page.status, page.heading]).toEqual([200, "word-games"]);
      expect(page.text).toContain(people.publicPackage);
      expect(page.html).not.toMatch(/unreleased-riddles|reviewers|grace/);
      expect(formsOf(page)).toEqual([]);
    }
  });

  test("return the same error to a stranger for a team that exists and for one that does not", async () => {
    const real = await stranger.open(`${org}/team/reviewers`);
    const missing = await stranger.open(`${org}/team/no-such-team`);
    expect([real.status, missing.status]).toEqual([403, 403]);
    expect(real.text.replaceAll("reviewers", "")).toBe(missing.text.replaceAll("no-such-team", ""));
    for (const section of ["members", "teams", "staged"]) {
      const page = await stranger.open(`${org}/${section}`);
      expect([section, page.status, formsOf(page)]).toEqual([section, 403, []]);
      expect(page.text).not.toMatch(/grace|reviewers|1\.1\.0/);
    }
  });

  test("ask a browser without a session to sign in", async () => {
    const page = await browser(server).open(`${org}/members`);
    expect([page.heading, page.path]).toEqual([
      "Sign in",
      `/sign-in?next=${encodeURIComponent(`${org}/members`)}`,
    ]);
  });

  test("show a developer the members and teams, with a form to leave only", async () => {
    const members = await developer.open(`${org}/members`);
    expect(members.text).toContain("ada Owner");
    expect(formsOf(members)).toEqual([`${org}/members/remove`]);
    const pages = [
      await developer.open(`${org}/teams`),
      await developer.open(`${org}/team/reviewers`),
      await developer.open(org),
    ];
    for (const page of pages) expect([page.path, formsOf(page)]).toEqual([page.path, []]);
  });

  test("reject a form that a developer forges", async () => {
    const { html } = await developer.open(`${org}/members`);
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(html) ?? [];
    const forged: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      ["members/set", { user: "grace", role: "owner" }],
      ["members/remove", { user: "ada" }],
      ["teams/create", { team: "mine" }],
      ["team/reviewers/members/add", { user: "grace" }],
      ["team/reviewers/packages/grant", { package: people.privatePackage, permission: "write" }],
      ["team/reviewers/remove", { confirmation: "reviewers" }],
    ];
    for (const [path, fields] of forged) {
      const page = await developer.send(`${org}/${path}`, { fields: { form, ...fields } });
      expect([path, page.status]).toEqual([path, 403]);
      expect(page.text).toContain("needs the role");
    }
  });

  test("let an owner create an organisation, and add, change and remove a member", async () => {
    await owner.open("/settings/organisations");
    const created = await owner.press("Create organisation", { "Organisation name": "puzzles" });
    expect([created.path, created.heading]).toEqual(["/org/puzzles/members", "Members"]);
    await owner.press("Add member", { "User name": "eve", Role: "developer" });
    expect(owner.page.text).toContain("Member saved.");
    await owner.press("Change the role of eve", { "Role of eve": "admin" });
    expect(owner.page.text).toContain("eve Admin");
    await owner.press("Remove eve now");
    expect(owner.page.text).toContain("Member removed.");
    expect(owner.page.html).not.toContain("/user/eve");
  });

  test("show an error and keep the page when a member cannot be added or removed", async () => {
    await owner.open(`${org}/members`);
    const unknown = await owner.press("Add member", { "User name": "nobody-here" });
    expect([unknown.status, unknown.heading]).toEqual([404, "Members"]);
    expect(unknown.text).toContain("is not on this hub");
    const last = await owner.press("Leave word-games now");
    expect(last.text).toContain("is the last owner");
  });

  test("lead an owner to an invitation to the organisation", async () => {
    const { html } = await owner.open(`${org}/members`);
    const [, link = ""] = /href="(\/settings\/invitations[^"]*)"/.exec(html) ?? [];
    expect(link).toBe("/settings/invitations?organisation=word-games");
    await owner.open(link);
    expect((await owner.press("Create invitation")).text).toContain("developer of word-games");
  });

  test("let an owner create a team, fill it, and delete it by typing its name", async () => {
    await owner.open(`${org}/teams`);
    await owner.press("Create team", { "Team name": "testers" });
    expect(owner.page.path).toMatch(/\/team\/testers\?done=created$/);
    await owner.press("Add to team", { "User name": "grace" });
    expect(owner.page.text).toContain("Member added to the team.");
    await owner.press("Grant access", { Package: people.privatePackage, Access: "read" });
    expect(owner.page.text).toContain("Access granted.");
    await owner.press(`Revoke access to ${people.privatePackage}`);
    await owner.press("Remove grace");
    expect(owner.page.text).toContain("This team has no members.");
    const refused = await owner.press("Delete team", { "Type testers to confirm": "tester" });
    expect([refused.status, refused.heading]).toEqual([400, "Team testers"]);
    await owner.press("Delete team", { "Type testers to confirm": "testers" });
    expect(owner.page.text).toContain("Team deleted.");
    expect((await owner.open(`${org}/team/testers`)).status).toBe(404);
  });

  test("ask for a code when the session is older than five minutes, and then not for another five", async () => {
    const person = await makePerson(server, "hedy");
    const tab = await person.signIn();
    await tab.open("/settings/organisations");
    await tab.press("Create organisation", { "Organisation name": "radio" });
    const app = await enableSecondFactor(server, person);
    server.advanceClock(6 * 60_000);
    await tab.open("/org/radio/teams");
    const asked = await tab.press("Create team", { "Team name": "signals" });
    expect([asked.status, asked.heading]).toEqual([401, "Confirm with a code"]);
    const wrong = await tab.press("Confirm", { Code: "000000" });
    expect([wrong.status, wrong.heading]).toEqual([401, "Confirm with a code"]);
    const done = await tab.press("Confirm", { Code: app.code() });
    expect(done.path).toBe("/org/radio/team/signals?done=created");
    await tab.open("/org/radio/teams");
    expect((await tab.press("Create team", { "Team name": "noise" })).heading).toBe("Team noise");
  });
});

describe("the page of a user", () => {
  test("shows the user's public packages, and nothing private to a stranger", async () => {
    const tab = browser(server);
    const page = await tab.open("/user/ada");
    expect([page.status, page.heading]).toEqual([200, "ada"]);
    expect(page.html).not.toMatch(/unreleased|word-games|ada@example\.com/);
    expect((await tab.open("/user/no-such-user")).status).toBe(404);
  });

  test("lists an organisation to its members only", async () => {
    expect((await developer.open("/user/ada")).html).toContain('href="/org/word-games"');
    expect((await stranger.open("/user/ada")).html).not.toContain("word-games");
  });

  test("redirects the name of an organisation to its page", async () => {
    expect((await browser(server).open("/user/word-games")).path).toBe(org);
  });
});

describe("the page that manages an account", () => {
  test("lets administrators of the hub close and reopen an account, by typing its name", async () => {
    const root = await makePerson(server, "root-admin", { isAdmin: true });
    const person = await makePerson(server, "mallory");
    const tab = await root.signIn();
    await tab.open("/user/mallory");
    await tab.open("/user/mallory/manage");
    const label = "Type mallory to confirm";
    const refused = await tab.press("Close the account", { [label]: "mal" });
    expect([refused.status, refused.heading]).toEqual([400, "Account of mallory"]);
    await tab.press("Close the account", { [label]: "mallory" });
    expect(tab.page.text).toContain("Account closed");
    expect((await server.request("/-/whoami", { as: person })).status).toBe(401);
    await tab.press("Reopen the account");
    expect(tab.page.text).toContain("Account open");
    await tab.press("Make an administrator");
    expect(tab.page.text).toContain("administrator of this hub");
  });

  test("does not exist for other users", async () => {
    const page = await owner.open("/user/grace/manage");
    expect([page.status, page.html]).toEqual([404, expect.not.stringContaining("@example.com")]);
    const { html } = await owner.open("/settings");
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(html) ?? [];
    const forged = await owner.send("/user/grace/manage", { fields: { form, action: "promote" } });
    expect(forged.status).toBe(404);
    expect((await server.request("/api/v1/invitations", { as: people.grace })).status).toBe(200);
    const { is_admin } = await server.hub.database
      .selectFrom("users")
      .where("account_id", "=", people.grace.id)
      .select("is_admin")
      .executeTakeFirstOrThrow();
    expect(is_admin).toBe(false);
  });
});
