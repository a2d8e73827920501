/** Calls `onFirst` and aborts the signal at the first SIGINT or SIGTERM. The second one ends the process. */
export function onInterrupt(onFirst: () => void): { signal: AbortSignal; dispose: () => void } {
  const controller = new AbortController();
  const handle = (): void => {
    if (controller.signal.aborted) process.exit(1);
    onFirst();
    controller.abort(new Error("interrupted"));
  };
  process.on("SIGINT", handle).on("SIGTERM", handle);
  return {
    signal: controller.signal,
    dispose: () => void process.off("SIGINT", handle).off("SIGTERM", handle),
  };
}
