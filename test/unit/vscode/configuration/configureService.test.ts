import assert from 'node:assert/strict';
import type { EndpointSettings, Metadata } from '../../../../src/oauth/client';
import { MetadataError, NetworkError, ServiceError } from '../../../../src/oauth/errors';
import { ExplainedError } from '../../../../src/vscode/failure';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials } from '../../signin/scriptedClient';
import { back, Cancellation, enter, type FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, begun, nameOf, signedIn, type Bench, type BenchOptions } from '../signin/signInBench';

type Answers = FakeEditor['answers'];

/** What a standard service says about itself. */
const METADATA: Metadata = {
  endpoints: {
    issuer: 'https://service.example',
    deviceAuthorization: 'https://login.example/device',
    token: 'https://login.example/token',
    authentication: 'basic',
  },
  scopesSupported: [],
};

const UNSET = { values: {}, withSecret: false };

/** What a person enters who answers all questions. */
const ALL = ['https://service.example', 'the client', 'not a real secret', ''].map(enter);

/** Configure Service, with these answers and choices. */
async function configured(b: Bench, answers: Answers, ...choices: string[]): Promise<Bench> {
  Object.assign(b.editor, { answers: [...answers], choices });
  await b.setOff('configure');
  return b;
}

function steps({ questions }: FakeEditor): (string | undefined)[] {
  return questions.map(({ step, totalSteps = 0 }) => (step === undefined ? undefined : `${step} of ${totalSteps}`));
}

