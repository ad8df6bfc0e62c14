import assert from 'node:assert/strict';
import manifest from '../../../../package.json';
import type { Tokens } from '../../../../src/oauth/types';
import { NetworkError, ServiceError } from '../../../../src/oauth/errors';
import { StoreUnavailableError } from '../../../../src/storage/storeUnavailable';
import { ExplainedError } from '../../../../src/vscode/failures/failure';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials, deviceCode, pending, refusal, silence, tokens } from '../../signin/scriptedClient';
import { Cancellation, enter } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, begun, type Bench, type BenchOptions, failed, LINKS, signedIn, nameOf } from './signInBench';

/** Guards what a person sees of a sign-in, from the code to each way in which it may end. */
describe('signing in', () => {
  it('shows the code, waits, stores the session, notifies the service of the device, and says so', async () => {
    const b = bench({ responses: [pending, confirmed] });
    const result = b.signIn.signIn();
    await settle();
    const [code] = b.editor.messages;
    assert.equal(code?.kind, 'information');
    assert.equal(
      code.text,
      'Your code is ABCD-1234. Enter it at https://service.example/device to sign in to My Service.',
    );
    await b.clock.advance(10_000);
    const session = await result;
    const { baseUrl, clientId, protocol } = credentials;
    assert.deepEqual(b.sessions.added, [{ service: { baseUrl, clientId, protocol }, tokens, label: 'My account' }]);
    const notified = b.client.notifications.map(({ at, accessToken }) => [at, accessToken]);
    assert.deepEqual(notified, [[10_000, session.accessToken]]);
    assert.equal(b.editor.remarks.at(-1), 'Signed in to My Service.');
  });

  it('says who is signed in if there are several accounts, and asks for the name first', async () => {
    const b = bench({ responses: [confirmed] });
    b.sessions.held.push(sessionOf('My Service'));
    b.editor.answers = [
      (question) => {
        assert.equal(
          question.validate('my service'),
          'Another account uses, or has used, this name. Enter a different name.',
        );
        assert.equal(
          question.validate('[Ada](command:x)'),
          'Remove double spaces, invisible characters, “](”, and “$(”.',
        );
        assert.equal(b.client.codeRequests.length, 0);
        return { kind: 'entered', value: ' Ada ' };
      },
    ];
    assert.equal((await signedIn(b)).account.label, 'Ada');
    assert.equal(b.editor.remarks.at(-1), 'Signed in to My Service as Ada.');
  });

  it('doesn’t ask for a name if a session is replaced or a good name is known', async () => {
    const b = bench({ responses: [confirmed, confirmed] });
    b.sessions.held.push(sessionOf('My Service', 'one'));
    await signedIn(b, { accountId: 'account of one' });
    await signedIn(b, { accountLabel: 'Ada' });
    const assigned = b.sessions.assigned.map(({ accountId, label }) => ({ accountId, label }));
    assert.deepEqual(assigned, [
      { accountId: 'account of one', label: 'My Service' },
      { accountId: undefined, label: 'Ada' },
    ]);
    assert.equal(b.editor.questions.length, 0);
  });

  it('asks again if the name that a caller gave is taken or not allowed', async () => {
    for (const accountLabel of ['Ada', '$(verified)', '']) {
      const b = bench();
      b.sessions.held.push(sessionOf('Ada'));
      await assert.rejects(b.signIn.signIn({ accountLabel }), Cancellation);
      assert.equal(b.editor.questions[0]?.value, accountLabel);
      assert.equal(b.client.codeRequests.length, 0);
    }
  });

  it('goes through its states, one after the other', async () => {
    const b = bench({ responses: [pending, confirmed] });
    const states: unknown[] = [];
    const noted = (what: object, name: string): void => {
      const method = Reflect.get(what, name) as (...given: unknown[]) => unknown;
      Object.assign(what, {
        [name]: (...given: unknown[]) => {
          const state = b.signIn.current?.state.kind;
          if (states.at(-1) !== state) states.push(state);
          return Reflect.apply(method, what, given);
        },
      });
    };
    noted(b.secrets, 'get');
    noted(b.sessions, 'list');
    noted(b.client, 'requestDeviceAuthorization');
    noted(b.client, 'poll');
    noted(b.sessions, 'add');
    await Promise.all([b.signIn.signIn(), b.clock.advance(10_000)]);
    assert.deepEqual(states, [
      'finding the service',
      'choosing the account',
      'requesting a code',
      'waiting for the person',
      'storing the tokens',
    ]);
    assert.equal(b.signIn.current, undefined);
  });

  it('shows the code and the time left in the notification until the end', async () => {
    const b = bench({ codes: [{ response: deviceCode({ expiresIn: 300 }), after: 100 }] });
    const result = b.signIn.signIn();
    await b.clock.advance(100);
    await b.editor.press(undefined);
    const [progress] = b.editor.progresses;
    assert.ok(progress !== undefined);
    await b.clock.advance(121_000);
    const task = 'ABCD-1234: Enter this code at https://service.example/device to sign in to My Service.';
    assert.deepEqual(
      progress.texts,
      [5, 4, 3].map((minutes) => `${task} ${minutes} min left. ${LINKS}`),
    );
    await b.clock.advance(178_000);
    const last = [15, 10].map((seconds) => `${task} ${seconds} s left. ${LINKS}`);
    assert.deepEqual(progress.texts.slice(-3), [...last, `${task} A few seconds left. ${LINKS}`]);
    assert.ok(progress.open);
    void b.run('cancelSignIn');
    await assert.rejects(result, Cancellation);
    assert.equal(progress.open, false);
    assert.equal(b.clock.sleeping, 0);
  });

  it('keeps the context keys, by which the commands are enabled', async () => {
    const names = ['signInRunning', 'waitingForUser', 'phoneCanOpenPage'];
    const enablements = manifest.contributes.commands.flatMap(({ enablement = '' }) => enablement.split(' && '));
    const used = new Set(enablements.filter((condition) => condition !== ''));
    assert.deepEqual(used, new Set(names.map((name) => `deviceFlow.${name}`)), 'the manifest uses each of them');
    const b = bench({ codes: [{ response: deviceCode(), after: 100 }], responses: [confirmed] });
    const keys = () => names.map((key) => b.editor.context.get(key));
    const result = b.signIn.signIn();
    await settle();
    assert.deepEqual(keys(), [true, undefined, undefined]);
    await b.clock.advance(100);
    assert.deepEqual(keys(), [true, true, true]);
    await b.clock.advance(5_000);
    await result;
    assert.deepEqual(keys(), [false, false, false]);
  });

  it('joins a second call to the running sign-in, and shows the code again', async () => {
    const b = bench({ responses: [confirmed] });
    const first = b.signIn.signIn();
    await settle();
    const second = b.signIn.signIn();
    await settle();
    assert.equal(b.editor.messages.length, 2);
    assert.equal(b.editor.messages[0]?.text, b.editor.messages[1]?.text);
    await b.clock.advance(5_000);
    assert.equal(await first, await second);
    assert.equal(b.client.codeRequests.length, 1);
  });

  it('shows one notification at a time: the message with the code, and the progress while that isn’t in view', async () => {
    const b = await begun({
      codes: [{ response: deviceCode({ expiresIn: 300 }) }],
      responses: [pending, pending, confirmed],
    });
    await b.clock.advance(9_000);
    assert.deepEqual([b.editor.messages.length, b.progress], [1, undefined]);
    await b.clock.advance(1_000);
    const left = 'to sign in to My Service. 5 min left.';
    const task = `ABCD-1234: Enter this code at https://service.example/device ${left} ${LINKS}`;
    assert.equal(b.progress, task, 'VS Code has hidden the message');
    await b.begin();
    assert.deepEqual([b.editor.messages.length, b.progress], [2, undefined], 'somebody asked for the sign-in');
    await b.editor.press('Open browser');
    assert.equal(b.progress, `ABCD-1234: Paste this code in the browser ${left} ${LINKS}`);
    await b.clock.advance(5_000);
    assert.deepEqual([b.progress, b.editor.toasts], [undefined, [{ text: 'Signed in to My Service.', open: true }]]);
    assert.deepEqual(b.editor.remarks, []);
    await b.clock.advance(10_000);
    assert.equal(b.editor.toasts[0]?.open, false);
    assert.equal(b.clock.sleeping, 0);
  });

  it('counts only time in which the person can see what’s shown', async () => {
    const b = await begun({
      codes: [{ response: deviceCode({ expiresIn: 300 }) }],
      responses: Array(9).fill(pending).concat(confirmed),
    });
    b.editor.isFocused = false;
    await b.clock.advance(20_000);
    b.editor.isFocused = true;
    await b.clock.advance(9_000);
    assert.equal(b.editor.progresses.length, 0);
    await b.clock.advance(1_000);
    assert.equal(b.editor.progresses[0]?.open, true);
    b.editor.isFocused = false;
    await b.clock.advance(40_000);
    assert.equal(b.editor.toasts[0]?.open, true, 'it waits for the person');
    b.editor.isFocused = true;
    await b.clock.advance(10_000);
    assert.equal(b.editor.toasts[0].open, false);
  });

  it('shows the request for the code only if that takes a while', async () => {
    for (const [after, expected] of [
      [1_500, []],
      [2_500, [['Requesting a code from My Service…']]],
    ] as const) {
      const b = await begun({ codes: [{ response: deviceCode(), after }] });
      await b.clock.advance(after);
      assert.deepEqual(
        b.editor.progresses.map(({ texts }) => texts),
        expected,
      );
      assert.ok(
        b.editor.progresses.every(({ open }) => !open),
        'it’s gone when the code comes',
      );
    }
  });

  it('asks the person about a different account while a sign-in waits for them, and requests no code', async () => {
    for (const request of [{ accountId: 'account of bob' }, { accountLabel: 'Bob' }, { isForAnother: true }]) {
      const b = bench();
      b.sessions.held.push(sessionOf('Ada', 'ada'));
      const first = b.signIn.signIn({ accountId: 'account of ada' });
      await settle();
      await assert.rejects(b.signIn.signIn(request), Cancellation);
      assert.match(b.editor.lists[0]?.placeholder ?? '', /^A sign-in to My Service is already in progress\./);
      assert.deepEqual(b.editor.lists[0]?.labels, ['Show Code', 'Cancel Current Sign-In and Sign In to My Service']);
      assert.equal(b.client.codeRequests.length, 1);
      void b.run('cancelSignIn');
      await assert.rejects(first, Cancellation);
    }
  });

  it('is canceled if another service is configured while the person names the account', async () => {
    const b = bench({ responses: [confirmed] });
    b.sessions.held.push(sessionOf('Ada', 'ada'));
    b.secrets.kept.set(nameOf({ baseUrl: 'https://other.example', clientId: credentials.clientId }), 'another secret');
    b.editor.answers = [
      async (question) => {
        b.first.baseUrl = 'https://other.example';
        await b.settingsChanged();
        assert.equal(question.signal?.aborted, true, 'the box closes');
        return enter('Bob')(question);
      },
    ];
    await assert.rejects(b.signIn.signIn(), Cancellation);
    assert.deepEqual([b.client.codeRequests, b.editor.questions.length], [[], 1]);
  });

  it('is canceled if its service goes while its client secret is read', async () => {
    const b = bench({ responses: [confirmed] });
    const get = b.secrets.get.bind(b.secrets);
    b.secrets.get = (...args) => {
      b.first.baseUrl = 'https://other.example';
      return get(...args);
    };
    await assert.rejects(b.signIn.signIn(), Cancellation);
    assert.deepEqual(b.client.codeRequests, []);
  });

  it('asks for nothing that comes while it looks what’s missing', async () => {
    const b = bench({ withSecret: false, responses: [confirmed] });
    const get = b.secrets.get.bind(b.secrets);
    b.secrets.get = async (...args) => {
      const before = await get(...args);
      b.secrets.get = get;
      await b.secrets.set(credentials, credentials.clientSecret);
      await b.signIn.lookAgain();
      return before;
    };
    assert.equal((await signedIn(b)).account.label, 'My account');
    assert.equal(b.editor.questions[0]?.signal?.aborted, true, 'it never appears');
  });

  it('keeps the settings that it began with, as long as they’re for the same service', async () => {
    const b = bench({ responses: [confirmed] });
    const result = b.signIn.signIn();
    await settle();
    Object.assign(b.first, { serviceName: 'Another Name', verificationUrl: 'not an address' });
    await b.settingsChanged();
    await b.clock.advance(5_000);
    assert.equal((await result).account.label, 'My Service');
    assert.equal(b.editor.remarks.at(-1), 'Signed in to My Service.');
  });

  it('is joined by whoever names the account that it turned out to be for, or none', async () => {
    const b = bench({ responses: [confirmed] });
    b.sessions.held.push(sessionOf('Ada', 'ada', { needsUser: true, isIdentified: true }));
    const first = b.signIn.signIn();
    await settle();
    const others = [b.signIn.signIn({ accountId: 'account of ada' }), b.signIn.signIn({ scopes: [''] })];
    await b.clock.advance(5_000);
    for (const other of others) assert.equal(await other, await first);
  });
});

