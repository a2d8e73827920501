/// <reference lib="dom" />
import type { PlayableEnvironment } from "../playable-environment.ts";
import { byId, element } from "./dom.ts";
import { toolForm } from "./tool-form.ts";

/** The player's next action. */
export interface PlayerAction {
  readonly action: Readonly<Record<string, unknown>>;
  /** The title of its entry in the conversation. */
  readonly title: string;
  readonly text: string;
}

/** The form in which the player writes: a text box, or a form for each tool. */
export class Composer {
  readonly #form = byId("reply") as HTMLFormElement;
  #read: () => PlayerAction = () => ({ action: {}, title: "", text: "" });

  constructor(onAction: (action: PlayerAction) => void, onProblem: (message: string) => void) {
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      try {
        onAction(this.#read());
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

  /** Builds and shows the form for an environment. */
  show({ tools }: PlayableEnvironment): void {
    this.#form.hidden = false;
    if (tools.length === 0) this.#showTextBox();
    else this.#showTools(tools);
  }

  hide(): void {
    this.#form.hidden = true;
  }

  disable(): void {
    for (const control of this.#form.elements) control.toggleAttribute("disabled", true);
  }

  enable({ isCleared }: { readonly isCleared: boolean }): void {
    for (const control of this.#form.elements) control.toggleAttribute("disabled", false);
    if (isCleared) for (const box of this.#form.querySelectorAll("textarea")) box.value = "";
    this.#focus();
  }

  #focus(): void {
    this.#form.querySelector<HTMLElement>("textarea, .fields input, .fields select")?.focus();
  }

  #showTextBox(): void {
    const box = element("textarea", { id: "text", rows: 3, required: true });
    const label = element("label", { htmlFor: "text" }, ["Your reply"]);
    this.#form.replaceChildren(
      label,
      box,
      sendRow("Press Enter to send, Shift+Enter for a new line"),
    );
    this.#read = () => ({ action: { text: box.value }, title: "You", text: box.value });
  }

  #showTools(tools: PlayableEnvironment["tools"]): void {
    const fields = element("div", { className: "fields" });
    const choices = tools.map((tool, index) => {
      const id = `tool-${index}`;
      const radio = element("input", { type: "radio", name: "tool", id, checked: index === 0 });
      radio.addEventListener("change", () => this.#showTool(tool, fields));
      return element("span", { className: "choice" }, [
        radio,
        element("label", { htmlFor: id }, [tool.name]),
      ]);
    });
    const legend = element("legend", {}, ["Tool"]);
    const fieldset = element("fieldset", {}, [legend, ...choices]);
    this.#form.replaceChildren(fieldset, fields, sendRow("Press Enter to send"));
    this.#showTool(tools[0]!, fields);
  }

  #showTool(tool: PlayableEnvironment["tools"][number], fields: HTMLElement): void {
    const form = toolForm(tool);
    const description = element("p", { className: "quiet about" }, [tool.description]);
    fields.replaceChildren(description, ...form.fields);
    this.#read = () => {
      const input = form.read();
      const action = { type: "call_tool", tool_name: tool.name, arguments: input };
      return { action, title: `You · ${tool.name}`, text: inputText(input) };
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

/** The arguments of a call for the conversation. A single text argument appears without its name. */
function inputText(input: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(input);
  const [first] = entries;
  if (entries.length === 1 && typeof first![1] === "string") return first![1];
  return entries
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("\n");
}
