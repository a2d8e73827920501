import type { RunEntry } from "../run/run.ts";
import type { Address, Navigate } from "./address.ts";
import type { RunState } from "./run-store.ts";

/** The properties that every view receives. */
export interface ViewProps {
  readonly address: Address;
  readonly navigate: Navigate;
  readonly runs: readonly RunEntry[];
  readonly run: RunState;
  /** The names of the run's scores, in the rubric's order. */
  readonly scores: readonly string[];
}

/** The page that the viewer belongs to. */
export interface HomeLink {
  readonly address: string;
  readonly title: string;
}
