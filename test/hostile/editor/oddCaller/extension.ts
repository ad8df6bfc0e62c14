import { appendFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { oddArguments, oddOptions, oddScopes } from './oddities';

/** How one call ended. */
export interface Ending {
  readonly call: string;
  /** `current` for a session with the token that a well-behaved call gets, `other` for another token. */
  readonly outcome: 'current' | 'other' | 'none' | 'value' | 'error' | 'hangs';
  /** Of an error. */
  readonly message?: string;
  /** Of a session: how many scopes it has. */
  readonly scopes?: number;
}

const PROVIDER = 'device-flow';
const SCOPES = ['odd'];
/** Longer than any of these calls may take. */
const PATIENCE = 30_000;
const MANY = 1_000;
const COMMANDS = ['reportRejectedToken', 'copyUserCode', 'openVerificationPage', 'showQrCode', 'cancelSignIn'];

/** `getSession` as somebody calls it who has no types. */
type Ask = (provider: string, scopes: unknown, options: unknown) => Thenable<unknown>;

/** Registers the commands; each writes one line for each call it made into the file that the environment names. */
export function activate(context: vscode.ExtensionContext): void {
  const file = process.env['DEVICE_FLOW_ODD_FILE'];
  if (file === undefined) throw new Error('The odd caller was not told where to write.');
  const getSession: Ask = (provider, scopes, options) =>
    (vscode.authentication.getSession as Ask)(provider, scopes, options);
  const tokenOf = (session: unknown): unknown =>
    typeof session === 'object' && session !== null ? Reflect.get(session, 'accessToken') : undefined;

  const ending = async (call: string, start: () => Thenable<unknown>, token?: unknown): Promise<Ending> => {
    try {
      const value = await Promise.race([
        start(),
        new Promise<unknown>((resolve) => setTimeout(resolve, PATIENCE, 'hangs')),
      ]);
      if (value === 'hangs') return { call, outcome: 'hangs' };
      if (value === undefined) return { call, outcome: 'none' };
      const found = tokenOf(value);
      if (found === undefined) return { call, outcome: 'value' };
      const scopes: unknown = Reflect.get(value as object, 'scopes');
      return {
        call,
        outcome: found === token ? 'current' : 'other',
        scopes: Array.isArray(scopes) ? scopes.length : -1,
      };
    } catch (error) {
      return { call, outcome: 'error', message: error instanceof Error ? error.message : typeof error };
    }
  };

  const command = (name: string, run: () => Promise<readonly Ending[]>): vscode.Disposable =>
    vscode.commands.registerCommand(`oddCaller.${name}`, async () => {
      const endings = await run();
      await appendFile(file, `${JSON.stringify({ name, endings })}\n`);
      void vscode.window.showInformationMessage(`Odd: ${name} is done`);
    });
  const currentToken = async (): Promise<unknown> => tokenOf(await getSession(PROVIDER, SCOPES, { silent: true }));

  context.subscriptions.push(
    command('ask', async () => {
      const token = tokenOf(await getSession(PROVIDER, SCOPES, { createIfNone: true }));
      return [await ending('well', () => getSession(PROVIDER, SCOPES, { silent: true }), token)];
    }),
    command('askOddly', async () => {
      const token = await currentToken();
      const endings: Ending[] = [];
      for (const [name, scopes] of oddScopes()) {
        endings.push(await ending(`scopes: ${name}`, () => getSession(PROVIDER, scopes, { silent: true }), token));
      }
      for (const [name, options] of oddOptions()) {
        endings.push(await ending(`options: ${name}`, () => getSession(PROVIDER, SCOPES, options), token));
      }
      return [...endings, await ending('well', () => getSession(PROVIDER, SCOPES, { silent: true }), token)];
    }),
    command('askManyTimes', async () => {
      const token = await currentToken();
      return Promise.all(
        // Scopes of their own: VS Code makes one call of those that are alike.
        Array.from({ length: MANY }, (_, index) =>
          ending(`call ${index}`, () => getSession(PROVIDER, [...SCOPES, `${index}`], { silent: true }), token),
        ),
      );
    }),
    command('forceForAForeignAccount', async () => {
      const options = { forceNewSession: true, account: { id: 'foreign', label: 'Foreign' } };
      return [await ending('foreign', () => getSession(PROVIDER, SCOPES, options))];
    }),
    command('runCommandsOddly', async () => {
      const endings: Ending[] = [];
      for (const name of COMMANDS) {
        for (const [argument, value] of oddArguments()) {
          const run = (): Thenable<unknown> => vscode.commands.executeCommand(`deviceFlow.${name}`, value);
          endings.push(await ending(`${name}: ${argument}`, run));
        }
      }
      return endings;
    }),
  );
}
