import type { ReactNode } from "react";
import { encode } from "uqr";

import { CodeField, Form, PasswordField, Whose } from "./form.tsx";
import type { SignedIn } from "./signed-in.ts";

interface Props {
  readonly visitor: SignedIn;
}
const at = "/settings/second-factor";

/** Before there is one. */
export function Begin({ visitor }: Props): ReactNode {
  return (
    <>
      <p>
        With a second factor, a stolen password is not enough: logging in and publishing also take a
        code from an authenticator app on your telephone.
      </p>
      <div className="card">
        <Form action={`${at}/begin`} visitor={visitor}>
          <Whose name={visitor.session.user.name} />
          <PasswordField />
          <button>Set up</button>
        </Form>
      </div>
    </>
  );
}

/** Between the secret and its first code. */
export function Scan({
  visitor,
  secret,
  address,
}: Props & { readonly secret: string; readonly address: string }): ReactNode {
  const spaced = secret.replaceAll(/(.{4})(?=.)/g, "$1 ");
  return (
    <>
      <p>Scan this with an authenticator app, then give the code that it shows.</p>
      <div className="card">
        <QrCode text={address} />
        <p className="small">
          Or type it in: <span className="secret">{spaced}</span>
        </p>
        <Form action={`${at}/confirm`} visitor={visitor}>
          <CodeField />
          <button>Confirm</button>
        </Form>
      </div>
    </>
  );
}

/** What helps without the telephone, this once. */
export function RecoveryCodes({ codes }: { readonly codes: readonly string[] }): ReactNode {
  return (
    <>
      <p>
        Keep these recovery codes where you find them without your telephone, on paper for example.
        Each stands in for a code once. They are not shown again.
      </p>
      <div className="card">
        <ul className="codes" aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
      </div>
      <p>
        <a href={at}>I have kept them</a>
      </p>
    </>
  );
}

/** While there is one. */
export function Active({ visitor }: Props): ReactNode {
  return (
    <>
      <p>
        Logging in and publishing take a code from your authenticator app. Tokens that were made to
        do without it do not.
      </p>
      <h2>New recovery codes</h2>
      <div className="card">
        <Form action={`${at}/recovery-codes`} visitor={visitor}>
          <CodeField />
          <button className="second">Make new ones</button>
        </Form>
      </div>
      <h2>Do without it</h2>
      <div className="card">
        <Form action={`${at}/disable`} visitor={visitor}>
          <Whose name={visitor.session.user.name} />
          <PasswordField />
          <CodeField id="disable-code" hint="From your app, or a recovery code." />
          <button className="danger">Disable</button>
        </Form>
      </div>
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
      aria-label="A QR code for an authenticator app; the same is written below"
      shapeRendering="crispEdges"
    >
      <path d={squares.join("")} fill="#000" />
    </svg>
  );
}
