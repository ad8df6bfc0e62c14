/** More pages than there are between the code and the end. */
const MOST_PAGES = 8;

/** What a person does on the peer's pages. */
export interface PageOptions {
  /** Who signs in. */
  readonly user?: string;
  /** Whether they refuse. */
  readonly denies?: boolean;
}

/**
 * Does on the peer's pages what a person does, without a browser: opens the page, confirms the code, signs in, and
 * allows what's asked for.
 * @param page where to begin, with the code in its address
 */
export async function confirmOnPage(page: string, { user = 'Ada', denies = false }: PageOptions = {}): Promise<void> {
  const visit = new Visit();
  let html = await visit.open(page);
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const fields = Object.fromEntries(
      Array.from(html.matchAll(/<input[^>]* name="([^"]+)"(?:[^>]* value="([^"]*)")?/g), ([, name, value = '']) => [
        name ?? '',
        name === 'login' || name === 'password' ? user : value,
      ]),
    );
    const action = /<form[^>]* action="([^"]+)"/.exec(html)?.[1];
    if (action === undefined) break;
    const isEnd = denies && fields['confirm'] !== undefined;
    html = await visit.open(action, { ...fields, ...(isEnd && { abort: 'yes' }) });
    if (isEnd) return;
  }
  if (!html.includes('Sign-in Success')) throw new Error("The peer's page doesn't say that the sign-in succeeded.");
}

/** One visit of a browser, with its cookies. */
class Visit {
  readonly #cookies = new Map<string, string>();

  /** Opens a page, or sends a form, follows redirects, and resolves with the page at the end. */
  async open(address: string, form?: Readonly<Record<string, string>>): Promise<string> {
    const response = await fetch(address, {
      redirect: 'manual',
      headers: { Cookie: Array.from(this.#cookies, (cookie) => cookie.join('=')).join('; ') },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return location === null ? await response.text() : await this.open(new URL(location, address).href);
  }
}
