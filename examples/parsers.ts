// Parsers read typed values from a reply and score whether the reply follows their format.
import { assistantMessage, boxedParser, jsonParser, thinkParser, xmlParser } from "@envs/core";
import * as z from "zod";

// #region xml
const tags = xmlParser("think?", ["move", "answer"]);
console.log(tags.format);
console.log(tags.parse("<think>The centre.</think> <move>4</move>"));
console.log(tags.parse("<answer>4</answer>, no, <answer>5</answer>").move);
console.log(tags.formatScore([assistantMessage("<move>4</move>"), assistantMessage("4")]));
// #endregion

// #region others
console.log(thinkParser().parse("<think>6 × 7</think> 42"));
console.log(boxedParser().parse("So it is \\boxed{\\frac{3}{4}}."));
console.log(jsonParser(z.object({ move: z.int() })).parse('I play {"move": 4}.'));
// #endregion
