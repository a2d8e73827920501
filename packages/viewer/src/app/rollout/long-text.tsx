import { useMemo, useState } from "react";

import { count } from "../format.ts";

const maxLines = 40;
const maxLength = 8000;

interface LongTextProps {
  readonly text: string;
  /** Every occurrence is marked. */
  readonly query?: string | undefined;
}

/** A text with its white space. A long text is folded, and can be opened in full. */
export function LongText({ text, query = "" }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const end = useMemo(() => foldedEnd(text), [text]);
  // A match below the fold would be invisible.
  const isHidden = query !== "" && text.toLowerCase().indexOf(query.toLowerCase(), end) !== -1;
  const isFolded = end < text.length && !isWhole && !isHidden;
  return (
    <>
      <pre className="text">
        <Marked text={isFolded ? text.slice(0, end) : text} query={query} />
      </pre>
      {end < text.length && !isHidden && (
        <button type="button" className="link fold" onClick={() => setWhole(!isWhole)}>
          {isFolded
            ? `Show all ${count(text.split("\n").length)} lines (${count(text.length)} characters)`
            : "Show less"}
        </button>
      )}
    </>
  );
}

function foldedEnd(text: string): number {
  let end = -1;
  for (let line = 0; line < maxLines; line += 1) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) break;
  }
  const byLines = end === -1 ? text.length : end;
  // Does not fold a few characters, which take less space than the button.
  return Math.min(byLines, text.length > maxLength + 500 ? maxLength : text.length);
}

/** A text with the occurrences of the query marked. Case does not count. */
export function Marked({ text, query }: { readonly text: string; readonly query: string }) {
  const parts = useMemo(() => splitAt(text, query.toLowerCase()), [text, query]);
  if (parts.length === 1) return text;
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

const maxMarks = 1000;

/** Splits a text at a query in lower case: every second part is a match. */
function splitAt(text: string, query: string): readonly string[] {
  if (query === "") return [text];
  const lower = text.toLowerCase();
  // Falls back if lower case changes the length of the text, because positions would not match.
  if (lower.length !== text.length) return [text];
  const parts: string[] = [];
  let at = 0;
  for (let match = lower.indexOf(query); match !== -1 && parts.length < maxMarks;) {
    parts.push(text.slice(at, match), text.slice(match, match + query.length));
    at = match + query.length;
    match = lower.indexOf(query, at);
  }
  return [...parts, text.slice(at)];
}