describe('the ends of a sign-in', () => {
  const noHost = new NetworkError('device authorization', 'host not found', false, { systemCode: 'ENOTFOUND' });
  for (const [how, options, text, buttons] of [
    [
      'has no code',
      { codes: [{ response: noHost }] },
      /^Couldn’t reach My Service \(https:\S+, ENOTFOUND\)\./,
      ['Try Again', 'Configure Service'],
    ],
    ['is denied', { responses: [refusal('access_denied')] }, /was denied in the browser/, ['Try Again']],
  ] as const) {
    it(`offers to begin again if it ${how}`, async () => {
      const b = await failed(options);
      assert.match(b.editor.last.text, text);
      assert.deepEqual(b.editor.last.buttons, buttons);
      const [code] = b.editor.messages.filter(({ text }) => text.startsWith('Your code is'));
      await b.editor.press(buttons[0]);
      assert.equal(b.client.codeRequests.length, 2);
      assert.match((code === undefined ? b.editor.last.text : b.progress) ?? '', /^(?:Your code is )?ABCD-1234/);
    });
  }

  it('blames no address if the service that gave the code stops it without a reason', async () => {
    const b = await failed({ responses: [refusal(undefined, 404)] });
    assert.match(b.editor.last.text, /without saying why \(HTTP 404\)\. Try again, or ask the service’s operator/);
    assert.deepEqual(b.editor.last.buttons, ['Try Again', 'Show Log']);
  });

  describe('whose code expires', () => {
    /** A sign-in to a new account that somebody waits for, whose code has expired. */
    async function expired(): Promise<Bench> {
      const codes = [{ response: deviceCode({ expiresIn: 3 }) }, { response: deviceCode({ userCode: 'NEW-1' }) }];
      const b = bench({ codes, responses: [confirmed] });
      b.sessions.held.push(sessionOf('Ada'));
      b.editor.answers = [enter('Bob')];
      const told = assert.rejects(b.signIn.signIn(), /^ExplainedError: The code expired before you confirmed it/);
      await b.clock.advance(3_000);
      await told;
      assert.match(b.editor.last.text, /^The code expired/);
      assert.deepEqual([b.editor.last.kind, b.editor.last.buttons], ['warning', ['Get a new code']]);
      assert.deepEqual([b.progress, b.signIn.isRunning], [undefined, false]);
      return b;
    }

    it('fails for whoever waits, and offers a new code, which is a sign-in of its own to the same account', async () => {
      const b = await expired();
      await b.editor.press('Get a new code');
      assert.match(b.progress ?? '', /^NEW-1: /, 'the message with the first code is still there');
      await b.clock.advance(5_000);
      assert.equal(b.editor.toasts.at(-1)?.text, 'Signed in to My Service as Bob.');
      assert.deepEqual([b.client.codeRequests.length, b.editor.questions.length], [2, 1]);
    });

    it('gets no new code for who has signed in to the account since', async () => {
      const b = await expired();
      const { last } = b.editor;
      b.sessions.bring(sessionOf('Bob', 'bob', { signedInAt: b.clock.now() + 1 }));
      last.close('Get a new code');
      await settle();
      assert.deepEqual([b.client.codeRequests.length, b.editor.remarks.at(-1)], [1, 'You’re already signed in.']);
    });

    for (const [what, session] of [
      ['to another account', sessionOf('Carol', 'carol', { signedInAt: Infinity })],
      ['before', sessionOf('Bob', 'bob', { signedInAt: 0 })],
      ['again, which doesn’t work anymore', sessionOf('Bob', 'bob', { signedInAt: Infinity, needsUser: true })],
    ] as const) {
      it(`gets a new code for who has signed in ${what}`, async () => {
        const b = await expired();
        const { last } = b.editor;
        b.sessions.held.push(session);
        last.close('Get a new code');
        await settle();
        assert.notEqual(b.editor.remarks.at(-1), 'You’re already signed in.');
      });
    }

    it('lets others sign in meanwhile, whose sign-in its message joins', async () => {
      const b = await expired();
      const { last } = b.editor;
      const other = b.signIn.signIn({ accountLabel: 'Bob' });
      await settle();
      last.close('Get a new code');
      await b.clock.advance(5_000);
      assert.equal((await other).account.label, 'Bob');
      assert.equal(b.client.codeRequests.length, 2);
    });
  });

  it('is refused if somebody means another service and nobody can add one, in words that name both', async () => {
    for (const [awaitedByEditorUntil, text] of [
      [
        300_000,
        /^An extension asked you to sign in to https:\/\/other\.example, but only these services were configured: https:\/\/service\.example\.$/,
      ],
      [
        undefined,
        /^Couldn’t sign in to https:\/\/other\.example because it was no longer configured\. Add it again, and then sign in\.$/,
      ],
    ] as const) {
      const b = bench({ brand: { commands: ['showLog'] } });
      const request = { services: ['https://other.example'], awaitedByEditorUntil };
      await assert.rejects(b.signIn.signIn(request), ExplainedError);
      assert.match(b.editor.last.text, text);
      assert.deepEqual([b.editor.last.buttons, b.client.codeRequests.length], [[], 0]);
    }
  });

  it('isn’t joined by somebody who means another service: that’s refused at once if nobody can add one', async () => {
    const b = await begun({ brand: { commands: ['showLog'] } });
    await assert.rejects(b.signIn.signIn({ services: ['https://other.example'] }), ExplainedError);
    assert.match(b.editor.last.text, /^Couldn’t sign in to https:\/\/other\.example because /);
    assert.equal(b.signIn.isRunning, true);
  });

  it('never blames an extension for what a button of ours began', async () => {
    const response = new NetworkError('device authorization', 'host not found', false, { systemCode: 'ENOTFOUND' });
    const b = bench({ codes: [{ response }] });
    await assert.rejects(b.signIn.signIn({ awaitedByEditorUntil: 300_000 }), ExplainedError);
    b.first.baseUrl = 'https://other.example';
    await b.editor.press('Try Again');
    assert.doesNotMatch([b.editor.last.text, ...b.editor.questions.map(({ prompt }) => prompt)].join(), /extension/);
  });

  it('is refused if another service than the meant one is configured when the person is asked for it', async () => {
    const b = bench({ services: [] });
    b.editor.answers = ['https://service.example', 'the client', 'a secret', 'My Service'].map((value) => () => ({
      kind: 'entered',
      value,
    }));
    const request = { services: ['https://other.example'], awaitedByEditorUntil: 300_000 };
    await assert.rejects(b.signIn.signIn(request), /but only these services were configured/);
    assert.equal(b.client.codeRequests.length, 0);
  });

  it('fails before the service gives a code if nothing can be stored', async () => {
    const b = bench();
    b.sessions.refusal = new StoreUnavailableError('folder');
    await assert.rejects(b.signIn.signIn(), ExplainedError);
    assert.deepEqual([b.client.codeRequests.length, b.client.polls.length], [0, 0]);
  });

  for (const [reason, button] of [
    ['reload', 'Reload Window'],
    ['newer version', 'Reload Window'],
    ['secret storage', 'Try Again'],
  ] as const) {
    it(`offers to ${button.toLowerCase()} if nothing can be stored because of “${reason}”`, async () => {
      const b = bench();
      b.sessions.refusal = new StoreUnavailableError(reason);
      await assert.rejects(b.signIn.signIn(), ExplainedError);
      assert.deepEqual(b.editor.last.buttons.slice(0, 1), [button]);
    });
  }

  it('ends with the revocation of tokens that can’t be stored after all', async () => {
    const b = bench({ responses: [confirmed] });
    const revoked: Tokens[] = [];
    Object.assign(b.client, { revoke: (_: unknown, given: Tokens) => Promise.resolve(revoked.push(given)) });
    const result = assert.rejects(b.signIn.signIn(), ExplainedError);
    await b.clock.advance(4_000);
    b.sessions.refusal = new StoreUnavailableError('secret storage');
    await b.clock.advance(1_000);
    await result;
    assert.deepEqual(revoked, [tokens]);
  });

  const { baseUrl, clientId } = credentials;
  const foreign = { response: deviceCode({ verificationUri: 'https://evil.example/device' }) };
  const guarded = { protocol: 'draft', baseUrl, clientId, verificationUrl: 'https://service.example' };
  const badBase = { protocol: 'draft', baseUrl: 'http://service.example', clientId: 'x' };
  const BUTTONS: Readonly<Record<string, string>> = {
    setClientSecret: 'Set Client Secret',
    configure: 'Configure Service',
  };
  /** What fails, what is said, the command, or else the setting, that the button leads to, and the field there. */
  const leads: readonly [options: BenchOptions, told: RegExp, to: string, field?: string][] = [
    [
      { responses: [refusal('invalid_client')] },
      /didn’t accept the client ID or the client secret/,
      'configure',
      'clientId',
    ],
    [
      { codes: [{ response: new ServiceError('device authorization', 404, undefined) }] },
      /(?:at|address) https:\/\/service\.example\./,
      'configure',
      'baseUrl',
    ],
    [{ codes: [foreign], services: [guarded] }, /on a different site than expected/, 'services'],
    [
      { services: [badBase] },
      /The someBrand.services\[0\].baseUrl setting is invalid. Enter a web address that begins with https:/,
      'services',
    ],
  ];
  for (const [options, told, to, field = ''] of leads) {
    it(`leads from “${told.source}” to ${to} ${field}`, async () => {
      const b = await failed(options, told);
      assert.equal(b.editor.last.kind, 'error');
      await b.editor.press(BUTTONS[to] ?? 'Open Settings');
      assert.deepEqual(b.editor.commands, [
        to in BUTTONS ? `${to} ${baseUrl} ${field}` : `workbench.action.openSettings @id:someBrand.${to}`,
      ]);
      assert.ok(!b.editor.shown().some((text) => text.includes('evil')));
      assert.equal(b.client.codeRequests.length, told.source.includes(' setting is invalid') ? 0 : 1);
    });
  }

  it('says that the service can’t be reached in the progress, with the reason, while it still tries', async () => {
    const b = bench({ responses: [silence(), silence(), pending, silence(), confirmed] });
    const result = b.signIn.signIn();
    await b.clock.advance(16_000);
    const trouble = `Can’t reach My Service (ECONNREFUSED). Retrying automatically. ${LINKS}`;
    assert.match(b.progress ?? '', /^ABCD-1234: /);
    assert.ok(b.progress?.endsWith(` left. ${trouble}`));
    await b.clock.advance(22_000);
    assert.ok(b.progress?.endsWith(` left. ${LINKS}`));
    await b.clock.advance(60_000);
    await result;
  });

  it('says that the service doesn’t respond in the progress, 15 s after a poll, until it does', async () => {
    const b = bench({ responses: [{ ...pending, after: 40_000 }, confirmed] });
    const result = b.signIn.signIn();
    const saysNothingElse = (): boolean => b.progress?.endsWith(` left. ${LINKS}`) === true;
    await b.clock.advance(19_000);
    assert.ok(saysNothingElse());
    await b.clock.advance(2_000);
    assert.match(b.progress ?? '', / left\. My Service isn’t responding\. Retrying automatically\. \[/);
    await b.clock.advance(26_000);
    assert.ok(saysNothingElse());
    await b.clock.advance(10_000);
    await result;
  });

  for (const [what, error, progress] of [
    [
      'the network',
      new NetworkError('poll', 'TLS', false, { systemCode: 'SELF_SIGNED_CERT_IN_CHAIN' }),
      /to My Service \(SELF_SIGNED_CERT_IN_CHAIN\)\. .* install its root certificate.* Retrying automatically\. \[/,
    ],
    [
      'the proxy',
      new NetworkError('poll', 'proxy', false),
      /to My Service through\. Check the http\.proxy setting\. Retrying automatically\. \[/,
    ],
    ['a busy service', new ServiceError('poll', 503, undefined), /The service is busy\. Retrying automatically\. \[/],
    [
      'a broken one',
      new ServiceError('poll', 500, undefined),
      /The service isn’t working right now\. Retrying automatically\. \[/,
    ],
  ] as const) {
    it(`says in the progress why a poll got no answer: ${what}`, async () => {
      const b = bench({ responses: [{ response: { kind: 'no answer', error } }, confirmed] });
      const result = b.signIn.signIn();
      await b.clock.advance(6_000);
      await b.editor.press(undefined);
      assert.match(b.editor.progresses[0]?.texts.at(-1) ?? '', progress);
      await b.clock.advance(60_000);
      await result;
    });
  }

  it('isn’t called an error if it’s the person who denied it', async () => {
    const b = await failed({ responses: [refusal('access_denied')] }, /was denied in the browser/);
    assert.equal(b.editor.last.kind, 'information');
  });

  it('says so if the session can’t be stored', async () => {
    const b = bench({ responses: [confirmed] });
    b.sessions.add = () => Promise.reject(new Error(`a fault that quotes ${tokens.accessToken ?? ''}`));
    await assert.rejects(signedIn(b), /^ExplainedError: Couldn’t finish signing in to My Service\. Try again/);
    assert.ok(!b.log.text().includes(tokens.accessToken ?? ''));
  });

  for (const storing of ['stored', 'not stored'] as const) {
    it(`lets its window close only when tokens that arrived are ${storing}, and isn’t canceled meanwhile`, async () => {
      const b = bench({ responses: [confirmed] });
      let settleStoring = (): void => undefined;
      b.sessions.storing = new Promise<void>((resolve) => {
        settleStoring = resolve;
      }).then(() => {
        if (storing === 'not stored') throw new Error('the disk is full');
      });
      void b.signIn.start();
      await b.clock.advance(5_000);
      await b.setOff('cancelSignIn');
      assert.deepEqual([b.signIn.current?.state.kind, b.editor.remarks], ['storing the tokens', []]);
      let closed = false;
      const closing = b.close().then(() => {
        closed = true;
      });
      await settle();
      assert.equal(closed, false);
      settleStoring();
      await closing;
      assert.equal(b.sessions.held.length, storing === 'stored' ? 1 : 0);
    });
  }

  const ways: Readonly<Record<string, (b: Bench) => unknown>> = {
    progress: async (b) => {
      await b.editor.press(undefined);
      b.editor.progresses[0]?.cancel?.();
    },
    command: (b) => b.run('cancelSignIn'),
    'configuration of another service': async (b) => {
      await b.settingsChanged();
      assert.equal(b.signIn.isRunning, true, 'the service is still the same');
      b.first.clientId = 'another client';
      await b.settingsChanged();
    },
  };
  for (const [way, cancel] of Object.entries(ways)) {
    it(`settles at once when it is canceled by the ${way}`, async () => {
      const b = bench({ responses: [{ ...confirmed, after: 60_000 }] });
      const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
      await b.clock.advance(6_000);
      await Promise.all([cancel(b), rejected]);
      assert.deepEqual(b.editor.remarks, ['The sign-in was canceled.']);
      await b.clock.advance(100_000);
      assert.deepEqual([b.client.polls.length, b.sessions.added.length], [1, 0]);
    });
  }

  for (const [whose, request, expected] of [
    ['if nobody is signed in', {}, [tokens]],
    ['for an account that has a session, which the service might end too', { accountId: 'account of ada' }, []],
    ['if they might be those of an account that has a session', { isForAnother: true }, []],
    ['for an account that is hidden by now, because another service is configured', 'hidden', []],
  ] as const) {
    const does = expected.length > 0 ? 'revokes' : 'leaves alone';
    for (const after of [1_000, 20_000, 59_000]) {
      it(`${does} tokens that arrive after ${after / 1000} s, when the person has canceled, ${whose}`, async () => {
        const b = bench({ responses: [{ ...confirmed, after }] });
        const { hidden, held } = b.sessions;
        (request === 'hidden' ? hidden : held).push(...(expected.length > 0 ? [] : [sessionOf('Ada', 'ada')]));
        b.editor.answers = [enter('Bob')];
        const revoked: Tokens[] = [];
        Object.assign(b.client, { revoke: (_: unknown, given: Tokens) => Promise.resolve(revoked.push(given)) });
        const rejected = assert.rejects(b.signIn.signIn(request === 'hidden' ? {} : request), Cancellation);
        await b.clock.advance(5_500);
        await Promise.all([b.run('cancelSignIn'), rejected]);
        assert.deepEqual(revoked, []);
        await b.clock.advance(after - 500);
        assert.deepEqual([revoked, b.sessions.added, b.client.polls.length], [expected, [], 1]);
      });
    }
  }

  for (const [what, after, stored] of [
    ['stores tokens that arrive within two seconds', 1_000, 1],
    ['ends otherwise', 60_000, 0],
  ] as const) {
    it(`${what}, if the window closes in the middle of a poll`, async () => {
      const b = bench({ responses: [{ ...confirmed, after }] });
      const result = b.signIn.signIn().catch((error: unknown) => error);
      await b.clock.advance(5_500);
      const closed = b.close();
      await b.clock.advance(2_000);
      await closed;
      assert.equal(b.sessions.added.length, stored);
      assert.deepEqual([(await result) instanceof Cancellation, b.signIn.isRunning], [stored === 0, false]);
      await b.clock.advance(100_000);
      assert.deepEqual([b.client.polls.length, b.clock.sleeping], [1, 0]);
    });
  }

  it('ends at once, and says nothing, if the window closes between two polls', async () => {
    const b = bench({ responses: [pending] });
    const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
    await b.clock.advance(6_000);
    await Promise.all([b.close(), rejected]);
    assert.deepEqual([b.editor.remarks, b.editor.messages.length, b.clock.sleeping], [[], 1, 0]);
    await assert.rejects(b.signIn.signIn(), Cancellation, 'a window that closes begins none');
    assert.equal(b.client.codeRequests.length, 1);
  });

  const never = (): Promise<never> => new Promise(() => undefined);
  const two = [sessionOf('Ada', 'ada', { needsUser: true }), sessionOf('Bob', 'bob', { needsUser: true })];
  for (const [kind, what, set] of [
    ['finding the service', 'its client secret is read', (b: Bench) => (b.secrets.get = never)],
    [
      'finding the service',
      'the person is asked for its client secret',
      (b: Bench) => {
        b.secrets.kept.clear();
        b.editor.answers = [never];
      },
    ],
    [
      'choosing the account',
      'the person has a list of them',
      (b: Bench) => {
        b.sessions.held.push(...two);
        b.editor.leavesListsOpen = true;
      },
    ],
    [
      'choosing the account',
      'the person is asked for the name of another one',
      (b: Bench) => {
        b.sessions.held.push(sessionOf('Ada'));
        b.editor.answers = [never];
      },
    ],
    ['requesting a code', 'the store is tried', (b: Bench) => (b.sessions.prepareToAdd = never)],
    ['requesting a code', 'the service is silent', (b: Bench) => (b.client.requestDeviceAuthorization = never)],
    ['waiting for the person', 'a poll is on its way', (b: Bench) => (b.client.poll = never)],
  ] as const) {
    it(`is canceled at once while it’s ${kind}: ${what}`, async () => {
      const b = bench();
      set(b);
      const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
      await b.clock.advance(6_000);
      assert.equal(b.signIn.current?.state.kind, kind);
      await Promise.all([b.run('cancelSignIn'), rejected]);
      assert.deepEqual(
        [b.signIn.isRunning, b.progress, b.editor.remarks],
        [false, undefined, ['The sign-in was canceled.']],
      );
    });
  }

  it('is canceled at once while the store is tried, and one that’s requested then begins anew', async () => {
    const b = bench({ responses: [confirmed] });
    let respond: () => void = () => undefined;
    b.sessions.prepareToAdd = () => new Promise((resolve) => (respond = resolve));
    await b.begin();
    await b.clock.advance(2_000);
    b.editor.progresses[0]?.cancel?.();
    const again = b.signIn.signIn();
    await settle();
    assert.equal(b.editor.progresses[0]?.open, false);
    respond();
    await settle();
    await b.clock.advance(5_000);
    assert.equal((await again).account.label, 'My account');
    assert.equal(b.client.codeRequests.length, 1);
  });

  it('is canceled at once while Configure Service asks an address that doesn’t respond', async () => {
    const b = bench({ services: [], withSecret: false });
    Object.assign(b.client, { discover: () => new Promise(() => undefined) });
    b.editor.answers = [enter('https://slow.example')];
    await b.begin();
    await b.setOff('cancelSignIn');
    assert.equal(b.signIn.isRunning, false);
  });
});
