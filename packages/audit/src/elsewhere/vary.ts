import { createRequire, syncBuiltinESMExports } from "node:module";
import type * as operatingSystem from "node:os";

import type { Variation } from "./task.ts";

/** Environment variables that differ between processes. */
export const variables: Readonly<Record<Variation, NodeJS.ProcessEnv>> = {
  same: {},
  timezone: { TZ: "Pacific/Kiritimati" },
  locale: { LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8", LANGUAGE: "tr" },
  clock: {},
  cpus: {},
};

/** The shift of the clock: more than a year and several hours, so that year, month, weekday and hour change. */
const shift = (400 * 24 + 7) * 3_600_000;

/** Changes what environment variables cannot change, before the environment's module is loaded. */
export function vary(variation: Variation): void {
  if (variation === "clock") shiftClock();
  if (variation === "cpus") changeCpus();
}

function shiftClock(): void {
  const RealDate = Date;
  class ShiftedDate extends RealDate {
    constructor(...parts: readonly unknown[]) {
      super(...((parts.length === 0 ? [RealDate.now() + shift] : parts) as [number]));
    }
    static override now(): number {
      return RealDate.now() + shift;
    }
  }
  globalThis.Date = ShiftedDate as unknown as DateConstructor;
}

function changeCpus(): void {
  const os = createRequire(import.meta.url)("node:os") as {
    -readonly [Key in keyof typeof operatingSystem]: (typeof operatingSystem)[Key];
  };
  const [cpu] = os.cpus();
  const count = os.availableParallelism() === 1 ? 7 : 1;
  os.availableParallelism = () => count;
  os.cpus = () => (cpu === undefined ? [] : Array.from({ length: count }, () => cpu));
  syncBuiltinESMExports();
}
