import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format, resolveConfig } from 'prettier';
import { ROOT } from '../../host/paths';

/** The page that shows what was measured last. */
const PAGE = path.join(ROOT, 'docs', 'performance.md');

/** Between these, the page is written by the benchmarks; around them, by people. */
const WRITTEN = /(?<=<!-- Begin of what `npm run bench -- --update-docs` writes\. -->\n)[^]*(?=<!-- End -->)/;

/** Replaces what the page showed before. */
export async function updatePage(report: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  if (!WRITTEN.test(page)) throw new Error(`${PAGE} lacks the comments between which the report is written.`);
  const changed = page.replace(WRITTEN, () => `\n${report}\n\n`);
  await writeFile(PAGE, await format(changed, { ...(await resolveConfig(PAGE)), filepath: PAGE }));
}
