import { useEffect, useMemo, useState } from "react";

import type { RunEntry } from "../run/run.ts";
import { useAddress } from "./address.ts";
import { CompareView } from "./compare/compare-view.tsx";
import { ExamplesView } from "./examples/examples-view.tsx";
import { Header } from "./header.tsx";
import { Help } from "./help.tsx";
import { useKeys } from "./keys.ts";
import { RolloutsView } from "./list/rollouts-view.tsx";
import type { RunState } from "./run-store.ts";
import { SummaryView } from "./summary/summary-view.tsx";
import { TrainingView } from "./training/training-view.tsx";
import { useRun, useSource } from "./use-run.ts";
import type { HomeLink, ViewProps } from "./view-props.ts";

export function App({ home }: { readonly home: HomeLink | undefined }) {
  const source = useSource();
  const [address, navigate] = useAddress();
  const [runs, setRuns] = useState<readonly RunEntry[]>();
  const [problem, setProblem] = useState<string>();
  const [isHelp, setHelp] = useState(false);

  useEffect(() => {
    const controller = new AbortController();
    source.listRuns(controller.signal).then(setRuns, (error: unknown) => {
      if (!controller.signal.aborted)
        setProblem(String(error instanceof Error ? error.message : error));
    });
    return () => controller.abort();
  }, [source]);

  const run = address.run || (runs?.[0]?.id ?? "");
  const state = useRun(run);
  const scores = useMemo(() => scoreNames(state), [state]);
  useKeys({ "?": () => setHelp((isOpen) => !isOpen) });
  useTitle(state);

  if (problem !== undefined) return <Message title="Cannot list the runs." text={problem} />;
  if (runs === undefined && run === "") return <Loading />;
  if (run === "")
    return (
      <Message
        title="There are no runs yet."
        text="Create one: envs eval tictactoe -m policy:optimal. Then reload this page."
      />
    );
  const props: ViewProps = {
    address: { ...address, run },
    navigate,
    runs: runs ?? [],
    run: state,
    scores,
  };
  return (
    <>
      <Header {...props} home={home} onHelp={() => setHelp(true)} />
      {state.problem === undefined ? (
        <View {...props} />
      ) : (
        <Message title="Cannot open the run." text={state.problem} />
      )}
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function View(props: ViewProps) {
  const { address, run } = props;
  const isTraining = run.head?.kind === "training";
  if (address.view === "compare") return <CompareView {...props} />;
  if (address.view === "summary") return <SummaryView {...props} />;
  if (isTraining) return <TrainingView {...props} />;
  if (address.view === "examples") return <ExamplesView {...props} />;
  return <RolloutsView {...props} />;
}

function Loading() {
  return (
    <main className="loading">
      <h1>Rollouts</h1>
      <p className="quiet">Loading…</p>
    </main>
  );
}

function Message({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <main className="message-page" role="alert">
      <h1>{title}</h1>
      <p>{text}</p>
    </main>
  );
}

/** The scores of the head, which has the rubric's order, then those that only rows have. */
function scoreNames({ head, rows }: RunState): readonly string[] {
  const names = new Set(head?.scores.map(({ name }) => name));
  for (const row of rows) for (const name in row.scores) names.add(name);
  return [...names];
}

function useTitle({ head }: RunState): void {
  const title = head === undefined ? "Rollouts" : `${head.environment} · ${head.model}`;
  useEffect(() => {
    document.title = title;
  }, [title]);
}
