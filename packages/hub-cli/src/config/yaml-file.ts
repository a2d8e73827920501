import { FailureError } from "@envs/terminal";
import { type Document, isSeq, parseDocument } from "yaml";

import { readText, writeIfChanged } from "./files.ts";

/** Edits a YAML file and keeps its comments. Returns whether the file changed. */
export async function editYaml(file: string, edit: (document: Document) => void): Promise<boolean> {
  const before = await readText(file);
  const document = parseDocument(before);
  const [error] = document.errors;
  if (error !== undefined) throw new FailureError(`${file} is not valid YAML: ${error.message}`);
  const original = JSON.stringify(document.toJS());
  edit(document);
  if (JSON.stringify(document.toJS()) === original) return false;
  return await writeIfChanged(file, before, document.toString({ lineWidth: 0 }));
}

/** Adds the texts that the list of a key lacks. */
export function addToList(document: Document, key: string, texts: readonly string[]): void {
  const list = document.get(key);
  if (!isSeq(list)) {
    document.set(key, document.createNode([...texts]));
    return;
  }
  const existing: unknown[] = list.toJSON();
  for (const text of texts) if (!existing.includes(text)) list.add(document.createNode(text));
}
