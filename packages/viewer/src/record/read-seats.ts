import { fieldsOf, type Fields, numberOf, textOf } from "./json.ts";
import { readMessages } from "./read-messages.ts";
import type { ViewedRollout } from "./rollout.ts";

/** Reads which seat the rollout is of, and the sides of the other seats that models have played. */
export function readSeats(row: Fields): Pick<ViewedRollout, "seat" | "otherSeats"> {
  const seat = textOf(row["seat"]);
  const others = Object.entries(fieldsOf(row["other_seats"]));
  if (seat === undefined && others.length === 0) return {};
  return {
    seat,
    otherSeats: others.map(([name, value]) => {
      const side = fieldsOf(value);
      return {
        name,
        model: textOf(side["model"]),
        reward: numberOf(side["reward"]) ?? null,
        messages: [
          ...readMessages(side["prompt"], "user"),
          ...readMessages(side["completion"], "assistant"),
        ],
      };
    }),
  };
}
