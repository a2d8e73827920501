/** Whether a text is the answer. Ignores case and space; rejects a second answer. */
export function sameAnswer(text: string | undefined, answer: string): boolean {
  return plain(text ?? "") === plain(answer);
}

function plain(text: string): string {
  return text.trim().replace(/\.$/, "").replaceAll(/\s+/g, " ").toLowerCase();
}
