import assert from 'node:assert/strict';
import { type CurrentSession, currentSession } from '../../../../src/sessions/currentSession';
import type { ServiceId } from '../../../../src/oauth/service';
import type { GitCredentials } from '../../../../src/vscode/editor/gitExtension';
import { GitAccess } from '../../../../src/vscode/git/gitAccess';
import { readConfiguration } from '../../../../src/vscode/settings/configuration';
import { Settings } from '../../../../src/vscode/settings/settings';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { FakeEditor } from '../fakeEditor';
import { sessionOf } from '../fakeSessions';

const GITLAB = { protocol: 'rfc8628', baseUrl: 'https://gitlab.example', clientId: 'its client' };
const TOKEN = 'not a real token of git';

class Bench {
  readonly clock = new FakeClock();
  readonly editor = new FakeEditor();
  readonly log = new RecordingLog();
  readonly asked: string[] = [];
  serve: (service: ServiceId) => Promise<readonly CurrentSession[]> = () =>
    Promise.resolve([currentSession(sessionOf('Ada', 'one'), TOKEN)]);
  readonly settings: Settings;
  readonly access: GitAccess;

  constructor(...services: readonly object[]) {
    this.settings = new Settings(readConfiguration(services, 'The Extension'), this.log);
    const sessions = {
      serve: (service: ServiceId) => {
        this.asked.push(service.baseUrl);
        return this.serve(service);
      },
    };
    this.access = new GitAccess(this.editor, sessions, this.settings, this.clock, this.log);
  }

  set(...services: readonly object[]): void {
    this.settings.replace(readConfiguration(services, 'The Extension'));
  }

  /** What git gets for a repository there. */
  async give(address: string): Promise<unknown> {
    const [scheme = '', authority = ''] = address.split('://');
    const given = this.editor.giveGitCredentials?.({ scheme, authority });
    await this.clock.advance(5_000);
    return await given;
  }

  /** Git asks for a repository at this host. @returns what holds the credentials when they have come */
  ask(authority: string): { credentials?: GitCredentials | undefined } {
    const asked: ReturnType<Bench['ask']> = {};
    void this.editor.giveGitCredentials?.({ scheme: 'https', authority }).then((credentials) => {
      asked.credentials = credentials;
    });
    return asked;
  }
}

function withHosts(...hosts: readonly string[]): object {
  return { ...GITLAB, git: { hosts } };
}

