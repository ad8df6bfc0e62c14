import assert from 'node:assert/strict';
import type { Metadata } from '../../../../src/oauth/types';
import { MetadataError, NetworkError, ServiceError } from '../../../../src/oauth/errors';
import { ExplainedError } from '../../../../src/vscode/failures/failure';
import { settle } from '../../../support/fakeClock';
import { confirmed, credentials, deviceCode, refusal } from '../../signin/scriptedClient';
import { back, Cancellation, enter, type FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, begun, nameOf, signedIn, type Bench } from '../signin/signInBench';

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
  supportsPkce: false,
};

const UNSET = { services: [], withSecret: false };

const URL = 'https://service.example';

/** What a person enters who answers all questions about a service of the draft. */
const ALL = [URL, 'the client', 'not a real secret'].map(enter);

/** What's set then. */
const DRAFT = { protocol: 'draft', baseUrl: URL, clientId: 'the client' };

const NONE = new MetadataError('missing endpoint', false, { endpoint: 'deviceAuthorization' });

/** The command that the last button ran, and its arguments. */
function pressed(b: Bench): [command: string, ...given: string[]] {
  const [command = '', ...given] = b.editor.commands.at(-1)?.split(' ') ?? [];
  return [command, ...given];
}

/** Configure Service, with these choices and answers. */
async function configured(b: Bench, choices: readonly string[], answers: Answers = []): Promise<Bench> {
  Object.assign(b.editor, { answers: [...answers], choices: [...choices] });
  await b.setOff('configure');
  return b;
}

/** The same for a service that isn't well known, with what's found at its address. */
async function added(answers: Answers, found?: object, ...choices: string[]): Promise<Bench> {
  const b = bench(UNSET);
  Object.assign(b.client, found);
  return await configured(b, ['Other…', ...choices], answers);
}

