import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { FailureError } from "@envs/cli/kit";
import { configSchema, describeSeats, type LoadedEnvironment } from "@envs/cli/kit/environments";
import type { Environment } from "@envs/core";
import {
  describeScores,
  maxTurnsOf,
  policyNamesOf,
  splitSizesOf,
  toolSpecsOf,
} from "@envs/core/engine";
import { findCheckpoint } from "@envs/tiny-model/node";
import { readAsset, readAssets } from "@envs/web";
import type { PlayerProps } from "@envs/web/player";

import { bundleEnvironment } from "../bundle/bundle-environment.ts";

/** A response of the server, which serves only such files. */
export interface ServedFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

const assetPrefix = "/assets";
const data = { "content-type": "application/octet-stream", "x-content-type-options": "nosniff" };

/**
 * The files of the page on which a person plays an environment of this machine, by path. Bundles the environment, and throws
 * a `FailureError` if it only runs in Node.
 */
export async function playFiles(
  loaded: Pick<LoadedEnvironment, "module" | "root" | "reference">,
  environment: Environment,
): Promise<ReadonlyMap<string, ServedFile>> {
  if (loaded.module.startsWith("data:"))
    throw new FailureError(
      `${loaded.reference} has no module that a browser could load. Write the mix as a module and pass its path, or play it on a server: envs serve "${loaded.reference}".`,
    );
  const file = fileURLToPath(loaded.module);
  const bundle = await bundleEnvironment(file, loaded.root ?? dirname(file));
  if (bundle.problem !== undefined)
    throw new FailureError(
      `${environment.name} cannot run in a browser: ${bundle.problem} Play it on a server instead: envs serve ${loaded.reference}.`,
    );
  const { definition, name } = environment;
  const model = await modelOf(name);
  const assets = readAssets();
  // In a clone, the page is built with the assets.
  const { playerPage, sandboxPage } = await import("@envs/web/player-page");
  const props: PlayerProps = {
    name,
    source: {
      kind: "bundle",
      codeUrl: "/bundle",
      sha256: createHash("sha256").update(bundle.code).digest("hex"),
      frameUrl: "/sandbox",
    },
    scores: describeScores(definition),
    splits: await splitSizesOf(environment),
    tools: toolSpecsOf(environment) ?? [],
    maxTurns: maxTurnsOf(environment),
    policies: policyNamesOf(environment),
    seats: describeSeats(environment),
    config: configSchema(definition),
    models:
      model === undefined
        ? []
        : [
            {
              name,
              url: "/model",
              scriptUrl: `${assetPrefix}/${assets.script("tiny-player").at(-1)}`,
            },
          ],
  };
  const page = playerPage({
    title: name,
    description: definition.description,
    links: [],
    props,
    assetPrefix,
  });
  const sandbox = sandboxPage();
  return new Map<string, ServedFile>([
    ["/", { headers: page.headers, body: page.html }],
    ["/sandbox", { headers: sandbox.headers, body: sandbox.html }],
    ["/bundle", { headers: data, body: bundle.code }],
    ...(model === undefined ? [] : ([["/model", { headers: data, body: model }]] as const)),
    ...assets.files.map((asset) => [`${assetPrefix}/${asset}`, assetFile(asset)] as const),
  ]);
}

/** The tiny model that is named after the environment, if one is installed. */
async function modelOf(name: string): Promise<Uint8Array | undefined> {
  try {
    const { path } = await findCheckpoint(name);
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function assetFile(asset: string): ServedFile {
  const { type, bytes } = readAsset(asset);
  return { headers: { ...data, "content-type": type }, body: bytes };
}
