import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Figure } from "./figure.ts";
import { loadFigures } from "./hub/compare.ts";
import { generateEnvironment } from "./hub/environment.ts";
import type { LoadResult } from "./hub/load.ts";
import { ours } from "./hub/ours.ts";
import { publishDocument } from "./hub/package.ts";
import { runPublishLoad } from "./hub/publish-load.ts";
import type { Publisher } from "./hub/publishing.ts";
import { verdaccio, verdaccioWithSignedTokens } from "./hub/verdaccio.ts";
import { median } from "./rounds.ts";

const rounds = 3;
const loads = [
  { connections: 1, amount: 50 },
  { connections: 64, amount: 300 },
] as const;

/** Verdaccio as it is installed, and with tokens that it can check without a hash of the password. */
const peers = [verdaccio, verdaccioWithSignedTokens] as const;

/** Publishes new environments to our hub on its embedded database and to two Verdaccios, in alternation, after a warm-up round. */
export async function publishRates(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-publish-"));
  try {
    await using ourHub = await ours.start(join(folder, "ours"));
    await using stack = new AsyncDisposableStack();
    const publishers: Publisher[] = [{ url: ourHub.url, token: await ours.token(ourHub) }];
    for (const [index, peer] of peers.entries()) {
      const registry = stack.use(await peer.start(join(folder, `verdaccio-${index}`)));
      publishers.push({ url: registry.url, token: await peer.token(registry) });
    }
    const figures: Figure[] = [];
    for (const load of loads) figures.push(...(await compareLoad(load, publishers)));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let published = 0;

async function compareLoad(
  { connections, amount }: (typeof loads)[number],
  publishers: readonly Publisher[],
): Promise<readonly Figure[]> {
  /** For each round the results of the publishers. */
  const results: LoadResult[][] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const documents: string[] = [];
    while (documents.length < amount)
      documents.push(await publishDocument(await generateEnvironment((published += 1))));
    const publishTo = (publisher: Publisher): Promise<LoadResult> =>
      runPublishLoad({ ...publisher, documents, connections });
    const result: LoadResult[] = [];
    for (const publisher of publishers) result.push(await publishTo(publisher));
    if (round > 0) results.push(result);
  }
  const fastest = (publisher: number): LoadResult =>
    results
      .map((result) => result[publisher]!)
      .reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const name = `publish, ${connections} at once`;
  const figures = loadFigures(`${name}: ours`, fastest(0));
  for (const [index, peer] of peers.entries()) {
    const theirs = fastest(index + 1);
    figures.push(
      {
        name: `${name}: rate of ours / of ${peer.name}`,
        value: fastest(0).perSecond / theirs.perSecond,
        median: median(results.map((each) => each[0]!.perSecond / each[index + 1]!.perSecond)),
        unit: "×",
        aim: connections > 1 && peer === verdaccio ? { at: "least", value: 1 } : undefined,
      },
      ...loadFigures(`${name}: ${peer.name}`, theirs),
    );
  }
  return figures;
}
