import type { Board } from "@envs/hub-client";
import type { ReactNode } from "react";

import { Select } from "../layout/choices.tsx";
import { configText, counted, sampleText } from "./texts.ts";

/** The form that selects a board and filters its rows. It works without scripts. */
export function BoardChoice({
  board,
  boards,
  model,
  badge,
}: {
  readonly board: Board;
  readonly boards: readonly Board[];
  readonly model: string | undefined;
  readonly badge: string | undefined;
}): ReactNode {
  const ofVersion = boards.filter(({ version }) => version === board.version);
  const ofConfig = ofVersion.filter(({ configHash }) => configHash === board.configHash);
  return (
    <form className="board-choice" method="get">
      <Select
        label="Version"
        name="version"
        value={board.version}
        choices={unique(boards, ({ version }) => version).map(({ version }) => ({
          value: version,
          label: version,
        }))}
      />
      <Select
        label="Evidence"
        name="badge"
        value={badge ?? ""}
        choices={[
          { value: "", label: "all runs" },
          { value: "declared", label: "declared" },
          { value: "rescored", label: "rescored" },
          { value: "reproduced", label: "reproduced" },
        ]}
      />
      <Select
        label="Config"
        name="config"
        value={board.configHash}
        choices={unique(ofVersion, ({ configHash }) => configHash).map((each) => ({
          value: each.configHash,
          label: configText(each.config),
        }))}
      />
      <Select
        label="Examples"
        name="examples"
        value={board.sample}
        choices={ofConfig.map((each) => ({
          value: each.sample,
          label: `${sampleText(each)} (${counted(each.runs, "run")})`,
        }))}
      />
      <div className="field">
        <label htmlFor="model">Model contains</label>
        <input id="model" name="model" type="search" defaultValue={model} maxLength={200} />
      </div>
      <button className="second">Show</button>
    </form>
  );
}

function unique<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
