import { assistantMessage, type AssistantMessage, callTools } from "@envs/core";

import type { Changes, Files } from "./files.ts";
import type { Task } from "./tasks.ts";
import { virtualRoot } from "./virtual-root.ts";

/** The best player's message in a turn: it looks around, reads, changes what the task asks for, and ends. */
export function bestStep({ files, changes }: Task, turn: number): AssistantMessage {
  if (turn === 0) return callTools([["directory_tree", { path: virtualRoot }]], turn);
  if (turn === 1) return callTools([["read_multiple_files", { paths: Object.keys(files) }]], turn);
  if (turn === 2) return callTools(changeCalls(files, changes), turn);
  return assistantMessage("Done.");
}

/** A cheat: overwrites all files, since the server cannot delete. */
export function wipe({ files }: Task, turn: number): AssistantMessage {
  if (turn > 0) return assistantMessage("Done.");
  return callTools(
    Object.keys(files).map((path) => ["write_file", { path, content: "" }]),
    turn,
  );
}

/** A cheat: writes every possible answer under every file name of the tasks. */
export function scatter({ files }: Task, turn: number): AssistantMessage {
  if (turn > 0) return assistantMessage("Done.");
  const content = Object.keys(files).join("\n");
  const paths = ["", "notes/", "invoices/", "drafts/"].flatMap((folder) =>
    ["answer.txt", "total.txt"].map((name) => folder + name),
  );
  return callTools(
    paths.map((path) => ["write_file", { path, content }]),
    turn,
  );
}

/** The calls that make the changes. */
function changeCalls(files: Files, changes: Changes): [string, object][] {
  const entries = Object.entries(changes);
  const removed = entries.filter(([, text]) => text === null).map(([path]) => path);
  const folders = new Set(entries.map(([path]) => path.split("/").slice(0, -1).join("/")));
  const newFolders = [...folders].filter((folder) => !hasFolder(files, folder));
  return [
    ...newFolders.map((path): [string, object] => ["create_directory", { path }]),
    ...entries.flatMap(([path, text]): [string, object][] => {
      if (text === null) return [];
      const before = files[path];
      if (before !== undefined) return [["edit_file", { path, edits: lineEdits(before, text) }]];
      const source = removed.find((candidate) => files[candidate] === text);
      return source === undefined
        ? [["write_file", { path, content: text }]]
        : [["move_file", { source, destination: path }]];
    }),
  ];
}

function lineEdits(before: string, after: string): object[] {
  const lines = after.split("\n");
  return before
    .split("\n")
    .map((oldText, index) => ({ oldText, newText: lines[index] }))
    .filter(({ oldText, newText }) => oldText !== newText);
}

function hasFolder(files: Files, folder: string): boolean {
  return folder === "" || Object.keys(files).some((path) => path.startsWith(`${folder}/`));
}
