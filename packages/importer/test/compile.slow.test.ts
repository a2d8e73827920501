import { execFile } from "node:child_process";
import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { translate, write } from "./support/translate.ts";

const root = join(import.meta.dirname, "../../..");
const fixtures = join(import.meta.dirname, "fixtures");

test.each(await readdir(fixtures))(
  "the package of %s compiles with the options of envs init",
  async (name) => {
    const text = await readFile(join(fixtures, name), "utf8");
    const folder = await write((await translate({ [name]: text })).files);
    const config = join(folder, "tsconfig.json");
    await copyFile(join(root, "packages/cli/templates/common/tsconfig.json"), config);
    await writeFile(join(folder, "package.json"), '{ "type": "module" }');
    const tsc = join(root, "node_modules/.bin/tsc");
    const { stdout } = await promisify(execFile)(tsc, ["-p", config, "--noEmit"]).catch(
      (error: unknown) => error as { readonly stdout: string },
    );
    expect(stdout).toBe("");
  },
);
