import { HubRequestError } from "@envs/hub-client";
import { expect, onTestFinished, test, vi } from "vitest";

import { FailureError, reportError, UsageError } from "../../src/terminal/errors.ts";

/** Captures what the test writes to stderr. */
function captureStderr(): readonly string[] {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  return written;
}

test("reportError returns 2 for a usage error and 1 for a failure", () => {
  const written = captureStderr();
  expect(reportError(new UsageError("wrong option"))).toBe(2);
  expect(reportError(new FailureError("no such file"))).toBe(1);
  expect(written.join("")).toMatch(/✗.* wrong option\n.*✗.* no such file\n$/s);
});

test("reportError prints the stack trace of an unexpected error", () => {
  const written = captureStderr();
  expect(reportError(new TypeError("x is undefined"))).toBe(1);
  expect(written.join("")).toMatch(/This is a bug in envs.*TypeError: x is undefined\n +at /s);
});

test("reportError escapes control characters in a hub's message", () => {
  const written = captureStderr();
  const message = "\u001B]0;title\u0007\u001B[2Jgone";
  expect(reportError(new HubRequestError(message, { code: "x" }))).toBe(1);
  expect(written.join("")).toMatch(/␛\]0;title␇␛\[2Jgone\n$/);
});

test("reportError names the command that explains a hub's error code", () => {
  const written = captureStderr();
  reportError(new HubRequestError("The version exists.", { code: "version-exists" }));
  expect(written.join("")).toMatch(/The version exists\.\nSee: envs explain version-exists\n$/);
});

test("reportError does not print an error code that is not a plain word", () => {
  const written = captureStderr();
  reportError(new HubRequestError("It failed.", { code: "\u001B[2J" }));
  expect(written.join("")).toMatch(/It failed\.\n$/);
});
