import { chmod, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { envs, temporaryFolder } from "../../../cli/test/command.ts";

test("maths install asks for pip or uv on a machine with neither, and leaves nothing", async () => {
  const folder = await temporaryFolder();
  const outcome = await envs(["maths", "install"], "", { PATH: folder, XDG_CACHE_HOME: folder });
  expect(outcome).toEqual({
    stdout: "",
    stderr:
      "✗ Math-Verify was not installed: it needs pip or uv, and neither works here. Install Python 3 with pip (on Debian: apt-get install python3-pip), or uv.\n",
    code: 2,
  });
  expect(await readdir(join(folder, "envs/math-verify"))).toEqual([]);
});

test("maths install reports what pip printed when a download fails", async () => {
  const folder = await temporaryFolder();
  const pip = `#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "ERROR: No matching distribution found" >&2\nexit 1\n`;
  await writeFile(join(folder, "pip"), pip);
  await chmod(join(folder, "pip"), 0o755);
  const { stderr, code } = await envs(["maths", "install"], "", {
    PATH: folder,
    XDG_CACHE_HOME: folder,
  });
  expect(code).toBe(2);
  expect(stderr).toContain("`pip` could not download math-verify==0.9.0");
  expect(stderr).toContain("ERROR: No matching distribution found");
});
