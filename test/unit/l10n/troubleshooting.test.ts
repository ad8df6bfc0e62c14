import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import bundle from '../../../l10n/bundle.l10n.json';
import { createTexts } from '../../../src/vscode/texts/texts';
import { ROOT } from '../../../scripts/host/paths';
import { CHAPTERS } from '../../../src/vscode/failure';
import { english } from '../vscode/english';

/** The page on one line, because quotes and names may be wrapped. */
function troubleshooting(): string {
  return readFileSync(path.join(ROOT, 'docs', 'troubleshooting.md'), 'utf8').replace(/\s+/g, ' ');
}

/** Guards that the page quotes the texts that people see. */
describe('docs/troubleshooting.md', () => {
  it('has the chapters that buttons lead to', () => {
    const page = readFileSync(path.join(ROOT, 'docs', 'troubleshooting.md'), 'utf8');
    const anchors = [...page.matchAll(/^## (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    assert.deepEqual(
      CHAPTERS.filter((chapter) => !anchors.includes(chapter)),
      [],
    );
  });

  const messages = Object.values(bundle).map((text) => (typeof text === 'string' ? text : text.message));

  it('quotes messages as they are; an ellipsis stands for the rest', () => {
    const quoted = [...troubleshooting().matchAll(/“([^”]+)”/g)].map(([, quote = '']) => quote);
    assert.ok(quoted.length >= 10, `only ${quoted.length} messages were found`);
    const pieces = (quote: string): string[] => quote.split('…').map((piece) => piece.trim());
    const unknown = quoted.filter(
      (quote) => !messages.some((text) => pieces(quote).every((piece) => text.includes(piece))),
    );
    assert.deepEqual(unknown, []);
  });

  it('names buttons, choices and commands as they are', () => {
    const named = [...troubleshooting().matchAll(/\*\*(?:Device Flow: )?([^*]+)\*\*/g)].map(([, name = '']) => name);
    assert.ok(named.length >= 5, `only ${named.length} names were found`);
    const { buttons, codeButtons, sessions } = createTexts(english, 'en');
    const texts = [buttons, codeButtons, sessions].flatMap((one): readonly unknown[] => Object.values(one));
    const known = [...texts, 'Show Status'];
    const unknown = named.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });
});
