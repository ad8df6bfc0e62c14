import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import manifest from '../../package.json';
import { ROOT } from '../../host/paths';
import { WRITTEN, written } from '../../scripts/settings/pages';
import { systemClock } from '../../src/clock';
import { discover } from '../../src/oauth/metadata';
import { fillGaps, gapsIn, PRESETS } from '../../src/vscode/configure/presets';
import { readConfiguration } from '../../src/vscode/settings/configuration';
import { CONFIGURATION_MESSAGES } from '../../src/vscode/texts/configurationTexts';
import { RecordingLog } from '../support/recordingLog';

const { items } = manifest.contributes.configuration.properties['deviceFlow.services'];

/** Guards that what people and editors read of a service's fields is what the extension reads. */
describe('the description of a service', () => {
  for (const file of Object.keys(WRITTEN)) {
    it(`is in ${file} as \`npm run settings\` writes it`, async () => {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      // On Windows, Git may check files out with other ends of lines.
      assert.equal(text.replaceAll('\r\n', '\n'), await written(file, text.replaceAll('\r\n', '\n')));
    });
  }
});

/** Guards that what's offered for well-known services can be used. */
describe('the well-known services', () => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(items);
  const page = readFileSync(path.join(ROOT, 'docs', 'services.md'), 'utf8');

  it('have texts for all that people enter', () => {
    const gaps = PRESETS.flatMap(({ service }) => gapsIn(service));
    assert.deepEqual([...new Set(gaps)].sort(), Object.keys(CONFIGURATION_MESSAGES.gaps).sort());
    assert.deepEqual(
      PRESETS.map(({ name }) => name),
      Object.keys(CONFIGURATION_MESSAGES.presets),
    );
  });

  for (const [index, { clientSecret, name, service }] of PRESETS.entries()) {
    const filled = fillGaps(service, Object.fromEntries(gapsIn(service).map((gap) => [gap, 'mine.example'])));

    it(`can be used once the gaps are filled: ${name}`, async () => {
      assert.ok(gapsIn(service).length > 0 && gapsIn(filled).length === 0);
      assert.ok(validate(filled), JSON.stringify(validate.errors));
      const { problems, services } = readConfiguration([filled], 'fallback');
      assert.deepEqual(problems, []);
      const read = services.default ?? assert.fail();
      // All addresses are safe. Nothing is requested if the needed ones are set.
      const fetch = (): Promise<never> => Promise.reject(new Error('nothing should be requested'));
      const dependencies = {
        fetch,
        clock: systemClock,
        log: new RecordingLog(),
        random: randomBytes,
        userAgent: 'test',
      };
      await discover(dependencies, read.id, { deviceAuthorization: 'device', token: 'token', ...read.endpoints });
    });

    it(`have a chapter by the name in the menu, which says what to enter, in that order: ${name}`, () => {
      const heading = `${CONFIGURATION_MESSAGES.presets[name]}\n`;
      const chapter = page.split(/^## /m).find((one) => one.startsWith(heading)) ?? assert.fail();
      const [, toEnter = ''] = /^\*\*Enter\*\* ([^]*?)\n\n/m.exec(chapter) ?? [];
      const labels = gapsIn(service).map((gap) => CONFIGURATION_MESSAGES.gaps[gap].replace(/[:,].*/, ''));
      const asked = clientSecret === 'required' ? [...labels, 'client secret'] : labels;
      assert.match(toEnter, new RegExp(asked.join('.*'), 'is'));
    });

    it(`are on the page, and suggested in settings.json with numbered gaps: ${name}`, () => {
      assert.ok(page.includes(`<!-- The example ${name}, `));
      const body = JSON.stringify(items.defaultSnippets[index]?.body);
      assert.match(body, /\$\{1:YOUR-/);
      assert.deepEqual(JSON.parse(body.replaceAll(/\$\{\d:(YOUR-[A-Z-]+)\}/g, '$1')), service);
    });
  }
});

/** Guards that settings editors underline what the extension refuses. */
describe('the schema of the setting', () => {
  const validate = new Ajv({ allErrors: true, strict: false }).compile(items);
  const valid = { protocol: 'draft', baseUrl: 'https://a.example', clientId: 'c' };

  for (const [what, element] of [
    ['without a protocol', { ...valid, protocol: undefined }],
    ['with a client secret', { ...valid, clientSecret: 's' }],
    ['of an unknown protocol', { ...valid, protocol: 'x' }],
    ['with a misspelled field', { ...valid, client_id: 'x' }],
    ['with a part of a group that nobody knows', { ...valid, notify: { url: '/n' } }],
    ['with an address that isn’t secure', { ...valid, baseUrl: 'http://a.example' }],
  ] as const) {
    it(`underlines an element ${what}`, () => {
      const given = JSON.parse(JSON.stringify(element)) as unknown;
      assert.equal(validate(given), false);
      assert.notDeepEqual(readConfiguration([given], 'x').problems, []);
    });
  }

  it('has nothing against one that can be used', () => {
    assert.ok(validate(valid));
    assert.deepEqual(readConfiguration([valid], 'x').problems, []);
  });
});
