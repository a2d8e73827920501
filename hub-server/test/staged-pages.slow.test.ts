import { beforeAll, expect, test } from "vitest";

import { readDocument } from "./support/package-document.ts";
import { enableSecondFactor } from "./support/person.ts";
import { type SeededPeople, seedPeople, stage } from "./support/seed-people.ts";
import { sharedHub } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
let people: SeededPeople;

beforeAll(async () => {
  people = await seedPeople(server);
});

test("shows who staged a version and which files changed", async () => {
  const tab = await people.ada.signIn();
  const list = await tab.open("/org/word-games/staged");
  expect(list.text).toContain("@word-games/word-length@1.1.0 Staged by grace");
  const page = await tab.open(`/settings/staged/${people.stagedId}`);
  expect(page.heading).toBe("@word-games/word-length@1.1.0");
  expect(page.text).toContain("a.js added");
  expect(page.text).toContain("− export default 1; 1 + export default 2;");
  expect(page.text).toContain("1 of 4 files are the same.");
  expect(page.text).not.toContain("README.md");
  expect(page.text).toContain("zod@^4.0.0");
});

test("lets the user who staged a version reject it, but not approve it", async () => {
  const tab = await people.grace.signIn();
  const page = await tab.open(`/settings/staged/${people.stagedId}`);
  expect(page.text).toContain("Only owners of the package may approve this version.");
  expect(page.html).not.toContain(`/settings/staged/${people.stagedId}/approve`);
  const [, form = ""] = /name="form" value="([^"]+)"/.exec(page.html) ?? [];
  const forged = await tab.send(`/settings/staged/${people.stagedId}/approve`, {
    fields: { form },
  });
  expect([forged.status, forged.heading]).toEqual([403, "@word-games/word-length@1.1.0"]);
});

test("returns 404 to a stranger, as for a staged version that does not exist", async () => {
  const tab = await people.eve.signIn();
  for (const id of [people.stagedId, "00000000-0000-4000-8000-000000000000", "x"]) {
    const page = await tab.open(`/settings/staged/${id}`);
    expect([id, page.status, page.heading]).toEqual([id, 404, "Not found"]);
  }
  expect((await tab.open("/settings/staged")).text).toContain("No version waits for approval.");
});

test("rejects a version and frees its number", async () => {
  const id = await stage(server, people.publicPackage, { as: people.grace, version: "3.0.0" });
  const tab = await people.grace.signIn();
  await tab.open(`/settings/staged/${id}`);
  const page = await tab.press("Reject");
  expect([page.path, page.text]).toEqual([
    "/settings/staged?done=rejected",
    expect.stringContaining("Version rejected."),
  ]);
  await stage(server, people.publicPackage, { as: people.grace, version: "3.0.0" });
});

test("publishes an approved version after a code of the second factor", async () => {
  const tab = await people.ada.signIn();
  const app = await enableSecondFactor(server, people.ada);
  server.advanceClock(6 * 60_000);
  await tab.open(`/settings/staged/${people.stagedId}`);
  const asked = await tab.press("Approve and publish");
  expect([asked.status, asked.heading]).toEqual([401, "Confirm with a code"]);
  const before = await readDocument(server, people.publicPackage);
  expect(Object.keys(before.versions)).toEqual(["1.0.0"]);
  const done = await tab.press("Confirm", { Code: app.code() });
  expect(done.text).toContain("Version published.");
  const after = await readDocument(server, people.publicPackage);
  expect(after["dist-tags"]).toMatchObject({ latest: "1.1.0" });
});
