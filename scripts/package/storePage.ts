import type { Repository } from './repository';

/** A link or picture of Markdown whose target is a file of this repository. */
const RELATIVE = /(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)/g;

/** Where a link of a page in docs/ leads, as seen from the top of the repository. */
function fromTop(target: string): string {
  return target.startsWith('../') ? target.slice('../'.length) : `docs/${target}`;
}

/**
 * What people read in the stores: docs/marketplace.md, with links that work there.
 * @param page the text of docs/marketplace.md
 * @param repository without one, each paragraph with a link or picture that would lead nowhere is left out as a whole
 */
export function storePage(page: string, repository: Repository | undefined): string {
  return repository === undefined ? withoutFiles(page) : withAddresses(page, repository);
}

function withoutFiles(page: string): string {
  const paragraphs = page.split('\n\n');
  return paragraphs.filter((paragraph) => paragraph.search(RELATIVE) < 0).join('\n\n');
}

function withAddresses(page: string, { ref, url }: Repository): string {
  return page.replace(RELATIVE, (_, mark: string, words: string, target: string) => {
    const kind = mark === '!' ? 'raw' : 'blob';
    return `${mark}[${words}](${url}/${kind}/${ref}/${fromTop(target)})`;
  });
}
