import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { ConfigError } from "@envs/core";

import { cacheFolder, filledOnce } from "./cache.ts";

const run = promisify(execFile);
const fullCommit = /^[\da-f]{40}$/u;

/** The files of a git repository at a commit, without its history. The cache is keyed by the commit. */
export async function fetchGit(url: string, revision: string): Promise<string> {
  const name = `git-${url.replace(/\/\/[^/@]*@/u, "//").replace(/\.git$/u, "")}`;
  if (fullCommit.test(revision) && existsSync(cacheFolder(name, revision)))
    return cacheFolder(name, revision);
  const commit = fullCommit.test(revision) ? revision : await commitOf(url, revision);
  return await filledOnce(cacheFolder(name, commit), async (folder) => {
    const git = (...args: string[]): Promise<string> => runGit(url, ["-C", folder, ...args]);
    await git("init", "--quiet");
    // A server may refuse a commit that is not the end of a branch. Then all branches are fetched.
    await git("fetch", "--quiet", "--depth", "1", "--", url, commit).catch(() =>
      git("fetch", "--quiet", "--tags", "--", url, "+refs/heads/*:refs/heads/fetched/*"),
    );
    await git("checkout", "--quiet", "--detach", commit, "--").catch(() => {
      throw unknownRevision(url, revision);
    });
    await rm(join(folder, ".git"), { recursive: true });
  });
}

/** The commit of a branch, a tag or `HEAD`. */
async function commitOf(url: string, revision: string): Promise<string> {
  const refs = (await runGit(url, ["ls-remote", "--", url]))
    .split("\n")
    .map((line) => line.split("\t"));
  const names = [`refs/tags/${revision}^{}`, `refs/tags/${revision}`, `refs/heads/${revision}`];
  for (const wanted of [...names, revision]) {
    const commit = refs.find(([, ref]) => ref === wanted)?.[0];
    if (commit !== undefined && fullCommit.test(commit)) return commit;
  }
  throw unknownRevision(url, revision);
}

async function runGit(url: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await run("git", [...args], {
      env: { ...process.env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
      maxBuffer: 2 ** 28,
    });
    return stdout;
  } catch (error) {
    const { code, stderr = "" } = error as { readonly code?: unknown; readonly stderr?: string };
    const why =
      code === "ENOENT"
        ? "the program git is not installed. Install it, or pass a folder"
        : stderr.trim().slice(-500) || String(error);
    throw new ConfigError(`Cannot read the repository ${url}: ${why}`, [], { cause: error });
  }
}

function unknownRevision(url: string, revision: string): ConfigError {
  return new ConfigError(
    `The repository ${url} has no commit, branch or tag ${revision}. A commit has 40 digits; see them with: git ls-remote ${url}`,
  );
}
