import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startBrowser, type Tab } from "@envs/hub-server/testing/chromium";
import { startViewerServer, Workspace, writeReport } from "@envs/viewer/node";

import type { Figure } from "./figure.ts";
import { rollouts, writeRun } from "./viewer/run.ts";

/** The size of the large run's records, of 20 kB each. */
const largeBytes = 200 * 2 ** 20;

/** Opens runs of 10,000 rollouts in Chromium: the time until they are listed, frames while they scroll, memory of the tab. */
export async function viewer(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-viewer-"));
  const workspace = new Workspace();
  const small = workspace.open(await writeRun(join(folder, "small"), 400));
  const large = workspace.open(await writeRun(join(folder, "large"), largeBytes / rollouts));
  const server = await startViewerServer({ workspace });
  const browser = await startBrowser();
  const measure = async (address: string) => {
    const tab = await browser.newPage({ locale: "en-US", viewport: { width: 1280, height: 900 } });
    await tab.goto("about:blank");
    const start = performance.now();
    await tab.goto(address);
    await tab.locator(".row").first().waitFor();
    const first = performance.now() - start;
    await tab.locator(".count", { hasText: "10,000 rollouts" }).waitFor();
    const all = performance.now() - start;
    const frames = await framesPerSecond(tab);
    const memory = await heapOf(tab);
    await tab.close();
    return { first: first / 1000, all: all / 1000, frames, memory };
  };
  try {
    const cold = await measure(`${server.url}#run=${small.id}`);
    const warm = await measure(`${server.url}#run=${small.id}`);
    const big = await measure(`${server.url}#run=${large.id}`);
    const report = join(folder, "report.html");
    const started = performance.now();
    await writeReport(report, { title: "bench", readers: [small] });
    const written = (performance.now() - started) / 1000;
    const file = await measure(`file://${report}`);
    return [
      {
        name: "first of 10,000 rollouts listed, file not read before",
        value: cold.first,
        unit: "s",
      },
      {
        name: "all of 10,000 listed, file not read before",
        value: cold.all,
        unit: "s",
        aim: { at: "most", value: 1 },
      },
      { name: "all of 10,000 listed, opened again", value: warm.all, unit: "s" },
      {
        name: "frames per second while they scroll",
        value: warm.frames,
        unit: "fps",
        aim: { at: "least", value: 55 },
      },
      { name: "first rollout of a 200 MiB run listed", value: big.first, unit: "s" },
      { name: "all rollouts of a 200 MiB run listed", value: big.all, unit: "s" },
      {
        name: "memory of the tab with a 200 MiB run",
        value: big.memory,
        unit: "MiB",
        aim: { at: "most", value: 100 },
      },
      { name: "report of 10,000 rollouts written", value: written, unit: "s" },
      { name: "all rollouts of the report listed", value: file.all, unit: "s" },
    ];
  } finally {
    await browser.close();
    await server.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Scrolls through the list for two seconds, a screen every second frame, and counts the frames. */
async function framesPerSecond(tab: Tab): Promise<number> {
  return await tab.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const list = document.querySelector(".rows")!;
        const start = performance.now();
        let frames = 0;
        const step = (): void => {
          frames += 1;
          list.scrollTop += 300;
          const elapsed = performance.now() - start;
          if (elapsed < 2000) requestAnimationFrame(step);
          else resolve((frames * 1000) / elapsed);
        };
        requestAnimationFrame(step);
      }),
  );
}

async function heapOf(tab: Tab): Promise<number> {
  const session = await tab.context().newCDPSession(tab);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  return usedSize / 2 ** 20;
}
