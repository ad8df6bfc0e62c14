import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import type { AuthenticationSession } from 'vscode';
import fc from 'fast-check';
import { ANSWERS, BASE_URL, EchoingService, OPERATIONS } from './echoingService';
import { ExtensionInMemory } from '../../support/extensionInMemory';
import { QuotingError } from '../../support/memory';
import type { Element } from '../../unit/vscode/fakeEditor';
import { makers, type SecretMaker, Secrets } from './forms';

/** By then, a service has said all that it can to each kind of request, which the tests check. */
const RUNS = Number(process.env['SECRETS_RUNS'] ?? 42);
const MINUTE = 60_000;

/** What another extension or a person does, at random. */
type Step = (window: ExtensionInMemory, service: EchoingService) => unknown;

const STEPS: Readonly<Record<string, Step>> = {
  'sign in': (window) => window.signIn().then(who),
  'sign in by the command': (window) => window.command('signIn'),
  'sign in again': async (window) => who(await window.signIn((await window.list())[0]?.account)),
  'copy the code': (window) => window.command('copyUserCode'),
  'open the page': (window) => window.command('openVerificationPage'),
  'show the QR code': (window) => window.command('showQrCode'),
  'cancel the sign-in': (window) => window.command('cancelSignIn'),
  'set the client secret': (window, service) => window.command('setClientSecret', service.clientSecret),
  'enter the client secret': (window, service) => {
    window.editor.answers = [() => ({ kind: 'entered', value: service.clientSecret })];
    return window.command('setClientSecret');
  },
  'set a client secret that can’t be used': (window, service) =>
    window.command('setClientSecret', service.maker.pick([`${service.any()}\n.`, service.any().repeat(200)])),
  'set a client secret of another kind': (window, service) =>
    window.command('setClientSecret', { secret: service.any(), toString: () => service.any() }),
  'configure the service': (window, service) => {
    const { baseUrl, clientId } = window.editor.first;
    window.editor.choices = ['Everything, step by step'];
    window.editor.answers = [baseUrl, clientId, service.clientSecret, 'My Service'].map((value) => () => ({
      kind: 'entered',
      value: String(value),
    }));
    return window.command('configure');
  },
  'ask for the sessions': async (window) => (await window.serve()).map(who),
  'ask for one account': async (window) => (await window.serve((await window.list())[0]?.account)).map(who),
  'list the sessions': async (window) => (await window.list()).map(who),
  'refresh now': (window) => window.chooseInStatus('Refresh Now'),
  'report the rejected token': async (window) =>
    window.command('reportRejectedToken', (await window.list())[0]?.accessToken),
  'report a token of another kind': (window, service) => window.command('reportRejectedToken', [service.any()]),
  'show the status': (window) => window.command('showStatus'),
  rename: (window, service) => {
    const value = service.maker.pick(['Ada', 'My Service', 'Grace']);
    window.editor.answers = [() => ({ kind: 'entered', value })];
    return window.chooseInStatus('Rename');
  },
  'sign out': (window) => window.command('signOut'),
  'press a button of the newest message': async ({ editor }, service) => {
    const [newest] = editor.messages.slice(-1);
    if (newest !== undefined) await editor.press(service.maker.pick([...newest.buttons, undefined]));
  },
  'let the token expire': ({ clock }) => clock.advance(61 * MINUTE),
  'the disk is full': ({ rows }) => (rows.fault = 'ENOSPC'),
  'the disk works': ({ rows }) => (rows.fault = undefined),
  'the keyring fails': ({ secretStorage }) => (secretStorage.fails = true),
  'the keyring works': ({ secretStorage }) => (secretStorage.fails = false),
  'the clipboard and the browser fail and quote': ({ editor }, service) => {
    editor.clipboardFault = new QuotingError(service.any());
    editor.mayOpen = new QuotingError(service.any());
  },
  'the clipboard and the browser work': ({ editor }) => {
    editor.clipboardFault = undefined;
    editor.mayOpen = true;
  },
  'a journal is damaged': ({ rows }, service) => {
    rows.damage(`{"header":"${service.any()}","record":`);
  },
  'the keyring’s entry is damaged': ({ secretStorage }, service) => {
    secretStorage.damage(service.maker.pick(['', `{"key":"${service.any()}"`, '{"format":1}']));
  },
};

