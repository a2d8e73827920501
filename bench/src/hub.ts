import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Figure } from "./figure.ts";
import { compare, loadFigures } from "./hub/compare.ts";
import { searchWords } from "./hub/environment.ts";
import { runLoad } from "./hub/load.ts";
import { ours } from "./hub/ours.ts";
import { publishEnvironments, publishFigures, publishVersions } from "./hub/publishing.ts";
import { type Registry, type RegistryKind, residentMemory } from "./hub/registry.ts";
import { startUpFigures } from "./hub/start-up.ts";
import { verdaccio, verdaccioWithSignedTokens } from "./hub/verdaccio.ts";

const [listSize, searchSize] = [1000, 10_000];
const abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

/** Compares our hub on its embedded database with Verdaccio, in alternation. Each has its own process. */
export async function hub(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-hub-"));
  const folderFor = (kind: RegistryKind): string => join(folder, kind.name);
  try {
    return [...(await compareRegistries(folderFor)), ...(await startUpFigures(folderFor))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function compareRegistries(folderFor: (kind: RegistryKind) => string): Promise<Figure[]> {
  await using ourHub = await ours.start(folderFor(ours));
  await using peer = await verdaccio.start(folderFor(verdaccio));
  const ourPublisher = { url: ourHub.url, token: await ours.token(ourHub) };
  const { name } = verdaccio;
  const peerPublisher = { url: peer.url, token: await verdaccio.token(peer), name };
  const both = [ourPublisher, peerPublisher];
  await publishVersions(both, "@bench/versions", 20);
  const figures = [
    ...(await reads(ourHub, peer)),
    { name: "memory after load: ours", value: residentMemory(ourHub.child), unit: "MiB" },
    { name: "memory after load: Verdaccio", value: residentMemory(peer.child), unit: "MiB" },
  ];
  {
    const kind = verdaccioWithSignedTokens;
    await using signed = await kind.start(folderFor(kind));
    const signedPublisher = { url: signed.url, token: await kind.token(signed), name: kind.name };
    figures.push(...(await publishFigures(ourPublisher, [peerPublisher, signedPublisher])));
  }
  await publishEnvironments(both, [0, listSize]);
  figures.push(...(await lists(ourHub, peer)));
  await publishEnvironments([ourPublisher], [listSize, searchSize]);
  figures.push(...(await search(ourHub)));
  return figures;
}

async function reads(ourHub: Registry, peer: Registry): Promise<Figure[]> {
  const figures: Figure[] = [];
  const requests = [
    { name: "packument", path: "/@bench%2fversions", headers: {}, aim: 10 },
    {
      name: "abbreviated packument",
      path: "/@bench%2fversions",
      headers: { accept: abbreviated },
      aim: 10,
    },
    { name: "tarball", path: "/@bench/versions/-/versions-1.7.0.tgz", headers: {}, aim: 3 },
  ];
  for (const { name, path, headers, aim } of requests)
    for (const connections of [1, 64]) {
      const load = { headers, connections };
      figures.push(
        ...(await compare({
          name: `${name}, ${connections} at once`,
          ours: { ...load, url: `${ourHub.url}${path}`, amount: connections === 1 ? 3000 : 15_000 },
          theirs: { ...load, url: `${peer.url}${path}`, amount: connections === 1 ? 600 : 2500 },
          // With one connection, most of the time is the round trip.
          aim: connections > 1 ? aim : undefined,
        })),
      );
    }
  return figures;
}

async function lists(ourHub: Registry, peer: Registry): Promise<Figure[]> {
  const [path, amount] = ["/-/v1/search?text=bench&size=250", 100];
  return compare({
    name: `250 of ${listSize.toLocaleString("en")} packages, 64 at once`,
    ours: { url: `${ourHub.url}${path}`, connections: 64, amount: amount * 2 },
    theirs: { url: `${peer.url}${path}`, connections: 64, amount },
    aim: 1,
  });
}

/** Searches each word and each pair of neighbours once, so that a cache of responses does not help. */
async function search(ourHub: Registry): Promise<Figure[]> {
  const requests = searchWords.flatMap((word, index) => [
    { path: `/-/v1/search?text=${word}&size=20` },
    { path: `/-/v1/search?text=${word}%20${searchWords[index + 1] ?? "maze"}&size=20` },
  ]);
  const name = `search among ${searchSize.toLocaleString("en")} environments`;
  const load = { url: ourHub.url, requests, amount: requests.length };
  await runLoad({ ...load, connections: 1 });
  const single = await runLoad({ ...load, connections: 1 });
  return [
    {
      name: `${name}, p95, including the network`,
      value: single.p95,
      unit: "ms",
      aim: { at: "most", value: 20 },
    },
    ...loadFigures(`${name}, 64 at once`, await runLoad({ ...load, connections: 64 })),
  ];
}
