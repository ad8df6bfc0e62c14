import assert from 'node:assert/strict';
import { outcome, ServiceUnderTest, type Tokens, tokensOf } from './serviceUnderTest';

describe('states and transitions (specification 3)', () => {
  let service: ServiceUnderTest;
  before(async () => {
    service = await ServiceUnderTest.start({ deviceCodeTtl: 600, accessTokenTtl: 3600 });
  });
  after(() => service.close());

  const opens = async (tokens: Tokens): Promise<number> => (await service.whoami(tokens.accessToken)).status;

  it('(none) → pending: a device-code request with valid credentials', async () => {
    const { userCode } = await service.issueCode();
    assert.equal(service.service.stateOf(userCode), 'pending');
  });

  it('pending → pending: a poll before the user has activated the device', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'authorization_pending']);
    assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'authorization_pending']);
    assert.equal(service.service.stateOf(userCode), 'pending');
  });

  it('pending → activated: a poll after the user has activated the device', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    await service.poll(deviceCode);
    assert.equal(service.service.approve(userCode), undefined);
    assert.equal(await opens(tokensOf(await service.poll(deviceCode))), 200);
  });

  it('token pair valid → new pair valid: a refresh makes all earlier tokens invalid', async () => {
    const first = await service.signIn();
    const second = tokensOf(await service.refresh(first.refreshToken));
    assert.deepEqual([await opens(first), await opens(second)], [401, 200]);
    const third = tokensOf(await service.refresh(second.refreshToken));
    assert.deepEqual([await opens(first), await opens(second), await opens(third)], [401, 401, 200]);
    assert.deepEqual(outcome(await service.refresh(first.refreshToken)), [400, 'invalid_grant']);
    assert.deepEqual(outcome(await service.refresh(second.refreshToken)), [400, 'invalid_grant']);
    assert.equal(await opens(third), 200, 'a dead refresh token does no harm to the living pair');
  });

  it('a refresh touches no other sign-in', async () => {
    const [one, other] = [await service.signIn(), await service.signIn()];
    await service.refresh(one.refreshToken);
    assert.equal(await opens(other), 200);
    assert.equal((await service.refresh(other.refreshToken)).status, 200);
  });

  it('neither token of a pair stands in for the other', async () => {
    const { accessToken, refreshToken } = await service.signIn();
    assert.equal((await service.whoami(refreshToken)).status, 401);
    assert.deepEqual(outcome(await service.refresh(accessToken)), [400, 'invalid_grant']);
    assert.equal((await service.refresh(refreshToken)).status, 200);
  });

  it('exactly one of many parallel refreshes with one refresh token succeeds', async () => {
    const { refreshToken } = await service.signIn();
    const answers = await Promise.all(Array.from({ length: 25 }, () => service.refresh(refreshToken)));
    const winners = answers.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    const losers = answers.filter(({ status }) => status !== 200).map(outcome);
    assert.deepEqual(new Set(losers.map(String)), new Set(['400,invalid_grant']));
    for (const winner of winners) assert.equal(await opens(tokensOf(winner)), 200);
  });

  it('exactly one of many parallel polls obtains the token pair', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    service.service.approve(userCode);
    const answers = await Promise.all(Array.from({ length: 25 }, () => service.poll(deviceCode)));
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('a device code is good for one token pair', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    service.service.approve(userCode);
    const tokens = tokensOf(await service.poll(deviceCode));
    assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'invalid_grant']);
    assert.equal(await opens(tokens), 200);
  });

  it('a device code is decided once', async () => {
    const approved = await service.issueCode();
    assert.equal(service.service.approve(approved.userCode), undefined);
    assert.equal(service.service.deny(approved.userCode), 'approved');
    const denied = await service.issueCode();
    assert.equal(service.service.deny(denied.userCode), undefined);
    assert.equal(service.service.approve(denied.userCode), 'denied');
    assert.deepEqual(outcome(await service.poll(denied.deviceCode)), [400, 'access_denied']);
    assert.equal(service.service.approve('BBBB-BBBB'), 'unknown');
  });

  it('after its lifetime a device code is expired, whether or not it was approved', async () => {
    const [pending, approved] = [await service.issueCode(), await service.issueCode()];
    service.service.approve(approved.userCode);
    await service.clock.advance(599_999);
    assert.deepEqual(outcome(await service.poll(pending.deviceCode)), [400, 'authorization_pending']);
    await service.clock.advance(1);
    for (const { deviceCode } of [pending, approved]) {
      assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'expired_token']);
    }
    assert.equal(service.service.approve(pending.userCode), 'expired');
    await service.clock.advance(2 * 24 * 60 * 60 * 1000);
    await service.issueCode();
    assert.deepEqual(outcome(await service.poll(pending.deviceCode)), [400, 'invalid_grant'], 'forgotten in the end');
  });

  it('an access token ends with its lifetime, and the refresh token lives on', async () => {
    const tokens = await service.signIn();
    await service.clock.advance(3_599_999);
    assert.equal(await opens(tokens), 200);
    await service.clock.advance(1);
    assert.equal(await opens(tokens), 401);
    assert.equal(await opens(tokensOf(await service.refresh(tokens.refreshToken))), 200);
  });

  it('tokens end where a test revokes them', async () => {
    const tokens = await service.signIn();
    const session = (await service.whoami(tokens.accessToken)).body['session'];
    assert.ok(typeof session === 'number');
    service.service.revoke(session, 'access token');
    assert.equal(await opens(tokens), 401);
    const next = tokensOf(await service.refresh(tokens.refreshToken));
    assert.equal(await opens(next), 200);
    service.service.revoke(session, 'both');
    assert.equal(await opens(next), 401);
    assert.deepEqual(outcome(await service.refresh(next.refreshToken)), [400, 'invalid_grant']);
    assert.throws(() => {
      service.service.revoke(session + 1, 'both');
    }, RangeError);
  });
});
