import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { attacks } from "./support/attacks.ts";

const guide = new URL("../../../docs/guides/grade-safely.md", import.meta.url);
const cell = (reward: (typeof attacks)[number]["harbor"]): string =>
  reward === 1 ? "**earns**" : String(reward ?? "not run");

test("the guide's table has each attack with what it earns", () => {
  const [, table = ""] = readFileSync(guide, "utf8").split("<!-- attacks");
  const rows = table.match(/^\|.*\|$/gmu)?.map((row) => row.split("|").map((text) => text.trim()));
  expect(rows?.slice(2).map((row) => row.slice(1, -1))).toEqual(
    attacks.map(({ name, same, fresh, harbor }) => [name, cell(same), cell(fresh), cell(harbor)]),
  );
  expect(attacks.length).toBeGreaterThanOrEqual(30);
});
