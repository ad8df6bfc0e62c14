import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import { NetworkError } from '../../../src/oauth/errors';
import { lazyFetch } from '../../../src/oauth/fetch';
import { settle } from '../../support/fakeClock';
import { client, credentials, failure, TOKENS } from './harness';

describe('an HTTP client that is loaded when it is needed', () => {
  it('is loaded with the first request, and once', async () => {
    let loads = 0;
    const { oauth } = client(
      lazyFetch(() => {
        loads++;
        return Promise.resolve(() => Promise.resolve(new Response(JSON.stringify(TOKENS))));
      }),
    );
    assert.equal(loads, 0);
    await oauth.refresh(credentials(), 'refresh-1');
    await oauth.refresh(credentials(), 'refresh-2');
    assert.equal(loads, 1);
  });

  it('has certainly sent nothing where it can’t be loaded, and is tried again', async () => {
    let broken = true;
    const { oauth } = client(
      lazyFetch(() =>
        broken
          ? Promise.reject(new Error('Cannot find module ./secret-path.js'))
          : Promise.resolve(() => Promise.resolve(new Response(JSON.stringify(TOKENS)))),
      ),
    );
    const error = await failure(oauth.refresh(credentials(), 'refresh-1'));
    assert.ok(error instanceof NetworkError);
    assert.deepEqual(
      { reason: error.reason, maybeSent: error.maybeSent, message: error.message },
      { reason: 'unknown', maybeSent: false, message: 'refresh: no response: unknown (ERR_CLIENT_NOT_LOADED)' },
    );
    broken = false;
    const tokens = await oauth.refresh(credentials(), 'refresh-1');
    assert.equal(tokens.refreshToken, TOKENS.refresh_token);
  });

  it('sends nothing where the request was cancelled while it was loaded', async () => {
    const cancelling = new AbortController();
    const seen: boolean[] = [];
    const { oauth } = client(
      lazyFetch(async () => {
        await settle();
        cancelling.abort();
        await settle();
        return (_url, { signal }) => {
          seen.push(signal.aborted);
          return Promise.reject(new Error('aborted'));
        };
      }),
    );
    const error = await failure(oauth.requestDeviceAuthorization(credentials(), cancelling.signal));
    assert.ok(error instanceof NetworkError && error.reason === 'aborted');
    await settle();
    assert.deepEqual(seen, [true]);
  });
});
