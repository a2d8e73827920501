import { execFileSync } from "node:child_process";

import { expect, test } from "vitest";

const module = new URL("../../src/terminal/heap-growth.ts", import.meta.url).href;

/** Keeps objects for a while, and prints the bytes of V8's young generation. */
const program = (start: string) => `
  import v8 from "node:v8";
  import { setTimeout } from "node:timers/promises";
  ${start}
  for (let round = 0; round < 16; round += 1) {
    const kept = Array.from({ length: 150_000 }, (_, index) => ({ index }));
    await setTimeout(10, kept);
  }
  console.log(v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space").space_size);`;

const sizeAfter = (start: string) =>
  Number(execFileSync(process.execPath, ["--input-type=module", "-e", program(start)]).toString());

test("the young generation of a command stops growing", () => {
  const limited = sizeAfter(`import { limitHeapGrowth } from "${module}"; limitHeapGrowth();`);
  expect(limited).toBeLessThanOrEqual(sizeAfter("") / 2);
});