/** Whose session it is: what its caller gets of it besides is a token, as it should. */
function who({ account }: AuthenticationSession): AuthenticationSession['account'] {
  return account;
}

/** Steps that every run takes, so that there is something to hide. */
const FIRST = ['set the client secret', 'sign in', 'ask for the sessions'];
const OTHERS = 40;

/** Everything that can be seen of a thrown value or of one that leaves a module. */
function shown(value: unknown): string {
  return [
    inspect(value, { depth: 10, showHidden: true, maxArrayLength: null, maxStringLength: null }),
    String(value),
    JSON.stringify(value),
    value instanceof Error ? value.stack : '',
  ].join('\n');
}

/** What was seen at one place. */
interface Sight {
  readonly where: string;
  readonly text: string;
  /** The person must see the user code, and may copy it. */
  readonly mayHoldUserCode?: boolean;
}

/** One run: takes the steps and returns all that could be seen from outside, and what must not be. */
async function play(
  maker: SecretMaker,
  turns: Map<string, number>,
  fields: Element,
): Promise<{ sights: Sight[]; secrets: Secrets; service: EchoingService }> {
  const secrets = new Secrets();
  const service = new EchoingService(maker, secrets, turns);
  const sights: Sight[] = [];
  const random = (length: number): Uint8Array => {
    const bytes = maker.bytes(length);
    if (length === 32) secrets.addBytes('the key of the store', bytes);
    return bytes;
  };
  let window = new ExtensionInMemory(service.fetch, { random, fields });
  const windows = [window];
  const names = [...FIRST, ...Array.from({ length: OTHERS }, () => maker.pick([...Object.keys(STEPS), 'reopen']))];
  for (const [index, name] of names.entries()) {
    service.honest = index < FIRST.length;
    if (name === 'reopen') {
      const closing = window.close();
      await window.clock.advance(10 * MINUTE);
      await closing;
      window = new ExtensionInMemory(service.fetch, { random, before: window });
      windows.push(window);
    }
    const acted = window;
    const outcome = Promise.resolve()
      .then(() => STEPS[name]?.(acted, service))
      .then(shown, shown);
    await window.clock.advance(maker.whole(0, 39) * 1000);
    void outcome.then((text) => sights.push({ where: `what came of “${name}”`, text }));
  }
  const closing = window.close();
  await window.clock.advance(20 * MINUTE);
  await closing;
  for (const one of windows) {
    sights.push(
      { where: 'the log', text: one.log.text() },
      { where: 'what the person sees', text: one.seen(), mayHoldUserCode: true },
      { where: 'the extension', text: shown([one.subscriptions, one.provider]) },
    );
  }
  sights.push({ where: 'the disk', text: window.rows.written() });
  return { sights, secrets, service };
}

/** Runs with the same seed are the same. */
const SEED = Number(process.env['SECRETS_SEED'] ?? 4);

/** Guards that no secret is visible anywhere, whatever the extension does. */
describe('secrets, through every operation of the extension', () => {
  for (const protocol of ['draft', 'rfc8628'] as const)
    it(`are in no log, message, error, inspected object or file, in no form (${protocol})`, async function () {
      const fields = { baseUrl: BASE_URL, protocol, ...(protocol === 'rfc8628' && { account: {}, notify: undefined }) };
      this.timeout(300_000);
      const answers = new Set<string>();
      const turns = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(makers, async (maker) => {
          const { sights, secrets, service } = await play(maker, turns, fields);
          for (const { where, text, mayHoldUserCode } of sights) {
            assert.equal(secrets.findIn(text), undefined, `in ${where}`);
            if (mayHoldUserCode !== true) assert.equal(service.userCodes.findIn(text), undefined, `in ${where}`);
          }
          for (const answer of service.answers) answers.add(answer);
        }),
        { numRuns: RUNS, seed: SEED },
      );
      // Whatever the service can say, it said to each kind of request.
      assert.deepEqual(
        OPERATIONS[protocol]
          .flatMap((operation) => ANSWERS.map((answer) => `${operation}: ${answer}`))
          .filter((answer) => !answers.has(answer)),
        [],
      );
    });
});
