import type { ViewedRollout } from "../../record/rollout.ts";
import { answerIn } from "./answer-in.ts";
import { LongText } from "./long-text.tsx";

/** The expected answer, the answer that was read from the reply, and the judge's comment. */
export function AnswerBox({ viewed }: { readonly viewed: ViewedRollout }) {
  const { expected, scores } = viewed;
  const extracted = scores.find(({ answer }) => answer !== undefined)?.answer ?? answerIn(viewed);
  const judged = scores.filter(({ explanation }) => explanation !== undefined);
  if (expected === undefined && extracted === undefined && judged.length === 0) return null;
  return (
    <section className="answer" aria-label="Answer">
      {extracted !== undefined && (
        <div>
          <h3>Answer of the model</h3>
          <LongText text={extracted} />
        </div>
      )}
      {expected !== undefined && (
        <div>
          <h3>Expected answer</h3>
          <LongText text={expected} />
        </div>
      )}
      {judged.map(({ name, label, value, explanation = "" }) => (
        <div key={name} className="judge">
          <h3>
            Explanation of {name} ({label ?? value})
          </h3>
          <LongText text={explanation} />
        </div>
      ))}
    </section>
  );
}
