import assert from 'node:assert/strict';
import { wholeNumber } from '../../../../src/vscode/settings/fieldKinds';
import { mistakeIn } from '../../../../src/vscode/settings/mistakes';
import { InvalidValueError } from '../../../../src/vscode/settings/validate';

/** Guards the kinds of fields that no field of a service has at the moment. */
describe('a field that’s a whole number', () => {
  const seconds = wholeNumber({ purpose: 'Seconds to wait.', default: 15 }, { least: 5, most: 120 });

  it('takes the numbers between its bounds, and says these in its schema', () => {
    assert.deepEqual([seconds.read(5), seconds.read(120), seconds.default], [5, 120, 15]);
    assert.deepEqual(seconds.schema, { type: 'integer', minimum: 5, maximum: 120 });
  });

  for (const wrong of [4, 121, 7.5, '15', Number.NaN, [15]]) {
    it(`refuses ${JSON.stringify(wrong)}, and says what it takes`, () => {
      assert.throws(
        () => seconds.read(wrong),
        (error: unknown) => {
          assert.ok(error instanceof InvalidValueError);
          const mistake = mistakeIn({ field: 'patience', problem: error.problem });
          return mistake === 'is wrong. Enter a whole number from 5 to 120.';
        },
      );
    });
  }
});