/** Guards that a person can add a service in few steps, and that nothing changes unless it's complete. */
describe('Configure Service', () => {
  it('offers the well-known services, and any other one', async () => {
    const { editor } = await configured(bench(UNSET), []);
    const [list] = editor.lists;
    assert.deepEqual([list?.labels[0], list?.labels.at(-1)], ['GitHub App', 'Other…']);
    assert.equal(list?.title, 'Configure Service');
  });

  it('refuses what a setting can’t have in the boxes, too', async () => {
    const { editor } = await added([enter(URL)]);
    assert.match(editor.questions[1]?.validate('${env:CLIENT_ID}') ?? '', /^Enter the value itself, because VS Code /);
  });

  it('adds GitHub by one choice and one box', async () => {
    const b = await configured(bench(UNSET), ['GitHub App'], [enter('Iv1.0123')]);
    assert.deepEqual([b.editor.lists.length, b.editor.questions.length], [1, 1]);
    assert.deepEqual(
      b.editor.questions.map(({ placeholder, prompt }) => [placeholder, prompt]),
      [['Client ID', 'Enter the client ID of your GitHub app']],
    );
    const { clientId, endpoints, scopes, serviceName } = b.first;
    assert.deepEqual([clientId, serviceName, scopes], ['Iv1.0123', 'GitHub', []]);
    assert.match(JSON.stringify(endpoints), /github\.com\/login\/device\/code/);
    assert.equal(b.editor.lastToast.text, 'GitHub is configured.');
    assert.deepEqual(b.editor.lastToast.links, ['Sign In']);
    assert.equal(b.secrets.kept.size, 0);
  });

  it('asks for the parts of an address that are the person’s own, and checks them', async () => {
    const b = await configured(bench(UNSET), ['Keycloak'], ['login.example:8443', 'staff', 'vscode'].map(enter));
    assert.deepEqual(
      b.editor.questions.map(({ placeholder }) => placeholder),
      ['Host, such as login.example.com', 'Realm', 'Client ID'],
    );
    const { baseUrl, verificationUrl } = b.first;
    assert.deepEqual(
      [baseUrl, verificationUrl],
      ['https://login.example:8443/realms/staff', 'https://login.example:8443'],
    );
    const [host, realm] = b.editor.questions;
    assert.match(host?.validate('https://login.example/auth') ?? '', /^Enter only this part/);
    assert.match(realm?.validate('a/b') ?? '', /^Enter only this part/);
    assert.equal(realm?.validate(' '), 'Enter a value.');
    assert.match(host?.validate('a_b') ?? '', /^Use a host name/);
    assert.match(realm.prompt, /https:\/\/login\.example:8443\/realms\/…$/);
  });

  it('asks for what isn’t a part of the address by the name that the service has for it', async () => {
    for (const [preset, answers, prompts] of [
      ['GitLab', ['a client'], ['Enter the application ID of your GitLab app']],
      [
        'Auth0',
        ['example.us', 'a client', 'an audience'],
        [
          'Fill in the missing part (…) of the base URL: https://….auth0.com',
          'Enter the client ID of your Auth0 app',
          'Enter the identifier of your Auth0 API',
        ],
      ],
    ] as const) {
      const { editor } = await configured(bench(UNSET), [preset], answers.map(enter));
      assert.deepEqual(
        editor.questions.map(({ prompt }) => prompt),
        prompts,
      );
    }
  });

  for (const [preset, gaps, baseUrl] of [
    ['Okta', ['acme'], 'https://acme.okta.com/oauth2/default'],
    ['Okta', ['acme.okta.com'], 'https://acme.okta.com/oauth2/default'],
    ['Okta', [' https://acme-admin.okta.com/ '], 'https://acme.okta.com/oauth2/default'],
    ['Okta', ['https://dev-1.okta.com/oauth2/default'], 'https://dev-1.okta.com/oauth2/default'],
    ['Auth0', ['example.us'], 'https://example.us.auth0.com'],
    ['Auth0', ['https://example.us.auth0.com/'], 'https://example.us.auth0.com'],
    ['Ory Hydra', ['acme.projects.oryapis.com'], 'https://acme.projects.oryapis.com'],
    ['Keycloak', ['https://login.example:8443/', 'staff'], 'https://login.example:8443/realms/staff'],
    [
      'Keycloak',
      ['https://login.example/realms/staff', 'https://login.example/realms/staff'],
      'https://login.example/realms/staff',
    ],
    ['GitLab Self-Managed', ['https://gitlab.example'], 'https://gitlab.example'],
    [
      'Microsoft Entra ID (single tenant)',
      ['https://login.microsoftonline.com/1-2/v2.0'],
      'https://login.microsoftonline.com/1-2/v2.0',
    ],
  ] as const) {
    it(`understands ${gaps[0].trim()}, as ${preset} shows it`, async () => {
      const b = await configured(bench(UNSET), [preset], [...gaps, 'a client', 'an audience'].map(enter));
      assert.equal(b.first.baseUrl, baseUrl);
    });
  }

  for (const [preset, entered] of [
    ['Okta', 'acme.oktapreview.com'],
    ['Okta', 'login.acme.example'],
    ['Auth0', 'login.acme.example'],
    ['Auth0', 'https://evil.example/.auth0.com'],
    ['GitLab Self-Managed', 'https://example.com/gitlab'],
    ['Ory Hydra', 'auth.acme.example'],
  ] as const) {
    it(`refuses ${entered} for ${preset}, with another way`, async () => {
      const { editor } = await configured(bench(UNSET), [preset]);
      assert.match(editor.questions[0]?.validate(entered) ?? '', /^Enter only this part .* select “Other…”\.$/);
    });
  }

  it('asks for the client secret of a well-known service that needs one', async () => {
    const b = bench(UNSET);
    Object.assign(b.client, { discover: () => Promise.resolve(METADATA) });
    await configured(b, ['Google'], [enter('x.apps.example'), enter('a secret')]);
    assert.equal(b.editor.questions[1]?.password, true);
    assert.deepEqual([...b.secrets.kept.values()], ['a secret']);
  });

  it('adds nothing if nobody knows yet where its client secret goes, and names the service that can’t be reached', async () => {
    const b = bench(UNSET);
    const notFound = new NetworkError('metadata', 'host not found', false, { systemCode: 'ENOTFOUND' });
    Object.assign(b.client, { discover: () => Promise.reject(notFound) });
    await configured(b, ['Google'], [enter('x.apps.example'), enter('a secret')]);
    assert.deepEqual([b.editor.list, b.secrets.kept.size], [[], 0]);
    const { value, warning } = b.editor.questions.at(-1) ?? {};
    assert.match(
      warning ?? '',
      /^Couldn’t reach Google \(https:\/\/accounts\.google\.com, ENOTFOUND\)\. .* try again\.$/,
    );
    assert.equal(value, 'a secret', 'nothing has to be entered once more');
  });

  it('adds it when the person tries again, once that’s known', async () => {
    const b = bench(UNSET);
    const notFound = new NetworkError('metadata', 'host not found', false, { systemCode: 'ENOTFOUND' });
    Object.assign(b.client, { discover: () => Promise.reject(notFound) });
    const tryAgain = () => {
      Object.assign(b.client, { discover: () => Promise.resolve(METADATA) });
      return { kind: 'entered', value: b.editor.questions.at(-1)?.value ?? '' } as const;
    };
    await configured(b, ['Google'], [enter('x.apps.example'), enter('a secret'), tryAgain]);
    assert.deepEqual([...b.secrets.kept.values()], ['a secret']);
    assert.equal(b.editor.lastToast.text, 'Google is configured.');
  });

  it('leaves it to the person to say that the client of a standard service has a secret', async () => {
    const found = { discover: () => Promise.resolve(METADATA) };
    const b = await added([enter(URL), enter('the client')], found);
    assert.equal(b.editor.lastToast.text, 'service.example is configured.');
    assert.deepEqual(b.editor.lastToast.links, ['Sign In', 'Set Client Secret']);
    await b.follow('Set Client Secret');
    assert.equal(b.editor.questions.at(-1)?.title, 'Set Client Secret');
    b.editor.answers = [enter('a secret')];
    await b.follow('Set Client Secret');
    const shown = b.editor.toasts.filter(({ open }) => open).map(({ text }) => text);
    assert.deepEqual(shown.length, 1, 'what was announced before makes room');
    assert.match(shown[0] ?? '', /^The client secret for service\.example was saved\./);
    await configured(b, ['Change…'], [enter(URL), enter('the client')]);
    assert.equal(b.editor.lastToast.text, 'service.example is configured.', 'it’s the same client');
    const gitlab = await configured(bench(UNSET), ['GitLab'], [enter('its client')]);
    assert.deepEqual(gitlab.editor.lastToast.links, ['Sign In', 'Set Client Secret']);
  });

  it('asks for an address, a client, and a secret if that’s needed, and saves it with one write', async () => {
    const b = bench(UNSET);
    let writes = 0;
    const write = b.editor.writeServices.bind(b.editor);
    b.editor.writeServices = (list) => {
      writes++;
      return write(list);
    };
    await configured(b, ['Other…'], [enter('https://service.example/'), enter('the client'), enter('not a secret')]);
    assert.equal(writes, 1);
    assert.deepEqual(b.editor.list, [DRAFT]);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'not a secret');
    assert.equal(b.editor.questions[2]?.password, true);
    assert.equal(b.editor.lastToast.text, 'service.example is configured.');
    assert.match(b.log.text(), /configured: https:\/\/service\.example, client ID the client\./);
    assert.ok(!b.log.text().includes('not a secret'));
  });

  it('checks what’s entered while it’s typed', async () => {
    const b = await added(ALL);
    const problem = (step: number, value: string): string | undefined => b.editor.questions[step]?.validate(value);
    assert.match(problem(0, 'http://service.example') ?? '', /^Enter a web address that begins with https:/);
    assert.match(
      problem(0, 'https://service.example/.well-known/openid-configuration') ?? '',
      /^This is the address of the metadata\. Enter https:\/\/service\.example instead\.$/,
    );
    assert.equal(problem(1, ' '), 'Enter the client ID.');
    assert.equal(problem(2, ''), 'Enter the client secret. This service requires one.');
  });

  it('completes an address that can only mean https:, and guesses nothing else', async () => {
    for (const [text, saved] of [
      ['service.example', 'https://service.example'],
      ['localhost:8080', 'http://localhost:8080'],
      ['127.0.0.1:8080', 'http://127.0.0.1:8080'],
      [' [::1]:8080/api', 'http://[::1]:8080/api'],
      [' Service.Example:8443/api/ ', 'https://service.example:8443/api'],
    ] as const) {
      assert.equal((await added([enter(text), ...ALL.slice(1)])).first.baseUrl, saved);
    }
    const [question] = (await added([])).editor.questions;
    for (const text of ['service', 'mailto:a@service.example', 'a b.example', '//x.y']) {
      assert.match(question?.validate(text) ?? '', /^Enter a web address, such as https:/, text);
    }
  });

  it('goes back, and keeps what was entered', async () => {
    const begun = [enter('https://wrong.example'), enter('the client'), back('half a sec'), back('the client')];
    const b = await added([...begun, ...ALL]);
    const asked = b.editor.questions.map((question) => question.value);
    assert.deepEqual(asked, ['', '', '', 'the client', 'https://wrong.example', 'the client', 'half a sec']);
    assert.equal(b.first.baseUrl, URL);
  });

  it('changes nothing if it is canceled at any step', async () => {
    for (let given = 0; given < ALL.length; given += 1) {
      const b = await added(ALL.slice(0, given));
      assert.deepEqual([b.editor.list, b.secrets.kept.size, b.editor.messages.length], [[], 0, 0]);
    }
  });

  it('offers no sign-in if a sign-in runs', async () => {
    const b = await configured(await begun(), ['Change…'], [enter(URL), enter('another'), enter('a secret')]);
    assert.deepEqual([b.editor.remarks.at(-1), b.editor.toasts], ['My Service is configured.', []]);
  });

  it('says so if the settings or the secret can’t be saved', async () => {
    for (const fault of ['settings', 'secret'] as const) {
      const b = bench();
      const failed = new Error('new secret');
      if (fault === 'settings') b.editor.writeFault = failed;
      else b.secrets.set = () => Promise.reject(failed);
      await configured(b, ['Change…'], ['https://other.example', 'the client', 'new secret'].map(enter));
      if (fault === 'settings') {
        assert.deepEqual([b.editor.last.kind, b.editor.last.buttons], ['error', ['Open Settings File']]);
      } else {
        const message = 'Couldn’t finish configuring the service. Try again, or see the log for details.';
        assert.deepEqual([b.editor.last.kind, b.editor.last.text], ['error', message]);
      }
      assert.ok(!b.log.text().includes('new secret'));
      assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret, 'the secret of before is kept');
    }
  });

  it('asks nothing if another list applies than the one that would be written, and says where to change it', async () => {
    const b = bench();
    b.editor.areElsewhere = true;
    const { list } = b.editor;
    await configured(b, ['Change…'], [enter(URL), enter('another'), enter('a secret')]);
    assert.equal(b.editor.list, list);
    assert.deepEqual(b.editor.questions, []);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    assert.match(b.editor.last.text, /^Your services weren’t changed because your profile /);
    await b.editor.press('Open Profile Settings File');
    assert.deepEqual(b.editor.commands, ['workbench.action.openSettingsJson']);
  });

  it('offers and asks nothing for a new service either, if another list applies', async () => {
    const adding = (b: Bench): Promise<unknown> => b.setOff('configure');
    const meaning = (b: Bench): Promise<unknown> =>
      b.begin({ awaitedByEditorUntil: 60_000, services: ['https://other.example'] });
    for (const begin of [adding, meaning]) {
      const b = bench(UNSET);
      b.editor.areElsewhere = true;
      await begin(b);
      assert.deepEqual([b.editor.lists, b.editor.questions], [[], []]);
      assert.match(b.editor.last.text, /^Your services weren’t changed because your profile /);
      assert.deepEqual(b.editor.last.buttons, ['Open Profile Settings File']);
    }
  });

  it('says so if what was written doesn’t apply', async () => {
    const b = bench();
    b.editor.writeServices = () => Promise.resolve();
    await configured(b, ['Change…'], [enter(URL), enter('another'), enter('a secret')]);
    assert.match(b.editor.last.text, /^Your services were saved but not applied because your profile /);
    await b.editor.press('Open Profile Settings File');
    assert.deepEqual(b.editor.commands, ['workbench.action.openSettingsJson']);
  });

  it('opens the file of the list that applies', async () => {
    for (const [areElsewhere, command] of [
      [false, /^workbench\.action\.openApplicationSettingsJson/],
      [true, /^workbench\.action\.openSettingsJson$/],
    ] as const) {
      const b = bench();
      b.editor.areElsewhere = areElsewhere;
      await configured(b, ['Edit in settings.json']);
      assert.match(b.editor.commands.join(), command);
    }
  });

  it('asks before comments in the list go, and changes nothing if they’re to stay', async () => {
    for (const confirms of [true, false]) {
      for (const choices of [['Change…'], ['Add Service…', 'GitHub App'], ['Remove Service…']]) {
        const b = bench();
        Object.assign(b.editor, { confirms, hasComments: true });
        const { list } = b.editor;
        await configured(b, choices, choices[1] === undefined ? [enter(URL), enter('x'), enter('y')] : [enter('x')]);
        assert.equal(b.editor.confirmations[0]?.[0], 'Remove the comments from your list of services?');
        assert.equal(b.editor.list !== list, confirms, choices.join());
        assert.equal(
          b.editor.questions.length > 0,
          confirms && choices[0] !== 'Remove Service…',
          'nobody enters anything',
        );
      }
    }
  });

  it('writes nothing over something that’s no list, and leads there', async () => {
    const b = bench(UNSET);
    b.editor.list = { baseUrl: URL };
    await configured(b, ['GitHub App'], [enter('a client')]);
    assert.deepEqual(b.editor.list, { baseUrl: URL });
    assert.match(b.editor.last.text, /^The someBrand\.services setting is invalid\. Enter a list/);
  });

  it('completes an element with the same address that can’t be used, instead of adding another', async () => {
    const b = bench({ ...UNSET, services: [{ protocol: 'draft', baseUrl: `${URL}/`, serviceName: 'Mine' }] });
    await configured(b, ['Other…'], ALL);
    assert.deepEqual(b.editor.list, [{ ...DRAFT, serviceName: 'Mine' }]);
    assert.equal(b.editor.lastToast.text, 'Mine is configured.');
  });
});

