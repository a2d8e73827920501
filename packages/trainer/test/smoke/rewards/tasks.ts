import {
  boxedParser,
  defineEnvironment,
  type EnvironmentFactory,
  type Random,
  random,
  xmlParser,
} from "@envs/core";

/** A row of each task. */
export interface Row {
  readonly id: string;
  readonly prompt: string;
  readonly answer: string;
}

interface Form {
  render(answer: string): string;
  /** What a reply answers; empty for a reply in another form. */
  parse(reply: string): string;
}

/** Rows without a defect, and the form of their answers. */
export interface Task {
  readonly name: string;
  readonly form: Form;
  readonly rows: (draw: Random) => readonly Omit<Row, "id">[];
}

const answerTag = xmlParser("answer");
const box = boxedParser();

export const tags: Form = {
  render: (answer) => answerTag.render({ answer }),
  parse: (reply) => answerTag.parse(reply).answer ?? "",
};
export const boxed: Form = {
  render: (answer) => `\\boxed{${answer}}`,
  parse: (reply) => box.parse(reply) ?? "",
};
export const bare: Form = { render: (answer) => answer, parse: (reply) => reply.trim() };
export const json: Form = {
  render: (answer) => JSON.stringify({ answer }),
  parse(reply) {
    try {
      const value = JSON.parse(reply) as { readonly answer?: unknown };
      return typeof value.answer === "string" ? value.answer : "";
    } catch {
      return "";
    }
  },
};

const alphabet = Array.from("abcdefghijklmnopqrstuvwxyz");
const many = (row: (index: number) => Omit<Row, "id">): readonly Omit<Row, "id">[] =>
  Array.from({ length: 400 }, (_, index) => row(index));
const word = (draw: Random, length: number): string =>
  Array.from({ length }, () => draw.pick(alphabet.slice(0, 8))).join("");

const capitals =
  "France Paris Spain Madrid Italy Rome Austria Vienna Norway Oslo Sweden Stockholm Poland Warsaw Greece Athens Portugal Lisbon Ireland Dublin Hungary Budapest Denmark Copenhagen Finland Helsinki Iceland Reykjavik Japan Tokyo China Beijing India Delhi Egypt Cairo Kenya Nairobi Peru Lima Chile Santiago Cuba Havana Canada Ottawa Turkey Ankara Iran Tehran Iraq Baghdad Nepal Kathmandu Qatar Doha Ghana Accra Mali Bamako".split(
    " ",
  );

export const letters: Task = {
  name: "letters",
  form: tags,
  rows: (draw) =>
    many((index) => {
      const letter = draw.pick(alphabet.slice(0, 8));
      return { prompt: `${index}: ${letter}`, answer: letter };
    }),
};
export const sums: Task = {
  name: "sums",
  form: bare,
  rows: (draw) =>
    many(() => {
      const [a, b] = [draw.int(30), draw.int(30)];
      return { prompt: `How much is ${a} + ${b}?`, answer: String(a + b) };
    }),
};
export const reversal: Task = {
  name: "reversal",
  form: tags,
  rows: (draw) =>
    many(() => {
      const text = word(draw, 4);
      return { prompt: `Reverse: ${text}`, answer: Array.from(text).toReversed().join("") };
    }),
};
export const cities: Task = {
  name: "cities",
  form: boxed,
  rows: (draw) =>
    many((index) => {
      const at = draw.int(capitals.length / 2) * 2;
      const prompt = `Question ${index}. What is the capital of ${capitals[at]}?`;
      return { prompt, answer: capitals[at + 1]! };
    }),
};
export const choices: Task = {
  name: "choices",
  form: bare,
  rows: (draw) =>
    many(() => {
      const numbers = draw.shuffle(Array.from({ length: 40 }, (_, number) => number)).slice(0, 4);
      const options = numbers.map((number, at) => `${"ABCD"[at]}) ${number}`).join("  ");
      const answer = "ABCD"[numbers.indexOf(Math.max(...numbers))]!;
      return { prompt: `Which number is the largest? ${options}`, answer };
    }),
};
export const sorting: Task = {
  name: "sorting",
  form: json,
  rows: (draw) =>
    many(() => {
      const text = word(draw, 3);
      return {
        prompt: `Sort the letters of ${text}.`,
        answer: Array.from(text).toSorted().join(""),
      };
    }),
};
export const parity: Task = {
  name: "parity",
  form: bare,
  rows: (draw) =>
    many(() => {
      const number = draw.int(1000);
      return {
        prompt: `Is ${number} even or odd?`,
        answer: number % 2 === 0 ? "even" : "odd",
      };
    }),
};
export const nextLetter: Task = {
  name: "next-letter",
  form: tags,
  rows: (draw) =>
    many((index) => {
      const at = draw.int(20);
      return { prompt: `${index}. What follows ${alphabet[at]}?`, answer: alphabet[at + 1]! };
    }),
};
export const miles: Task = {
  name: "miles",
  form: bare,
  rows: (draw) =>
    many(() => {
      const tenths = 10 + draw.int(900);
      const answer = (tenths * 0.160_934).toFixed(3);
      return { prompt: `Convert ${tenths / 10} miles to kilometres.`, answer };
    }),
};
export const counting: Task = {
  name: "counting",
  form: tags,
  rows: (draw) =>
    many(() => {
      const text = word(draw, 12).replaceAll(/[d-h]/g, () => draw.pick(["a", "b", "c"]));
      const answer = String(text.split("a").length - 1);
      return { prompt: `How many letters a are in ${text}?`, answer };
    }),
};

/** What a reward sees of a single reply. */
export interface Reply {
  readonly said: string;
  readonly reply: string;
  readonly row: Row;
}

interface Changes {
  /** Replaces rows. `all` has the rows before the change. */
  readonly rows?: (row: Row, index: number, all: readonly Row[]) => Row;
  readonly gold?: (row: Row, form: Form) => string;
  readonly systemPrompt?: string;
  readonly setup?: (row: Row) => void;
}

/** An environment of one turn: a task, its reward, and what a case changes. The policy replies the answer of the task. */
export function oneTurn(
  task: Task,
  score: (reply: Reply) => number,
  { rows: change = (row) => row, gold, systemPrompt, setup = () => {} }: Changes = {},
): EnvironmentFactory {
  const all = task.rows(random(task.name, 1)).map((row, index) => ({ ...row, id: `${index}` }));
  const right = new Map(all.map((row) => [row.id, row]));
  return defineEnvironment({
    name: task.name,
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    dataset: () => all.map((row, index) => change(row, index, all)),
    setup({ example }) {
      setup(example);
      return {};
    },
    rubric: {
      right: ({ reply, example }) => score({ said: task.form.parse(reply), reply, row: example }),
    },
    policies: {
      // The author's solution is right even where the key of the row is wrong.
      right: ({ example }) => {
        const row = { ...example, answer: right.get(example.id)!.answer };
        return gold?.(row, task.form) ?? task.form.render(row.answer);
      },
    },
  }) as unknown as EnvironmentFactory;
}

export const exact = ({ said, row }: Reply): number => Number(said === row.answer);
/** The difference of two numbers; 1000 for a reply without a number. */
export function distance({ said, row }: Reply): number {
  const difference = Math.abs(Number(said) - Number(row.answer));
  return said === "" || Number.isNaN(difference) ? 1000 : difference;
}
