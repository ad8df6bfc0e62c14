import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../host/paths';
import type { OAuthClient } from '../../src/oauth/types';
import { answering, credentials, sent } from './oauth/harness';

const page = readFileSync(path.join(ROOT, 'docs', 'draft-dialect.md'), 'utf8');

/** What a chapter says, up to the next heading. */
function chapter(heading: string): string {
  const [, after = assert.fail(`there's no chapter ${heading}`)] = page.split(`\n### ${heading}\n`);
  return after.split(/^##/m, 1)[0] ?? '';
}

/** The parameters that a chapter lists, each with what's said of its value. */
function parametersIn(heading: string): readonly (readonly string[])[] {
  return [...chapter(heading).matchAll(/^\| `(\w+)` +\| (.*?) +\|$/gm)].map(([, name = '', value = '']) => [
    name,
    value,
  ]);
}

function exampleIn(heading: string): object {
  const [, json = ''] = /^```json\n([^]*?)^```/m.exec(chapter(heading)) ?? [];
  return JSON.parse(json) as object;
}

/** Guards that somebody who writes a client or a service by the page writes one that fits. */
describe('docs/draft-dialect.md', () => {
  for (const [heading, send] of [
    [
      'Ask for a code',
      (client: OAuthClient, baseUrl: string) => client.requestDeviceAuthorization(credentials(baseUrl)),
    ],
    ['Poll', (client: OAuthClient, baseUrl: string) => client.poll(credentials(baseUrl), 'device-1')],
    ['Refresh', (client: OAuthClient, baseUrl: string) => client.refresh(credentials(baseUrl), 'refresh-0')],
  ] as const) {
    it(`lists the path and the parameters that the client sends: ${heading}`, async () => {
      const request = await sent(send);
      assert.ok(chapter(heading).includes(`\`${request.method} {base URL}${request.path}\``), request.path);
      const listed = parametersIn(heading);
      assert.deepEqual(
        request.query.map(([name]) => name),
        listed.map(([name]) => name),
      );
      assert.equal(`\`${request.query[0]?.[1] ?? ''}\``, listed[0]?.[1]);
    });
  }

  it('shows responses that the client reads', async () => {
    const code = await answering(200, exampleIn('A code')).oauth.requestDeviceAuthorization(credentials());
    assert.deepEqual([code.userCode, code.expiresIn, code.interval], ['94248', 900, 5]);
    const tokens = await answering(200, exampleIn('Tokens')).oauth.refresh(credentials(), 'refresh-0');
    assert.ok(tokens.accessToken !== undefined && tokens.refreshToken !== undefined && tokens.expiresIn === 3600);
  });
});
