import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ROOT } from '../../host/paths';

/** What the bundled extension did until a moment after `activate` had returned: it begins its work then. */
export interface AtStart {
  readonly secretReads: number;
  readonly connections: number;
}

/** The parts of the editor's interface that the extension may touch on its way up. */
const PARTS = (
  'window workspace authentication commands env l10n languages extensions EventEmitter CancellationError Disposable ' +
  'ThemeIcon ThemeColor Uri MarkdownString UIKind ConfigurationTarget ProgressLocation StatusBarAlignment ViewColumn ' +
  'QuickInputButtons'
).split(' ');

/** An editor in which everything exists and does nothing: any property is a function, a class and an object at once. */
function emptyEditor(): object {
  const nothing = function nothing(): void {
    // Does nothing.
  };
  // With a plain function for a target, it can be called and constructed.
  const thing: object = new Proxy(nothing, {
    get: (target, name): unknown => (name === 'then' || typeof name === 'symbol' ? Reflect.get(target, name) : thing),
    apply: () => thing,
    construct: () => thing,
  });
  return Object.fromEntries(PARTS.map((name) => [name, thing]));
}

/** By then, it has begun all that it begins by itself. Milliseconds. */
const A_MOMENT = 100;

/**
 * Activates `dist/extension.js` over an editor in which everything exists and does nothing, and sees what it does. This runs
 * in a process of its own.
 */
async function activateAndLook(): Promise<AtStart> {
  const editor = emptyEditor();
  const load = createRequire(__filename);
  const prototype: { require: (this: NodeJS.Module, name: string) => unknown } = Module.prototype;
  const own = prototype.require;
  prototype.require = function (name) {
    return name === 'vscode' ? editor : own.call(this, name);
  };
  let connections = 0;
  subscribe('net.client.socket', () => {
    connections++;
  });
  let secretReads = 0;
  const never = new Promise<undefined>(() => undefined);
  const context = {
    extension: { packageJSON: JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as object },
    globalStorageUri: { fsPath: path.join(os.tmpdir(), 'device-flow-startup') },
    globalState: { get: () => undefined, update: () => never },
    secrets: {
      get: () => {
        secretReads++;
        return never;
      },
      store: () => never,
      onDidChange: () => ({ dispose: () => undefined }),
    },
    subscriptions: [],
  };
  const extension = load(path.join(ROOT, 'dist', 'extension.js')) as { activate(context: object): unknown };
  const returned = extension.activate(context);
  if (returned instanceof Promise)
    throw new Error('activate returns a promise, so what comes before its end is unknown.');
  await setTimeout(A_MOMENT);
  return { secretReads, connections };
}

void activateAndLook().then((seen) => {
  process.stdout.write(`${JSON.stringify(seen)}\n`);
  process.exit(0);
});
