import { beforeAll, describe, expect, test } from "vitest";

import { type Browser, browser, type Page } from "./support/browser.ts";
import { readDocument } from "./support/package-document.ts";
import { type SeededPeople, seedPeople } from "./support/seed-people.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let people: SeededPeople;
let owner: Browser;
let writer: Browser;
let stranger: Browser;
let path: string;
const sections = ["", "/versions", "/people", "/trusted-publishers", "/advisories"];

beforeAll(async () => {
  people = await seedPeople(server);
  owner = await people.ada.signIn();
  writer = await people.grace.signIn();
  stranger = await people.eve.signIn();
  path = `/package/${people.publicPackage}/settings`;
});

function formsOf({ html }: Page): readonly string[] {
  const actions = [...html.matchAll(/<form[^>]* action="([^"]*)"/g)].map(
    ([, action = ""]) => action,
  );
  return actions.filter((action) => action.startsWith("/package"));
}

describe("the settings of a package", () => {
  test("return 404 to a stranger for a private package, as for one that does not exist", async () => {
    for (const section of sections) {
      const real = await stranger.open(`/package/${people.privatePackage}/settings${section}`);
      const missing = await stranger.open(
        `/package/@word-games/no-such-package/settings${section}`,
      );
      expect([section, real.status, real.heading]).toEqual([
        section,
        missing.status,
        missing.heading,
      ]);
      const text = real.text.replaceAll(people.privatePackage, "");
      expect(text).toBe(missing.text.replaceAll("@word-games/no-such-package", ""));
    }
  });

  test("return 403 without forms to a stranger for a public package", async () => {
    for (const section of sections) {
      const page = await stranger.open(`${path}${section}`);
      expect([section, page.status, formsOf(page)]).toEqual([section, 403, []]);
    }
  });

  test("ask a browser without a session to sign in, whether or not the package exists", async () => {
    for (const name of [people.publicPackage, people.privatePackage, "@word-games/none"]) {
      const page = await browser(server).open(`/package/${name}/settings`);
      expect([name, page.heading]).toEqual([name, "Sign in"]);
    }
  });

  test("let a writer change versions, but not access, people or advisories", async () => {
    expect(formsOf(await writer.open(path))).toEqual([`${path}/unpublish`]);
    expect(formsOf(await writer.open(`${path}/people`))).toEqual([]);
    expect(formsOf(await writer.open(`${path}/advisories`))).toEqual([]);
    const page = await writer.open(`${path}/versions`);
    expect(formsOf(page)).toContain(`${path}/versions/yank`);
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(page.html) ?? [];
    for (const [action, fields] of [
      ["/access", { access: "restricted" }],
      ["/archive", {}],
      ["/people/add", { user: "eve" }],
      ["/advisories/publish", { title: "x", severity: "low", vulnerable: "*" }],
      ["/trusted-publishers/add", { type: "github", repository: "a/b", file: "c.yml" }],
    ] as const) {
      const forged = await writer.send(`${path}${action}`, { fields: { form, ...fields } });
      expect([action, forged.status]).toEqual([action, 403]);
    }
  });

  test("deprecate, yank and tag versions", async () => {
    await owner.open(`${path}/versions`);
    await owner.press("Save message of 1.0.0", { "Deprecation message of 1.0.0": "Use 2.0.0." });
    expect(owner.page.text).toContain("Deprecation saved.");
    await owner.press("Set tag", { Tag: "old", "Points to": "1.0.0" });
    const document = await readDocument(server, people.publicPackage);
    expect(document["dist-tags"]).toMatchObject({ old: "1.0.0" });
    expect(document.versions["1.0.0"]).toMatchObject({ deprecated: "Use 2.0.0." });
    await owner.press("Remove the tag old");
    await owner.press("Yank 1.0.0");
    expect(Object.keys((await readDocument(server, people.publicPackage)).versions)).toEqual([]);
    await owner.press("Restore 1.0.0");
    expect(owner.page.text).toContain("Version restored.");
    const invalid = await owner.press("Set tag", { Tag: "1.0.0", "Points to": "1.0.0" });
    expect([invalid.status, invalid.heading]).toEqual([400, "Versions"]);
  });

  test("do not unpublish until the name is typed", async () => {
    await owner.open(path);
    const button = "Unpublish all versions";
    const label = `Type ${people.publicPackage} to confirm`;
    const refused = await owner.press(button, { [label]: "word-length" });
    expect([refused.status, refused.text]).toEqual([
      400,
      expect.stringContaining(`The typed name "word-length" is not ${people.publicPackage}.`),
    ]);
    expect(Object.keys((await readDocument(server, people.publicPackage)).versions)).toEqual([
      "1.0.0",
    ]);
  });

  test("add and remove a maintainer", async () => {
    await owner.open(`${path}/people`);
    await owner.press("Add maintainer", { "User name": "eve" });
    expect(owner.page.text).toContain("Maintainer added.");
    expect((await stranger.open(`${path}/versions`)).status).toBe(200);
    await owner.press("Remove eve");
    expect((await stranger.open(`${path}/versions`)).status).toBe(403);
  });

  test("add and remove a trusted publisher, also for a name without a package", async () => {
    for (const name of [people.publicPackage, "@ada/not-yet"]) {
      await owner.open(`/package/${name}/settings/trusted-publishers`);
      const fields = { Repository: "ada/words", "Workflow file": "publish.yml" };
      const invalid = await owner.press("Add trusted publisher", { ...fields, Repository: "ada" });
      expect([invalid.status, invalid.text]).toEqual([
        400,
        expect.stringContaining("The repository is owner/name"),
      ]);
      await owner.press("Add trusted publisher", fields);
      expect(owner.page.text).toContain("ada/words, publish.yml GitHub Actions, may publish");
      await owner.press("Remove ada/words, publish.yml");
      expect(owner.page.text).toContain("has no trusted publisher");
    }
  });

  test("publish and withdraw an advisory", async () => {
    await owner.open(`${path}/advisories`);
    const fields = { Title: "The reward leaks", "Affected versions": "<2.0.0" };
    const invalid = await owner.press("Publish advisory", {
      ...fields,
      "Affected versions": "old",
    });
    expect([invalid.status, invalid.text]).toEqual([
      400,
      expect.stringContaining("is not a semver range"),
    ]);
    await owner.press("Publish advisory", { ...fields, Severity: "high" });
    expect(owner.page.text).toContain("high, affects <2.0.0");
    await owner.press("Withdraw The reward leaks");
    expect(owner.page.text).toContain("withdrawn");
  });

  test("archive and restore the package, and change who may read it", async () => {
    await owner.open(path);
    await owner.press("Archive");
    expect(owner.page.text).toContain("Package archived.");
    await owner.press("Restore");
    expect(owner.page.text).toContain("Package restored.");
    await owner.open(`/package/${people.privatePackage}/settings`);
    const { html } = owner.page;
    const [, form = ""] = /name="form" value="([^"]+)"/.exec(html) ?? [];
    const saved = await owner.send(`/package/${people.privatePackage}/settings/access`, {
      fields: { form, access: "public" },
    });
    expect(saved.text).toContain("Access saved.");
    expect((await server.request(`/${people.privatePackage}`)).status).toBe(200);
  });
});
