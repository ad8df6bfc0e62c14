import assert from 'node:assert/strict';
import type { AuthenticationSession } from 'vscode';
import type { CurrentSession } from '../../../../src/sessions/currentSession';
import { ForeignSessionError, OwnSessions } from '../../../../src/vscode/requests/ownSessions';
import { FakeClock } from '../../../support/fakeClock';
import { RecordingLog } from '../../../support/recordingLog';
import { SERVICE, sessionOf } from '../fakeSessions';

/** Guards what's known of the sessions, and that nobody gets an error when a token is rejected. */
describe('the sessions of this extension’s own provider', () => {
  let done: string[];
  /** What comes of a refresh. */
  let refresh: () => Promise<boolean>;
  /** What VS Code hands out. */
  let handedOut: AuthenticationSession | undefined;
  let own: OwnSessions;
  let sessions: CurrentSession[];
  let clock: FakeClock;
  beforeEach(() => {
    done = [];
    handedOut = undefined;
    refresh = () => Promise.resolve(true);
    sessions = [sessionOf('Ada', 'ada', { scopes: ['read', 'write'] }), sessionOf('Grace', 'grace')];
    const run = (name: string) => (token: string) => {
      done.push(`${name} ${token}`);
      return refresh();
    };
    const shared = {
      list: () => Promise.resolve(sessions),
      replaceRejected: run('replace'),
      reportRejected: run('report'),
    };
    clock = new FakeClock();
    own = new OwnSessions(shared, () => Promise.resolve(handedOut), clock, new RecordingLog());
  });

  for (const name of ['replaceRejectedToken', 'reportRejectedToken'] as const) {
    describe(name, () => {
      it('says whether there’s another token', async () => {
        assert.equal(await own[name]('a token'), true);
        refresh = () => Promise.resolve(false);
        assert.equal(await own[name]('a token'), false);
        const what = name.slice(0, name.indexOf('Rejected'));
        assert.deepEqual(done, [`${what} a token`, `${what} a token`]);
      });

      it('never rejects', async () => {
        refresh = () => Promise.reject(new Error('no disk'));
        assert.equal(await own[name]('a token'), false);
        refresh = () => {
          throw new Error('no disk');
        };
        assert.equal(await own[name]('a token'), false);
      });
    });
  }

  it('have a token that servers may not know yet for five seconds, however the clock is set', async () => {
    const { accessToken } = sessionOf('Eve');
    for (const [age, isNew] of [
      [0, true],
      [4_999, true],
      [5_000, false],
      [-4_999, true],
      [-5_000, false],
    ] as const) {
      sessions = [sessionOf('Eve', 'eve', { obtainedAt: clock.now() - age })];
      assert.equal(await own.isNew(accessToken), isNew, `${age} ms`);
    }
    assert.equal(await own.isNew('another token'), false);
  });

  it('ignores a report of what’s no token', async () => {
    for (const token of ['', undefined, 7, null, { token: 'a token' }]) {
      assert.equal(await own.reportRejectedToken(token), false);
    }
    assert.deepEqual(done, []);
  });

  it('are told from those of another extension that registered the same provider before', async () => {
    handedOut = { id: 'theirs', accessToken: 'another token', account: { id: 'ada', label: 'Ada' }, scopes: [] };
    for (const service of [undefined, SERVICE.baseUrl]) {
      await assert.rejects(own.silently({ service, scopes: [] }), ForeignSessionError);
      await assert.rejects(own.ask({ service, scopes: [] }, true), ForeignSessionError);
    }
    handedOut = { ...handedOut, id: 'ada' };
    assert.equal(await own.silently({ service: SERVICE.baseUrl, scopes: [] }), handedOut);
    await assert.rejects(own.silently({ service: 'https://other.example', scopes: [] }), ForeignSessionError);
  });

  it('know which scopes a session lacks, and that it lacks none if its service has none', async () => {
    assert.deepEqual(await own.missingScopes('ada', ['write', 'admin', 'audit']), ['admin', 'audit']);
    assert.deepEqual(await own.missingScopes('ada', ['write']), []);
    assert.deepEqual(await own.missingScopes('grace', ['write']), []);
    assert.deepEqual(await own.missingScopes('nobody', ['write']), []);
  });
});
