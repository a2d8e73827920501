import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";

/** A line of the score table on a picture: a share of the width that it fills, and its text. */
export interface CardRow {
  readonly label: string;
  readonly value: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** The data of a package's picture. */
export interface CardContent {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** The heading of the rows. */
  readonly heading: string;
  readonly rows: readonly CardRow[];
}

const [width, height, margin] = [1200, 630, 72];
const maxRows = 4;
const rowHeight = 54;
const colours = {
  ground: "#faf9f6",
  ink: "#1a1d21",
  quiet: "#575e67",
  line: "#e0ddd6",
  accent: "#0b5c6e",
};

/** The picture of a package as SVG: its name, its description, and its score table. */
export function cardSvg({ name, version, description, heading, rows }: CardContent): string {
  const shown = rows.slice(0, maxRows);
  const tableTop = height - margin - (shown.length - 1) * rowHeight;
  return renderToStaticMarkup(
    <svg xmlns="http://www.w3.org/2000/svg" viewBox={`0 0 ${width} ${height}`}>
      <rect width={width} height={height} fill={colours.ground} />
      <rect width={width} height="12" fill={colours.accent} />
      <g fontFamily="Public Sans">
        <text x={margin} y="150" fontSize={nameSize(name)} fontWeight="600" fill={colours.ink}>
          {shortened(name, 44)}
        </text>
        {wrapped(description, 58)
          .slice(0, 3)
          .map((line, index) => (
            <text key={index} x={margin} y={210 + index * 44} fontSize="33" fill={colours.quiet}>
              {line}
            </text>
          ))}
        {shown.length > 0 && (
          <text x={margin} y={tableTop - 44} fontSize="25" fontWeight="600" fill={colours.accent}>
            {heading}
          </text>
        )}
        {shown.map((row, index) => (
          <Row key={index} row={row} y={tableTop + index * rowHeight} />
        ))}
        <text x={margin} y="72" fontSize="27" fontWeight="600" fill={colours.accent}>
          envs hub
        </text>
        <text x={width - margin} y="72" fontSize="27" textAnchor="end" fill={colours.quiet}>
          {version}
        </text>
      </g>
    </svg>,
  );
}

function Row({ row: { label, value, share }, y }: { row: CardRow; y: number }): ReactNode {
  const [barX, barWidth] = [560, 440];
  const filled = Math.max(0, Math.min(1, share)) * barWidth;
  return (
    <>
      <text x={margin} y={y} fontSize="28" fill={colours.ink}>
        {shortened(label, 30)}
      </text>
      <rect x={barX} y={y - 22} width={barWidth} height="24" rx="4" fill={colours.line} />
      <rect x={barX} y={y - 22} width={filled} height="24" rx="4" fill={colours.accent} />
      <text x={width - margin} y={y} fontSize="28" textAnchor="end" fill={colours.ink}>
        {value}
      </text>
    </>
  );
}

function nameSize(name: string): number {
  return name.length > 30 ? 44 : 60;
}

function shortened(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** Wraps a text between words, to lines of at most `maxLength` characters. */
function wrapped(text: string, maxLength: number): readonly string[] {
  const lines: string[] = [""];
  for (const word of text.replaceAll(/\p{Cc}/gu, " ").split(/\s+/)) {
    const last = lines.at(-1) ?? "";
    const longer = last === "" ? word : `${last} ${word}`;
    if (longer.length <= maxLength) lines[lines.length - 1] = longer;
    else lines.push(shortened(word, maxLength));
  }
  return lines;
}
