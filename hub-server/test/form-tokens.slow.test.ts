import { beforeAll, expect, test } from "vitest";

import { type Browser, browser } from "./support/browser.ts";
import { type SeededPeople, seedPeople } from "./support/seed-people.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let people: SeededPeople;
let owner: Browser;
let forms: readonly string[];

beforeAll(async () => {
  people = await seedPeople(server);
  owner = await people.ada.signIn();
  forms = await everyForm();
});

/** The targets of all forms that an owner sees. */
async function everyForm(): Promise<readonly string[]> {
  const settings = `/package/${people.publicPackage}/settings`;
  const pages = [
    ...["", "/tokens", "/second-factor", "/sessions", "/organisations", "/invitations"].map(
      (section) => `/settings${section}`,
    ),
    `/settings/staged/${people.stagedId}`,
    ...["members", "teams", "team/reviewers", "team/developers"].map(
      (section) => `/org/${people.organisation}/${section}`,
    ),
    ...["", "/versions", "/people", "/trusted-publishers", "/advisories"].map(
      (section) => `${settings}${section}`,
    ),
  ];
  const targets = new Set<string>();
  for (const path of pages) {
    const { html, status } = await owner.open(path);
    expect([path, status]).toEqual([path, 200]);
    for (const [form, action = ""] of html.matchAll(/<form[^>]* action="([^"]*)"[^>]*>/g))
      if (form.includes('method="post"')) targets.add(action);
  }
  return [...targets];
}

test("the pages have the forms of every area", () => {
  const areas = forms.map((action) => action.split("/")[1]);
  expect(forms.length).toBeGreaterThanOrEqual(29);
  expect([...new Set(areas)].toSorted()).toEqual(["org", "package", "settings", "sign-out"]);
});

test("every form rejects a missing token and that of another browser", async () => {
  const other = browser(server);
  const [, foreign = ""] =
    /name="form" value="([^"]+)"/.exec((await other.open("/sign-in")).html) ?? [];
  for (const action of forms)
    for (const fields of [{}, { form: "" }, { form: foreign }]) {
      const page = await owner.send(action, { fields });
      expect([action, page.status, page.heading]).toEqual([action, 403, "Not allowed"]);
      expect(page.text).toContain("The form's token is missing, expired or from another site.");
    }
});

test("every form rejects a page of another site that knows the token", async () => {
  const { html } = await owner.open("/settings");
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(html) ?? [];
  for (const action of forms) {
    const headers = { "sec-fetch-site": "cross-site" };
    const page = await owner.send(action, { fields: { form }, headers });
    expect([action, page.status]).toEqual([action, 403]);
  }
});

test("every form sends a browser without a session to the sign-in page", async () => {
  const tab = browser(server);
  const { html } = await tab.open("/sign-in");
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(html) ?? [];
  for (const action of forms.filter((path) => path !== "/sign-out")) {
    const page = await tab.send(action, { fields: { form } });
    expect([action, page.heading]).toEqual([action, "Sign in"]);
  }
});
