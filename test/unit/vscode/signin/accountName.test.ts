import assert from 'node:assert/strict';
import { ServiceError } from '../../../../src/oauth/errors';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials } from '../../signin/scriptedProtocol';
import { nameProblem } from '../../../../src/vscode/texts/plainText';
import { bench, sessionOf, type Bench } from './signInBench';

const { baseUrl, clientId } = credentials;
const values = { baseUrl, clientId, serviceName: 'My Service', 'account.path': '/user', 'account.field': 'name' };

/** Signs in to a service that tells who is signed in, or fails to. */
async function labelAfter(told: string | Error, ...labels: string[]): Promise<[string | undefined, Bench]> {
  const b = bench({ values: { ...values }, answers: [confirmed] });
  b.sessions.held.push(...labels.map((label) => sessionOf(label)));
  b.askAccount = (shape) => {
    assert.deepEqual(shape, { path: '/user', field: 'name', accessTokenIn: 'header' });
    return told instanceof Error ? Promise.reject(told) : Promise.resolve(told);
  };
  void b.signIn.start();
  await b.clock.advance(5_000);
  await settle();
  assert.equal(b.editor.questions.length, 0);
  return [b.sessions.held.at(-1)?.account.label, b];
}

describe('the name of an account, where the service tells it', () => {
  it('is the service’s word, and nobody is asked', async () => {
    assert.equal((await labelAfter('Ada'))[0], 'Ada');
    const [label, b] = await labelAfter('Ada', 'My Service');
    assert.equal(label, 'Ada');
    assert.equal(b.editor.last.text, 'Signed in to My Service as Ada.');
  });

  it('is asked for when the session is stored already', async () => {
    const b = bench({ values: { ...values }, answers: [confirmed] });
    let storedBefore = 0;
    b.askAccount = () => {
      storedBefore = b.sessions.held.length;
      return new Promise(() => undefined);
    };
    void b.signIn.start();
    await b.clock.advance(5_000);
    assert.equal(storedBefore, 1);
  });

  it('stays as it is here where it can’t be stored, and the sign-in succeeds', async () => {
    const b = bench({ values: { ...values }, answers: [confirmed] });
    b.sessions.renameFault = new Error('the disk is full');
    b.askAccount = () => Promise.resolve('Ada');
    const signedIn = b.signIn.signIn({});
    await b.clock.advance(5_000);
    assert.equal((await signedIn).account.label, 'My Service');
    assert.equal(b.editor.last.text, 'Signed in to My Service.');
  });

  it('comes with the token to whoever waits for the session', async () => {
    const b = bench({ values: { ...values }, answers: [confirmed] });
    b.askAccount = () => Promise.resolve('Ada');
    const signedIn = b.signIn.signIn({});
    await b.clock.advance(5_000);
    const { account, accessToken } = await signedIn;
    assert.deepEqual([account.label, accessToken], ['Ada', 'not a real access token']);
  });

  it('is made plain', async () => {
    assert.equal((await labelAfter('[Ada](command:x)\n$(verified)'))[0], '[Ada] (command:x) $ (verified)');
  });

  it('is made unique', async () => {
    assert.equal((await labelAfter('ada', 'Ada', 'Ada (2)'))[0], 'ada (3)');
    const long = 'x'.repeat(80);
    const [first] = await labelAfter(long);
    assert.ok(first !== undefined);
    const [second] = await labelAfter(long, first);
    assert.ok(second !== undefined && second !== first && second.length <= 64, second);
    assert.match(second, / \(2\)$/);
  });

  it('is cut where it leaves room for a number of three digits, and no sooner', async () => {
    const fits = 'x'.repeat(58);
    assert.equal((await labelAfter(fits))[0], fits);
    const cut = `${'x'.repeat(57)}…`;
    assert.equal((await labelAfter(`${fits}x`))[0], cut);
    const taken = Array.from({ length: 98 }, (_, index) => `${cut} (${index + 2})`);
    const [last] = await labelAfter(`${fits}x`, cut, ...taken);
    assert.equal(last, `${cut} (100)`);
    assert.equal(nameProblem(last), undefined);
  });

  for (const told of [new ServiceError('account', 404, undefined), '\u200b']) {
    it(`falls back to the service’s name, made unique, and the sign-in succeeds (${typeof told})`, async () => {
      assert.equal((await labelAfter(told))[0], 'My Service');
      assert.equal((await labelAfter(told, 'My Service'))[0], 'My Service (2)');
    });
  }

  it('stays as it is where a session is replaced', async () => {
    const b = bench({ values: { ...values }, answers: [confirmed] });
    b.sessions.held.push(sessionOf('Ada', 'one'));
    void b.signIn.start({ replaces: 'one' });
    await b.clock.advance(5_000);
    assert.equal(b.sessions.added[0]?.accountLabel, 'Ada');
  });
});
