import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../package.json';
import { ROOT } from '../../scripts/host/paths';

interface Launch {
  readonly configurations: readonly { readonly preLaunchTask: string; readonly program?: string }[];
}

interface Tasks {
  readonly tasks: readonly { readonly label: string; readonly script?: string; readonly command?: string }[];
}

function read(name: string): unknown {
  return JSON.parse(readFileSync(path.join(ROOT, '.vscode', name), 'utf8'));
}

/** Guards that F5 starts the extension: nothing that it names may be gone. */
describe('what F5 starts', () => {
  const { configurations } = read('launch.json') as Launch;
  const { tasks } = read('tasks.json') as Tasks;

  it('waits for tasks that exist, and runs programs that exist', () => {
    assert.ok(configurations.length > 0);
    for (const { preLaunchTask, program = '' } of configurations) {
      assert.ok(
        tasks.some(({ label }) => label === preLaunchTask),
        preLaunchTask,
      );
      assert.ok(existsSync(path.join(ROOT, program.replace('${workspaceFolder}', ''))), program);
    }
  });

  it('runs npm scripts that exist', () => {
    const scripts = tasks.map(({ script, command }) => script ?? /^npm run (\S+)/.exec(command ?? '')?.[1]);
    assert.deepEqual(
      scripts.filter((script) => script === undefined || !Object.hasOwn(manifest.scripts, script)),
      [],
    );
  });
});
