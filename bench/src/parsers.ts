import { boxedParser, jsonParser, thinkParser, xmlParser } from "@envs/core";
import * as z from "zod";

import { best, type Figure, seconds } from "./figure.ts";

const hostile = ["<think>", "</think>", "<think></think>", "{", '{"a":', "\\boxed{", '"', "[{}]"];
const parsers = {
  xmlParser: xmlParser("think", "answer"),
  thinkParser: thinkParser(),
  boxedParser: boxedParser(),
  jsonParser: jsonParser(z.object({ answer: z.string() })),
};

/** Compares each parser's time for 4 MB and for 1 MB of its worst text. A ratio of 4 means linear time. */
export async function parserGrowth(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, parser] of Object.entries(parsers)) {
    const time = (size: number) => (text: string) =>
      best(3, () => seconds(async () => void parser.parse(text.repeat(size / text.length))));
    const small: number[] = [];
    for (const text of hostile) small.push(await time(1_000_000)(text));
    const worst = small.indexOf(Math.max(...small));
    const large = await time(4_000_000)(hostile[worst]!);
    figures.push(
      { name: `${name}, 1 MB of ${hostile[worst]}`, value: small[worst]! * 1000, unit: "ms" },
      {
        name: `${name}, 4 MB / 1 MB`,
        value: large / small[worst]!,
        unit: "×",
        aim: { at: "most", value: 8 },
      },
    );
  }
  return figures;
}
