import { randomBytes } from 'node:crypto';
import assert from 'node:assert/strict';
import type { OAuthClient } from '../../../src/oauth/types';
import { createClient } from '../../../src/oauth/createClient';
import type { Fetch } from '../../../src/oauth/fetch';
import type { Credentials } from '../../../src/oauth/service';
import type { CurrentSession } from '../../../src/sessions/currentSession';
import { RecordingLog } from '../../support/recordingLog';
import { CLIENT_SECRET, DUE, LIFETIME, Machine, SERVICE, STANDARD_SERVICE, type TestWindow } from './machine';

const OFFLINE = 8 * 3_600_000;

/** `refuses`: nothing listens there. `is silent`: it accepts connections, and says nothing. */
type ProxyState = 'works' | 'refuses' | 'is silent';

/** The network of a machine with a proxy, as VS Code's agent shows it to `fetch`, and the real client on it. */
class ProxiedNetwork {
  proxy: ProxyState = 'works';
  attempts = 0;
  readonly #refresh: OAuthClient['refresh'];

  constructor({ service, timeline }: Machine) {
    this.#refresh = service.client.refresh.bind(service.client);
    const clock = timeline.clockOf({ name: 'network', alive: true, stopped: false });
    const client = createClient({
      fetch: this.#fetch,
      clock,
      log: new RecordingLog(),
      random: randomBytes,
      userAgent: 'test',
    });
    service.client.refresh = (...request) => client.refresh(...request);
  }

  readonly #fetch: Fetch = async (address, { body, onConnecting, signal }) => {
    this.attempts++;
    const connection = { isEstablished: false };
    onConnecting?.(connection);
    if (this.proxy === 'refuses') {
      throw new Error('Failed to establish a socket connection to proxies: PROXY proxy.example:3128');
    }
    if (this.proxy === 'is silent') {
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('aborted'));
        });
      });
    }
    connection.isEstablished = true;
    const parameters = new URLSearchParams(body ?? new URL(address).search);
    const credentials: Credentials = { ...SERVICE, clientSecret: CLIENT_SECRET };
    const tokens = await this.#refresh(credentials, parameters.get('refresh_token') ?? '');
    const json = {
      access_token: tokens.accessToken,
      token_type: 'bearer',
      refresh_token: tokens.refreshToken,
      expires_in: tokens.expiresIn,
    };
    return { status: 200, headers: { get: () => null }, body: chunks(JSON.stringify(json)) };
  };
}

async function* chunks(text: string): AsyncGenerator<string> {
  yield await Promise.resolve(text);
}

/** Guards that a proxy that can't be reached costs few attempts, and that no caller waits long once it's back. */
describe('a machine behind a dead proxy', () => {
  for (const service of [SERVICE, STANDARD_SERVICE]) {
    for (const [proxy, longestWait] of [
      ['refuses', 2_000],
      // An attempt that has begun may take 15 s to give up, and the next one is a second later.
      ['is silent', 16_000],
    ] as const) {
      describe(`that ${proxy}, with the dialect ${service.protocol ?? 'draft'}`, () => {
        let machine: Machine;
        let network: ProxiedNetwork;
        let windows: readonly TestWindow[];

        beforeEach(async () => {
          machine = new Machine();
          network = new ProxiedNetwork(machine);
          const { window } = await machine.openSignedIn();
          windows = [window, machine.open(), machine.open()];
          for (const each of windows) {
            each.configure(service);
            void each.sessions.run();
          }
          if (service !== SERVICE) await machine.signIn(window, { service });
          await machine.advance(DUE / 2);
          network.proxy = proxy;
        });

        /** What an extension gets in one of the windows. */
        const served = (window: number): Promise<readonly CurrentSession[]> =>
          machine.serve(windows[window % windows.length] ?? assert.fail()).catch(() => []);

        it('tries at most 100 times in eight hours, all windows together, and tells nobody', async () => {
          await machine.advance(OFFLINE);
          assert.ok(network.attempts >= 10 && network.attempts <= 100, `${network.attempts} attempts`);
          assert.deepEqual(
            windows.flatMap(({ told }) => told),
            [],
          );
        });

        for (const calls of ['no calls', 'calls all the time']) {
          for (const offline of [180_000, 183_700, 188_300]) {
            it(`has the next token within ${longestWait / 1_000} s after ${offline / 1_000} s with ${calls} once it’s back`, async () => {
              await machine.advance(LIFETIME);
              const backAt = machine.timeline.elapsed + offline;
              for (let call = 0; machine.timeline.elapsed < backAt; call++) {
                if (calls !== 'no calls') await served(call);
                await machine.advance(Math.min(1_000, Math.max(0, backAt - machine.timeline.elapsed)));
              }
              network.proxy = 'works';
              const began = machine.timeline.elapsed;
              while ((await served(1)).length === 0) await machine.advance(100);
              const waited = machine.timeline.elapsed - began;
              assert.ok(waited <= longestWait, `waited ${waited} ms`);
              assert.deepEqual(
                windows.flatMap(({ told }) => told),
                [],
              );
            });
          }
        }
      });
    }
  }
});
