import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../host/paths';

/** Guards that a release is published only from a tag that fits everything that names the version. */
describe('scripts/release.js', () => {
  let clone: string;
  beforeEach(() => {
    clone = mkdtempSync(path.join(os.tmpdir(), 'device-flow-release-'));
    for (const folder of ['docs', 'scripts']) mkdirSync(path.join(clone, folder));
    copyFileSync(path.join(ROOT, 'scripts', 'release.js'), path.join(clone, 'scripts', 'release.js'));
    for (const [name, contents] of Object.entries(filesOf('1.2.3'))) write(name, contents);
  });
  afterEach(() => {
    rmSync(clone, { recursive: true });
  });

  /** The files of a clone that name this version. */
  const filesOf = (version: string, date = '2001-02-03') => ({
    'package.json': JSON.stringify({ version }),
    'package-lock.json': JSON.stringify({ version, packages: { '': { version } } }),
    'README.md': `npm install vscode-device-flow-${version}.tgz`,
    'docs/page.md': `Install vscode-device-flow-${version}.tgz.`,
    'CHANGELOG.md': `# Changelog\n\n## [${version}] - ${date}\n\n- New.\n\n## [1.0.0] - 2000-01-01\n\n- Old.\n`,
  });

  function write(name: string, contents: string): void {
    writeFileSync(path.join(clone, name), contents);
  }

  const run = (args: readonly string[], root = clone): { status: number | null; stderr: string; stdout: string } =>
    spawnSync(process.execPath, [path.join(root, 'scripts', 'release.js'), ...args], { encoding: 'utf8' });

  it('accepts the version that everything names, and says what it checked', () => {
    const { status, stderr, stdout } = run(['check', 'v1.2.3']);
    assert.deepEqual([status, stderr], [0, '']);
    for (const place of ['package.json', 'package-lock.json', 'README.md', path.join('docs', 'page.md')])
      assert.ok(stdout.includes(` in ${place} is 1.2.3.\n`), place);
    assert.match(stdout, /^OK: CHANGELOG\.md has a section for 1\.2\.3, dated 2001-02-03, which isn't today\.$/m);
  });

  it('says that the date is today if it is', () => {
    write('CHANGELOG.md', filesOf('1.2.3', new Date().toISOString().slice(0, 10))['CHANGELOG.md']);
    assert.match(run(['check', 'v1.2.3']).stdout, /dated [\d-]+, today\.$/m);
  });

  it('refuses a tag that anything doesn’t fit, and names that', () => {
    const others = filesOf('1.2.2');
    for (const [name, contents] of Object.entries(others)) write(name, contents);
    const { status, stderr } = run(['check', 'v1.2.3']);
    assert.equal(status, 1);
    for (const name of Object.keys(others)) assert.ok(stderr.includes(path.normalize(name)), name);
    for (const [name, contents] of Object.entries(filesOf('1.2.3'))) write(name, contents);
    write('package-lock.json', JSON.stringify({ version: '1.2.3', packages: { '': { version: '1.2.2' } } }));
    assert.match(
      run(['check', 'v1.2.3']).stderr,
      /^The tag is v1\.2\.3, but the version .* in package-lock\.json is 1\.2\.2/,
    );
  });

  it('refuses what is no tag of a version, and an unknown command', () => {
    for (const args of [['check'], ['check', '1.2.3'], ['publish', 'v1.0.0']])
      assert.match(run(args).stderr, /^Usage: /, args.join(' '));
  });

  it("prints the changelog's section of a version, and refuses one that has none with a date", () => {
    assert.equal(run(['notes', 'v1.2.3']).stdout, '- New.\n');
    write('CHANGELOG.md', '## [1.2.3] - soon\n\n- New.\n');
    assert.match(run(['notes', 'v1.2.3']).stderr, /^CHANGELOG\.md has no section for 1\.2\.3 with a date\.$/m);
  });

  it('finds one version in all files of this project', () => {
    const { stderr } = run(['check', `v${manifest.version}`], ROOT);
    // Between releases, the changelog may have no section for the next one yet.
    assert.doesNotMatch(stderr, /^The tag is /m);
  });
});
