import type { ReactNode } from "react";

import type { Approval } from "../identity/second-factor/approvals.ts";
import { CodeField, Form, Problem } from "./form.tsx";
import { Moment } from "./moment.tsx";
import type { SignedIn } from "./signed-in.ts";

/** Who asks for what, and a code to compare: what a person needs in order to decide. */
export function Approve({
  visitor,
  approval,
  problem,
}: {
  readonly visitor: SignedIn;
  readonly approval: Approval;
  readonly problem?: string;
}): ReactNode {
  const { code, purpose, client, address, action, created_at } = approval;
  const { user } = visitor.session;
  const isLogin = purpose === "login";
  return (
    <>
      <Problem text={problem} />
      <div className="card">
        <p>Does your terminal show this code?</p>
        <p className="code">{code}</p>
        <p>
          npm, pnpm and Yarn show it at the end of the address that they print. If it is another
          code, or you did not just run a command, deny.
        </p>
        <dl>
          <dt>Command line</dt>
          <dd>{client}</dd>
          <dt>Address</dt>
          <dd>{address}</dd>
          <dt>Asked at</dt>
          <dd>
            <Moment at={created_at} />
          </dd>
          {!isLogin && (
            <>
              <dt>To do</dt>
              <dd>{action}</dd>
            </>
          )}
          <dt>As</dt>
          <dd>{user.name}</dd>
        </dl>
        <Form action={`/approve/${code}`} visitor={visitor}>
          {needsCode(approval, visitor) && (
            <CodeField hint="The six digits that your authenticator app shows." />
          )}
          <div className="buttons">
            <button name="decision" value="approve">
              Approve
            </button>
            <button name="decision" value="deny" className="second" formNoValidate>
              Deny
            </button>
          </div>
        </Form>
      </div>
    </>
  );
}

/** A one-time password for a change stands for the second factor, so it takes one: that of the login, or another. */
export function needsCode({ purpose }: Pick<Approval, "purpose">, { session }: SignedIn): boolean {
  return purpose === "otp" && session.user.hasSecondFactor && !session.isFresh;
}
