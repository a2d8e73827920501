import { afterAll, beforeAll, expect, test } from "vitest";

import { type Chromium, startBrowser, type Tab } from "./support/chromium.ts";
import { seedCatalogue } from "./support/seed-catalogue.ts";
import { sharedHub, sharedUser } from "./support/shared-hub.ts";

const server = sharedHub("embedded", { HUB_LIMITS: "off" });
const ada = sharedUser(server, "ada");
let chromium: Chromium;

beforeAll(async () => {
  chromium = await startBrowser();
  await seedCatalogue(server.hub, ada);
});

afterAll(() => chromium.close());

const slowdown = 4;
const rounds = 3;

/** What a page loads over the network, in bytes after compression, and when it first shows something. */
interface Cost {
  readonly scriptBytes: number;
  readonly styleBytes: number;
  readonly pageBytes: number;
  readonly requests: number;
  readonly firstRenderMs: number;
}

const kilobyte = 1000;
const common: Omit<Cost, "scriptBytes"> = {
  styleBytes: 25 * kilobyte,
  pageBytes: 60 * kilobyte,
  requests: 12,
  firstRenderMs: 1500,
};

/** Pages without islands load the script of every page only. */
const withoutReact = { ...common, scriptBytes: 5 * kilobyte };
const withReact = { ...common, scriptBytes: 200 * kilobyte };

test.each([
  ["/", withoutReact],
  ["/search", withReact],
  ["/package/@ada/tictactoe", withReact],
  ["/package/@ada/tictactoe/versions", withReact],
  ["/status", withoutReact],
  ["/sign-in", withoutReact],
])("%s stays within its budget", async (path, budget) => {
  const costs: Cost[] = [];
  for (let round = 0; round < rounds; round += 1) costs.push(await costOf(path));
  const best = costs.reduce((a, b) => (b.firstRenderMs < a.firstRenderMs ? b : a));
  process.stdout.write(`${path}: ${figures(best)}\n`);
  const excess = Object.entries(best).filter(([name, value]) => value > budget[name as keyof Cost]);
  expect([path, excess]).toEqual([path, []]);
});

/** Loads a page in a browser without a cache, on a processor that is slowed down. */
async function costOf(path: string): Promise<Cost> {
  const context = await chromium.newContext();
  const tab = await context.newPage();
  try {
    const transfers = await recordTransfers(tab);
    await tab.goto(`${server.url}${path}`, { waitUntil: "networkidle" });
    const paint = `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Infinity`;
    return { ...transfers(), firstRenderMs: await tab.evaluate<number>(paint) };
  } finally {
    await context.close();
  }
}

async function recordTransfers(tab: Tab): Promise<() => Omit<Cost, "firstRenderMs">> {
  const session = await tab.context().newCDPSession(tab);
  const types = new Map<string, string>();
  const bytes: Record<string, number> = {};
  session.on("Network.responseReceived", ({ requestId, type }) => types.set(requestId, type));
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const type = types.get(requestId) ?? "";
    bytes[type] = (bytes[type] ?? 0) + encodedDataLength;
  });
  await session.send("Network.enable");
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown });
  return () => ({
    scriptBytes: bytes["Script"] ?? 0,
    styleBytes: bytes["Stylesheet"] ?? 0,
    pageBytes: bytes["Document"] ?? 0,
    requests: types.size,
  });
}

function figures({ scriptBytes, styleBytes, pageBytes, requests, firstRenderMs }: Cost): string {
  const [script, style, page] = [scriptBytes, styleBytes, pageBytes].map(
    (bytes) => `${(bytes / kilobyte).toFixed(1)} kB`,
  );
  return `JavaScript ${script}, CSS ${style}, HTML ${page}, ${requests} requests, first render ${Math.round(firstRenderMs)} ms`;
}
