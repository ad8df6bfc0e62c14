import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { ROOT, VSIX } from '../../host/paths';
import { repositoryFields } from '../../scripts/package/repository';
import { storePage } from '../../scripts/package/storePage';
import { readArchive } from './archive';

const REPOSITORY = { url: 'https://github.com/acme/sign-in', ref: 'v1.2.3' };

const PAGE = readFileSync(path.join(ROOT, 'docs', 'marketplace.md'), 'utf8');

/** Files of the repository as its links name them: whether it's shown or only linked, and its path. */
const IN_REPOSITORY = /^https:\/\/github\.com\/acme\/sign-in\/(raw|blob)\/v1\.2\.3\/([^#]+)(#.+)?$/;

/** Bytes. People wait for what's larger. */
const LARGEST_PICTURE = 1_500_000;

/** What the stores show of a package as pages. */
const PAGES = ['extension/readme.md', 'extension/changelog.md'];

interface Link {
  readonly isPicture: boolean;
  readonly words: string;
  readonly target: string;
}

/** All links and pictures of a text in Markdown. */
function linksIn(text: string): readonly Link[] {
  const found = text.matchAll(/(!?)\[([^\]]*)\]\(([^)]*)\)/g);
  return [...found].map(([, mark, words = '', target = '']) => ({ isPicture: mark === '!', words, target }));
}

function paragraphsOf(page: string): readonly string[] {
  return page.trim().split(/\n{2,}/);
}

/** How a link to a heading names it. */
function anchorOf(heading: string): string {
  return `#${heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')}`;
}

function headingsOf(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

async function pagesOf(vsix: string): Promise<readonly string[]> {
  const files = await readArchive(vsix);
  return PAGES.map((name) => String(files.get(name)));
}

async function manifestOf(vsix: string): Promise<Record<string, unknown>> {
  return JSON.parse(String((await readArchive(vsix)).get('extension/package.json'))) as Record<string, unknown>;
}

/** Guards that the package in the stores leads people to what exists: its pages, and the addresses of its manifest. */
describe('the pages in the stores', () => {
  describe('if nobody says where the repository is', () => {
    it('are for people who found them in the Extensions view', async () => {
      const [readme = ''] = await pagesOf(VSIX);
      assert.match(readme, /^# Device Flow Authentication\n/);
      assert.doesNotMatch(readme, /npm |clone/);
    });

    it('have only links to other sites, and no pictures', async () => {
      const links = (await pagesOf(VSIX)).flatMap(linksIn);
      assert.ok(links.length > 0);
      for (const { isPicture, target } of links) {
        assert.ok(!isPicture, target);
        assert.equal(new URL(target).protocol, 'https:', target);
      }
    });

    it('have only whole paragraphs of the page with links, in their order, and no heading without a text', async () => {
      const [readme = ''] = await pagesOf(VSIX);
      const whole = paragraphsOf(PAGE);
      const shown = paragraphsOf(readme);
      const leftOut = whole.filter((paragraph) => !shown.includes(paragraph));
      assert.deepEqual(
        shown,
        whole.filter((paragraph) => !leftOut.includes(paragraph)),
      );
      // A step of a list, or a part of a sentence, can't be missing from a paragraph that only leads elsewhere.
      for (const paragraph of leftOut) assert.match(paragraph, /^(?:!?\[|More: \[)[^]*[.)]$/);
      const empty = shown.filter((one, index) => one.startsWith('#') && (shown[index + 1] ?? '#').startsWith('#'));
      assert.deepEqual(empty, []);
    });

    it('are of a manifest without addresses', async () => {
      const manifest = await manifestOf(VSIX);
      for (const name of ['repository', 'bugs', 'homepage']) assert.ok(!(name in manifest), name);
    });
  });

  describe('of a release', () => {
    it('lead to files and headings of the repository that exist at the tag, and show its pictures', () => {
      const links = linksIn(storePage(PAGE, REPOSITORY));
      const own = links.filter(({ target }) => target.startsWith(REPOSITORY.url));
      assert.ok(own.length >= 5);
      for (const { isPicture, target, words } of own) {
        const [, kind, name = '', anchor] = IN_REPOSITORY.exec(target) ?? [];
        const file = path.join(ROOT, name);
        assert.ok(existsSync(file), target);
        if (anchor !== undefined) assert.ok(headingsOf(file).includes(anchor), target);
        assert.equal(kind, isPicture ? 'raw' : 'blob', target);
        if (isPicture) {
          // The Marketplace shows no SVG.
          assert.match(name, /\.(?:png|gif)$/);
          assert.ok(statSync(file).size <= LARGEST_PICTURE, `${name} is too large`);
        }
        assert.notEqual(words, '', `${target} has no words`);
      }
      for (const { target } of links) assert.equal(new URL(target).protocol, 'https:', target);
    });

    it('are of a manifest that names the repository, where to report bugs, and the home page', () => {
      assert.deepEqual(repositoryFields(REPOSITORY), {
        repository: { type: 'git', url: 'git+https://github.com/acme/sign-in.git' },
        bugs: { url: 'https://github.com/acme/sign-in/issues' },
        homepage: 'https://github.com/acme/sign-in#readme',
      });
    });
  });
});
