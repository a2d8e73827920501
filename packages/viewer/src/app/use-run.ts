import { createContext, use, useEffect, useState, useSyncExternalStore } from "react";

import type { RolloutRow } from "../run/run.ts";
import type { RunSource } from "../source/run-source.ts";
import { noRun, type RunState, RunStore } from "./run-store.ts";

export const SourceContext = createContext<RunSource | undefined>(undefined);

export function useSource(): RunSource {
  const source = use(SourceContext);
  if (source === undefined) throw new Error("The viewer has no source.");
  return source;
}

/** Opens a run, and closes it when another one or none is wanted. */
export function useRun(run: string): RunState {
  const source = useSource();
  const [store, setStore] = useState<RunStore | undefined>();
  useEffect(() => {
    if (run === "") return setStore(undefined);
    const opened = new RunStore(source, run);
    setStore(opened);
    return () => opened.close();
  }, [source, run]);
  return useSyncExternalStore(store?.subscribe ?? noSubscription, store?.state ?? noState);
}

const noSubscription = () => () => {};
const noState = () => noRun;

/** The texts of the model's tokens by id, once they are needed and read. */
export function useVocabulary(run: string, isNeeded: boolean): readonly string[] {
  const source = useSource();
  const [texts, setTexts] = useState<readonly string[]>([]);
  useEffect(() => {
    if (!isNeeded) return undefined;
    const controller = new AbortController();
    // Without texts, tokens are shown by their ids.
    source.readVocabulary(run, controller.signal).then(setTexts, () => {});
    return () => controller.abort();
  }, [source, run, isNeeded]);
  return texts;
}

/** The record of a rollout as JSON text, after it is read. */
export interface LoadedRecord {
  readonly id: string;
  readonly text: string | undefined;
  readonly problem: string | undefined;
}

/** Reads the record of a row. Returns the previous record until the next one is read, so that the page does not flicker. */
export function useRecord(run: string, row: RolloutRow | undefined): LoadedRecord | undefined {
  const source = useSource();
  const [record, setRecord] = useState<LoadedRecord | undefined>();
  useEffect(() => {
    if (row === undefined) return setRecord(undefined);
    const controller = new AbortController();
    source.readRecord(run, row, controller.signal).then(
      (text) => setRecord({ id: row.id, text, problem: undefined }),
      (error: unknown) => {
        if (controller.signal.aborted) return;
        setRecord({ id: row.id, text: undefined, problem: String(error) });
      },
    );
    return () => controller.abort();
  }, [source, run, row]);
  return record;
}
