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
import { verdaccioWithSignedTokens as verdaccio } from "./hub/verdaccio.ts";
import { median } from "./rounds.ts";

const rounds = 3;
const loads = [
  { connections: 1, amount: 50 },
  { connections: 64, amount: 300 },
] as const;

/** Publishes new environments to our hub on its embedded database and to Verdaccio, in alternation, after a warm-up round. */
export async function publishRates(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-publish-"));
  try {
    await using ourHub = await ours.start(join(folder, "ours"));
    await using peer = await verdaccio.start(join(folder, "verdaccio"));
    const ourPublisher = { url: ourHub.url, token: await ours.token(ourHub) };
    const peerPublisher = { url: peer.url, token: await verdaccio.token(peer) };
    const figures: Figure[] = [];
    for (const load of loads)
      figures.push(...(await compareLoad(load, { ours: ourPublisher, theirs: peerPublisher })));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

let published = 0;

async function compareLoad(
  { connections, amount }: (typeof loads)[number],
  publishers: { readonly ours: Publisher; readonly theirs: Publisher },
): Promise<readonly Figure[]> {
  const results: { readonly ours: LoadResult; readonly theirs: LoadResult }[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const documents: string[] = [];
    while (documents.length < amount)
      documents.push(await publishDocument(await generateEnvironment((published += 1))));
    const publishTo = (publisher: Publisher): Promise<LoadResult> =>
      runPublishLoad({ ...publisher, documents, connections });
    const result = {
      ours: await publishTo(publishers.ours),
      theirs: await publishTo(publishers.theirs),
    };
    if (round > 0) results.push(result);
  }
  const fastest = (kind: "ours" | "theirs"): LoadResult =>
    results.map((result) => result[kind]).reduce((a, b) => (b.perSecond > a.perSecond ? b : a));
  const name = `publish, ${connections} at once`;
  return [
    {
      name: `${name}: rate of ours / of ${verdaccio.name}`,
      value: fastest("ours").perSecond / fastest("theirs").perSecond,
      median: median(results.map((result) => result.ours.perSecond / result.theirs.perSecond)),
      unit: "×",
      aim: connections === 1 ? undefined : { at: "least", value: 1 },
    },
    ...loadFigures(`${name}: ours`, fastest("ours")),
    ...loadFigures(`${name}: ${verdaccio.name}`, fastest("theirs")),
  ];
}
