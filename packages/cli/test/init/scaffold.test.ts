import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { checkName } from "../../src/init/names.ts";
import { versions } from "../../src/init/scaffold.ts";

test("depends on the versions that this workspace uses", async () => {
  const root = join(import.meta.dirname, "../../../..");
  const catalog = await readFile(join(root, "pnpm-workspace.yaml"), "utf8");
  const manifest = await readFile(join(root, "package.json"), "utf8");
  expect(catalog).toContain(`"@types/node": ${versions.node}`);
  expect(catalog).toContain(`vitest: ${versions.vitest}`);
  expect(catalog).toContain(`zod: ${versions.zod}`);
  expect(manifest).toContain(`"typescript": "${versions.typescript.slice(1)}"`);
});

test.for(["", "WordLength", "word length", "1st", "-x", "a--b", "../up", "@me/x", "x".repeat(65)])(
  "rejects the name %j",
  (name) => {
    expect(() => checkName(name)).toThrow("is not a valid environment name");
  },
);

test("suggests a valid name", () => {
  expect(() => checkName("My Word_Length!")).toThrow("For example: my-word-length");
  expect(() => checkName("my-word-length")).not.toThrow();
});
