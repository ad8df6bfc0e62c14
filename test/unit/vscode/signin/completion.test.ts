import assert from 'node:assert/strict';
import { InvalidResponseError, NetworkError, ServiceError } from '../../../../src/oauth/errors';
import { SessionError } from '../../../../src/sessions/sessionError';
import { ExplainedError } from '../../../../src/vscode/failures/failure';
import { nameProblem } from '../../../../src/vscode/texts/plainText';
import { confirmed, credentials, tokens } from '../../signin/scriptedClient';
import { sessionOf } from '../fakeSessions';
import type { Element } from '../fakeEditor';
import { bench, type Bench, signedIn } from './signInBench';

const { baseUrl, clientId } = credentials;
const SERVICE = { protocol: 'draft', baseUrl, clientId, serviceName: 'My Service' };
const account = { account: { path: '/user', field: 'name', idField: 'id' } };

function confirmedBench(fields: Element = {}): Bench {
  return bench({ services: [{ ...SERVICE, ...fields }], responses: [confirmed] });
}

/** Signs in to a service that says who is signed in, or fails to, beside these accounts. */
async function labelAfter(told: string | Error, ...labels: string[]): Promise<[string, Bench]> {
  const b = confirmedBench(account);
  b.sessions.held.push(...labels.map((label) => sessionOf(label)));
  b.user = () => (told instanceof Error ? Promise.reject(told) : Promise.resolve({ name: told, id: undefined }));
  const [session] = await Promise.all([b.signIn.signIn(), b.clock.advance(20_000)]);
  assert.equal(b.editor.questions.length, 0);
  const { label } = session.account;
  return [label, b];
}

/** Guards that a new session has a good name, and that nothing after the tokens can lose them. */
describe('the account of a new session', () => {
  it('has the name that the service gives, and nobody is asked', async () => {
    assert.equal((await labelAfter('Ada'))[0], 'Ada');
    const [label, b] = await labelAfter('Ada', 'My Service');
    assert.equal(label, 'Ada');
    assert.equal(b.editor.remarks.at(-1), 'Signed in to My Service as Ada.');
  });

  it('is asked for when the session is stored already', async () => {
    const b = confirmedBench(account);
    let storedBefore = 0;
    b.user = () => {
      storedBefore = b.sessions.added.length;
      return new Promise(() => undefined);
    };
    void b.signIn.start();
    await b.clock.advance(5_000);
    assert.deepEqual([storedBefore, b.sessions.held.length], [1, 0]);
  });

  it('is signed in, and says so, even if its token can’t be used yet: only whoever waits for it gets an error', async () => {
    const b = confirmedBench();
    b.sessions.serve = () => Promise.reject(new SessionError('not sent'));
    const result = b.signIn.signIn();
    await Promise.all([assert.rejects(result, ExplainedError), b.clock.advance(20_000)]);
    assert.equal(b.sessions.held.length, 1);
    assert.equal(b.editor.remarks.at(-1), 'Signed in to My Service.');
    assert.equal(b.editor.messages.length, 1, 'that with the code');
  });

  it('is served once the sign-in is finished, with all its scopes', async () => {
    const b = confirmedBench();
    const listed = sessionOf('Ada', 'listed', { scopes: ['a', 'b'] });
    const served = sessionOf('Ada', 'served');
    const asked: unknown[] = [];
    b.sessions.assignAccount = () => Promise.resolve({ session: listed, outcome: 'added' });
    b.sessions.serve = (...wanted: unknown[]) => {
      asked.push(wanted.slice(1));
      return Promise.resolve([served]);
    };
    const [session] = await Promise.all([b.signIn.signIn(), b.clock.advance(20_000)]);
    assert.equal(session, served);
    assert.deepEqual(asked, [[listed.account.id, ['a', 'b']]]);
  });

  it('has a plain name', async () => {
    assert.equal((await labelAfter('[Ada](command:x)\n$(verified)'))[0], '[Ada] (command:x) $ (verified)');
  });

  it('has a name that leaves room for a number of three digits', async () => {
    const fits = 'x'.repeat(58);
    assert.equal((await labelAfter(fits))[0], fits);
    const cut = `${'x'.repeat(57)}…`;
    assert.equal((await labelAfter(`${fits}x`))[0], cut);
    assert.equal(nameProblem(`${cut} (100)`), undefined);
  });

  for (const told of [new ServiceError('account', 404, undefined), '\u200b']) {
    it(`has no name if the service tells none of use, and the sign-in succeeds (${typeof told})`, async () => {
      assert.equal((await labelAfter(told))[0], 'My account');
      assert.equal((await labelAfter(told, 'My account'))[0], 'My account (2)');
    });
  }
});

