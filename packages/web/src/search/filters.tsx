import type { SearchResults } from "@envs/hub-client";
import type { ReactNode } from "react";

import { kindLabel } from "../package-list/labels.ts";
import type { ListName, Search, SearchState } from "./search-state.ts";

type Facet = SearchResults["facets"]["kinds"];
type FacetName = Exclude<keyof SearchResults["facets"], "evaluated" | "owners">;

const maxShownValues = 10;

const needLabels: Readonly<Record<string, string>> = {
  judge: "A judge model",
  node: "Node.js",
  sandbox: "A sandbox",
  "sub-model": "A sub-model",
};
const protocolLabels: Readonly<Record<string, string>> = {
  openenv: "OpenEnv",
  ors: "ORS",
  "nemo-gym": "NeMo Gym",
};

const groups: readonly {
  readonly name: ListName;
  readonly facet: FacetName;
  readonly title: string;
  readonly labelOf?: (value: string) => string;
}[] = [
  { name: "kind", facet: "kinds", title: "Interaction", labelOf: kindLabel },
  {
    name: "protocol",
    facet: "protocols",
    title: "Trainable over",
    labelOf: (value) => protocolLabels[value] ?? value,
  },
  {
    name: "need",
    facet: "needs",
    title: "Needs",
    labelOf: (value) => needLabels[value] ?? value,
  },
  { name: "tag", facet: "tags", title: "Tags" },
  { name: "tool", facet: "tools", title: "Tools" },
  { name: "license", facet: "licenses", title: "Licence" },
];

/** The filters of the search page, with the number of results for each value. */
export function Filters({ search }: { readonly search: Search }): ReactNode {
  const { state, results, update } = search;
  return (
    <>
      <fieldset>
        <legend>Show</legend>
        <Choice
          name="evaluated"
          value="true"
          label="With evaluations"
          count={results.facets.evaluated}
          isChecked={state.evaluated}
          onChange={(evaluated) => update({ evaluated })}
        />
        <Choice
          name="all"
          value="true"
          label="Other packages, too"
          isChecked={state.all}
          onChange={(all) => update({ all })}
        />
      </fieldset>
      {groups.map(({ name, facet, title, labelOf = String }) => {
        const values = withChosen(results.facets[facet], state[name]);
        return (
          values.length > 0 && (
            <fieldset key={name}>
              <legend>{title}</legend>
              {values.map(({ value, count }) => (
                <Choice
                  key={value}
                  name={name}
                  value={value}
                  label={labelOf(value)}
                  count={count}
                  isChecked={state[name].includes(value)}
                  onChange={(isChosen) => update(toggled(state, { name, value, isChosen }))}
                />
              ))}
            </fieldset>
          )
        );
      })}
    </>
  );
}

function Choice({
  name,
  value,
  label,
  count,
  isChecked,
  onChange,
}: {
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly count?: number | undefined;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}): ReactNode {
  return (
    <label className="facet">
      <input
        type="checkbox"
        name={name}
        value={value}
        checked={isChecked}
        onChange={({ target }) => onChange(target.checked)}
      />
      <span className="facet-label">{label}</span>
      {count !== undefined && <span className="facet-count">{count}</span>}
    </label>
  );
}

/** The most frequent values, and those that the user has chosen, including those that no result has. */
function withChosen(facet: Facet, chosen: readonly string[]): Facet {
  const frequent = facet.filter(
    ({ value }, index) => index < maxShownValues || chosen.includes(value),
  );
  const missing = chosen.filter((value) => !frequent.some((entry) => entry.value === value));
  return [...frequent, ...missing.map((value) => ({ value, count: 0 }))];
}

function toggled(
  state: SearchState,
  {
    name,
    value,
    isChosen,
  }: { readonly name: ListName; readonly value: string; readonly isChosen: boolean },
): Partial<SearchState> {
  const others = state[name].filter((other) => other !== value);
  return { [name]: isChosen ? [...others, value] : others };
}