describe('Configure Service, for a change', () => {
  it('offers the same boxes, filled in, and keeps what they don’t ask for', async () => {
    const account = { path: '/who', field: 'name' };
    const b = bench({ services: [{ ...DRAFT, serviceName: 'Mine', account }] });
    Object.assign(b.client, { discover: () => assert.fail('nothing is to be looked up') });
    b.secrets.kept.set('https://service.example another', 'its secret');
    await configured(b, ['Change…'], [enter(URL), enter('another')]);
    assert.deepEqual(
      b.editor.questions.map(({ value }) => value),
      [URL, 'the client'],
    );
    assert.deepEqual(b.editor.list, [{ ...DRAFT, clientId: 'another', serviceName: 'Mine', account }]);
  });

  it('to another address keeps nothing of the service before', async () => {
    const services = [
      {
        protocol: 'rfc8628',
        baseUrl: 'https://old.example',
        clientId: 'the client',
        endpoints: { deviceAuthorization: '/device', token: 'https://old.example/token' },
        scopes: ['a'],
        serviceName: 'Old',
      },
      { ...DRAFT, baseUrl: 'https://other.example' },
    ];
    const b = bench({ services, withSecret: false });
    await configured(b, ['Old', 'Change…'], ALL);
    assert.deepEqual(b.editor.list, [DRAFT, services[1]]);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'not a real secret');
  });

  it('of the client ID that a service refused asks for that at once, saves it with one write, and offers a sign-in', async () => {
    const account = { path: '/who', field: 'name' };
    const twin = { ...DRAFT, clientId: 'unused' };
    const b = bench({ services: [{ ...DRAFT, account }, twin], responses: [refusal('invalid_client'), confirmed] });
    const client = { baseUrl: URL, clientId: 'the client' };
    b.secrets.kept.set(nameOf(client), 'its secret').set(nameOf({ ...client, clientId: 'another' }), 'another secret');
    const written: unknown[] = [];
    const write = b.editor.writeServices.bind(b.editor);
    b.editor.writeServices = (list) => {
      written.push(list);
      return write(list);
    };
    await b.begin();
    await b.clock.advance(5_000);
    assert.match(b.editor.last.text, /^service\.example didn’t accept the client ID/);
    await b.editor.press('Configure Service');
    b.editor.answers = [enter('another')];
    await b.run(...pressed(b));
    const [question, ...others] = b.editor.questions;
    assert.deepEqual([question?.placeholder, question?.value, others], ['Client ID', 'the client', []]);
    assert.deepEqual(written, [[{ ...DRAFT, clientId: 'another', account }, twin]]);
    assert.deepEqual(
      [b.editor.lastToast.text, b.editor.lastToast.links],
      ['service.example is configured.', ['Sign In']],
    );
    await b.follow('Sign In');
    await b.clock.advance(5_000);
    assert.equal(b.sessions.added[0]?.service.clientId, 'another');
  });

  it('offers a sign-in that isn’t needed anymore if the person has signed in since', async () => {
    const b = bench({ services: [DRAFT] });
    b.secrets.kept.set(`${URL} another`, 'its secret');
    Object.assign(b.editor, { answers: [enter(URL), enter('another')], choices: ['Change…'] });
    await b.setOff('configure');
    assert.deepEqual(b.editor.lastToast.links, ['Sign In']);
    await b.clock.advance(60_000);
    b.sessions.bring(
      sessionOf('Ada', 'one', {
        service: { protocol: 'draft', baseUrl: URL, clientId: 'another' },
        signedInAt: b.clock.now(),
      }),
    );
    await b.follow('Sign In');
    await b.clock.advance(5_000);
    assert.deepEqual([b.editor.questions.length, b.client.codeRequests.length], [2, 0]);
  });

  it('of the client ID leads back to the address', async () => {
    const b = bench({ services: [DRAFT] });
    b.editor.answers = [back('the client'), enter(URL)];
    await b.run('configure', URL, 'clientId');
    assert.deepEqual(
      b.editor.questions.map(({ canGoBack, value }) => [value, canGoBack]),
      [
        ['the client', true],
        [URL, false],
        ['the client', true],
      ],
    );
  });

  for (const [what, meanwhile, left, told] of [
    [
      'keeps what the person changed in the file meanwhile',
      [{ ...DRAFT, serviceName: 'Renamed', verificationUrl: 'https://page.example' }],
      [{ ...DRAFT, clientId: 'another', serviceName: 'Renamed', verificationUrl: 'https://page.example' }],
      /^Renamed is configured\./,
    ],
    ['doesn’t bring back a service that was removed meanwhile, but says so', [], [], /^Nothing was saved because /],
  ] as const) {
    it(what, async () => {
      const b = bench({ services: [{ ...DRAFT, serviceName: 'Mine' }] });
      b.secrets.kept.set(`${URL} another`, 'its secret');
      const answer = () => {
        b.editor.set(meanwhile);
        return { kind: 'entered', value: 'another' } as const;
      };
      await configured(b, ['Change…'], [enter(URL), answer]);
      assert.deepEqual(b.editor.list, left);
      assert.ok(b.editor.shown().some((text) => told.test(text)));
    });
  }

  it('to the address of an element that can’t be used takes nothing from that', async () => {
    const broken = {
      ...DRAFT,
      baseUrl: 'https://broken.example',
      clientId: '',
      serviceName: 'Not This',
      accessTokenIn: 5,
    };
    const b = bench({ services: [DRAFT, broken] });
    b.secrets.kept.set(`${broken.baseUrl} the client`, 'its secret');
    await configured(b, ['Change…'], [enter(broken.baseUrl), enter('the client')]);
    assert.deepEqual(b.editor.list, [{ ...DRAFT, baseUrl: broken.baseUrl }, broken]);
  });

  it('does nothing about a service that’s gone meanwhile', async () => {
    const b = bench();
    const change = 'Change…';
    const choose = b.editor.choose.bind(b.editor);
    b.editor.choose = async (list, signal) => {
      const chosen = await choose(list, signal);
      b.editor.list = [];
      return chosen;
    };
    await configured(b, [change], ALL);
    assert.deepEqual([b.editor.list, b.editor.questions, b.editor.messages], [[], [], []]);
  });
});

