const numbers = ".source a.line-number";
const maxLines = 100_000;

/** Marks the lines that the address names: `#L10-L20`. Shift and a click on a line's number extends the range. */
function markLines(isScrolled: boolean): void {
  for (const line of document.querySelectorAll(".source .marked")) line.classList.remove("marked");
  const range = lineRange(location.hash);
  if (range === undefined) return;
  for (let number = range.first; number <= range.last; number += 1)
    document.querySelector(`#L${number}`)?.classList.add("marked");
  if (isScrolled) document.querySelector(`#L${range.first}`)?.scrollIntoView({ block: "center" });
}

document.addEventListener("click", (event) => {
  const link = (event.target as Element).closest<HTMLAnchorElement>(numbers);
  const [start, end] = [lineRange(location.hash), lineRange(link?.hash ?? "")];
  if (!event.shiftKey || start === undefined || end === undefined) return;
  event.preventDefault();
  history.replaceState(null, "", rangeHash(start.first, end.first));
  markLines(false);
});
window.addEventListener("hashchange", () => markLines(false));
markLines(true);

/** Lines of a file; both are included. */
interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Reads `#L10` and `#L10-L20`; undefined for any other text. */
function lineRange(hash: string): LineRange | undefined {
  const [, first, last = first] = /^#L(\d{1,6})(?:-L?(\d{1,6}))?$/.exec(hash) ?? [];
  if (first === undefined) return undefined;
  const [a, b] = [Number(first), Math.min(Number(last), maxLines)];
  return a <= b ? { first: a, last: b } : { first: b, last: a };
}

/** The part of an address that names a range of lines. */
function rangeHash(a: number, b: number): string {
  return a === b ? `#L${a}` : `#L${Math.min(a, b)}-L${Math.max(a, b)}`;
}
