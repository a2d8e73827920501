export const systemPrompt =
  "You play X. Three in a row win.\nAnswer as <think>your thoughts</think>\n<move>a number</move>";

/** Messages of the kind that a game shows and a player writes, without a game behind them. */
export function gameTexts(count: number): string[] {
  return Array.from({ length: count }, (_, game) => {
    const cells = Array.from({ length: 9 }, (_mark, cell) => {
      const marks = ["X", "O", String(cell)];
      return marks[(((game + 1) * (cell + 3) * 7919) >> 3) % 3]!;
    });
    const free = cells.filter((cell) => cell !== "X" && cell !== "O");
    const rows = [0, 3, 6].map((start) => cells.slice(start, start + 3).join(" | "));
    return [
      systemPrompt,
      `${rows.join("\n---------\n")}\n\nFree positions: ${free.join(", ")}\nIt is your turn.`,
      `<think>win: none; block: ${free[0] ?? "none"}</think>\n<move>${free.at(-1) ?? 0}</move>`,
    ];
  }).flat();
}
