import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import { NetworkError } from '../../../src/oauth/errors';
import { fetchWhenNeeded } from '../../../src/oauth/fetchWhenNeeded';
import { settle } from '../../support/fakeClock';
import { client, credentials, failure, TOKENS } from './harness';

describe('an HTTP client that is loaded when it is needed', () => {
  it('is loaded with the first request, and once', async () => {
    let loads = 0;
    const { protocol } = client(
      fetchWhenNeeded(() => {
        loads++;
        return Promise.resolve(() => Promise.resolve(new Response(JSON.stringify(TOKENS))));
      }),
    );
    assert.equal(loads, 0);
    await protocol.refresh(credentials(), 'refresh-1');
    await protocol.refresh(credentials(), 'refresh-2');
    assert.equal(loads, 1);
  });

  it('has certainly sent nothing where it can’t be loaded, and is tried again', async () => {
    let broken = true;
    const { protocol } = client(
      fetchWhenNeeded(() =>
        broken
          ? Promise.reject(new Error('Cannot find module ./secret-path.js'))
          : Promise.resolve(() => Promise.resolve(new Response(JSON.stringify(TOKENS)))),
      ),
    );
    const error = await failure(protocol.refresh(credentials(), 'refresh-1'));
    assert.ok(error instanceof NetworkError);
    assert.deepEqual(
      { reason: error.reason, maybeSent: error.maybeSent, message: error.message },
      { reason: 'unknown', maybeSent: false, message: 'refresh: no answer: unknown (ERR_CLIENT_NOT_LOADED)' },
    );
    broken = false;
    const tokens = await protocol.refresh(credentials(), 'refresh-1');
    assert.equal(tokens.refreshToken, TOKENS.refresh_token);
  });

  it('sends nothing where the request was cancelled while it was loaded', async () => {
    const cancelling = new AbortController();
    const seen: boolean[] = [];
    const { protocol } = client(
      fetchWhenNeeded(async () => {
        await settle();
        cancelling.abort();
        await settle();
        return (_url, { signal }) => {
          seen.push(signal.aborted);
          return Promise.reject(new Error('aborted'));
        };
      }),
    );
    const error = await failure(protocol.requestDeviceAuthorization(credentials(), cancelling.signal));
    assert.ok(error instanceof NetworkError && error.reason === 'aborted');
    await settle();
    assert.deepEqual(seen, [true]);
  });
});
