import assert from 'node:assert/strict';
import { outcome, ServiceUnderTest, tokensOf } from './serviceUnderTest';

interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
}

describe('the verification page', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ clientName: 'Editor <b>&"one"</b>', deviceCodeTtl: 60 });
  });
  afterEach(() => service.close());

  const read = async (path: string, form?: Readonly<Record<string, string>>): Promise<Page> => {
    const init = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) };
    const response = await fetch(service.service.verificationUrl + path, init);
    return { status: response.status, headers: response.headers, html: await response.text() };
  };
  const enter = (userCode: string): Promise<Page> => read('', { user_code: userCode });
  const decide = async (userCode: string, decision: string, account = 'ada'): Promise<Page> => {
    const { html } = await enter(userCode);
    const fields = { user_code: fieldValue(html, 'user_code'), form_token: fieldValue(html, 'form_token') };
    return read('-decision', { ...fields, account, decision });
  };
  const alertOf = ({ html }: Page): string => /role="alert"[^>]*>\s*([^<]*?)\s*</.exec(html)?.[1] ?? 'no alert';
  const statusOf = ({ html }: Page): string => /role="status"[^>]*>\s*([^<]*?)\s*</.exec(html)?.[1] ?? 'no status';

  it('asks for the code in a labelled field that has the focus, with the code of the address filled in', async () => {
    const { status, html } = await read('?user_code=BCDF-GHJK');
    assert.equal(status, 200);
    assert.equal(fieldValue(html, 'user_code'), 'BCDF-GHJK');
    assert.match(html, /<label for="user_code">/);
    assert.match(html, /<input[^>]* autofocus/);
    assert.match(html, /<html lang="en">/);
    assert.equal(fieldValue((await read('')).html, 'user_code'), '');
  });

  it('sends its forms to addresses beside its own, so that it works below the path of a proxy', async () => {
    const { userCode } = await service.issueCode();
    for (const { html } of [await read(''), await enter(userCode), await enter('wrong')]) {
      assert.match(html, /<form method="post" action="activate(-decision)?">/);
    }
  });

  for (const [name, type] of [
    ['as it is shown', (code: string): string => code],
    ['in small letters', (code: string): string => code.toLowerCase()],
    ['without the dash', (code: string): string => code.replace('-', '')],
    ['with spaces and other dashes', (code: string): string => ` ${code.replace('-', ' – ').split('').join(' ')}\t`],
    ['in full-width letters', (code: string): string => fullWidth(code)],
  ] as const) {
    it(`takes the code ${name}, says which client asks, and lets the person allow it`, async () => {
      const { deviceCode, userCode } = await service.issueCode();
      const question = await enter(type(userCode));
      assert.equal(question.status, 200);
      assert.match(question.html, /Allow “Editor &lt;b&gt;&amp;&quot;one&quot;&lt;\/b&gt;” to sign in\?/);
      assert.ok(question.html.includes(userCode), 'it shows the code as the device does');
      assert.equal(service.service.stateOf(userCode), 'pending', 'nothing is decided yet');
      const page = await decide(type(userCode), 'allow', 'Ada <i>Lovelace</i>');
      assert.match(statusOf(page), /signs in as Ada &lt;i&gt;Lovelace&lt;\/i&gt;/);
      const { accessToken } = tokensOf(await service.poll(deviceCode));
      assert.equal((await service.whoami(accessToken)).body['name'], 'Ada <i>Lovelace</i>');
    });
  }

  it('an account without a name is the default one', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    await decide(userCode, 'allow', ' \u200b\n ');
    const { accessToken } = tokensOf(await service.poll(deviceCode));
    assert.equal((await service.whoami(accessToken)).body['name'], 'demo');
  });

  it('lets the person deny, and the client learns it', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    assert.match(statusOf(await decide(userCode, 'deny')), /was not signed in/);
    assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'access_denied']);
  });

  it('anything but "allow" denies', async () => {
    const { userCode } = await service.issueCode();
    await decide(userCode, 'perhaps');
    assert.equal(service.service.stateOf(userCode), 'denied');
  });

  describe('says in words why a code cannot be used', () => {
    const cases: Record<string, { prepare: () => Promise<string>; says: RegExp }> = {
      'none entered': { prepare: () => Promise.resolve(' - '), says: /^Enter the code/ },
      unknown: { prepare: () => Promise.resolve('BBBB-BBBB'), says: /no such code/ },
      used: {
        prepare: async () => {
          const { deviceCode, userCode } = await service.issueCode();
          service.service.approve(userCode);
          await service.poll(deviceCode);
          return userCode;
        },
        says: /already used/,
      },
      allowed: {
        prepare: async () => {
          const { userCode } = await service.issueCode();
          await decide(userCode, 'allow');
          return userCode;
        },
        says: /already allowed/,
      },
      denied: {
        prepare: async () => {
          const { userCode } = await service.issueCode();
          await decide(userCode, 'deny');
          return userCode;
        },
        says: /already denied/,
      },
      expired: {
        prepare: async () => {
          const { userCode } = await service.issueCode();
          await service.clock.advance(60_000);
          return userCode;
        },
        says: /has expired/,
      },
    };
    for (const [name, { prepare, says }] of Object.entries(cases)) {
      it(name, async () => {
        const page = await enter(await prepare());
        assert.equal(page.status, 400);
        assert.match(alertOf(page), says);
        assert.match(page.html, /aria-invalid="true"/);
      });
    }

    it('also where it happened between the question and the decision', async () => {
      const { userCode } = await service.issueCode();
      const { html } = await enter(userCode);
      await service.clock.advance(60_000);
      const form = { user_code: userCode, form_token: fieldValue(html, 'form_token'), account: 'x', decision: 'allow' };
      assert.match(alertOf(await read('-decision', form)), /has expired/);
    });
  });

  it('a decision needs the token of the form about this very code: no other site can decide', async () => {
    const [one, other] = [await service.issueCode(), await service.issueCode()];
    const { html } = await enter(other.userCode);
    for (const formToken of ['', 'made up', fieldValue(html, 'form_token')]) {
      const form = { user_code: one.userCode, form_token: formToken, account: 'x', decision: 'allow' };
      assert.match(alertOf(await read('-decision', form)), /nothing was decided/);
    }
    assert.equal(service.service.stateOf(one.userCode), 'pending');
  });

  it('nothing that is entered becomes a part of the page', async () => {
    const hostile = `"><script>alert(1)</script><a href='x'>&amp;`;
    const asked = await read(`?user_code=${encodeURIComponent(hostile)}`);
    const refused = await enter(hostile);
    for (const { html } of [asked, refused]) {
      assert.equal(/<script|<a /.test(html), false);
      assert.equal(fieldValue(html, 'user_code'), hostile);
    }
  });

  it('a very long entry is cut, a huge form refused', async () => {
    assert.equal(fieldValue((await enter('x'.repeat(1000))).html, 'user_code').length, 64);
    assert.equal((await enter('x'.repeat(100_000))).status, 413);
  });

  it('every page forbids scripts, frames and foreign content, and is not kept', async () => {
    const { userCode } = await service.issueCode();
    const pages = [await read(''), await enter('unknown'), await enter(userCode), await decide(userCode, 'allow')];
    for (const { headers, html } of pages) {
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(
        policy,
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

/** Value of a form field, read back from HTML. */
function fieldValue(html: string, name: string): string {
  const input = [...html.matchAll(/<input\b[^>]*>/g)].map(([tag]) => tag).find((tag) => tag.includes(`name="${name}"`));
  const value = /value="([^"]*)"/.exec(input ?? '')?.[1] ?? 'no such field';
  const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return value.replace(/&(lt|gt|quot|#39|amp);/g, (_entity, entity: string) => entities[entity] ?? '');
}

/** The same letters in the width that Asian keyboards can give. */
function fullWidth(code: string): string {
  return code.replace(/[A-Z]/g, (letter) => String.fromCodePoint((letter.codePointAt(0) ?? 0) + 0xfee0));
}
