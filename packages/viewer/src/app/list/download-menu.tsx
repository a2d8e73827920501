import { useState } from "react";

import type { RolloutRow } from "../../run/run.ts";
import type { Address } from "../address.ts";
import type { RunState } from "../run-store.ts";
import { useSource } from "../use-run.ts";

interface DownloadMenuProps {
  readonly run: RunState;
  readonly address: Address;
  /** The selected rows. */
  readonly rows: readonly RolloutRow[];
  readonly scores: readonly string[];
}

/** Saves the selected rollouts as a table, or as their records. */
export function DownloadMenu({ run, address, rows, scores }: DownloadMenuProps) {
  const source = useSource();
  const [state, setState] = useState("");
  const name = `${run.head?.environment ?? "run"}-${address.run}`.replaceAll(/[^\w.-]+/gu, "_");

  async function saveRecords(): Promise<void> {
    const parts: Blob[] = [];
    const { signal } = new AbortController();
    for (const [index, row] of rows.entries()) {
      const text = await source.readRecord(address.run, row, signal);
      // Uses blobs, which the browser may move out of memory. Records of Inspect span lines.
      parts.push(new Blob([text.includes("\n") ? JSON.stringify(JSON.parse(text)) : text, "\n"]));
      if (index % 50 === 0) setState(`${index + 1} of ${rows.length}`);
    }
    save(new Blob(parts, { type: "application/jsonl" }), `${name}.jsonl`);
    setState("");
  }

  return (
    <select
      aria-label="Save"
      value=""
      disabled={state !== ""}
      onChange={(event) => {
        if (event.target.value === "csv") save(tableOf(rows, scores), `${name}.csv`);
        if (event.target.value === "jsonl")
          saveRecords().catch((error: unknown) => setState(String(error)));
      }}
    >
      <option value="">{state === "" ? "Save…" : state}</option>
      <option value="csv">table (CSV)</option>
      <option value="jsonl">records (JSON lines)</option>
    </select>
  );
}

function tableOf(rows: readonly RolloutRow[], scores: readonly string[]): Blob {
  const fields = [
    "id",
    "example",
    "key",
    "rollout",
    "status",
    "ending",
    "reward",
    "turns",
    "inputTokens",
    "outputTokens",
    "cost",
    "seconds",
  ] as const;
  const lines = [
    [...fields, ...scores.map((name) => `score ${name}`)],
    ...rows.map((row) => [
      ...fields.map((field) => row[field] ?? ""),
      ...scores.map((score) => row.scores[score] ?? ""),
    ]),
  ];
  const text = lines.map((cells) => cells.map(cell).join(",")).join("\r\n");
  return new Blob([text, "\r\n"], { type: "text/csv" });
}

/** Quotes a cell (RFC 4180). An apostrophe keeps spreadsheets from reading a hostile text as a formula. */
function cell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const text = /^[=+@\t\r-]/u.test(value) ? `'${value}` : value;
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
