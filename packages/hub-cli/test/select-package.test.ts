import type { PackageSummary } from "@envs/hub-client";
import { describe, expect, test } from "vitest";

import { selectPackage } from "../src/packages/select-package.ts";

const summary = (name: string, downloads: number, isEnvironment = true): PackageSummary => ({
  name,
  version: "1.0.0",
  description: "",
  owner: name.slice(1).split("/")[0] ?? "",
  access: "public",
  isArchived: false,
  isEnvironment,
  deprecated: null,
  title: null,
  kind: null,
  tags: [],
  keywords: [],
  tools: [],
  scores: [],
  license: null,
  evaluations: 0,
  trainings: 0,
  downloads,
  stars: 0,
  publishedAt: "2026-01-01T00:00:00.000Z",
});

async function select(matches: readonly PackageSummary[], answer?: string) {
  const notes: string[] = [];
  const questions: string[] = [];
  const prompter = {
    notify: (note: string) => void notes.push(note),
    choice: async (_: string, choices: Readonly<Record<string, string>>) => {
      questions.push(...Object.keys(choices));
      return answer;
    },
  };
  const options = { name: "tictactoe", url: "http://hub", prompter };
  const { name } = await selectPackage(matches, options);
  return { name, notes, questions };
}

describe("selectPackage", () => {
  test("prefers the only environment and names the other packages", async () => {
    const { name, notes, questions } = await select([
      summary("@mallory/tictactoe", 900, false),
      summary("@ada/tictactoe", 3),
    ]);
    expect(name).toBe("@ada/tictactoe");
    expect(questions).toEqual([]);
    expect(notes).toEqual([
      "Several packages on http://hub are named tictactoe. Selected @ada/tictactoe. Others:\n  @mallory/tictactoe (900 downloads, not an environment)",
    ]);
  });

  test("prefers its own scope among several environments", async () => {
    const { name, notes } = await select([
      summary("@mallory/tictactoe", 900),
      summary("@envs/tictactoe", 3),
    ]);
    expect(name).toBe("@envs/tictactoe");
    expect(notes.join()).toContain("@mallory/tictactoe (900 downloads)");
  });

  test("asks for one of several environments, with the most downloads first", async () => {
    const matches = [
      summary("@ada/tictactoe", 3),
      summary("@mallory/tictactoe", 9, false),
      summary("@grace/tictactoe", 7),
    ];
    const { name, questions } = await select(matches, "@ada/tictactoe");
    expect(name).toBe("@ada/tictactoe");
    expect(questions).toEqual(["@grace/tictactoe", "@ada/tictactoe"]);
  });

  test("fails without a terminal and lists the packages", async () => {
    const matches = [summary("@ada/tictactoe", 1), summary("@grace/tictactoe", 7)];
    await expect(select(matches)).rejects.toThrow(
      "Several packages on http://hub are named tictactoe. Write the scope:\n  @grace/tictactoe (7 downloads)\n  @ada/tictactoe (1 download)",
    );
  });

  test("does not print a note for a name of a single package", async () => {
    expect(await select([summary("@ada/tictactoe", 1, false)])).toEqual({
      name: "@ada/tictactoe",
      notes: [],
      questions: [],
    });
  });
});
