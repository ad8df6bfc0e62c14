import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import manifest from '../../package.json';
import { systemClock } from '../../src/clock';
import type { Fields } from '../../src/fields';
import { discover } from '../../src/oauth/metadata';
import { settingsIn, settingsOf, type SettingsSource } from '../../src/vscode/editor/settingsSource';
import { readConfiguration } from '../../src/vscode/settings/configuration';
import { ROOT } from '../../scripts/host/paths';
import { readList } from '../../src/vscode/settings/listedServices';
import { FIELD_NAMES } from '../../src/vscode/settings/serviceOptions';
import { RecordingLog } from '../support/recordingLog';

const PREFIX = 'deviceFlow.';

/** The settings to paste, each with the heading that it's under; or the elements of the list that mean the same. */
function examples(
  isElement: boolean,
): readonly (readonly [heading: string, settings: Readonly<Record<string, unknown>>])[] {
  const text = readFileSync(path.join(ROOT, 'docs', 'services.md'), 'utf8');
  const all = text
    .split(/^## /m)
    .flatMap((section) =>
      [...section.matchAll(/^```json\n([^]*?)^```/gm)].map(
        ([, json = '']) =>
          [section.split('\n')[0] ?? '', JSON.parse(json) as Readonly<Record<string, unknown>>] as const,
      ),
    );
  return all.filter(([, settings]) => Object.keys(settings).every((name) => name.startsWith(PREFIX) !== isElement));
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
  const all = examples(false);
  const elements = examples(true);

  it('has settings for each service', () => {
    assert.deepEqual(
      [...new Set(all.map(([heading]) => heading))],
      'GitHub App,GitHub OAuth app,GitLab,Google,Microsoft Entra,Okta,Auth0,Keycloak,Ory Hydra'.split(','),
    );
  });

  it('has each of them as an element of the list of services, too', () => {
    assert.deepEqual(
      elements,
      all.map(([heading, settings]) => [heading, asElement(settings)]),
    );
    for (const [heading, element] of elements) {
      const { problems, services } = readConfiguration(settingsIn({ services: [element] }), 'fallback');
      assert.deepEqual([problems, services.all.length], [[], 1], heading);
    }
  });

  for (const [index, [heading, settings]] of all.entries()) {
    it(`has settings that can be used: ${heading} (${index})`, async () => {
      const known = Object.keys(manifest.contributes.configuration.properties);
      const unknown = Object.keys(settings).filter((name) => !known.includes(name));
      assert.deepEqual(unknown, []);
      const { problems, services } = readConfiguration(pasted(settings), 'fallback');
      const service = services.default ?? assert.fail();
      assert.equal(service.id.protocol, 'rfc8628');
      assert.deepEqual(problems, []);
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

const { 'deviceFlow.services': listed } = manifest.contributes.configuration.properties;

/** The example as an element of the list, whose groups are objects. */
function asElement(settings: Readonly<Record<string, unknown>>): Fields {
  const source = pasted(settings);
  const names = Object.keys(settings).map((name) => name.slice(PREFIX.length).split('.')[0] ?? '');
  return Object.fromEntries([...new Set(names)].map((name) => [name, source(name)]));
}

/** What the editor inserts, with what's in capitals in place of the numbered gaps that the person fills. */
function unfilled(snippet: object): object {
  return JSON.parse(JSON.stringify(snippet).replaceAll(/\$\{\d:(YOUR-[A-Z-]+)\}/g, '$1')) as object;
}

/** Guards that the settings editor suggests what can be used, and finds nothing wrong with it. */
describe('the setting with the list of services', () => {
  const snippets = listed.items.defaultSnippets.map(({ body }) => body);
  const validate = new Ajv({ allErrors: true, strict: false }).compile(listed.items);

  it('suggests each example of docs/services.md as an element', () => {
    assert.deepEqual(
      snippets.map(unfilled),
      examples(false).map(([, settings]) => asElement(settings)),
    );
  });

  for (const [index, snippet] of snippets.entries()) {
    it(`suggests what can be used, once it’s filled in: ${snippet.serviceName} (${index})`, () => {
      assert.match(JSON.stringify(snippet), /\$\{1:/);
      const element: unknown = JSON.parse(JSON.stringify(snippet).replaceAll(/\$\{\d:YOUR-[A-Z-]+\}/g, 'mine'));
      assert.ok(validate(element), JSON.stringify(validate.errors));
      const { problems, services } = readList([element], undefined);
      assert.deepEqual([problems, services.length], [[], 1]);
    });
  }

  it('has the fields that are read, and no others', () => {
    const { account, notify, ...single } = listed.items.properties;
    const groups = Object.entries({ account, notify }).flatMap(([group, { properties }]) =>
      Object.keys(properties).map((name) => `${group}.${name}`),
    );
    const readable = FIELD_NAMES.filter((name) => name !== 'clientSecret');
    assert.deepEqual([...Object.keys(single), ...groups].sort(), readable.sort());
  });

  for (const [what, element] of [
    ['without a protocol', { baseUrl: 'https://a.example', clientId: 'c' }],
    ['with a client secret', { protocol: 'draft', baseUrl: 'https://a.example', clientId: 'c', clientSecret: 's' }],
    ['of an unknown protocol', { protocol: 'x', baseUrl: 'https://a.example', clientId: 'c' }],
  ] as const) {
    it(`underlines an element ${what}, which the extension refuses too`, () => {
      assert.equal(validate(element), false);
      assert.notDeepEqual(readList([element], undefined).problems, []);
    });
  }
});
