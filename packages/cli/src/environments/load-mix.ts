import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

import { ConfigError, mix } from "@envs/core";
import { contentHash } from "@envs/core/engine";

import type { HubVersions } from "./hub-versions.ts";
import type { LoadedEnvironment } from "./loaded-environment.ts";

/** Mixes loaded environments. Throws a `ConfigError` if two have the same name. */
export function loadMix(
  reference: string,
  parts: readonly LoadedEnvironment[],
  weights: readonly number[],
): LoadedEnvironment {
  const names = parts.map(({ factory }) => factory.definition.name);
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined)
    throw new ConfigError(
      `${reference} has two environments named ${duplicate}. Write a module that gives each part a name, and pass its path: export default mix({ name: "…", parts: { easy: { environment: … }, hard: { environment: … } } }).`,
    );
  const name = names.join("-");
  const mixed = parts.map(({ factory }, index) => {
    return [names[index]!, { environment: factory, weight: weights[index] }] as const;
  });
  return {
    factory: mix({ name, parts: Object.fromEntries(mixed) }) as LoadedEnvironment["factory"],
    reference,
    versions: Object.assign({}, ...parts.map(({ versions }) => versions)) as HubVersions,
    module: moduleOf(name, parts, weights),
    root: undefined,
    packageName: undefined,
    version: undefined,
    contentHash: contentHash(parts.map((part) => part.contentHash)),
    isStale: parts.some(({ isStale }) => isStale),
    parts: Object.fromEntries(parts.map((part, index) => [names[index]!, part])),
  };
}

/** The URL of a module that exports the mix, from which other processes load it. */
function moduleOf(
  name: string,
  parts: readonly LoadedEnvironment[],
  weights: readonly number[],
): string {
  const core = pathToFileURL(createRequire(import.meta.url).resolve("@envs/core")).href;
  const imports = [`import { mix } from ${JSON.stringify(core)};`].concat(
    parts.map(({ module }, index) => `import part${index} from ${JSON.stringify(module)};`),
  );
  const entries = parts.map(({ factory }, index) => {
    const key = JSON.stringify(factory.definition.name);
    return `${key}: { environment: part${index}, weight: ${weights[index]} }`;
  });
  const code = `${imports.join("\n")}\nexport default mix({ name: ${JSON.stringify(name)}, parts: { ${entries.join(", ")} } });\n`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
