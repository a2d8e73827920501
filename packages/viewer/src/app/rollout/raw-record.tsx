import { isFields, parseJson } from "@envs/records";
import { useMemo } from "react";

import { save } from "../list/download-menu.tsx";
import { JsonTree } from "./json-tree.tsx";
import { LongText } from "./long-text.tsx";

/** The stored record, as a tree, or as text if it is not JSON. */
export function RawRecord({ text, name }: { readonly text: string; readonly name: string }) {
  const json = useMemo(() => {
    try {
      return parseJson(text);
    } catch {
      return undefined;
    }
  }, [text]);
  return (
    <section className="raw" aria-label="Record">
      <p className="buttons">
        <button
          type="button"
          className="small second"
          onClick={() => save(new Blob([text], { type: "application/json" }), `${name}.json`)}
        >
          Save the record
        </button>
      </p>
      {isFields(json) ? <JsonTree json={json} label="Record" /> : <LongText text={text} />}
    </section>
  );
}
