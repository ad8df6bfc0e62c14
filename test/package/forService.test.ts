import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Manifest, readBrand } from '../../src/vscode/brand';
import { ROOT } from '../../scripts/host/paths';
import { readArchive } from './archive';
import { brand, packageForService } from '../../scripts/package/forService';
import schema from '../../scripts/package/service.schema.json';
import { readServiceFile, type ServiceFile, ServiceFileError } from '../../scripts/package/serviceFile';

const ACME: ServiceFile = {
  ...{ publisher: 'acme', name: 'acme-sign-in', displayName: 'Acme Sign-In', version: '1.0.0' },
  ...{ providerId: 'acme', prefix: 'acme' },
  service: { baseUrl: 'https://api.acme.example', clientId: 'vscode', notify: { path: '/notify' } },
};

/** The names of the settings that people can change, and of the commands. */
function shown(file: ServiceFile): { readonly settings: readonly string[]; readonly commands: readonly string[] } {
  const { contributes } = brand(file).manifest as Manifest & {
    readonly contributes: { readonly configuration: { readonly properties: object } };
  };
  return {
    settings: Object.keys(contributes.configuration.properties),
    commands: contributes.commands.map(({ command }) => command),
  };
}

describe('a package for one service', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'device-flow-service-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const written = async (contents: unknown): Promise<string> => {
    const file = path.join(folder, 'service.json');
    await writeFile(file, typeof contents === 'string' ? contents : JSON.stringify(contents));
    return file;
  };

  it('shows no setting that’s fixed, and none of the other protocol', () => {
    const draft = shown(ACME);
    assert.deepEqual(
      ['baseUrl', 'clientId', 'protocol', 'notify.path', 'scopes', 'endpoints'].filter((name) =>
        draft.settings.includes(`acme.${name}`),
      ),
      [],
    );
    assert.ok(draft.settings.includes('acme.notify.method'));
    const silent = shown({ ...ACME, service: { ...ACME.service, notify: { path: '' } } });
    assert.deepEqual(
      silent.settings.filter((name) => name.includes('notify')),
      [],
    );
    const standard = shown({ ...ACME, service: { ...ACME.service, protocol: 'rfc8628', scopes: ['a'] } });
    assert.deepEqual(
      standard.settings.filter((name) => /notify|accessTokenIn|scopes/.test(name)),
      [],
    );
    assert.ok(standard.settings.includes('acme.parameters'));
  });

  it('has only the commands that make sense', () => {
    const { commands } = shown(ACME);
    assert.ok(commands.includes('acme.signIn') && commands.includes('acme.setClientSecret'));
    assert.ok(!commands.includes('acme.configure'));
    const withSecret = shown({ ...ACME, service: { ...ACME.service, clientSecret: 'not a real secret' } });
    assert.ok(!withSecret.commands.includes('acme.setClientSecret'));
  });

  it('has all names of its own', () => {
    const { manifest, texts } = brand(ACME);
    const { extensionId, providerId, prefix, fixed } = readBrand(manifest as Manifest);
    assert.deepEqual([extensionId, providerId, prefix], ['acme.acme-sign-in', 'acme', 'acme']);
    assert.deepEqual(fixed, {
      ...{ protocol: 'draft', baseUrl: 'https://api.acme.example', clientId: 'vscode', 'notify.path': '/notify' },
    });
    assert.doesNotMatch(JSON.stringify([manifest, texts]), /deviceFlow|device-flow|Device Flow Authentication/);
    assert.doesNotMatch(JSON.stringify(texts), /#acme\.protocol#/);
    assert.equal((manifest as { readonly api?: string }).api, 'none');
  });

  it('is built with what the publisher wrote', async function () {
    this.timeout(60_000);
    await writeFile(path.join(folder, 'page.md'), '# Acme\n\nSign in to Acme.\n');
    const files = await readArchive(await packageForService(await written({ ...ACME, readme: 'page.md' })));
    assert.match(String(files.get('extension/readme.md')), /Sign in to Acme\./);
    assert.match(String(files.get('extension/package.json')), /"acme-sign-in"/);
    assert.ok(files.has('extension/dist/extension.js'));
    assert.doesNotMatch(String(files.get('extension/SECURITY.md')), /deviceFlow/);
  });

  it('can be built from the example for publishers, whose table has all fields', async () => {
    const page = await readFile(path.join(ROOT, 'docs', 'for-publishers.md'), 'utf8');
    // The example names an icon.
    await copyFile(path.join(ROOT, 'media', 'icon.png'), path.join(folder, 'icon.png'));
    const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
    assert.equal((await readServiceFile(await written(example))).prefix, 'acme');
    const fields = [...page.matchAll(/^\| `(\w+)` /gm)].map(([, field]) => field);
    assert.deepEqual(
      fields.sort(),
      Object.keys(schema.properties)
        .filter((name) => name !== '$schema')
        .sort(),
    );
    for (const setting of Object.keys(schema.properties.service.properties)) assert.ok(page.includes(`\`${setting}\``));
  });

  it('isn’t built from a file that can’t be used, and all that’s wrong is said', async () => {
    await writeFile(path.join(folder, 'not.png'), 'not a picture, and long enough to be one');
    for (const [contents, ...problems] of [
      ['{', /isn't JSON/],
      [{ ...ACME, prefix: undefined, extra: 1 }, /prefix is missing/, /extra isn't a known field/],
      [{ ...ACME, name: 'Acme' }, /name is wrong\. Name of the extension: lowercase letters/],
      [{ ...ACME, service: { clientId: 'vscode' } }, /service\.baseUrl is missing/],
      [{ ...ACME, service: { ...ACME.service, clientId: '' } }, /service\.clientId is empty/],
      [
        { ...ACME, version: '1', service: { ...ACME.service, baseUrl: 'http://acme.example' } },
        /version is wrong\. Three numbers/,
        /service\.baseUrl is wrong\. Begin/,
      ],
      [
        { ...ACME, icon: 'none.png', readme: 'none.md' },
        /icon.* none\.png can't be read/,
        /readme.* none\.md can't be/,
      ],
      [{ ...ACME, icon: 'not.png' }, /not\.png isn't a PNG file of at least 128 by 128/],
      [
        { ...ACME, service: { ...ACME.service, notify: { method: 'PATCH' } } },
        /service\.notify\.method.*POST, PUT, GET/,
      ],
    ] as const) {
      const error: unknown = await readServiceFile(await written(contents)).catch((reason: unknown) => reason);
      assert.ok(error instanceof ServiceFileError);
      for (const problem of problems) assert.match(error.message, problem);
    }
  });
});