/** Guards to whom git is given a token: to the hosts that the settings name, and to nobody else. */
describe('the credentials for git', () => {
  it('are the user name and the current token, for https at exactly these hosts', async () => {
    const b = new Bench(withHosts('GitLab.example', 'other.example:8443', 'localhost:3000'));
    const credentials = { username: 'oauth2', password: TOKEN };
    for (const address of [
      'https://gitlab.example',
      'https://GITLAB.example:443',
      'https://other.example:8443',
      'http://localhost:3000',
    ]) {
      assert.deepEqual(await b.give(address), credentials, address);
    }
    for (const address of [
      'http://gitlab.example',
      'https://gitlab.example:8443',
      'https://other.example',
      'https://evilgitlab.example',
      'https://gitlab.example.evil.example',
      'https://someone@gitlab.example',
      'https://gitlab.example@evil.example',
      'http://other.example:8443',
      'ssh://gitlab.example',
      'https://localhost:3001',
      // VS Code decodes these, git doesn't.
      'https://gitlab.example/.evil.example',
      'https://gitlab.example?.evil.example',
      'https://gitlab.example#.evil.example',
      'https://gitlab.example\\.evil.example',
      'https://gitlab\t.example',
      'https://ｇitlab.example',
      'https://',
    ]) {
      assert.equal(await b.give(address), undefined, address);
    }
    assert.ok(!b.log.text().includes(TOKEN));
  });

  it('have the user name that’s set, and are those of the first of two services with one host', async () => {
    const second = { ...GITLAB, baseUrl: 'https://second.example', git: { hosts: ['shared.example'] } };
    const b = new Bench({ ...GITLAB, git: { hosts: ['shared.example'], username: 'ada' } }, second);
    assert.deepEqual(await b.give('https://shared.example'), { username: 'ada', password: TOKEN });
    assert.deepEqual(b.asked, ['https://gitlab.example']);
  });

  it('are asked for only while a service has hosts', () => {
    const b = new Bench(GITLAB);
    assert.equal(b.editor.giveGitCredentials, undefined);
    b.set(withHosts('gitlab.example'));
    assert.notEqual(b.editor.giveGitCredentials, undefined);
    b.set(GITLAB);
    assert.equal(b.editor.giveGitCredentials, undefined);
    b.set(withHosts('gitlab.example'));
    b.access.dispose();
    assert.equal(b.editor.giveGitCredentials, undefined);
    for (const hosts of [
      ['https://gitlab.example'],
      ['gitlab.example/x'],
      ['a@gitlab.example'],
      'gitlab.example',
      [],
    ]) {
      b.set({ ...GITLAB, git: { hosts } });
      assert.equal(b.editor.giveGitCredentials, undefined, JSON.stringify(hosts));
    }
  });

  it('are none if nobody is signed in, or if the session fails or doesn’t come within five seconds', async () => {
    const b = new Bench(withHosts('gitlab.example'));
    for (const serve of [
      () => Promise.resolve([]),
      () => Promise.reject(new Error('the store is busy')),
      () => new Promise<never>(() => undefined),
    ]) {
      b.serve = serve;
      assert.equal(await b.give('https://gitlab.example'), undefined);
    }
    assert.doesNotMatch(b.log.text(), /gets credentials/);
  });

  it('come one after the other for one host, when the password of the one before was read: VS Code keeps one', async () => {
    const b = new Bench(withHosts('gitlab.example', 'other.example'));
    const answers = ['gitlab.example', 'gitlab.example', 'gitlab.example', 'other.example'].map((host) => b.ask(host));
    const [first, second, third, other] = answers;
    const areGiven = (): readonly boolean[] => answers.map(({ credentials }) => credentials !== undefined);
    await b.clock.advance(1_000);
    assert.deepEqual(areGiven(), [true, false, false, true]);
    assert.equal(other?.credentials?.password, TOKEN);
    assert.equal(first?.credentials?.password, TOKEN);
    await b.clock.advance(0);
    assert.deepEqual(areGiven(), [true, true, false, true]);
    assert.equal(second?.credentials?.password, TOKEN);
    await b.clock.advance(0);
    assert.equal(third?.credentials?.password, TOKEN);
  });

  it('are looked up when it’s the command’s turn: with the token of then, and only for hosts that are still set', async () => {
    const b = new Bench(withHosts('gitlab.example'));
    const [first, second, third] = [1, 2, 3].map(() => b.ask('gitlab.example'));
    await b.clock.advance(0);
    b.serve = () => Promise.resolve([currentSession(sessionOf('Ada', 'one'), 'the next token')]);
    assert.equal(first?.credentials?.password, TOKEN);
    await b.clock.advance(0);
    assert.equal(second?.credentials?.password, 'the next token');
    b.set(GITLAB);
    await b.clock.advance(60_000);
    assert.equal(third?.credentials, undefined);
    assert.equal(b.asked.length, 2);
  });

  it('come for each of 30 commands at once, even if each takes half a second', async () => {
    const b = new Bench(withHosts('gitlab.example'));
    const commands = Array.from({ length: 30 }, () => b.ask('gitlab.example'));
    for (const command of commands) {
      await b.clock.advance(500);
      assert.equal(command.credentials?.password, TOKEN);
    }
  });

  it('come five seconds after one whose password nobody reads: its command was stopped', async () => {
    const b = new Bench(withHosts('gitlab.example'));
    b.ask('gitlab.example');
    const next = b.ask('gitlab.example');
    await b.clock.advance(4_999);
    assert.equal('credentials' in next, false);
    await b.clock.advance(1);
    assert.equal(next.credentials?.password, TOKEN);
  });
});
