import type { EmbeddedService } from '../../demo/service';

/** The code that `giveExampleCode` has the service give. */
export const EXAMPLE_CODE = 'ABCD-1234';

/** The page that it names: not on this machine, and nobody's. */
export const EXAMPLE_PAGE = 'https://service.example/activate';

/** The same page with the code filled in, which only a standard service names. */
const EXAMPLE_PAGE_WITH_CODE = `${EXAMPLE_PAGE}?user_code=${EXAMPLE_CODE}`;

/**
 * Has the service answer the next request for a code with one that looks like any other service's. Nobody can confirm it.
 * @param lifetime of the code, in seconds: no longer than the interval between polls, as the service knows nothing of it
 */
export function giveExampleCode(service: EmbeddedService, lifetime = 900): void {
  const code = 'not a real device code';
  const body = JSON.stringify({
    ...(service.protocol === 'draft'
      ? { code }
      : { device_code: code, verification_uri_complete: EXAMPLE_PAGE_WITH_CODE }),
    user_code: EXAMPLE_CODE,
    verification_uri: EXAMPLE_PAGE,
    expires_in: lifetime,
    interval: 900,
  });
  service.faults.switchOn('device code', { kind: 'respond', status: 200, body });
}
