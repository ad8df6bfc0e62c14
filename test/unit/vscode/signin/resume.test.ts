import assert from 'node:assert/strict';
import type { SignInRequest } from '../../../../src/signin/pendingSignIn';
import type { PollResult } from '../../../../src/oauth/types';
import { ServiceError } from '../../../../src/oauth/errors';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials, deviceCode, pending, type Scripted } from '../../signin/scriptedClient';
import type { InputBoxResult } from '../../../../src/vscode/editor/quickInput';
import { sessionOf } from '../fakeSessions';
import { bench, type Bench, type BenchOptions, begun, nameOf } from './signInBench';

/** A sign-in that waited for its person when its window was reloaded, a minute ago. */
async function reloaded(before: Bench, request?: SignInRequest): Promise<Bench> {
  await before.begin(request);
  await before.close();
  await settle();
  await before.clock.advance(60_000);
  return bench({ after: before });
}

/** A response of a window that's gone. */
const NEVER = new Promise<void>(() => undefined);

/** The service wants the next poll after so many seconds, because it's busy. */
function busy(retryAfter: number): Scripted<PollResult> {
  return { response: { kind: 'no answer', error: new ServiceError('poll', 503, undefined, { retryAfter }) } };
}

/** The service wants the next poll after so many seconds, and waits for the person. */
function later(retryAfter: number): Scripted<PollResult> {
  return { response: { kind: 'pending', retryAfter } };
}

