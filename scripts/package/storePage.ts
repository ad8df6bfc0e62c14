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
 * @param repository without one, pictures are left out, and links are left as their words, rather than leading nowhere
 */
export function storePage(page: string, repository: Repository | undefined): string {
  if (repository === undefined) {
    const withoutLinks = page.replace(RELATIVE, (_, isPicture: string, words: string) => (isPicture ? '' : words));
    return withoutLinks.replace(/\n{3,}/g, '\n\n');
  }
  const { ref, url } = repository;
  return page.replace(RELATIVE, (_, isPicture: string, words: string, target: string) => {
    const kind = isPicture === '' ? 'blob' : 'raw';
    return `${isPicture}[${words}](${url}/${kind}/${ref}/${fromTop(target)})`;
  });
}
