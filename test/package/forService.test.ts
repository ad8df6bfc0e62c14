import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Manifest, readBrand } from '../../src/vscode/brand';
import { ROOT } from '../../host/paths';
import { readMcpServers } from '../../src/vscode/mcp/options';
import { readService } from '../../src/vscode/settings/service';
import { readArchive } from './archive';
import manifest from '../../package.json';
import texts from '../../package.nls.json';
import { brand, type Branded, packageForService } from '../../scripts/package/forService';
import { VSCE } from '../../scripts/package/packager';
import { SERVICE_FILE as schema } from '../../scripts/settings/schemas';
import { readServiceFile, type ServiceFile, ServiceFileError } from '../../scripts/package/serviceFile';

const ACME: ServiceFile = {
  publisher: 'acme',
  name: 'acme-sign-in',
  displayName: 'Acme Sign-In',
  version: '1.0.0',
  providerId: 'acme',
  prefix: 'acme',
  service: { protocol: 'draft', baseUrl: 'https://api.acme.example', clientId: 'vscode', notify: { path: '/notify' } },
};

function branded(file: ServiceFile): Branded & { readonly manifest: Manifest & { readonly contributes: object } } {
  return brand(file, { manifest, texts }) as ReturnType<typeof branded>;
}

/** The IDs of the commands. */
function commandsOf(file: ServiceFile): readonly string[] {
  return branded(file).manifest.contributes.commands.map(({ command }) => command);
}

