// What people read in the stores: docs/marketplace.md, with links that work there.
'use strict';

/** A link or picture of Markdown whose target is a file of this repository. */
const RELATIVE = /(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)/g;

/** Where a link of a page in docs/ leads, as seen from the top of the repository. */
function fromTop(target) {
  return target.startsWith('../') ? target.slice('../'.length) : `docs/${target}`;
}

/**
 * The page for the stores.
 * @param page the text of docs/marketplace.md
 * @param repository the address of the repository on GitHub, such as the release workflow knows it; without one, pictures are left
 *   out, and links are left as their words, rather than leading nowhere
 * @param ref the tag whose files are linked to
 */
function storePage(page, repository, ref) {
  if (!repository) {
    const withoutLinks = page.replace(RELATIVE, (_, isPicture, words) => (isPicture ? '' : words));
    return withoutLinks.replace(/\n{3,}/g, '\n\n');
  }
  return page.replace(RELATIVE, (_, isPicture, words, target) => {
    const kind = isPicture ? 'raw' : 'blob';
    return `${isPicture}[${words}](${repository}/${kind}/${ref || 'HEAD'}/${fromTop(target)})`;
  });
}

module.exports = { storePage };
