// What the release workflow needs to know of a tag, such as v0.2.0:
//   node scripts/release.js check v0.2.0   fails unless everything that names the version says this one; prints what it checked
//   node scripts/release.js notes v0.2.0   prints its section of the changelog
'use strict';

const { readdirSync, readFileSync } = require('fs');
const { join } = require('path');

const ROOT = join(__dirname, '..');

const read = (...names) => readFileSync(join(ROOT, ...names), 'utf8');

/** The section of this version: its date, and the text below its heading. `undefined` if there's none with a date. */
function sectionOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}] - `)) ?? '';
  const [, date, text = ''] = /^\S+ - (\d{4}-\d\d-\d\d)\n([^]*)/.exec(section) ?? [];
  return date && text.trim() ? { date, text: text.trim() } : undefined;
}

/** Says of the date whether it's today's, here or in UTC, where the workflow runs. */
function dated(date) {
  const now = new Date();
  const local = new Date(now.getTime() - now.getTimezoneOffset() * 60_000);
  const isToday = [now, local].some((time) => time.toISOString().startsWith(date));
  return isToday ? `${date}, today` : `${date}, which isn't today`;
}

/** The versions of the npm package that the README and the pages in docs name. */
function namedTarballs() {
  const pages = ['README.md', ...readdirSync(join(ROOT, 'docs')).map((name) => join('docs', name))];
  return pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) =>
      [...read(page).matchAll(/vscode-device-flow-(\d+\.\d+\.\d+)\.tgz/g)].map(([, found]) => [
        `version of the npm package in ${page}`,
        found,
      ]),
    );
}

/** Everything that names the version: its place, and what it says. */
function namedVersions() {
  const lock = JSON.parse(read('package-lock.json'));
  return [
    ['version in package.json', JSON.parse(read('package.json')).version],
    ['version in package-lock.json', lock.version],
    ['version of the package "" in package-lock.json', lock.packages[''].version],
    ...namedTarballs(),
  ];
}

function main(command, tag) {
  const [, version] = /^v(\d+\.\d+\.\d+)$/.exec(tag ?? '') ?? [];
  if (!['check', 'notes'].includes(command) || version === undefined) {
    throw new Error('Usage: node scripts/release.js check|notes v<version>');
  }
  const section = sectionOf(read('CHANGELOG.md'), version);
  if (command === 'notes') {
    if (section === undefined) throw new Error(`CHANGELOG.md has no section for ${version} with a date.`);
    console.log(section.text);
    return;
  }
  const named = namedVersions();
  const problems = [
    ...named
      .filter(([, found]) => found !== version)
      .map(([place, found]) => `The tag is ${tag}, but the ${place} is ${found}.`),
    ...(section === undefined ? [`CHANGELOG.md has no section for ${version} with a date.`] : []),
  ];
  if (problems.length > 0) throw new Error(problems.join('\n'));
  for (const [place, found] of named) console.log(`OK: the ${place} is ${found}.`);
  console.log(`OK: CHANGELOG.md has a section for ${version}, dated ${dated(section.date)}.`);
}

try {
  main(...process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