/** Guards that a publisher can build a package for one service, and is told what's wrong with its description. */
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
  const build = async (contents: ServiceFile): Promise<string> =>
    await packageForService(await written(contents), { into: folder, parts: ROOT, vsce: VSCE });

  it('has no settings, whatever it leaves out, and the defaults of ours', () => {
    const { manifest: own, texts: ownTexts } = branded({
      ...ACME,
      service: { protocol: 'draft', baseUrl: 'https://a.example', clientId: 'c' },
    });
    assert.equal('configuration' in own.contributes, false);
    assert.doesNotMatch(Object.keys(ownTexts).join(), /setting/);
    assert.deepEqual(readBrand(own).fixed, { protocol: 'draft', baseUrl: 'https://a.example', clientId: 'c' });
  });

  it('has no device notification if its service follows the standard, which knows none', () => {
    const service = { protocol: 'rfc8628', baseUrl: 'https://a.example', clientId: 'c' };
    const { fixed } = readBrand(branded({ ...ACME, service }).manifest);
    const read = readService(fixed, 'build');
    assert.deepEqual([read.service?.id.clientId, read.service?.notification, read.problems], ['c', undefined, []]);
  });

  it('is refused by the packager if a field or a file looks like a token, and the error names it and says what to do', async () => {
    // In two parts, so that nothing takes this file for one that leaks them.
    const clientSecret = ['xoxb', '-123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx'].join('');
    const token = ['ghp', '_016C7J9mXxK2qPzR4tYvB8nLdF3sWhE5aGcU'].join('');
    await writeFile(path.join(folder, 'readme.md'), `# Acme\n\n${token}\n`);
    const mcpServers = [{ label: 'Tools', url: 'https://acme.example/mcp', headers: { 'X-Key': token } }];
    const service = { ...ACME.service, clientSecret };
    const error: unknown = await build({ ...ACME, service, mcpServers, readme: 'readme.md' }).catch(
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof ServiceFileError);
    const [, named = '', advice = ''] = /^vsce refuses (.*), because it looks like (.*)$/.exec(error.message) ?? [];
    assert.deepEqual(named.toLowerCase().split(', ').sort(), ['clientsecret', 'readme.md', 'x-key']);
    assert.match(advice, / leave clientSecret out, and have/);
    for (const secret of [clientSecret, token]) assert.ok(!error.message.includes(secret));
  });

  it('is activated for a client secret that another extension hands over, also if people don’t have the command', () => {
    const { activationEvents } = branded(ACME).manifest as unknown as typeof manifest;
    assert.deepEqual(activationEvents, ['onStartupFinished', 'onCommand:acme.setClientSecret']);
  });

  it('is called what the service is called where people sign in to it', () => {
    const { manifest: own, texts: ownTexts } = branded({ ...ACME, service: { ...ACME.service, serviceName: 'Acme' } });
    assert.deepEqual(own.contributes.authentication, [{ id: 'acme', label: 'Acme' }]);
    // Other editors show it as it is in the manifest.
    assert.equal(own.displayName, 'Acme Sign-In');
    assert.equal(ownTexts['category'], 'Acme Sign-In');
  });

  it('is described with the name of the service, unless its publisher describes it', () => {
    const acme = { ...ACME, service: { ...ACME.service, serviceName: 'Acme' } };
    for (const [file, description] of [
      [acme, 'Sign in to Acme once, and use it from all extensions in every window.'],
      [ACME, 'Sign in to api.acme.example once, and use it from all extensions in every window.'],
      [{ ...acme, description: 'For employees.' }, 'For employees.'],
    ] as const) {
      assert.equal(Reflect.get(branded(file).manifest, 'description'), description);
    }
  });

  it('has what the publisher wants on the Marketplace', async function () {
    this.timeout(60_000);
    for (const name of ['page.md', 'changes.md', 'license.txt']) {
      await writeFile(path.join(folder, name), `This is ${name}, see [the guide](guide.md).`);
    }
    await copyFile(path.join(ROOT, 'media', 'icon.png'), path.join(folder, 'icon.png'));
    const wanted = {
      repository: 'https://github.com/acme/sign-in',
      bugs: 'https://acme.example/bugs',
      homepage: 'https://acme.example',
      keywords: ['acme'],
      categories: ['Programming Languages'],
      galleryBanner: { color: '#112233', theme: 'dark' },
      preview: true,
    };
    const texts = { readme: 'page.md', changelog: 'changes.md', license: 'license.txt', icon: 'icon.png' };
    const files = await readArchive(await build({ ...ACME, ...wanted, ...texts }));
    const own = JSON.parse(String(files.get('extension/package.json'))) as Record<string, unknown>;
    const { repository, bugs, ...others } = wanted;
    assert.deepEqual(own['repository'], { type: 'git', url: repository });
    assert.deepEqual(own['bugs'], { url: bugs });
    for (const [name, value] of Object.entries(others)) assert.deepEqual(own[name], value, name);
    assert.equal(own['license'], 'SEE LICENSE IN LICENSE.txt');
    assert.match(String(files.get('extension/readme.md')), /page\.md, see \[the guide\]\(https:\/\/github\.com\/acme/);
    assert.match(String(files.get('extension/changelog.md')), /changes\.md/);
    assert.match(String(files.get('extension/LICENSE.txt')), /license\.txt/);
    assert.ok(files.has('extension/media/icon.png'));
  });

  it('has only the commands that make sense', () => {
    const commands = commandsOf(ACME);
    assert.ok(commands.includes('acme.signIn') && commands.includes('acme.setClientSecret'));
    assert.ok(!commands.includes('acme.configure'));
    const withSecret = commandsOf({ ...ACME, service: { ...ACME.service, clientSecret: 'not a real secret' } });
    assert.ok(!withSecret.includes('acme.setClientSecret'));
  });

  it('has all names of its own', () => {
    const { manifest: own, texts: ownTexts } = branded(ACME);
    const { extensionId, providerId, prefix, fixed } = readBrand(own);
    assert.deepEqual([extensionId, providerId, prefix], ['acme.acme-sign-in', 'acme', 'acme']);
    assert.deepEqual(fixed, {
      protocol: 'draft',
      baseUrl: 'https://api.acme.example',
      clientId: 'vscode',
      notify: { path: '/notify' },
    });
    assert.doesNotMatch(JSON.stringify([own, ownTexts]), /deviceFlow|device-flow|Device Flow Authentication/);
    assert.equal((own as { readonly api?: string }).api, 'none');
  });

  it('contributes MCP servers if it has any', () => {
    const mcpServers = [{ label: 'Acme Tools', url: 'https://api.acme.example/mcp', headers: { 'X-Team': 'a' } }];
    const { manifest: own } = branded({ ...ACME, mcpServers });
    assert.deepEqual(readMcpServers(own.mcpServers), mcpServers);
    assert.deepEqual(Reflect.get(own.contributes, 'mcpServerDefinitionProviders'), own.contributes.authentication);
    assert.doesNotMatch(JSON.stringify(branded(ACME).manifest), /mcpServer/);
  });

  it('can be built from the example for publishers, whose table has all fields', async () => {
    const page = await readFile(path.join(ROOT, 'docs', 'for-publishers.md'), 'utf8');
    const example = /```json\n(.*?)```/s.exec(page)?.[1] ?? '';
    assert.equal((await readServiceFile(await written(example))).prefix, 'acme');
    const table = /^\| `publisher` .*?\n\n/ms.exec(page)?.[0] ?? '';
    const rows = [...table.matchAll(/^\| (`\w+`(?:, `\w+`)*) +\|/gm)].map(([, names = '']) => names);
    const fields = rows.flatMap((names) => names.replaceAll('`', '').split(', '));
    assert.deepEqual(
      fields.sort(),
      Object.keys(schema.properties)
        .filter((name) => name !== '$schema')
        .sort(),
    );
    assert.match(page, /\(settings\.md\).* There's one more: `clientSecret`\./s);
  });

  it('can be built from a file with a byte order mark, and a license without an extension', async () => {
    await copyFile(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
    const file = await written(`\uFEFF${JSON.stringify({ ...ACME, license: './LICENSE' })}`);
    assert.equal((await readServiceFile(file)).license, './LICENSE');
  });

  it('isn’t built from a file that isn’t there', async () => {
    const file = path.join(folder, 'none.json');
    await assert.rejects(readServiceFile(file), { name: 'ServiceFileError', message: `${file} doesn't exist.` });
  });

  it('isn’t built from a file that can’t be used, and all that’s wrong is said', async () => {
    await writeFile(path.join(folder, 'not.png'), 'not a picture, and long enough to be one');
    const small = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x40\0\0\0\x80', 'latin1');
    await writeFile(path.join(folder, 'small.png'), small);
    await writeFile(path.join(folder, 'page.md'), '![Picture](a.png)\n\n[The guide](guide.md)\n');
    for (const [contents, ...problems] of [
      ['{', /isn't JSON: look at line 1, column 2: a closing brace is missing\.$/],
      ['{\n  "name": "secret",\n  "b": {"c" 5}\n}', /isn't JSON: look at line 3, column 13: a colon is missing\.$/],
      ['{\n  "a": [1, 2,],\n}', /isn't JSON: look at line 2, column 13: there’s a comma after the last element\.$/],
      ['{\n  "a": 1,\n\n}', /isn't JSON: look at line 2, column 9: there’s a comma after the last element\.$/],
      ['{\n  // Not JSON\n  "a": 1 }', /isn't JSON: look at line 2, column 3: comments aren’t allowed\.$/],
      ["{ 'a': 1 }", /isn't JSON: look at line 1, column 3: text must be in double quotation marks \("\)\.$/],
      ['{ "a": 1 "b": 2 }', /isn't JSON: look at line 1, column 10: a comma is missing\.$/],
      ['{ "a": "C:\\d" }', /isn't JSON: look at line 1, column 8: a backslash in text must be doubled\.$/],
      [
        `{ "publisher": "acme", "service": { "clientId": "a",\n"clientId": "b" } }`,
        /service\.clientId is there twice, again in line 2, column 1\. Remove one of them\./,
      ],
      [{ ...ACME, prefix: undefined, extra: 1 }, /prefix is missing/, /extra isn't a known field\.$/m],
      [
        { ...ACME, clientSecret: 's', licence: 'x', redme: 'x.md', 'deviceFlow.notify.on': 'x', path: '/x' },
        /clientSecret isn't a known field\. It belongs in service\./,
        /licence isn't a known field\. Did you mean license\?/,
        /redme isn't a known field\. Did you mean readme\?/,
        /deviceFlow\.notify\.on isn't a known field\. It belongs in service\.notify, as on\./,
        /path isn't a known field\. It belongs in service\.account\./,
      ],
      [
        { ...ACME, service: { ...ACME.service, issuer: 'x', mcpServers: [], name: 'Acme', scpoes: [], baseUri: '' } },
        /service\.issuer isn't a known field\. Did you mean baseUrl\?/,
        /service\.mcpServers isn't a known field\. It belongs beside service\./,
        /service\.name isn't a known field\. Did you mean serviceName\?/,
        /service\.scpoes isn't a known field\. Did you mean scopes\?/,
        /service\.baseUri isn't a known field\. Did you mean baseUrl\?/,
      ],
      [
        { ...ACME, providerId: 'device-flow', prefix: 'deviceFlow' },
        /providerId is wrong\. VS Code or another/,
        /prefix is wrong/,
      ],
      [
        { ...ACME, prefix: 'workbench', publisher: 'a_b', providerId: 'Acme' },
        /prefix is wrong\. VS Code or another extension has the name workbench; choose one of your own\./,
        /publisher is wrong\. ID of the publisher on the Marketplace: letters, digits, and dashes\./,
        /providerId is wrong\. .*: lowercase letters, digits, and dashes, with a letter first\./,
      ],
      [{ ...ACME, prefix: 'a-b' }, /prefix is wrong\. .*: letters and digits, with a lowercase letter first\./],
      [
        { ...ACME, galleryBanner: { color: 'blue' }, keywords: Array.from({ length: 31 }, () => 'a') },
        /galleryBanner\.color is wrong\. Color of the banner, such as #0b4f8a/,
        /keywords is wrong\. Words that people find the extension by, at most 30\./,
      ],
      [
        { ...ACME, categories: ['Other', 'Authentication'] },
        /categories\.1 must be one of these: AI, Azure, Chat, .*, Visualization\./,
      ],
      [
        { ...ACME, preview: 'yes', bugs: 'mail' },
        /preview must be true or false/,
        /bugs is wrong\. Address where .* https:/,
      ],
      [{ ...ACME, name: 'Acme' }, /name is wrong\. Name of the extension: lowercase letters/],
      [
        { ...ACME, service: { ...ACME.service, client_ID: 'c', scopes: ['a'] }, repo: 'https://acme.example' },
        /repo isn't a known field\. Did you mean repository\?/,
        /service\.client_ID isn't a known field\. Did you mean clientId\?/,
        /service\.scopes is wrong\. Only services with the protocol rfc8628 have this field\./,
      ],
      [
        { ...ACME, version: '1', service: { ...ACME.service, baseUrl: 'http://acme.example' } },
        /version is wrong\. Three numbers/,
        /service\.baseUrl is wrong\. Enter a web address that begins/,
      ],
      [
        { ...ACME, icon: 'none.png', readme: 'none.md' },
        /icon.* none\.png can't be read/,
        /readme.* none\.md can't be/,
      ],
      [{ ...ACME, mcpServers: null }, /mcpServers must be a list/],
      [
        { ...ACME, service: { clientId: '', baseUrl: 'http://acme.example', notify: { path: 'x', on: 5 }, extra: 1 } },
        /service\.clientId is missing/,
        /service\.baseUrl is wrong\. Enter a web address that begins/,
        /service\.notify\.path is wrong\. Enter a path/,
        /service\.notify\.on must be one of these/,
        /service\.extra isn't a known field/,
      ],
      [
        { ...ACME, mcpServers: [{ label: 'Tools', url: 'https://a.example', service: 'https://b.example' }] },
        /mcpServers\[0\]\.service is only for the library/,
      ],
      [{ ...ACME, icon: 'not.png' }, /icon is wrong\. not\.png isn't a PNG file\./],
      [
        { ...ACME, icon: 'small.png' },
        /icon is wrong\. small\.png has 64 by 128 pixels, but needs at least 128 by 128\./,
      ],
      [
        { ...ACME, readme: 'page.md', repository: 'https://git.acme.example/sign-in' },
        /readme is wrong\. Line 1: a\.png leads nowhere in the stores\. .* Line 3: guide\.md leads nowhere in the stores\. /,
      ],
    ] as const) {
      const error: unknown = await readServiceFile(await written(contents)).catch((reason: unknown) => reason);
      assert.ok(error instanceof ServiceFileError);
      for (const problem of problems) assert.match(error.message, problem);
      const named = [...error.message.matchAll(/^ {2}([\w.[\]]+) (?:is|must|isn't) /gm)].map(([, name]) => name);
      assert.deepEqual(named, [...new Set(named)], 'each field once');
    }
  });
});
