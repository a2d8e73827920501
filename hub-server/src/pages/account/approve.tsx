import type { ReactNode } from "react";

import type { Approval } from "../../identity/second-factor/approvals.ts";
import { DateTime } from "../layout/date-time.tsx";
import { Facts } from "../layout/facts.tsx";
import { CodeField, Form, Problem } from "../layout/form.tsx";
import type { SignedInVisitor } from "../layout/require-session.ts";

/** Shows the client, the requested action and a code to compare with the terminal, and asks to approve or deny. */
export function Approve({
  visitor,
  approval,
  problem,
}: {
  readonly visitor: SignedInVisitor;
  readonly approval: Approval;
  readonly problem?: string | undefined;
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
          npm, pnpm and Yarn print the code at the end of the URL. Deny the request if the codes
          differ or if you did not just run a command.
        </p>
        <Facts
          facts={[
            ["Client", client],
            ["IP address", address],
            ["Requested", <DateTime date={created_at} />],
            ["Action", isLogin ? undefined : action],
            ["User", user.name],
          ]}
        />
        <Form action={`/approve/${code}`} visitor={visitor}>
          {needsCode(approval, visitor) && (
            <CodeField hint="The six digits from your authenticator app." />
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

/** Whether the user must enter a code: to approve a change with a second factor, unless the user entered one recently. */
export function needsCode(
  { purpose }: Pick<Approval, "purpose">,
  { session }: SignedInVisitor,
): boolean {
  return purpose === "otp" && session.user.hasSecondFactor && !session.isFresh;
}
