import { execFileSync } from "node:child_process";
import { mkdir, readFile, readlink, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { beforeEach, expect, onTestFinished, test, vi } from "vitest";

import { commitOf, hubServer } from "../../data/test/hub-server.ts";
import { parsePlace } from "../src/fetch/place.ts";
import { source } from "../src/source.ts";
import { written } from "./written.ts";

const task = {
  "task.toml": "",
  "instruction.md": "Write 5 to /app/sum.txt.",
  "environment/Dockerfile": "FROM debian:bookworm-slim\n",
  "tests/test.sh": "echo 1 > /logs/verifier/reward.txt\n",
};
const below = (folder: string) =>
  Object.fromEntries(Object.entries(task).map(([path, content]) => [join(folder, path), content]));

beforeEach(async () => {
  const cache = await written({});
  vi.stubEnv("XDG_CACHE_HOME", cache);
  vi.stubEnv("HF_HUB_CACHE", join(cache, "hub"));
  vi.stubEnv("HF_HUB_DOWNLOAD_TIMEOUT", "0.3");
  onTestFinished(() => void vi.unstubAllEnvs());
});

const git = (folder: string, ...args: string[]): string =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  }).trim();

/** A repository with the tasks `sets/one` and `sets/two`, of which the first commit has one. */
async function repository() {
  const folder = await written(below("sets/one"));
  git(folder, "init", "-b", "main");
  git(folder, "add", ".");
  git(folder, "commit", "-m", "one");
  const first = git(folder, "rev-parse", "HEAD");
  await mkdir(join(folder, "sets/two/environment"), { recursive: true });
  await mkdir(join(folder, "sets/two/tests"));
  for (const [path, content] of Object.entries(task))
    await writeFile(join(folder, "sets/two", path), content);
  git(folder, "add", ".");
  git(folder, "commit", "-m", "two");
  git(folder, "tag", "v2");
  return { folder, url: `file://${folder}`, first };
}

const folderOf = ({ module }: { readonly module: string }) =>
  new URL(module).searchParams.get("folder")!;

test("opens a commit, a tag and a folder of a git repository, a commit without the network twice", async () => {
  const { folder, url, first } = await repository();
  const one = await source(`${url}#${first}`, "/");
  expect(folderOf(one).endsWith(first)).toBe(true);
  const tagged = await source(`${url}#v2:sets`, "/");
  expect(await readFile(join(folderOf(tagged), "two/instruction.md"), "utf8")).toContain("sum");
  expect(tagged.contentHash).not.toBe(one.contentHash);
  expect(folderOf(await source(`git+${url}`, "/"))).toContain(git(folder, "rev-parse", "HEAD"));
  await rm(join(folder, ".git"), { recursive: true });
  expect(await source(`${url}#${first}`, "/")).toEqual(one);
});

test("names a repository, a revision and a folder that do not exist", async () => {
  const { url } = await repository();
  const open = (place: string) => source(place, "/");
  await expect(open(`${url}#nine`)).rejects.toThrow(/no commit, branch or tag nine/);
  await expect(open(`${url}#${"a".repeat(40)}`)).rejects.toThrow(/no commit, branch or tag a{40}/);
  await expect(open(`${url}#v2:nothing`)).rejects.toThrow(/v2:nothing contains no task/);
  await expect(open("file:///nothing.git")).rejects.toThrow(/Cannot read the repository.*nothing/);
  vi.stubEnv("PATH", "/nowhere");
  await expect(open(`${url}#v2`)).rejects.toThrow(/git is not installed/);
});

test("refuses a repository whose link leads to files of this computer", async () => {
  const { folder, url } = await repository();
  await symlink("/etc/passwd", join(folder, "sets/one/secret"));
  expect(await readlink(join(folder, "sets/one/secret"))).toBe("/etc/passwd");
  git(folder, "add", ".");
  git(folder, "commit", "-m", "link");
  await expect(source(url, "/")).rejects.toThrow(/sets\/one\/secret leads to \/etc\/passwd/);
});

test("opens a data set of Hugging Face at a revision, from the cache if the hub is unreachable", async () => {
  const hub = await hubServer({ datasets: { "org/tasks": { main: below("one"), v1: {} } } });
  vi.stubEnv("HF_ENDPOINT", hub.url);
  const one = await source("hf:org/tasks", "/");
  expect(folderOf(one)).toContain(commitOf("org/tasks", "main"));
  expect(await source("hf:org/tasks@main/one", "/")).toMatchObject({
    module: expect.stringMatching(/%2Fone$/),
  });
  await expect(source("hf:org/tasks@v1", "/")).rejects.toThrow(/hf:org\/tasks@v1 contains no task/);
  await expect(source("hf:org/tasks@v9", "/")).rejects.toThrow(/no revision "v9"/);
  await hub[Symbol.asyncDispose]();
  expect(await source("hf:org/tasks", "/")).toEqual(one);
});

test("a path is a folder, and what is neither a place is named", () => {
  expect(parsePlace("./tasks")).toEqual({ kind: "folder", folder: "./tasks" });
  expect(parsePlace("git@git.example.com:org/tasks.git")).toMatchObject({ revision: "HEAD" });
  expect(() => parsePlace("hf:tasks")).toThrow(/hf:<owner>\/<name>/);
  expect(() => parsePlace("https://git.example.com/t.git#-x")).toThrow(/not a git repository/);
  expect(() => parsePlace("https://git.example.com/t.git#v1:../x")).toThrow(/leads out/);
});
