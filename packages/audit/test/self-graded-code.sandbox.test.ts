// Code in Python that grades itself, which needs bubblewrap.
import { defineEnvironment } from "@envs/core";
import { gradeCode, python, type Sandbox } from "@envs/sandbox";
import { expect, test } from "vitest";

import { findingsOf } from "./support.ts";

const sandboxes = python();
const tests = "assert candidate(2) == 6\nassert candidate(-1) == -3";

/** The model completes a function, whose body the prompt lacks. */
const completion = (name: string, passes: (code: string) => Promise<boolean>) =>
  defineEnvironment({
    name,
    dataset: () => [{ prompt: 'def triple(x):\n    """Returns 3 * x."""\n' }],
    rubric: { passes: ({ reply, example }) => passes(`${example.prompt}${reply}`) },
    policies: { right: () => "    return 3 * x" },
  });

test("finds Python whose tests run in the module of the model's code", async () => {
  const inside = completion("inside", async (code) => {
    const sandbox: Sandbox = await sandboxes.create();
    const { exitCode } = await sandbox.run(`${code}\ncandidate = triple\n${tests}`);
    await sandbox[Symbol.asyncDispose]();
    return exitCode === 0;
  });
  expect(await findingsOf(inside, ["self-graded-code"])).toEqual([
    "self-graded-code:equals-everything",
    "self-graded-code:replaces-functions",
    "self-graded-code:prints-success",
  ]);
});

test("accepts Python that gradeCode() tests", async () => {
  const outside = completion("outside", async (code) => {
    const { passed } = await gradeCode(sandboxes, { code, name: "triple", tests });
    return passed.every(Boolean);
  });
  expect(await findingsOf(outside, ["self-graded-code"])).toEqual([]);
});
