import path from 'node:path';
import { command } from '../../host/commandLine';
import { ROOT, VSIX } from '../../host/paths';
import { runProgram, runScript } from '../../host/processes';
import { packageExtension } from './extension';
import { packageForService } from './forService';
import { packageLibrary } from './library/package';
import { VSCE } from './packager';
import { repositoryIn } from './repository';
import { warnPublisher } from './warnings';

const DIST = path.join(ROOT, 'dist');

async function main(): Promise<number> {
  const { library, service } = command(
    'npm run package --',
    'Builds a package: dist/device-flow-authentication.vsix without options.',
  )
    .option('--service <file>', 'Build dist/<name>.vsix for the service in this JSON file; see docs/for-publishers.md.')
    .option('--library', 'Build the npm package for other extensions: dist/vscode-device-flow-<version>.tgz.')
    .parse()
    .opts<{ readonly service?: string; readonly library?: boolean }>();
  if (service !== undefined && library !== undefined) throw new Error('Give either --service or --library.');
  const repository = repositoryIn(process.env);
  const bundle = (...args: string[]): Promise<unknown> =>
    runProgram(process.execPath, ['esbuild.js', '--production', ...args], { cwd: ROOT });
  if (library !== undefined) {
    await bundle();
    await bundle('--library');
    console.log(path.relative(ROOT, await packageLibrary(repository)));
    return 0;
  }
  if (service === undefined) {
    await bundle();
    await packageExtension(repository);
    console.log(path.relative(ROOT, VSIX));
    return 0;
  }
  const file = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), service);
  await warnPublisher(file);
  await bundle();
  console.log(path.relative(ROOT, await packageForService(file, { into: DIST, parts: ROOT, vsce: VSCE })));
  return 0;
}

runScript(main);
