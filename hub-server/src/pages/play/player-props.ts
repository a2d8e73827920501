import type { PlayerProps } from "@envs/web/player";

import { type PackageView, rawPath } from "../package/package-view.ts";

/** The path of the page that the sandboxed frame loads. */
export const sandboxPath = "/-/play/sandbox";

/** The data of a version for the player; `undefined` if its environment only runs in Node. */
export function playerProps(
  { version: { name, version, environment } }: PackageView,
  models: PlayerProps["models"],
): PlayerProps | undefined {
  const bundle = environment?.bundle;
  if (environment === null || bundle === undefined || !("path" in bundle)) return undefined;
  const { scores, splits, tools, policies, seats = [], config, maxTurns } = environment;
  return {
    name: environment.name,
    source: {
      kind: "bundle",
      codeUrl: `${rawPath(name, version)}/${bundle.path}`,
      sha256: bundle.sha256,
      frameUrl: sandboxPath,
    },
    scores,
    splits,
    tools: tools.map(({ name: tool, description, input }) => ({
      name: tool,
      description,
      parameters: input,
    })),
    policies,
    seats,
    config,
    maxTurns,
    models,
  };
}
