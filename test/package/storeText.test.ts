import assert from 'node:assert/strict';
import { storeTextProblems } from '../../scripts/package/storeText';

const GITHUB = 'https://github.com/acme/sign-in';

/** Guards that publishers learn which pictures and links of their texts don't work in the stores, before they publish. */
describe('a text for the stores', () => {
  /** What isn't shown of a text, each with its line. */
  const wrong = (text: string, repository?: string): readonly string[] =>
    storeTextProblems(text, repository).map((problem) => problem.split(' ').slice(0, 3).join(' '));

  it('may have pictures and links with whole addresses, and links to its own headings', () => {
    const text =
      '![A](https://a.example/a.png) [B](http://b.example/b) [C](#c) [D](mailto:d@d.example)\n' +
      '<img alt="E" src="https://e.example/e.gif"> <a href="https://f.example">F</a>\n\n[g]: https://g.example\n';
    assert.deepEqual(wrong(text), []);
  });

  it('has relative pictures and links only if people find the files in a repository', () => {
    const text = '![A](a.png)\n[![B](b.png)](b.md)\n<img src="c.png">\n<a href="d.md">D</a>\n\n[e]: e.md "E"\n';
    assert.deepEqual(wrong(text).toSorted(), [
      'Line 1: a.png',
      'Line 2: b.md',
      'Line 2: b.png',
      'Line 3: c.png',
      'Line 4: d.md',
      'Line 6: e.md',
    ]);
    assert.equal(wrong(text, 'https://git.acme.example/sign-in').length, 6);
    assert.deepEqual(wrong(text, GITHUB), []);
  });

  it('has no picture without https, and no SVG but a badge', () => {
    assert.deepEqual(wrong('![A](http://a.example/a.png) ![B](data:image/png;base64,AA==)', GITHUB), [
      'Line 1: http://a.example/a.png',
      'Line 1: data:image/png;base64,AA==',
    ]);
    assert.deepEqual(wrong('![A](a.svg) ![B](https://b.example/b.svg?raw)\n<svg>', GITHUB), [
      'Line 1: a.svg',
      'Line 1: https://b.example/b.svg?raw',
      'The stores show',
    ]);
    const badges = `![A](https://img.shields.io/a.svg) ![B](${GITHUB}/actions/workflows/ci.yml/badge.svg)`;
    assert.deepEqual(wrong(badges), []);
  });

  it('may show what looks like a picture or a link as code, or hide it', () => {
    assert.deepEqual(wrong('```md\n![A](a.png)\n```\n`[B](b.md)` <!-- [C](c.md) -->\n'), []);
    assert.deepEqual(wrong('```md\n![A](a.png)\n```\n[B](b.md)\n'), ['Line 4: b.md']);
  });
});
