import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import manifest from '../../package.json';
import { ROOT } from '../host/paths';

const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

/** The compiler's errors in a module of an extension with no stricter options than `strict`. */
function compile(source: string): string[] {
  const file = path.join(ROOT, 'out', 'readmeSample.ts');
  writeFileSync(file, source);
  const program = ts.createProgram([file], {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Node16,
    types: ['node', 'vscode'],
    typeRoots: [path.join(ROOT, 'node_modules', '@types')],
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

describe('what the README tells authors of other extensions', function () {
  this.timeout(60_000);
  const samples = [...readme.matchAll(/```ts\n([^]*?)```/g)].map(([, source = '']) => source);

  it('has TypeScript that compiles under strict', () => {
    assert.ok(samples.length > 0);
    assert.deepEqual(samples.flatMap(compile), []);
  });

  it('names the extension for extensionDependencies', () => {
    assert.ok(readme.includes(`"extensionDependencies": ["${manifest.publisher}.${manifest.name}"]`));
  });
});
