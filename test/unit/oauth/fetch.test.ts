import assert from 'node:assert/strict';
import { Response } from 'node-fetch';
import { NetworkError } from '../../../src/oauth/errors';
import { lazyFetch, type Fetch } from '../../../src/oauth/fetch';
import { settle } from '../../support/fakeClock';
import { client, credentials, fails, TOKENS } from './harness';

const loadable: Fetch = () => Promise.resolve(new Response(JSON.stringify(TOKENS)));

describe('an HTTP client that the first request loads', () => {
  it('is loaded once', async () => {
    let loads = 0;
    const load = (): Promise<Fetch> => {
      loads += 1;
      return Promise.resolve(loadable);
    };
    const { refresh } = client(lazyFetch(load));
    assert.equal(loads, 0);
    await refresh();
    await refresh();
    assert.equal(loads, 1);
  });

  it("has certainly sent nothing if it can't be loaded, and is loaded again", async () => {
    let broken = true;
    const unloadable = new Error('Cannot find module ./secret-path.js');
    const { refresh } = client(lazyFetch(() => (broken ? Promise.reject(unloadable) : Promise.resolve(loadable))));
    await fails(refresh(), new NetworkError('refresh', 'unknown', false, 'ERR_CLIENT_NOT_LOADED'));
    broken = false;
    assert.equal((await refresh()).refreshToken, TOKENS.refresh_token);
  });

  it('sends nothing if the request was cancelled while it was loaded', async () => {
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
    const request = oauth.poll(credentials(), 'd', cancelling.signal);
    await fails(request, new NetworkError('poll', 'aborted', true, undefined));
    await settle();
    assert.deepEqual(seen, [true]);
  });
});
