import { readFile, writeFile } from "node:fs/promises";

import { FailureError } from "@envs/cli/kit";
import { type Document, isSeq, parseDocument } from "yaml";

/** Returns the text of a file, or "" if it does not exist. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new FailureError(`Cannot read ${file}: ${(error as Error).message}`);
  }
}

/** Writes a file if its text changed. Returns whether it did. */
export async function writeIfChanged(
  file: string,
  before: string,
  after: string,
): Promise<boolean> {
  if (after === before) return false;
  try {
    await writeFile(file, after);
    return true;
  } catch (error) {
    throw new FailureError(`Cannot write ${file}: ${(error as Error).message}`);
  }
}

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
