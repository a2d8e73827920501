import type { Rollout } from "@envs/core";

import type { ViewedRun } from "../runs/run-folder.ts";
import { type Selection, selectRollouts } from "../runs/select-rollouts.ts";

/** An input line at the bottom of the screen. */
export interface Prompt {
  readonly kind: "where" | "number";
  readonly text: string;
}

/** The state from which the screen is drawn. */
export interface ViewState {
  readonly run: ViewedRun;
  readonly selection: Selection;
  readonly selected: readonly Rollout[];
  readonly page: "list" | "rollout" | "summary";
  /** The index of the current rollout among the selected ones. */
  readonly cursor: number;
  /** The number of lines of the page above the screen; in the list, of rollouts. */
  readonly scroll: number;
  /** The scroll position of the list while a rollout is open. */
  readonly listScroll: number;
  /** Show long messages in full. */
  readonly isWhole: boolean;
  readonly isHelp: boolean;
  readonly prompt: Prompt | undefined;
  readonly notice: string | undefined;
  /** How many images, audio and files of the rollout at `cursor` were opened. */
  readonly opened?: { readonly cursor: number; readonly count: number } | undefined;
  /** Whether the user asked to open the next file. The terminal opens it, because a state has no side effects. */
  readonly isOpening?: boolean | undefined;
}

/** A key with its name in Node's readline. `text` is set for printable keys. */
export interface Key {
  readonly name: string;
  readonly text?: string | undefined;
  readonly isControl?: boolean;
}

/** The initial state: the list, or the summary of a run without rollouts. */
export function startState(run: ViewedRun, selection: Selection): ViewState {
  return {
    run,
    selection,
    selected: selectRollouts(run.rollouts, selection),
    page: run.rollouts.length === 0 ? "summary" : "list",
    cursor: 0,
    scroll: 0,
    listScroll: 0,
    isWhole: false,
    isHelp: false,
    prompt: undefined,
    notice: undefined,
  };
}
