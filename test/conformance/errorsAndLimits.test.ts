import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorRows } from '../service/errors';
import { outcome, ServiceUnderTest, text, tokensOf } from './serviceUnderTest';

const DAY = 24 * 60 * 60 * 1000;

describe('errors (specification 7)', () => {
  let service: ServiceUnderTest;
  before(async () => {
    service = await ServiceUnderTest.start();
  });
  after(() => service.close());

  it('400 authorization_pending, without a description: the user has not yet activated the device', async () => {
    const { deviceCode } = await service.issueCode();
    const { status, body } = await service.poll(deviceCode);
    assert.deepEqual([status, body], [400, { error: 'authorization_pending' }]);
  });

  it('400 invalid_client, with a description: client_id or client_secret is wrong, in every operation', async () => {
    const { deviceCode } = await service.issueCode();
    const { refreshToken } = await service.signIn();
    for (const wrong of [{ client_id: 'wrong' }, { client_secret: 'wrong' }]) {
      for (const answer of [
        await service.askForCode(wrong),
        await service.poll(deviceCode, wrong),
        await service.refresh(refreshToken, wrong),
      ]) {
        assert.deepEqual(outcome(answer), [400, 'invalid_client']);
        assert.match(text(answer.body, 'error_description'), /client credentials are invalid/);
      }
    }
  });

  it('each error of the code is in the table of README.md, in the same words', async () => {
    const readme = await readFile(join(__dirname, '../../../test/service/README.md'), 'utf8');
    const documented = [...readme.matchAll(/^\| (\d{3}) +\| `(\w+)` +\| (.*?) *\|/gm)].map((row) => row.slice(1));
    const answered = Object.values(errorRows).map((row) => [
      String(row.status),
      row.error,
      'description' in row ? row.description : 'absent',
    ]);
    assert.deepEqual(documented, answered);
  });
});

describe('limits (specification 8)', () => {
  let service: ServiceUnderTest;
  beforeEach(async () => {
    service = await ServiceUnderTest.start({ interval: 5, deviceCodeTtl: 8600 });
  });
  afterEach(() => service.close());

  it('polls that come sooner than the interval are answered as any other, and counted', async () => {
    const { deviceCode, userCode } = await service.issueCode();
    const pollAfter = async (milliseconds: number): Promise<unknown> => {
      await service.clock.advance(milliseconds);
      return (await service.poll(deviceCode)).body['error'];
    };
    assert.equal(await pollAfter(0), 'authorization_pending');
    assert.equal(await pollAfter(5000), 'authorization_pending');
    assert.equal(service.service.counts.earlyPolls, 0);
    assert.equal(await pollAfter(4999), 'authorization_pending');
    assert.equal(service.service.counts.earlyPolls, 1);
    service.service.approve(userCode);
    assert.equal(await pollAfter(1), undefined);
    assert.equal(service.service.counts.earlyPolls, 2);
    assert.deepEqual(
      service.service.record.of('poll').map(({ poll }) => [poll?.sincePrevious, poll?.sinceIssued, poll?.early]),
      [
        [undefined, 0, false],
        [5000, 5000, false],
        [4999, 9999, true],
        [1, 10_000, true],
      ],
    );
  });

  it('polls of another device code do not count', async () => {
    const [one, other] = [await service.issueCode(), await service.issueCode()];
    await service.poll(one.deviceCode);
    await service.poll(other.deviceCode);
    assert.equal(service.service.counts.earlyPolls, 0);
  });

  it('a jump of the wall clock makes no poll early', async () => {
    const { deviceCode } = await service.issueCode();
    await service.poll(deviceCode);
    service.clock.jump(-60_000);
    await service.clock.advance(5000);
    await service.poll(deviceCode);
    assert.equal(service.service.counts.earlyPolls, 0);
  });

  it('a refresh token is valid for 30 days, counted anew with each refresh', async () => {
    const first = await service.signIn();
    await service.clock.advance(30 * DAY - 1);
    const second = tokensOf(await service.refresh(first.refreshToken));
    await service.clock.advance(30 * DAY - 1);
    const third = tokensOf(await service.refresh(second.refreshToken));
    await service.clock.advance(30 * DAY);
    assert.deepEqual(outcome(await service.refresh(third.refreshToken)), [400, 'invalid_grant']);
  });

  it('expires_in of the access token and of the device code count seconds', async () => {
    const tokens = await service.signIn();
    const { deviceCode } = await service.issueCode();
    await service.clock.advance(3_600_000 - 1);
    assert.equal((await service.whoami(tokens.accessToken)).status, 200);
    await service.clock.advance(1);
    assert.equal((await service.whoami(tokens.accessToken)).status, 401);
    await service.clock.advance(5_000_000 - 1);
    assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'authorization_pending']);
    await service.clock.advance(1);
    assert.deepEqual(outcome(await service.poll(deviceCode)), [400, 'expired_token']);
  });
});
