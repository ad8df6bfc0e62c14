import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../scripts/host/paths';

const run = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
  spawnSync(process.execPath, [path.join(ROOT, 'scripts', 'release.js'), ...args], { encoding: 'utf8' });

/** Guards that a release is published only from a tag that fits the manifest and the changelog. */
describe('scripts/release.js', () => {
  it('refuses a tag that is not the version of the manifest', () => {
    const { status, stderr } = run('check', 'v999.0.0');
    assert.equal(status, 1);
    assert.match(String(stderr), /^The tag is v999\.0\.0, but the version in package\.json is /);
  });

  it('refuses what is no tag of a version, and an unknown command', () => {
    for (const args of [[], ['check'], ['check', 'main'], ['check', manifest.version], ['publish', 'v1.0.0']])
      assert.match(String(run(...args).stderr), /^Usage: /, args.join(' '));
  });

  it("prints the changelog's section of a version that has one, and refuses one that has none", () => {
    const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
    const { status, stderr, stdout } = run('notes', `v${manifest.version}`);
    if (changelog.includes(`\n## [${manifest.version}] - `)) {
      assert.ok(status === 0 && String(stdout).trim() !== '' && changelog.includes(String(stdout).trim()));
      assert.doesNotMatch(String(stdout), /^## /m);
    } else {
      assert.equal(status, 1);
      assert.match(String(stderr), /^CHANGELOG\.md has no section for /);
    }
  });
});
