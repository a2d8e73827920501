import type { Board, BoardCell } from "@envs/core";
import { type KeyboardEvent, type ReactNode, useRef, useState } from "react";

const steps: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/** Whether a click on a square of the board plays a move. Some boards only show the position. */
export function hasMoves(board: Board | undefined): boolean {
  const cells = board?.rows.flat() ?? [];
  return cells.some(({ reply }) => reply !== undefined);
}

/** A board as a grid: arrow keys move between the squares, Enter or Space plays one. */
export function BoardGrid({
  board: { label, rows },
  moveOf,
  isActive,
  onMove,
}: {
  readonly board: Board;
  /** The reply that a click on a square plays; `undefined` for a square that plays none. */
  readonly moveOf: (cell: BoardCell) => string | undefined;
  readonly isActive: boolean;
  readonly onMove: (move: string) => void;
}): ReactNode {
  const table = useRef<HTMLTableElement>(null);
  const [current, setCurrent] = useState<readonly [number, number]>([0, 0]);
  const [row, column] = clamp(current, rows);

  const onKeyDown = (event: KeyboardEvent): void => {
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = clamp([row + step[0], column + step[1]], rows);
    setCurrent(next);
    const tableRow = table.current?.querySelectorAll("tr").item(next[0]);
    tableRow?.querySelectorAll("button").item(next[1]).focus();
  };

  return (
    <table ref={table} role="grid" className="board" aria-label={label} onKeyDown={onKeyDown}>
      <tbody>
        {rows.map((cells, rowIndex) => (
          <tr key={rowIndex}>
            {cells.map((cell, columnIndex) => {
              const move = isActive ? moveOf(cell) : undefined;
              return (
                <td key={columnIndex} role="gridcell" className={cellClass(cell, rows)}>
                  <button
                    type="button"
                    aria-label={cell.label}
                    aria-disabled={move === undefined}
                    tabIndex={rowIndex === row && columnIndex === column ? 0 : -1}
                    onFocus={() => setCurrent([rowIndex, columnIndex])}
                    onClick={() => {
                      if (move !== undefined) onMove(move);
                    }}
                  >
                    {cell.text}
                  </button>
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Squares with the same text have the same colour: the texts of a board, sorted, take the colours of a plot in order. */
function cellClass(cell: BoardCell, rows: Board["rows"]): string {
  const texts = [...new Set(rows.flat().map(({ text }) => text))].filter((text) => text !== "");
  const colour = texts.toSorted().indexOf(cell.text);
  const names = [
    ...(colour >= 0 && texts.length <= 5 ? [`mark-${colour + 1}`] : []),
    ...(cell.isHighlighted === true ? ["highlighted"] : []),
  ];
  return names.join(" ");
}

function clamp(
  [row, column]: readonly [number, number],
  rows: Board["rows"],
): readonly [number, number] {
  const safeRow = Math.min(Math.max(row, 0), rows.length - 1);
  const columns = rows[safeRow]?.length ?? 1;
  return [safeRow, Math.min(Math.max(column, 0), columns - 1)];
}
