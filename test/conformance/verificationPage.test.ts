import assert from 'node:assert/strict';
import { outcome, tokensOf, useApi } from './api';

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

/** Guards that the demo service's page is one on which nobody else can decide, and that explains what's wrong. */
describe('the verification page', () => {
  const api = useApi({ clientName: 'Editor <b>&"one"</b>', deviceCodeTtl: 60 });

  const read = async (path: string, form?: Readonly<Record<string, string>>): Promise<Page> => {
    const init = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(api().service.verificationUrl + path, init);
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  const enter = (userCode: string): Promise<Page> => read('', { user_code: userCode });
  const decide = async (userCode: string, decision: string, account = 'ada'): Promise<Page> => {
    const { html } = await enter(userCode);
    const fields = { user_code: fieldValue(html, 'user_code'), form_token: fieldValue(html, 'form_token') };
    return read('-decision', { ...fields, account, decision });
  };
  const textOf = ({ html }: Page, role: 'alert' | 'status'): string =>
    new RegExp(`role="${role}"[^>]*>\\s*([^<]*?)\\s*<`).exec(html)?.[1] ?? `no ${role}`;
  const nameOf = async (deviceCode: string): Promise<unknown> => {
    const { accessToken } = tokensOf(await api().poll(deviceCode));
    return (await api().whoami(accessToken)).body['name'];
  };

  it('asks for the code in a labelled field that has the focus and contains the code from the address', async () => {
    const { status, html } = await read('?user_code=BCDF-GHJK');
    assert.equal(status, 200);
    assert.equal(fieldValue(html, 'user_code'), 'BCDF-GHJK');
    assert.match(html, /<label for="user_code">/);
    assert.match(html, /<input[^>]* autofocus/);
    assert.match(html, /<html lang="en">/);
    assert.equal(fieldValue((await read('')).html, 'user_code'), '');
  });

  it('sends its forms to relative addresses, so that it works behind a proxy that adds a path', async () => {
    const { userCode } = await api().issueCode();
    for (const { html } of [await read(''), await enter(userCode), await enter('wrong')]) {
      assert.match(html, /<form method="post" action="activate(-decision)?">/);
    }
  });

  for (const [name, type] of [
    ['as shown', (code: string): string => code],
    ['in lowercase', (code: string): string => code.toLowerCase()],
    ['without the dash', (code: string): string => code.replace('-', '')],
    ['with spaces and other dashes', (code: string): string => ` ${code.replace('-', ' – ').split('').join(' ')}\t`],
    ['in full-width letters', fullWidth],
  ] as const) {
    it(`accepts the code ${name}, says which client is asking, and lets the user allow it`, async () => {
      const { deviceCode, userCode } = await api().issueCode();
      const decision = await enter(type(userCode));
      assert.equal(decision.status, 200);
      assert.match(decision.html, /Allow “Editor &lt;b&gt;&amp;&quot;one&quot;&lt;\/b&gt;” to sign in\?/);
      assert.ok(decision.html.includes(userCode), 'it shows the code as the device does');
      assert.equal(api().service.stateOf(userCode), 'pending', 'nothing is decided yet');
      const page = await decide(type(userCode), 'allow', 'Ada <i>Lovelace</i>');
      assert.match(textOf(page, 'status'), /signed in as Ada &lt;i&gt;Lovelace&lt;\/i&gt;/);
      assert.equal(await nameOf(deviceCode), 'Ada <i>Lovelace</i>');
    });
  }

  it('uses the default account if the user does not enter a name', async () => {
    const { deviceCode, userCode } = await api().issueCode();
    await decide(userCode, 'allow', ' \u200b\n ');
    assert.equal(await nameOf(deviceCode), 'demo');
  });

  it('denies for any decision other than "allow", and the client learns about it', async () => {
    for (const decision of ['deny', 'perhaps']) {
      const { deviceCode, userCode } = await api().issueCode();
      assert.match(textOf(await decide(userCode, decision), 'status'), /wasn’t signed in/);
      assert.deepEqual(outcome(await api().poll(deviceCode)), [400, 'access_denied']);
    }
  });

  describe('explains why a code cannot be used', () => {
    const used = async (): Promise<string> => {
      const { deviceCode, userCode } = await api().approvedCode();
      await api().poll(deviceCode);
      return userCode;
    };
    const afterIssue = (change: (userCode: string) => unknown) => async (): Promise<string> => {
      const { userCode } = await api().issueCode();
      await change(userCode);
      return userCode;
    };
    for (const [name, codeOf, says] of [
      ['nothing entered', () => ' - ', /^Enter the code/],
      ['unknown', () => 'BBBB-BBBB', /doesn’t exist/],
      ['used', used, /already been used/],
      ['allowed', afterIssue((userCode) => api().service.approve(userCode)), /already been allowed/],
      ['denied', afterIssue((userCode) => decide(userCode, 'deny')), /already been denied/],
      ['expired', afterIssue(() => api().clock.advance(60_000)), /has expired/],
    ] as const) {
      it(name, async () => {
        const page = await enter(await codeOf());
        assert.equal(page.status, 400);
        assert.match(textOf(page, 'alert'), says);
        assert.match(page.html, /aria-invalid="true"/);
      });
    }

    it('even if it became unusable while the page asked for a decision', async () => {
      const { userCode } = await api().issueCode();
      const { html } = await enter(userCode);
      await api().clock.advance(60_000);
      const form = { user_code: userCode, form_token: fieldValue(html, 'form_token'), account: 'x', decision: 'allow' };
      assert.match(textOf(await read('-decision', form), 'alert'), /has expired/);
    });
  });

  it('needs the token of the form about this code for a decision: no other site can decide', async () => {
    const [one, other] = [await api().issueCode(), await api().issueCode()];
    const { html } = await enter(other.userCode);
    for (const formToken of ['', 'made up', fieldValue(html, 'form_token')]) {
      const form = { user_code: one.userCode, form_token: formToken, account: 'x', decision: 'allow' };
      assert.match(textOf(await read('-decision', form), 'alert'), /nothing has changed/);
    }
    assert.equal(api().service.stateOf(one.userCode), 'pending');
  });

  it('escapes everything that the user enters', async () => {
    const hostile = `"><script>alert(1)</script><a href='x'>&amp;`;
    for (const { html } of [await read(`?user_code=${encodeURIComponent(hostile)}`), await enter(hostile)]) {
      assert.equal(/<script|<a /.test(html), false);
      assert.equal(fieldValue(html, 'user_code'), hostile);
    }
  });

  it('truncates a very long entry, and rejects a huge form', async () => {
    assert.equal(fieldValue((await enter('x'.repeat(1000))).html, 'user_code').length, 64);
    assert.equal((await enter('x'.repeat(100_000))).status, 413);
  });

  it('forbids scripts, frames, and foreign content on every page, and is not cached', async () => {
    const { userCode } = await api().issueCode();
    const pages = [await read(''), await enter('unknown'), await enter(userCode), await decide(userCode, 'allow')];
    for (const { headers, html } of pages) {
      assert.match(
        headers.get('content-security-policy') ?? '',
        /^default-src 'none'; style-src 'sha256-[^' ]+'; form-action 'self'; frame-ancestors 'none'/,
      );
      assert.deepEqual(
        ['content-type', 'cache-control', 'referrer-policy', 'x-content-type-options'].map((name) => headers.get(name)),
        ['text/html; charset=utf-8', 'no-store', 'no-referrer', 'nosniff'],
      );
      assert.equal(/<script|javascript:| on\w+=| style="/.test(html), false);
      assert.match(html, /<title>[^<]+<\/title>/);
    }
  });
});

/** The value of a form field in an HTML page. */
function fieldValue(html: string, name: string): string {
  const input = [...html.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag).find((tag) => tag.includes(`name="${name}"`));
  const value = /value="([^"]*)"/.exec(input ?? '')?.[1] ?? 'no such field';
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return value.replace(/&(lt|gt|quot|#39|amp);/g, (_entity, entity: string) => entities[entity] ?? '');
}

/** The same letters in the width that Asian keyboards can produce. */
function fullWidth(code: string): string {
  return code.replace(/[A-Z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
}
