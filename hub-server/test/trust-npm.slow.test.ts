import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { expect, test } from "vitest";

import { testHub } from "./support/hub.ts";
import { publishOrThrow } from "./support/publish.ts";

const { resolve } = createRequire(import.meta.url);
const npmCli = join(dirname(resolve("npm-11/package.json")), "bin/npm-cli.js");
const guide = new URL("../../docs/guides/publish-an-environment.md", import.meta.url);

test("npm runs the trust command of the guide and lists the trusted publisher", async () => {
  await using server = await testHub("server");
  const ada = await server.createUser("ada");
  await publishOrThrow(server, "@ada/word-length", { as: ada });
  const home = await mkdtemp(join(tmpdir(), "envs-npm-"));
  const npm = async (...args: readonly string[]): Promise<string> => {
    const child = spawn(process.execPath, [npmCli, ...args], {
      cwd: home,
      env: { HOME: home, PATH: dirname(process.execPath), NO_COLOR: "1" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => (output += String(chunk)));
    const [code] = (await once(child, "close")) as [number];
    if (code !== 0) throw new Error(`npm ${args.join(" ")} exited with ${code}:\n${output}`);
    return output;
  };
  try {
    const host = server.url.replace("http:", "");
    await writeFile(join(home, ".npmrc"), `${host}/:_authToken=${ada.token}\n`);
    const [line = ""] = /^npm trust github .*$/m.exec(await readFile(guide, "utf8")) ?? [];
    const command = line.replace(/https:\S+/, server.url).split(" ");
    expect(command).toContain(server.url);
    await npm(...command.slice(1), "--yes");
    const list = await npm("trust", "list", "@ada/word-length", "--registry", server.url);
    expect(list).toContain("ada/word-length");
    expect(list).toContain("permissions: publish");
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 10 });
  }
});
