import { expect, test, vi } from "vitest";

test("tiny-model.ts plays, and hardly loses", async () => {
  const lines: string[] = [];
  vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
  await import("../tiny-model.ts");
  expect(lines).toHaveLength(1);
  // The last digits of probabilities depend on the processor, and so may the games.
  const [, lost] = /^lost (\d+) % of the games$/u.exec(lines[0]!)!;
  expect(Number(lost)).toBeLessThan(20);
});
