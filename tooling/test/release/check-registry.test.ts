import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";

import { expect, onTestFinished, test } from "vitest";

const script = join(import.meta.dirname, "../../src/check-registry.cjs");

async function server(listener: RequestListener): Promise<string> {
  const listening = createServer(listener).listen(0, "127.0.0.1");
  await once(listening, "listening");
  onTestFinished(() => void listening.close());
  return `http://127.0.0.1:${(listening.address() as { readonly port: number }).port}/`;
}

/** Runs the script for a registry, and for a store with or without downloads. */
async function check(
  registry: string,
  { hasDownloads = false, variables = {} }: { hasDownloads?: boolean; variables?: object } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), "envs-check-registry-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "files/00"), { recursive: true });
  if (hasDownloads) await writeFile(join(folder, "files/00/file"), "");
  const pnpm = join(folder, "pnpm");
  await writeFile(pnpm, `#!/bin/sh\n[ "$1" = config ] && echo ${registry} || echo ${folder}\n`);
  await chmod(pnpm, 0o755);
  const { PATH = "" } = process.env;
  const env = { PATH, npm_execpath: pnpm, ...variables };
  const child = spawn(process.execPath, [script], { env, stdio: ["ignore", "ignore", "pipe"] });
  const stderr = await text(child.stderr);
  if (child.exitCode === null) await once(child, "exit");
  return { stderr, code: child.exitCode };
}

test("accepts a registry that answers, also if it requires a login", async () => {
  const registry = await server((_, response) => response.writeHead(401).end());
  expect(await check(registry)).toEqual({ stderr: "", code: 0 });
});

test("rejects a registry that refuses connections", async () => {
  const { stderr, code } = await check("http://127.0.0.1:2/");
  expect(stderr).toMatch(
    /^✗ The npm registry http:\/\/127\.0\.0\.1:2\/ does not answer: .*ECONNREFUSED.*\.\n {2}Nothing was installed\./,
  );
  expect(code).toBe(1);
});

test("only warns if earlier installs have downloaded packages", async () => {
  const { stderr, code } = await check("http://127.0.0.1:2/", { hasDownloads: true });
  expect(stderr).toContain("pnpm uses the packages of earlier installs");
  expect(code).toBe(0);
});

test("does not check a registry behind a proxy", async () => {
  const variables = { HTTPS_PROXY: "http://127.0.0.1:3/" };
  expect(await check("http://127.0.0.1:2/", { variables })).toEqual({ stderr: "", code: 0 });
});
