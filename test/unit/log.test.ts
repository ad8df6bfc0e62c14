import assert from 'node:assert/strict';
import { safeTrace } from '../../src/log';

describe('an error for the log', () => {
  it('has its kind and place, and not its message', () => {
    const trace = safeTrace(new RangeError('a secret\n    at secret (/a/b:1:2)'));
    assert.match(trace, /^RangeError\n {2}at /);
    assert.ok(!trace.includes('secret'));
    assert.equal(safeTrace('a secret'), 'string');
  });
});
