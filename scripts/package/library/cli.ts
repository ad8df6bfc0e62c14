import { createRequire } from 'node:module';
import path from 'node:path';
import type { Command } from 'commander';
import { command, messageOf } from '../../../host/commandLine';
import { packageForService } from '../forService';
import { warnPublisher } from '../warnings';

/** The folder of this package, when this is bundled in it. */
const PACKAGE = __dirname;

/**
 * The script of VS Code's packager, which publishers have installed: beside their file, or beside this package.
 * @throws Error that says how to install it
 */
function findPackager(): string {
  for (const from of [path.join(process.cwd(), 'package.json'), __filename]) {
    const load = createRequire(from);
    try {
      const manifest = load.resolve('@vscode/vsce/package.json');
      const { bin } = load(manifest) as { readonly bin: { readonly vsce: string } };
      return path.resolve(path.dirname(manifest), bin.vsce);
    } catch {
      // Not there.
    }
  }
  throw new Error(
    'The package is made by @vscode/vsce, which isn’t installed. Run: npm install --save-dev @vscode/vsce',
  );
}

async function build({ out, service }: { readonly out: string; readonly service: string }): Promise<void> {
  const vsce = findPackager();
  const file = path.resolve(service);
  await warnPublisher(file);
  const parts = path.join(PACKAGE, 'extension');
  console.log(path.relative(process.cwd(), await packageForService(file, { into: path.resolve(out), parts, vsce })));
}

const program: Command = command('vscode-device-flow', 'Builds extensions that sign people in to one service.');
program
  .addCommand(
    command('package', 'Builds the VSIX of an extension for one service.')
      .requiredOption('--service <file>', 'JSON file that describes the build.')
      .option('--out <folder>', 'Folder that gets the VSIX.', '.')
      .action(build),
  )
  .parseAsync()
  .catch((error: unknown) => {
    console.error(messageOf(error));
    process.exitCode = 1;
  });
