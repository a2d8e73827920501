import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** Colours text where the terminal shows colours; respects NO_COLOR and FORCE_COLOR. */
export function paint(
  style: Style,
  text: string,
  stream: NodeJS.WriteStream = process.stdout,
): string {
  return styleText(style, text, { stream });
}
