import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { systemClock } from '../../src/clock';
import { discover } from '../../src/oauth/metadata';
import { settingsOf, type SettingsSource } from '../../src/vscode/editor/settingsSource';
import { readConfiguration } from '../../src/vscode/settings/configuration';
import { ROOT } from '../../scripts/host/paths';
import { RecordingLog } from '../support/recordingLog';

const PREFIX = 'deviceFlow.';

/** The settings to paste, each with the heading that it's under. */
function examples(): readonly (readonly [heading: string, settings: Readonly<Record<string, unknown>>])[] {
  const text = readFileSync(path.join(ROOT, 'docs', 'services.md'), 'utf8');
  return text
    .split(/^## /m)
    .flatMap((section) =>
      [...section.matchAll(/^```json\n([^]*?)^```/gm)].map(
        ([, json = '']) =>
          [section.split('\n')[0] ?? '', JSON.parse(json) as Readonly<Record<string, unknown>>] as const,
      ),
    );
}

/** As VS Code has settings: dots separate nested objects. */
function pasted(settings: Readonly<Record<string, unknown>>): SettingsSource {
  const globalValue: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(settings)) {
    const [first = '', second] = name.slice(PREFIX.length).split('.');
    globalValue[first] = second === undefined ? value : { ...(globalValue[first] ?? {}), [second]: value };
  }
  return settingsOf({ globalValue }, undefined);
}

/** Guards that the settings on the page about services can be pasted and used. */
describe('docs/services.md', () => {
  const all = examples();

  it('has settings for each service', () => {
    assert.deepEqual(
      [...new Set(all.map(([heading]) => heading))],
      'GitHub App,GitHub OAuth app,GitLab,Google,Microsoft Entra,Okta,Auth0,Keycloak,Ory Hydra'.split(','),
    );
  });

  for (const [index, [heading, settings]] of all.entries()) {
    it(`has settings that can be used: ${heading} (${index})`, async () => {
      const known = Object.keys(manifest.contributes.configuration.properties);
      const unknown = Object.keys(settings).filter((name) => !known.includes(name));
      assert.deepEqual(unknown, []);
      const { ignored, services, wrong } = readConfiguration(pasted(settings), 'fallback');
      const service = services.default ?? assert.fail();
      assert.equal(service.id.protocol, 'rfc8628');
      assert.deepEqual([...wrong, ...ignored], []);
      // Nothing that was pasted is lost on the way.
      for (const name of ['endpoints', 'parameters', 'scopes'] as const)
        assert.deepEqual(service[name] ?? {}, settings[`deviceFlow.${name}`] ?? {});
      assert.equal(service.account?.path, settings['deviceFlow.account.path']);
      // All addresses are safe. Nothing is requested if the needed ones are set.
      const fetch = (): Promise<never> => Promise.reject(new Error('nothing should be requested'));
      const deps = { fetch, clock: systemClock, log: new RecordingLog(), userAgent: 'test-client/1.0' };
      await discover(deps, service.id, { deviceAuthorization: 'device', token: 'token', ...service.endpoints });
    });
  }
});
