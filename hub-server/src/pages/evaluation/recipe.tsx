import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

import { Facts, NameLink } from "../layout/elements.tsx";

/** Everything that another user needs to repeat a run. */
export function Recipe({ run: { recipe, contentHash } }: { readonly run: Run }): ReactNode {
  const path = `/package/${recipe.package}/v/${recipe.version}`;
  return (
    <Facts
      className="run-recipe"
      facts={[
        ["Environment", <NameLink href={path}>{`${recipe.package}@${recipe.version}`}</NameLink>],
        ["Integrity", <code>{recipe.integrity}</code>],
        ["Config", <Json value={recipe.config} />],
        ["Model", <code>{recipe.model}</code>],
        ["Sampling", <Json value={recipe.sampling} />],
        ["Seed", recipe.seed ?? "none"],
        ["Split", recipe.split ?? "the default"],
        ["Examples", ["set ", <code key="set">{recipe.exampleSet}</code>]],
        ["Declared", recipe.declaration === null ? "no" : <code>{recipe.declaration}</code>],
        ["Passes from", `a reward of ${recipe.passThreshold}`],
        ["Driver", `${recipe.driver}, core ${recipe.coreVersion}`],
        ["Prices", recipe.price === null ? undefined : pricesText(recipe.price)],
        ["Details", <Json value={recipe.details} />],
        ["Content", <code>sha256:{contentHash}</code>],
      ]}
    />
  );
}

function pricesText({
  input,
  output,
  cacheRead,
  cacheWrite,
  source,
}: NonNullable<Run["recipe"]["price"]>): string {
  const prices = [
    `${input} in`,
    `${output} out`,
    ...(cacheRead === undefined ? [] : [`${cacheRead} read from a cache`]),
    ...(cacheWrite === undefined ? [] : [`${cacheWrite} written to a cache`]),
  ];
  return `${prices.join(", ")}, for each million tokens${source === undefined ? "" : `; by ${source}`}`;
}

function Json({ value }: { readonly value: Readonly<Record<string, unknown>> }): ReactNode {
  const text = JSON.stringify(value);
  if (text === "{}") return <span className="quiet">none</span>;
  if (text.length < 200) return <code>{text}</code>;
  return (
    <details>
      <summary>{Object.keys(value).join(", ").slice(0, 120)}</summary>
      <pre tabIndex={0}>{JSON.stringify(value, undefined, 2)}</pre>
    </details>
  );
}
