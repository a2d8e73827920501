import { expect, test, vi } from "vitest";

test("queue.ts prints its expected output", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("../queue.ts");
  expect(log.mock.calls).toEqual([["26 wins; the worker played 40 rollouts, 0 failed"]]);
});
