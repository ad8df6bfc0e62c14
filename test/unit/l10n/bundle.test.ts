import assert from 'node:assert/strict';
import bundle from '../../../l10n/bundle.l10n.json';
import manifest from '../../../package.json';
import manifestTexts from '../../../package.nls.json';
import { ALL_MESSAGES, bundleOf } from './messages';

const UPDATE = 'node out/test/unit/l10n/messages.js && npx prettier --write l10n && npx tsc -p .';

/** Guards that translators get every text, and none that's gone. */
describe('the bundle of texts for translators', () => {
  it('holds exactly the messages of the sources', () => {
    const current = bundleOf(ALL_MESSAGES);
    assert.deepEqual(bundle, current, `l10n/bundle.l10n.json is out of date. Update it: ${UPDATE}`);
    assert.doesNotMatch(Object.keys(current).join(''), /\{\d+\}/, 'placeholders have names');
  });
});

describe('the texts of the manifest', () => {
  /** What people read of the manifest, and where it is. */
  const shown = (value: unknown, name = '', where = ''): readonly (readonly [where: string, text: string])[] => {
    if (typeof value === 'object' && value !== null) {
      return Object.entries(value).flatMap(([key, part]) =>
        shown(part, Array.isArray(value) ? name : key, `${where}/${key}`),
      );
    }
    return typeof value === 'string' && READ.has(name) ? [[where, value]] : [];
  };
  const READ = new Set(
    'title category label description markdownDescription enumDescriptions markdownEnumDescriptions patternErrorMessage altText'.split(
      ' ',
    ),
  );
  const texts = [
    ...shown(manifest.contributes),
    ...shown({ displayName: manifest.displayName, description: manifest.description }, '', ''),
  ];

  it('are all taken from package.nls.json, except the name, which other editors show as it is here', () => {
    assert.ok(texts.length > 20, `only ${texts.length} texts were found`);
    const others = texts.filter(([, text]) => !/^%[\w.]+%$/.test(text) || !(text.slice(1, -1) in manifestTexts));
    assert.deepEqual([...new Set(others.map(([, text]) => text))], ['Device Flow Authentication']);
  });

  it('are all used', () => {
    const used = JSON.stringify(manifest);
    const unused = Object.keys(manifestTexts).filter((key) => !used.includes(`"%${key}%"`));
    assert.deepEqual(unused, []);
  });
});
