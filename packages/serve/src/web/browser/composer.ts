/// <reference lib="dom" />
import type { Playable } from "../playable.ts";
import { byId, element } from "./dom.ts";
import { toolForm } from "./tool-form.ts";

/** What the player says. */
export interface Said {
  readonly action: Readonly<Record<string, unknown>>;
  /** How the conversation shows it. */
  readonly who: string;
  readonly text: string;
}

/** Where the player writes: a text box, or a form for each tool. */
export class Composer {
  readonly #form = byId("reply") as HTMLFormElement;
  #read: () => Said = () => ({ action: {}, who: "", text: "" });

  constructor(onSaid: (said: Said) => void, onProblem: (message: string) => void) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        onSaid(this.#read());
      } catch (error) {
        onProblem((error as Error).message);
      }
    });
    this.#form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      if (!(event.target instanceof HTMLTextAreaElement)) return;
      event.preventDefault();
      this.#form.requestSubmit();
    });
  }

  /** Makes the form for an environment. */
  show({ tools }: Playable): void {
    this.#form.hidden = false;
    if (tools.length === 0) this.#showText();
    else this.#showTools(tools);
  }

  hide(): void {
    this.#form.hidden = true;
  }

  /** Takes what is written, and takes nothing until the next `ready`. */
  wait(): void {
    for (const control of this.#form.elements) control.toggleAttribute("disabled", true);
  }

  /** Is ready for the next message; `isNew`: the last one has arrived. */
  ready(isNew: boolean): void {
    for (const control of this.#form.elements) control.toggleAttribute("disabled", false);
    if (isNew) for (const box of this.#form.querySelectorAll("textarea")) box.value = "";
    this.#focus();
  }

  #focus(): void {
    this.#form.querySelector<HTMLElement>("textarea, .fields input, .fields select")?.focus();
  }

  #showText(): void {
    const box = element("textarea", { id: "text", rows: 3, required: true });
    const label = element("label", { htmlFor: "text" }, ["Your reply"]);
    this.#form.replaceChildren(label, box, sendRow("Enter sends, Shift+Enter starts a new line"));
    this.#read = () => ({ action: { text: box.value }, who: "You", text: box.value });
  }

  #showTools(tools: Playable["tools"]): void {
    const fields = element("div", { className: "fields" });
    const choices = tools.map((tool, place) => {
      const id = `tool-${place}`;
      const radio = element("input", { type: "radio", name: "tool", id, checked: place === 0 });
      radio.addEventListener("change", () => this.#showTool(tool, fields));
      return element("span", { className: "choice" }, [
        radio,
        element("label", { htmlFor: id }, [tool.name]),
      ]);
    });
    const legend = element("legend", {}, ["Tool"]);
    const set = element("fieldset", {}, [legend, ...choices]);
    this.#form.replaceChildren(set, fields, sendRow("Enter sends"));
    this.#showTool(tools[0]!, fields);
  }

  #showTool(tool: Playable["tools"][number], fields: HTMLElement): void {
    const form = toolForm(tool);
    const about = element("p", { className: "quiet about" }, [tool.description]);
    fields.replaceChildren(about, ...form.fields);
    this.#read = () => {
      const input = form.read();
      const action = { type: "call_tool", tool_name: tool.name, arguments: input };
      return { action, who: `You · ${tool.name}`, text: inputText(input) };
    };
    this.#focus();
  }
}

function sendRow(hint: string): HTMLElement {
  const send = element("button", {}, ["Send"]);
  return element("p", { className: "send" }, [
    send,
    element("small", { className: "quiet" }, [hint]),
  ]);
}

/** One field that is text is shown as it is; all else by name. */
function inputText(input: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(input);
  const [only] = all;
  if (all.length === 1 && typeof only![1] === "string") return only![1];
  return all
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
