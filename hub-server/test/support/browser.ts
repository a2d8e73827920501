import type { RunningHub } from "@envs/hub-server/src/start.ts";

/** A browser without JavaScript: stores cookies by site, follows redirects, and submits the forms of its current page. */
export interface Browser {
  /** The current page. Throws before the first visit. */
  readonly page: Page;
  readonly cookies: ReadonlyMap<string, string>;
  open(path: string): Promise<Page>;
  /** Fills in fields by their labels, then presses a button. */
  press(button: string, fields?: Readonly<Record<string, string>>): Promise<Page>;
  /** Submits a form that is not on the current page. */
  send(path: string, options: SendOptions): Promise<Page>;
}

export interface SendOptions {
  readonly fields: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Page {
  readonly status: number;
  readonly path: string;
  readonly headers: Headers;
  readonly html: string;
  readonly heading: string;
  /** The text without markup. */
  readonly text: string;
}

interface PageForm {
  readonly action: string;
  readonly html: string;
}

/** Returns a browser without cookies. Paths are relative to the hub. */
export function browser(hub: Pick<RunningHub, "url">): Browser {
  const jars = new Map<string, Map<string, string>>();
  const cookiesOf = (origin: string): Map<string, string> => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  const home = new URL(hub.url).origin;
  let page: Page | undefined;

  async function visit(path: string, init: RequestInit = {}): Promise<Page> {
    const url = new URL(path, hub.url);
    const cookies = cookiesOf(url.origin);
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      headers: {
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
        "sec-fetch-site": init.method === "POST" ? "same-origin" : "none",
        ...(cookies.size > 0 && {
          cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        }),
        ...(init.headers as Record<string, string>),
      },
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const [, refresh] = /^0; url=(.+)$/.exec(response.headers.get("refresh") ?? "") ?? [];
    const location = response.headers.get("location") ?? refresh;
    if (location !== undefined) {
      const target = new URL(location, url);
      return await visit(
        target.origin === home ? `${target.pathname}${target.search}` : target.href,
      );
    }
    return (page = pageOf(path, response, await response.text()));
  }

  function currentPage(): Page {
    if (page === undefined) throw new Error("The browser has not opened a page yet.");
    return page;
  }

  const send: Browser["send"] = (path, { fields, headers = {} }) =>
    visit(path, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  return {
    get page() {
      return currentPage();
    },
    cookies: cookiesOf(home),
    open: visit,
    send,
    async press(button, fields = {}) {
      const { form, sent } = formWith(currentPage().html, button);
      const values = Object.fromEntries(
        Object.entries(fields).map(([label, value]) => [fieldName(form, label), value]),
      );
      return await send(form.action, { fields: { ...initialFields(form), ...values, ...sent } });
    },
  };
}

function pageOf(path: string, { status, headers }: Response, html: string): Page {
  const [, heading = ""] = /<h1>(.*?)<\/h1>/.exec(html) ?? [];
  const text = plainText(html.replace(/<head>.*<\/head>/s, ""));
  return { status, path, headers, html, heading: plainText(heading), text };
}

function formWith(html: string, button: string) {
  for (const [formHtml, action = ""] of html.matchAll(/<form[^>]* action="([^"]*)".*?<\/form>/gs))
    for (const [, attributes = "", label = ""] of formHtml.matchAll(
      /<button([^>]*)>(.*?)<\/button>/gs,
    )) {
      const buttonName = /aria-label="([^"]*)"/.exec(attributes)?.[1] ?? plainText(label);
      if (plainText(buttonName) !== button) continue;
      const [, name] = /name="([^"]*)"/.exec(attributes) ?? [];
      const [, value = ""] = /value="([^"]*)"/.exec(attributes) ?? [];
      const form: PageForm = { action: plainText(action), html: formHtml };
      return { form, sent: name === undefined ? {} : { [name]: value } };
    }
  throw new Error(`The page has no button “${button}”:\n${plainText(html)}`);
}

/** The fields that a browser submits if the user changes none. */
function initialFields({ html }: PageForm): Record<string, string> {
  const inputs = [...html.matchAll(/<input[^>]*>/g)].map(([input]) => input);
  const submitted = inputs.filter(
    (input) => !/type="(?:checkbox|radio)"/.test(input) || input.includes(" checked"),
  );
  const selects = [...html.matchAll(/<select([^>]*)>(.*?)<\/select>/gs)].map(([, tag, options]) => {
    const all = [...(options ?? "").matchAll(/<option[^>]*>/g)].map(([option]) => option);
    const chosen = all.find((option) => option.includes(" selected")) ?? all[0] ?? "";
    return [attribute(tag ?? "", "name") ?? "", attribute(chosen, "value") ?? ""];
  });
  const areas = [...html.matchAll(/<textarea([^>]*)>(.*?)<\/textarea>/gs)].map(([, tag, text]) => [
    attribute(tag ?? "", "name") ?? "",
    plainText(text ?? ""),
  ]);
  return Object.fromEntries([
    ...submitted.map((input) => [attribute(input, "name") ?? "", attribute(input, "value") ?? ""]),
    ...selects,
    ...areas,
  ]) as Record<string, string>;
}

function fieldName({ html }: PageForm, label: string): string {
  for (const [, id = "", text = ""] of html.matchAll(
    /<label for="([^"]*)"[^>]*>(.*?)<\/label>/gs,
  )) {
    if (plainText(text) !== label) continue;
    const field = [...html.matchAll(/<(?:input|select|textarea)[^>]*>/g)]
      .map(([input]) => input)
      .find((input) => attribute(input, "id") === id);
    const name = field === undefined ? undefined : attribute(field, "name");
    if (name !== undefined) return name;
  }
  throw new Error(`The form has no field “${label}”:\n${plainText(html)}`);
}

function attribute(tag: string, name: string): string | undefined {
  const [, value] = new RegExp(` ${name}="([^"]*)"`).exec(tag) ?? [];
  return value === undefined ? undefined : plainText(value);
}

/** The text of HTML: without tags, and with its entities decoded. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll("&#x27;", "'")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&")
    .replaceAll(/\s+/g, " ")
    .trim();
}
