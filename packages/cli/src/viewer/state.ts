import type { Rollout } from "@envs/core";

import type { ViewedRun } from "../runs/open-run.ts";
import { select, type Selection } from "../runs/select-rollouts.ts";

/** What is being typed at the bottom of the screen. */
export interface Prompt {
  readonly asks: "where" | "number";
  readonly text: string;
}

/** All that decides what the screen shows. */
export interface ViewState {
  readonly run: ViewedRun;
  readonly selection: Selection;
  readonly selected: readonly Rollout[];
  /** 0 is the summary, 1 the first selected rollout. */
  readonly page: number;
  /** How many lines of the page are above the screen. */
  readonly scroll: number;
  readonly isWhole: boolean;
  readonly isHelp: boolean;
  readonly prompt: Prompt | undefined;
  readonly notice: string | undefined;
}

/** A key, as Node's readline names it; `text` is what it types. */
export interface Key {
  readonly name: string;
  readonly text?: string;
  readonly isControl?: boolean;
}

/** How far the page that is shown reaches. */
export interface Extent {
  /** Lines of the page that fit on the screen. */
  readonly height: number;
  readonly lines: number;
}

/** The state that a viewer begins in: the summary. */
export function startState(run: ViewedRun, selection: Selection): ViewState {
  return {
    run,
    selection,
    selected: select(run.rollouts, selection),
    page: 0,
    scroll: 0,
    isWhole: false,
    isHelp: false,
    prompt: undefined,
    notice: undefined,
  };
}

/** What a key does. `undefined`: the viewer ends. */
export function press(state: ViewState, key: Key, extent: Extent): ViewState | undefined {
  if (key.isControl === true && (key.name === "c" || key.name === "d")) return undefined;
  if (state.prompt !== undefined) return typed(state, state.prompt, key);
  const quiet: ViewState = { ...state, notice: undefined };
  if (state.isHelp) return key.name === "q" ? undefined : { ...quiet, isHelp: false };
  return (commands[key.name] ?? ((same) => same))(quiet, extent);
}

type Command = (state: ViewState, extent: Extent) => ViewState | undefined;

const scrollBy =
  (lines: (extent: Extent) => number): Command =>
  (state, extent) => {
    const last = Math.max(0, extent.lines - extent.height);
    const scroll = Math.min(last, Math.max(0, Math.min(state.scroll, last) + lines(extent)));
    return { ...state, scroll };
  };

const turnTo =
  (page: (state: ViewState) => number): Command =>
  (state) => {
    const to = page(state);
    if (to > state.selected.length)
      return { ...state, notice: state.selected.length === 0 ? none : "This is the last rollout." };
    if (to < 0) return { ...state, notice: "This is the summary; n shows the first rollout." };
    return { ...state, page: to, scroll: 0 };
  };

const none = "No rollout is selected; / changes the filter.";
const next = turnTo(({ page }) => page + 1);
const previous = turnTo(({ page }) => page - 1);
const pageDown = scrollBy(({ height }) => height - 1);
const pageUp = scrollBy(({ height }) => 1 - height);

/** Reads on: down the page, then on to the next. */
const readOn: Command = (state, extent) =>
  state.scroll >= extent.lines - extent.height ? next(state, extent) : pageDown(state, extent);

const commands: Readonly<Record<string, Command>> = {
  q: () => undefined,
  n: next,
  right: next,
  p: previous,
  left: previous,
  space: readOn,
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
  s: turnTo(() => 0),
  a: (state) => ({ ...state, isWhole: !state.isWhole }),
  f: (state) =>
    choose(state, { ...state.selection, isFailedOnly: state.selection.isFailedOnly !== true }),
  escape: (state) => choose(state, { ...state.selection, where: undefined, isFailedOnly: false }),
  "/": (state) => ({ ...state, prompt: { asks: "where", text: state.selection.where ?? "" } }),
  g: (state) => ({ ...state, prompt: { asks: "number", text: "" } }),
  "?": (state) => ({ ...state, isHelp: true }),
  h: (state) => ({ ...state, isHelp: true }),
};

function typed(state: ViewState, prompt: Prompt, key: Key): ViewState {
  const edit = (text: string): ViewState => ({ ...state, prompt: { ...prompt, text } });
  const characters = Array.from(prompt.text);
  if (key.name === "return") return answer({ ...state, prompt: undefined }, prompt);
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

function answer(state: ViewState, { asks, text }: Prompt): ViewState {
  const { selected, selection } = state;
  if (asks === "where")
    return choose(state, { ...selection, where: text.trim() === "" ? undefined : text }, text);
  const page = Number(text);
  if (text.trim() !== "" && Number.isInteger(page) && page >= 0 && page <= selected.length)
    return { ...state, page, scroll: 0, notice: undefined };
  return { ...state, notice: `There is no rollout ${text}: they go from 1 to ${selected.length}.` };
}

/** Selects anew, and stays at the rollout that was shown if it is still among them. */
function choose(state: ViewState, selection: Selection, typedText = ""): ViewState {
  try {
    const selected = select(state.run.rollouts, selection);
    const shown = state.selected[state.page - 1];
    const again = shown === undefined ? -1 : selected.indexOf(shown);
    const isStaying = again >= 0;
    const page = isStaying ? again + 1 : Math.min(1, selected.length);
    const notice =
      selected.length === 0 ? none : `${selected.length} of ${state.run.rollouts.length}`;
    return { ...state, selection, selected, page, scroll: isStaying ? state.scroll : 0, notice };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "UsageError") throw error;
    const [notice = ""] = error.message.split("\n");
    return { ...state, notice, prompt: { asks: "where", text: typedText } };
  }
}
