import assert from 'node:assert/strict';
import { settle } from '../../../support/fakeClock';
import { SERVICE, sessionOf } from '../fakeSessions';
import { OWN, Window } from './providerBench';

const GITLAB = { protocol: 'draft', baseUrl: 'https://gitlab.example', clientId: 'tools' } as const;
const FURTHER = [{ ...GITLAB, serviceName: 'GitLab' }];
const OURS = `DEVICE_FLOW_SERVICE:${SERVICE.baseUrl}`;
const GITLABS = `DEVICE_FLOW_SERVICE:${GITLAB.baseUrl}/`;
const OTHER = 'DEVICE_FLOW_SERVICE:https://other.example';

const ada = sessionOf('ada');
const gitlabAda = sessionOf('ada · GitLab', 'gitlab', { service: GITLAB });

/** Guards that no caller ever gets a token of another service than the one that it means. */
describe('a caller, if several services are configured,', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open(ada, gitlabAda);
    window.further = FURTHER;
    window.provider.update();
    await settle();
  });

  const served = async (scopes: readonly string[], of?: typeof ada): Promise<readonly string[]> => {
    const options = of === undefined ? {} : { account: of.account };
    return (await window.provider.getSessions(scopes, options)).map(({ id }) => id);
  };

  it('gets the sessions of the service that it names', async () => {
    assert.deepEqual(await served(['read', OURS]), ['ada']);
    assert.deepEqual(await served(['read', GITLABS]), ['gitlab']);
  });

  it('gets those of the account’s service if it names none', async () => {
    assert.deepEqual(await served(['read'], gitlabAda), ['gitlab']);
    assert.deepEqual(await served(['read'], ada), ['ada']);
  });

  it('gets those of the default service if it says nothing at all', async () => {
    assert.deepEqual(await served(['read']), ['ada']);
  });

  it('gets nothing if the account is another service’s, or the service isn’t configured', async () => {
    assert.deepEqual(await served([GITLABS], gitlabAda), ['gitlab'], 'they agree');
    assert.deepEqual(await served([GITLABS], ada), []);
    assert.deepEqual(await served([OURS], gitlabAda), []);
    assert.deepEqual(await served([OTHER]), []);
    assert.deepEqual(await served([OTHER], ada), []);
    assert.deepEqual(await served([OURS, GITLABS]), []);
  });

  it('gets an error if it names a service in another way than it should', async () => {
    for (const misspelled of [`DEVICE_FLOW_SERVICE=${GITLAB.baseUrl}`, `\u200b${GITLABS}`, `DEVICE_FLOW_SERVICE :x`]) {
      await assert.rejects(served(['read', misspelled]), /which isn’t the base URL of a service/, misspelled);
    }
  });

  it('gets nothing for an account whose session has ended, nor a sign-in to the default service', async () => {
    window.sessions = [ada];
    assert.deepEqual(await served(['read'], gitlabAda), []);
    window.signIn = () => Promise.resolve(ada);
    await assert.rejects(window.provider.createSession(['read'], { account: gitlabAda.account }));
    window.fault = new Error('The folder can’t be read.');
    await assert.rejects(served(['read'], gitlabAda), 'the account may be there');
  });

  it('sees the accounts of all services in menus', async () => {
    const listed = await window.provider.getSessions(undefined, {});
    assert.deepEqual(
      listed.map(({ account }) => account.label),
      ['ada', 'ada · GitLab'],
    );
  });

  it('is told of new sessions of the service that it means only', async () => {
    for (const scopes of [['read'], [OURS], [GITLABS], [OTHER]]) await window.provider.getSessions(scopes, {});
    window.change({ added: [sessionOf('grace · GitLab', 'grace', { service: GITLAB })] });
    assert.deepEqual(window.announced, [OWN, [GITLABS]]);
    window.change({ added: [sessionOf('grace', 'plain')] });
    assert.deepEqual(window.announced, [OWN, ['read'], [OURS]]);
  });

  it('signs in to the service that it means, and gets no session of another one', async () => {
    window.signIn = () => Promise.resolve(gitlabAda);
    assert.equal((await window.provider.createSession(['read', GITLABS], {})).id, 'gitlab');
    assert.equal((await window.provider.createSession(['read'], { account: gitlabAda.account })).id, 'gitlab');
    assert.deepEqual(
      window.signIns.map(({ services }) => services),
      [[GITLAB.baseUrl], []],
    );
    for (const scopes of [['read'], [OURS], [OTHER]]) {
      await assert.rejects(window.provider.createSession(scopes, {}), /didn’t grant the requested access/);
    }
  });

  it('gets a session of a service that its sign-in has added', async () => {
    window.further = [];
    window.signIn = () => {
      window.further = FURTHER;
      return Promise.resolve(gitlabAda);
    };
    assert.equal((await window.provider.createSession([GITLABS], {})).id, 'gitlab');
  });
});

/** Guards that those who keep sessions, and VS Code's badges, follow the default service. */
describe('a caller that names no service, when another one becomes the default,', () => {
  const SERVICES = [{ ...SERVICE, serviceName: 'First Cloud' }, ...FURTHER];
  let window: Window;
  beforeEach(async () => {
    window = await Window.open(ada, gitlabAda);
    window.services = SERVICES;
    await window.provider.getSessions(undefined, {});
    for (const scopes of [['read'], [OURS], [GITLABS]]) await window.provider.getSessions(scopes, {});
    window.events.splice(0);
  });

  it('learns that its session changed, and of the one that it waits for', () => {
    window.set([...SERVICES].reverse());
    const [event, ...others] = window.events;
    assert.deepEqual(
      [event?.changed, event?.added].map((sessions) => sessions?.map(({ id, scopes }) => [id, scopes])),
      [
        [
          ['ada', OWN],
          ['gitlab', OWN],
        ],
        [['gitlab', ['read']]],
      ],
    );
    assert.deepEqual(others, []);
  });

  it('learns it too if there’s none anymore', () => {
    window.set([{ ...SERVICE, protocol: undefined }, ...FURTHER]);
    assert.deepEqual(
      window.events.map(({ added, changed }) => [added?.length, changed?.map(({ id }) => id)]),
      [[0, ['ada']]],
    );
  });

  it('learns nothing of changes that aren’t that', () => {
    window.set([{ ...SERVICES[0], serviceName: 'Another' }, ...FURTHER]);
    window.set([{ ...SERVICES[0], serviceName: 'Another' }]);
    assert.deepEqual(window.events, []);
  });
});

describe('a caller that waits for a session which needs its person', () => {
  it('is told of it as of a new one once it can be used again', async () => {
    const window = await Window.open(sessionOf('ada', 'ada', { needsUser: true }));
    await window.provider.getSessions(undefined, {});
    await window.provider.getSessions(['read'], {});
    window.change({ changed: [ada] });
    assert.deepEqual(window.announced, [['read']]);
    window.change({ changed: [ada] });
    assert.deepEqual(window.announced, [], 'it could be used before');
  });
});

describe('the name of the provider', () => {
  it('is the service’s with one, and the extension’s with several', async () => {
    const window = await Window.open(ada);
    assert.equal(window.authentication.label, 'First Cloud');
    window.further = FURTHER;
    window.provider.update();
    await settle();
    assert.equal(window.authentication.label, 'The Extension');
    window.further = [];
    window.provider.update();
    await settle();
    assert.equal(window.authentication.label, 'First Cloud');
  });
});
