import { applySelection, editPrompt, noMatch } from "./prompt.ts";
import type { Key, ViewState } from "./state.ts";

/** The size of the page on the screen. */
export interface Extent {
  /** The number of lines that fit on the screen. */
  readonly height: number;
  /** The number of lines of the page; in the list, of rollouts. */
  readonly lines: number;
}

/** Returns the state after a key press, or `undefined` to quit. */
export function press(state: ViewState, key: Key, extent: Extent): ViewState | undefined {
  if (key.isControl === true && (key.name === "c" || key.name === "d")) return undefined;
  if (state.prompt !== undefined) return editPrompt(state, state.prompt, key);
  const withoutNotice: ViewState = { ...state, notice: undefined, isOpening: false };
  if (state.isHelp) return { ...withoutNotice, isHelp: false };
  const commands = { ...everywhere, ...(state.page === "list" ? inList : inPage) };
  const command = Object.hasOwn(commands, key.name) ? commands[key.name] : undefined;
  return command === undefined ? withoutNotice : command(withoutNotice, extent);
}

type Command = (state: ViewState, extent: Extent) => ViewState | undefined;
type Distance = (extent: Extent) => number;

const scrollBy =
  (lines: Distance): Command =>
  (state, extent) => {
    const last = Math.max(0, extent.lines - extent.height);
    const scroll = Math.min(last, Math.max(0, Math.min(state.scroll, last) + lines(extent)));
    return { ...state, scroll };
  };

/** Moves the cursor of the list, and scrolls as far as needed to show it. */
const moveBy =
  (rows: Distance): Command =>
  (state, extent) => {
    const last = Math.max(0, state.selected.length - 1);
    const cursor = Math.min(last, Math.max(0, state.cursor + rows(extent)));
    const scroll = Math.min(cursor, Math.max(state.scroll, cursor - extent.height + 1));
    return { ...state, cursor, scroll };
  };

/** Opens the rollout at a distance from the cursor. */
const open =
  (distance: number): Command =>
  (state) => {
    const { page, scroll, selected } = state;
    const cursor = state.cursor + distance;
    if (selected.length === 0) return { ...state, notice: noMatch };
    if (cursor < 0) return { ...state, notice: "This is the first rollout." };
    if (cursor >= selected.length) return { ...state, notice: "This is the last rollout." };
    const listScroll = page === "list" ? scroll : state.listScroll;
    return { ...state, page: "rollout", cursor, scroll: 0, listScroll };
  };

const goToList: Command = (state) => ({ ...state, page: "list", scroll: state.listScroll });

const pageDown: Distance = ({ height }) => height - 1;
const pageUp: Distance = ({ height }) => 1 - height;
const next = open(1);

/** Scrolls down, and at the end of a rollout opens the next. */
const scrollOrNext: Command = (state, extent) =>
  state.page === "rollout" && state.scroll >= extent.lines - extent.height
    ? next(state, extent)
    : scrollBy(pageDown)(state, extent);

const clearFilter: Command = (state) =>
  state.selection.where === undefined && state.selection.isFailedOnly !== true
    ? { ...state, notice: "Press q to quit." }
    : applySelection(state, { ...state.selection, where: undefined, isFailedOnly: false });

/** The keys that scroll, for a page or for the list. */
function movement(move: (distance: Distance) => Command): Readonly<Record<string, Command>> {
  const [down, up] = [move(() => 1), move(() => -1)];
  return {
    down,
    j: down,
    up,
    k: up,
    b: move(pageUp),
    pagedown: move(pageDown),
    pageup: move(pageUp),
    home: move(() => -Infinity),
    end: move(() => Infinity),
  };
}

const everywhere: Readonly<Record<string, Command>> = {
  a: (state) => ({ ...state, isWhole: !state.isWhole }),
  f: (state) =>
    applySelection(state, {
      ...state.selection,
      isFailedOnly: state.selection.isFailedOnly !== true,
    }),
  "/": (state) => ({ ...state, prompt: { kind: "where", text: state.selection.where ?? "" } }),
  g: (state) => ({ ...state, prompt: { kind: "number", text: "" } }),
  o: (state) => ({ ...state, isOpening: true }),
  "?": (state) => ({ ...state, isHelp: true }),
  h: (state) => ({ ...state, isHelp: true }),
};

const inList: Readonly<Record<string, Command>> = {
  ...movement(moveBy),
  space: moveBy(pageDown),
  n: moveBy(() => 1),
  p: moveBy(() => -1),
  return: open(0),
  right: open(0),
  s: (state) => ({ ...state, page: "summary", scroll: 0, listScroll: state.scroll }),
  escape: clearFilter,
  q: () => undefined,
};

/** The keys in an open rollout or the summary. */
const inPage: Readonly<Record<string, Command>> = {
  ...movement(scrollBy),
  space: scrollOrNext,
  return: scrollBy(() => 1),
  n: (state, extent) => open(state.page === "summary" ? 0 : 1)(state, extent),
  right: (state, extent) => open(state.page === "summary" ? 0 : 1)(state, extent),
  p: (state, extent) => (state.page === "summary" ? goToList : open(-1))(state, extent),
  left: (state, extent) => (state.page === "summary" ? goToList : open(-1))(state, extent),
  s: (state, extent) =>
    state.page === "summary" ? goToList(state, extent) : { ...state, page: "summary", scroll: 0 },
  escape: goToList,
  q: goToList,
};
