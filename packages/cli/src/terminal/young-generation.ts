import v8 from "node:v8";

const maxBytes = 32e6;

/**
 * Stops the growth of V8's young generation at about 32 MB, where V8 lets it grow to 134 MB, even if few objects survive. More
 * saves no processor time. Only the command itself can do this, since the limit that V8 has for it is an option of `node`.
 */
export function limitYoungGeneration(): void {
  const timer = setInterval(() => {
    const space = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (space === undefined || space.space_size < maxBytes) return;
    v8.setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, 50);
  timer.unref();
}
