import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import type { ServiceOptions } from '../../src/library';
import manifest from '../../package.json';
import { ROOT } from '../../host/paths';

/** The provider of the embedder, and the first part of its command. */
export const EMBEDDED = 'bench-embedded';

/** The ID of the extension. */
export const EMBEDDER = 'bench.embedder';

const MANIFEST = {
  name: 'embedder',
  publisher: 'bench',
  version: '1.0.0',
  engines: manifest.engines,
  main: './extension.js',
  extensionKind: manifest.extensionKind,
  capabilities: manifest.capabilities,
  contributes: { authentication: [{ id: EMBEDDED, label: 'Embedded' }] },
};

/**
 * Bundles an extension that embeds the library and does nothing else.
 * @param service the service that it signs people in to
 * @returns its code, minified
 */
export async function bundleEmbedder(service?: ServiceOptions): Promise<string> {
  const options = JSON.stringify({ id: EMBEDDED, label: 'Embedded', service });
  const { outputFiles } = await build({
    stdin: {
      contents: `import { registerDeviceFlow } from './dist/library/index.mjs';
        export const activate = (context) => registerDeviceFlow(context, ${options});`,
      resolveDir: ROOT,
    },
    bundle: true,
    charset: 'utf8',
    external: ['vscode'],
    format: 'cjs',
    minify: true,
    platform: 'node',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

/** Puts that extension, which nothing wakes by itself, into a new folder. */
export async function writeEmbedder(folder: string, service: ServiceOptions): Promise<void> {
  await mkdir(folder);
  await writeFile(path.join(folder, 'extension.js'), await bundleEmbedder(service));
  await writeFile(path.join(folder, 'package.json'), JSON.stringify(MANIFEST));
}
