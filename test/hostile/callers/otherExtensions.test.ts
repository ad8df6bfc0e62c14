import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ExtensionInMemory, openWindow, signIn, type WindowAndService } from '../../support/extensionInMemory';
import { settle } from '../../support/fakeClock';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const SECRET = 'not a real secret';

/** A window that is signed in, and its service. */
async function signedIn(): Promise<WindowAndService> {
  const scene = await openWindow({}, SECRET);
  await signIn(scene);
  return scene;
}

/** How a call ended, within so much time by the window's clock. */
async function endWithin(window: ExtensionInMemory, limit: number, call: Promise<unknown>): Promise<unknown> {
  let end: { readonly value: unknown } | { readonly error: unknown } | undefined;
  call.then(
    (value) => (end = { value }),
    (error: unknown) => (end = { error }),
  );
  await settle();
  for (let passed = 0; end === undefined && passed < limit; passed += SECOND) await window.clock.advance(SECOND);
  assert.ok(end !== undefined, `the call did not end within ${limit / SECOND} s`);
  if ('error' in end) {
    assert.ok(end.error instanceof Error, 'what is thrown is an error');
    assert.match(end.error.message, /^\P{Cc}{1,300}$/u, 'the error says what is wrong, on one line');
    return end.error;
  }
  return end.value;
}

/** Objects that break whoever looks at them. */
const traps: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  () => 'a function',
  Symbol('a symbol'),
  10n,
  Object.create(null),
  {
    toString() {
      throw new Error('a trap');
    },
    get length(): number {
      throw new Error('a trap');
    },
  },
  new Proxy(
    {},
    {
      get() {
        throw new Error('a trap');
      },
    },
  ),
  Promise.resolve('a promise'),
  new Uint8Array(1_000_000),
  'x'.repeat(1_000_000),
  '\ud800',
);

const argument: fc.Arbitrary<unknown> = fc.oneof(
  traps,
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true, withTypedArray: true }),
);

/** Guards that no other extension can block, break, or trick this one, and that each gets a response in time. */
describe('other extensions', () => {
  it('can hand anything to any command: it ends in time, and nothing changes that they may not change', async () => {
    const { window, service } = await signedIn();
    service.activated = false;
    // A sign-in lasts as long as its person does, who may get another code.
    const names = window.commands.filter((name) => name !== 'signOut' && name !== 'signIn');
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), argument, argument, async (name, given, second) => {
        const valid = name === 'setClientSecret' && typeof given === 'string' && /^[^\p{Cc}]*$/u.test(given);
        fc.pre(!(valid && given.trim() !== '' && given.trim().length <= 2048));
        const end = await endWithin(window, 11 * MINUTE, window.command(name, given, second));
        if (name === 'reportRejectedToken') assert.equal(end, false);
        assert.equal((await window.list()).length, 1);
      }),
      { numRuns: 100 },
    );
    const remarks = window.editor.remarks.length;
    await endWithin(window, 10 * SECOND, window.command('setClientSecret', SECRET));
    assert.equal(window.editor.remarks.length, remarks, 'the client secret is the same, so nothing is stored');
  }).timeout(60_000);

  it('can ask for any scopes and any account: they get sessions of that account with these scopes, or none', async () => {
    const { window, service } = await signedIn();
    const [{ account: own } = assert.fail()] = await window.list();
    const counts = [...service.counts];
    const scopes = fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a b', '__proto__')));
    const account = fc.oneof(fc.constantFrom(undefined, own), fc.record({ id: argument, label: argument }));
    await fc.assert(
      fc.asyncProperty(scopes, account, async (wanted, of) => {
        const asked = window.provider.getSessions(wanted, of === undefined ? {} : { account: of as typeof own });
        const served = (await endWithin(window, MINUTE, Promise.resolve(asked))) as Awaited<typeof asked>;
        assert.deepEqual(
          served.map((session) => [session.accessToken, session.scopes]),
          of?.id === undefined || of === own ? [['access-0-Ada', wanted]] : [],
        );
      }),
      { numRuns: 100 },
    );
    assert.deepEqual([...service.counts], counts, 'the service is asked for nothing');
  }).timeout(60_000);

  it('can hand over huge values: a secret is refused and not quoted, and a token isn’t one of ours', async () => {
    const { window, service } = await signedIn();
    const huge = 'secret'.repeat(1_000_000);
    const error = await endWithin(window, SECOND, window.command('setClientSecret', huge));
    assert.ok(error instanceof Error && error.message.includes('shorter'));
    assert.equal(await endWithin(window, SECOND, window.command('reportRejectedToken', huge)), false);
    assert.equal(service.counts.get('refresh_token'), undefined);
  });
});

describe('any caller', () => {
  for (const [what, silentOn, limit, text] of [
    ['in time if the service never gives a code', 'device_code', 16 * SECOND, /respond/],
    ['after 5 minutes if nobody confirms', undefined, 5 * MINUTE + SECOND, /longer than 5 minutes/],
    ['after 5 minutes if polls get no response', 'device_token', 5 * MINUTE + SECOND, /longer than 5 minutes/],
  ] as const) {
    it(`gets a response ${what}`, async () => {
      const { window, service } = await signedIn();
      service.activated = false;
      service.silentOn = silentOn;
      const [session] = await window.list();
      const error = await endWithin(window, limit, window.signIn(session?.account));
      assert.ok(error instanceof Error);
      assert.match(error.message, text);
    });
  }

  it('gets a response in time if the keyring never responds', async () => {
    const { window, service } = await signedIn();
    window.secretStorage.hangs = true;
    const next = new ExtensionInMemory(service.fetch, { before: window });
    for (const call of [
      () => next.serve(),
      () => next.list(),
      () => next.command('setClientSecret', 'another secret'),
      () => next.command('reportRejectedToken', 'access-0-Ada'),
      () => next.command('signOut'),
      () => next.signIn(),
    ]) {
      await endWithin(next, 30 * SECOND, call());
    }
    const told = next.editor.messages.filter(({ kind, text }) => kind === 'warning' && text.includes('secret storage'));
    assert.equal(told.length, 1, 'the person is told once');
    window.secretStorage.hangs = false;
    await next.clock.advance(5 * SECOND);
    const [session] = (await endWithin(next, 20 * SECOND, next.serve())) as { accessToken: string }[];
    assert.equal(session?.accessToken, 'access-0-Ada', 'nobody is signed out');
  });
});
