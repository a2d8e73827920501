import { describe, expect, test } from "vitest";

import { envs } from "../command.ts";

const game = ["play", "./environments/tictactoe"];
const lines = (...typed: readonly string[]) => `${typed.join("\n")}\n`;

describe("play", () => {
  test("against a policy, from the first move to the next game", async () => {
    const cells = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    const typed = lines("nine", ...cells, ...cells, "n");
    const { stdout, code } = await envs([...game, "-m", "policy:first-free"], typed);
    expect(code).toBe(0);
    expect(stdout).toContain("you against policy:first-free");
    expect(stdout).toContain("You play O.");
    expect(stdout).toContain("› nine\n  A move is one number from 0 to 8.\n");
    expect(stdout).toContain("  Position 0 is occupied.");
    expect(stdout).toMatch(/policy:first-free is told\n[\s\S]*You (win|lose)\./);
    expect(stdout).toContain("Play again? [Y/n]");
  });

  test("in the model's place, with the environment's own options", async () => {
    const typed = lines("4", "/back", "0", "/quit");
    const { stdout, code } = await envs([...game, "--max-random-move-prob", "0"], typed);
    expect(code).toBe(0);
    expect(stdout).toContain("you answer in the model's place");
    expect(stdout).toContain("sent: <think></think> <move>0</move>");
  });

  test("with tools", async () => {
    const typed = lines("/call search Paris", "Paris", "n");
    const { stdout } = await envs(["play", "./environments/wiki-search"], typed);
    expect(stdout).toContain("/call search: Finds articles.");
    expect(stdout).toContain('sent: → search(query: "Paris")');
    expect(stdout).toContain("the end 2 turns");
  });

  test("an environment without another side refuses a model", async () => {
    const { stderr, code } = await envs([
      "play",
      "./environments/reverse-text",
      "-m",
      "policy:echo",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("Leave out -m");
  });

  test("a model that cannot play is refused before the first move", async () => {
    const { stderr, code, stdout } = await envs([...game, "-m", "policy:grandmaster"]);
    expect(code).toBe(2);
    expect(stderr).toContain("It has: optimal");
    expect(stdout).toBe("");
  });

  test("--example begins further on", async () => {
    const text = ["play", "./environments/reverse-text", "--example"];
    const [first, third] = await Promise.all(["0", "2"].map((at) => envs([...text, at])));
    const walked = await envs([...text, "0"], lines("/next", "/next"));
    const shown = (stdout: string) => stdout.slice(stdout.lastIndexOf("user\n"));
    expect(shown(third!.stdout)).toBe(shown(walked.stdout));
    expect(shown(third!.stdout)).not.toBe(shown(first!.stdout));
  });
});
