import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { settle } from '../../../support/fakeClock';
import { credentials } from '../../signin/scriptedClient';
import { enter } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, nameOf, type Bench } from '../signin/signInBench';

async function setClientSecret(b: Bench, argument?: unknown): Promise<unknown> {
  return b.run('setClientSecret', argument);
}

describe('Set Client Secret', () => {
  it('asks in a password box', async () => {
    const b = bench({ withSecret: false });
    b.editor.answers = [enter('not a real secret ')];
    await setClientSecret(b);
    assert.equal(b.editor.questions[0]?.password, true);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'not a real secret');
    assert.equal(b.editor.last.text, 'The client secret was saved.');
    await b.editor.press('Sign In');
    assert.equal(b.client.codeRequests.length, 1);
    b.signIn.cancel();
  });

  it('offers no sign-in if somebody is signed in', async () => {
    const b = bench();
    b.sessions.held.push(sessionOf('Ada'));
    b.editor.answers = [enter('another secret')];
    await setClientSecret(b);
    assert.deepEqual(b.editor.last.buttons, []);
  });

  it('changes nothing if the box is closed', async () => {
    const b = bench();
    await setClientSecret(b);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    assert.deepEqual(b.editor.messages, []);
  });

  it('takes the secret as its argument, without a question or a message', async () => {
    const b = bench({ withSecret: false });
    await setClientSecret(b, 'sécret+&% of a kind');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'sécret+&% of a kind');
    assert.deepEqual([b.editor.questions, b.editor.messages], [[], []]);
    assert.deepEqual(b.editor.remarks, ['The client secret was saved.']);
  });

  it('takes the secret as its argument without the spaces and line ends around it', async () => {
    const b = bench({ withSecret: false });
    await setClientSecret(b, ' s3cret\n');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 's3cret');
  });

  for (const argument of [5, null, {}, ['x'], true, Symbol('x')]) {
    it(`refuses another kind of argument: ${inspect(argument)}`, async () => {
      const b = bench();
      await assert.rejects(setClientSecret(b, argument), /must be a string/);
      assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    });
  }

  for (const argument of ['', '  ', 'a\nb', 'x'.repeat(3000)]) {
    it(`refuses a text that is no secret: ${JSON.stringify(argument.slice(0, 10))}`, async () => {
      const b = bench();
      await assert.rejects(setClientSecret(b, argument), /is invalid/);
      assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    });
  }

  it('needs a configured service, and offers to configure one', async () => {
    const b = bench({ values: {}, withSecret: false });
    await assert.rejects(setClientSecret(b, 'not a real secret'), /Configure the service first/);
    const asked = setClientSecret(b);
    await settle();
    await b.editor.press('Configure Service');
    await asked;
    assert.deepEqual(b.editor.commands, ['someBrand.configure']);
    assert.equal(b.secrets.kept.size, 0);
  });

  it('says which setting is wrong', async () => {
    const b = bench({ values: { baseUrl: 'ftp://x', clientId: 'x' } });
    await assert.rejects(setClientSecret(b), /someBrand\.baseUrl/);
  });

  it('says nothing if a program hands over the stored one', async () => {
    const b = bench();
    let written = 0;
    b.secrets.set = () => {
      written++;
      return Promise.resolve();
    };
    await b.run('setClientSecret', credentials.clientSecret);
    assert.deepEqual([written, b.editor.remarks], [0, []]);
  });

  it('stores what a program hands over even if the previous one can’t be read', async () => {
    const b = bench();
    b.secrets.get = () => Promise.reject(new Error('no answer'));
    await setClientSecret(b, 'another secret');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'another secret');
  });

  it('says so if it can’t be stored, and never quotes it', async () => {
    const b = bench();
    b.secrets.fault = new Error('a fault that quotes the secret');
    await assert.rejects(setClientSecret(b, 'the secret'), { message: 'The store has a fault, in words.' });
    assert.ok(!b.log.text().includes('the secret'));
  });
});
