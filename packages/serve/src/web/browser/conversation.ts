/// <reference lib="dom" />
import type { PlayableEnvironment } from "../playable-environment.ts";
import { byId, element } from "./dom.ts";
import type { PlayResult } from "./play-socket.ts";

const list = byId("conversation") as HTMLOListElement;
const ending = byId("ending");

export function clearConversation(): void {
  list.replaceChildren();
  ending.hidden = true;
}

export function addEntry(
  title: string,
  text: string,
  kind: "environment" | "player" | "problem",
): void {
  const content = element("pre", {}, [text]);
  append(element("li", { className: kind }, [element("h3", {}, [title]), content]));
}

export function addSystemPrompt(text: string): void {
  const summary = element("summary", {}, ["System prompt"]);
  const details = element("details", { open: text.length < 600 }, [
    summary,
    element("pre", {}, [text]),
  ]);
  append(element("li", { className: "system" }, [details]));
}

/** Shows the reward and the scores after the end of an episode. */
export function showOutcome(
  { reward, observation }: PlayResult,
  { scores }: PlayableEnvironment,
): void {
  const { stop_reason: stopReason = "end", scores: values = {} } = observation;
  const rows = scores
    .filter(({ name }) => Object.hasOwn(values, name))
    .map(({ name, weight, description = "" }) =>
      element("tr", {}, [
        element("th", { scope: "row" }, [name]),
        element("td", { className: "number" }, [formatNumber(values[name] ?? null)]),
        element("td", { className: "number quiet" }, [
          weight === 0 ? "" : `× ${formatNumber(weight)}`,
        ]),
        element("td", { className: "quiet" }, [description]),
      ]),
    );
  const reason = stopReasons[stopReason] ?? `It ended by the stop condition ${stopReason}.`;
  const explanation = observation.is_truncated === true ? `${reason} It is truncated.` : reason;
  const playAgain = element("button", {}, ["Play another"]);
  playAgain.setAttribute("form", "choice");
  ending.replaceChildren(
    element("h2", {}, ["The episode is over"]),
    element("p", { className: "quiet" }, [explanation]),
    element("p", { className: "reward" }, [
      "Reward ",
      element("strong", {}, [formatNumber(reward)]),
    ]),
    element("table", {}, [element("tbody", {}, rows)]),
    playAgain,
  );
  ending.hidden = false;
  playAgain.focus({ preventScroll: true });
  ending.scrollIntoView({ block: "nearest" });
}

const stopReasons: Readonly<Record<string, string>> = {
  end: "The environment ended it.",
  turns: "It reached the turn limit.",
};

function formatNumber(value: number | null): string {
  return value === null ? "–" : String(Math.round(value * 10_000) / 10_000);
}

function append(item: HTMLLIElement): void {
  list.append(item);
  item.scrollIntoView({ block: "nearest" });
}
