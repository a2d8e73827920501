import { stripVTControlCharacters } from "node:util";

import { widthOf } from "@envs/terminal/layout";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { draw } from "../../src/viewer/screen.ts";
import { type Key, press, startState, type ViewState } from "../../src/viewer/state.ts";
import { playedRollout, viewedRun } from "./run.ts";

const size = { columns: 80, rows: 24 };
const long = Array.from({ length: 60 }, (_, index) => `line ${index}`).join("\n");
const rollouts = [
  playedRollout(0, 1),
  playedRollout(1, 0, [{ role: "assistant", content: long }]),
  playedRollout(2, undefined),
  playedRollout(3, 0.5),
];

function key(name: string): Key {
  if (name.startsWith("C-")) return { name: name.slice(2), isControl: true };
  return name.length === 1 ? { name, text: name } : { name };
}

/** Presses keys in order. Types the characters of text in angle brackets. */
function after(keys: string, state: ViewState = startState(viewedRun(rollouts), {})): ViewState {
  let current = state;
  for (const [, typed, name] of keys.matchAll(/<([^>]*)>|(\S+)/g))
    for (const pressed of typed === undefined ? [key(name!)] : Array.from(typed, key)) {
      const next = press(current, pressed, draw(current, size).extent);
      if (next === undefined) throw new Error(`${pressed.name} closed the viewer.`);
      current = next;
    }
  return current;
}

function screen(state: ViewState): string {
  return stripVTControlCharacters(draw(state, size).lines.join("\n"));
}

describe("the viewer", () => {
  test("starts with the summary and turns to the rollouts", () => {
    expect(screen(after(""))).toContain("reward");
    expect(screen(after("n"))).toContain("rollout 1 of 4");
    expect(screen(after("right right left"))).toContain("rollout 1 of 4");
    expect(screen(after("n p"))).toContain("3 scored, 1 failed");
  });

  test("shows a notice at either end", () => {
    expect(after("n n n n n")).toMatchObject({ page: 4, notice: "This is the last rollout." });
    expect(after("p").notice).toContain("This is the summary");
  });

  test("goes to a rollout by number", () => {
    expect(after("g <3> return").page).toBe(3);
    expect(after("g <9> return").notice).toBe("There is no rollout 9. Enter a number from 1 to 4.");
    expect(after("g <x> escape")).toMatchObject({ page: 0, prompt: undefined });
  });

  test("filters by an expression and clears the filter", () => {
    const filtered = after("/ <right==0> return");
    expect(filtered.selected).toEqual([rollouts[1]]);
    expect(screen(filtered)).toContain("1 of 4 rollouts · right==0");
    expect(after("escape", filtered).selected).toHaveLength(4);
    expect(after("/ C-u return", filtered).selected).toHaveLength(4);
  });

  test("reopens the prompt with an invalid expression and shows the error", () => {
    const invalid = after("/ <rihgt==0> return");
    expect(invalid.prompt?.text).toBe("rihgt==0");
    expect(screen(invalid)).toContain("Did you mean right?");
    expect(after("C-u <right==1> return", invalid).selected).toEqual([rollouts[0]]);
  });

  test("shows failed rollouts with the causes of their errors", () => {
    const failed = after("f");
    expect(failed.selected).toEqual([rollouts[2]]);
    expect(screen(failed)).toContain("failed (model): The server has closed.");
    expect(screen(failed)).toContain("caused by TypeError: fetch failed");
    expect(after("f", failed).selected).toHaveLength(4);
  });

  test("stays at the current rollout if it matches a new filter", () => {
    const filtered = after("g <4> return / <right==0.5> return");
    expect(filtered.selected[filtered.page - 1]).toBe(rollouts[3]);
    expect(after("escape", filtered).page).toBe(4);
  });

  test("shortens long messages until a is pressed", () => {
    const shortened = after("g <2> return");
    expect(screen(after("end", shortened))).toContain("36 more lines, press a to show all");
    expect(screen(after("a end", shortened))).toContain("line 59");
  });

  test("scrolls with the space bar to the end of a rollout, then goes to the next", () => {
    const second = after("g <2> return a");
    const end = after("space space space", second);
    expect(screen(end)).toContain("line 59");
    expect(after("space", end).page).toBe(3);
  });

  test("does not scroll past either end", () => {
    const second = after("g <2> return a");
    expect(after("up pageup home", second).scroll).toBe(0);
    expect(screen(after("end down pagedown up down", second))).toContain("line 59");
  });

  test("closes on q and Ctrl-C, also from help and prompts", () => {
    const { extent } = draw(after(""), size);
    expect(press(after("n"), key("q"), extent)).toBeUndefined();
    expect(press(after("/"), key("C-c"), extent)).toBeUndefined();
    expect(press(after("?"), key("q"), extent)).toBeUndefined();
    expect(after("? x").isHelp).toBe(false);
  });

  test("draws exactly one line per row and none wider than the terminal, for any keys", () => {
    const run = viewedRun([
      ...rollouts,
      playedRollout(4, 1, [
        { role: "assistant", content: "漢字🎲 \u001B[31m ".repeat(40), reasoning_content: "hm\t" },
        { role: "tool", tool_call_id: "1", content: "x".repeat(500) },
      ]),
    ]);
    const names =
      "n p f a g / ? s space up down end home pagedown return escape backspace C-u 1 x q j k";
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...names.split(" ")), { maxLength: 30 }),
        fc.integer({ min: 20, max: 140 }),
        fc.integer({ min: 2, max: 60 }),
        (keys, columns, rows) => {
          let state: ViewState | undefined = startState(run, {});
          for (const name of keys) {
            if (state === undefined) return;
            const { lines, extent } = draw(state, { columns, rows });
            expect(lines).toHaveLength(rows);
            for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(columns);
            state = press(state, key(name), extent);
          }
        },
      ),
    );
  });
});
