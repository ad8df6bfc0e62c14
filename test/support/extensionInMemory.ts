import { randomBytes } from 'node:crypto';
import type { AuthenticationProvider, AuthenticationSession } from 'vscode';
import type { Fetch } from '../../src/oauth/fetch';
import { createExtension, type RunningExtension } from '../../src/vscode/createExtension';
import { ConfigureService } from '../../src/vscode/configure/configureService';
import { secretPort } from '../../src/vscode/createPlatform';
import type { McpServerOptions } from '../../src/vscode/mcp/options';
import type { Disposable } from '../../src/event';
import { readConfiguration } from '../../src/vscode/settings/configuration';
import { Settings } from '../../src/vscode/settings/settings';
import { createConfigurationTexts } from '../../src/vscode/texts/configurationTexts';
import { createTexts } from '../../src/vscode/texts/texts';
import { english } from '../unit/vscode/english';
import { FakeAuthentication } from '../unit/vscode/fakeAuthentication';
import { type Element, FakeEditor } from '../unit/vscode/fakeEditor';
import { CountingService } from './countingService';
import { FakeClock } from './fakeClock';
import { MemoryLocks, MemoryRows, MemorySecretStorage } from './memory';
import { RecordingLog } from './recordingLog';

/** More than any step takes if nothing stands in its way. Milliseconds. */
const LONGEST_STEP = 10_000;

/** The service of a window. */
export const IN_MEMORY: Element = {
  protocol: 'draft',
  baseUrl: 'https://service.example/v1',
  clientId: 'editor',
  serviceName: 'My Service',
  notify: { on: 'everyToken' },
  account: { path: '/who', field: 'name' },
};

/** What a window may be opened with. */
export interface WindowOptions {
  readonly random?: (length: number) => Uint8Array;
  /** The window before this one, whose store and secrets this one finds. */
  readonly before?: ExtensionInMemory;
  /** Fields of the only service, on top of those that it has. */
  readonly fields?: Element;
  /** All services, in its place. */
  readonly services?: unknown;
  readonly mcpServers?: readonly McpServerOptions[];
  /** Its clock, if something else goes by it too. */
  readonly clock?: FakeClock;
}

/** A window and its service. */
export interface WindowAndService {
  readonly window: ExtensionInMemory;
  readonly service: CountingService;
}

/** Opens a window that is configured and has this client secret. */
export async function openWindow(
  options: WindowOptions = {},
  clientSecret = 'not a real secret',
): Promise<WindowAndService> {
  const service = new CountingService();
  const window = new ExtensionInMemory(service.fetch, options);
  const stored = window.command('setClientSecret', clientSecret);
  await window.clock.advance(LONGEST_STEP);
  await stored;
  return { window, service };
}

/** Someone signs in as this user of the service. */
export async function signIn({ window, service }: WindowAndService, user = 'Ada'): Promise<void> {
  service.user = user;
  const session = window.signIn();
  await window.clock.advance(LONGEST_STEP);
  await session;
}

/** All of the extension in one window, over an editor, a store and a secret storage in memory. */
export class ExtensionInMemory {
  readonly clock: FakeClock;
  readonly editor = new FakeEditor();
  readonly log = new RecordingLog();
  readonly authentication = this.editor.authentication;
  readonly rows: MemoryRows;
  readonly locks: MemoryLocks;
  readonly secretStorage: MemorySecretStorage;
  readonly subscriptions: Disposable[] = [];
  readonly #running: RunningExtension;

  constructor(
    fetch: Fetch,
    { before, clock = new FakeClock(), mcpServers = [], random = randomBytes, fields, services }: WindowOptions = {},
  ) {
    const { editor, log } = this;
    this.clock = clock;
    this.secretStorage = before?.secretStorage ?? new MemorySecretStorage();
    this.rows = before?.rows ?? new MemoryRows();
    this.locks = before?.locks ?? new MemoryLocks();
    editor.set(before?.editor.list ?? services ?? [{ ...IN_MEMORY, ...fields }]);
    const configuration = () => readConfiguration(editor.services(), FakeAuthentication.EXTENSION);
    const settings = new Settings(configuration(), log);
    this.subscriptions.push(
      editor.onDidChangeSettings(() => {
        settings.replace(configuration());
      }),
    );
    const commands = ['configure', 'setClientSecret', 'showStatus'];
    this.#running = createExtension({
      configureService: (wiring, secrets) =>
        new ConfigureService(wiring, secrets, editor, createConfigurationTexts(english)),
      editor,
      settings,
      fetch,
      mcpServers,
      showLog: () => undefined,
      subscriptions: this.subscriptions,
      texts: createTexts(english, 'en'),
      brand: {
        extensionId: 'some.extension',
        displayName: FakeAuthentication.EXTENSION,
        category: FakeAuthentication.EXTENSION,
        version: '1.2.3',
        providerId: 'some-provider',
        prefix: 'deviceFlow',
        commands,
        configuredBy: 'person' as const,
      },
      platform: {
        clock,
        rows: this.rows,
        log,
        random,
        locks: this.locks.of(clock),
        secrets: secretPort(this.secretStorage, 'store'),
        secretsNeedReload: false,
        secretsOwner: 'editor',
      },
    });
  }

  /** The names of the commands. */
  get commands(): readonly string[] {
    return [...this.editor.registered.keys()];
  }

  get provider(): AuthenticationProvider {
    return this.editor.provider;
  }

  /** Carries out a command, as the editor does for a person or another extension. */
  async command(name: string, ...given: unknown[]): Promise<unknown> {
    const command = this.editor.registered.get(name);
    if (command === undefined) throw new Error(`There is no command ${name}.`);
    return await command(...given);
  }

  /** Signs in for another extension, in the place of an account if one is named. */
  signIn(account?: AuthenticationSession['account']): Promise<AuthenticationSession> {
    return Promise.resolve(this.provider.createSession(['a scope'], account === undefined ? {} : { account }));
  }

  /** What another extension is served. */
  serve(account?: AuthenticationSession['account']): Promise<readonly AuthenticationSession[]> {
    return Promise.resolve(this.provider.getSessions(['a scope'], account === undefined ? {} : { account }));
  }

  /** Whether a session is one of this extension. */
  async has(sessionId: string): Promise<boolean> {
    return (await this.list()).some(({ id }) => id === sessionId);
  }

  /** The sessions as menus list them. */
  list(): Promise<readonly AuthenticationSession[]> {
    return Promise.resolve(this.provider.getSessions(undefined, {}));
  }

  /** Chooses this for an account in Show Status. */
  async chooseInStatus(choice: string): Promise<void> {
    const [session, ...others] = await this.list();
    if (session === undefined) return;
    this.editor.choices = others.length === 0 ? [choice] : [session.account.label, choice];
    await this.command('showStatus');
  }

  /** The window closes. */
  async close(): Promise<void> {
    const closed = this.#running.close();
    for (const subscription of this.subscriptions) subscription.dispose();
    await closed;
  }

  /** All that a person saw, heard of or has in the clipboard. */
  seen(): string {
    const { clipboard, opened, commands } = this.editor;
    return JSON.stringify([...this.editor.shown(), ...clipboard, ...opened, ...commands]);
  }
}
