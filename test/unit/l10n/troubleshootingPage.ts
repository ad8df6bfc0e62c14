import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../../host/paths';

/** The chapters of docs/troubleshooting.md by their anchors, each with the messages that it quotes. */
export function chapters(): ReadonlyMap<string, readonly string[]> {
  const [, ...parts] = readFileSync(path.join(ROOT, 'docs', 'troubleshooting.md'), 'utf8').split(/^## /m);
  return new Map(
    parts.map((part) => {
      const [heading = '', ...lines] = part.split('\n');
      const anchor = heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-');
      const text = lines.join(' ').replace(/\s+/g, ' ');
      return [anchor, [...text.matchAll(/“([^”]+)”/g)].map(([, quote = '']) => quote)];
    }),
  );
}

/** The anchors of the chapters that quote a message, or a sentence of it. */
export function chaptersAbout(message: string): readonly string[] {
  return [...chapters()].flatMap(([anchor, quotes]) =>
    quotes.some((quote) => isQuoteOf(quote, message)) ? [anchor] : [],
  );
}

/** Whether a quote is of this message: an ellipsis stands for the rest. */
function isQuoteOf(quote: string, message: string): boolean {
  const pieces = quote.split('…').map((piece) => piece.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`(?:^|\\. )${pieces.join('.*')}`).test(message);
}
