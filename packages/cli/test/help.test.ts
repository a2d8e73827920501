import { stripVTControlCharacters } from "node:util";

import { beforeAll, describe, expect, it, vi } from "vitest";

import { run } from "../src/main.ts";

/** Runs a command line in this process. Returns what it prints on stdout. */
async function printed(line: string): Promise<string> {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await run(line.split(" "));
    return stripVTControlCharacters(write.mock.calls.map(([text]) => String(text)).join(""));
  } finally {
    write.mockRestore();
  }
}

const listedNames = (text: string): readonly string[] =>
  [...text.matchAll(/^ {2}([a-z][a-z-]*(?: [a-z-]+)?) {2,}/gm)].map(([, name = ""]) => name);

describe("envs --help", () => {
  let overview = "";
  beforeAll(async () => {
    overview = await printed("--help");
  });

  it("fits thirty lines", () => {
    expect(overview.trimEnd().split("\n").length).toBeLessThanOrEqual(30);
  });

  it("names at most 25 commands and groups, which contain all commands", async () => {
    const more = /^More: (.*)$/m.exec(overview)?.[1]?.split(", ") ?? [];
    const names = [...listedNames(overview), ...more];
    expect(names.length).toBeLessThanOrEqual(25);
    const all = listedNames(await printed("help --all"));
    expect(new Set(all.map((name) => name.split(" ")[0]))).toEqual(new Set(names));
  });
});

describe("the help of a command", () => {
  it("lists at most twelve options, and with --all the others", async () => {
    for (const name of listedNames(await printed("help --all"))) {
      // The server's program prints its own help.
      if (name === "hub server") continue;
      const text = await printed(`${name} --help`);
      const options = text.match(/^ {2}(?:-\w,| {3}) --/gm) ?? [];
      expect(options.length, name).toBeLessThanOrEqual(12);
      const more = Number(/^(\d+) more options: /m.exec(text)?.[1] ?? 0);
      const all = (await printed(`help ${name} --all`)).match(/^ {2}(?:-\w,| {3}) --/gm) ?? [];
      expect(all.length, name).toBe(options.length + more);
    }
  });

  it("is also printed by envs help, with the options of an environment", async () => {
    expect(await printed("help run diff")).toBe(await printed("run diff --help"));
    expect(await printed("help eval tictactoe")).toContain("--speed-bonus");
  });

  it("ends with the commands of a group of the same name", async () => {
    expect(await printed("help serve")).toMatch(/envs serve \[environment\.\.\.\][^]*serve mcp/);
  });
});

it("lists the commands of a group", async () => {
  expect(await printed("run")).toBe(await printed("help run"));
  expect(listedNames(await printed("run"))).toContain("run diff");
});
