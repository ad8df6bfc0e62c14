import assert from 'node:assert/strict';
import fc from 'fast-check';
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
    [80_500, '80 s'],
    [21_000, '20 s'],
    [16_000, '15 s'],
    [9_500, '10 s'],
    [9_000, undefined],
    [0, undefined],
    [-5_000, undefined],
  ] as const) {
    it(`is ${text ?? 'no number'} for ${milliseconds} ms`, () => {
      assert.equal(times.left(milliseconds), text);
    });
  }
});

describe('the time left, whatever it is,', () => {
  const anyTime = fc.integer({ min: 9_001, max: 3 * 60 * 60_000 });
  /** What a text says, in milliseconds. */
  const read = (text = ''): number => {
    const units: Readonly<Record<string, number>> = { h: 60 * MINUTE, min: MINUTE, s: 1000 };
    const parts = [...text.matchAll(/(\d+) (\w+)/g)];
    return parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? Number.NaN), 0);
  };

  it('is rounded to minutes that aren’t over yet, and to seconds that are still left', () => {
    fc.assert(
      fc.property(anyTime, (milliseconds) => {
        const text = times.left(milliseconds) ?? '';
        assert.match(text, /^(?:\d+ h )?\d+ (?:min|s)$/);
        const seconds = Math.ceil(milliseconds / 1000) * 1000;
        const more = read(text) - seconds;
        assert.ok(text.endsWith('s') ? more <= 0 && more > -10_000 : more >= 0 && more < MINUTE, text);
      }),
    );
  });

  it('never grows while it passes', () => {
    fc.assert(
      fc.property(anyTime, fc.integer({ min: 0, max: 2 * MINUTE }), (milliseconds, passed) => {
        const before = read(times.left(milliseconds));
        assert.ok(read(times.left(milliseconds - passed)) <= before, `${before}`);
      }),
    );
  });
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
