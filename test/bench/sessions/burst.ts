import fetch from 'node-fetch';
import { systemClock } from '../../../src/clock';
import { createDraftClient } from '../../../src/oauth/draftClient';
import { createService, type EmbeddedService } from '../../service';
import { exactly, type Figure, type Results } from '../figure';
import { spreadOf } from '../statistics';
import { openWindow, SILENT, type OneWindow } from './oneWindow';
import { ShiftedClock } from './shiftedClock';

const CALLS = 1_000;
const RUNS = 5;
/** Milliseconds in which a second request would be seen. */
const SECOND_ONE_WOULD_FOLLOW = 200;
/** Of an access token, in seconds. */
const LIFETIME = 3_600;

/** When the burst comes, as a part of the token's life, and what it is like for callers then. */
const MOMENTS: readonly (readonly [what: string, part: number])[] = [
  ['a refresh is due', 0.8],
  ['the token is near its end', 0.995],
  ['the token has expired', 1.1],
];

/** A thousand calls at once, in one window, at the moments when a refresh is needed: how many requests reach the service. */
export async function measureBurst(): Promise<Results> {
  const figures: Figure[] = [];
  for (const [what, part] of MOMENTS) {
    const requests: number[] = [];
    const tokens: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const { refreshes, served } = await burst(part);
      requests.push(refreshes);
      tokens.push(served);
    }
    figures.push({
      what: `Requests for ${CALLS.toLocaleString('en')} getSession at once while ${what}`,
      unit: '',
      measured: spreadOf(requests),
      target: exactly(1, spreadOf(requests)),
      note: `The callers were served ${spreadOf(tokens).highest === 1 ? 'one and the same token' : 'the old token or the new one'}.`,
    });
  }
  return { figures };
}

async function burst(part: number): Promise<{ readonly refreshes: number; readonly served: number }> {
  const clock = new ShiftedClock();
  const service = await createService({ clock, accessTokenTtl: LIFETIME });
  const client = createDraftClient({ fetch, clock, log: SILENT, userAgent: 'bench' });
  const window = await openWindow({ clock, client, service });
  try {
    await signIn(window, service, client);
    clock.shift(LIFETIME * 1000 * part);
    const results = await Promise.all(Array.from({ length: CALLS }, () => window.sessions.serve()));
    // While it is merely due, the refresh goes on in the background; a second one would follow at once.
    await service.record.until(({ counts }) => counts.refreshed > 0);
    await systemClock.sleep(SECOND_ONE_WOULD_FOLLOW);
    const served = new Set(results.flatMap((sessions) => sessions.map(({ accessToken }) => accessToken)));
    return { refreshes: service.counts.requests.refresh, served: served.size };
  } finally {
    await window.close();
    await service.close();
  }
}

async function signIn(
  window: OneWindow,
  service: EmbeddedService,
  client: ReturnType<typeof createDraftClient>,
): Promise<void> {
  const code = await client.requestDeviceAuthorization(service);
  service.approve(code.userCode);
  const result = await client.poll(service, code.deviceCode);
  if (result.kind !== 'tokens') throw new Error('The sign-in brought no tokens.');
  const { accessToken = '', refreshToken = '', expiresIn = 0 } = result.tokens;
  await window.signIn('One', { accessToken, refreshToken, expiresIn });
}
