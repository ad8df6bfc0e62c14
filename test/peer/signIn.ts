import { randomBytes } from 'node:crypto';
import { systemClock } from '../../src/clock';
import type { AuthorizationRequest, OAuthClient, TokenResponse } from '../../src/oauth/types';
import { createClient } from '../../src/oauth/createClient';
import { requestCode, waitForTokens } from '../../src/signin/deviceFlow';
import { FakeClock } from '../support/fakeClock';
import { fetchUnderTest } from '../support/fetchUnderTest';
import { Pace, STEP } from '../support/pace';
import { RecordingLog } from '../support/recordingLog';
import { Peer, type PeerRequest } from './peer';
import { confirmOnPage, type PageOptions } from './person';

/** What the extension asks for if the settings don't say it. */
export const SCOPES = ['openid', 'profile', 'offline_access'];

/** A peer, and the real client for it. */
export class PeerUnderTest extends Pace {
  readonly log = new RecordingLog();
  readonly client: OAuthClient;

  private constructor(readonly peer: Peer) {
    super(new FakeClock(Date.now()), fetchUnderTest);
    const { fetch, log } = this;
    // Its time limits count real time, because the peer needs some.
    const clock = { ...systemClock, now: () => this.clock.now() };
    this.client = createClient({ fetch, clock, log, random: randomBytes, userAgent: 'peer-test/1.0' });
  }

  static async start(): Promise<PeerUnderTest> {
    let now = (): number => 0;
    const started = new PeerUnderTest(await Peer.start({ now: () => now() }));
    now = () => started.clock.monotonic();
    return started;
  }

  /** The person confirms the next code, as soon as it's there. */
  async confirmNext(page: PageOptions = {}): Promise<void> {
    const before = this.peer.of('device code').length;
    const next = (): PeerRequest | undefined => this.peer.of('device code')[before];
    while (next() === undefined) await this.finish(this.clock.sleep(STEP));
    await confirmOnPage(String(next()?.fields['verification_uri_complete']), page);
  }

  /** What a sign-in sends, with the endpoints that the metadata names. */
  async request(clientId: string, scopes: readonly string[] = SCOPES): Promise<AuthorizationRequest> {
    const service = { baseUrl: this.peer.issuer, clientId, protocol: 'rfc8628' } as const;
    const metadata = await this.client.discover(service, {});
    if (metadata === undefined) throw new Error('The peer has no metadata.');
    const clientSecret = clientId === 'public' ? '' : this.peer.clientSecret;
    const { endpoints, supportsPkce: pkce } = metadata;
    return { ...service, endpoints, clientSecret, pkce, scopes };
  }

  /** Signs in by the device flow, in which the person does this on the page. */
  async signIn(credentials: AuthorizationRequest, page: PageOptions = {}): Promise<TokenResponse> {
    const { signal } = new AbortController();
    const code = await this.finish(requestCode(this, credentials, signal));
    await confirmOnPage(code.authorization.verificationUriComplete ?? '', page);
    const onInterruption = (): void => undefined;
    return await this.finish(waitForTokens(this, credentials, code, { onInterruption, signal, closing: signal }));
  }
}

/** Starts a peer before the tests of the suite that calls it, and stops it after them. */
export function usePeer(): () => PeerUnderTest {
  let peer: PeerUnderTest | undefined;
  before('start the peer', async () => {
    peer = await PeerUnderTest.start();
  });
  after('stop the peer', () => peer?.peer.stop());
  return () => {
    if (peer === undefined) throw new Error('The peer starts before the first test, not earlier.');
    return peer;
  };
}
