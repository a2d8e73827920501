import { type Changes, changesBetween, type Files } from "./files.ts";
import { amount, createOffice, type Office, type RandomSource } from "./office.ts";

export const taskKinds = ["find", "sum", "rename", "archive", "edit"] as const;
export type TaskKind = (typeof taskKinds)[number];

/** A task in a folder, and the content of the folder afterwards. */
export interface Task {
  readonly prompt: string;
  readonly kind: TaskKind;
  /** The files at the beginning. */
  readonly files: Files;
  /** The differences of a correct folder at the end. */
  readonly changes: Changes;
}

interface Plan {
  readonly prompt: string;
  /** All files of the solved task. */
  readonly expected: Files;
}

const plans: Readonly<Record<TaskKind, (office: Office, random: RandomSource) => Plan>> = {
  find({ files, notes }, random) {
    const { topic, path } = random.pick(notes);
    return {
      prompt: `One of the notes is about ${topic}. Write its path, such as notes/name.md, into a new file answer.txt.`,
      expected: { ...files, "answer.txt": path },
    };
  },
  sum({ files, invoices }, random) {
    const { customer } = random.pick(invoices);
    const own = invoices.filter((invoice) => invoice.customer === customer);
    const total = own.reduce((sum, { cents }) => sum + cents, 0);
    return {
      prompt: `Add up the amounts of all invoices of ${customer}. Write the sum with two decimals into a new file total.txt.`,
      expected: { ...files, "total.txt": amount(total) },
    };
  },
  rename({ files, drafts }) {
    const finals = new Set(drafts.filter(({ isFinal }) => isFinal).map(({ path }) => path));
    return {
      prompt:
        'Each draft begins with its status. Rename the drafts whose status is "final": replace "draft-" in the name by "report-". They stay in the folder drafts.',
      expected: renamed(files, (path) =>
        finals.has(path) ? path.replace("draft-", "report-") : path,
      ),
    };
  },
  archive({ files, invoices }, random) {
    const { year } = random.pick(invoices);
    const old = new Set(
      invoices.filter((invoice) => invoice.year === year).map(({ path }) => path),
    );
    return {
      prompt: `Move the invoices of the year ${year} into a new folder archive/${year}. Their names stay the same.`,
      expected: renamed(files, (path) =>
        old.has(path) ? path.replace("invoices/", `archive/${year}/`) : path,
      ),
    };
  },
  edit({ files, notes }, random) {
    const { phone } = random.pick(notes);
    const next = `555-${1000 + random.int(9000)}`;
    return {
      prompt: `The phone number ${phone} is now ${next}. Correct it in all notes that contain it.`,
      expected: Object.fromEntries(
        Object.entries(files).map(([path, text]) => [path, text.replaceAll(phone, next)]),
      ),
    };
  },
};

/** Creates the nth task. The kinds take turns, and each task has its own folder. */
export function createTask(
  index: number,
  { size, kinds }: { readonly size: number; readonly kinds: readonly TaskKind[] },
  random: RandomSource,
): Task {
  const kind = kinds[index % kinds.length]!;
  const office = createOffice(size, random);
  const { prompt, expected } = plans[kind](office, random);
  return {
    kind,
    prompt: `${prompt} Change nothing else.`,
    files: office.files,
    changes: changesBetween(office.files, expected),
  };
}

function renamed(files: Files, rename: (path: string) => string): Files {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [rename(path), text]));
}
