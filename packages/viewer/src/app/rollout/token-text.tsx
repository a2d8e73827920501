import type { RecordedToken } from "@envs/records";
import { useMemo, useState } from "react";

import { difference, percent, plural } from "../format.ts";
import { useVocabulary } from "../use-run.ts";

const maxTokens = 2000;

interface TokenTextProps {
  readonly tokens: readonly RecordedToken[];
  readonly run: string;
}

/** The tokens of a reply, coloured by how sure the model was. Each shows its probability on hover and focus. */
export function TokenText({ tokens: recorded, run }: TokenTextProps) {
  const [isOpen, setOpen] = useState(false);
  const [current, setCurrent] = useState<RecordedToken>();
  const isTextless = recorded.some(({ text }) => text === undefined);
  const texts = useVocabulary(run, isOpen && isTextless);
  const tokens = useMemo(() => recorded.map((token) => withText(token, texts)), [recorded, texts]);
  const known = tokens.filter(({ logprob }) => logprob !== undefined);
  const total = known.reduce((sum, { logprob = 0 }) => sum + logprob, 0);
  const perplexity = known.length === 0 ? undefined : Math.exp(-total / known.length);
  return (
    <details
      className="tokens"
      open={isOpen}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>
        {plural(tokens.length, "token")}
        {perplexity !== undefined && (
          <span className="quiet"> · perplexity {Math.round(perplexity * 100) / 100}</span>
        )}
      </summary>
      {isOpen && (
        <>
          <p className="token-strip" onMouseLeave={() => setCurrent(undefined)}>
            {tokens.slice(0, maxTokens).map((token, index) => (
              <span
                key={index}
                className={`token token-${sureness(token)}`}
                onMouseEnter={() => setCurrent(token)}
              >
                {token.text ?? token.id ?? "?"}
              </span>
            ))}
          </p>
          <p className="quiet token-detail" role="status">
            {current === undefined ? "Point at a token for its probability." : describe(current)}
          </p>
        </>
      )}
    </details>
  );
}

function withText(token: RecordedToken, texts: readonly string[]): RecordedToken {
  const text = token.text ?? (token.id === undefined ? undefined : texts[token.id]);
  return text === undefined ? token : { ...token, text };
}

/** The certainty of a token, from 0 (very improbable) to 4 (nearly certain). */
function sureness({ logprob }: RecordedToken): string {
  if (logprob === undefined) return "unknown";
  const probability = Math.exp(logprob);
  return String([0.05, 0.25, 0.6, 0.95].filter((limit) => probability >= limit).length);
}

function describe({ id, text, logprob, advantage, alternatives }: RecordedToken): string {
  return [
    text === undefined ? "" : JSON.stringify(text),
    id === undefined ? "" : `id ${id}`,
    logprob === undefined
      ? ""
      : `probability ${percent(Math.exp(logprob))}, log ${logprob.toFixed(3)}`,
    advantage === undefined ? "" : `advantage ${difference(advantage)}`,
    alternatives.length === 0
      ? ""
      : `others: ${alternatives.map((other) => `${JSON.stringify(other.text)} ${percent(Math.exp(other.logprob))}`).join(", ")}`,
  ]
    .filter((part) => part !== "")
    .join(" · ");
}
