import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Figure } from "./figure.ts";
import { borneFigures, compare } from "./hub/compare.ts";
import { searchWords } from "./hub/environment.ts";
import { load } from "./hub/load.ts";
import { ours } from "./hub/ours.ts";
import { publishEnvironments, publishing, publishVersions } from "./hub/publishing.ts";
import { type Registry, type RegistryKind, residentMemory } from "./hub/registry.ts";
import { startUp } from "./hub/start-up.ts";
import { verdaccio, verdaccioWithSignedTokens } from "./hub/verdaccio.ts";

const [listed, searched] = [1000, 10_000];
const abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8, */*";

/** Our hub on its embedded database against Verdaccio, each in its own process, alternating. */
export async function hub(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-hub-"));
  const at = (kind: RegistryKind): string => join(folder, kind.name);
  try {
    return [...(await withBoth(at)), ...(await startUp(at))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function withBoth(at: (kind: RegistryKind) => string): Promise<Figure[]> {
  await using we = await ours.start(at(ours));
  await using they = await verdaccio.start(at(verdaccio));
  const us = { url: we.url, token: await ours.token(we) };
  const them = { url: they.url, token: await verdaccio.token(they), name: verdaccio.name };
  await publishVersions([us, them], "@bench/versions", 20);
  const figures = [
    ...(await reads(we, they)),
    { name: "memory after load: ours", value: residentMemory(we.child), unit: "MiB" },
    { name: "memory after load: Verdaccio", value: residentMemory(they.child), unit: "MiB" },
  ];
  {
    await using others = await verdaccioWithSignedTokens.start(at(verdaccioWithSignedTokens));
    const { name } = verdaccioWithSignedTokens;
    const token = await verdaccioWithSignedTokens.token(others);
    figures.push(...(await publishing(us, [them, { url: others.url, token, name }])));
  }
  await publishEnvironments([us, them], [0, listed]);
  figures.push(...(await lists(we, they)));
  await publishEnvironments([us], [listed, searched]);
  figures.push(...(await search(we)));
  return figures;
}

async function reads(we: Registry, they: Registry): Promise<Figure[]> {
  const figures: Figure[] = [];
  const asked = [
    { name: "packument", path: "/@bench%2fversions", headers: {}, aim: 10 },
    {
      name: "abbreviated packument",
      path: "/@bench%2fversions",
      headers: { accept: abbreviated },
      aim: 10,
    },
    { name: "tarball", path: "/@bench/versions/-/versions-1.7.0.tgz", headers: {}, aim: 3 },
  ];
  for (const { name, path, headers, aim } of asked)
    for (const connections of [1, 64]) {
      const one = { headers, connections };
      figures.push(
        ...(await compare({
          name: `${name}, ${connections} at once`,
          ours: { ...one, url: `${we.url}${path}`, amount: connections === 1 ? 3000 : 15_000 },
          theirs: { ...one, url: `${they.url}${path}`, amount: connections === 1 ? 600 : 2500 },
          // The time of a single request is mostly the round trip.
          ...(connections > 1 && { aim }),
        })),
      );
    }
  return figures;
}

async function lists(we: Registry, they: Registry): Promise<Figure[]> {
  const [path, amount] = ["/-/v1/search?text=bench&size=250", 100];
  const list = await compare({
    name: `250 of ${listed.toLocaleString("en")} packages, 64 at once`,
    ours: { url: `${we.url}${path}`, connections: 64, amount: amount * 2 },
    theirs: { url: `${they.url}${path}`, connections: 64, amount },
    aim: 1,
  });
  return list;
}

/** Each word once, then each pair of neighbours: none is asked so often that an answer would be kept. */
async function search(we: Registry): Promise<Figure[]> {
  const requests = searchWords.flatMap((word, index) => [
    { path: `/-/v1/search?text=${word}&size=20` },
    { path: `/-/v1/search?text=${word}%20${searchWords[index + 1] ?? "maze"}&size=20` },
  ]);
  const name = `search among ${searched.toLocaleString("en")} environments`;
  const asked = { url: we.url, requests, amount: requests.length };
  await load({ ...asked, connections: 1 });
  const alone = await load({ ...asked, connections: 1 });
  return [
    {
      name: `${name}, p95, including the network`,
      value: alone.p95,
      unit: "ms",
      aim: { at: "most", value: 20 },
    },
    ...borneFigures(`${name}, 64 at once`, await load({ ...asked, connections: 64 })),
  ];
}
