/** Letters that Unicode normalisation does not decompose into a base letter and a mark. */
const letters: Readonly<Record<string, string>> = {
  æ: "ae",
  ð: "d",
  đ: "d",
  ə: "e",
  ħ: "h",
  ı: "i",
  ł: "l",
  ø: "o",
  œ: "oe",
  ß: "ss",
  þ: "th",
};
const special = new RegExp(`[${Object.keys(letters).join("")}]`, "g");
const ascii = /^[\0-\x7f]*$/;

/** Lower case without diacritics, so that `Łódź`, `Lodz` and `LODZ` are the same. */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase();
  return text
    .normalize("NFKD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .replace(special, (letter) => letters[letter]!);
}

/** A name as part of an article's id: `Saint-Étienne` is `saint-etienne`. */
export function slug(text: string): string {
  return fold(text)
    .replace(/[’‘'ʻ`´]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
}