/** Guards that a sign-in continues after its window is reloaded, for the same service and account. */
describe('a sign-in whose window is reloaded', () => {
  it('continues in the next window with the same code, and ends as if nothing had happened', async () => {
    const before = bench({ codes: [{ response: deviceCode({ expiresIn: 300 }) }], responses: [pending, confirmed] });
    const next = await reloaded(before);
    assert.equal(before.client.polls.length, 0);
    void next.signIn.resume({ waitForClosingWindow: true });
    await settle();
    assert.equal(
      next.editor.last.text,
      'Your code is ABCD-1234. Enter it at https://service.example/device to sign in to My Service.',
    );
    assert.equal(next.editor.faces.at(-1)?.text, '$(key) Code ABCD-1234 · 4 min');
    await next.clock.advance(10_000);
    assert.equal(next.client.codeRequests.length, 1);
    const polls = next.client.polls.map(({ at }) => at);
    assert.deepEqual(polls, [65_000, 70_000]);
    assert.equal(next.editor.remarks.at(-1), 'Signed in to My Service.');
    assert.equal(next.sessions.added.length, 1);
    assert.equal(await next.place.content(), undefined);
  });

  it('continues as soon as its window is gone, however long VS Code takes to close that', async () => {
    const before = await begun({ codes: [{ response: deviceCode({ expiresIn: 300 }) }] });
    await before.clock.advance(1_000);
    const next = bench({ after: before });
    void next.signIn.resume({ waitForClosingWindow: true });
    await next.clock.advance(40_000);
    assert.deepEqual(next.editor.messages, [], 'its window is still there');
    await before.close();
    await next.clock.advance(1_000);
    assert.match(next.editor.last.text, /^Your code is ABCD-1234/);
  });

  describe('if VS Code keeps the extension host of its window, which is gone', () => {
    /** A sign-in whose window is gone, and the next window, which waits for its place. */
    async function lost(options: BenchOptions): Promise<{ readonly before: Bench; readonly next: Bench }> {
      const before = await begun({ codes: [{ response: deviceCode({ expiresIn: 300 }) }], ...options });
      await before.clock.advance(6_000);
      before.editor.response = NEVER;
      const next = bench({ after: before });
      void next.signIn.resume({ waitForClosingWindow: true });
      return { before, next };
    }

    it('continues within seconds, and is polled no more often than the service wants', async () => {
      const { before, next } = await lost({ responses: [pending, pending, pending, confirmed] });
      await next.clock.advance(7_000);
      assert.match(next.editor.last.text, /^Your code is ABCD-1234/);
      assert.deepEqual([before.signIn.running, before.editor.statusItems, before.editor.remarks], [false, 0, []]);
      await next.clock.advance(20_000);
      const polls = next.client.polls.map(({ at }) => at);
      assert.ok(polls.every((at, index) => index === 0 || at - (polls[index - 1] ?? 0) >= 5_000));
      assert.equal(next.editor.remarks.at(-1), 'Signed in to My Service.');
      assert.equal(next.client.codeRequests.length, 1);
    });

    it('ends for good if the person cancels it in the next window', async () => {
      const { next } = await lost({});
      await next.clock.advance(7_000);
      await next.editor.press(undefined);
      const polls = next.client.polls.length;
      next.editor.progresses[0]?.cancel?.();
      await next.clock.advance(60_000);
      assert.deepEqual([next.client.polls.length, next.clock.sleeping], [polls, 0]);
      assert.equal(await next.place.content(), undefined);
    });

    it('ends there if its tokens are on the way, and the next window has nothing to continue', async () => {
      const { before, next } = await lost({ responses: [pending, { ...confirmed, after: 3_000 }] });
      await next.clock.advance(30_000);
      assert.equal(before.sessions.added.length, 1);
      assert.deepEqual(next.editor.messages, []);
    });

    it('stays where it is as long as no other window would continue it', async () => {
      const before = await begun({});
      before.editor.response = NEVER;
      await before.clock.advance(60_000);
      assert.equal(before.signIn.running, true);
    });

    it('stays where it is if another sign-in has the place, because nobody could continue this one', async () => {
      const other = await begun({});
      const before = await bench({ after: other }).begin();
      before.editor.response = NEVER;
      void bench({ after: other }).signIn.resume({ waitForClosingWindow: true });
      await before.clock.advance(60_000);
      assert.deepEqual([other.signIn.running, before.signIn.running], [true, true]);
    });
  });

  it('stays in a window that only responds late', async () => {
    const before = await begun({});
    await before.clock.advance(1_000);
    const next = bench({ after: before });
    void next.signIn.resume({ waitForClosingWindow: true });
    for (let times = 0; times < 10; times++) {
      before.editor.response = before.clock.sleep(4_000);
      await before.clock.advance(5_000);
    }
    assert.deepEqual([before.signIn.running, next.editor.messages], [true, []]);
  });

  it('isn’t waited for by a window that’s only looked at, nor by one that closes', async () => {
    const before = await begun({});
    await before.clock.advance(1_000);
    const next = bench({ after: before });
    await next.signIn.resume({ waitForClosingWindow: false });
    const closed = bench({ after: before });
    const resumed = closed.signIn.resume({ waitForClosingWindow: true });
    await settle();
    await closed.close();
    await closed.clock.advance(1_000);
    await resumed;
    assert.deepEqual([next.editor.messages, closed.editor.messages], [[], []]);
  });

  it('polls as slowly as the service wanted before', async () => {
    const slower: Scripted<PollResult> = { response: { kind: 'pending', slowDown: { interval: undefined } } };
    const before = await begun({ responses: [slower, pending, pending] });
    await before.clock.advance(6_000);
    await before.close();
    const next = bench({ after: before });
    void next.signIn.resume({ waitForClosingWindow: true });
    await next.clock.advance(25_000);
    assert.deepEqual(
      next.client.polls.map(({ at }) => at),
      [5_000, 16_000, 26_000],
    );
  });

  for (const [what, first, downFor, times] of [
    ['a busy service', busy(60), 1_000, [5_000, 65_000]],
    ['a busy service, for longer than its pauses are', busy(240), 30_000, [5_000, 245_000]],
    ['a service that waits for its person', later(60), 1_000, [5_000, 65_000]],
    ['a service whose time has come meanwhile', later(60), 100_000, [5_000, 111_000]],
    ['a service that wants it sooner than its interval', later(3), 1_000, [5_000, 12_000]],
    ['a service that wants it after the code has expired', later(9_000), 1_000, [5_000, 305_000]],
  ] as const) {
    it(`polls no sooner than ${what} wanted before`, async () => {
      const before = await begun({ responses: [first, pending] });
      await before.clock.advance(6_000);
      await before.close();
      await before.clock.advance(downFor);
      const next = bench({ after: before });
      void next.signIn.resume({ waitForClosingWindow: true });
      await next.clock.advance(400_000);
      const polls = next.client.polls.map(({ at }) => at);
      assert.deepEqual(polls.slice(0, 2), times);
    });
  }

  it('ends if the settings change while it’s taken over, so that its code is sent to no other service', async () => {
    const next = await reloaded(bench({ responses: [confirmed] }));
    const resumed = next.signIn.resume({ waitForClosingWindow: true });
    next.first.clientId = 'another client';
    next.secrets.kept.set(nameOf({ baseUrl: credentials.baseUrl, clientId: 'another client' }), 'another secret');
    await resumed;
    await next.clock.advance(10_000);
    assert.deepEqual([next.client.codeRequests.length, next.client.polls], [1, []]);
    assert.deepEqual(next.editor.remarks, ['The sign-in was canceled.']);
    assert.equal(await next.place.content(), undefined);
  });

  it('isn’t polled without the client secret that it needs, and goes on when the person has entered it', async () => {
    const next = await reloaded(bench({ responses: [confirmed] }));
    next.secrets.kept.clear();
    let answer: (result: InputBoxResult) => void = () => undefined;
    const asked = new Promise<InputBoxResult>((resolve) => (answer = resolve));
    const { clientSecret } = credentials;
    next.editor.answers = [() => asked];
    void next.signIn.resume({ waitForClosingWindow: true });
    await next.clock.advance(10_000);
    assert.deepEqual([next.editor.questions.length, next.client.polls], [1, []]);
    answer({ kind: 'entered', value: clientSecret });
    await next.clock.advance(5_000);
    assert.deepEqual([next.client.codeRequests.length, next.sessions.added.length], [1, 1]);
  });

  it('ends if another service is set instead of the secret that it needs', async () => {
    const next = await reloaded(bench({ responses: [confirmed] }));
    next.secrets.kept.clear();
    next.editor.answers = [() => new Promise(() => undefined)];
    const resumed = next.signIn.resume({ waitForClosingWindow: true });
    await next.clock.advance(10_000);
    next.first.clientId = 'another client';
    await next.settingsChanged();
    await resumed;
    await next.clock.advance(5_000);
    assert.deepEqual([next.client.polls, next.editor.remarks], [[], ['The sign-in was canceled.']]);
    assert.equal(await next.place.content(), undefined);
  });

  it('says that a setting is invalid, not that the page is a foreign one', async () => {
    const next = await reloaded(bench());
    next.first.verificationUrl = 'nonsense';
    await next.signIn.resume({ waitForClosingWindow: true });
    assert.deepEqual(
      next.editor.messages.map(({ text }) => text),
      [
        'The someBrand.services[0].verificationUrl setting is invalid. Enter a web address, such as https://api.example.com.',
      ],
    );
  });

  it('replaces the session that it was for', async () => {
    const before = bench({ responses: [confirmed] });
    before.sessions.held.push(sessionOf('Ada', 'one'));
    const next = await reloaded(before, { accountId: 'account of one' });
    void next.signIn.resume({ waitForClosingWindow: true });
    await next.clock.advance(5_000);
    const [assigned, ...others] = next.sessions.assigned;
    assert.deepEqual([assigned?.label, assigned?.accountId, others], ['Ada', 'account of one', []]);
  });

  it('is joined by whoever asks again for a session of any account', async () => {
    const before = bench({ codes: [{ response: deviceCode({ expiresIn: 300 }) }], responses: [confirmed] });
    before.sessions.held.push(sessionOf('Ada', 'one', { needsUser: true, isIdentified: true }));
    const next = await reloaded(before, { scopes: '' });
    void next.signIn.resume({ waitForClosingWindow: true });
    await settle();
    const again = next.signIn.signIn({ scopes: '' });
    await next.clock.advance(5_000);
    assert.equal((await again).account.label, 'Ada');
  });

  it('isn’t continued if another sign-in runs, the service isn’t set, or nothing is pending', async () => {
    const busy = await reloaded(bench());
    await busy.begin();
    await busy.signIn.resume({ waitForClosingWindow: true });
    assert.equal(busy.client.codeRequests.length, 2);
    assert.deepEqual(await busy.place.content(), { clientId: credentials.clientId, left: false });
    const unset = bench({ after: busy, services: [] });
    await unset.signIn.resume({ waitForClosingWindow: true });
    const fresh = bench();
    await fresh.signIn.resume({ waitForClosingWindow: true });
    assert.deepEqual([unset.editor.messages, fresh.editor.messages], [[], []]);
  });

  it('is left alone if another sign-in begins while it’s taken over', async () => {
    const next = await reloaded(bench());
    const resumed = next.signIn.resume({ waitForClosingWindow: true });
    void next.signIn.start();
    await resumed;
    await settle();
    assert.equal(next.client.codeRequests.length, 2);
    assert.equal(next.editor.statusItems, 1);
  });
});
