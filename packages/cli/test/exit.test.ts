import { HubRequestError } from "@envs/hub-client";
import { expect, test, vi } from "vitest";

import { report } from "../src/exit.ts";

test("what a hub says of a failure is printed, and not obeyed by the terminal", () => {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((text) => written.push(String(text)) > 0);
  try {
    const message = "\u001B]0;title\u0007\u001B[2Jgone";
    expect(report(new HubRequestError(message, { code: "x" }))).toBe(1);
  } finally {
    write.mockRestore();
  }
  expect(written.join("")).toMatch(/␛\]0;title␇␛\[2Jgone\n$/);
});
