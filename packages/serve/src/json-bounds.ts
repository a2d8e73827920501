/** How much JSON may hold: more costs gigabytes and minutes to check, however few megabytes it has. */
const most = { depth: 500, values: 2_000_000, keys: 10_000 };

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** What is too much about a text of JSON, which nobody has read yet; `undefined` if nothing is. */
export function excessOf(text: string): string | undefined {
  if (text.length < most.depth) return undefined;
  /** How many keys there are in each object that has begun. */
  const keys: number[] = [0];
  let values = 1;
  for (let at = 0; at < text.length; at += 1)
    switch (text.charCodeAt(at)) {
      case quote:
        at = endOfString(text, at);
        break;
      case openBracket:
      case openBrace:
        values += 1;
        if (keys.push(0) > most.depth) return `It is nested more than ${most.depth} deep.`;
        break;
      case closeBracket:
      case closeBrace:
        keys.pop();
        break;
      case comma:
        values += 1;
        if (values > most.values) return `It holds more than ${most.values} values.`;
        break;
      case colon:
        keys[keys.length - 1]! += 1;
        if (keys.at(-1)! > most.keys) return `An object has more than ${most.keys} keys.`;
        break;
      default:
    }
  return undefined;
}

/** Where a string ends that begins here; after the text, if it does not. */
function endOfString(text: string, start: number): number {
  for (let end = start; ;) {
    end = text.indexOf('"', end + 1);
    if (end === -1) return text.length;
    let before = end;
    while (text.charCodeAt(before - 1) === backslash) before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
}
