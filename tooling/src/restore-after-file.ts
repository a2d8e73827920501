import { afterAll, vi } from "vitest";

// Files of some projects share a process. Each leaves it as it was.
afterAll(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
