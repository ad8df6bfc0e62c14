import assert from 'node:assert/strict';
import path from 'node:path';
import { runProgram } from '../../host/processes';
import type { AtStart } from './activateBundle';

/** Guards that activating the bundle costs VS Code's start next to nothing. */
describe('the activation of the bundle', () => {
  it('uses no network, and reads SecretStorage at most twice', async () => {
    const seen = await runProgram(process.execPath, [path.join(__dirname, 'activateBundle.js')]);
    const { connections, secretReads } = JSON.parse(seen) as AtStart;
    assert.equal(connections, 0);
    assert.ok(secretReads <= 2, `${secretReads} reads`);
  });
});
