import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { loadConfigFile } from "../src/config-file.ts";
import { temporaryFolder } from "./command.ts";

test.each([
  ["missing.ts", "Config file", "missing.ts not found."],
  ["folder", "Config file", "folder is not a module. Pass a .ts or .js file"],
  ["data.json", "Config file", "data.json is not a module."],
  ["broken.ts", "Cannot load", "broken.ts: "],
  ["number.ts", "Invalid config file", "expected object, received number"],
])("reports the config file %s without a stack trace", async (name, start, message) => {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "folder"));
  await writeFile(join(folder, "data.json"), "{}");
  await writeFile(join(folder, "broken.ts"), "export default {");
  await writeFile(join(folder, "number.ts"), "export default 3;");
  const failure = await loadConfigFile(join(folder, name)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ name: expect.stringMatching(/^(?:Config|Failure)Error$/) });
  expect(String(failure)).toContain(start);
  expect(String(failure)).toContain(message);
});
