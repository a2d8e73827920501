import { widthOf } from "./wrap.ts";

/** Lines at the bottom of a terminal that are redrawn in place. */
export interface LiveLines {
  draw(lines: readonly string[]): void;
  /** Leaves the last lines on the screen; the next `draw` starts below them. */
  done(): void;
}

/** The part of a terminal's stream that drawing uses. */
export interface LiveStream {
  readonly columns?: number;
  write(text: string): unknown;
}

// Synchronized output: terminals that support it show everything in between at once; others ignore it.
const beginSynchronized = "\u001B[?2026h";
const endSynchronized = "\u001B[?2026l";

/**
 * Draws lines on a terminal, each frame over the last one. Nothing is erased before it is overwritten, so nothing flickers.
 * (log-update does not handle a terminal that became narrower: it leaves the reflowed lines of the last frame behind.)
 */
export function liveLines(stream: LiveStream): LiveLines {
  let drawn: readonly string[] = [];
  return {
    draw(lines) {
      // A terminal that became narrower has broken the lines of the last frame.
      const columns = Math.max(1, stream.columns || 80);
      const height = drawn.reduce(
        (rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)),
        0,
      );
      const up = height > 0 ? `\u001B[${height}A\r` : "";
      const text = lines.map((line) => `${line}\u001B[K\n`).join("");
      stream.write(`${beginSynchronized}${up}${text}\u001B[J${endSynchronized}`);
      drawn = lines;
    },
    done() {
      drawn = [];
    },
  };
}
