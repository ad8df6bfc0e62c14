import assert from 'node:assert/strict';
import { readConfiguration } from '../../../../src/vscode/configuration/configuration';
import { settingsOf } from '../../../../src/vscode/configuration/settingsOf';
import manifest from '../../../../package.json';

/** Settings as the editor has them: a tree by the parts of their names. */
function tree(values: Readonly<Record<string, unknown>>): object {
  const root: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    const parts = name.split('.');
    let within = root;
    for (const part of parts.slice(0, -1)) within = (within[part] ??= {}) as Record<string, unknown>;
    within[parts.at(-1) ?? ''] = value;
  }
  return root;
}

const DEFAULTS = tree(
  Object.fromEntries(
    Object.entries(manifest.contributes.configuration.properties).map(([name, property]) => [
      name.replace('deviceFlow.', ''),
      property.default,
    ]),
  ),
);

function configured(globalValue: unknown, others: object = {}): Parameters<typeof settingsOf>[0] & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    inspect: (section) => {
      asked.push(section);
      return { defaultValue: DEFAULTS, globalValue, ...others };
    },
  };
}

describe('the settings, asked for all at once', () => {
  it('are what the person set, and else what the manifest says', () => {
    const parameters = { 'a.b': 'c', title: 'An editor' };
    const values = { baseUrl: 'https://service.example', clientId: 'editor', 'notify.parameters': parameters };
    const configuration = configured(tree(values));
    const result = readConfiguration(settingsOf(configuration, 'deviceFlow'));
    assert.ok(result.kind === 'ready');
    assert.equal(result.configuration.service.baseUrl, 'https://service.example');
    assert.equal(result.configuration.notification?.shape.path, '/device/notify');
    assert.deepEqual(result.configuration.notification.shape.parameters, parameters);
    assert.deepEqual(configuration.asked, ['deviceFlow']);
  });

  it('are never what a workspace or folder set', () => {
    const strangers = tree({ baseUrl: 'https://stranger.example', clientId: 'stranger' });
    const others = { workspaceValue: strangers, workspaceFolderValue: strangers, value: strangers };
    const source = settingsOf(configured(undefined, others), 'deviceFlow');
    assert.deepEqual(source.inspect('baseUrl'), { defaultValue: '', globalValue: undefined });
    assert.equal(readConfiguration(source).kind, 'missing');
  });

  it('are nothing where something else is in their place', () => {
    for (const odd of [null, 'text', 7, [], { notify: 'text' }, { notify: null }]) {
      const source = settingsOf(configured(odd), 'deviceFlow');
      assert.equal(source.inspect('notify.path')?.globalValue, undefined);
      assert.equal(source.inspect('constructor.name')?.globalValue, undefined);
    }
    assert.equal(settingsOf({ inspect: () => undefined }, 'deviceFlow').inspect('baseUrl')?.defaultValue, undefined);
  });
});
