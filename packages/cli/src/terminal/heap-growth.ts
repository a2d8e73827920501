import v8 from "node:v8";

const youngBytes = 32e6;

/**
 * Makes V8 collect garbage before it asks for more memory: the young generation stops at about 32 MB instead of 134, and the old
 * one grows by half of what survived. This costs no measurable processor time. Only a program may decide it, not a library.
 */
export function limitHeapGrowth(): void {
  v8.setFlagsFromString("--heap-growing-percent=50");
  // V8 reads the maximum of the young generation before any code runs, but its factor at each growth.
  const timer = setInterval(() => {
    const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < youngBytes) return;
    v8.setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, 50);
  timer.unref();
}
