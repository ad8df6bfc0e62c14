import path from 'node:path';
import { command } from '../commandLine';
import { ROOT } from '../host/paths';
import { runProgram, runScript } from '../host/processes';
import { packageForService } from './forService';
import { readServiceFile } from './serviceFile';

/** RFC 8252, section 8.5. */
const SECRET_WARNING =
  'Warning: the package contains the client secret, and everyone who has the package can read it. It proves nothing ' +
  'about who uses it, so the service must not rely on it.';

async function main(): Promise<number> {
  const { service } = command(
    'npm run package --',
    'Builds a package: dist/device-flow-authentication.vsix without options, or dist/<name>.vsix for one service.',
  )
    .option('--service <file>', 'JSON file that describes the build; see docs/for-publishers.md.')
    .parse()
    .opts<{ readonly service?: string }>();
  if (service === undefined) throw new Error('Name the file with --service.');
  const file = path.resolve(process.env['INIT_CWD'] ?? process.cwd(), service);
  if ('clientSecret' in (await readServiceFile(file)).service) console.error(SECRET_WARNING);
  await runProgram(process.execPath, ['esbuild.js', '--production'], { cwd: ROOT });
  console.log(path.relative(ROOT, await packageForService(file)));
  return 0;
}

runScript(main);
