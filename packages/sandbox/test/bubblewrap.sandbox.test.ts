import { setTimeout as sleep } from "node:timers/promises";

import { expect, test, vi } from "vitest";

import { killConfined, spawnConfined } from "../src/bubblewrap/spawn.ts";
import { sandboxProcesses } from "../src/doctor/processes.ts";

test("it ends a process at each moment of its start", async () => {
  for (let delay = 0; delay < 40; delay += 1) {
    const child = spawnConfined(
      {
        name: "endless",
        command: ["/bin/sh", "-c", "while true; do :; done"],
        readOnly: { "/bin": "/bin", "/lib": "/lib", "/lib64": "/lib64", "/usr": "/usr" },
      },
      ["ignore", "ignore", "ignore"],
    );
    await sleep(delay / 4);
    killConfined(child);
  }
  const running = () => sandboxProcesses().filter(({ name }) => name === "endless");
  await vi.waitFor(() => expect(running()).toEqual([]), { timeout: 120_000 });
});
