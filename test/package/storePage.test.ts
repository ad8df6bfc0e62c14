import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ROOT, VSIX } from '../../scripts/host/paths';
import { readArchive } from './archive';

const { storePage } = createRequire(__filename)(path.join(ROOT, 'scripts', 'package', 'storePage.js')) as {
  readonly storePage: (page: string, repository?: string, ref?: string) => string;
};
const page = readFileSync(path.join(ROOT, 'docs', 'marketplace.md'), 'utf8');

/** Guards that no link and no picture of the page in the stores leads nowhere. */
describe('the page in the stores', () => {
  it('is in the package, for whoever found it in the Extensions view', async () => {
    const readme = String((await readArchive(VSIX)).get('extension/readme.md'));
    assert.equal(readme, storePage(page));
    assert.doesNotMatch(readme, /npm |clone/);
  });

  it('has only links to other sites if nobody says where the repository is', () => {
    const targets = [...storePage(page).matchAll(/\]\(([^)]*)\)/g)].map(([, target = '']) => target);
    assert.ok(targets.length > 0);
    assert.deepEqual(
      targets.filter((target) => !target.startsWith('https://')),
      [],
    );
    assert.doesNotMatch(storePage(page), /!\[/);
  });

  it('leads to files of the repository that exist, at the tag, if somebody says where it is', () => {
    const repository = 'https://github.com/acme/sign-in';
    const linked = storePage(page, repository, 'v1.2.3');
    const files = [...linked.matchAll(/\]\(https:\/\/github\.com\/acme\/sign-in\/(raw|blob)\/v1\.2\.3\/([^)]*)\)/g)];
    assert.ok(files.length >= 5);
    for (const [, kind, file = ''] of files) {
      assert.ok(existsSync(path.join(ROOT, file)), file);
      assert.equal(kind === 'raw', file.endsWith('.png'), file);
    }
    assert.doesNotMatch(linked, /\]\((?!https:)/);
  });
});
