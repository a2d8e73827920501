import { writeFile } from "node:fs/promises";

import { beforeAll, expect, test } from "vitest";

import { seedCatalogue } from "./support/seed-catalogue.ts";
import { seedEnvironment } from "./support/seed-environment.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub("server", { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");

beforeAll(() => seedCatalogue(server.hub, ada));

const picture = (name: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server.url}/package/@ada/${name}/card.png`, { headers });

/** Width and height in a PNG's first chunk. */
function sizeOf(bytes: Buffer): readonly [number, number] {
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test("draws a picture of 1200 × 630 pixels for the page of a public package", async () => {
  const bytes = Buffer.from(await (await picture("tictactoe")).arrayBuffer());
  expect(sizeOf(bytes)).toEqual([1200, 630]);
  const folder = process.env["ENVS_TEST_PICTURES"];
  if (folder !== undefined) await writeFile(`${folder}/card.png`, bytes);
  const page = await (await fetch(`${server.url}/package/@ada/tictactoe`)).text();
  expect(page).toContain(
    `<meta property="og:image" content="${server.url}/package/@ada/tictactoe/card.png"/>`,
  );
});

test("draws no picture of a private package, also for its owner", async () => {
  const headers = { authorization: `Bearer ${ada.token}` };
  expect([
    (await picture("secret-plan")).status,
    (await picture("secret-plan", headers)).status,
  ]).toEqual([404, 404]);
});

test("draws another picture after a new version", async () => {
  const tag = async () => (await picture("changing")).headers.get("etag");
  await seedEnvironment(server.hub, ada, { bare: "changing", manifest: { description: "First." } });
  const first = await tag();
  expect(await tag()).toBe(first);
  await server.hub.database
    .updateTable("search_entries")
    .where("name", "=", "@ada/changing")
    .set({ description: "Second." })
    .execute();
  await server.hub.database.deleteFrom("environments").execute();
  server.hub.invalidate("@ada/changing");
  expect(await tag()).not.toBe(first);
});
