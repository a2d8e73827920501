import open from "open";

import { mediaLocations } from "../conversation/media.ts";
import type { ViewState } from "./state.ts";

/** Opens the next image, audio or file of the rollout on the screen with the system's program for it. */
export function openNextMedia(state: ViewState, openFile: (path: string) => void): ViewState {
  const rollout = state.page === "rollout" ? state.selected[state.cursor] : undefined;
  if (rollout === undefined) return { ...state, notice: "Open a rollout first." };
  const media = mediaLocations([...rollout.prompt, ...rollout.completion], state.run.path);
  const opened = state.opened?.cursor === state.cursor ? state.opened.count : 0;
  if (media.length === 0)
    return { ...state, notice: "This rollout has no images, audio or files." };
  const location = media[opened % media.length];
  if (location === undefined)
    return {
      ...state,
      notice: "The record contains the bytes itself, so there is no file to open.",
    };
  openFile(location);
  const count = (opened % media.length) + 1;
  return {
    ...state,
    opened: { cursor: state.cursor, count },
    notice: `Opened ${count} of ${media.length}: ${location}`,
  };
}

/** Opens a file with the system's program. Ignores errors of that program. */
export function openWithSystem(path: string): void {
  void open(path).then(
    (child) => child.on("error", () => {}),
    () => {},
  );
}
