import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import bundle from '../../../l10n/bundle.l10n.json';
import manifest from '../../../package.json';
import nls from '../../../package.nls.json';
import { createTexts } from '../../../src/vscode/texts/texts';
import { ROOT } from '../../../host/paths';
import { MetadataError, ServiceError } from '../../../src/oauth/errors';
import { DeviceCodeError } from '../../../src/signin/deviceFlow';
import { StoreUnavailableError, type StoreUnavailableReason } from '../../../src/storage/storeUnavailable';
import { describeFailure } from '../../../src/vscode/failures/describeFailure';
import { CHAPTERS } from '../../../src/vscode/failures/failure';
import { CONFIGURATION_MESSAGES } from '../../../src/vscode/texts/configurationTexts';
import { english } from '../vscode/english';
import { chaptersAbout, chapters } from './troubleshootingPage';
import { FAILURES } from '../vscode/failures/samples';

/** The page on one line, because quotes and names may be wrapped. */
function troubleshooting(): string {
  return readFileSync(path.join(ROOT, 'docs', 'troubleshooting.md'), 'utf8').replace(/\s+/g, ' ');
}

const EVERY_METADATA_PROBLEM: Readonly<Record<MetadataError['problem'], true>> = {
  'other issuer': true,
  'document address': true,
  'missing endpoint': true,
  'unsafe endpoint': true,
};
const EVERY_STORE_PROBLEM: Readonly<Record<StoreUnavailableReason, true>> = {
  reload: true,
  'newer version': true,
  folder: true,
  'folder full': true,
  'folder read-only': true,
  'folder not allowed': true,
  'folder in use': true,
  'secret storage': true,
  'no sqlite': true,
  'no file locks': true,
};

/** Errors of a sign-in, one of each kind. */
const ERRORS: readonly Error[] = [
  ...FAILURES,
  ...Object.keys(EVERY_METADATA_PROBLEM).map(
    (one) => new MetadataError(one as MetadataError['problem'], true, { endpoint: 'token' }),
  ),
  ...Object.keys(EVERY_STORE_PROBLEM).map((one) => new StoreUnavailableError(one as StoreUnavailableReason)),
  new DeviceCodeError('expired'),
  new DeviceCodeError('expired', new ServiceError('poll', 503, undefined)),
  new DeviceCodeError('foreign page'),
  new ServiceError('device authorization', 400, 'invalid_request', { isAboutPkce: true }),
  new ServiceError('device authorization', 400, 'invalid_request', { number: 'AADSTS50105' }),
  new ServiceError('metadata', 511, undefined),
  new Error('something unexpected'),
];

/** Guards that the page quotes the texts that people see. */
describe('docs/troubleshooting.md', () => {
  it('has the chapters that buttons lead to', () => {
    const anchors = [...chapters().keys()];
    assert.deepEqual(
      CHAPTERS.filter((chapter) => !anchors.includes(chapter)),
      [],
    );
  });

  for (const error of ERRORS) {
    it(`is where the message about an error leads if it explains that, and only then: ${error.message}`, () => {
      const { chapter, offers, text } = describeFailure(
        { brand: { prefix: 'deviceFlow', configuredBy: 'person' as const }, texts: createTexts(english, 'en') },
        error,
        { service: 'My Service', baseUrl: 'https://service.example' },
      );
      const explaining = chaptersAbout(text);
      assert.equal(
        offers.includes('troubleshoot'),
        explaining.length > 0,
        `${text} is explained in: ${explaining.join()}`,
      );
      if (explaining.length > 0)
        assert.ok(explaining.includes(chapter ?? 'none'), `${text} ${chapter ?? 'none'}: ${explaining.join()}`);
    });
  }

  const messages = Object.values(bundle).map((text) => (typeof text === 'string' ? text : text.message));

  it('quotes messages as they are; an ellipsis stands for the rest', () => {
    const quoted = [...troubleshooting().matchAll(/“([^”]+)”/g)].map(([, quote = '']) => quote);
    assert.ok(quoted.length >= 10, `only ${quoted.length} messages were found`);
    const pieces = (quote: string): string[] => quote.split('…').map((piece) => piece.trim());
    const unknown = quoted.filter(
      (quote) => !messages.some((text) => pieces(quote).every((piece) => text.includes(piece))),
    );
    assert.deepEqual(unknown, []);
  });

  it('names buttons, choices and commands as they are', () => {
    const named = [...troubleshooting().matchAll(/\*\*(?:Device Flow: )?([^*]+)\*\*/g)].map(([, name = '']) => name);
    assert.ok(named.length >= 5, `only ${named.length} names were found`);
    const { buttons, codeButtons, sessions } = createTexts(english, 'en');
    const texts = [buttons, codeButtons, sessions, CONFIGURATION_MESSAGES].flatMap((one): readonly unknown[] =>
      Object.values(one),
    );
    const known = [...texts, 'Show Status'];
    const unknown = named.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });

  it('names commands as the Command Palette shows them, unless it’s about a button to select', () => {
    const { category } = nls;
    const commands = manifest.contributes.commands.map(({ title }) => nls[title.replaceAll('%', '') as 'category']);
    const sentences = troubleshooting().split(/(?<=\.|(?<!Flow):) /);
    const bare = new RegExp(`\\*\\*(?:${commands.join('|')})\\*\\*`);
    assert.ok(sentences.some((sentence) => sentence.includes(`**${category}: ${commands[0] ?? ''}**`)));
    assert.deepEqual(
      sentences.filter((sentence) => bare.test(sentence) && !/\bselect\b/i.test(sentence)),
      [],
    );
  });
});
