import type { Rollout } from "@envs/core";

import type { ViewedRun } from "../runs/run-folder.ts";
import { type Selection, selectRollouts } from "../runs/select-rollouts.ts";

/** An input line at the bottom of the screen. */
export interface Prompt {
  readonly kind: "where" | "number";
  readonly text: string;
}

/** The state from which the screen is drawn. */
export interface ViewState {
  readonly run: ViewedRun;
  readonly selection: Selection;
  readonly selected: readonly Rollout[];
  /** 0 is the summary, 1 the first selected rollout. */
  readonly page: number;
  /** The number of lines of the page above the screen. */
  readonly scroll: number;
  /** Show long messages in full. */
  readonly isWhole: boolean;
  readonly isHelp: boolean;
  readonly prompt: Prompt | undefined;
  readonly notice: string | undefined;
}

/** A key with its name in Node's readline. `text` is set for printable keys. */
export interface Key {
  readonly name: string;
  readonly text?: string | undefined;
  readonly isControl?: boolean;
}

/** The size of the page on the screen. */
export interface Extent {
  /** The number of lines that fit on the screen. */
  readonly height: number;
  /** The number of lines of the page. */
  readonly lines: number;
}

/** The initial state: the summary page. */
export function startState(run: ViewedRun, selection: Selection): ViewState {
  return {
    run,
    selection,
    selected: selectRollouts(run.rollouts, selection),
    page: 0,
    scroll: 0,
    isWhole: false,
    isHelp: false,
    prompt: undefined,
    notice: undefined,
  };
}

/** Returns the state after a key press, or `undefined` to quit. */
export function press(state: ViewState, key: Key, extent: Extent): ViewState | undefined {
  if (key.isControl === true && (key.name === "c" || key.name === "d")) return undefined;
  if (state.prompt !== undefined) return editPrompt(state, state.prompt, key);
  const withoutNotice: ViewState = { ...state, notice: undefined };
  if (state.isHelp) return key.name === "q" ? undefined : { ...withoutNotice, isHelp: false };
  const command = Object.hasOwn(commands, key.name) ? commands[key.name] : undefined;
  return command === undefined ? withoutNotice : command(withoutNotice, extent);
}

type Command = (state: ViewState, extent: Extent) => ViewState | undefined;

const scrollBy =
  (lines: (extent: Extent) => number): Command =>
  (state, extent) => {
    const last = Math.max(0, extent.lines - extent.height);
    const scroll = Math.min(last, Math.max(0, Math.min(state.scroll, last) + lines(extent)));
    return { ...state, scroll };
  };

const goTo =
  (page: (state: ViewState) => number): Command =>
  (state) => {
    const target = page(state);
    if (target > state.selected.length) {
      const notice = state.selected.length === 0 ? noMatch : "This is the last rollout.";
      return { ...state, notice };
    }
    if (target < 0)
      return { ...state, notice: "This is the summary. Press n for the first rollout." };
    return { ...state, page: target, scroll: 0 };
  };

const noMatch = "No rollout matches. Press / to change the filter.";
const next = goTo(({ page }) => page + 1);
const previous = goTo(({ page }) => page - 1);
const pageDown = scrollBy(({ height }) => height - 1);
const pageUp = scrollBy(({ height }) => 1 - height);

/** Scrolls down, and at the end of the page goes to the next. */
const scrollOrNext: Command = (state, extent) =>
  state.scroll >= extent.lines - extent.height ? next(state, extent) : pageDown(state, extent);

const commands: Readonly<Record<string, Command>> = {
  q: () => undefined,
  n: next,
  right: next,
  p: previous,
  left: previous,
  space: scrollOrNext,
  b: pageUp,
  down: scrollBy(() => 1),
  j: scrollBy(() => 1),
  return: scrollBy(() => 1),
  up: scrollBy(() => -1),
  k: scrollBy(() => -1),
  pagedown: pageDown,
  pageup: pageUp,
  home: scrollBy(() => -Infinity),
  end: scrollBy(() => Infinity),
  s: goTo(() => 0),
  a: (state) => ({ ...state, isWhole: !state.isWhole }),
  f: (state) =>
    applySelection(state, {
      ...state.selection,
      isFailedOnly: state.selection.isFailedOnly !== true,
    }),
  escape: (state) =>
    applySelection(state, { ...state.selection, where: undefined, isFailedOnly: false }),
  "/": (state) => ({ ...state, prompt: { kind: "where", text: state.selection.where ?? "" } }),
  g: (state) => ({ ...state, prompt: { kind: "number", text: "" } }),
  "?": (state) => ({ ...state, isHelp: true }),
  h: (state) => ({ ...state, isHelp: true }),
};

function editPrompt(state: ViewState, prompt: Prompt, key: Key): ViewState {
  const edit = (text: string): ViewState => ({ ...state, prompt: { ...prompt, text } });
  const characters = Array.from(prompt.text);
  if (key.name === "return") return submitPrompt({ ...state, prompt: undefined }, prompt);
  if (key.name === "escape") return { ...state, prompt: undefined, notice: undefined };
  if (key.name === "backspace")
    return characters.length === 0
      ? { ...state, prompt: undefined }
      : edit(characters.slice(0, -1).join(""));
  if (key.isControl === true && key.name === "u") return edit("");
  if (key.isControl === true && key.name === "w") return edit(prompt.text.replace(/\S+\s*$/, ""));
  if (key.isControl === true || key.text === undefined) return state;
  return edit(prompt.text + key.text);
}

function submitPrompt(state: ViewState, { kind, text }: Prompt): ViewState {
  const { selected, selection } = state;
  if (kind === "where") {
    const where = text.trim() === "" ? undefined : text;
    return applySelection(state, { ...selection, where }, text);
  }
  const page = Number(text);
  if (text.trim() !== "" && Number.isInteger(page) && page >= 0 && page <= selected.length)
    return { ...state, page, scroll: 0, notice: undefined };
  const notice = `There is no rollout ${text}. Enter a number from 1 to ${selected.length}.`;
  return { ...state, notice };
}

/** Stays at the current rollout if the new selection contains it. Reopens the prompt if the expression is invalid. */
function applySelection(state: ViewState, selection: Selection, typedText = ""): ViewState {
  try {
    const selected = selectRollouts(state.run.rollouts, selection);
    const current = state.selected[state.page - 1];
    const index = current === undefined ? -1 : selected.indexOf(current);
    const isSelected = index >= 0;
    const page = isSelected ? index + 1 : Math.min(1, selected.length);
    const notice =
      selected.length === 0 ? noMatch : `${selected.length} of ${state.run.rollouts.length}`;
    return { ...state, selection, selected, page, scroll: isSelected ? state.scroll : 0, notice };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "UsageError") throw error;
    const [notice = ""] = error.message.split("\n");
    return { ...state, notice, prompt: { kind: "where", text: typedText } };
  }
}