describe('a sign-in before anything is configured', () => {
  it('asks for a service, then continues', async () => {
    const b = bench({ ...UNSET, responses: [confirmed] });
    Object.assign(b.editor, { answers: [...ALL], choices: ['Other…'] });
    assert.equal((await signedIn(b)).account.label, 'My account');
    assert.equal(b.sessions.added[0]?.service.baseUrl, credentials.baseUrl);
  });

  it('gets by with one choice and one box if it’s to GitHub', async () => {
    const code = deviceCode({ verificationUri: 'https://github.com/login/device' });
    const b = bench({ ...UNSET, codes: [{ response: code }], responses: [confirmed] });
    const endpoints = { issuer: 'https://api.github.com', authentication: 'basic' };
    Object.assign(b.client, {
      discover: (_service: unknown, set: object) =>
        Promise.resolve({ endpoints: { ...endpoints, ...set }, scopesSupported: [] }),
    });
    b.user = () => Promise.resolve({ name: 'octocat', id: '1' });
    Object.assign(b.editor, { answers: [enter('Iv1.0123')], choices: ['GitHub App'] });
    assert.equal((await signedIn(b)).account.label, 'octocat');
    assert.deepEqual([b.editor.lists.length, b.editor.questions.length, b.editor.confirmations], [1, 1, []]);
    assert.match(b.editor.messages[0]?.text ?? '', /at https:\/\/github\.com\/login\/device to sign in to GitHub\b/);
  });

  it('offers the base URL that an extension asked for, and another one can be entered', async () => {
    const b = bench({ ...UNSET, responses: [confirmed] });
    b.editor.answers = [...ALL];
    const request = { services: [URL], awaitedByEditorUntil: 300_000 };
    const result = b.signIn.signIn(request);
    await b.clock.advance(5_000);
    await result;
    assert.equal(b.editor.questions[0]?.value, URL);
    assert.match(b.editor.questions[0].prompt, /^An extension asked you to sign in to this address\./);
    const other = bench(UNSET);
    const [, ...rest] = ALL;
    other.editor.answers = [enter('https://other.example'), ...rest];
    await assert.rejects(other.signIn.signIn(request), /but only these services were configured/);
    assert.equal(other.editor.lists.length, 0, 'nothing is to be chosen');
    const without = bench(UNSET);
    await assert.rejects(without.signIn.signIn({ services: ['not an address'] }), /isn’t the base URL of a service/);
    assert.deepEqual([without.editor.lists, without.editor.questions], [[], []]);
  });

  it('offers the well-known service that an extension asked for, which only needs the client', async () => {
    const b = bench({ ...UNSET, responses: [confirmed] });
    Object.assign(b.client, { discover: () => Promise.resolve(METADATA) });
    b.editor.answers = [enter('the client')];
    await b.begin({ services: ['https://login.example/realms/staff'], awaitedByEditorUntil: 300_000 });
    assert.match(
      b.editor.questions[0]?.prompt ?? '',
      /^An extension asked you to sign in to https:\/\/login\.example\/realms\/staff\. /,
    );
    assert.deepEqual([b.first.baseUrl, b.first.serviceName], ['https://login.example/realms/staff', 'Keycloak']);
    const github = await bench(UNSET).begin({ services: ['https://api.github.com'], awaitedByEditorUntil: 300_000 });
    assert.deepEqual(github.editor.lists[0]?.labels, ['GitHub App', 'GitHub OAuth app', 'Other…']);
  });

  it('asks for the secret if only that is missing', async () => {
    const b = bench({ withSecret: false, responses: [confirmed] });
    b.editor.answers = [enter('not a real secret')];
    await signedIn(b);
    assert.deepEqual([b.editor.questions.length, b.editor.questions[0]?.password], [1, true]);
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
    secrets.get = (...args) => {
      sinceAsked++;
      return read(...args);
    };
    b.editor.answers = [() => void (sinceAsked = 0)];
    await assert.rejects(b.signIn.signIn(), Cancellation);
    assert.equal(b.editor.questions.length, 1);
    assert.equal(sinceAsked, 0);
  });

  it('isn’t called canceled if the settings can’t be written, and leads to their file', async () => {
    const b = bench(UNSET);
    Object.assign(b.editor, { answers: [...ALL], choices: ['Other…'] });
    b.editor.writeFault = new Error('the file has errors');
    await assert.rejects(b.signIn.signIn(), ExplainedError);
    assert.deepEqual(b.editor.remarks, []);
    assert.equal(b.editor.messages.length, 1);
    assert.match(b.editor.last.text, /^Couldn’t write to your settings file/);
    await b.editor.press('Open Settings File');
    assert.match(b.editor.commands.join(), /^workbench\.action\.openApplicationSettingsJson/);
  });

  it('closes its input boxes when it’s canceled elsewhere', async () => {
    const b = bench(UNSET);
    b.editor.choices = ['Other…'];
    b.editor.answers = [thinking];
    const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
    await settle();
    assert.equal(b.editor.questions.length, 1);
    void b.run('cancelSignIn');
    await rejected;
  });

  it('closes its lists when it’s canceled elsewhere', async () => {
    const b = bench(UNSET);
    Object.assign(b.editor, { leavesListsOpen: true });
    const rejected = assert.rejects(b.signIn.signIn(), Cancellation);
    await settle();
    assert.equal(b.editor.lists.length, 1);
    void b.run('cancelSignIn');
    await rejected;
  });

  for (const last of ['client secret', 'settings'] as const) {
    it(`continues without its box or list when a program has set the ${last}`, async () => {
      const b = bench({ ...UNSET, responses: [confirmed] });
      Object.assign(b.editor, { leavesListsOpen: true, answers: [thinking] });
      const { clientSecret } = credentials;
      if (last === 'client secret') b.editor.list = [DRAFT];
      const result = b.signIn.signIn();
      await settle();
      if (last === 'settings') {
        b.secrets.kept.set(nameOf(credentials), clientSecret);
        b.editor.list = [{ ...DRAFT, clientId: undefined }];
        await b.settingsChanged();
        assert.deepEqual(b.client.codeRequests, [], 'the client ID is missing');
        b.editor.list = [DRAFT];
        await b.settingsChanged();
      } else {
        await b.run('setClientSecret', clientSecret);
      }
      await b.clock.advance(5_000);
      await result;
      assert.deepEqual([b.editor.questions.length + b.editor.lists.length, b.sessions.held.length], [1, 1]);
    });
  }

  it('keeps its input box while a program hands over the client secret of another service, or one that’s stored', async () => {
    const { baseUrl, clientId, clientSecret } = credentials;
    const own = { protocol: 'draft', baseUrl, clientId, serviceName: 'A' };
    const b = bench({ services: [own], responses: [confirmed] });
    b.editor.answers = [thinking];
    await b.begin({ services: ['https://b.example'], awaitedByEditorUntil: 60_000 });
    for (const secret of [clientSecret, 'another secret', 'another secret']) {
      await b.run('setClientSecret', secret, baseUrl);
      await settle();
    }
    assert.deepEqual([b.editor.questions.length, b.editor.questions[0]?.signal?.aborted], [1, false]);
    assert.deepEqual([b.editor.messages, b.signIn.isRunning], [[], true]);
    b.editor.list = [own, { baseUrl: 'https://b.example', clientId: 'b', protocol: 'draft' }];
    await b.run('setClientSecret', 'of b', 'https://b.example');
    await b.clock.advance(5_000);
    assert.deepEqual(
      b.sessions.added.map(({ service }) => service.baseUrl),
      ['https://b.example'],
    );
  });

  it('keeps its list while what was set can’t be used', async () => {
    const b = bench({ services: [], responses: [confirmed] });
    b.editor.leavesListsOpen = true;
    await b.begin();
    b.editor.list = [{ ...DRAFT, verificationUrl: 'nonsense' }];
    await b.settingsChanged();
    assert.deepEqual([b.signIn.isRunning, b.editor.messages, b.client.codeRequests], [true, [], []]);
    b.editor.list = [DRAFT];
    await b.settingsChanged();
    await b.clock.advance(5_000);
    assert.equal(b.sessions.held.length, 1);
  });
});

