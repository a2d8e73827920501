/** Something that was found out. What is bad will fail; a note is good to know. */
export interface Finding {
  readonly state: "good" | "note" | "bad";
  readonly text: string;
}

export function good(text: string): Finding {
  return { state: "good", text };
}

export function note(text: string): Finding {
  return { state: "note", text };
}

export function bad(text: string): Finding {
  return { state: "bad", text };
}
