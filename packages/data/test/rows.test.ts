import { expect, test } from "vitest";
import * as z from "zod";

import { localFile } from "../src/files/data-file.ts";
import { type Chunk, rowsOf } from "../src/rows.ts";

test("lets timers run while it reads rows that a condition leaves out", async () => {
  let hasTimerRun = false;
  const chunk: Chunk = {
    async *rows() {
      setTimeout(() => (hasTimerRun = true), 10);
      // oxlint-disable-next-line no-unmodified-loop-condition -- the timer changes it
      for (let n = 0; !hasTimerRun; n += 1) yield [n, { n }];
    },
    count: async () => Infinity,
    locationOf: (position) => `row ${position}`,
  };
  const files = [localFile("rows")];
  const schema = z.object({ n: z.number() });
  const format = async () => [chunk];
  const rows = rowsOf(
    () => files,
    () => format,
    { schema, where: { n: -1 } },
  );
  expect(await Array.fromAsync(rows)).toEqual([]);
});
