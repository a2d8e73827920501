import { bundleLies, sampleLies } from "@envs/hub-server/testing/lies/bundle-lies";
import { playLies } from "@envs/hub-server/testing/lies/play-lies";
import { repeatLies } from "@envs/hub-server/testing/lies/repeat-lies";
import { runLies } from "@envs/hub-server/testing/lies/run-lies";

import { table } from "./table.ts";

const outcomes = {
  different: "the run is refuted",
  impossible: "the run is not rescored",
  rescored: "the run is rescored: the hub does not find it",
} as const;

/** The lies that tests try on a hub, with its answers, by the name of their block. */
export const lieTables: Readonly<Record<string, () => string>> = {
  "lies about runs": () =>
    lieTable("The user", [
      ...runLies.map(({ act, answer }) => [sentence(act), codeOr(answer)]),
      ...sampleLies.map(({ name, outcome }) => [name, outcomes[outcome]]),
    ]),
  "lies about repeats": () =>
    lieTable(
      "The repeat",
      repeatLies.map(({ name, answer }) => [name, `does not count: ${answer}`]),
    ),
  "lies about plays": () =>
    lieTable(
      "The user",
      playLies.map(({ name, answer }) => [name, codeOr(answer)]),
    ),
  "lies of bundles": () =>
    lieTable(
      "The published code",
      bundleLies.map(({ name, outcome }) => [name, outcomes[outcome]]),
    ),
};

function lieTable(title: string, rows: readonly (readonly string[])[]): string {
  return table([title, "The hub's answer"], rows);
}

function sentence(act: string): string {
  return `${act.charAt(0).toLowerCase()}${act.slice(1).replace(/\.$/, "")}`;
}

/** An error code is set as code; what the hub shows is a text. */
function codeOr(answer: string): string {
  return /^(?:forbidden|[a-z]+(?:-[a-z]+)+)$/.test(answer) ? `\`${answer}\`` : answer;
}