/** Guards that a person can configure a service step by step, and that nothing changes unless it's complete. */
describe('Configure Service', () => {
  it('asks for everything, step by step, and saves it', async () => {
    const entered = ['https://service.example/', 'the client', 'not a secret', 'My Service'].map(enter);
    const b = await configured(bench(UNSET), entered);
    assert.deepEqual(steps(b.editor), ['1 of 4', '2 of 4', '3 of 4', '4 of 4']);
    const { baseUrl, clientId } = credentials;
    assert.deepEqual(b.values, { baseUrl, clientId, serviceName: 'My Service' });
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'not a secret');
    assert.equal(b.editor.questions[2]?.password, true);
    assert.equal(b.editor.last.text, 'My Service is configured.');
    assert.deepEqual(b.editor.last.buttons, ['Sign In']);
    assert.match(b.log.text(), /configured: https:\/\/service\.example, client ID the client\./);
    assert.ok(!b.log.text().includes('not a secret'));
  });

  it('needs no name: the service is then called by its host', async () => {
    const b = await configured(bench(UNSET), ALL);
    assert.equal(b.editor.questions[3]?.placeholder, 'Service name (default: service.example)');
    assert.equal(b.values.serviceName, undefined);
    assert.equal(b.editor.last.text, 'service.example is configured.');
  });

  it('checks what’s entered while it’s typed', async () => {
    const b = await configured(bench(UNSET), ALL);
    const problem = (step: number, value: string): string | undefined => b.editor.questions[step]?.validate(value);
    assert.match(problem(0, 'http://service.example') ?? '', /^Begin with https:/);
    assert.match(problem(1, ' ') ?? '', /^Enter a value/);
    assert.match(problem(2, '') ?? '', /^Enter a value/);
    assert.match(problem(3, '$(key)') ?? '', /^Remove double spaces/);
  });

  it('completes an address that can only mean https:, and guesses nothing else', async () => {
    for (const [text, saved] of [
      ['service.example', 'https://service.example'],
      ['localhost:8080', 'http://localhost:8080'],
      ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
      [' [::1]:8080/api', 'http://[::1]:8080/api'],
      [' Service.Example:8443/api/ ', 'https://service.example:8443/api'],
    ] as const) {
      assert.equal((await configured(bench(UNSET), [enter(text), ...ALL.slice(1)])).values.baseUrl, saved);
    }
    const [question] = (await configured(bench(UNSET), [])).editor.questions;
    for (const text of ['service', 'mailto:a@service.example', 'a b.example', '//x.y']) {
      assert.match(question?.validate(text) ?? '', /^Enter a web address, such as https:/, text);
    }
  });

  it('goes back, and keeps what was entered', async () => {
    const begun = [enter('https://wrong.example'), enter('the client'), back('half a sec'), back('the client')];
    const b = await configured(bench(UNSET), [...begun, ...ALL]);
    const asked = b.editor.questions.map((question) => question.value);
    assert.deepEqual(asked, ['', '', '', 'the client', 'https://wrong.example', 'the client', 'half a sec', '']);
    assert.equal(b.values.baseUrl, 'https://service.example');
  });

  it('changes nothing if it is canceled at any step', async () => {
    for (let given = 0; given < ALL.length; given += 1) {
      const b = await configured(bench(UNSET), ALL.slice(0, given));
      assert.deepEqual([b.values, b.secrets.kept.size, b.editor.messages.length], [{}, 0, 0]);
    }
  });

  it('changes one thing if everything is set, and keeps the secret', async () => {
    const b = await configured(bench(), [enter('Another Name')], 'Service name');
    assert.deepEqual(steps(b.editor), [undefined]);
    assert.equal(b.editor.questions[0]?.value, 'My Service');
    assert.equal(b.values.serviceName, 'Another Name');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
  });

  it('keeps the secret if nothing is entered', async () => {
    const b = await configured(bench(), [enter('')], 'Client secret');
    assert.match(b.editor.questions[0]?.prompt ?? '', /Leave this empty to change nothing\./);
    assert.equal(b.editor.questions[0]?.value, '');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
  });

  it('asks for the secret of another service with its base URL', async () => {
    const b = await configured(bench(), [enter('https://other.example'), enter('another secret')], 'Base URL');
    assert.deepEqual(steps(b.editor), [undefined, undefined], 'how many steps there are is not known at the first');
    assert.equal(b.editor.questions[1]?.canGoBack, true);
    assert.equal(b.secrets.kept.get('https://other.example the client'), 'another secret');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    assert.equal(b.values.baseUrl, 'https://other.example');
    assert.equal(b.values.serviceName, undefined, 'the name is the other service’s');
    assert.match(b.editor.last.text, / is configured\.$/, 'not only the secret was changed');
  });

  it('offers no sign-in if somebody is signed in, or a sign-in runs', async () => {
    const signedIn = bench();
    signedIn.sessions.held.push(sessionOf('Ada'));
    for (const b of [signedIn, await begun()]) {
      await configured(b, [enter('Another Name')], 'Service name');
      assert.equal(b.editor.last.text, 'Another Name is configured.');
      assert.deepEqual(b.editor.last.buttons, []);
    }
  });

  it('says that the client secret was saved if nothing else was changed', async () => {
    const b = await configured(bench(), [enter('another secret')], 'Client secret');
    assert.equal(b.editor.last.text, 'The client secret was saved.');
  });

  it('corrects a wrong setting', async () => {
    const values = { baseUrl: 'http://service.example', clientId: 'the client' };
    const b = await configured(bench({ values }), ['https://service.example', 'the client', '', ''].map(enter));
    assert.equal(b.editor.questions[0]?.value, 'http://service.example');
    assert.equal(b.values.baseUrl, 'https://service.example');
  });

  it('says so if the settings or the secret can’t be saved', async () => {
    for (const fault of ['settings', 'secret'] as const) {
      const b = bench();
      b.editor.choices = ['Everything, step by step'];
      b.editor.answers = ['https://service.example', 'the client', 'new secret', ''].map(enter);
      const failed = new Error('new secret');
      if (fault === 'settings') {
        b.editor.writeFault = failed;
        await b.setOff('configure');
        assert.deepEqual([b.editor.last.kind, b.editor.last.buttons], ['error', ['Open Settings File']]);
      } else {
        b.secrets.set = () => Promise.reject(failed);
        const message = 'Couldn’t finish configuring the service. Try again, or see the log for details.';
        await b.setOff('configure');
        assert.deepEqual([b.editor.last.kind, b.editor.last.text], ['error', message]);
      }
      assert.ok(!b.log.text().includes('new secret'));
      assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret, 'the secret of before is kept');
    }
  });
});