/** The person hasn't answered yet when the question goes away. */
const thinking: FakeEditor['answers'][number] = () => new Promise(() => undefined);

describe('Configure Service, for an address', () => {
  it('with metadata sets the standard, and needs no secret', async () => {
    const b = await added(ALL.slice(0, 2), { discover: () => Promise.resolve(METADATA) });
    assert.equal(b.first.protocol, 'rfc8628');
    assert.equal(b.editor.questions.length, 2);
    assert.equal(b.secrets.kept.size, 0);
  });

  it('without metadata sets the draft if it’s that', async () => {
    assert.equal((await added(ALL, { discover: () => Promise.reject(NONE) })).first.protocol, 'draft');
  });

  for (const [problem, text] of [
    ['missing endpoint', /^Couldn’t find the “deviceAuthorization” endpoint of service\.example\./],
    ['unsafe endpoint', /^The address of the “deviceAuthorization” endpoint .* isn’t safe\./],
  ] as const) {
    it(`with metadata that isn’t enough says so before anything is saved: ${problem}`, async () => {
      const error = new MetadataError(problem, true, { endpoint: 'deviceAuthorization' });
      const b = await added([URL, URL, 'the client'].map(enter), { discover: () => Promise.reject(error) });
      assert.match(b.editor.questions[1]?.warning ?? '', text);
      assert.equal(b.first.protocol, 'rfc8628');
    });
  }

  for (const [reason, code, text] of [
    ['host not found', 'ENOTFOUND', /^Couldn’t reach wrong\.example \(https:\/\/wrong\.example\/v1, ENOTFOUND\)\. /],
    ['connection refused', 'ECONNREFUSED', /^Couldn’t reach wrong\.example \(https:\/\/wrong\S+ ECONNREFUSED\)\. /],
    ['TLS', 'EPROTO', /^wrong\.example doesn’t accept secure connections \(https:\/\/\)\. /],
    ['TLS', 'CERT_HAS_EXPIRED', /secure connection to wrong\.example \(\S+ CERT_HAS_EXPIRED\)\. /],
    ['timeout', undefined, /^wrong\.example \(https:\/\/wrong\.example\/v1\) didn’t respond in time\. /],
  ] as const) {
    it(`where nothing responds says why before anything is saved, and can be corrected or kept: ${code ?? reason}`, async () => {
      const wrong = 'https://wrong.example/v1';
      for (const second of [wrong, URL]) {
        const discover = ({ baseUrl }: { readonly baseUrl: string }) =>
          Promise.reject(baseUrl === wrong ? new NetworkError('metadata', reason, false, { systemCode: code }) : NONE);
        const draft = second === wrong ? ['Early draft of the device flow'] : [];
        const canceled = await added([wrong, second].map(enter), { discover }, ...draft);
        assert.deepEqual(canceled.editor.list, [], 'canceled after that');
        const [, again] = canceled.editor.questions;
        assert.equal(again?.value, wrong);
        assert.match(again.warning ?? '', text);
        assert.match(again.warning ?? '', /To use this base URL anyway, press Enter\.$/);
        const b = await added([wrong, second, 'the client', 'a secret'].map(enter), { discover }, ...draft);
        assert.equal(b.first.baseUrl, second);
        assert.equal(b.editor.progresses.filter(({ open }) => open).length, 0);
        assert.match(
          b.editor.lastToast.text,
          second === wrong
            ? /^wrong\.example was saved, but it might not work yet\.$/
            : /^service\.example is configured\.$/,
        );
      }
    });
  }

  it('where nothing responds is forgotten if the person goes back to the address of before', async () => {
    const b = bench({ services: [DRAFT] });
    const wrong = 'https://wrong.example';
    Object.assign(b.client, { discover: () => Promise.reject(new NetworkError('metadata', 'timeout', false)) });
    const entered = [enter(wrong), enter(wrong), back('the client'), enter(URL), enter('the client')];
    await configured(b, ['Change…', 'Device flow (RFC 8628), used by most services'], entered);
    assert.equal(b.editor.lastToast.text, 'service.example is configured.');
  });

  it('that shows no protocol asks for it, and needs no secret if that’s the standard', async () => {
    const offline = new NetworkError('metadata', 'host not found', false, { systemCode: 'ENOTFOUND' });
    const found = { discover: () => Promise.reject(offline) };
    const entered = [URL, URL, 'the client'].map(enter);
    const canceled = await added(entered, found);
    assert.deepEqual([canceled.editor.list, canceled.editor.questions.length], [[], 2], 'canceled in the list');
    const b = await added(entered, found, 'Device flow (RFC 8628), used by most services');
    assert.deepEqual(b.editor.list, [{ ...DRAFT, protocol: 'rfc8628' }]);
    assert.equal(b.secrets.kept.size, 0);
  });

  it('where something else responds says so before anything is saved, and can be corrected or kept', async () => {
    const editors = 'http://localhost:8000';
    for (const second of [editors, URL]) {
      const found = {
        discover: () => Promise.reject(NONE),
        recognize: ({ baseUrl }: { readonly baseUrl: string }) => Promise.resolve(baseUrl !== editors),
      };
      const draft = second === editors ? ['Early draft of the device flow'] : [];
      const b = await added([editors, second, 'the client', 'a secret'].map(enter), found, ...draft);
      assert.equal(
        b.editor.questions[1]?.warning,
        'There’s no sign-in service at http://localhost:8000. Check the address. If your network has a sign-in page, sign in there first. To use this base URL anyway, press Enter.',
      );
      assert.equal(b.first.baseUrl, second);
    }
  });

  it('that doesn’t work right now leaves it to the person which protocol it has', async () => {
    const broken = (operation: 'metadata' | 'probe') => () =>
      Promise.reject(new ServiceError(operation, 503, undefined));
    const found = { discover: broken('metadata'), recognize: broken('probe') };
    const standard = 'Device flow (RFC 8628), used by most services';
    const b = await added([URL, URL, 'the client'].map(enter), found, standard);
    assert.equal(
      b.editor.questions[1]?.warning,
      'https://service.example isn’t available right now. Try again later. To use this base URL anyway, press Enter.',
    );
    assert.deepEqual([b.first.baseUrl, b.first.protocol], [URL, 'rfc8628']);
  });

  it('says that it checks the address while the service takes longer than a moment, not before or after', async () => {
    let respond: (metadata: Metadata) => void = () => undefined;
    const b = bench(UNSET);
    Object.assign(b.client, { discover: () => new Promise((resolve) => (respond = resolve)) });
    Object.assign(b.editor, { answers: [...ALL], choices: ['Other…'] });
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
});

describe('what’s left after Configure Service', () => {
  it('goes when a sign-in begins in another way: nothing stands beside its code', async () => {
    const b = await configured(bench(), ['Change…'], [enter(URL), enter('another'), enter('a secret')]);
    assert.deepEqual(
      b.editor.toasts.map(({ open }) => open),
      [true],
    );
    await b.begin();
    assert.deepEqual(
      b.editor.toasts.map(({ open }) => open),
      [false],
    );
  });

  it('offers no sign-in if somebody is signed in', async () => {
    const b = bench();
    b.sessions.held.push(sessionOf('Ada'));
    await configured(b, ['Change…'], [enter(URL), enter('the client')]);
    assert.deepEqual([b.editor.lastToast.text, b.editor.lastToast.links], ['My Service is configured.', []]);
  });
});
