import { request } from 'node:http';
import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Jobs } from './jobs';

const FOLDER = process.env['DEVICE_FLOW_BENCH_FOLDER'];
const MEASURED = 'device-flow.device-flow-authentication';
/** A new window has much else to do at first. Milliseconds. */
const UNTIL_QUIET = 2_000;
const CONSTANT = 'bench-constant';
const LATE = 'bench-late';
/** As long as a person takes at least, so that the consent's dialog is gone. Milliseconds. */
const LATE_BY = 1_500;
const SCOPES = ['bench'];

type Work = { readonly [K in keyof Jobs]: (ask: Jobs[K]['ask']) => Promise<Jobs[K]['answer']> };

/** Listens for jobs, one JSON object a line, and answers each with a line. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  if (FOLDER === undefined) throw new Error('The probe is for the benchmarks only.');
  const late = new LateProvider();
  const server = createServer((socket) => {
    serve(socket, work(context.secrets, late));
  });
  server.listen(path.join(FOLDER, `${process.pid}.sock`));
  context.subscriptions.push(
    { dispose: () => server.close() },
    vscode.authentication.registerAuthenticationProvider(CONSTANT, 'Constant', new ConstantProvider()),
    vscode.authentication.registerAuthenticationProvider(LATE, 'Late', late),
  );
  // Until this is over, VS Code activates no extension that waits for the end of the start.
  if (existsSync(path.join(FOLDER, 'apart'))) {
    await pause(UNTIL_QUIET);
    await activated();
  }
}

/** Does as little as a provider can. */
class ConstantProvider implements vscode.AuthenticationProvider {
  readonly onDidChangeSessions = new vscode.EventEmitter<never>().event;
  readonly #session = { id: '1', accessToken: 'constant', account: { id: '1', label: 'Constant' }, scopes: SCOPES };

  getSessions(): Promise<vscode.AuthenticationSession[]> {
    return Promise.resolve([this.#session]);
  }

  createSession(): Promise<vscode.AuthenticationSession> {
    return Promise.resolve(this.#session);
  }

  removeSession(): Promise<void> {
    return Promise.resolve();
  }
}

/** Signs in by waiting, and tells VS Code of it as a provider should. */
class LateProvider implements vscode.AuthenticationProvider {
  readonly #changes = new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  readonly onDidChangeSessions = this.#changes.event;
  #session: vscode.AuthenticationSession | undefined;
  /** When it handed over the last session, by the wall clock. */
  handed = 0;

  getSessions(): Promise<vscode.AuthenticationSession[]> {
    return Promise.resolve(this.#session === undefined ? [] : [this.#session]);
  }

  async createSession(): Promise<vscode.AuthenticationSession> {
    await pause(LATE_BY);
    const session = { id: '1', accessToken: 'late', account: { id: '1', label: 'Late' }, scopes: SCOPES };
    this.#session = session;
    this.#changes.fire({ added: [session], changed: undefined, removed: undefined });
    this.handed = Date.now();
    return session;
  }

  removeSession(): Promise<void> {
    const removed = this.#session === undefined ? [] : [this.#session];
    this.#session = undefined;
    this.#changes.fire({ added: undefined, changed: undefined, removed });
    return Promise.resolve();
  }
}

function serve(socket: Socket, jobs: Work): void {
  createInterface({ input: socket }).on('line', (line) => {
    const { name, ask } = JSON.parse(line) as { name: keyof Jobs; ask: never };
    jobs[name](ask).then(
      (answer) => socket.end(JSON.stringify({ answer })),
      (error: unknown) => socket.end(JSON.stringify({ error: String(error) })),
    );
  });
}

function work(secrets: vscode.SecretStorage, late: LateProvider): Work {
  return {
    wakeGithub: async () => {
      await vscode.authentication.getSession('github', SCOPES, { silent: true });
      return null;
    },
    activated: async () => {
      await activated();
      return null;
    },
    setSecret: async ({ secret }) => {
      await vscode.commands.executeCommand('deviceFlow.setClientSecret', secret);
      return null;
    },
    signIn: async ({ provider }) => {
      await vscode.authentication.getSession(provider, SCOPES, { createIfNone: true });
      return { at: Date.now() };
    },
    signInLate: async () => {
      await late.removeSession();
      await vscode.authentication.getSession(LATE, SCOPES, { createIfNone: true });
      return { handed: late.handed, at: Date.now() };
    },
    signOut: async () => {
      await vscode.commands.executeCommand('deviceFlow.signOut');
      return null;
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
    burst: async ({ provider, calls }) => {
      const began = performance.now();
      const tokens = await Promise.all(Array.from({ length: calls }, () => silently(provider)));
      return { tokens: new Set(tokens).size, took: performance.now() - began };
    },
    roundTrip: ({ url, calls }) => inTurn(calls, () => post(url)),
    secrets: async ({ bytes, calls }) => ({
      store: await inTurn(calls, () => secrets.store('bench', 'x'.repeat(bytes))),
      get: await inTurn(calls, () => secrets.get('bench')),
    }),
  };
}

async function activated(): Promise<void> {
  const extension = vscode.extensions.getExtension(MEASURED);
  if (extension === undefined) throw new Error(`${MEASURED} is not installed.`);
  await extension.activate();
}

async function silently(provider: string): Promise<string> {
  const session = await vscode.authentication.getSession(provider, SCOPES, { silent: true });
  if (session === undefined) throw new Error(`There is no session of ${provider}.`);
  return session.accessToken;
}

async function inTurn(calls: number, action: () => Thenable<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let call = 0; call < calls; call++) times.push(await timed(action));
  return times;
}

async function timed(action: () => Thenable<unknown>): Promise<number> {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

function post(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent: false }, (response) => {
      response.on('end', resolve).resume();
    })
      .on('error', reject)
      .end();
  });
}
