/** The values of an option that takes several, with commas between them; `undefined` if there are none. */
export function listOption(text: string | undefined): string[] | undefined {
  const values = (text ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
  return values.length === 0 ? undefined : values;
}
