import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { ROOT } from './paths';
import { runProgram } from './processes';

/** ID of the sample extension. */
export const SAMPLE_CONSUMER = 'device-flow-sample.sample-consumer';

/** Packages the sample extension, compiled before, and resolves with the package's path. */
export async function packSampleConsumer(): Promise<string> {
  const dist = path.join(ROOT, 'dist');
  await mkdir(dist, { recursive: true });
  const staging = await mkdtemp(path.join(dist, 'sample-consumer-'));
  const vsix = path.join(dist, 'sample-consumer.vsix');
  try {
    await copyFile(path.join(ROOT, 'test', 'consumer', 'package.json'), path.join(staging, 'package.json'));
    await copyFile(path.join(ROOT, 'test', 'consumer', 'README.md'), path.join(staging, 'README.md'));
    await copyFile(path.join(ROOT, 'LICENSE'), path.join(staging, 'LICENSE'));
    await copyFile(path.join(ROOT, 'out', 'test', 'consumer', 'extension.js'), path.join(staging, 'extension.js'));
    const vsce = path.join(ROOT, 'node_modules', '@vscode', 'vsce', 'vsce');
    const args = [vsce, 'package', '--no-dependencies', '--allow-missing-repository', '-o', vsix];
    await runProgram(process.execPath, args, { cwd: staging });
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return vsix;
}
