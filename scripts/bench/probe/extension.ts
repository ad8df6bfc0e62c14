import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { type Jobs, PROBE_FOLDER } from './jobs';

const SCOPES = ['bench'];

type Work = { readonly [K in keyof Jobs]: (ask: Jobs[K]['ask']) => Promise<Jobs[K]['answer']> };

/** Listens for jobs, one JSON object a line, and answers each with a line. */
export function activate(context: vscode.ExtensionContext): void {
  const folder = process.env[PROBE_FOLDER];
  if (folder === undefined) throw new Error('The probe is for the benchmarks only.');
  const server = createServer(serve);
  server.listen(path.join(folder, `${process.pid}.sock`));
  context.subscriptions.push(
    { dispose: () => server.close() },
    vscode.authentication.registerAuthenticationProvider('bench-constant', 'Constant', CONSTANT),
  );
}

const SESSION = { id: '1', accessToken: 'constant', account: { id: '1', label: 'Constant' }, scopes: SCOPES };

/** Does as little as a provider can. */
const CONSTANT: vscode.AuthenticationProvider = {
  onDidChangeSessions: new vscode.EventEmitter<never>().event,
  getSessions: () => Promise.resolve([SESSION]),
  createSession: () => Promise.resolve(SESSION),
  removeSession: () => Promise.resolve(),
};

function serve(socket: Socket): void {
  createInterface({ input: socket }).on('line', (line) => {
    const { name, ask } = JSON.parse(line) as { name: keyof Jobs; ask: never };
    WORK[name](ask).then(
      (answer) => socket.end(JSON.stringify({ answer })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
}

const WORK: Work = {
  activate: async ({ extensions }) => {
    for (const id of extensions) {
      const extension = vscode.extensions.getExtension(id);
      if (extension === undefined) throw new Error(`${id} is not installed.`);
      await extension.activate();
    }
    await vscode.authentication.getSession('github', SCOPES, { silent: true });
    return extensions.map(loadTime);
  },
  run: async ({ command, argument }) => {
    await vscode.commands.executeCommand(command, ...(argument === null ? [] : [argument]));
    return null;
  },
  signIn: async ({ provider }) => {
    await vscode.authentication.getSession(provider, SCOPES, { createIfNone: true });
    return { at: Date.now() };
  },
  compare: async ({ providers, calls }) => {
    const times: [number[], number[]] = [[], []];
    for (let call = 0; call < calls; call++) {
      // Each goes first as often as the other.
      const order = call % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const);
      for (const index of order) times[index].push(await timed(() => silently(providers[index])));
    }
    return times;
  },
};

/** Where VS Code notes when it does what. */
const { MonacoPerformanceMarks: marks } = globalThis as unknown as {
  readonly MonacoPerformanceMarks: { getMarks(): readonly { readonly name: string; readonly startTime: number }[] };
};

/** How long VS Code took to load the code of an extension. */
function loadTime(id: string): number {
  const noted = (what: string): number => {
    const mark = marks.getMarks().find(({ name }) => name === `code/extHost/${what}/${id}`);
    if (mark === undefined) throw new Error(`VS Code has no mark ${what} for ${id}.`);
    return mark.startTime;
  };
  return noted('didLoadExtensionCode') - noted('willLoadExtensionCode');
}

async function silently(provider: string): Promise<void> {
  const session = await vscode.authentication.getSession(provider, SCOPES, { silent: true });
  if (session === undefined) throw new Error(`There is no session of ${provider}.`);
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}
