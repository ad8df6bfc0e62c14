import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from '../../scripts/host/paths';

const TESTS = path.join(ROOT, 'test');

/** Guards that whoever opens a file of tests reads first what they're for, and can tell whether they're needed twice. */
describe('every file of tests', () => {
  it('says which promise it guards, in a comment before its tests that begins with “Guards”', () => {
    const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.test.ts'));
    assert.ok(files.length > 0);
    const silent = files.filter((name) => {
      const text = readFileSync(path.join(TESTS, name), 'utf8');
      return !/^(?:\/\*\* Guards [^\n]*|\/\*\*\n \* Guards (?: \*[^/]|[^*])*) ?\*\/\n(?:describe|it|for)\b/m.test(text);
    });
    assert.deepEqual(silent, []);
  });
});
