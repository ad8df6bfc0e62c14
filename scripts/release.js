// What the release workflow needs to know of a tag, such as v0.2.0:
//   node scripts/release.js check v0.2.0   fails unless that's the version of the manifest, and the changelog has it
//   node scripts/release.js notes v0.2.0   prints its section of the changelog
'use strict';

const { readFileSync } = require('fs');
const { join } = require('path');

const ROOT = join(__dirname, '..');

/** The text below the heading of this version, without the heading; `undefined` if there's none. */
function sectionOf(changelog, version) {
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}] - `));
  return section && section.slice(section.indexOf('\n') + 1).trim();
}

function main(command, tag) {
  const match = /^v(\d+\.\d+\.\d+)$/.exec(tag || '');
  if (!['check', 'notes'].includes(command) || match === null) {
    throw new Error('Usage: node scripts/release.js check|notes v<version>');
  }
  const version = match[1];
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (manifest.version !== version) {
    throw new Error(`The tag is ${tag}, but the version in package.json is ${manifest.version}.`);
  }
  const notes = sectionOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version);
  if (!notes) throw new Error(`CHANGELOG.md has no section for ${version} with a date.`);
  if (command === 'notes') console.log(notes);
}

try {
  main(...process.argv.slice(2));
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
