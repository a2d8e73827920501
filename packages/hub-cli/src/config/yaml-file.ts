import { FailureError } from "@envs/terminal";
import { type Document, isSeq, parseDocument } from "yaml";

import { textOf } from "./context.ts";
import { writeChanged } from "./npmrc-file.ts";

/** Changes a file of YAML; its comments stay. Whether that changed the file. */
export async function editYaml(
  file: string,
  change: (document: Document) => void,
): Promise<boolean> {
  const before = await textOf(file);
  const document = parseDocument(before);
  const [error] = document.errors;
  if (error !== undefined) throw new FailureError(`${file} is not YAML: ${error.message}`);
  const untouched = JSON.stringify(document.toJS());
  change(document);
  if (JSON.stringify(document.toJS()) === untouched) return false;
  return await writeChanged(file, before, document.toString({ lineWidth: 0 }));
}

/** Adds texts to the list of a key, those that it lacks. */
export function addToList(document: Document, key: string, texts: readonly string[]): void {
  const list = document.get(key);
  if (!isSeq(list)) {
    document.set(key, document.createNode([...texts]));
    return;
  }
  const known: unknown[] = list.toJSON();
  for (const text of texts) if (!known.includes(text)) list.add(document.createNode(text));
}
