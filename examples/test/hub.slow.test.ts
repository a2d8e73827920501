import { expect, test, vi } from "vitest";

test("hub.ts prints its expected output", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("../hub.ts");
  expect(log.mock.calls).toEqual([["a new hub has 0 environments and 0 versions"]]);
});
