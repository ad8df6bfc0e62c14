import assert from 'node:assert/strict';
import { TokenSender, type TokenSource } from '../../../../src/vscode/requests/tokenSender';
import { FakeClock } from '../../../support/fakeClock';

/** Guards that a request is sent once more after a 401, and that a server that rejects every token causes no storm of refreshes. */
describe('sending requests with the token of a session', () => {
  let clock: FakeClock;
  let sender: TokenSender;
  let generation: number;
  let refreshed: number;
  let discarded: number[];
  /** Whether servers may not know the tokens yet. */
  let areNew: boolean;
  beforeEach(() => {
    clock = new FakeClock();
    [sender, generation, refreshed, discarded, areNew] = [new TokenSender(clock), 1, 0, [], false];
  });

  const tokens: TokenSource = {
    current: () => Promise.resolve(`token ${generation}`),
    isNew: () => Promise.resolve(areNew),
    replace: (_rejected, mayRefresh) => {
      if (mayRefresh) [generation, refreshed] = [generation + 1, refreshed + 1];
      return Promise.resolve(`token ${generation}`);
    },
  };
  /** Sends a request to a server that responds with these statuses, one after the other; resolves with that of the result. */
  const send = (server: string, ...statuses: readonly number[]): Promise<number> => sendWith(tokens, server, statuses);
  const sendWith = async (
    source: TokenSource,
    server: string,
    statuses: readonly number[],
    isRepeatable = true,
  ): Promise<number> => {
    const left = [...statuses];
    const { status } = await sender.send({
      server,
      tokens: source,
      send: () => Promise.resolve({ status: left.shift() ?? assert.fail('too many requests') }),
      discard: (response) => discarded.push(response.status),
      isRepeatable,
    });
    assert.deepEqual(left, []);
    return status;
  };

  it('discards the response that isn’t needed, and no other', async () => {
    assert.equal(await send('a', 200), 200);
    assert.equal(await send('a', 401, 500), 500);
    assert.equal(await send('b', 401, 401), 401);
    assert.deepEqual(discarded, [401, 401]);
  });

  it('refreshes no token again for a server that rejected a fresh one, until that accepts one, and goes on for others', async () => {
    await send('a', 401, 401);
    await send('a', 401);
    await send('b', 401, 200);
    assert.equal(refreshed, 2);
    // Whoever refuses for another reason may not have looked at the token.
    await send('a', 404);
    await send('a', 401);
    assert.equal(refreshed, 2);
    await send('a', 202);
    await send('a', 401, 200);
    assert.equal(refreshed, 3);
  });

  it('sends a request again with a token that’s there anyway, such as that of another window, also if none is refreshed', async () => {
    await send('a', 401, 401);
    const elsewhere = { ...tokens, replace: () => Promise.resolve('token of another window') };
    assert.equal(await sendWith(elsewhere, 'a', [401, 200]), 200);
  });

  it('refreshes a token once a minute for a server that soon rejects what it has accepted, and goes on for others', async () => {
    await send('a', 401, 200);
    await clock.advance(59_000);
    assert.equal(await send('a', 401), 401);
    assert.equal(refreshed, 1);
    await clock.advance(1_000);
    assert.equal(await send('a', 401, 200), 200);
    assert.equal(refreshed, 2);
    await send('b', 401, 200);
    // That's a new token for this one, too.
    await send('a', 401, 200);
    assert.equal(refreshed, 4);
  });

  it('sends a new token that is rejected once more a second later, before it’s refreshed', async () => {
    areNew = true;
    const calls = Promise.all([send('a', 401, 200), send('a', 401, 200)]);
    await clock.advance(999);
    assert.deepEqual(discarded, [401, 401]);
    await clock.advance(1);
    assert.deepEqual([await calls, refreshed], [[200, 200], 0]);
  });

  it('gives a server as long to learn of the next token, which is always new', async () => {
    const source: TokenSource = { ...tokens, isNew: (token) => Promise.resolve(token === 'token 2') };
    const call = sendWith(source, 'a', [401, 401, 200]);
    await clock.advance(1_000);
    assert.deepEqual([await call, refreshed], [200, 1]);
    await clock.advance(60_000);
    assert.equal(await send('a', 401, 200), 200, 'nothing is held against it');
  });

  it('refreshes no new token because of a request that can’t be sent once more', async () => {
    areNew = true;
    assert.equal(await sendWith(tokens, 'a', [401], false), 401);
    areNew = false;
    assert.deepEqual([await sendWith(tokens, 'a', [401], false), refreshed], [401, 1]);
  });
});
