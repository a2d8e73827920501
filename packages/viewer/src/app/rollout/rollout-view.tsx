import { isReadable } from "@envs/records";
import { useMemo, useState } from "react";

import { viewRecord } from "../../record/view-record.ts";
import type { RolloutRow, RunHead } from "../../run/run.ts";
import type { Address, Navigate } from "../address.ts";
import { useKeys } from "../keys.ts";
import { rowName } from "../list/rollout-list.tsx";
import { ToolTable } from "../tool-table.tsx";
import { useRecord } from "../use-run.ts";
import { AnswerBox } from "./answer-box.tsx";
import { Conversation } from "./conversation.tsx";
import { Facts } from "./facts.tsx";
import { NoteBox } from "./note-box.tsx";
import { RawRecord } from "./raw-record.tsx";
import { ScoreTable } from "./score-table.tsx";
import { Seats } from "./seats.tsx";
import { TurnLine } from "./turn-line.tsx";

interface RolloutViewProps {
  readonly address: Address;
  readonly navigate: Navigate;
  readonly head: RunHead | undefined;
  readonly row: RolloutRow;
  /** The reward minus the mean of its group. */
  readonly advantage: number | undefined;
  readonly position?: { readonly index: number; readonly count: number } | undefined;
  readonly onNext?: (() => void) | undefined;
  readonly onPrevious?: (() => void) | undefined;
}

/** One rollout: its scores with explanations, its turns, its conversation, and its record as JSON. */
export function RolloutView(props: RolloutViewProps) {
  const { address, navigate, head, row, advantage } = props;
  const record = useRecord(address.run, row);
  const [hasThoughts, setThoughts] = useState(false);
  const viewed = useMemo(() => {
    if (record?.text === undefined) return undefined;
    const read = viewRecord(record.text);
    return isReadable(read) ? (read[row.part ?? 0] ?? read[0]) : read;
  }, [record, row.part]);
  const isJson = address.format === "json";
  useKeys({
    m: () => navigate({ format: address.format === "markdown" ? "" : "markdown" }, "replace"),
    r: () => navigate({ format: isJson ? "" : "json" }, "replace"),
    t: () => setThoughts((isOpen) => !isOpen),
  });

  return (
    <article className="rollout" aria-busy={record?.id !== row.id}>
      <Heading {...props} />
      {record?.problem !== undefined && (
        <p className="problem" role="alert">
          Cannot read the record: {record.problem}
        </p>
      )}
      {viewed !== undefined && "problem" in viewed && (
        <p className="problem" role="alert">
          {viewed.problem}
        </p>
      )}
      {isJson || (viewed !== undefined && "problem" in viewed) ? (
        <RawRecord text={record?.text ?? ""} name={`${address.run}-${row.id}`} />
      ) : (
        viewed !== undefined && (
          <>
            <Facts viewed={viewed} advantage={viewed.advantage ?? advantage} />
            <ScoreTable viewed={viewed} scores={head?.scores ?? []} />
            <AnswerBox viewed={viewed} />
            <ToolTable tools={viewed.tools} />
            <NoteBox run={address.run} id={row.id} />
            <TurnLine
              viewed={viewed}
              onOpen={(message) => navigate({ message: String(message) })}
            />
            <Conversation
              key={row.id}
              viewed={viewed}
              address={address}
              navigate={navigate}
              hasThoughts={hasThoughts}
            />
            <Seats seats={viewed.otherSeats ?? []} query={address.text} />
          </>
        )
      )}
    </article>
  );
}

function Heading({ address, navigate, row, position, onNext, onPrevious }: RolloutViewProps) {
  const isJson = address.format === "json";
  return (
    <header className="rollout-heading">
      <button
        type="button"
        className="small second back"
        onClick={() => navigate({ rollout: "", message: "" })}
      >
        List
      </button>
      <h2>
        <span className="quiet">example</span> {rowName(row)}
      </h2>
      {position !== undefined && (
        <span className="quiet position">
          {position.index + 1} of {position.count}
        </span>
      )}
      <div className="heading-buttons">
        {onPrevious !== undefined && (
          <button type="button" className="small second" title="Previous (k)" onClick={onPrevious}>
            Previous
          </button>
        )}
        {onNext !== undefined && (
          <button type="button" className="small second" title="Next (j)" onClick={onNext}>
            Next
          </button>
        )}
        <select
          aria-label="Format"
          value={address.format}
          onChange={(event) => navigate({ format: event.target.value }, "replace")}
        >
          <option value="">Exact text</option>
          <option value="markdown">Markdown</option>
          <option value="json">{isJson ? "JSON" : "Raw JSON"}</option>
        </select>
      </div>
    </header>
  );
}
