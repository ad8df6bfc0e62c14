import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { type ServiceId, serviceOf } from '../../src/oauth/service';
import type { CurrentSession } from '../../src/sessions/currentSession';
import type { Notice } from '../../src/sessions/notice';
import { Revoker } from '../../src/sessions/revoker';
import { SharedSessions } from '../../src/sessions/sharedSessions';
import { ClientSecrets } from '../../src/storage/clientSecrets';
import { StoreOpener } from '../../src/storage/openStore';
import { secretPort } from '../../src/vscode/createPlatform';
import { MemoryLocks, MemoryRows, MemorySecretStorage } from '../support/memory';
import { usePeer } from './signIn';

/** Guards that sessions survive, or end with a reason, by a certified provider's rules for refresh tokens. */
describe('the sessions, with a certified provider', () => {
  const used = usePeer();
  let rows: MemoryRows;
  let locks: MemoryLocks;
  let secrets: MemorySecretStorage;
  let notices: Notice[];
  let sessions: SharedSessions;

  beforeEach(() => {
    rows = new MemoryRows();
    locks = new MemoryLocks();
    secrets = new MemorySecretStorage();
    notices = [];
    sessions = open();
  });

  /** A window. All of them share this machine. */
  const service = ({ issuer }: { readonly issuer: string }): ServiceId => ({
    baseUrl: issuer,
    clientId: 'public',
    protocol: 'rfc8628',
  });

  function open(): SharedSessions {
    const { client, clock, log, peer } = used();
    const platform = {
      rows,
      clock,
      log,
      random: randomBytes,
      secretsNeedReload: false,
      secretsOwner: 'editor',
      locks: locks.of(clock),
      secrets: secretPort(secrets, 'store'),
    };
    const store = new StoreOpener(platform);
    const clientSecrets = new ClientSecrets(store, log);
    const revoker = new Revoker(client, clientSecrets, log);
    const configuredServices = (): readonly ServiceId[] => [service(peer)];
    const window = new SharedSessions({ client, clientSecrets, configuredServices, platform, revoker, store });
    window.onNotice((notice) => notices.push(notice));
    return window;
  }

  async function signIn(user = 'Ada'): Promise<CurrentSession> {
    const request = await used().request('public');
    const tokens = await used().signIn(request, { user });
    const id = await used().finish(sessions.add({ service: serviceOf(request), tokens, label: user }));
    const assignment = { label: user, user: tokens.user, mustShowUser: true, accountId: undefined };
    return (await used().finish(sessions.assignAccount(id, assignment))).session;
  }
  const finish = <T>(promise: Promise<T>): Promise<T> => used().finish(promise);
  const served = async (window = sessions): Promise<string> =>
    (await finish(window.serve(service(used().peer))))[0]?.accessToken ?? assert.fail();
  const userOf = (accessToken: string): Promise<unknown> => used().peer.userOf(accessToken);
  const newest = (): string => used().peer.lastToken('refresh_token');
  /** Somebody uses an old refresh token, and the provider ends the grant. */
  const reuse = async (token: string): Promise<void> => {
    await assert.rejects(used().client.refresh(await used().request('public'), token));
  };

  it('serve a token that works, through many refreshes', async () => {
    const { id } = await signIn();
    for (let refresh = 0; refresh < 5; refresh++) {
      await finish(sessions.refreshNow(id));
      assert.equal(await userOf(await served()), 'Ada');
    }
    assert.deepEqual(notices, []);
  });

  it('are refreshed by one of many windows, and served by all', async () => {
    await signIn();
    const windows = [sessions, open(), open()];
    const before = used().peer.of('refresh').length;
    await used().clock.advance(3_600_000);
    const tokens = await finish(Promise.all(windows.map((window) => served(window))));
    assert.equal(new Set(tokens).size, 1);
    assert.equal(await userOf(tokens[0] ?? ''), 'Ada');
    assert.equal(used().peer.of('refresh').length, before + 1);
  });

  it('end if somebody used an old token, and the others go on', async () => {
    const first = await signIn();
    const token = newest();
    await signIn('Grace');
    await finish(sessions.refreshNow(first.id));
    await reuse(token);
    await assert.rejects(finish(sessions.refreshNow(first.id)));
    assert.deepEqual(
      notices.map((notice) => notice.kind === 'ended' && [notice.account.label, notice.responseLost]),
      [['Ada', false]],
    );
    assert.equal(await userOf(await served()), 'Grace');
  });

  it('end if a response is lost, because the provider takes the repetition for a theft, and say so', async () => {
    const { id } = await signIn();
    void sessions.run();
    used().peer.lostRefreshes = 1;
    await assert.rejects(finish(sessions.refreshNow(id)));
    while (notices.length === 0) await finish(used().clock.sleep(1_000));
    assert.deepEqual(
      notices.map((notice) => notice.kind === 'ended' && notice.responseLost),
      [true],
    );
    const statuses = used()
      .peer.of('refresh')
      .map(({ status }) => status);
    assert.deepEqual(statuses.slice(-2), [200, 400]);
    await finish(sessions.close());
  });

  it('are revoked when somebody signs out', async () => {
    const { accessToken, id } = await signIn();
    const before = used().peer.of('revocation').length;
    await finish(sessions.remove(id));
    const revoked = (): readonly unknown[] => used().peer.of('revocation').slice(before);
    while (revoked().length === 0) await finish(used().clock.sleep(100));
    assert.equal(await userOf(accessToken), undefined);
    await reuse(newest());
    assert.equal(revoked().length, 1);
  });

  it('of one user are one account, and keep it', async () => {
    const first = await signIn();
    const second = await signIn();
    assert.deepEqual(second.account, first.account);
    assert.equal((await finish(sessions.list())).length, 1);
    assert.equal(await userOf(await served()), 'Ada');
  });
});
