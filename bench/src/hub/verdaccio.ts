import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { freePort } from "@envs/hub-server/testing/server-process";

import { register, type RegistryKind, startRegistry } from "./registry.ts";

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

/** Without this, Verdaccio computes a bcrypt hash for each request with a token. */
const signedTokens = `
security:
  api:
    legacy: false
    jwt: { sign: { expiresIn: 1d } }
`;

/** Verdaccio with its default configuration. */
export const verdaccio: RegistryKind = verdaccioWith(`Verdaccio ${version}`, config);

/** The same, with the setting that makes publishing fastest. */
export const verdaccioWithSignedTokens: RegistryKind = verdaccioWith(
  `Verdaccio ${version} with signed tokens`,
  config + signedTokens,
);

function verdaccioWith(name: string, text: string): RegistryKind {
  return {
    name,
    async start(folder) {
      const program = await installVerdaccio();
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "config.yaml"), text);
      const port = await freePort();
      const listen = ["--config", "config.yaml", "--listen", `127.0.0.1:${port}`];
      return startRegistry(port, [program, ...listen], { cwd: folder });
    },
    token: ({ url }) => register(url, "bench"),
  };
}

/** Installs Verdaccio into the cache, unless it exists there. Returns the path of its program. */
async function installVerdaccio(): Promise<string> {
  const target = join(cache, `verdaccio-${version}`);
  const program = join(target, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return program;
  await mkdir(cache, { recursive: true });
  const temporary = await mkdtemp(join(cache, "verdaccio-part-"));
  try {
    // Verdaccio depends on a tag of node-fetch that some registries do not serve.
    const overrides = { "node-fetch": "2.7.0" };
    await writeFile(join(temporary, "package.json"), JSON.stringify({ private: true, overrides }));
    await run("npm", ["install", "--no-audit", "--no-fund", `verdaccio@${version}`], {
      cwd: temporary,
    });
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    throw error;
  }
  return program;
}
