import assert from 'node:assert/strict';
import { OwnSessions } from '../../../../src/vscode/requests/ownSessions';
import { RecordingLog } from '../../../support/recordingLog';
import { sessionOf } from '../fakeSessions';

/** Guards what's known of the sessions, and that nobody gets an error when a token is rejected. */
describe('the sessions of this extension’s own provider', () => {
  let done: string[];
  /** What comes of a refresh. */
  let refresh: () => Promise<boolean>;
  let own: OwnSessions;
  beforeEach(() => {
    done = [];
    refresh = () => Promise.resolve(true);
    const sessions = [sessionOf('Ada', 'ada', { scopes: ['read', 'write'] }), sessionOf('Grace', 'grace')];
    const run = (name: string) => (token: string) => {
      done.push(`${name} ${token}`);
      return refresh();
    };
    const shared = {
      list: () => Promise.resolve(sessions),
      replaceRejected: run('replace'),
      reportRejected: run('report'),
    };
    own = new OwnSessions(shared, new RecordingLog());
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

  it('ignores a report of what’s no token', async () => {
    for (const token of ['', undefined, 7, null, { token: 'a token' }]) {
      assert.equal(await own.reportRejectedToken(token), false);
    }
    assert.deepEqual(done, []);
  });

  it('know which scopes a session lacks, and that it lacks none if its service has none', async () => {
    assert.deepEqual(await own.missingScopes('ada', ['write', 'admin', 'audit']), ['admin', 'audit']);
    assert.deepEqual(await own.missingScopes('ada', ['write']), []);
    assert.deepEqual(await own.missingScopes('grace', ['write']), []);
    assert.deepEqual(await own.missingScopes('nobody', ['write']), []);
  });
});
