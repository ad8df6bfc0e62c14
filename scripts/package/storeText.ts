/** Of repositories at these sites, the packager knows where files are. */
const KNOWN_SITE = /^https:\/\/(?:github|gitlab)\.com\//;

/** Whether relative links lead into this repository. */
export function hasKnownSite(repository: string | undefined): boolean {
  return KNOWN_SITE.test(repository ?? '');
}

/** What's shown of a Markdown file as it is, so that links in it aren't links. */
const CODE = /^ {0,3}(```|~~~)[^]*?^ {0,3}\1|`[^`\n]+`|<!--[^]*?-->/gm;

/** Pictures and links, in Markdown and in HTML. A picture may be what's linked. */
const IMAGES = [/!\[[^\]]*\]\(\s*<?([^)\s>]+)/g, /<(?:img|video)\b[^>]*?\bsrc\s*=\s*["']([^"']+)["']/gi];
const LINKS = [
  /(?<!!)\[(?:[^\][]|!\[[^\]]*\]\([^)]*\))*\]\(\s*<?([^)\s>]+)/g,
  /<a\b[^>]*?\bhref\s*=\s*["']([^"']+)["']/gi,
  /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm,
];

/** Whose SVG badges the Marketplace shows: https://code.visualstudio.com/api/references/extension-manifest#approved-badges */
const BADGE_HOSTS: readonly string[] = [
  'api.travis-ci.com app.fossa.io badge.buildkite.com badge.fury.io badgen.net badges.frapsoft.com badges.gitter.im',
  'cdn.travis-ci.com ci.appveyor.com circleci.com cla.opensource.microsoft.com codacy.com codeclimate.com codecov.io',
  'coveralls.io david-dm.org deepscan.io dev.azure.com docs.rs flat.badgen.net gitlab.com godoc.org goreportcard.com',
  'img.shields.io isitmaintained.com marketplace.visualstudio.com nodesecurity.io opencollective.com snyk.io',
  'travis-ci.com visualstudio.com vsmarketplacebadges.dev',
].flatMap((hosts) => hosts.split(' '));

/** The badge of a workflow, which it shows, too. */
const GITHUB_BADGE = /^https:\/\/github\.com\/[^/]+\/[^/]+\/(?:actions\/)?workflows\//;

/** A picture or a link of a text. */
interface Target {
  readonly address: string;
  readonly isImage: boolean;
  readonly line: number;
}

/**
 * What the stores don't show of a Markdown text, or what leads nowhere there: a sentence for each picture or link.
 * @param repository without one, or if nobody knows where its files are, relative addresses lead nowhere
 */
export function storeTextProblems(text: string, repository: string | undefined): readonly string[] {
  const shown = text.replace(CODE, (code) => code.replace(/[^\n]/g, ' '));
  const targets = [...targetsIn(shown, IMAGES, true), ...targetsIn(shown, LINKS, false)];
  const problems = targets.flatMap(({ address, isImage, line }) => {
    const problem = isImage ? imageProblem(address, repository) : linkProblem(address, repository);
    return problem === undefined ? [] : [`Line ${line}: ${address} ${problem}`];
  });
  return /<svg\b/i.test(shown) ? [...problems, 'The stores show no <svg>.'] : problems;
}

function targetsIn(text: string, patterns: readonly RegExp[], isImage: boolean): readonly Target[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: { length }, 1: address = '', index }) => ({
      address,
      isImage,
      line: text.slice(0, index + length).split('\n').length,
    })),
  );
}

function imageProblem(address: string, repository: string | undefined): string | undefined {
  if (/\.svg(?:[?#]|$)/i.test(address) && !isBadge(address))
    return 'is an SVG, which the stores don’t show. Use a PNG.';
  if (isRelative(address)) return relativeProblem(repository);
  return /^https:/i.test(address) ? undefined : 'must begin with https://.';
}

function isBadge(address: string): boolean {
  return GITHUB_BADGE.test(address) || (URL.canParse(address) && BADGE_HOSTS.includes(new URL(address).host));
}

function linkProblem(address: string, repository: string | undefined): string | undefined {
  return isRelative(address) && !address.startsWith('#') ? relativeProblem(repository) : undefined;
}

function isRelative(address: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(address);
}

function relativeProblem(repository: string | undefined): string | undefined {
  return hasKnownSite(repository)
    ? undefined
    : 'leads nowhere in the stores. Enter a whole address, or name a repository at github.com or gitlab.com in repository.';
}
