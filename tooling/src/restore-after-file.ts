import { afterAll, vi } from "vitest";

// Restores the process after each file, because files of some projects share a process.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
