import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { type ActivationTime, type Jobs, PROBE_FOLDER } from './jobs';

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

/** The sessions of the constant provider. */
let held = [constantSession(1)];

function constantSession(number: number): vscode.AuthenticationSession {
  const id = String(number);
  return { id, accessToken: 'constant', account: { id, label: `Constant ${id}` }, scopes: SCOPES };
}

/** Does as little as a provider can. */
const CONSTANT: vscode.AuthenticationProvider = {
  onDidChangeSessions: new vscode.EventEmitter<never>().event,
  getSessions: () => Promise.resolve(held),
  createSession: () => Promise.resolve(constantSession(1)),
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
    const times: Record<string, ActivationTime> = {};
    for (const id of extensions) {
      await untilIdle();
      times[id] = await activateExtension(id);
    }
    return times;
  },
  run: async ({ command, argument }) => {
    await vscode.commands.executeCommand(command, ...(argument === null ? [] : [argument]));
    return null;
  },
  signIn: async ({ provider }) => {
    await vscode.authentication.getSession(provider, SCOPES, { createIfNone: true });
    return { at: Date.now() };
  },
  hold: ({ sessions }) => {
    held = Array.from({ length: sessions }, (_, index) => constantSession(index + 1));
    return Promise.resolve(null);
  },
  compare: async ({ providers, calls }) => {
    const times = providers.map((): number[] => []);
    for (let call = 0; call < calls; call++) {
      // Each goes first as often as the others.
      for (let turn = 0; turn < providers.length; turn++) {
        const index = (call + turn) % providers.length;
        const provider = providers[index] ?? '';
        times[index]?.push(await timed(() => silently(provider)));
      }
    }
    return times;
  },
};

/** How long the extension host is watched at a time, in milliseconds, and how busy it may be to count as idle. */
const WATCH = 100;
const IDLE = 0.1;

/** Waits until the extension host has nothing to do. */
async function untilIdle(): Promise<void> {
  let utilization = 1;
  while (utilization > IDLE) {
    const before = performance.eventLoopUtilization();
    await new Promise((resolve) => setTimeout(resolve, WATCH));
    utilization = performance.eventLoopUtilization(before).utilization;
  }
}

async function activateExtension(id: string): Promise<ActivationTime> {
  const extension = vscode.extensions.getExtension(id);
  if (extension === undefined) throw new Error(`${id} is not installed.`);
  if (extension.isActive) throw new Error(`${id} was activated before it could be measured.`);
  await extension.activate();
  return {
    load: noted('didLoadExtensionCode', id) - noted('willLoadExtensionCode', id),
    activate: noted('didActivateExtension', id) - noted('willActivateExtension', id),
  };
}

/** Where VS Code notes when it does what. */
const { MonacoPerformanceMarks: marks } = globalThis as unknown as {
  readonly MonacoPerformanceMarks: { getMarks(): readonly { readonly name: string; readonly startTime: number }[] };
};

/** When VS Code did something with an extension. */
function noted(what: string, id: string): number {
  const mark = marks.getMarks().find(({ name }) => name === `code/extHost/${what}/${id}`);
  if (mark === undefined) throw new Error(`VS Code has no mark ${what} for ${id}.`);
  return mark.startTime;
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
