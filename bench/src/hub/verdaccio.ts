import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { freePort, register, type RegistryKind, startRegistry } from "./registry.ts";

const run = promisify(execFile);
const version = "6.10.4";
const cache = join(import.meta.dirname, "../../../node_modules/.cache");

const config = `
storage: ./storage
auth:
  htpasswd:
    file: ./htpasswd
    max_users: 10
packages:
  "**":
    access: $all
    publish: $authenticated
    unpublish: $authenticated
log: { type: stdout, format: json, level: fatal }
max_body_size: 100mb
`;

/** Without this, each request with a token pays for a bcrypt hash. */
const signedTokens = `
security:
  api:
    legacy: false
    jwt: { sign: { expiresIn: 1d } }
`;

/** Verdaccio with its default configuration. */
export const verdaccio: RegistryKind = verdaccioWith(`Verdaccio ${version}`, config);

/** The same, with the setting that makes it fastest to publish to. */
export const verdaccioWithSignedTokens: RegistryKind = verdaccioWith(
  `Verdaccio ${version} with signed tokens`,
  config + signedTokens,
);

function verdaccioWith(name: string, text: string): RegistryKind {
  return {
    name,
    async start(folder) {
      const program = await installed();
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "config.yaml"), text);
      const port = await freePort();
      const listen = ["--config", "config.yaml", "--listen", `127.0.0.1:${port}`];
      return startRegistry(port, [program, ...listen], { cwd: folder });
    },
    token: ({ url }) => register(url, "bench"),
  };
}

/** Downloads Verdaccio into the cache, unless it exists. */
async function installed(): Promise<string> {
  const target = join(cache, `verdaccio-${version}`);
  const program = join(target, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const work = await mkdtemp(join(cache, "verdaccio-part-"));
  try {
    // It asks for node-fetch by a tag that not every registry serves.
    const overrides = { "node-fetch": "2.7.0" };
    await writeFile(join(work, "package.json"), JSON.stringify({ private: true, overrides }));
    await run("npm", ["install", "--no-audit", "--no-fund", `verdaccio@${version}`], { cwd: work });
    await rename(work, target);
  } catch (error) {
    await rm(work, { recursive: true, force: true });
    throw error;
  }
  return program;
}
