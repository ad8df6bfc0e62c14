import { appendFile } from 'node:fs/promises';
import * as vscode from 'vscode';

/** One line of what the probe wrote down. Times are wall-clock milliseconds. */
export type ProbeLine =
  | {
      readonly kind: 'asked';
      readonly pid: number;
      readonly asked: number;
      readonly served: number;
      /** Status of a call of the service with the token that was served; absent if there was no session. */
      readonly status: number | undefined;
      /** When the service had answered that call. */
      readonly tried: number;
    }
  | { readonly kind: 'failed'; readonly pid: number; readonly at: number; readonly message: string }
  | { readonly kind: 'event'; readonly pid: number; readonly at: number }
  | { readonly kind: 'reported'; readonly pid: number; readonly at: number; readonly answers: readonly unknown[] };

const PROVIDER = 'device-flow';
const SCOPES = ['probe'];
const PAUSE = 250;
/** How many callers report a rejected token at once. */
const REPORTS = 100;

/** Asks silently, again and again, until the window closes; its commands do once what people and extensions do. */
export function activate(context: vscode.ExtensionContext): void {
  const file = process.env['DEVICE_FLOW_PROBE_FILE'];
  const secret = process.env['DEVICE_FLOW_PROBE_SECRET'];
  if (file === undefined || secret === undefined) throw new Error('The probe was not told where to write.');
  const write = (line: ProbeLine): Promise<void> => appendFile(file, `${JSON.stringify(line)}\n`);
  const services = vscode.workspace.getConfiguration('deviceFlow').get<readonly { baseUrl: string }[]>('services', []);
  const baseUrl = services[0]?.baseUrl ?? '';
  const { pid } = process;
  let closed = false;
  let paused = false;
  context.subscriptions.push(
    { dispose: () => (closed = true) },
    vscode.commands.registerCommand('deviceFlowProbe.signIn', async () => {
      await vscode.commands.executeCommand('deviceFlow.setClientSecret', secret);
      await vscode.authentication.getSession(PROVIDER, SCOPES, { createIfNone: true });
    }),
    vscode.commands.registerCommand('deviceFlowProbe.pause', () => {
      paused = true;
    }),
    vscode.commands.registerCommand('deviceFlowProbe.goOn', () => {
      paused = false;
    }),
    vscode.commands.registerCommand('deviceFlowProbe.reportRejected', async () => {
      const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
      const reports = Array.from({ length: REPORTS }, () =>
        vscode.commands.executeCommand('deviceFlow.reportRejectedToken', session?.accessToken),
      );
      await write({ kind: 'reported', pid, answers: await Promise.all(reports), at: Date.now() });
    }),
    vscode.authentication.onDidChangeSessions(({ provider }) => {
      if (provider.id === PROVIDER) void write({ kind: 'event', pid, at: Date.now() });
    }),
  );
  const ask = async (): Promise<void> => {
    const asked = Date.now();
    try {
      const session = await vscode.authentication.getSession(PROVIDER, SCOPES, { silent: true });
      const served = Date.now();
      const status = session === undefined ? undefined : await callWith(baseUrl, session.accessToken);
      await write({ kind: 'asked', pid, asked, served, status, tried: Date.now() });
    } catch (error) {
      const message = error instanceof Error ? error.message : 'unknown';
      await write({ kind: 'failed', pid, at: Date.now(), message });
    }
  };
  const probe = async (): Promise<void> => {
    while (!closed) {
      if (!paused) await ask();
      await new Promise((resolve) => setTimeout(resolve, PAUSE));
    }
  };
  void probe();
}

async function callWith(baseUrl: string, accessToken: string): Promise<number> {
  const response = await fetch(`${baseUrl}/api/whoami`, { headers: { Authorization: `Bearer ${accessToken}` } });
  return response.status;
}
