import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeScores, maxTurnsOf, policyNamesOf, splitSizesOf } from "@envs/core/engine";
import tictactoe from "@envs/tictactoe";
import { findCheckpoint } from "@envs/tiny-model/node";
import { assetsFolder, readAssets } from "@envs/web";
import { playerPage, sandboxPage } from "@envs/web/player-page";

import { root, siteFolder } from "./folders.ts";

const path = "/docs/play";

/**
 * Writes a page with a game into the site: the player of the hub, the bundle of the environment and a tiny model. Another page
 * shows it in a frame.
 */
export async function writeGame(): Promise<void> {
  const folder = join(siteFolder, "play");
  const bundle = readFileSync(join(root, "environments/tictactoe/dist/envs.bundle.js"));
  const assets = readAssets();
  const environment = tictactoe();
  const { definition } = environment;
  const model = await findCheckpoint("tictactoe", import.meta.dirname);
  const page = playerPage({
    title: "tic-tac-toe",
    links: [],
    assetPrefix: `${path}/assets`,
    props: {
      name: "tictactoe",
      source: {
        kind: "bundle",
        codeUrl: `${path}/environment.js`,
        sha256: createHash("sha256").update(bundle).digest("hex"),
        frameUrl: `${path}/sandbox`,
      },
      scores: describeScores(definition),
      splits: await splitSizesOf(environment),
      tools: [],
      maxTurns: maxTurnsOf(environment),
      policies: policyNamesOf(environment),
      seats: Object.entries(definition.seats?.players ?? {}).map(
        ([name, { description, policy }]) => {
          return { name, description, policy };
        },
      ),
      config: {},
      models: [
        {
          name: "tictactoe",
          url: `${path}/model.safetensors`,
          scriptUrl: `${path}/assets/${assets.script("tiny-player").at(-1)}`,
        },
      ],
    },
  });
  const sandbox = sandboxPage();
  mkdirSync(folder, { recursive: true });
  cpSync(assetsFolder, join(folder, "assets"), { recursive: true });
  cpSync(model.path, join(folder, "model.safetensors"));
  writeFileSync(join(folder, "environment.js"), bundle);
  // Drops the header, because the page around the frame has one.
  const html = page.html.replace(/<header.*?<\/header>/s, "");
  writeFileSync(join(folder, "tictactoe.html"), withPolicy({ ...page, html }));
  writeFileSync(join(folder, "sandbox.html"), withPolicy(sandbox));
}

/** Puts the policy into the page, so that it also holds on servers that do not send it. */
function withPolicy({ html, headers }: ReturnType<typeof sandboxPage>): string {
  const policy = (headers["content-security-policy"] ?? "")
    .split("; ")
    // Omits two directives, which browsers ignore in a page; the server sends them.
    .filter((directive) => !/^(?:frame-ancestors|sandbox)\b/.test(directive))
    .join("; ");
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  return html.replace(/<meta charset="utf-8"\s*\/?>/i, (charset) => charset + meta);
}
