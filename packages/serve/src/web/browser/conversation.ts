/// <reference lib="dom" />
import type { Told } from "../../openenv/told.ts";
import type { Playable } from "../playable.ts";
import { byId, element } from "./dom.ts";

const list = byId("conversation") as HTMLOListElement;
const ending = byId("ending");

/** Shows an empty conversation. */
export function clear(): void {
  list.replaceChildren();
  ending.hidden = true;
}

/** Adds what somebody said. */
export function add(who: string, text: string, kind: "environment" | "player" | "problem"): void {
  const shown = element("pre", {}, [text]);
  append(element("li", { className: kind }, [element("h3", {}, [who]), shown]));
}

/** Adds what the environment says to the model before all else. */
export function addSystemPrompt(text: string): void {
  const summary = element("summary", {}, ["System prompt"]);
  const details = element("details", { open: text.length < 600 }, [
    summary,
    element("pre", {}, [text]),
  ]);
  append(element("li", { className: "system" }, [details]));
}

/** Shows the reward and the scores of an episode that is over. */
export function end({ reward, observation }: Told, { scores }: Playable): void {
  const {
    stop_reason: reason = "end",
    is_truncated: isTruncated,
    scores: values = {},
  } = observation;
  const rows = scores
    .filter(({ name }) => Object.hasOwn(values, name))
    .map(({ name, weight, description = "" }) =>
      element("tr", {}, [
        element("th", { scope: "row" }, [name]),
        element("td", { className: "number" }, [number(values[name] ?? null)]),
        element("td", { className: "number quiet" }, [weight === 0 ? "" : `× ${number(weight)}`]),
        element("td", { className: "quiet" }, [description]),
      ]),
    );
  const why = `${reasons[reason] ?? `The environment stopped it: ${reason}.`}${isTruncated === true ? " It counts as cut short." : ""}`;
  const again = element("button", {}, ["Play another"]);
  again.setAttribute("form", "choice");
  ending.replaceChildren(
    element("h2", {}, ["The episode is over"]),
    element("p", { className: "quiet" }, [why]),
    element("p", { className: "reward" }, ["Reward ", element("strong", {}, [number(reward)])]),
    element("table", {}, [element("tbody", {}, rows)]),
    again,
  );
  ending.hidden = false;
  again.focus({ preventScroll: true });
  ending.scrollIntoView({ block: "nearest" });
}

const reasons: Readonly<Record<string, string>> = {
  end: "The environment ended it.",
  turns: "There are no turns left.",
};

function number(value: number | null): string {
  return value === null ? "–" : String(Math.round(value * 10_000) / 10_000);
}

function append(item: HTMLLIElement): void {
  list.append(item);
  item.scrollIntoView({ block: "nearest" });
}
