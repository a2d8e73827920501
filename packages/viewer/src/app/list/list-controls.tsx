import { useEffect, useMemo, useRef, useState } from "react";

import { partsOf, sortFields } from "../../analysis/select-rows.ts";
import type { RolloutRow } from "../../run/run.ts";
import { count, plural } from "../format.ts";
import { useKeys } from "../keys.ts";
import type { ViewProps } from "../view-props.ts";
import { DownloadMenu } from "./download-menu.tsx";
import type { Search } from "./use-search.ts";

interface ListControlsProps extends ViewProps {
  readonly rows: readonly RolloutRow[];
  readonly problem: string | undefined;
  readonly search: Search;
}

const statuses = [
  ["", "all"],
  ["scored", "scored"],
  ["failed", "failed"],
  ["truncated", "truncated"],
] as const;

/** Search, filter and order of the list. All of them are part of the address. */
export function ListControls(props: ListControlsProps) {
  const { address, navigate, run, scores, rows, problem, search } = props;
  const searchField = useRef<HTMLInputElement>(null);
  const filterField = useRef<HTMLInputElement>(null);
  useKeys({ "/": () => searchField.current?.focus(), f: () => filterField.current?.focus() });
  return (
    <form className="controls" role="search" onSubmit={(event) => event.preventDefault()}>
      <DelayedField
        field={searchField}
        label="Search in messages"
        type="search"
        value={address.text}
        onChange={(text) => navigate({ text }, "replace")}
      />
      <DelayedField
        field={filterField}
        label={`Filter, such as reward < 1${scores[0] === undefined ? "" : ` && ${quoted(scores[0])} > 0`}`}
        value={address.where}
        isInvalid={problem !== undefined}
        onChange={(where) => navigate({ where }, "replace")}
      />
      {problem !== undefined && (
        <pre className="problem" role="alert">
          {problem}
        </pre>
      )}
      <div className="control-row">
        <select
          aria-label="Status"
          value={address.status}
          onChange={(event) => navigate({ status: event.target.value })}
        >
          {statuses.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
        <PartSelect {...props} />
        <select
          aria-label="Order"
          value={address.sort}
          onChange={(event) => navigate({ sort: event.target.value })}
        >
          <option value="">by example</option>
          {[...sortFields, ...scores].map((name) => [
            <option key={name} value={name}>{`${name}, ascending`}</option>,
            <option key={`-${name}`} value={`-${name}`}>{`${name}, descending`}</option>,
          ])}
        </select>
        <DownloadMenu run={run} address={address} rows={rows} scores={scores} />
      </div>
      <p className="quiet count" role="status">
        {rows.length === run.rows.length
          ? plural(rows.length, "rollout")
          : `${count(rows.length)} of ${plural(run.rows.length, "rollout")}`}
        {search.isSearching && ", searching…"}
        {search.problem}
      </p>
    </form>
  );
}

/** The parts of a mix. Nothing for other environments. */
function PartSelect({ address, navigate, run }: ViewProps) {
  const parts = useMemo(() => partsOf(run.rows), [run.rows]);
  if (parts.length === 0) return null;
  return (
    <select
      aria-label="Part"
      value={address.part}
      onChange={(event) => navigate({ part: event.target.value })}
    >
      <option value="">all parts</option>
      {parts.map((part) => (
        <option key={part} value={part}>
          {part}
        </option>
      ))}
    </select>
  );
}

/** A name that an expression needs in backticks. */
function quoted(name: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$.-]*$/u.test(name) ? name : `\`${name}\``;
}

interface DelayedFieldProps {
  readonly field: React.RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly type?: "search" | undefined;
  readonly value: string;
  readonly isInvalid?: boolean | undefined;
  readonly onChange: (value: string) => void;
}

const delayMs = 250;

/** A text field that reports its value when the reader pauses. */
function DelayedField({ field, label, type, value, isInvalid, onChange }: DelayedFieldProps) {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return undefined;
    const timer = setTimeout(() => onChange(text), delayMs);
    return () => clearTimeout(timer);
  });
  return (
    <input
      ref={field}
      type={type ?? "text"}
      aria-label={label}
      aria-invalid={isInvalid}
      placeholder={label}
      value={text}
      spellCheck={false}
      autoComplete="off"
      onChange={(event) => setText(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        setText("");
        onChange("");
        event.currentTarget.blur();
      }}
    />
  );
}
