import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { l10nJsonFormat } from '@vscode/l10n-dev';
import bundle from '../../../l10n/bundle.l10n.json';
import manifestTexts from '../../../package.nls.json';
import { ROOT } from '../../../host/paths';
import { translated } from './pseudo';

/** What isn't translated in a text, but must be in its translation: placeholders, links and their commands, code. */
const FIXED = /\{\w+\}|\]\(command:[^)]*\)|`[^`]+`|\$\([\w~-]+\)/g;

function fixedIn(text: string): readonly string[] {
  return (text.match(FIXED) ?? []).sort();
}

/** What's wrong with a translation of these texts, as sentences. */
function problems(texts: l10nJsonFormat, translation: Readonly<Record<string, unknown>>): readonly string[] {
  return [
    ...Object.keys(translation)
      .filter((key) => !(key in texts))
      .map((key) => `There's no text “${key}” (anymore).`),
    ...Object.entries(texts).flatMap(([key, original]) => {
      const text = typeof original === 'string' ? original : original.message;
      const other = translation[key];
      if (typeof other !== 'string' || other.trim() === '') return [`“${key}” isn't translated.`];
      const [wanted, found] = [fixedIn(text).join(' '), fixedIn(other).join(' ')];
      return wanted === found ? [] : [`“${key}” must have ${wanted}, and no other: ${found}`];
    }),
  ];
}

/** Guards that a translation with a mistake isn't shipped. */
describe('a translation', () => {
  const texts: l10nJsonFormat = { a: 'In {time}', b: { message: 'Run [it](command:x.y)', comment: [] }, c: '`code`' };
  const whole = { a: 'Nach {time}', b: '[Das](command:x.y) ausführen', c: 'Der `code`' };

  for (const [what, changed] of [
    ['lacks a text', { a: undefined }],
    ['has an empty text', { c: ' ' }],
    ['has a text that is gone', { d: 'Etwas' }],
    ['has another placeholder', { a: 'Nach {zeit}' }],
    ['repeats a placeholder', { a: '{time} {time}' }],
    ['has another command', { b: '[Das](command:x.z) ausführen' }],
    ['translates code', { c: 'Der `Code`' }],
  ] as const) {
    it(`isn't whole if it ${what}`, () => {
      assert.deepEqual(problems(texts, whole), []);
      assert.equal(problems(texts, { ...whole, ...changed }).length, 1);
    });
  }

  it('is whole, in a language that nobody speaks and in each that is shipped', () => {
    assert.deepEqual(problems(bundle, translated(bundle)), []);
    for (const [folder, start, original] of [
      ['l10n', 'bundle.l10n.', bundle],
      ['.', 'package.nls.', manifestTexts],
    ] as const) {
      const names = readdirSync(path.join(ROOT, folder)).filter((name) => name.startsWith(start));
      for (const name of names.filter((one) => /^[\w-]+\.json$/.test(one.slice(start.length)))) {
        const translation = JSON.parse(readFileSync(path.join(ROOT, folder, name), 'utf8')) as Record<string, unknown>;
        assert.deepEqual(problems(original, translation), [], name);
      }
    }
  });
});
