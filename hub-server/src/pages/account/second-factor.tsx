import type { ReactNode } from "react";
import { encode } from "uqr";

import { CardForm, CodeField, Form } from "../layout/form.tsx";

const section = "/settings/second-factor";

/** The first step: explains the second factor. */
export function SetUpForm(): ReactNode {
  return (
    <>
      <p>
        A second factor protects your account if your password is stolen: to log in or publish, you
        also enter a code from an authenticator app on your phone.
      </p>
      <CardForm action={`${section}/begin`}>
        <button>Set up</button>
      </CardForm>
    </>
  );
}

/** The second step: shows the secret and asks for its first code. */
export function ScanSecret({ secret, address }: { secret: string; address: string }): ReactNode {
  const spaced = secret.replaceAll(/(.{4})(?=.)/g, "$1 ");
  return (
    <>
      <p>Scan the QR code with an authenticator app, then enter the code that the app shows.</p>
      <div className="card">
        <QrCode text={address} />
        <p className="small">
          Or enter this secret in the app: <span className="secret">{spaced}</span>
        </p>
        <Form action={`${section}/confirm`}>
          <CodeField />
          <button>Confirm</button>
        </Form>
      </div>
    </>
  );
}

/** New recovery codes. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }): ReactNode {
  return (
    <>
      <p>
        Save these recovery codes where you can find them without your phone, for example on paper.
        Each replaces a code from the app once. The hub does not show them again.
      </p>
      <div className="card">
        <ul className="codes" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <p>
        <a href={section}>I have saved the codes</a>
      </p>
    </>
  );
}

/** Forms that replace the recovery codes and disable the second factor. */
export function ManageSecondFactor(): ReactNode {
  return (
    <>
      <p>
        The second factor is enabled: to log in or publish, you enter a code from your authenticator
        app. Tokens created to bypass the second factor do not need a code.
      </p>
      <CardForm title="New recovery codes" action={`${section}/recovery-codes`}>
        <CodeField />
        <button className="second">Replace recovery codes</button>
      </CardForm>
      <CardForm title="Disable the second factor" action={`${section}/disable`}>
        <CodeField id="disable-code" hint="From your app, or a recovery code." />
        <button className="danger">Disable</button>
      </CardForm>
    </>
  );
}

function QrCode({ text }: { readonly text: string }): ReactNode {
  const { data, size } = encode(text, { border: 3 });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code for an authenticator app; the secret is also shown below as text"
      shapeRendering="crispEdges"
    >
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
}
