import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { MetadataError, NetworkError } from '../../../../src/oauth/errors';
import { settle } from '../../../support/fakeClock';
import { credentials } from '../../signin/scriptedClient';
import { enter } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, nameOf } from '../signin/signInBench';

/** Guards that a client secret can be handed over by a person or a program, and is never shown. */
describe('Set Client Secret', () => {
  it('asks in a password box', async () => {
    const b = bench({ withSecret: false });
    b.editor.answers = [enter('not a real secret ')];
    await b.run('setClientSecret');
    assert.equal(b.editor.questions[0]?.password, true);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'not a real secret');
    assert.equal(b.editor.lastToast.text, 'The client secret for My Service was saved.');
    await b.follow('Sign In');
    assert.equal(b.client.codeRequests.length, 1);
  });

  it('offers no sign-in if somebody is signed in', async () => {
    const b = bench();
    b.sessions.held.push(sessionOf('Ada'));
    b.editor.answers = [enter('another secret')];
    await b.run('setClientSecret');
    assert.deepEqual(b.editor.lastToast.links, []);
  });

  it('asks again only if trying again may help, and with what the person has set by then', async () => {
    const standard = { protocol: 'rfc8628', baseUrl: credentials.baseUrl, clientId: credentials.clientId };
    const b = bench({ services: [standard] });
    const asked: unknown[] = [];
    const answers = [
      new NetworkError('metadata', 'timeout', false),
      new MetadataError('missing endpoint', true, { endpoint: 'token' }),
    ];
    Object.assign(b.client, {
      discover: (_service: unknown, endpoints: unknown) => {
        asked.push(endpoints);
        return Promise.reject(answers.shift() ?? assert.fail('asked too often'));
      },
    });
    const tryAgain = () => {
      b.editor.set([{ ...standard, endpoints: { token: 'https://service.example/token' } }]);
      return { kind: 'entered', value: 'a secret' } as const;
    };
    b.editor.answers = [enter('a secret'), tryAgain];
    await b.run('setClientSecret');
    assert.deepEqual(asked, [{}, { token: 'https://service.example/token' }]);
    assert.match(b.editor.last.text, /^Couldn’t find the “token” endpoint of /);
    assert.deepEqual(b.editor.last.buttons.slice(0, 2), ['Configure Service', 'Open Settings']);
  });

  it('removes the secret of a standard service if nothing is entered, and keeps that of another, which needs one', async () => {
    const standard = { protocol: 'rfc8628', baseUrl: credentials.baseUrl, clientId: credentials.clientId };
    const [deviceAuthorization, token] = ['https://service.example/device', 'https://service.example/token'];
    const b = bench({ services: [{ ...standard, endpoints: { deviceAuthorization, token } }] });
    const endpoints = { issuer: credentials.baseUrl, deviceAuthorization, token, authentication: 'basic' };
    Object.assign(b.client, { discover: () => Promise.resolve({ endpoints, scopesSupported: [] }) });
    b.editor.answers = [enter('not a real secret'), enter(' ')];
    await b.run('setClientSecret');
    assert.deepEqual([...b.secrets.kept.values()].at(-1), 'not a real secret');
    await b.run('setClientSecret');
    const [, question] = b.editor.questions;
    assert.match(
      question?.prompt ?? '',
      /never shown\. If this client has no secret, leave this empty\. Any saved secret is then removed\.$/,
    );
    assert.equal(question?.validate(''), undefined);
    assert.deepEqual([...b.secrets.kept.values()].at(-1), '');
    assert.equal(b.editor.lastToast.text, 'The client secret for service.example was removed.');
    b.editor.answers = [enter('')];
    const told = b.editor.messages.length;
    await b.run('setClientSecret');
    assert.equal(b.editor.messages.length, told, 'there’s nothing to remove anymore');
    assert.equal(b.editor.lastToast.text, 'No client secret is saved for service.example.');
    const draft = bench();
    draft.editor.answers = [enter('')];
    await draft.setOff('setClientSecret');
    assert.equal(draft.editor.questions[0]?.validate(''), 'Enter the client secret. This service requires one.');
    assert.equal(draft.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
  });

  it('saves nothing for a service that’s removed while the box is open, and says so', async () => {
    const b = bench({ withSecret: false });
    b.editor.answers = [
      () => {
        b.editor.set([]);
        return { kind: 'entered', value: 'a secret' };
      },
    ];
    await b.setOff('setClientSecret');
    assert.equal(b.secrets.kept.size, 0);
    assert.match(b.editor.last.text, /^The client secret wasn’t saved because its service /);
  });

  it('changes nothing if the box is closed', async () => {
    const b = bench();
    await b.run('setClientSecret');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    assert.deepEqual(b.editor.messages, []);
  });

  for (const secret of ['sécret+&% of a kind', ' with spaces and a line end around it\n']) {
    it(`takes the secret as its argument, without a question or a message: ${JSON.stringify(secret)}`, async () => {
      const b = bench({ withSecret: false });
      await b.run('setClientSecret', secret);
      assert.equal(b.secrets.kept.get(nameOf(credentials)), secret.trim());
      assert.deepEqual([b.editor.questions, b.editor.messages, b.editor.remarks], [[], [], []]);
    });
  }

  for (const [problem, ...refused] of [
    [/is invalid. Enter text\./, 5, {}, ['x'], true, Symbol('x')],
    [/is invalid/, '', '  ', 'a\nb', 'x'.repeat(3000)],
  ] as const) {
    for (const argument of refused) {
      it(`refuses what is no secret: ${inspect(argument).slice(0, 10)}`, async () => {
        const b = bench();
        await assert.rejects(b.run('setClientSecret', argument), problem);
        assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
      });
    }
  }

  it('takes the base URL of the service that a handed over secret is for, in any of its forms', async () => {
    for (const meant of [credentials.baseUrl, 'HTTPS://Service.Example/', undefined]) {
      const b = bench({ withSecret: false });
      await b.run('setClientSecret', 'not a real secret', meant);
      assert.equal(b.secrets.kept.get(nameOf(credentials)), 'not a real secret');
    }
  });

  it('stores no secret for another service than the one it’s for', async () => {
    const b = bench({ withSecret: false });
    await assert.rejects(b.run('setClientSecret', 'not a real secret', 'https://other.example/v1'), {
      message: 'The client secret wasn’t saved because its service wasn’t configured.',
    });
    b.first.baseUrl = 'https://hostile.example';
    await assert.rejects(b.run('setClientSecret', 'not a real secret', credentials.baseUrl), /wasn’t saved/);
    assert.equal(b.secrets.kept.size, 0);
  });

  for (const meant of [
    5,
    null,
    {},
    '',
    'service.example',
    'ftp://service.example',
    `https://x.example/[a](command:b)`,
  ]) {
    it(`refuses what isn’t the base URL of a service: ${inspect(meant)}`, async () => {
      const b = bench({ withSecret: false });
      await assert.rejects(b.run('setClientSecret', 'not a real secret', meant), (error: Error) => {
        assert.match(error.message, /^The client secret wasn’t saved because/);
        assert.ok(!error.message.includes(']('));
        return true;
      });
      assert.equal(b.secrets.kept.size, 0);
    });
  }

  it('needs a configured service, and offers to configure one', async () => {
    const b = bench({ services: [], withSecret: false });
    await assert.rejects(
      b.run('setClientSecret', 'not a real secret'),
      /Configure the service before you set its client secret/,
    );
    const asked = b.run('setClientSecret');
    await settle();
    await b.editor.press('Configure Service');
    await asked;
    assert.deepEqual(b.editor.commands, ['configure']);
    assert.equal(b.secrets.kept.size, 0);
  });

  it('says which setting is wrong, and leads a person to it', async () => {
    const b = bench({ services: [{ protocol: 'draft', baseUrl: 'ftp://x', clientId: 'x' }] });
    await assert.rejects(b.run('setClientSecret', 'a secret'), /someBrand\.services\[0\]\.baseUrl/);
    assert.equal(b.editor.messages.length, 0);
    await b.setOff('setClientSecret');
    assert.match(b.editor.last.text, /someBrand\.services\[0\]\.baseUrl/);
    assert.deepEqual(b.editor.last.buttons, ['Open Settings']);
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
    await b.run('setClientSecret', 'another secret');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'another secret');
  });

  it('says so if it can’t be stored, and never quotes it', async () => {
    const b = bench();
    b.secrets.set = () => Promise.reject(new Error('a fault that quotes the secret'));
    const message = 'Couldn’t save the client secret. Try again, or see the log for details.';
    await assert.rejects(b.run('setClientSecret', 'the secret'), { message });
    assert.ok(!b.log.text().includes('the secret'));
  });

  it('saves nothing if the extension has a secret of its own, which is used first', async () => {
    const b = bench();
    b.secrets.own = 'what comes with it';
    const message = 'My Service has a client secret that comes with the extension and can’t be changed.';
    await b.run('setClientSecret');
    assert.deepEqual([b.editor.last.text, b.editor.questions], [message, []]);
    await assert.rejects(b.run('setClientSecret', 'another secret'), { message });
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
  });
});
