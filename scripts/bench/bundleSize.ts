import { statSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { InstalledHost } from '../../host/install';
import { ROOT } from '../../host/paths';
import { bundleEmbedder } from './embedder';
import { compared, type Figure } from './report';

const LIMIT = 0.9;
/** The library has no more than the extension, and a little that only it has. */
const LIBRARY_LIMIT = 1.05;

/** Bytes of the minified bundles: the extension's beside VS Code's own GitHub provider, and the library's beside ours. */
export async function measureBundle({ vscode }: InstalledHost): Promise<Figure[]> {
  const own = statSync(path.join(ROOT, 'dist', 'extension.js')).size;
  const github = statSync(path.join(vscode, 'extensions', 'github-authentication', 'dist', 'extension.js')).size;
  const embedder = Buffer.byteLength(await bundleEmbedder());
  return [
    compared(
      {
        what: 'Size of the extension’s one script, minified',
        unit: 'bytes',
        note: `The MCP servers of builds for one service are ${(await sizeOfMcp()).toLocaleString('en')} bytes of it.`,
      },
      [own],
      { what: 'github-authentication', values: [github] },
      LIMIT,
    ),
    compared(
      { what: 'Size of an extension that embeds the library and does nothing else, minified', unit: 'bytes' },
      [embedder],
      { what: 'this extension', values: [own] },
      LIBRARY_LIMIT,
    ),
  ];
}

/** What the folder of the MCP servers adds to the script. */
async function sizeOfMcp(): Promise<number> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/extension.ts'],
    bundle: true,
    charset: 'utf8',
    external: ['vscode'],
    metafile: true,
    minify: true,
    outfile: 'dist/extension.js',
    platform: 'node',
    write: false,
  });
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs: each }) => Object.entries(each));
  return inputs
    .filter(([name]) => name.startsWith('src/vscode/mcp/'))
    .reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
}
