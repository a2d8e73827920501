import { describe, expect, test } from "vitest";

import { envs, envsHere } from "../command.ts";

const tictactoe = ["play", "./environments/tictactoe"];
const lines = (...input: readonly string[]) => `${input.join("\n")}\n`;

describe("envs play", () => {
  test("plays against a policy until the player stops", async () => {
    const cells = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    const typed = lines("nine", ...cells, ...cells, "n");
    const { stdout, code } = await envs([...tictactoe, "-m", "policy:first-free"], typed);
    expect(code).toBe(0);
    expect(stdout).toContain("you play O against policy:first-free");
    expect(stdout).toContain("You play O.");
    expect(stdout).toMatch(
      /› nine\n {2}sent: .*nine[\s\S]*Invalid move\. A move is one number from 0 to 8\./,
    );
    expect(stdout).toContain("Invalid move. Position 0 is occupied.");
    expect(stdout).toMatch(/user\n[\s\S]*You (win|lose)\./);
    expect(stdout).toContain("Play again? [Y/n]");
  });

  test("takes the seat of --seat, against a model or the policies", async () => {
    const typed = lines("/quit");
    const first = await envs([...tictactoe, "-m", "policy:optimal", "--seat", "X"], typed);
    expect(first.stdout).toContain("you play X against policy:optimal");
    const unanswered = await envsHere([...tictactoe, "--seat", "O"]);
    expect([unanswered.code, unanswered.stderr]).toEqual([
      2,
      expect.stringContaining("Nothing plays the seat X of tictactoe"),
    ]);
    const unknown = await envsHere([...tictactoe, "--seat", "Z"]);
    expect(unknown.stderr).toContain("Its seats are: X, O.");
    const hidden = await envs(["play", "./environments/kuhn-poker", "--seat", "player1"], typed);
    expect(hidden.stdout).toMatch(/You are player1 and hold [JQK]\. player0: (bet|check)\./);
  });

  test("plays against models by seat", async () => {
    const typed = lines("/quit");
    const one = await envs([...tictactoe, "-m", "O=policy:optimal"], typed);
    expect(one.stdout).toContain("you play X against policy:optimal");
    const both = ["-m", "X=policy:optimal", "-m", "O=policy:first-free"];
    const full = await envsHere([...tictactoe, ...both]);
    expect([full.code, full.stderr]).toEqual([
      2,
      expect.stringContaining("-m has a model for each seat of tictactoe"),
    ]);
    const twice = await envsHere([...tictactoe, "-m", "O=policy:optimal", "--seat", "O"]);
    expect(twice.stderr).toContain("--seat O takes a seat for which -m has a model.");
  });

  test("plays in the model's place with options of the environment's config", async () => {
    const typed = lines("4", "/back", "0", "/quit");
    const { stdout, code } = await envs([...tictactoe, "--max-random-move-prob", "0"], typed);
    expect(code).toBe(0);
    expect(stdout).toContain("you play X");
    expect(stdout).toContain(
      "sent: <think>win: none; block: none; fork: none; trap: none</think> <move>0</move>",
    );
  });

  test("supports tool calls", async () => {
    const typed = lines("/call search Paris", "Paris", "n");
    const { stdout } = await envs(["play", "./environments/wiki-search"], typed);
    expect(stdout).toContain("/call search: Finds articles.");
    expect(stdout).toContain('sent: → search(query: "Paris")');
    expect(stdout).toContain("the end 2 turns");
  });

  test("rejects -m for an environment without an opponent", async () => {
    const { stderr, code } = await envsHere([
      "play",
      "./environments/reverse-text",
      "-m",
      "policy:echo",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("Remove -m");
  });

  test("does not start without the sandbox that the environment requires", async () => {
    const { stderr, stdout, code } = await envsHere([
      "play",
      "./packages/cli/test/fixtures/needy.ts",
    ]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("needs the sandbox python, which does not work here: Install");
  });

  test("rejects an unknown policy before the first move", async () => {
    const { stderr, code, stdout } = await envsHere([...tictactoe, "-m", "policy:grandmaster"]);
    expect(code).toBe(2);
    expect(stderr).toContain("It has: optimal");
    expect(stdout).toBe("");
  });

  test("starts at the example of --example", async () => {
    const text = ["play", "./environments/reverse-text", "--example"];
    const [first, third] = await Promise.all(["0", "2"].map((at) => envs([...text, at])));
    const skipped = await envs([...text, "0"], lines("/next", "/next"));
    const lastPrompt = (stdout: string) => stdout.slice(stdout.lastIndexOf("user\n"));
    expect(lastPrompt(third!.stdout)).toBe(lastPrompt(skipped.stdout));
    expect(lastPrompt(third!.stdout)).not.toBe(lastPrompt(first!.stdout));
  });
});