describe('a sign-in before anything is configured', () => {
  it('asks for everything, then continues', async () => {
    const b = bench({ ...UNSET, responses: [confirmed] });
    b.editor.answers = [...ALL];
    assert.equal((await signedIn(b)).account.label, 'service.example');
    assert.equal(b.sessions.added[0]?.service.baseUrl, credentials.baseUrl);
  });

  it('offers the base URL that an extension asked for, and another one can be entered', async () => {
    const meant = 'https://service.example';
    const b = bench({ ...UNSET, responses: [confirmed] });
    b.editor.answers = [...ALL];
    const result = b.signIn.signIn({ services: [meant] });
    await b.clock.advance(5_000);
    await result;
    assert.equal(b.editor.questions[0]?.value, meant);
    assert.match(b.editor.questions[0].prompt, /^An extension asked you to sign in at this address\./);
    const other = bench({ values: { scopes: ['read'], serviceName: 'Mine' }, withSecret: false });
    const [, ...rest] = ALL;
    other.editor.answers = [
      enter('https://other.example'),
      back('the client'),
      enter('https://other.example'),
      ...rest,
    ];
    await assert.rejects(other.signIn.signIn({ services: [meant] }), /but this sign-in is for/);
    assert.match(other.editor.questions[2]?.prompt ?? '', /^Enter the base URL that the operator/);
    assert.deepEqual([other.values.scopes, other.editor.questions.at(-1)?.value], [['read'], 'Mine']);
    assert.equal(other.editor.lists.length, 0, 'there is no previous service');
    for (const services of [[], ['not an address']]) {
      const without = bench(UNSET);
      await assert.rejects(without.signIn.signIn({ services }), Cancellation);
      assert.equal(without.editor.questions[0]?.value, '');
    }
  });

  it('asks for the secret if only that is missing', async () => {
    const b = bench({ withSecret: false, responses: [confirmed] });
    const { baseUrl, clientId } = credentials;
    b.editor.answers = [baseUrl, clientId, 'not a real secret', ''].map(enter);
    await signedIn(b);
    assert.equal(b.editor.questions[0]?.value, baseUrl);
  });

  it('is canceled with Configure Service', async () => {
    const b = bench(UNSET);
    await assert.rejects(b.signIn.signIn(), Cancellation);
    assert.equal(b.editor.context.get('signInRunning'), false);
    assert.equal(b.client.codeRequests.length, 0);
  });

  it('reads no more secrets once it’s canceled, because that may show a system dialog', async () => {
    const b = bench({ withSecret: false });
    const { secrets } = b;
    const read = secrets.get.bind(secrets);
    let sinceAsked = 0;
    secrets.get = (service) => {
      sinceAsked++;
      return read(service);
    };
    b.editor.answers = [() => void (sinceAsked = 0)];
    await assert.rejects(b.signIn.signIn(), Cancellation);
    assert.equal(b.editor.questions.length, 1);
    assert.equal(sinceAsked, 0);
  });

  it('isn’t called canceled if the settings can’t be written, and leads to their file', async () => {
    const b = bench(UNSET);
    b.editor.answers = [...ALL];
    b.editor.writeFault = new Error('the file has errors');
    await assert.rejects(b.signIn.signIn(), ExplainedError);
    assert.deepEqual(b.editor.remarks, []);
    assert.equal(b.editor.messages.length, 1);
    assert.match(b.editor.last.text, /nothing was saved/);
    await b.editor.press('Open Settings File');
    assert.deepEqual(b.editor.commands, ['workbench.action.openApplicationSettingsJson']);
  });

  it('closes its input boxes when it’s canceled elsewhere', async () => {
    const b = bench(UNSET);
    b.editor.answers = [thinking];
    const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
    await settle();
    void b.run('cancelSignIn');
    await rejected;
  });

  it('closes its list when it’s canceled elsewhere', async () => {
    const b = bench(UNSET);
    const offline = new NetworkError('metadata', 'host not found', false, 'ENOTFOUND');
    Object.assign(b.client, { discover: () => Promise.reject(offline) });
    const url = enter('https://service.example');
    Object.assign(b.editor, { answers: [url, url], leavesListsOpen: true });
    const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
    await settle();
    assert.match(b.editor.lists.at(-1)?.placeholder ?? '', /protocol/);
    void b.run('cancelSignIn');
    await rejected;
  });

  it('sends the client secret that was entered, although a standard service’s settings suffice and are saved before', async () => {
    const b = bench({ ...UNSET, responses: [confirmed] });
    // The sign-in's own request for the metadata, which has a signal, is faster than the one before the secret is stored.
    const discover = async (_service: unknown, _set: unknown, signal?: AbortSignal): Promise<Metadata> => {
      await b.clock.sleep(signal === undefined ? 100 : 0);
      return METADATA;
    };
    Object.assign(b.client, { discover });
    const write = b.editor.writeSetting.bind(b.editor);
    b.editor.writeSetting = async (name, value) => {
      await write(name, value);
      await b.settingsChanged();
    };
    const sent: string[] = [];
    const request = b.client.requestDeviceAuthorization.bind(b.client);
    b.client.requestDeviceAuthorization = (used, signal) => {
      sent.push(used.clientSecret);
      return request(used, signal);
    };
    b.editor.answers = [...ALL];
    await Promise.all([b.signIn.signIn(), b.clock.advance(10_000)]);
    assert.deepEqual(sent, ['not a real secret']);
  });

  for (const last of ['client secret', 'settings'] as const) {
    it(`continues without its input box when a program has set the ${last}`, async () => {
      const b = bench({ ...UNSET, responses: [confirmed] });
      b.editor.answers = [thinking];
      const result = b.signIn.signIn();
      await settle();
      const { baseUrl, clientId, clientSecret } = credentials;
      if (last === 'settings') {
        b.secrets.kept.set(nameOf(credentials), clientSecret);
        b.values.baseUrl = baseUrl;
        await b.settingsChanged();
        assert.equal(b.editor.questions[0]?.signal?.aborted, false, 'the client ID is missing');
        b.values.clientId = clientId;
        await b.settingsChanged();
      } else {
        Object.assign(b.values, { baseUrl, clientId });
        await b.settingsChanged();
        assert.equal(b.editor.questions[0]?.signal?.aborted, false, 'the client secret is missing');
        await b.run('setClientSecret', clientSecret);
      }
      await b.clock.advance(5_000);
      await result;
      assert.deepEqual([b.editor.questions.length, b.sessions.held.length], [1, 1]);
    });
  }

  it('keeps its input box while a program hands over the client secret of another service, or one that’s stored', async () => {
    const { baseUrl, clientId, clientSecret } = credentials;
    const b = bench({ values: { baseUrl, clientId, serviceName: 'A' }, responses: [confirmed] });
    b.editor.answers = [thinking];
    await b.begin({ services: ['https://b.example'] });
    for (const secret of [clientSecret, 'another secret', 'another secret']) {
      await b.run('setClientSecret', secret, baseUrl);
      await settle();
    }
    assert.deepEqual([b.editor.questions.length, b.editor.questions[0]?.signal?.aborted], [1, false]);
    assert.deepEqual([b.editor.messages, b.signIn.running], [[], true]);
    b.values.services = [{ baseUrl: 'https://b.example', clientId: 'b', protocol: 'draft' }];
    await b.run('setClientSecret', 'of b', 'https://b.example');
    await b.clock.advance(5_000);
    assert.deepEqual(
      b.sessions.added.map(({ service }) => service.baseUrl),
      ['https://b.example'],
    );
  });

  it('keeps its input box while what was set can’t be used', async () => {
    const { baseUrl, clientId } = credentials;
    const b = bench({ values: {}, responses: [confirmed] });
    b.editor.answers = [thinking];
    await b.begin();
    Object.assign(b.values, { baseUrl, clientId, verificationUrl: 'nonsense' });
    await b.settingsChanged();
    assert.deepEqual([b.editor.questions[0]?.signal?.aborted, b.editor.messages], [false, []]);
    b.values.verificationUrl = undefined;
    await b.settingsChanged();
    await b.clock.advance(5_000);
    assert.equal(b.sessions.held.length, 1);
  });
});

