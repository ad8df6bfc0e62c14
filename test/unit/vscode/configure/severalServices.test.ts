import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { NetworkError } from '../../../../src/oauth/errors';
import { confirmed, credentials } from '../../signin/scriptedClient';
import { back, enter, type FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';
import { bench, nameOf, type Bench } from '../signin/signInBench';

/** A further service, as the list has it. */
const GITLAB = {
  protocol: 'rfc8628',
  baseUrl: 'https://gitlab.example',
  clientId: 'a client',
  serviceName: 'GitLab',
  scopes: ['api'],
  account: { path: '/user', field: 'name' },
} as const;

const { baseUrl, clientId } = credentials;

const OWN = { protocol: 'draft', baseUrl, clientId, serviceName: 'My Service' };

/** What's set if GitLab is a further service. */
const BOTH = { services: [OWN, GITLAB] };

/** A session at GitLab. */
const atGitlab = sessionOf('ada · GitLab', 'gitlab', {
  service: {
    baseUrl: GITLAB.baseUrl,
    clientId: GITLAB.clientId,
    protocol: 'rfc8628',
    endpoints: {
      issuer: GITLAB.baseUrl,
      deviceAuthorization: `${GITLAB.baseUrl}/device`,
      token: `${GITLAB.baseUrl}/token`,
      revocation: `${GITLAB.baseUrl}/revoke`,
      authentication: 'post',
    },
  },
});

/** Runs a command, with these choices and answers. */
async function ran(b: Bench, command: string, choices: string[], answers: FakeEditor['answers'] = []): Promise<Bench> {
  Object.assign(b.editor, { answers: [...answers], choices });
  await b.setOff(command);
  return b;
}

/** Guards that each service is changed, added and removed by itself, and that nothing happens to the others. */
describe('Configure Service, if there are several', () => {
  it('lists the services with their accounts, and to add one', async () => {
    const b = bench(BOTH);
    b.sessions.held.push(sessionOf('Ada'), atGitlab);
    const { editor } = await ran(b, 'configure', []);
    assert.deepEqual(editor.lists[0]?.labels, ['My Service', 'GitLab', 'Add Service…']);
    assert.deepEqual(editor.lists[0].descriptions.slice(0, 2), [`${baseUrl} · Default`, GITLAB.baseUrl]);
    assert.deepEqual(editor.lists[0].details.slice(0, 2), ['Signed in as Ada', 'Signed in as ada']);
  });

  it('changes a further service, and nothing else', async () => {
    const b = await ran(bench(BOTH), 'configure', ['GitLab', 'Change…'], [enter(GITLAB.baseUrl), enter('another')]);
    assert.deepEqual(b.editor.list, [OWN, { ...GITLAB, clientId: 'another' }]);
    assert.match(b.editor.lastToast.text, /^GitLab is configured\./);
    assert.equal(b.editor.questions[0]?.title, 'Configure GitLab');
    assert.deepEqual(b.editor.lastToast.links, ['Sign In', 'Set Client Secret']);
    b.editor.answers = [enter('a secret')];
    await b.follow('Set Client Secret');
    assert.equal(b.editor.lists.length, 2, 'nobody is asked which service it’s for');
    assert.equal(b.editor.lastToast.text, 'The client secret for GitLab was saved.');
  });

  it('links to a sign-in to the service that was changed, which needs no choice', async () => {
    const entered = [enter(GITLAB.baseUrl), enter('another')];
    const b = await ran(bench({ ...BOTH, responses: [confirmed] }), 'configure', ['GitLab', 'Change…'], entered);
    const shown = b.editor.lists.length;
    await b.follow('Sign In');
    assert.equal(b.editor.toasts[0]?.open, false, 'it goes as soon as the sign-in begins');
    await b.clock.advance(5_000);
    assert.equal(b.editor.lists.length, shown);
    assert.deepEqual(
      b.sessions.added.map(({ service }) => [service.baseUrl, service.clientId]),
      [[GITLAB.baseUrl, 'another']],
    );
  });

  it('adds a service to the list, and its secret', async () => {
    const entered = ['https://third.example', 'its client', 'a secret'].map(enter);
    const b = await ran(bench(BOTH), 'configure', ['Add Service…', 'Other…'], entered);
    const third = { protocol: 'draft', baseUrl: 'https://third.example', clientId: 'its client' };
    assert.deepEqual(b.editor.list, [OWN, GITLAB, third]);
    assert.equal(b.secrets.kept.get('https://third.example its client'), 'a secret');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    assert.equal(b.editor.lastToast.text, 'third.example is configured.');
    assert.deepEqual([...new Set(b.editor.questions.map(({ title }) => title))], ['Add Service']);
  });

  it('offers no well-known service that’s configured already', async () => {
    const github = { protocol: 'rfc8628', baseUrl: 'https://api.github.com', clientId: 'a client' };
    const { editor } = await ran(bench({ services: [OWN, github] }), 'configure', ['Add Service…']);
    assert.ok(editor.lists[1]?.labels.every((label) => !label.includes('GitHub')));
  });

  it('names the service that can’t be reached, and not the default one', async () => {
    const notFound = new NetworkError('metadata', 'host not found', false, { systemCode: 'ENOTFOUND' });
    const secret = enter('a secret');
    for (const [command, choices, answers] of [
      ['setClientSecret', ['GitLab'], [secret]],
      ['configure', ['GitLab', 'Set Client Secret…'], [secret]],
    ] as const) {
      const b = bench(BOTH);
      Object.assign(b.client, { discover: () => Promise.reject(notFound) });
      await ran(b, command, [...choices], [...answers]);
      const { value, warning = '' } = b.editor.questions.at(-1) ?? {};
      assert.match(warning, /^Couldn’t reach GitLab \(https:\/\/gitlab\.example, ENOTFOUND\)\. .* try again\.$/);
      assert.equal(value, 'a secret');
    }
    const b = bench(BOTH);
    Object.assign(b.client, { discover: () => Promise.reject(notFound) });
    const handedOver = b.run('setClientSecret', 'a secret', GITLAB.baseUrl);
    await assert.rejects(handedOver, {
      name: 'ExplainedError',
      message: /^Couldn’t reach GitLab /,
    });
  });

  it('refuses a base URL that another service has', async () => {
    const b = await ran(bench(BOTH), 'configure', ['Add Service…', 'Other…']);
    const validate = (text: string) => b.editor.questions[0]?.validate(text);
    assert.match(validate('gitlab.example/') ?? '', /^GitLab is already configured\. Enter a different base URL/);
    assert.match(validate(baseUrl) ?? '', /^My Service is already configured/);
    const own = await ran(bench(BOTH), 'configure', ['GitLab', 'Change…']);
    assert.equal(own.editor.questions[0]?.validate('https://gitlab.example'), undefined);
  });

  it('changes nothing if it is canceled', async () => {
    for (const choices of [[], ['GitLab'], ['Add Service…'], ['Add Service…', 'Other…'], ['GitLab', 'Change…']]) {
      const b = await ran(bench(BOTH), 'configure', choices);
      assert.deepEqual([b.editor.list, b.editor.messages.length], [BOTH.services, 0], choices.join());
    }
  });

  it('adds the service that an extension asks to sign in to, with its address filled in; canceled, it changes nothing', async () => {
    const baseUrl = 'https://third.example';
    const request = { services: [baseUrl], awaitedByEditorUntil: 300_000 };
    const canceled = await bench(BOTH).begin(request);
    assert.equal(canceled.editor.questions[0]?.value, baseUrl);
    assert.match(canceled.editor.questions[0].prompt, /^An extension asked you to sign in to this address/);
    assert.deepEqual(canceled.editor.list, BOTH.services);
    const b = bench(BOTH);
    b.editor.answers = [baseUrl, 'its client', 'a secret'].map(enter);
    await b.begin(request);
    assert.deepEqual(b.editor.list, [...BOTH.services, { protocol: 'draft', baseUrl, clientId: 'its client' }]);
    assert.equal(b.signIn.current?.service?.name, 'third.example');
  });

  it('offers with one service what can be done with it at once, and to add one', async () => {
    const b = await ran(bench({ services: [OWN] }), 'configure', []);
    assert.deepEqual(b.editor.lists[0]?.labels, [
      'Sign In',
      'Change…',
      'Set Client Secret…',
      'Edit in settings.json',
      'Remove Service…',
      'Add Service…',
    ]);
    assert.equal(b.editor.lists[0].title, 'Configure My Service');
    const broken = bench({ services: [{ ...OWN, serviceName: undefined, verificationUrl: 'x' }] });
    assert.equal((await ran(broken, 'configure', [])).editor.lists[0]?.title, `Configure ${new URL(baseUrl).host}`);
    await ran(b, 'configure', ['Edit in settings.json']);
    assert.match(b.editor.commands.join(), /^workbench\.action\.openApplicationSettingsJson/);
  });

  it('offers a further sign-in late if somebody is signed in, and at once if an account waits for it', async () => {
    const labels = async (needsUser: boolean) => {
      const b = bench({ services: [OWN] });
      b.sessions.held.push({ ...sessionOf('Ada'), needsUser });
      return (await ran(b, 'configure', [])).editor.lists[0]?.labels;
    };
    assert.deepEqual((await labels(false))?.slice(0, 4), [
      'Change…',
      'Set Client Secret…',
      'Edit in settings.json',
      'Sign In to Another Account',
    ]);
    assert.deepEqual((await labels(true))?.slice(0, 2), ['Sign In', 'Change…']);
  });

  it('begins a further sign-in for another account, so that the person is told if it brings the same one', async () => {
    const b = bench({ services: [OWN] });
    b.sessions.held.push(sessionOf('Ada'));
    await ran(b, 'configure', ['Sign In to Another Account'], [enter('Grace')]);
    assert.equal(b.signIn.current?.isForAnother, true);
  });

  it('says in up to four sentences what was removed and signed out of, and which tokens may still work', async () => {
    const b = bench({ services: [GITLAB, OWN] });
    const { baseUrl, clientId } = GITLAB;
    b.sessions.held.push({ ...atGitlab, service: { baseUrl, clientId, protocol: 'rfc8628' } });
    await ran(b, 'configure', ['GitLab', 'Remove Service…']);
    assert.match(b.editor.last.text, /^GitLab was removed, and you were signed out\. The tokens were deleted /);
    assert.ok((b.editor.last.text.match(/\. |\.$/g) ?? []).length <= 4, b.editor.last.text);
  });

  it('leads back from the first box to the list of well-known services', async () => {
    for (const choice of ['GitHub App', 'Other…']) {
      const b = await ran(bench({ services: [] }), 'configure', [choice], [back()]);
      assert.deepEqual(
        b.editor.lists.map(({ placeholder }) => placeholder),
        Array(2).fill('Select the service that you want to sign in to'),
      );
      assert.equal(b.editor.messages.length, 0);
    }
  });

  it('signs in to the one that’s chosen', async () => {
    const b = await ran(bench(BOTH), 'configure', ['My Service', 'Sign In']);
    assert.equal(b.signIn.current?.service?.name, 'My Service');
  });

  it('makes a further service the default one by moving it to the front, in one write', async () => {
    const b = bench(BOTH);
    const written: unknown[] = [];
    const write = b.editor.writeServices.bind(b.editor);
    b.editor.writeServices = (list) => {
      written.push(list);
      return write(list);
    };
    await ran(b, 'configure', ['GitLab', 'Set as Default']);
    assert.deepEqual(written, [[GITLAB, OWN]]);
    assert.deepEqual([b.editor.remarks, b.editor.messages], [['GitLab was set as the default service.'], []]);
    await ran(b, 'configure', ['GitLab']);
    assert.ok(!b.editor.lists.at(-1)?.labels.includes('Set as Default'));
  });

  it('changes what’s set at that moment, and not what was when the list opened', async () => {
    const b = bench(BOTH);
    const third = { ...GITLAB, baseUrl: 'https://third.example', serviceName: 'Third' };
    const choose = b.editor.choose.bind(b.editor);
    b.editor.choose = async (list, signal) => {
      const chosen = await choose(list, signal);
      b.editor.list = [OWN, third, { ...GITLAB, scopes: ['changed'] }];
      return chosen;
    };
    await ran(b, 'configure', ['GitLab', 'Set as Default']);
    assert.deepEqual(b.editor.list, [{ ...GITLAB, scopes: ['changed'] }, OWN, third]);
  });

  for (const [what, unused] of [
    ['that can’t be used', { ...GITLAB, clientId: '' }],
    ['without a protocol', { ...GITLAB, protocol: undefined }],
  ] as const) {
    it(`acts on the element in use, and not on one before it with the same address ${what}`, async () => {
      const services = [OWN, unused, GITLAB];
      const isDefault = await ran(bench({ services }), 'configure', ['GitLab', 'Set as Default']);
      assert.deepEqual(isDefault.editor.list, [GITLAB, OWN, unused]);
      const removed = await ran(bench({ services }), 'configure', ['GitLab', 'Remove Service…']);
      assert.deepEqual(removed.editor.list, [OWN, unused]);
      const answers = [enter(GITLAB.baseUrl), enter('another')];
      const changed = await ran(bench({ services }), 'configure', ['GitLab', 'Change…'], answers);
      assert.deepEqual(changed.editor.list, [OWN, unused, { ...GITLAB, clientId: 'another' }]);
    });
  }

  it('says so if another element with the same address is in its place after one was removed', async () => {
    const twin = { ...GITLAB, clientId: 'a twin', serviceName: 'Twin' };
    const b = await ran(bench({ services: [OWN, GITLAB, twin] }), 'configure', ['GitLab', 'Remove Service…']);
    assert.deepEqual(b.editor.list, [OWN, twin]);
    assert.equal(b.editor.last.text, 'GitLab was removed. Twin, which has the same base URL, took its place.');
  });

  it('removes a service once its accounts are signed out of, and says what becomes of the tokens', async () => {
    const b = bench(BOTH);
    b.sessions.held.push(sessionOf('Ada'), atGitlab);
    await ran(b, 'configure', ['GitLab', 'Remove Service…']);
    assert.deepEqual(b.editor.confirmations[0]?.slice(0, 1), ['Remove GitLab?']);
    assert.match(b.editor.confirmations[0][1] ?? '', /signed out of ada\.$/);
    assert.deepEqual(b.sessions.removed, ['gitlab']);
    assert.deepEqual(b.editor.list, [OWN]);
    assert.deepEqual(b.editor.last.buttons, ['Configure Service'], 'the message isn’t cut off');
    assert.equal(b.editor.last.text, 'GitLab was removed, and you were signed out.');
  });

  it('says its name once if its account is called as it is, and if it’s called as its host is', async () => {
    const b = bench({ services: [OWN, { ...GITLAB, serviceName: undefined }] });
    b.sessions.held.push(sessionOf('gitlab.example', 'gitlab', { service: atGitlab.service }));
    await ran(b, 'configure', ['gitlab.example', 'Remove Service…']);
    assert.deepEqual(b.editor.lists[0]?.descriptions.slice(0, 2), [`${baseUrl} · Default`, '']);
    assert.equal(b.editor.lists[0].details[1], 'Signed in');
    assert.match(b.editor.confirmations[0]?.[1] ?? '', / You’ll be signed out\.$/);
    assert.equal(b.editor.last.text, 'gitlab.example was removed, and you were signed out.');
  });

  it('says nothing of accounts that were signed out of elsewhere while it asked', async () => {
    const b = bench(BOTH);
    b.sessions.held.push(atGitlab);
    let answer: (yes: boolean) => void = () => undefined;
    b.editor.confirms = new Promise((resolve) => (answer = resolve));
    await ran(b, 'configure', ['GitLab', 'Remove Service…']);
    b.sessions.held.splice(0);
    answer(true);
    await settle();
    assert.equal(b.editor.last.text, 'GitLab was removed.');
  });

  it('removes the default one, and says which one is the default then', async () => {
    const b = await ran(bench(BOTH), 'configure', ['My Service', 'Remove Service…']);
    assert.deepEqual(b.editor.list, [GITLAB]);
    assert.equal(b.editor.last.text, 'My Service was removed. GitLab was set as the default service.');
    assert.deepEqual(b.editor.remarks, []);
  });

  it('deletes the client secret of a service with it, and only if its settings are gone', async () => {
    const b = await ran(bench(BOTH), 'configure', ['GitLab', 'Remove Service…']);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    b.editor.writeFault = new Error('no');
    await ran(b, 'configure', ['Remove Service…']);
    assert.equal(b.secrets.kept.get(nameOf(credentials)), credentials.clientSecret);
    b.editor.writeFault = undefined;
    b.secrets.remove = (service) => {
      b.secrets.kept.delete(nameOf(service));
      return Promise.reject(new Error('the disk refuses'));
    };
    await ran(b, 'configure', ['Remove Service…']);
    assert.equal(b.secrets.kept.size, 0);
    assert.equal(b.editor.last.text, 'My Service was removed.');
    assert.match(b.log.text(), /client secret couldn't be deleted/);
  });

  it('removes nothing if the person declines, or an account can’t be signed out of', async () => {
    const declined = bench(BOTH);
    declined.sessions.held.push(atGitlab);
    declined.editor.confirms = false;
    await ran(declined, 'configure', ['GitLab', 'Remove Service…']);
    assert.deepEqual([declined.sessions.removed, declined.editor.list], [[], BOTH.services]);
    const failing = bench(BOTH);
    failing.sessions.held.push(atGitlab);
    failing.sessions.remove = () => Promise.reject(new Error('the disk refuses'));
    await ran(failing, 'configure', ['GitLab', 'Remove Service…']);
    assert.deepEqual(failing.editor.list, BOTH.services);
    assert.match(failing.editor.last.text, /^Couldn’t finish signing out of GitLab\. Try again/);
  });

  it('changes nothing and signs nobody out if the list can’t be written, and says why', async () => {
    const faults: readonly [fault: Partial<FakeEditor>, says: RegExp][] = [
      [{ writeFault: new Error('no') }, /^Couldn’t write to your settings file\./],
      [{ areElsewhere: true }, /^Your services weren’t changed because your profile /],
    ];
    for (const [fault, says] of faults) {
      for (const choice of ['Set as Default', 'Remove Service…']) {
        const b = bench(BOTH);
        b.sessions.held.push(atGitlab);
        Object.assign(b.editor, fault);
        await ran(b, 'configure', ['GitLab', choice]);
        assert.match(b.editor.last.text, says);
        assert.deepEqual([b.editor.list, b.sessions.removed], [BOTH.services, []]);
      }
    }
  });
});

describe('Set Client Secret, if there are several services', () => {
  it('asks a person which service it’s for', async () => {
    const b = await ran(bench({ ...BOTH, withSecret: false }), 'setClientSecret', ['My Service'], [enter('a secret')]);
    assert.deepEqual(b.editor.lists[0]?.labels, ['My Service', 'GitLab']);
    assert.ok(b.editor.questions[0]?.prompt.includes(`client ID ${clientId} at ${baseUrl}.`), 'the box says for which');
    assert.equal(b.secrets.kept.get(nameOf(credentials)), 'a secret');
    const canceled = await ran(bench(BOTH), 'setClientSecret', []);
    assert.deepEqual([canceled.editor.questions.length, canceled.editor.messages.length], [0, 0]);
  });

  it('takes a program’s for the default one, unless it names another, and never for one that it didn’t mean', async () => {
    const other = { ...GITLAB, protocol: 'draft', scopes: undefined };
    const b = bench({ services: [OWN, other], withSecret: false });
    await b.run('setClientSecret', 'a secret');
    await b.run('setClientSecret', 'another', 'https://GITLAB.example/');
    assert.deepEqual([...b.secrets.kept.values()], ['a secret', 'another']);
    assert.equal(b.secrets.kept.get('https://gitlab.example a client'), 'another');
    await assert.rejects(
      async () => await b.run('setClientSecret', 'lost', 'https://third.example'),
      /its service wasn’t configured/,
    );
    assert.ok(![...b.secrets.kept.values()].includes('lost'));
  });
});

describe('Sign In, if there are several services', () => {
  it('asks which one, those without an account first', async () => {
    const b = bench(BOTH);
    b.sessions.held.push(sessionOf('Ada'));
    await ran(b, 'signIn', []);
    assert.deepEqual(b.editor.lists[0]?.labels, ['GitLab', 'My Service']);
    assert.equal(b.editor.lists[0].placeholder, 'Select a service');
    assert.deepEqual([b.signIn.isRunning, b.editor.messages.length], [false, 0], 'canceled');
    const chosen = await ran(bench(BOTH), 'signIn', ['My Service']);
    assert.equal(chosen.signIn.current?.service?.name, 'My Service');
  });

  it('asks even if one is in progress: the same one’s code is shown again, and another one can be chosen instead', async () => {
    const b = await ran(bench(BOTH), 'signIn', ['My Service']);
    const shown = b.editor.messages.length;
    await ran(b, 'signIn', []);
    assert.equal(b.editor.messages.length, shown, 'canceled');
    await ran(b, 'signIn', ['My Service']);
    assert.match(b.editor.last.text, /ABCD-1234/);
    assert.deepEqual([b.editor.messages.length, b.client.codeRequests.length], [shown + 1, 1]);
    await ran(b, 'signIn', ['GitLab']);
    assert.deepEqual(b.editor.lists.at(-1)?.labels, ['Show Code', 'Cancel Current Sign-In and Sign In to GitLab']);
    assert.equal(b.signIn.isRunning, true);
  });
});

describe('a button of a message, if there are several services,', () => {
  it('leads to the service that the message is about', async () => {
    const response = new NetworkError('device authorization', 'host not found', false, { systemCode: 'ENOTFOUND' });
    const b = bench({ ...BOTH, codes: [{ response }] });
    const endpoints = { issuer: GITLAB.baseUrl, deviceAuthorization: GITLAB.baseUrl, token: GITLAB.baseUrl };
    const metadata = { endpoints: { ...endpoints, authentication: 'basic' }, scopesSupported: [] };
    Object.assign(b.client, { discover: () => Promise.resolve(metadata) });
    await b.begin({ services: [GITLAB.baseUrl] });
    await b.editor.press('Configure Service');
    assert.deepEqual(b.editor.commands, [`configure ${GITLAB.baseUrl} baseUrl`]);
    await b.setOff('configure', GITLAB.baseUrl);
    assert.equal(b.editor.lists.at(-1)?.title, 'Configure GitLab');
    b.editor.list = [OWN];
    await b.setOff('configure', GITLAB.baseUrl);
    assert.equal(b.editor.lists.at(-1)?.title, 'Configure My Service', 'it’s gone');
  });

  it('asks at once for the field that’s wrong, in a box that names the service', async () => {
    for (const [field, prompt, value] of [
      ['clientId', /^Enter the client ID /, GITLAB.clientId],
      ['baseUrl', /^Enter the base URL /, GITLAB.baseUrl],
    ] as const) {
      const b = bench(BOTH);
      await b.run('configure', GITLAB.baseUrl, field);
      const [question, ...others] = b.editor.questions;
      assert.deepEqual([others, b.editor.lists], [[], []]);
      assert.match(question?.prompt ?? '', prompt);
      assert.deepEqual([question?.title, question?.value], ['Configure GitLab', value]);
      assert.deepEqual(b.editor.list, BOTH.services, 'nothing is saved yet');
    }
  });
});
