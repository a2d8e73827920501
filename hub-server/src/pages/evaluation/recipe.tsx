import type { Run } from "@envs/hub-client";
import type { ReactNode } from "react";

/** Everything that another user needs to repeat a run. */
export function Recipe({ run: { recipe, contentHash } }: { readonly run: Run }): ReactNode {
  const name = `${recipe.package}@${recipe.version}`;
  return (
    <dl className="run-recipe">
      <dt>Environment</dt>
      <dd>
        <a className="name" href={`/package/${recipe.package}/v/${recipe.version}`}>
          {name}
        </a>
      </dd>
      <dt>Integrity</dt>
      <dd>
        <code>{recipe.integrity}</code>
      </dd>
      <dt>Config</dt>
      <dd>
        <Json value={recipe.config} />
      </dd>
      <dt>Model</dt>
      <dd>
        <code>{recipe.model}</code>
      </dd>
      <dt>Sampling</dt>
      <dd>
        <Json value={recipe.sampling} />
      </dd>
      <dt>Seed</dt>
      <dd>{recipe.seed ?? "none"}</dd>
      <dt>Split</dt>
      <dd>{recipe.split ?? "the default"}</dd>
      <dt>Examples</dt>
      <dd>
        set <code>{recipe.exampleSet}</code>
      </dd>
      <dt>Passes from</dt>
      <dd>a reward of {recipe.passThreshold}</dd>
      <dt>Driver</dt>
      <dd>
        {recipe.driver}, core {recipe.coreVersion}
      </dd>
      {recipe.price !== null && (
        <>
          <dt>Prices</dt>
          <dd>{pricesText(recipe.price)}</dd>
        </>
      )}
      <dt>Details</dt>
      <dd>
        <Json value={recipe.details} />
      </dd>
      <dt>Content</dt>
      <dd>
        <code>sha256:{contentHash}</code>
      </dd>
    </dl>
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
