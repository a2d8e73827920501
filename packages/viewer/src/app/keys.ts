import { useEffect, useRef } from "react";

export type KeyActions = Readonly<Record<string, (() => void) | undefined>>;

/** Runs an action when its key is pressed outside of text fields. */
export function useKeys(actions: KeyActions): void {
  const current = useRef(actions);
  useEffect(() => {
    current.current = actions;
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const action = Object.hasOwn(current.current, event.key)
        ? current.current[event.key]
        : undefined;
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ["INPUT", "SELECT", "TEXTAREA"].includes(target.tagName))
  );
}

/** The keys of the viewer, for the help. */
export const keyHelp: readonly (readonly [keys: readonly string[], action: string])[] = [
  [["j"], "next rollout; or the arrow keys"],
  [["k"], "previous rollout"],
  [["]"], "next message of the conversation"],
  [["["], "previous message"],
  [["/"], "search in messages"],
  [["f"], "filter with an expression"],
  [["s"], "sort by reward, ascending, descending, not"],
  [["n"], "write a note on the rollout"],
  [["m"], "show messages as Markdown or as their exact text"],
  [["r"], "show the record as JSON"],
  [["t"], "fold or unfold thinking"],
  [["1", "…", "4"], "rollouts, examples, comparison, summary"],
  [["Esc"], "close the open rollout or dialog"],
  [["?"], "this help"],
];