describe('a service that doesn’t know its new token yet', () => {
  const [notFound, unauthorized] = [404, 401].map((status) => new ServiceError('account', status, undefined));
  const info = { name: 'Ada', id: undefined };

  /** Signs in to a service that says this of who is signed in, each time it's asked. */
  async function signIn(...told: (Error | typeof info | undefined)[]) {
    const b = confirmedBench(account);
    const asked: number[] = [];
    b.user = () => {
      asked.push(b.clock.monotonic() - 5_000);
      const next = told[Math.min(asked.length, told.length) - 1];
      return next instanceof Error || next === undefined
        ? Promise.reject(next ?? new TypeError('x'))
        : Promise.resolve(next);
    };
    const signingIn = b.signIn.signIn();
    await b.clock.advance(5_000);
    return { b, asked, signingIn };
  }

  for (const [what, ...told] of [
    ['401 once', unauthorized, info],
    ['404 twice', notFound, notFound, info],
    ['404 and 401', notFound, unauthorized, info],
    ['404 for ten seconds', ...Array.from({ length: 10 }, () => notFound), info],
    ['an error code with 401', new ServiceError('account', 401, 'invalid_token'), info],
  ] as [string, ...(Error | typeof info)[]][]) {
    it(`is asked again, and the account is listed only when it has its name: ${what}`, async () => {
      const { asked, b, signingIn } = await signIn(...told);
      assert.deepEqual([b.sessions.added.length, b.sessions.held.length], [1, 0]);
      await b.clock.advance(10_000);
      assert.equal((await signingIn).account.label, 'Ada');
      assert.deepEqual(
        asked,
        told.map((_, index) => index * 1000),
      );
    });
  }

  it('is asked for ten seconds at most', async () => {
    const { asked, b, signingIn } = await signIn(unauthorized);
    await b.clock.advance(10_000);
    assert.equal((await signingIn).account.label, 'My account');
    await b.clock.advance(60_000);
    assert.equal(asked.length, 11);
  });

  for (const [what, error] of [
    ['403', new ServiceError('account', 403, undefined)],
    ['500', new ServiceError('account', 500, undefined)],
    ['no response', new NetworkError('account', 'timeout', true)],
    ['something else', new InvalidResponseError('account', 200, 'bad field', { field: 'name' })],
    ['a defect of our own', undefined],
  ] as const) {
    it(`isn’t asked again after ${what}, and the sign-in succeeds`, async () => {
      const { asked, b, signingIn } = await signIn(error);
      assert.equal((await signingIn).account.label, 'My account');
      await b.clock.advance(60_000);
      assert.equal(asked.length, 1);
      assert.match(b.log.text(), /The service didn't say who is signed in\./);
    });
  }

  it('isn’t asked again when the window closes', async () => {
    const { asked, b, signingIn } = await signIn(notFound);
    await b.clock.advance(500);
    const closed = b.close();
    await b.clock.advance(0);
    await Promise.all([closed, signingIn]);
    assert.equal(asked.length, 1);
  });
});

describe('the device notification', () => {
  it('is sent as soon as the token arrives, before the session is stored and the account is known', async () => {
    const b = confirmedBench(account);
    b.sessions.storing = new Promise(() => undefined);
    void b.signIn.start();
    await b.clock.advance(5_000);
    assert.deepEqual(b.client.notifications, [{ at: 5_000, baseUrl, accessToken: tokens.accessToken }]);
    assert.equal(b.sessions.added.length, 0);
  });
});

describe('a wrong optional setting', () => {
  for (const [setting, fields] of [
    ['notify.path', { notify: { path: 'device/notify' } }],
    ['notify.parameters', { notify: { parameters: { title: 5 } } }],
    ['serviceName', { serviceName: '$(key)' }],
    ['account.path', { account: { path: 'user', field: 'name' } }],
  ] as const) {
    it(`stops nothing but what depends on it: ${setting}`, async () => {
      const b = confirmedBench(fields);
      await signedIn(b);
      assert.equal(b.sessions.held.length, 1);
      assert.equal(b.client.notifications.length, setting.startsWith('notify.') ? 0 : 1);
    });
  }
});
