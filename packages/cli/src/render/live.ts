import { widthOf } from "./wrap.ts";

/** Lines at the end of what a terminal shows, drawn over those of before. */
export interface LiveLines {
  draw(lines: readonly string[]): void;
  /** Leaves the last lines where they are. */
  done(): void;
}

/** The stream of a terminal, as far as it matters. */
export interface LiveStream {
  readonly columns?: number;
  write(text: string): unknown;
}

// Terminals that know it show everything between the two at once; others ignore it.
const begin = "\u001B[?2026h";
const end = "\u001B[?2026l";

/** Starts redrawing lines on a terminal. Nothing is cleared before it is drawn over, so nothing flickers. */
export function liveLines(stream: LiveStream): LiveLines {
  let drawn: readonly string[] = [];
  return {
    draw(lines) {
      // A terminal that became narrower has broken the lines of before.
      const columns = Math.max(1, stream.columns || 80);
      const height = drawn.reduce(
        (rows, line) => rows + Math.max(1, Math.ceil(widthOf(line) / columns)),
        0,
      );
      const up = height > 0 ? `\u001B[${height}A\r` : "";
      const text = lines.map((line) => `${line}\u001B[K\n`).join("");
      stream.write(`${begin}${up}${text}\u001B[J${end}`);
      drawn = lines;
    },
    done() {
      drawn = [];
    },
  };
}
