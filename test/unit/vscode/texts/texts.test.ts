import assert from 'node:assert/strict';
import { createTexts, MESSAGES } from '../../../../src/vscode/texts/texts';
import { english } from '../english';

const { signIn, times } = createTexts(english, 'en');
const MINUTE = 60_000;

/** Guards that times and codes are written as people read them. */
describe('the time left', () => {
  for (const [milliseconds, text] of [
    [8_600_000, '2 h 24 min'],
    [3_600_000, '1 h 0 min'],
    [3_599_000, '1 h 0 min'],
    [899_000, '15 min'],
    [600_000, '10 min'],
    [119_500, '2 min'],
    [90_001, '2 min'],
    [90_000, '90 s'],
    [80_500, '90 s'],
    [9_500, '10 s'],
    [8_500, '10 s'],
    [1, '10 s'],
    [0, '0 s'],
    [-5, '0 s'],
  ] as const) {
    it(`is ${text} for ${milliseconds} ms`, () => {
      assert.equal(times.left(milliseconds), text);
    });
  }
});

describe('a time', () => {
  for (const [away, text] of [
    [0, 'now'],
    [29_000, 'in 29 seconds'],
    [-85 * MINUTE, '1 hour ago'],
    [59 * MINUTE, 'in 59 minutes'],
    [30 * 24 * 60 * MINUTE, 'in 30 days'],
  ] as const) {
    it(`${away} ms away is ${text}`, () => {
      assert.equal(times.distance(1e12 + away, 1e12), text);
    });
  }

  it('is in the person’s language, or in the system’s if that’s unknown', () => {
    assert.equal(createTexts(english, 'de').times.distance(MINUTE, 0), 'in 1 Minute');
    assert.doesNotThrow(() => createTexts(english, 'no such language').times.date(0));
  });
});

describe('a code for screen readers', () => {
  it('is spelled', () => {
    assert.equal(signIn.spelled('Ab-1 2'), 'A, b, dash, 1, space, 2');
  });
});

/** Guards that activation doesn't wait for hundreds of texts that nobody may ever read. */
describe('the texts', () => {
  it('are looked up by their group when it is first read, and once', () => {
    const lookedUp: string[] = [];
    const l10n = {
      t: ({ message }: { readonly message: string }) => {
        lookedUp.push(message);
        return message;
      },
    };
    const texts = createTexts(l10n, 'en');
    assert.deepEqual(lookedUp, []);
    assert.equal(texts.buttons.signIn, 'Sign In');
    assert.equal(texts.buttons.signIn, 'Sign In');
    assert.deepEqual(lookedUp, Object.values(MESSAGES.buttons));
  });
});
