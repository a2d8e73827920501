import type { Fields } from "@envs/records";
import { collapseAllNested, defaultStyles, JsonView, type Props } from "react-json-view-lite";

const styles: NonNullable<Props["style"]> = {
  ...defaultStyles,
  container: "json",
  label: "json-label",
  clickableLabel: "json-label json-clickable",
  stringValue: "json-text",
  numberValue: "json-number",
  booleanValue: "json-word",
  nullValue: "json-word",
  undefinedValue: "json-word",
  otherValue: "json-word",
  punctuation: "json-punctuation",
  noQuotesForStringValues: false,
  stringifyStringValues: true,
};

/** JSON as a tree whose first level is open. */
export function JsonTree({ json, label }: { readonly json: Fields; readonly label: string }) {
  return (
    <JsonView data={json} style={styles} shouldExpandNode={collapseAllNested} aria-label={label} />
  );
}
