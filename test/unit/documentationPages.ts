import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../host/paths';

/** A piece of code in a page, between fences. */
export interface Block {
  readonly page: string;
  readonly language: string;
  readonly text: string;
}

const FOLDERS = ['.', 'docs', 'demo/sample', 'demo/service', 'scripts/package/library'];

/** All pages, by their paths. */
export const PAGES: ReadonlyMap<string, string> = new Map(
  FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => path.posix.join(folder, name)),
  ).map((page) => [page, readFileSync(path.join(ROOT, page), 'utf8').replaceAll('\r\n', '\n')]),
);

/** All pieces of code between fences, in all pages. */
export function blocks(): readonly Block[] {
  return [...PAGES].flatMap(([page, whole]) =>
    [...whole.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({ page, language, text })),
  );
}

/** All that a person is to type into a terminal, in a page: the lines of its blocks, and what's between backticks. */
export function commandsIn(page: string): readonly string[] {
  const lines = blocks()
    .filter((block) => block.page === page && block.language === 'sh')
    .flatMap(({ text }) => text.split('\n'));
  const prose = (PAGES.get(page) ?? '').replace(/^```[^]*?^```$/gm, '');
  const quoted = [...prose.matchAll(/`((?:npm|npx|node|code|az|docker|ssh) [^`]+)`|^ {4}(npm .+)$/gm)];
  return [...lines, ...quoted.map(([, inline, indented]) => inline ?? indented ?? '')]
    .map((line) =>
      line
        .replace(/\s+#.*$/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .flatMap((line) => line.split(' && '))
    .filter((command) => command !== '');
}
