import { LRUCache } from "lru-cache";

/** Answers of packages, each made once and kept until its package changes. */
export interface AnswerCache<Answer> {
  /** What can be answered at once. */
  readonly ready: (name: string, key: string) => Answer | undefined;
  /** What is kept, what is being made for somebody else, or what `make` makes. */
  readonly get: (question: Question, make: () => Promise<Answer>) => Promise<Answer>;
  /** Drops the answers of one package, or all. */
  readonly invalidate: (name: string | undefined) => void;
}

/** Which answer of which package. */
export interface Question {
  readonly name: string;
  readonly key: string;
}

/**
 * The answers of one package. Invalidation removes the whole object from the cache. An answer that is being made at that
 * moment still reaches the requests that wait for it, but it lands in a map that the cache no longer reads.
 */
interface Answers<Answer> {
  readonly ready: Map<string, Answer>;
  readonly making: Map<string, Promise<Answer>>;
  readonly bytes: number;
}

/** About what an answer costs beside its bytes. */
const overhead = 500;

/** A cache of so many bytes; the packages that nobody asked for the longest leave first. */
export function answerCache<Answer>({
  maxBytes,
  bytesOf,
}: {
  readonly maxBytes: number;
  readonly bytesOf: (answer: Answer) => number;
}): AnswerCache<Answer> {
  const packages = new LRUCache<string, Answers<Answer>>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes + overhead,
    // Should a replica's connection break unnoticed, it is behind for a minute, not for ever.
    ttl: 60_000,
    ttlResolution: 1000,
  });

  const answersOf = (name: string): Answers<Answer> => {
    const found = packages.get(name);
    if (found !== undefined) return found;
    const answers = { ready: new Map(), making: new Map(), bytes: 0 };
    packages.set(name, answers);
    return answers;
  };

  const keep = ({ ready }: Answers<Answer>, { name, key }: Question, made: Answer): void => {
    const current = packages.peek(name);
    if (current?.ready !== ready) return;
    ready.set(key, made);
    const bytes = current.bytes + bytesOf(made) + overhead;
    packages.set(name, { ...current, bytes }, { noUpdateTTL: true });
  };

  return {
    ready: (name, key) => packages.get(name)?.ready.get(key),

    async get(question, make) {
      const answers = answersOf(question.name);
      const { ready, making } = answers;
      const kept = ready.get(question.key) ?? making.get(question.key);
      if (kept !== undefined) return await kept;
      const own = make();
      making.set(question.key, own);
      try {
        const made = await own;
        keep(answers, question, made);
        return made;
      } finally {
        making.delete(question.key);
      }
    },

    invalidate: (name) => {
      if (name === undefined) packages.clear();
      else packages.delete(name);
    },
  };
}
