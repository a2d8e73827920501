import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { Figure } from "./figure.ts";
import { loadFigures } from "./hub/compare.ts";
import { type LoadResult, runLoad } from "./hub/load.ts";
import { ours } from "./hub/ours.ts";
import { publishEnvironments, publishVersions } from "./hub/publishing.ts";
import { median } from "./rounds.ts";

const listSize = 200;
const rounds = 3;
const connections = 64;
const amount = 8000;
/** The minimum share of the packument's requests per second that we aim at. */
const aim = { at: "least", value: 0.5 } as const;

const pages = [
  { name: "home page", path: "/" },
  { name: "search page", path: "/search" },
  { name: "search page with words", path: "/search?q=game" },
  { name: "package page", path: "/package/@bench/versions" },
  { name: "feed", path: "/feed.atom" },
];

/** Compares the requests per second of the hub's pages with those of its packuments, in one process, for strangers. */
export async function pageReads(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), "envs-bench-pages-"));
  try {
    await using hub = await ours.start(folder);
    const publisher = { url: hub.url, token: await ours.token(hub), name: ours.name };
    await publishVersions([publisher], "@bench/versions", 20);
    await publishEnvironments([publisher], [0, listSize]);
    const load = (path: string): Promise<LoadResult> => {
      const headers = { "accept-encoding": "gzip, deflate, br" };
      return runLoad({ url: `${hub.url}${path}`, headers, connections, amount });
    };
    const figures: Figure[] = [];
    for (const page of pages) figures.push(...(await compareWithPackument(page, load)));
    return figures;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Loads the packument and the page in alternation, after a round that is not measured. */
async function compareWithPackument(
  { name, path }: (typeof pages)[number],
  load: (path: string) => Promise<LoadResult>,
): Promise<readonly Figure[]> {
  const results: { readonly page: LoadResult; readonly packument: LoadResult }[] = [];
  for (let round = 0; round <= rounds; round += 1)
    results.push({ packument: await load("/@bench%2fversions"), page: await load(path) });
  const measured = results.slice(1);
  const ratios = measured.map(({ page, packument }) => page.perSecond / packument.perSecond);
  const waits = measured.map(({ page, packument }) => page.p99 / packument.p99);
  const best = measured.reduce((a, b) => (b.page.perSecond > a.page.perSecond ? b : a));
  return [
    {
      name: `${name}: requests / those of a packument`,
      value: Math.max(...ratios),
      median: median(ratios.toSorted((a, b) => a - b)),
      unit: "×",
      aim,
    },
    {
      name: `${name}: p99 / that of a packument`,
      value: Math.min(...waits),
      median: median(waits.toSorted((a, b) => a - b)),
      unit: "×",
    },
    ...loadFigures(`${name}, ${connections} at once`, best.page),
  ];
}
