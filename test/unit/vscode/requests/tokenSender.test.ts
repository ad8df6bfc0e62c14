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
  beforeEach(() => {
    clock = new FakeClock();
    [sender, generation, refreshed, discarded] = [new TokenSender(clock), 1, 0, []];
  });

  const tokens: TokenSource = {
    current: () => Promise.resolve(`token ${generation}`),
    replace: (_rejected, mayRefresh) => {
      if (mayRefresh) [generation, refreshed] = [generation + 1, refreshed + 1];
      return Promise.resolve(`token ${generation}`);
    },
  };
  /** Sends a request to a server that responds with these statuses, one after the other; resolves with that of the result. */
  const send = (server: string, ...statuses: readonly number[]): Promise<number> => sendWith(tokens, server, statuses);
  const sendWith = async (source: TokenSource, server: string, statuses: readonly number[]): Promise<number> => {
    const left = [...statuses];
    const { status } = await sender.send({
      server,
      tokens: source,
      send: () => Promise.resolve({ status: left.shift() ?? assert.fail('too many requests') }),
      discard: (response) => discarded.push(response.status),
      isRepeatable: true,
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
});
