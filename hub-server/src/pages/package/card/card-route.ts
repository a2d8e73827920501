import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { EnvironmentManifest } from "@envs/hub-client";
import { initWasm, Resvg } from "@resvg/resvg-wasm";
import type { FastifyInstance } from "fastify";

import { findPackage } from "../../../access/permissions/require-package.ts";
import { packageDetail } from "../../../api/package-detail.ts";
import { leaderboardOf } from "../../../evaluations/leaderboard/leaderboard.ts";
import { notFound } from "../../../platform/errors/hub-error.ts";
import { packageRoute } from "../../../platform/http/package-route.ts";
import type { Hub } from "../../../platform/hub/hub.ts";
import { sendCached } from "../../layout/public-page.ts";
import { type CardContent, cardSvg } from "./card.tsx";

/** Serves the pictures of public packages that other sites show beside a link. All visitors get the public one. */
export function cardRoute(app: FastifyInstance, hub: Hub): void {
  packageRoute(app, "GET /package/:package/card.png", (name, request, reply) =>
    sendCached(hub, request, reply, {
      type: "image/png",
      make: async () => await svgToPng(cardSvg(await contentOf(hub, name))),
    }),
  );
}

/** The path of a package's picture. */
export function cardPath(name: string): string {
  return `/package/${name}/card.png`;
}

async function contentOf(hub: Hub, name: string): Promise<CardContent> {
  const { database, clock } = hub;
  const found = await findPackage(database, { identity: undefined, name, permission: "read" });
  if (found?.isAllowed !== true) throw notFound(name);
  const detail = await packageDetail(database, found.package, clock());
  const { description, environment, latest } = detail;
  const about = {
    name,
    version: latest ?? "",
    description: environment?.description ?? description,
  };
  const board = await leaderboardOf(hub, { packageId: found.package.id, identity: undefined });
  const rows = board.rows.flatMap(({ rank, run: { recipe, summary } }) => {
    const { reward: mean } = summary.ranked;
    return rank === null || mean === null
      ? []
      : [{ label: recipe.model, value: mean.toFixed(3), share: mean }];
  });
  if (rows.length > 0) return { ...about, heading: "Best mean rewards", rows };
  return { ...about, ...weightsOf(environment?.scores ?? []) };
}

/** The weights of the scores, which the picture shows if there are no evaluations. */
function weightsOf(scores: EnvironmentManifest["scores"]): Pick<CardContent, "heading" | "rows"> {
  const sum = scores.reduce((total, { weight }) => total + Math.abs(weight), 0) || 1;
  return {
    heading: "Scores and their weights",
    rows: scores.map(({ name, weight }) => ({
      label: name,
      value: String(weight),
      share: Math.abs(weight) / sum,
    })),
  };
}

const { resolve } = createRequire(import.meta.url);
const fontFile = "@fontsource/public-sans/files/public-sans-latin";

let fonts: Promise<readonly Uint8Array[]> | undefined;

/** Renders an SVG as PNG in its own size. The bundled font makes the picture the same on every machine. */
async function svgToPng(svg: string): Promise<Buffer> {
  fonts ??= loadFonts();
  const image = new Resvg(svg, {
    font: { fontBuffers: [...(await fonts)], defaultFontFamily: "Public Sans" },
  });
  const rendered = image.render();
  const png = Buffer.from(rendered.asPng());
  rendered.free();
  image.free();
  return png;
}

async function loadFonts(): Promise<readonly Uint8Array[]> {
  // The library belongs to the process: an earlier attempt, or another copy of this module, may have initialised it.
  await initWasm(await readFile(resolve("@resvg/resvg-wasm/index_bg.wasm"))).catch(
    (error: unknown) => {
      if (!(error instanceof Error && error.message.startsWith("Already initialized"))) throw error;
    },
  );
  return Promise.all(
    [400, 600].map((weight) => readFile(resolve(`${fontFile}-${weight}-normal.woff2`))),
  );
}