/** The person hasn't answered yet when the question goes away. */
const thinking: FakeEditor['answers'][number] = () => new Promise(() => undefined);

/** A standard service is configured, without a client secret, and finds its endpoints like this. */
function standardBench(discover: (set: EndpointSettings) => Promise<Metadata>): Bench {
  const values = { protocol: 'rfc8628', baseUrl: 'https://service.example', clientId: 'the client' };
  const b = bench({ values, withSecret: false });
  Object.assign(b.client, { discover: (_: unknown, set: EndpointSettings) => discover(set) });
  return b;
}

describe('Configure Service, for a base URL', () => {
  const protocolAfter = async (
    found: (() => Promise<unknown>) | undefined,
    values: BenchOptions['values'] = {},
  ): Promise<[unknown, Bench]> => {
    const b = bench({ values, withSecret: false });
    Object.assign(b.client, { discover: found });
    await configured(b, ['https://service.example', 'the client', '', ''].map(enter));
    return [b.values.protocol, b];
  };
  const none = new MetadataError('missing endpoint', 'deviceAuthorization', false);

  it('with metadata sets the standard, says so, and needs no secret', async () => {
    const [protocol, b] = await protocolAfter(() => Promise.resolve(METADATA));
    assert.equal(protocol, 'rfc8628');
    assert.match(b.editor.questions[2]?.prompt ?? '', /never shown\. Leave this empty to use none\.$/);
    assert.equal(b.editor.questions[2]?.validate(''), undefined);
    assert.equal(b.secrets.kept.size, 0);
  });

  for (const [problem, text] of [
    ['missing endpoint', /^Couldn’t find the endpoint “deviceAuthorization” of service\.example\./],
    ['unsafe endpoint', /^The address of the endpoint “deviceAuthorization” .* isn’t safe\./],
  ] as const) {
    it(`with metadata that isn’t enough says so before anything is saved: ${problem}`, async () => {
      const error = new MetadataError(problem, 'deviceAuthorization', true);
      const b = bench({ values: {}, withSecret: false });
      Object.assign(b.client, { discover: () => Promise.reject(error) });
      const url = 'https://service.example';
      await configured(b, [url, url, 'the client', '', ''].map(enter));
      assert.match(b.editor.questions[1]?.prompt ?? '', text);
      assert.equal(b.values.protocol, 'rfc8628');
    });
  }

  for (const [reason, code, text] of [
    ['host not found', 'ENOTFOUND', /^Couldn’t reach wrong\.example at https:\/\/wrong\.example\/v1 \(ENOTFOUND\)\. /],
    ['connection refused', 'ECONNREFUSED', /^Couldn’t reach wrong\.example at https:\/\/wrong\S+ \(ECONNREFUSED\)\. /],
    ['TLS', 'EPROTO', /^wrong\.example doesn’t accept secure connections \(https:\/\/\)\. /],
    ['TLS', 'CERT_HAS_EXPIRED', /secure connection to wrong\.example at \S+ \(CERT_HAS_EXPIRED\)\. /],
    ['timeout', undefined, /^wrong\.example didn’t respond in time at https:\/\/wrong\.example\/v1\. /],
  ] as const) {
    it(`where nothing responds says why before anything is saved, and can be corrected or kept: ${code ?? reason}`, async () => {
      const wrong = 'https://wrong.example/v1';
      const corrected = 'https://service.example';
      for (const [second, saved] of [
        [wrong, wrong],
        [corrected, corrected],
      ] as const) {
        const b = bench({ values: {}, withSecret: false });
        const asked: string[] = [];
        Object.assign(b.client, {
          discover: ({ baseUrl }: { readonly baseUrl: string }) => {
            asked.push(baseUrl);
            return Promise.reject(baseUrl === wrong ? new NetworkError('metadata', reason, false, code) : none);
          },
        });
        const draft = second === wrong ? ['Early draft of the device flow'] : [];
        await configured(b, [wrong, second].map(enter), ...draft);
        assert.deepEqual(b.values, {}, 'canceled after that');
        const [, again] = b.editor.questions;
        assert.equal(again?.value, wrong);
        assert.match(again.prompt, text);
        assert.match(again.prompt, /To use this base URL anyway, press Enter\.$/);
        await configured(b, [wrong, second, 'the client', 'a secret', ''].map(enter), ...draft);
        assert.equal(b.values.baseUrl, saved);
        assert.equal(b.editor.progresses.filter(({ open }) => open).length, 0);
      }
    });
  }

  it('that shows no protocol asks for it, and needs no secret if that’s the standard', async () => {
    const b = bench({ values: {}, withSecret: false });
    const offline = new NetworkError('metadata', 'host not found', false, 'ENOTFOUND');
    Object.assign(b.client, { discover: () => Promise.reject(offline) });
    const url = 'https://service.example';
    const entered = [url, url, 'the client', '', ''].map(enter);
    await configured(b, entered);
    assert.deepEqual([b.values, b.editor.questions.length], [{}, 2], 'canceled in the list');
    await configured(b, entered, 'Device flow (RFC 8628), used by most services');
    assert.deepEqual(b.values, { baseUrl: url, clientId: 'the client', protocol: 'rfc8628', serviceName: undefined });
    assert.equal(b.secrets.kept.size, 0);
  });

  it('that was configured before isn’t asked for its protocol, if nothing responds there now', async () => {
    const b = bench();
    const offline = new NetworkError('metadata', 'host not found', false, 'ENOTFOUND');
    Object.assign(b.client, { discover: () => Promise.reject(offline) });
    await configured(b, [credentials.baseUrl, credentials.baseUrl].map(enter), 'Base URL');
    assert.deepEqual([b.editor.lists.length, b.values.protocol], [1, undefined]);
    assert.match(b.editor.last.text, /is configured\.$/);
  });

  it('where something else responds says so before anything is saved, and can be corrected or kept', async () => {
    const editors = 'http://localhost:8000';
    for (const [second, saved] of [
      [editors, editors],
      ['https://service.example', 'https://service.example'],
    ] as const) {
      const b = bench({ values: {}, withSecret: false });
      Object.assign(b.client, {
        discover: () => Promise.reject(none),
        recognize: ({ baseUrl }: { readonly baseUrl: string }) => Promise.resolve(baseUrl !== editors),
      });
      const draft = second === editors ? ['Early draft of the device flow'] : [];
      await configured(b, [editors, second, 'the client', 'a secret', ''].map(enter), ...draft);
      assert.equal(
        b.editor.questions[1]?.prompt,
        'http://localhost:8000 responds, but it isn’t a service that you can sign in to. Check the address. To use this base URL anyway, press Enter.',
      );
      assert.equal(b.values.baseUrl, saved);
    }
  });

  it('that doesn’t work right now leaves it to the person which protocol it has', async () => {
    const b = bench({ values: {}, withSecret: false });
    const broken = (operation: 'metadata' | 'probe') => () =>
      Promise.reject(new ServiceError(operation, 503, undefined));
    Object.assign(b.client, { discover: broken('metadata'), recognize: broken('probe') });
    const answers = ['https://service.example', 'https://service.example', 'the client', '', ''];
    await configured(b, answers.map(enter), 'Device flow (RFC 8628), used by most services');
    assert.equal(
      b.editor.questions[1]?.prompt,
      'https://service.example is busy or isn’t working right now. Try again later. To use this base URL anyway, press Enter.',
    );
    assert.deepEqual([b.values.baseUrl, b.values.protocol], ['https://service.example', 'rfc8628']);
  });

  it('isn’t asked for the default protocol if it has metadata, or had and can’t show them now', async () => {
    const standard = { protocol: 'rfc8628', baseUrl: 'https://other.example', clientId: 'the client' };
    for (const discover of [
      () => Promise.resolve(METADATA),
      () => Promise.reject(new ServiceError('metadata', 503, undefined)),
    ]) {
      const b = bench({ values: standard, withSecret: false });
      Object.assign(b.client, { discover, recognize: () => Promise.reject(new Error('it isn’t to be asked')) });
      await configured(b, [enter('https://service.example')], 'Base URL');
      assert.deepEqual([b.values.baseUrl, b.values.protocol], ['https://service.example', 'rfc8628']);
      assert.ok(!b.log.text().includes('asked for its protocol'));
    }
  });

  it('of another service sends nothing to the endpoints of the one before, which go; paths and other settings stay', async () => {
    const endpoints = {
      deviceAuthorization: '/device',
      token: 'https://old.example/token',
      revocation: '//old.example',
    };
    const given: unknown[] = [];
    const b = bench({
      values: {
        protocol: 'rfc8628',
        baseUrl: 'https://old.example',
        clientId: 'the client',
        endpoints,
        scopes: ['a'],
        serviceName: 'Old',
      },
    });
    Object.assign(b.client, {
      discover: ({ baseUrl }: { readonly baseUrl: string }, settings: object) => {
        if (baseUrl === 'https://new.example') given.push(settings);
        return Promise.resolve(METADATA);
      },
    });
    await configured(b, ['https://new.example', 'the client', 'new secret', ''].map(enter), 'Everything, step by step');
    const kept = { deviceAuthorization: '/device' };
    assert.deepEqual(given, [{}, kept]);
    assert.deepEqual([b.values.endpoints, b.values.scopes], [kept, ['a']]);
    assert.deepEqual([b.values.baseUrl, b.values.serviceName], ['https://new.example', undefined]);
    assert.equal(b.secrets.kept.get('https://new.example the client https://login.example'), 'new secret');
  });

  describe('that turns out to be that of the previous service', () => {
    const previous = {
      protocol: 'rfc8628',
      baseUrl: 'https://old.example',
      clientId: 'the client',
      serviceName: 'Old',
      endpoints: { deviceAuthorization: 'https://old.example/device', token: 'https://old.example/token' },
      scopes: ['a'],
      parameters: { audience: 'b' },
    };
    const wrong = enter('https://wrong.example');
    const again = enter('https://old.example');

    /** The previous service is configured, and no other one can be found. */
    function previousBench(): Bench {
      const b = bench({ values: previous });
      const notFound = new NetworkError('metadata', 'host not found', false, 'ENOTFOUND');
      Object.assign(b.client, {
        discover: ({ baseUrl }: { readonly baseUrl: string }) =>
          baseUrl === previous.baseUrl ? Promise.resolve(METADATA) : Promise.reject(notFound),
      });
      return b;
    }

    it('keeps its settings and its name', async () => {
      const b = await configured(previousBench(), [wrong, again], 'Base URL');
      assert.match(b.editor.questions[1]?.prompt ?? '', /^Couldn’t reach wrong\.example at \S+ \(ENOTFOUND\)\./);
      assert.deepEqual(b.values, previous);
      assert.equal(b.editor.last.text, 'Old is configured.');
    });

    it('restores its name if the person goes back from the next step', async () => {
      const answers = [enter('https://other.example'), back(), enter('https://service.example'), enter('')];
      const b = await configured(bench(), answers, 'Base URL');
      assert.equal(b.editor.questions.length, answers.length);
      assert.equal(b.values.serviceName, 'My Service');
    });

    it('keeps a name that the person entered meanwhile, or had removed before', async () => {
      const { baseUrl, clientId } = credentials;
      const toTheName = [enter(clientId), enter('')];
      const toTheBaseUrl = [back(), back(clientId)];
      const leavingItEmpty = [back(''), ...toTheBaseUrl];
      const elsewhere = [enter('https://other.example'), enter(clientId), enter('another secret')];
      const entered = [...elsewhere, back('Mine'), ...toTheBaseUrl, enter(baseUrl), ...toTheName];
      const removed = [enter(baseUrl), ...toTheName, ...leavingItEmpty, ...elsewhere, ...leavingItEmpty];
      for (const [answers, name] of [
        [entered, 'Mine'],
        [[...removed, enter(baseUrl), ...toTheName], ''],
      ] as const) {
        const b = await configured(bench(), [...answers], 'Everything, step by step');
        assert.equal(b.editor.questions.length, answers.length + 1);
        assert.equal(b.editor.questions.at(-1)?.value, name);
      }
    });
  });

  it('shows a secret as stored only if one is', async () => {
    const having = await configured(bench(), []);
    assert.equal(having.editor.lists[0]?.descriptions[2], 'Stored, never shown');
    const without = await configured(
      standardBench(() => Promise.resolve(METADATA)),
      [],
    );
    assert.equal(without.editor.lists[0]?.descriptions[2], 'None');
  });

  const endpointsAt = (origin: string): EndpointSettings => ({
    deviceAuthorization: `${origin}/device`,
    token: `${origin}/token`,
  });
  for (const [where, storedFor, endpoints, shown, ifEmpty] of [
    ['that’s set', 'https://set.example', endpointsAt('https://set.example'), 'Stored, never shown', 'change nothing'],
    ['before it moved', 'https://old.example', endpointsAt('https://set.example'), 'None', 'use none'],
    ['that only the metadata says', 'https://login.example', undefined, '', 'change nothing'],
  ] as const) {
    it(`says only what’s true of a secret that’s stored for the token endpoint ${where}`, async () => {
      const b = standardBench((set) => Promise.resolve({ ...METADATA, endpoints: { ...METADATA.endpoints, ...set } }));
      if (endpoints !== undefined) b.values.endpoints = endpoints;
      b.secrets.kept.set(`https://service.example the client ${storedFor}`, 'the secret');
      await configured(b, [enter('')], 'Client secret');
      assert.equal(b.editor.lists[0]?.descriptions[2], shown);
      assert.match(
        b.editor.questions[0]?.prompt ?? '',
        new RegExp(`never shown\\. Leave this empty to ${ifEmpty}\\.$`),
      );
      assert.deepEqual([...b.secrets.kept.values()], ['the secret']);
    });
  }

  it('says that it checks the address while the service takes longer than a moment, not before or after', async () => {
    let respond: (metadata: Metadata) => void = () => undefined;
    const b = bench(UNSET);
    Object.assign(b.client, { discover: () => new Promise((resolve) => (respond = resolve)) });
    b.editor.answers = [...ALL];
    void b.run('configure');
    await b.clock.advance(200);
    assert.deepEqual(b.editor.progresses, []);
    await b.clock.advance(200);
    const titleAndState = (): unknown[] => b.editor.progresses.map(({ title, open }) => [title, open]);
    assert.deepEqual(titleAndState(), [['Checking https://service.example', true]]);
    respond(METADATA);
    await b.clock.advance(0);
    assert.deepEqual(titleAndState(), [['Checking https://service.example', false]]);
  });

  it('without metadata sets the draft, and leaves everything as it was if that can’t be found out', async () => {
    const standard = { protocol: 'rfc8628', baseUrl: 'https://other.example', clientId: 'the client' };
    assert.equal((await protocolAfter(() => Promise.reject(none)))[0], undefined);
    const [kept] = await protocolAfter(() => Promise.reject(new ServiceError('metadata', 503, undefined)), {
      ...standard,
    });
    assert.equal(kept, 'rfc8628');
    assert.equal((await protocolAfter(undefined))[0], undefined);
  });
});
